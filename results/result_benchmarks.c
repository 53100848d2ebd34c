/* result_benchmarks.c: the entries of Google Benchmark's JSON, of 1.4 (which had no run_type) to 1.8. */
#include "results/result_parts.h"

#include <stdlib.h>
#include <string.h>

/* One entry of the list. */
typedef struct entry {
    const json_t *object;
    size_t index;
    char *name;            /* of the benchmark: without what an aggregate appends */
    const char *aggregate; /* "median" ...; NULL: a repetition */
} entry;

static const char *text_of(const json_t *object, const char *member)
{
    return json_string_value(json_object_get(object, member));
}

/* What 1.4 appended to the names of aggregates, which nothing else told. */
static const char *aggregate_by_name(const char *name)
{
    static const char *const known[] = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
    const char *end = strrchr(name, '_');
    for (size_t i = 0; end && i < sizeof known / sizeof *known; i++)
        if (strcmp(end + 1, known[i]) == 0)
            return known[i];
    return NULL;
}

static bool read_entry(tb_result_reader *reader, const json_t *object, size_t index, entry *out)
{
    const char *name = text_of(object, "name"), *run_name = text_of(object, "run_name"), *type = text_of(object, "run_type");
    if (!name || !*name)
        return tb_result_fail(reader, "benchmarks[%zu] has no name", index);
    *out = (entry){.object = object, .index = index};
    if (!type)
        out->aggregate = aggregate_by_name(name);
    else if (strcmp(type, "aggregate") == 0)
        out->aggregate = text_of(object, "aggregate_name") ? text_of(object, "aggregate_name") : "";
    out->name = strdup(run_name && *run_name ? run_name : name);
    if (!out->name)
        return tb_result_no_memory(reader);
    size_t length = strlen(out->name), end = out->aggregate ? strlen(out->aggregate) : 0;
    if (out->aggregate && !run_name && length > end + 1 && out->name[length - end - 1] == '_' &&
        strcmp(out->name + length - end, out->aggregate) == 0)
        out->name[length - end - 1] = '\0';
    return true;
}

/* ---- one benchmark ----------------------------------------------------------------------------------------------- */

static bool read_time(tb_result_reader *reader, const entry *e, double *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const json_t *time = json_object_get(e->object, "real_time");
    const char *unit = text_of(e->object, "time_unit");
    if (!json_is_number(time))
        return tb_result_fail(reader, "'%s' has no real_time: expected a number", e->name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit ? unit : "ns", units[i].name) == 0) {
            *ns = json_number_value(time) * units[i].ns;
            return tb_result_check_time(reader, e->name, *ns);
        }
    }
    return tb_result_fail(reader, "'%s': time_unit '%s': expected ns, us, ms or s", e->name, unit);
}

/* Whether two entries of one name are of two benchmarks. */
static bool is_another(const entry *a, const entry *b)
{
    static const char *const members[] = {"family_index", "per_family_instance_index"};
    for (int i = 0; i < 2; i++) {
        const json_t *x = json_object_get(a->object, members[i]), *y = json_object_get(b->object, members[i]);
        if (json_is_integer(x) && json_is_integer(y) && json_integer_value(x) != json_integer_value(y))
            return true;
    }
    return false;
}

static int by_number(const void *a, const void *b)
{
    json_int_t x = *(const json_int_t *)a, y = *(const json_int_t *)b;
    return (x > y) - (x < y);
}

/* Each repetition is there once, where they are numbered. */
static bool check_repetitions(tb_result_reader *reader, const entry *entries, size_t count)
{
    json_int_t *numbers = malloc(count * sizeof *numbers);
    size_t found = 0;
    if (!numbers)
        return tb_result_no_memory(reader);
    bool twice = false;
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_object_get(entries[i].object, "repetition_index");
        if (json_is_integer(number))
            numbers[found++] = json_integer_value(number);
        twice |= is_another(&entries[0], &entries[i]);
    }
    qsort(numbers, found, sizeof *numbers, by_number);
    for (size_t i = 1; i < found; i++)
        twice |= numbers[i - 1] == numbers[i];
    free(numbers);
    return !twice || tb_result_fail(reader, "the name '%s' is there twice: expected each once", entries[0].name);
}

static bool read_repetitions(tb_result_reader *reader, tb_result_cell *cell, const entry *entries, size_t count)
{
    if (!check_repetitions(reader, entries, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (json_is_true(json_object_get(entries[i].object, "error_occurred")))
            return tb_result_set_state(reader, cell, TB_RESULT_WRONG, text_of(entries[i].object, "error_message"));
        if (json_is_true(json_object_get(entries[i].object, "skipped")))
            return tb_result_set_state(reader, cell, TB_RESULT_LEFT_OUT, text_of(entries[i].object, "skip_message"));
    }
    double *ns = tb_result_add_process(reader, cell, count);
    bool done = ns != NULL;
    for (size_t i = 0; done && i < count; i++)
        done = read_time(reader, &entries[i], &ns[i]);
    return done;
}

/* The median that the library worked out, or else the mean. */
static const entry *best_aggregate(const entry *entries, size_t count)
{
    const entry *mean = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].aggregate, "median") == 0)
            return &entries[i];
        if (strcmp(entries[i].aggregate, "mean") == 0)
            mean = &entries[i];
    }
    return mean;
}

/* entries: of one name, repetitions before aggregates. */
static bool read_benchmark(tb_result_reader *reader, const entry *entries, size_t count)
{
    size_t repetitions = 0;
    while (repetitions < count && !entries[repetitions].aggregate)
        repetitions++;
    const entry *aggregate = repetitions ? NULL : best_aggregate(entries, count);
    if (!repetitions && !aggregate)
        return true; /* the complexity of a family */
    tb_result_cell *cell = tb_result_add_cell(reader, entries[0].name);
    if (!cell)
        return false;
    if (repetitions)
        return read_repetitions(reader, cell, entries, repetitions);
    double *ns = tb_result_add_process(reader, cell, 1);
    cell->aggregate = true;
    return ns && read_time(reader, aggregate, ns);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->aggregate != NULL) - (y->aggregate != NULL);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Where the names of a group begin, and how many they are: so that groups can be read in the order of the document. */
typedef struct group {
    size_t first, count, index;
} group;

static int by_index(const void *a, const void *b)
{
    const group *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

static bool read_groups(tb_result_reader *reader, entry *entries, size_t count)
{
    group *groups = malloc(count * sizeof *groups);
    size_t found = 0;
    if (!groups)
        return tb_result_no_memory(reader);
    qsort(entries, count, sizeof *entries, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(entries[i - 1].name, entries[i].name) != 0)
            groups[found++] = (group){i, 0, entries[i].index};
        groups[found - 1].count++;
    }
    qsort(groups, found, sizeof *groups, by_index);
    bool done = true;
    for (size_t i = 0; done && i < found; i++)
        done = read_benchmark(reader, entries + groups[i].first, groups[i].count);
    free(groups);
    return done;
}

bool tb_result_read_benchmarks(tb_result_reader *reader, const json_t *benchmarks)
{
    size_t count = json_array_size(benchmarks), read = 0;
    if (count == 0)
        return true;
    entry *entries = calloc(count, sizeof *entries);
    if (!entries)
        return tb_result_no_memory(reader);
    bool done = true;
    while (done && read < count) {
        done = read_entry(reader, json_array_get(benchmarks, read), read, &entries[read]);
        read++;
    }
    done = done && read_groups(reader, entries, count);
    for (size_t i = 0; i < read; i++)
        free(entries[i].name);
    free(entries);
    return done;
}
