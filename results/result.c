#include "results/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/plain_text.h"
#include "results/result_parts.h"

bool tb_result_fail(tb_result_reader *reader, const char *format, ...)
{
    va_list args;
    int used = snprintf(reader->error, reader->error_size, "%s: ", reader->path);
    if (used >= 0 && (size_t)used < reader->error_size) {
        va_start(args, format);
        vsnprintf(reader->error + used, reader->error_size - (size_t)used, format, args);
        va_end(args);
    }
    return false;
}

bool tb_result_no_memory(tb_result_reader *reader)
{
    return tb_result_fail(reader, "out of memory");
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

tb_result_cell *tb_result_add_cell(tb_result_reader *reader, const char *name)
{
    tb_result *out = reader->out;
    if ((out->cell_count & (out->cell_count - 1)) == 0) { /* room for a power of two */
        tb_result_cell *grown = realloc(out->cells, (out->cell_count ? out->cell_count * 2 : 1) * sizeof *grown);
        if (!grown) {
            tb_result_no_memory(reader);
            return NULL;
        }
        out->cells = grown;
    }
    tb_result_cell *cell = &out->cells[out->cell_count];
    *cell = (tb_result_cell){.name = tb_plain_copy(name), .noise_floor = NAN, .steal = NAN};
    if (!cell->name) {
        tb_result_no_memory(reader);
        return NULL;
    }
    out->cell_count++;
    return cell;
}

double *tb_result_add_process(tb_result_reader *reader, tb_result_cell *cell, size_t count)
{
    tb_result_process *grown = realloc(cell->processes, (cell->process_count + 1) * sizeof *grown);
    if (grown) {
        cell->processes = grown;
        grown += cell->process_count;
        *grown = (tb_result_process){malloc(count * sizeof *grown->ns), count};
    }
    if (!grown || !grown->ns) {
        tb_result_no_memory(reader);
        return NULL;
    }
    cell->process_count++;
    return grown->ns;
}

bool tb_result_check_time(tb_result_reader *reader, const char *name, double ns)
{
    if (isfinite(ns) && ns > 0)
        return true;
    return tb_result_fail(reader, "'%s' took %g ns: expected times greater than 0", name, ns);
}

bool tb_result_set_state(tb_result_reader *reader, tb_result_cell *cell, tb_result_state state, const char *reason)
{
    cell->state = state;
    if (!reason || !*reason)
        return true;
    free(cell->reason);
    cell->reason = tb_plain_copy(reason);
    return cell->reason || tb_result_no_memory(reader);
}

static void clear_cell(tb_result_cell *cell)
{
    for (size_t i = 0; i < cell->process_count; i++)
        free(cell->processes[i].ns);
    free(cell->processes);
    free(cell->name);
    free(cell->reason);
}

void tb_result_free(tb_result *result)
{
    for (size_t i = 0; i < result->cell_count; i++)
        clear_cell(&result->cells[i]);
    free(result->cells);
    for (int i = 0; i < TB_FACT_COUNT; i++)
        free(result->facts[i]);
    free(result->path);
    *result = (tb_result){0};
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool check_names(tb_result_reader *reader)
{
    const tb_result *out = reader->out;
    const char **names = malloc(out->cell_count * sizeof *names);
    if (!names)
        return tb_result_no_memory(reader);
    for (size_t i = 0; i < out->cell_count; i++)
        names[i] = out->cells[i].name;
    qsort(names, out->cell_count, sizeof *names, by_text);
    bool good = true;
    for (size_t i = 1; good && i < out->cell_count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            good = tb_result_fail(reader, "the name '%s' is there twice: expected each once", names[i]);
    free(names);
    return good;
}

static bool read_document(tb_result_reader *reader, const json_t *document)
{
    const json_t *part = json_object_get(document, "timerbench"), *benchmarks = json_object_get(document, "benchmarks");
    if (!json_is_object(part) && !json_is_array(benchmarks))
        return tb_result_fail(reader, "JSON, but no benchmark's: expected a list \"benchmarks\", as Google Benchmark writes it");
    if (json_is_object(part) ? !tb_result_read_cells(reader, part) : !tb_result_read_benchmarks(reader, benchmarks))
        return false;
    if (reader->out->cell_count == 0)
        return tb_result_fail(reader, "no benchmark is in it: expected at least one");
    return check_names(reader) && tb_result_read_facts(reader, document);
}

bool tb_result_from_json(const json_t *document, const char *name, tb_result *out, char *error, size_t size)
{
    tb_result_reader reader = {name, out, error, size};
    *out = (tb_result){.path = tb_plain_copy(name)};
    bool done = out->path ? read_document(&reader, document) : tb_result_no_memory(&reader);
    if (!done)
        tb_result_free(out);
    return done;
}

bool tb_result_read(const char *path, tb_result *out, char *error, size_t size)
{
    tb_result_reader reader = {path, out, error, size};
    *out = (tb_result){0};
    json_t *document = tb_result_parse(&reader);
    bool done = document && tb_result_from_json(document, path, out, error, size);
    json_decref(document);
    return done;
}
