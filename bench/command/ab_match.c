#include "bench/command/ab_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/cell_choice.h"
#include "bench/stopwatch.h"
#include "results/looks.h"

/* How far it is. */
typedef struct playing {
    tb_ab_match *match;
    int64_t begin;
    size_t pairs, looked_at; /* looked_at: how many pairs there were when they were looked at last */
    size_t look;             /* the number of the next */
    double pair_seconds;     /* of the last */
    tb_string_list cells;    /* globs: what is still open */
    tb_error_text *error;
} playing;

static double seconds_since(int64_t begin) { return (double)(tb_stopwatch_ns() - begin) * 1e-9; }

static bool no_memory(playing *p)
{
    tb_error_no_memory(p->error);
    return false;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static bool read_side(playing *p, int side)
{
    tb_sampling *s = &p->match->side[side];
    tb_result_free(&p->match->result[side]);
    json_t *document = tb_sampled_assess(&s->sampled, s->seed) ? tb_sampled_document(&s->sampled, s->seed, 0) : NULL;
    if (!document)
        return no_memory(p);
    bool read = tb_result_from_json(document, s->path, &p->match->result[side], p->error->text, sizeof p->error->text);
    json_decref(document);
    return read;
}

/* All cells of the comparison are one family at every look, those that are settled, too: which are left depends on the figures,
   and must not make the test of the rest less strict. */
static bool compare(playing *p)
{
    tb_ab_match *m = p->match;
    tb_comparison_options options = {.how = m->how, .strict = m->strict, .repeated = true, .settled = m->settled,
                                     .settled_count = m->settled_count};
    options.how.significance = tb_look_error(p->look, m->how.significance);
    options.how.level = 1 - options.how.significance;
    tb_comparison_free(&m->comparison);
    return read_side(p, TB_BASE) && read_side(p, TB_NEW) &&
           tb_compare(&m->result[TB_BASE], &m->result[TB_NEW], &options, &m->comparison, p->error->text, sizeof p->error->text);
}

static bool is_settled(const tb_ab_match *m, const char *name)
{
    for (size_t i = 0; i < m->settled_count; i++)
        if (strcmp(m->settled[i].name, name) == 0)
            return true;
    return false;
}

static bool settle(playing *p, const tb_compared *cell)
{
    tb_ab_match *m = p->match;
    const char *name = cell->cell[TB_BASE]->name;
    if (is_settled(m, name))
        return true;
    tb_settled *grown = realloc(m->settled, (m->settled_count + 1) * sizeof *grown);
    if (!grown)
        return no_memory(p);
    m->settled = grown;
    grown[m->settled_count] = (tb_settled){strdup(name), cell->judged};
    return grown[m->settled_count++].name || no_memory(p);
}

static bool leave_open(playing *p, const char *name)
{
    char *glob = tb_cell_choice_spell(name);
    bool added = glob && tb_string_list_add(&p->cells, glob, strlen(glob));
    free(glob);
    return added || no_memory(p);
}

/* Compares what there is, and parts the cells into settled and open ones. */
static bool look(playing *p)
{
    if (!compare(p))
        return false;
    tb_string_list_free(&p->cells);
    const tb_comparison *c = &p->match->comparison;
    for (size_t i = 0; i < c->cell_count; i++) {
        const tb_compared *cell = &c->cells[i];
        bool open = cell->judged.verdict == TB_UNSURE;
        if (!(open ? leave_open(p, cell->cell[TB_BASE]->name) : settle(p, cell)))
            return false;
    }
    p->looked_at = p->pairs;
    return true;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void tell(const playing *p)
{
    double left = p->match->budget - seconds_since(p->begin);
    if (!p->match->progress)
        return;
    fprintf(stderr, "\r\033[Kpair %zu", p->pairs + 1);
    if (p->pairs)
        fprintf(stderr, ", %zu of %zu cells open", p->cells.count, p->match->comparison.cell_count);
    fprintf(stderr, "  at most %d:%02d left", (int)left / 60, (int)left % 60);
    fflush(stderr);
}

/* A process of each, in turn the one and the other first: what drifts evenly is as much on one side as on the other. */
static bool run_pair(playing *p)
{
    int64_t begin = tb_stopwatch_ns();
    tb_sampling_task task = {.number = p->pairs, .cells = p->pairs ? &p->cells : p->match->cells};
    tell(p);
    for (size_t i = 0; i < TB_SIDES; i++)
        if (!tb_sampling_run(&p->match->side[(p->pairs + i) % 2 ? TB_NEW : TB_BASE], &task, p->error))
            return false;
    p->pairs++;
    p->pair_seconds = seconds_since(begin);
    return true;
}

static bool has_time(const playing *p)
{
    return p->pairs < p->match->most_processes && seconds_since(p->begin) + p->pair_seconds <= p->match->budget;
}

static bool play(playing *p)
{
    /* One pair tells no verdict, so looking costs nothing; but it tells at once when there is nothing to compare. */
    if (!run_pair(p) || !look(p))
        return false;
    while (p->cells.count > 0 && has_time(p)) {
        if (!run_pair(p))
            return false;
        if (p->pairs < tb_look_units(p->look))
            continue;
        if (!look(p))
            return false;
        p->look++;
    }
    return p->looked_at == p->pairs || look(p);
}

bool tb_ab_match_run(tb_ab_match *match, tb_error_text *error)
{
    playing p = {.match = match, .begin = tb_stopwatch_ns(), .look = 1, .error = error};
    bool done = play(&p);
    if (match->progress)
        fprintf(stderr, "\r\033[K");
    tb_string_list_free(&p.cells);
    return done;
}

void tb_ab_match_free(tb_ab_match *match)
{
    tb_comparison_free(&match->comparison);
    for (int side = 0; side < TB_SIDES; side++) {
        tb_result_free(&match->result[side]);
        tb_sampled_free(&match->side[side].sampled);
    }
    for (size_t i = 0; i < match->settled_count; i++)
        free(match->settled[i].name);
    free(match->settled);
}
