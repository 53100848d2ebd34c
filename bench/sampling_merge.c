/* sampling_merge.c: from the documents of many processes to the figures of each cell, and to one document. */
#include "bench/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/noise_floor.h"
#include "results/result.h"
#include "results/samples.h"
#include "results/verdict.h"

enum { SCHEMA = 2 }; /* docs/results.md */

/* ---- adding a document ------------------------------------------------------------------------------------------- */

/* `likely`: where it is if the processes measured the same cells. NULL: out of memory. */
static tb_sampled_cell *find_or_add(tb_sampled *s, const char *name, size_t likely)
{
    if (likely < s->count && strcmp(s->cells[likely].name, name) == 0)
        return &s->cells[likely];
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->cells[i].name, name) == 0)
            return &s->cells[i];
    tb_sampled_cell *grown = realloc(s->cells, (s->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    s->cells = grown;
    tb_sampled_cell *cell = &grown[s->count];
    *cell = (tb_sampled_cell){.name = strdup(name), .width = INFINITY, .noise_floor = NAN, .said = json_array(),
                              .entries = json_array()};
    s->count++; /* from here on it is freed with the others */
    return cell->name && cell->said && cell->entries ? cell : NULL;
}

static bool add_unit(tb_sampled_cell *cell, const tb_result_process *process, double seconds)
{
    double *grown = realloc(cell->units, (cell->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    cell->units = grown;
    grown[cell->count] = tb_median(process->ns, process->count); /* sorts the reader's copy */
    cell->count++;
    cell->seconds += (seconds - cell->seconds) / (double)cell->count;
    return true;
}

/* Marks a copy of `object` with the process and puts it into `list`. */
static bool keep(json_t *list, const json_t *object, size_t process)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)object);
    if (!copy || json_object_set_new(copy, "process", json_integer((json_int_t)process)) != 0) {
        json_decref(copy);
        return false;
    }
    return json_array_append_new(list, copy) == 0;
}

/* Google Benchmark's entries go to their cells. Its aggregates are of one process: they are left behind. */
static bool keep_entries(tb_sampled *s, const json_t *benchmarks, size_t process)
{
    size_t i, likely = 0;
    const json_t *entry;
    json_array_foreach(benchmarks, i, entry) {
        const char *name = json_string_value(json_object_get(entry, "run_name"));
        const char *type = json_string_value(json_object_get(entry, "run_type"));
        if (!name || (type && strcmp(type, "iteration") != 0))
            continue;
        size_t at = likely;
        if (at >= s->count || strcmp(s->cells[at].name, name) != 0)
            for (at = 0; at < s->count && strcmp(s->cells[at].name, name) != 0;)
                at++;
        if (at < s->count && !keep(s->cells[at].entries, entry, process))
            return false;
        likely = at;
    }
    return true;
}

static bool add_cells(tb_sampled *s, const tb_result *result, const json_t *document)
{
    const json_t *cells = json_object_get(json_object_get(document, "timerbench"), "cells");
    for (size_t i = 0; i < result->cell_count; i++) { /* the reader keeps the order */
        const tb_result_cell *read = &result->cells[i];
        const json_t *object = json_array_get(cells, i);
        tb_sampled_cell *cell = find_or_add(s, json_string_value(json_object_get(object, "name")), i);
        if (!cell || !keep(cell->said, object, s->process_count))
            return false;
        cell->wrong |= read->state == TB_RESULT_WRONG;
        if (read->process_count && !add_unit(cell, &read->processes[0], json_number_value(json_object_get(object, "seconds"))))
            return false;
    }
    return keep_entries(s, json_object_get(document, "benchmarks"), s->process_count);
}

bool tb_sampled_add(tb_sampled *s, const tb_sampled_process *process, json_t *document, const char *name, tb_error_text *error)
{
    tb_result result;
    if (!tb_result_from_json(document, name, &result, error->text, sizeof error->text))
        return false;
    bool several = false, done = json_is_object(json_object_get(document, "timerbench"));
    for (size_t i = 0; i < result.cell_count; i++)
        several |= result.cells[i].process_count > 1;
    tb_sampled_process *grown = realloc(s->processes, (s->process_count + 1) * sizeof *grown);
    if (grown)
        s->processes = grown;
    if (!done) {
        tb_error_set(error, "%s: a result without the part \"timerbench\": expected what `timerbench run` writes", name);
    } else if (several) {
        tb_error_set(error, "%s: several processes in its result: expected one, as --processes 1 asks", name);
        done = false;
    } else if (!grown || !add_cells(s, &result, document)) {
        tb_error_no_memory(error);
        done = false;
    } else {
        grown[s->process_count++] = *process;
        if (!s->first)
            s->first = json_incref(document);
    }
    tb_result_free(&result);
    return done;
}

