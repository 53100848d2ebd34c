/* comparison_json.c: a comparison as JSON; docs/compare.md describes it. */
#include "results/comparison.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

enum { VERSION = 1 };

/* Null for what is unknown: JSON has no NaN. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
    return value ? json_string(value) : json_null();
}

static json_t *describe_file(const tb_result *result)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "file", result->path, "version", text(result->facts[TB_FACT_VERSION]), "revision",
                     text(result->facts[TB_FACT_REVISION]), "date", text(result->facts[TB_FACT_DATE]));
}

/* The list, or NULL when one of its members is. */
static json_t *checked(json_t *list, bool complete)
{
    if (complete)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *describe_differences(const tb_comparison *comparison)
{
    json_t *list = json_array();
    bool complete = list != NULL;
    for (size_t i = 0; complete && i < comparison->difference_count; i++) {
        const tb_difference *d = &comparison->differences[i];
        complete = json_array_append_new(list, json_pack("{s:s, s:b, s:o, s:o}", "what", d->label, "machine", d->machine, "base",
                                                         text(d->told[TB_BASE]), "new", text(d->told[TB_NEW]))) == 0;
    }
    return checked(list, complete);
}

static json_t *describe_side(const tb_compared *cell, int side)
{
    const tb_result_cell *of = cell->cell[side];
    size_t repetitions = 0;
    for (size_t i = 0; i < of->process_count; i++)
        repetitions += of->processes[i].count;
    return json_pack("{s:o, s:I, s:I, s:I, s:o}", "ns", number(cell->judged.median[side]), "units",
                     (json_int_t)cell->judged.units[side], "processes", (json_int_t)of->process_count, "repetitions",
                     (json_int_t)repetitions, "steal", number(of->steal));
}

static json_t *describe_cell(const tb_compared *cell)
{
    const tb_judgement *j = &cell->judged;
    json_t *interval = isnan(j->interval.low) ? json_null() : json_pack("[f, f]", j->interval.low, j->interval.high);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o}", "name", cell->cell[TB_BASE]->name, "verdict",
                     tb_verdict_name(j->verdict), "reason", text(j->reason[0] ? j->reason : NULL), "base",
                     describe_side(cell, TB_BASE), "new", describe_side(cell, TB_NEW), "ratio", number(j->ratio), "interval",
                     interval, "level", j->level, "p", number(j->p), "p_corrected", number(j->p_corrected), "noise_floor", number(j->noise_floor),
                     "limit", number(j->limit));
}

static json_t *describe_cells(const tb_comparison *comparison)
{
    json_t *list = json_array();
    bool complete = list != NULL;
    for (size_t i = 0; complete && i < comparison->cell_count; i++)
        complete = json_array_append_new(list, describe_cell(&comparison->cells[i])) == 0;
    return checked(list, complete);
}

static json_t *describe_uncompared(const tb_comparison *comparison)
{
    json_t *list = json_array();
    bool complete = list != NULL;
    for (size_t i = 0; complete && i < comparison->uncompared_count; i++) {
        const tb_uncompared *u = &comparison->uncompared[i];
        complete = json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:b}", "name", u->name, "reason", u->reason, "detail",
                                                         text(u->detail), "unsettled", u->unsettled)) == 0;
    }
    return checked(list, complete);
}

static json_t *describe_settings(const tb_comparison_options *options)
{
    const tb_judging *how = &options->how;
    return json_pack("{s:f, s:f, s:f, s:I, s:I, s:s, s:b, s:b}", "threshold", how->threshold, "level", how->level, "significance",
                     how->significance, "resamples", (json_int_t)how->resamples, "seed", (json_int_t)how->seed, "unit",
                     options->repetitions ? "repetition" : "process", "strict", options->strict, "repeated", options->repeated);
}

static json_t *describe_summary(const tb_comparison *comparison)
{
    const size_t *count = comparison->verdicts;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "slower", (json_int_t)count[TB_SLOWER], "faster",
                     (json_int_t)count[TB_FASTER], "unsure", (json_int_t)count[TB_UNSURE], "same", (json_int_t)count[TB_SAME],
                     "not_compared", (json_int_t)comparison->uncompared_count, "unsettled",
                     (json_int_t)comparison->unsettled_count);
}

/* The dump goes to memory first, so that a report is whole or not begun. Failures are noted here: jansson (2.14) itself passes
   over one in an object's key. */
typedef struct sink {
    FILE *stream;
    bool failed;
} sink;

static int append(const char *part, size_t size, void *to)
{
    sink *s = to;
    s->failed |= fwrite(part, 1, size, s->stream) != size;
    return s->failed ? -1 : 0;
}

static char *dump(const json_t *root)
{
    char *printed = NULL;
    size_t size = 0;
    sink s = {open_memstream(&printed, &size), false};
    if (!s.stream)
        return NULL;
    bool done = json_dump_callback(root, append, &s, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 && !s.failed;
    if (fclose(s.stream) == 0 && done)
        return printed;
    free(printed);
    return NULL;
}

bool tb_comparison_print_json(const tb_comparison *comparison, FILE *out)
{
    json_t *root = json_pack("{s:s, s:i, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "format", "timerbench-compare", "version",
                             VERSION, "base", describe_file(comparison->of[TB_BASE]), "new",
                             describe_file(comparison->of[TB_NEW]), "differences", describe_differences(comparison),
                             "other_machine", comparison->other_machine, "settings", describe_settings(&comparison->options),
                             "cells", describe_cells(comparison), "not_compared", describe_uncompared(comparison), "summary",
                             describe_summary(comparison));
    char *printed = root ? dump(root) : NULL;
    json_decref(root);
    if (!printed)
        return false;
    fprintf(out, "%s\n", printed); /* a write error stays in the stream's state */
    free(printed);
    return true;
}
