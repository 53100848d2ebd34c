#include "results/comparison.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What is under way. */
typedef struct comparing {
    tb_comparison *out;
    const tb_result_cell **sorted[TB_SIDES]; /* by name */
    size_t count[TB_SIDES];
    size_t in_both;
    char *error;
    size_t error_size;
} comparing;

__attribute__((format(printf, 2, 3))) static bool fail(comparing *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->error, c->error_size, format, args);
    va_end(args);
    return false;
}

static bool no_memory(comparing *c)
{
    return fail(c, "out of memory");
}

/* ---- differences of machine and build ---------------------------------------------------------------------------- */

enum { MACHINE, SETTING, ORIGIN };

static const struct {
    const char *label;
    int kind;
} facts[] = {
#define FACT(name, key, label, kind) {label, kind},
    TB_RESULT_FACTS(FACT)
#undef FACT
};

const char *tb_fact_label(tb_result_fact fact)
{
    return facts[fact].label;
}

static void find_differences(tb_comparison *out)
{
    for (int i = 0; i < TB_FACT_COUNT; i++) {
        const char *base = out->of[TB_BASE]->facts[i], *new_ = out->of[TB_NEW]->facts[i];
        if (facts[i].kind == ORIGIN || (!base && !new_) || (base && new_ && strcmp(base, new_) == 0))
            continue;
        bool machine = facts[i].kind == MACHINE;
        out->differences[out->difference_count++] = (tb_difference){(tb_result_fact)i, facts[i].label, {base, new_}, machine};
        out->other_machine |= machine && base && new_;
    }
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

static bool is_chosen(const tb_comparison_options *options, const char *name)
{
    for (size_t i = 0; i < options->glob_count; i++)
        if (fnmatch(options->globs[i], name, 0) == 0)
            return true;
    return options->glob_count == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const tb_result_cell *const *)a)->name, (*(const tb_result_cell *const *)b)->name);
}

static bool sort_cells(comparing *c, int side)
{
    const tb_result *result = c->out->of[side];
    c->sorted[side] = malloc(result->cell_count * sizeof *c->sorted[side]);
    if (!c->sorted[side])
        return no_memory(c);
    for (size_t i = 0; i < result->cell_count; i++)
        if (is_chosen(&c->out->options, result->cells[i].name))
            c->sorted[side][c->count[side]++] = &result->cells[i];
    qsort(c->sorted[side], c->count[side], sizeof *c->sorted[side], by_name);
    return true;
}

static bool check_globs(comparing *c)
{
    const tb_comparison_options *options = &c->out->options;
    for (size_t g = 0; g < options->glob_count; g++) {
        bool picks = false;
        for (int side = 0; side < TB_SIDES; side++)
            for (size_t i = 0; i < c->count[side]; i++)
                picks |= fnmatch(options->globs[g], c->sorted[side][i]->name, 0) == 0;
        if (!picks)
            return fail(c, "'%s' picks no cell of either file: expected a name such as '%s', or a glob", options->globs[g],
                        c->out->of[TB_BASE]->cells[0].name);
    }
    return true;
}

/* Files what both have under compared or uncompared, and what one has under uncompared. */
static void file_pair(comparing *c, const tb_result_cell *base, const tb_result_cell *new_)
{
    tb_comparison *out = c->out;
    tb_uncompared u = {.name = base ? base->name : new_->name, .unsettled = base != NULL};
    c->in_both += base && new_;
    if (!base || !new_) {
        u.reason = base ? "only in BASE" : "only in NEW";
    } else if (base->state == TB_RESULT_WRONG || new_->state == TB_RESULT_WRONG) {
        bool both = base->state == new_->state;
        u.reason = both ? "WRONG in both" : base->state == TB_RESULT_WRONG ? "WRONG in BASE" : "WRONG in NEW";
        u.detail = new_->state == TB_RESULT_WRONG ? new_->reason : base->reason;
    } else if (base->state == TB_RESULT_LEFT_OUT || new_->state == TB_RESULT_LEFT_OUT) {
        bool both = base->state == new_->state;
        u.reason = both ? "left out in both" : base->state == TB_RESULT_LEFT_OUT ? "left out in BASE" : "left out in NEW";
        u.detail = new_->state == TB_RESULT_LEFT_OUT ? new_->reason : base->reason;
        u.unsettled = !both;
    } else {
        out->cells[out->cell_count++] = (tb_compared){.cell = {base, new_}};
        return;
    }
    out->unsettled_count += u.unsettled;
    out->uncompared[out->uncompared_count++] = u;
}