void tb_sampled_free(tb_sampled *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->cells[i].name);
        free(s->cells[i].units);
        json_decref(s->cells[i].said);
        json_decref(s->cells[i].entries);
    }
    free(s->cells);
    free(s->processes);
    json_decref(s->first);
    *s = (tb_sampled){0};
}

/* ---- assessing --------------------------------------------------------------------------------------------------- */

static bool assess(tb_sampled_cell *cell, uint64_t seed)
{
    enum { RESAMPLES = 2000 };
    cell->width = INFINITY;
    if (!tb_noise_floor(cell->units, cell->count, seed, &cell->noise_floor))
        return false;
    if (cell->count < TB_FEWEST_UNITS)
        return true;
    double *copy = malloc(cell->count * sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, cell->units, cell->count * sizeof *copy);
    tb_interval i = tb_bootstrap_median(copy, cell->count, 0.95, RESAMPLES, seed);
    double median = tb_median(copy, cell->count);
    free(copy);
    if (isnan(i.low))
        return false;
    cell->width = fmax(i.high - median, median - i.low) / median;
    return true;
}

bool tb_sampled_assess(tb_sampled *s, uint64_t seed)
{
    for (size_t i = 0; i < s->count; i++)
        if (!assess(&s->cells[i], seed))
            return false;
    return true;
}

