/* result_cells.c: the cells of our own documents (docs/results.md). */
#include "results/result_parts.h"

#include <string.h>

enum { NEWEST_SCHEMA = 2 };

/* One process's figures. A process that came to none, for want of time, says nothing. */
static bool read_process(tb_result_reader *reader, tb_result_cell *cell, const json_t *figures)
{
    size_t count = json_array_size(figures);
    if (!json_is_array(figures))
        return tb_result_fail(reader, "cell '%s': expected a list of times for each process", cell->name);
    if (count == 0)
        return true;
    double *ns = tb_result_add_process(reader, cell, count);
    if (!ns)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *figure = json_array_get(figures, i);
        if (!json_is_number(figure))
            return tb_result_fail(reader, "cell '%s': a time that is no number", cell->name);
        ns[i] = json_number_value(figure);
        if (!tb_result_check_time(reader, cell->name, ns[i]))
            return false;
    }
    return true;
}

/* "samples" has a list for each process; "ns" is that of a single one. */
static bool read_samples(tb_result_reader *reader, tb_result_cell *cell, const json_t *object)
{
    const json_t *samples = json_object_get(object, "samples"), *ns = json_object_get(object, "ns");
    if (samples && !json_is_array(samples))
        return tb_result_fail(reader, "cell '%s': 'samples' is no list", cell->name);
    if (samples) {
        for (size_t i = 0; i < json_array_size(samples); i++)
            if (!read_process(reader, cell, json_array_get(samples, i)))
                return false;
    } else if (ns && !read_process(reader, cell, ns)) {
        return false;
    }
    if (cell->process_count == 0)
        return tb_result_fail(reader, "cell '%s' was measured, but has no times", cell->name);
    return true;
}

/* A share that may be absent: *out stays as it is. */
static bool read_share(tb_result_reader *reader, const tb_result_cell *cell, const json_t *object, const char *name, double *out)
{
    const json_t *value = json_object_get(object, name);
    if (!value || json_is_null(value))
        return true;
    if (!json_is_number(value) || json_number_value(value) < 0)
        return tb_result_fail(reader, "cell '%s': '%s': expected a number, 0 or more", cell->name, name);
    *out = json_number_value(value);
    return true;
}

static bool read_cell(tb_result_reader *reader, const json_t *object, size_t index)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    const char *state = json_string_value(json_object_get(object, "state"));
    const char *reason = json_string_value(json_object_get(object, "reason"));
    if (!name || !*name)
        return tb_result_fail(reader, "timerbench.cells[%zu] has no name", index);
    tb_result_cell *cell = tb_result_add_cell(reader, name);
    if (!cell)
        return false;
    if (state && strcmp(state, "left out") == 0)
        return tb_result_set_state(reader, cell, TB_RESULT_LEFT_OUT, reason);
    if (state && strcmp(state, "wrong") == 0)
        return tb_result_set_state(reader, cell, TB_RESULT_WRONG, reason);
    return read_samples(reader, cell, object) && read_share(reader, cell, object, "noise_floor", &cell->noise_floor) &&
           read_share(reader, cell, object, "steal", &cell->steal);
}

bool tb_result_read_cells(tb_result_reader *reader, const json_t *part)
{
    const json_t *schema = json_object_get(part, "schema"), *cells = json_object_get(part, "cells");
    if (!json_is_integer(schema) || json_integer_value(schema) < 1)
        return tb_result_fail(reader, "timerbench.schema: expected a whole number");
    if (json_integer_value(schema) > NEWEST_SCHEMA)
        return tb_result_fail(reader, "schema %lld, of a later timerbench: expected at most %d",
                              (long long)json_integer_value(schema), NEWEST_SCHEMA);
    if (!json_is_array(cells))
        return tb_result_fail(reader, "timerbench.cells: expected a list");
    for (size_t i = 0; i < json_array_size(cells); i++)
        if (!read_cell(reader, json_array_get(cells, i), i))
            return false;
    return true;
}
