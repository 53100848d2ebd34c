#include "bench/gate_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- judging ----------------------------------------------------------------------------------------------------- */

enum { INSTRUCTIONS, D1_MISSES, LL_MISSES, KINDS };
static const char *const kinds[KINDS] = {"instructions an operation", "first-cache misses an operation",
                                         "last-cache misses an operation"};

static double each(const tb_counts *counts, uint64_t operations, int kind)
{
    const uint64_t of[KINDS] = {counts->instructions, counts->d1_misses, counts->ll_misses};
    return (double)of[kind] / (double)operations;
}

/* 1: more, -1: less, 0: neither, beyond the limits. */
static int moved(const tb_gate_line *l, int kind)
{
    double now = each(&l->now->counts, l->now->operations, kind), before = each(&l->before->counts, l->before->operations, kind);
    double by = now - before;
    if (fabs(by) <= TB_GATE_SHARE * before || (kind != INSTRUCTIONS && fabs(by) <= TB_GATE_MISSES))
        return 0;
    return by > 0 ? 1 : -1;
}

static tb_gate_state judge(tb_gate_line *l)
{
    bool less = false;
    if (!l->before)
        return TB_GATE_NEW;
    if (l->now->problem || l->before->problem)
        return l->now->problem && !l->before->problem ? TB_GATE_MORE : l->now->problem ? TB_GATE_SAME : TB_GATE_NEW;
    l->change = each(&l->now->counts, l->now->operations, INSTRUCTIONS) /
                    each(&l->before->counts, l->before->operations, INSTRUCTIONS) - 1;
    for (int kind = 0; kind < KINDS; kind++) {
        int way = moved(l, kind);
        if (way > 0)
            return TB_GATE_MORE;
        less |= way < 0;
    }
    return less ? TB_GATE_LESS : TB_GATE_SAME;
}

static int by_change(const void *a, const void *b)
{
    const tb_gate_line *x = a, *y = b;
    double dx = fabs(x->change), dy = fabs(y->change);
    return dx != dy ? (dx < dy) - (dx > dy) : strcmp(x->name, y->name);
}

static bool is_cell(const tb_gate_cells *cells, const char *name)
{
    for (size_t i = 0; i < cells->count; i++)
        if (strcmp(cells->items[i].name, name) == 0)
            return true;
    return false;
}

bool tb_gate_judge(const tb_gate_cells *cells, const bool *chosen, bool all, const tb_gate_reference *reference,
                   tb_gate_verdict *verdict)
{
    *verdict = (tb_gate_verdict){0};
    verdict->lines = calloc(cells->count + reference->count + 1, sizeof *verdict->lines);
    if (!verdict->lines)
        return false;
    for (size_t i = 0; i < cells->count; i++) {
        const tb_gate_cell *cell = &cells->items[i];
        if (!chosen[i])
            continue;
        tb_gate_line *l = &verdict->lines[verdict->count++];
        *l = (tb_gate_line){.name = cell->name, .now = cell, .before = tb_gate_reference_find(reference, cell->name)};
        l->state = judge(l);
    }
    for (size_t i = 0; all && i < reference->count; i++)
        if (!is_cell(cells, reference->cells[i].name))
            verdict->lines[verdict->count++] =
                (tb_gate_line){.name = reference->cells[i].name, .state = TB_GATE_MISSING, .before = &reference->cells[i]};
    for (size_t i = 0; i < verdict->count; i++)
        verdict->states[verdict->lines[i].state]++;
    qsort(verdict->lines, verdict->count, sizeof *verdict->lines, by_change);
    return true;
}