static void match(comparing *c)
{
    size_t i = 0, j = 0;
    while (i < c->count[TB_BASE] || j < c->count[TB_NEW]) {
        const tb_result_cell *base = i < c->count[TB_BASE] ? c->sorted[TB_BASE][i] : NULL;
        const tb_result_cell *new_ = j < c->count[TB_NEW] ? c->sorted[TB_NEW][j] : NULL;
        int order = !base ? 1 : !new_ ? -1 : strcmp(base->name, new_->name);
        file_pair(c, order <= 0 ? base : NULL, order >= 0 ? new_ : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static bool by_repetitions(const tb_comparison *out, const tb_result_cell *cell)
{
    return out->options.repetitions && cell->process_count == 1 && !cell->aggregate;
}

/* One figure a unit. NULL: out of memory. */
static double *units_of(const tb_comparison *out, const tb_result_cell *cell, size_t *count)
{
    bool repetitions = by_repetitions(out, cell);
    *count = repetitions ? cell->processes[0].count : cell->process_count;
    double *units = malloc(*count * sizeof *units);
    if (units && repetitions)
        memcpy(units, cell->processes[0].ns, *count * sizeof *units);
    for (size_t i = 0; units && !repetitions && i < *count; i++) {
        const tb_result_process *p = &cell->processes[i];
        double *copy = malloc(p->count * sizeof *copy);
        if (!copy) {
            free(units);
            return NULL;
        }
        memcpy(copy, p->ns, p->count * sizeof *copy);
        units[i] = tb_median(copy, p->count);
        free(copy);
    }
    return units;
}

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): a cell's interval shall not depend on which others are compared. */
static uint64_t seed_of(const char *name, uint64_t seed)
{
    uint64_t hash = 0xcbf29ce484222325u ^ seed;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

static bool judge_cell(comparing *c, tb_compared *cell)
{
    const tb_comparison_options *options = &c->out->options;
    tb_judging how = options->how;
    size_t n = 0, m = 0;
    double *base = units_of(c->out, cell->cell[TB_BASE], &n), *new_ = units_of(c->out, cell->cell[TB_NEW], &m);
    double noise_floor = fmax(cell->cell[TB_BASE]->noise_floor, cell->cell[TB_NEW]->noise_floor);
    how.seed = seed_of(cell->cell[TB_BASE]->name, how.seed);
    bool done = base && new_ && tb_judge(&cell->judged, base, n, new_, m, noise_floor, &how);
    free(base);
    free(new_);
    return done || no_memory(c);
}

/* Why there are too few units, where the document's form is the reason. */
static void explain_form(tb_compared *cell, const tb_comparison *out)
{
    const tb_result_cell *base = cell->cell[TB_BASE], *new_ = cell->cell[TB_NEW];
    tb_judgement *j = &cell->judged;
    if (base->aggregate || new_->aggregate) {
        snprintf(j->reason, sizeof j->reason, "aggregates alone in %s: single repetitions are needed",
                 base->aggregate && new_->aggregate ? "both files" : base->aggregate ? "BASE" : "NEW");
    } else if (!out->options.repetitions && !out->options.repeated && base->process_count == 1 && new_->process_count == 1) {
        size_t n = base->processes[0].count, m = new_->processes[0].count;
        if (n == 1 || m == 1)
            snprintf(j->reason, sizeof j->reason, "a single time in %s: what it varies by is unknown",
                     n == 1 && m == 1 ? "both files" : n == 1 ? "BASE" : "NEW");
        else
            snprintf(j->reason, sizeof j->reason, "one process in each does not tell how much processes differ: at least %d are "
                     "needed, or --unit repetition", TB_FEWEST_UNITS);
    }
}

static void note_cell(tb_comparison *out, tb_compared *cell)
{
    tb_judgement *j = &cell->judged;
    double stolen = fmax(cell->cell[TB_BASE]->steal, cell->cell[TB_NEW]->steal);
    if (j->units[0] < TB_FEWEST_UNITS || j->units[1] < TB_FEWEST_UNITS)
        explain_form(cell, out);
    if (stolen >= TB_STEAL_WORTH_TELLING) { /* false of NAN */
        out->stolen_count++;
        out->most_stolen = fmax(out->most_stolen, stolen);
    }
    out->unknown_floors += isnan(j->noise_floor) ? 1 : 0;
    out->by_repetitions += by_repetitions(out, cell->cell[TB_BASE]) || by_repetitions(out, cell->cell[TB_NEW]);
    out->verdicts[j->verdict]++;
}

static int by_weight(const void *a, const void *b)
{
    const tb_compared *x = a, *y = b;
    if (x->judged.verdict != y->judged.verdict)
        return (x->judged.verdict > y->judged.verdict) - (x->judged.verdict < y->judged.verdict);
    double p = fabs(log(x->judged.ratio)), q = fabs(log(y->judged.ratio));
    if (x->judged.verdict != TB_SAME && p != q)
        return (p < q) - (p > q);
    return strcmp(x->cell[TB_BASE]->name, y->cell[TB_BASE]->name);
}

static int by_urgency(const void *a, const void *b)
{
    const tb_uncompared *x = a, *y = b;
    int order = y->unsettled - x->unsettled;
    return order ? order : strcmp(x->name, y->name);
}

/* What an earlier look has decided, this one must not undo: its error has been spent. */
static const tb_judgement *settled_of(const tb_comparison_options *options, const char *name)
{
    for (size_t i = 0; i < options->settled_count; i++)
        if (strcmp(options->settled[i].name, name) == 0)
            return &options->settled[i].judged;
    return NULL;
}

static bool judge_all(comparing *c)
{
    tb_comparison *out = c->out;
    tb_judgement *judged = malloc(out->cell_count * sizeof *judged);
    bool done = judged != NULL || no_memory(c);
    for (size_t i = 0; done && i < out->cell_count; i++) {
        done = judge_cell(c, &out->cells[i]);
        judged[i] = out->cells[i].judged;
    }
    if (done && !tb_decide(judged, out->cell_count, &out->options.how))
        done = no_memory(c);
    for (size_t i = 0; done && i < out->cell_count; i++) {
        const tb_judgement *settled = settled_of(&out->options, out->cells[i].cell[TB_BASE]->name);
        out->cells[i].judged = settled ? *settled : judged[i];
        note_cell(out, &out->cells[i]);
    }
    free(judged);
    if (done) {
        qsort(out->cells, out->cell_count, sizeof *out->cells, by_weight);
        qsort(out->uncompared, out->uncompared_count, sizeof *out->uncompared, by_urgency);
    }
    return done;
}

/* No pair is left to judge: says of one cell why. */
static bool fail_empty(comparing *c)
{
    const tb_comparison *out = c->out;
    const tb_uncompared *u = out->uncompared;
    if (c->in_both == 0)
        return fail(c, "no cell is in both files: '%s' is only in %s, expected the same names", u->name,
                    strcmp(u->reason, "only in BASE") == 0 ? out->of[TB_BASE]->path : out->of[TB_NEW]->path);
    while (strncmp(u->reason, "only", 4) == 0)
        u++;
    return fail(c, "no cell was measured in both files: '%s' is %s", u->name, u->reason);
}

static bool compare(comparing *c)
{
    tb_comparison *out = c->out;
    if (!sort_cells(c, TB_BASE) || !sort_cells(c, TB_NEW) || !check_globs(c))
        return false;
    size_t most = c->count[TB_BASE] + c->count[TB_NEW];
    out->cells = calloc(most, sizeof *out->cells);
    out->uncompared = calloc(most, sizeof *out->uncompared);
    if (!out->cells || !out->uncompared)
        return no_memory(c);
    match(c);
    if (out->cell_count == 0)
        return fail_empty(c);
    find_differences(out);
    return judge_all(c);
}

bool tb_compare(const tb_result *base, const tb_result *new_, const tb_comparison_options *options, tb_comparison *out,
                char *error, size_t size)
{
    comparing c = {.out = out, .error = error, .error_size = size};
    *out = (tb_comparison){.of = {base, new_}, .options = *options};
    if (options->repetitions)
        out->options.how.units = "figures";
    bool done = compare(&c);
    free(c.sorted[TB_BASE]);
    free(c.sorted[TB_NEW]);
    if (!done)
        tb_comparison_free(out);
    return done;
}

void tb_comparison_free(tb_comparison *comparison)
{
    free(comparison->cells);
    free(comparison->uncompared);
    *comparison = (tb_comparison){0};
}

bool tb_comparison_is_sure(const tb_comparison *comparison)
{
    return comparison->verdicts[TB_UNSURE] == 0 && comparison->unsettled_count == 0;
}
