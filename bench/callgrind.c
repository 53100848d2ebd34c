#include "bench/callgrind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions --------------------------------------------------------------------------------------------------- */

bool tb_counts_add(tb_counts *counts, const char *name, uint64_t instructions)
{
    for (size_t i = 0; i < counts->function_count; i++)
        if (strcmp(counts->functions[i].name, name) == 0) {
            counts->functions[i].instructions += instructions;
            return true;
        }
    tb_function_count *grown = realloc(counts->functions, (counts->function_count + 1) * sizeof *grown);
    if (grown)
        counts->functions = grown;
    char *copy = strdup(name);
    if (!grown || !copy) {
        free(copy);
        return false;
    }
    grown[counts->function_count++] = (tb_function_count){copy, instructions};
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tb_function_count *)a)->name, ((const tb_function_count *)b)->name);
}

void tb_counts_sort(tb_counts *counts)
{
    if (counts->function_count)
        qsort(counts->functions, counts->function_count, sizeof *counts->functions, by_name);
}

void tb_counts_free(tb_counts *counts)
{
    for (size_t i = 0; i < counts->function_count; i++)
        free(counts->functions[i].name);
    free(counts->functions);
    *counts = (tb_counts){0};
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

enum { EVENTS = 16 };
enum { IR, D1_READ, D1_WRITE, LL_READ, LL_WRITE, WANTED };
static const char *const wanted[WANTED] = {[IR] = "Ir", [D1_READ] = "D1mr", [D1_WRITE] = "D1mw", [LL_READ] = "DLmr",
                                           [LL_WRITE] = "DLmw"};

typedef struct {
    int column[WANTED]; /* of each event in a cost line; -1: not there */
    bool has_events, has_totals, is_call; /* is_call: the next cost line is of a call, and belongs to the callee */
    char *function;
    tb_counts *counts;
    uint64_t sum; /* of the functions' instructions */
} reading;

/* Costs at the end that are 0 are left out of a line. */
static bool read_costs(const char *text, uint64_t out[EVENTS])
{
    for (int i = 0; i < EVENTS; i++)
        out[i] = 0;
    for (int i = 0; i < EVENTS; i++) {
        char *end;
        errno = 0;
        text += strspn(text, " ");
        if (*text == 0)
            return true;
        out[i] = strtoull(text, &end, 10);
        if (end == text || errno != 0)
            return false;
        text = end;
    }
    return *text == 0;
}

static uint64_t cost(const reading *r, const uint64_t costs[EVENTS], int which)
{
    return r->column[which] < 0 ? 0 : costs[r->column[which]];
}

static bool read_events(reading *r, char *text)
{
    int at = 0;
    for (int i = 0; i < WANTED; i++)
        r->column[i] = -1;
    char *rest;
    for (char *name = strtok_r(text, " ", &rest); name && at < EVENTS; name = strtok_r(NULL, " ", &rest), at++)
        for (int i = 0; i < WANTED; i++)
            if (strcmp(name, wanted[i]) == 0)
                r->column[i] = at;
    r->has_events = r->column[IR] >= 0;
    return r->has_events;
}

static bool read_totals(reading *r, const char *text)
{
    uint64_t costs[EVENTS];
    if (!r->has_events || !read_costs(text, costs))
        return false;
    r->counts->instructions = cost(r, costs, IR);
    r->counts->d1_misses = cost(r, costs, D1_READ) + cost(r, costs, D1_WRITE);
    r->counts->ll_misses = cost(r, costs, LL_READ) + cost(r, costs, LL_WRITE);
    r->has_totals = true;
    return true;
}

/* A cost line: the position, then the events. */
static bool read_line_costs(reading *r, const char *line)
{
    uint64_t costs[EVENTS];
    const char *events = strchr(line, ' ');
    if (r->is_call) {
        r->is_call = false;
        return true;
    }
    if (!r->has_events || !r->function || !events || !read_costs(events, costs))
        return false;
    uint64_t instructions = cost(r, costs, IR);
    r->sum += instructions;
    return instructions == 0 || tb_counts_add(r->counts, r->function, instructions);
}

/* A recursion's inner levels have a number of their own: name'2. */
static bool set_function(reading *r, char *name)
{
    char *level = strrchr(name, '\'');
    if (level && level[1] && strspn(level + 1, "0123456789") == strlen(level + 1))
        *level = 0;
    free(r->function);
    r->function = strdup(name);
    return r->function != NULL;
}

static bool read_line(reading *r, char *line)
{
    line[strcspn(line, "\r\n")] = 0;
    if (strncmp(line, "events: ", 8) == 0)
        return read_events(r, line + 8);
    if (strncmp(line, "totals: ", 8) == 0)
        return read_totals(r, line + 8);
    if (strncmp(line, "fn=", 3) == 0)
        return set_function(r, line + 3);
    if (strncmp(line, "calls=", 6) == 0) {
        r->is_call = true;
        return true;
    }
    return line[0] < '0' || line[0] > '9' || read_line_costs(r, line);
}

bool tb_callgrind_read(const char *path, tb_counts *counts, tb_error_text *error)
{
    tb_counts_free(counts);
    FILE *f = fopen(path, "r");
    if (!f) {
        tb_error_set(error, "%s: %s", path, strerror(errno));
        return false;
    }
    reading r = {.counts = counts};
    char *line = NULL;
    size_t room = 0, number = 0;
    bool good = true;
    errno = 0;
    while (good && getline(&line, &room, f) >= 0) {
        number++;
        good = read_line(&r, line);
    }
    bool memory = errno != ENOMEM;
    fclose(f);
    free(line);
    free(r.function);
    tb_counts_sort(counts);
    if (good && memory && r.has_totals && r.sum == counts->instructions)
        return true;
    if (!memory)
        tb_error_no_memory(error);
    else if (!good)
        tb_error_set(error, "%s: line %zu: not as callgrind writes it", path, number);
    else
        tb_error_set(error, "%s: cut off: expected totals that are the sum of the functions", path);
    tb_counts_free(counts);
    return false;
}