void tb_gate_verdict_free(tb_gate_verdict *verdict)
{
    free(verdict->lines);
    *verdict = (tb_gate_verdict){0};
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* Of a function, in both. Lists are sorted by name. */
typedef struct {
    const char *name;
    double before, now;
} function_change;

static double function_share(const tb_counts *counts, uint64_t operations, size_t *at, const char *name)
{
    if (*at >= counts->function_count || strcmp(counts->functions[*at].name, name) != 0)
        return 0;
    return (double)counts->functions[(*at)++].instructions / (double)operations;
}

static int by_difference(const void *a, const void *b)
{
    double x = fabs(((const function_change *)a)->now - ((const function_change *)a)->before);
    double y = fabs(((const function_change *)b)->now - ((const function_change *)b)->before);
    return (x < y) - (x > y);
}

/* The functions that moved most, up to `room` of them; how many. */
static size_t function_changes(const tb_gate_line *l, function_change *out, size_t room)
{
    const tb_counts *before = &l->before->counts, *now = &l->now->counts;
    size_t all = before->function_count + now->function_count, n = 0;
    function_change *changes = calloc(all ? all : 1, sizeof *changes);
    if (!changes)
        return 0;
    for (size_t b = 0, w = 0; b < before->function_count || w < now->function_count; n++) {
        bool from_before = w >= now->function_count ||
                           (b < before->function_count && strcmp(before->functions[b].name, now->functions[w].name) <= 0);
        const char *name = from_before ? before->functions[b].name : now->functions[w].name;
        changes[n].name = name;
        changes[n].before = function_share(before, l->before->operations, &b, name);
        changes[n].now = function_share(now, l->now->operations, &w, name);
    }
    qsort(changes, n, sizeof *changes, by_difference);
    size_t told = 0;
    while (told < n && told < room && fabs(changes[told].now - changes[told].before) >= 0.005)
        told++;
    memcpy(out, changes, told * sizeof *out);
    free(changes);
    return told;
}

static void print_moves(const tb_gate_line *l, FILE *out)
{
    enum { FUNCTIONS = 4 };
    function_change changes[FUNCTIONS];
    for (int kind = 0; kind < KINDS; kind++) {
        double before = each(&l->before->counts, l->before->operations, kind);
        double now = each(&l->now->counts, l->now->operations, kind);
        if (!moved(l, kind))
            continue;
        if (before > 0)
            fprintf(out, "  %9.2f -> %9.2f  %+7.2f %%  %s\n", before, now, (now / before - 1) * 100, kinds[kind]);
        else
            fprintf(out, "  %9.2f -> %9.2f  %9s  %s\n", before, now, "", kinds[kind]);
        size_t n = kind == INSTRUCTIONS ? function_changes(l, changes, FUNCTIONS) : 0;
        for (size_t i = 0; i < n; i++)
            fprintf(out, "  %9.2f -> %9.2f  %+8.2f   %.42s\n", changes[i].before, changes[i].now,
                    changes[i].now - changes[i].before, changes[i].name);
    }
}

static void print_line(const tb_gate_line *l, FILE *out)
{
    fprintf(out, "%s\n", l->name);
    if (l->now && l->now->problem)
        fprintf(out, "  %.76s\n", l->now->problem);
    else if (l->before && l->now && !l->before->problem)
        print_moves(l, out);
}

static void print_state(const tb_gate_verdict *v, tb_gate_state state, const char *title, size_t most, FILE *out)
{
    size_t told = 0;
    if (v->states[state] == 0)
        return;
    fprintf(out, "%s: %zu of %zu cells\n", title, v->states[state], v->count);
    for (size_t i = 0; i < v->count && told < most; i++)
        if (v->lines[i].state == state) {
            print_line(&v->lines[i], out);
            told++;
        }
    if (told < v->states[state])
        fprintf(out, "... and %zu more (--all shows them)\n", v->states[state] - told);
    fprintf(out, "\n");
}

void tb_gate_print(const tb_gate_verdict *v, size_t most, FILE *out)
{
    print_state(v, TB_GATE_MORE, "COSTS MORE", most, out);
    print_state(v, TB_GATE_MISSING, "IN THE REFERENCE ALONE", most, out);
    print_state(v, TB_GATE_LESS, "costs less", most, out);
    print_state(v, TB_GATE_NEW, "not in the reference", most, out);
}