bool tb_sampled_is_unsure(const tb_sampled_cell *cell)
{
    return !cell->wrong && cell->count > 0 && cell->width > TB_WIDE;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

/* The median of a member over the processes that tell it. */
static bool set_median(json_t *object, const json_t *said, const char *member)
{
    size_t count = 0, i, n = json_array_size(said);
    const json_t *one;
    double *values = malloc((n ? n : 1) * sizeof *values);
    if (!values)
        return false;
    json_array_foreach(said, i, one)
        if (json_is_number(json_object_get(one, member)))
            values[count++] = json_number_value(json_object_get(one, member));
    bool done = count == 0 || json_object_set_new(object, member, json_real(tb_median(values, count))) == 0;
    free(values);
    return done;
}

/* The mean, each process weighted by how long it took. */
static bool set_steal(json_t *object, const json_t *said)
{
    double stolen = 0, all = 0;
    size_t i;
    const json_t *one;
    json_array_foreach(said, i, one) {
        const json_t *steal = json_object_get(one, "steal");
        double seconds = json_number_value(json_object_get(one, "seconds"));
        if (!json_is_number(steal))
            continue;
        stolen += json_number_value(steal) * seconds;
        all += seconds;
    }
    return all <= 0 || json_object_set_new(object, "steal", json_real(stolen / all)) == 0;
}

/* A list for each process of the run; empty where it did not measure the cell. */
static bool set_samples(json_t *object, const json_t *said, size_t processes)
{
    json_t *samples = json_array();
    const json_t *one;
    size_t i;
    bool done = samples != NULL;
    for (size_t p = 0; done && p < processes; p++)
        done = json_array_append_new(samples, json_array()) == 0;
    json_array_foreach(said, i, one) {
        size_t p = (size_t)json_integer_value(json_object_get(one, "process"));
        const json_t *own = json_object_get(one, "samples");
        json_t *figures = own ? json_array_get(own, 0) : json_object_get(one, "ns"); /* schema 2, or 1 */
        done = done && (!json_is_array(figures) || json_array_set(samples, p, figures) == 0);
    }
    if (done)
        return json_object_set_new(object, "samples", samples) == 0;
    json_decref(samples);
    return false;
}

/* What a process said of the cell that speaks for all: that it is wrong, else the first to have measured it. */
static const json_t *spokesman(const tb_sampled_cell *cell)
{
    const char *wanted = cell->wrong ? "wrong" : cell->count ? "measured" : "left out";
    const json_t *one;
    size_t i;
    json_array_foreach(cell->said, i, one) {
        const char *state = json_string_value(json_object_get(one, "state"));
        if (state && strcmp(state, wanted) == 0)
            return one;
    }
    return json_array_get(cell->said, 0);
}

static json_t *describe(const tb_sampled_cell *cell, size_t processes)
{
    static const char *const medians[] = {"bytes_per_timer", "idle_calls_per_fired", "p50_ns", "p99_ns", "p999_ns", "worst_ns"};
    json_t *object = json_copy((json_t *)(uintptr_t)spokesman(cell));
    bool done = object && set_samples(object, cell->said, processes) && set_steal(object, cell->said);
    for (size_t i = 0; done && i < sizeof medians / sizeof *medians; i++)
        done = set_median(object, cell->said, medians[i]);
    json_object_del(object, "process");
    json_object_del(object, "ns");
    if (done && cell->count)
        done = json_object_set_new(object, "seconds", json_real(cell->seconds)) == 0 &&
               (isnan(cell->noise_floor) || json_object_set_new(object, "noise_floor", json_real(cell->noise_floor)) == 0) &&
               json_object_set_new(object, "unsure", json_boolean(tb_sampled_is_unsure(cell))) == 0;
    if (done)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *describe_process(const tb_sampled_process *p)
{
    json_t *object = json_pack("{sI si sf si}", "seed", (json_int_t)p->seed, "environment_bytes", (int)p->padding, "seconds",
                               p->seconds, "cells", (int)p->cells);
    if (object && p->steal >= 0)
        json_object_set_new(object, "steal", json_real(p->steal));
    return object;
}

/* The entries of all processes, numbered through. */
static bool add_entries(json_t *benchmarks, const tb_sampled_cell *cell, size_t family)
{
    size_t i, count = json_array_size(cell->entries);
    const json_t *entry;
    json_array_foreach(cell->entries, i, entry) {
        json_t *copy = json_copy((json_t *)(uintptr_t)entry);
        if (json_object_set_new(copy, "family_index", json_integer((json_int_t)family)) != 0 ||
            json_object_set_new(copy, "per_family_instance_index", json_integer(0)) != 0 ||
            json_object_set_new(copy, "repetitions", json_integer((json_int_t)count)) != 0 ||
            json_object_set_new(copy, "repetition_index", json_integer((json_int_t)i)) != 0) {
            json_decref(copy);
            return false;
        }
        if (json_array_append_new(benchmarks, copy) != 0)
            return false;
    }
    return true;
}

/* Our part, and the other two filled along. */
static bool compose(const tb_sampled *s, json_t *context, json_t *benchmarks, json_t *part)
{
    json_t *cells = json_object_get(part, "cells"), *processes = json_object_get(part, "processes");
    json_t *left_out = json_array();
    if (json_object_set_new(context, "left_out", left_out) != 0)
        return false;
    for (size_t i = 0; i < s->process_count; i++)
        if (json_array_append_new(processes, describe_process(&s->processes[i])) != 0)
            return false;
    for (size_t i = 0; i < s->count; i++) {
        const tb_sampled_cell *cell = &s->cells[i];
        json_t *object = describe(cell, s->process_count);
        const char *reason = json_string_value(json_object_get(object, "reason"));
        if (json_array_append_new(cells, object) != 0 || !add_entries(benchmarks, cell, i))
            return false;
        if (!cell->wrong && !cell->count &&
            json_array_append_new(left_out, json_sprintf("%s: %s", cell->name, reason ? reason : "not told")) != 0)
            return false;
    }
    return true;
}

json_t *tb_sampled_document(const tb_sampled *s, uint64_t seed, double budget)
{
    json_t *repetitions = json_object_get(json_object_get(s->first, "timerbench"), "repetitions");
    json_t *context = json_copy(json_object_get(s->first, "context"));
    json_t *document = json_pack("{so? s[] s{si sI sO? s[] s[]}}", "context", context ? context : json_object(), "benchmarks",
                                 "timerbench", "schema", SCHEMA, "seed", (json_int_t)seed, "repetitions", repetitions,
                                 "processes", "cells");
    json_t *part = json_object_get(document, "timerbench");
    if (part && budget > 0)
        json_object_set_new(part, "budget", json_real(budget));
    if (document && compose(s, json_object_get(document, "context"), json_object_get(document, "benchmarks"), part))
        return document;
    json_decref(document);
    return NULL;
}
