/* string_list.c: a growing list of strings. */
#include "bench/string_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool tb_string_list_add(tb_string_list *list, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    /* Lists have a handful of items: growing one at a time is cheap enough. */
    char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items) {
        free(copy);
        return false;
    }
    items[list->count++] = copy;
    list->items = items;
    return true;
}

static void cut_back(tb_string_list *list, size_t count)
{
    while (list->count > count)
        free(list->items[--list->count]);
}

bool tb_string_list_split(tb_string_list *list, const char *text)
{
    size_t before = list->count;
    for (;;) {
        size_t length = strcspn(text, ",");
        if (length == 0 || !tb_string_list_add(list, text, length)) {
            cut_back(list, before);
            errno = length == 0 ? EINVAL : ENOMEM;
            return false;
        }
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

void tb_string_list_free(tb_string_list *list)
{
    cut_back(list, 0);
    free(list->items);
    *list = (tb_string_list){0};
}
