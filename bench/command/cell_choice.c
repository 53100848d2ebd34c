#include "bench/command/cell_choice.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool tb_cell_choice_may_be_of(const tb_string_list *wanted, const char *level, const char *workload)
{
    char begin[512];
    snprintf(begin, sizeof begin, "%s/%s/", level, workload);
    for (size_t i = 0; i < wanted->count; i++) {
        size_t plain = strcspn(wanted->items[i], "*?[\\"), length = strlen(begin);
        if (strncmp(wanted->items[i], begin, plain < length ? plain : length) == 0)
            return true;
    }
    return false;
}

bool tb_cell_choice_sizes(const tb_string_list *wanted, int64_t most, tb_size_list *sizes)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const char *at = wanted->items[i];
        for (int slashes = 0; at && slashes < 3; slashes++)
            at = (at = strchr(at, '/')) ? at + 1 : NULL;
        if (!at || strspn(at, "0123456789") == 0 || (at[strspn(at, "0123456789")] != '\0' && at[strspn(at, "0123456789")] != '/'))
            continue;
        int64_t size = strtoll(at, NULL, 10);
        bool known = size < 1 || size > most;
        for (size_t j = 0; j < sizes->count; j++)
            known |= sizes->items[j] == size;
        int64_t *grown = known ? NULL : realloc(sizes->items, (sizes->count + 1) * sizeof *grown);
        if (!known && !grown)
            return false;
        if (grown) {
            sizes->items = grown;
            sizes->items[sizes->count++] = size;
        }
    }
    return true;
}

bool tb_cell_choice_narrow(const tb_string_list *wanted, const char *always, tb_session *session, tb_error_text *error)
{
    for (size_t w = 0; w < wanted->count; w++) {
        bool picks = false;
        for (size_t i = 0; i < session->count; i++)
            picks |= fnmatch(wanted->items[w], session->cells[i].name, 0) == 0;
        if (!picks) {
            tb_error_set(error, "--cell '%s': picks none of the %zu cells chosen otherwise%s%s%s", wanted->items[w], session->count,
                         session->count ? ": expected a name such as '" : "", session->count ? session->cells[0].name : "",
                         session->count ? "', or a glob" : "");
            return false;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < session->count; i++) {
        tb_cell *cell = &session->cells[i];
        bool picked = wanted->count == 0 || (always && strcmp(cell->contender->name, always) == 0);
        for (size_t w = 0; w < wanted->count && !picked; w++)
            picked = fnmatch(wanted->items[w], cell->name, 0) == 0;
        if (picked)
            session->cells[kept++] = *cell;
        else
            tb_cell_clear(cell);
    }
    session->count = kept;
    return true;
}

char *tb_cell_choice_spell(const char *name)
{
    char *glob = malloc(2 * strlen(name) + 1), *to = glob;
    for (; glob && *name; name++) {
        if (strchr("*?[\\", *name))
            *to++ = '\\';
        /* A comma would end the element; a name that differs from another in nothing else is not worth a syntax. */
        *to++ = *name == ',' ? '?' : *name;
    }
    if (glob)
        *to = '\0';
    return glob;
}
