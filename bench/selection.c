/* selection.c: matching comma lists of names, globs and tags. */
#include "bench/selection.h"

#include "bench/nearest.h"

#include <timerbench/assert.h>

#include <fnmatch.h>
#include <string.h>

enum { tag_size = 64 };

/* Cuts the next tag off *tags and writes it as it is asked for, '@' first. False: there is none. */
static bool next_tag(const char **tags, char out[tag_size])
{
    *tags += strspn(*tags, " ");
    size_t length = strcspn(*tags, " ");
    tb_assert(length < tag_size - 1);
    out[0] = '@';
    memcpy(out + 1, *tags, length);
    out[length + 1] = '\0';
    *tags += length;
    return length > 0;
}

static bool has_tag(const tb_selectable *item, const char *glob)
{
    const char *rest = item->tags ? item->tags : "";
    char tag[tag_size];
    while (next_tag(&rest, tag))
        if (fnmatch(glob, tag, 0) == 0)
            return true;
    return false;
}

static bool picks(const char *element, const tb_selectable *item)
{
    if (strcmp(element, item->name) == 0)
        return true;
    if (item->hidden)
        return false;
    return element[0] == '@' ? has_tag(item, element) : fnmatch(element, item->name, 0) == 0;
}

static bool add_once(tb_string_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return tb_string_list_add(list, text, strlen(text));
}

/* The names that are not hidden, then their tags. */
static bool add_choices(tb_string_list *list, const tb_selectable *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!items[i].hidden && !add_once(list, items[i].name))
            return false;
    for (size_t i = 0; i < count; i++) {
        const char *rest = items[i].tags && !items[i].hidden ? items[i].tags : "";
        char tag[tag_size];
        while (next_tag(&rest, tag))
            if (!add_once(list, tag))
                return false;
    }
    return true;
}

static void explain(const char *element, const char *option, const tb_selectable *items, size_t count,
                    tb_error_text *error)
{
    tb_string_list names = {0};
    if (!add_choices(&names, items, count)) {
        tb_error_no_memory(error);
        tb_string_list_free(&names);
        return;
    }
    tb_nearest nearest = {.word = element};
    for (size_t i = 0; i < names.count; i++)
        tb_nearest_offer(&nearest, names.items[i]);
    char list[TB_ERROR_TEXT_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < names.count; i++) {
        size_t length = strlen(names.items[i]);
        if (used + length + 2 > sizeof list)
            break;
        list[used++] = ' ';
        memcpy(list + used, names.items[i], length + 1);
        used += length;
    }
    tb_error_set(error, "%s '%s': matches nothing%s%s%s; there is%s", option, element,
                 nearest.best ? " (did you mean " : "", nearest.best ? nearest.best : "", nearest.best ? "?)" : "",
                 used ? list : " nothing to choose from");
    tb_string_list_free(&names);
}

bool tb_select(const tb_string_list *wanted, const char *option, const tb_selectable *items, size_t count, bool *chosen,
               tb_error_text *error)
{
    for (size_t i = 0; i < count; i++)
        chosen[i] = wanted->count == 0 && items[i].in_default && !items[i].hidden;
    for (size_t e = 0; e < wanted->count; e++) {
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            if (picks(wanted->items[e], &items[i])) {
                chosen[i] = true;
                any = true;
            }
        }
        if (!any) {
            explain(wanted->items[e], option, items, count, error);
            return false;
        }
    }
    return true;
}
