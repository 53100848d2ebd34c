#include "bench/gate_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where each step walks all timers, the large population would take minutes. */
static bool is_linear(const tb_contender *c)
{
    const tb_structure *s = c->impl->structure;
    return strstr(s->cost_insert, "O(n)") || strstr(s->cost_cancel, "O(n)") || strstr(s->cost_expire, "O(n)");
}

static bool add(tb_gate_cells *cells, const tb_workload *workload, const tb_contender *contender, uint32_t population)
{
    tb_gate_cell *grown = realloc(cells->items, (cells->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    cells->items = grown;
    tb_gate_cell cell = {.workload = workload, .contender = contender, .population = population};
    const char *key = contender->keyed ? "/key" : "";
    if (asprintf(&cell.name, "timers/%s/%s/%u%s", workload->name, contender->name, population, key) < 0)
        return false;
    grown[cells->count++] = cell;
    return true;
}

/* What `run` takes by itself: those tagged "steady" and nothing else. Others walk through memory beside, which is what misses
   real caches; in counts of instructions the walk would drown what is counted. */
static bool is_steady(const tb_workload *w)
{
    return strcmp(w->tags, "steady") == 0 && w->loop != TB_LOOP_REPLAY;
}

static bool add_contender(tb_gate_cells *cells, const tb_contender *contender)
{
    for (size_t i = 0; i < cells->workloads.count; i++) {
        const tb_workload *w = &cells->workloads.items[i];
        if (!is_steady(w))
            continue;
        if (!add(cells, w, contender, TB_GATE_SMALL) || (!is_linear(contender) && !add(cells, w, contender, TB_GATE_LARGE)))
            return false;
    }
    return true;
}

bool tb_gate_cells_make(tb_gate_cells *cells, tb_error_text *error)
{
    *cells = (tb_gate_cells){0};
    if (!tb_workloads_load(&cells->workloads, error))
        return false;
    for (size_t i = 0; i < tb_contender_count(); i++) {
        const tb_contender *c = tb_contender_at(i);
        if (c && (!c->impl || c->hidden))
            continue;
        if (!c || !add_contender(cells, c)) {
            tb_error_no_memory(error);
            tb_gate_cells_free(cells);
            return false;
        }
    }
    return true;
}

void tb_gate_cells_free(tb_gate_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        free(cells->items[i].name);
        free(cells->items[i].problem);
        tb_counts_free(&cells->items[i].counts);
    }
    free(cells->items);
    tb_workloads_free(&cells->workloads);
    *cells = (tb_gate_cells){0};
}
