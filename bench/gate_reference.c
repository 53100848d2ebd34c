#include "bench/gate_reference.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench/environment.h"
#include "bench/gate_workers.h"
#include "bench/memory_count.h"

static const char format[] = "timerbench-instructions";
enum { VERSION = 1 };

/* ---- the build --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at;
} facts[TB_GATE_FACTS] = {
    {"compiler", offsetof(tb_gate_build, compiler)},   {"flags", offsetof(tb_gate_build, flags)},
    {"architecture", offsetof(tb_gate_build, architecture)}, {"libc", offsetof(tb_gate_build, libc)},
    {"allocator", offsetof(tb_gate_build, allocator)}, {"valgrind", offsetof(tb_gate_build, valgrind)},
    {"caches", offsetof(tb_gate_build, caches)},       {"workloads", offsetof(tb_gate_build, workloads)},
};

static char **fact_at(tb_gate_build *build, int fact)
{
    return (char **)(void *)((char *)build + facts[fact].at);
}

const char *tb_gate_fact(const tb_gate_build *build, int fact)
{
    return *(char *const *)(const void *)((const char *)build + facts[fact].at);
}

const char *tb_gate_fact_name(int fact) { return facts[fact].name; }

bool tb_gate_build_make(tb_gate_build *build, const char *valgrind)
{
    struct utsname machine;
    char workloads[100], libc[40];
    *build = (tb_gate_build){0};
    if (uname(&machine) != 0)
        strcpy(machine.machine, "unknown");
    snprintf(workloads, sizeof workloads, "seed %d, %d operations, %d and %d timers", TB_GATE_SEED, TB_GATE_OPERATIONS,
             TB_GATE_SMALL, TB_GATE_LARGE);
    snprintf(libc, sizeof libc, "glibc %s", gnu_get_libc_version());
    const char *const values[TB_GATE_FACTS] = {tb_environment_compiler(), tb_environment_flags(), machine.machine, libc,
                                               tb_memory_allocator(), valgrind, tb_gate_caches, workloads};
    bool memory = true;
    for (int i = 0; i < TB_GATE_FACTS; i++)
        memory &= (*fact_at(build, i) = strdup(values[i])) != NULL;
    if (!memory)
        tb_gate_build_free(build);
    return memory;
}

void tb_gate_build_free(tb_gate_build *build)
{
    for (int i = 0; i < TB_GATE_FACTS; i++)
        free(*fact_at(build, i));
    *build = (tb_gate_build){0};
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A count of at most 2^53: an integer that is not negative. */
static bool read_count(const json_t *cell, const char *name, uint64_t *out)
{
    const json_t *value = json_object_get(cell, name);
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    *out = n < 0 ? 0 : (uint64_t)n;
    return n >= 0;
}

static bool read_functions(const json_t *functions, tb_counts *counts)
{
    const char *name;
    json_t *value;
    if (!json_is_object(functions))
        return false;
    json_object_foreach((json_t *)(uintptr_t)functions, name, value)
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            !tb_counts_add(counts, name, (uint64_t)json_integer_value(value)))
            return false;
    tb_counts_sort(counts);
    return true;
}

static bool read_cell(const json_t *json, tb_reference_cell *cell)
{
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *problem = json_string_value(json_object_get(json, "problem"));
    cell->name = name && *name ? strdup(name) : NULL;
    if (!cell->name)
        return false;
    if (problem)
        return (cell->problem = strdup(problem)) != NULL;
    return read_count(json, "operations", &cell->operations) && cell->operations > 0 &&
           read_count(json, "instructions", &cell->counts.instructions) && cell->counts.instructions > 0 &&
           read_count(json, "d1_misses", &cell->counts.d1_misses) && read_count(json, "ll_misses", &cell->counts.ll_misses) &&
           read_functions(json_object_get(json, "functions"), &cell->counts);
}

static bool read_build(const json_t *json, const char *path, tb_gate_build *build, tb_error_text *error)
{
    for (int i = 0; i < TB_GATE_FACTS; i++) {
        const char *text = json_string_value(json_object_get(json, facts[i].name));
        if (!text) {
            tb_error_set(error, "%s: no text \"%s\" in \"build\": expected a file that `timerbench gate --update` wrote", path,
                         facts[i].name);
            return false;
        }
        if (!(*fact_at(build, i) = strdup(text))) {
            tb_error_no_memory(error);
            return false;
        }
    }
    return true;
}

static bool read_document(const json_t *root, const char *path, tb_gate_reference *reference, tb_error_text *error)
{
    const char *said = json_string_value(json_object_get(root, "format"));
    const json_t *cells = json_object_get(root, "cells"), *version = json_object_get(root, "version");
    if (!said || strcmp(said, format) != 0) {
        tb_error_set(error, "%s: JSON, but no counts: expected \"format\": \"%s\"", path, format);
        return false;
    }
    if (!json_is_integer(version) || json_integer_value(version) != VERSION) {
        tb_error_set(error, "%s: another version of the format: expected \"version\": %d; `timerbench gate --update` writes it "
                     "anew", path, VERSION);
        return false;
    }
    if (!read_build(json_object_get(root, "build"), path, &reference->build, error))
        return false;
    size_t n = json_array_size(cells);
    if (n == 0) {
        tb_error_set(error, "%s: no cell is in it: expected a list \"cells\"", path);
        return false;
    }
    reference->cells = calloc(n, sizeof *reference->cells);
    if (!reference->cells) {
        tb_error_no_memory(error);
        return false;
    }
    for (reference->count = 0; reference->count < n;) {
        tb_reference_cell *cell = &reference->cells[reference->count++];
        bool whole = read_cell(json_array_get(cells, reference->count - 1), cell);
        bool twice = whole && tb_gate_reference_find(reference, cell->name) != cell;
        if (!whole || twice) {
            tb_error_set(error, "%s: cell %zu%s%s: expected a name that is there once, operations, instructions, misses and "
                         "functions", path, reference->count, cell->name ? ", " : "", cell->name ? cell->name : "");
            return false;
        }
    }
    return true;
}

bool tb_gate_reference_read(const char *path, tb_gate_reference *reference, tb_error_text *error)
{
    json_error_t why;
    *reference = (tb_gate_reference){0};
    FILE *f = fopen(path, "r");
    if (!f) {
        tb_error_set(error, "%s: %s: expected the counts to compare with; `timerbench gate --update` writes them", path,
                     strerror(errno));
        return false;
    }
    int first = getc(f); /* a folder can be opened, and then not be read */
    if (first == EOF && ferror(f)) {
        tb_error_set(error, "%s: %s", path, strerror(errno));
        fclose(f);
        return false;
    }
    ungetc(first, f);
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    fclose(f);
    if (!root) {
        tb_error_set(error, "%s: line %d: not JSON: %s", path, why.line, why.text);
        return false;
    }
    bool good = read_document(root, path, reference, error);
    json_decref(root);
    if (!good)
        tb_gate_reference_free(reference);
    return good;
}

void tb_gate_reference_free(tb_gate_reference *reference)
{
    for (size_t i = 0; i < reference->count; i++) {
        free(reference->cells[i].name);
        free(reference->cells[i].problem);
        tb_counts_free(&reference->cells[i].counts);
    }
    free(reference->cells);
    tb_gate_build_free(&reference->build);
    *reference = (tb_gate_reference){0};
}

const tb_reference_cell *tb_gate_reference_find(const tb_gate_reference *reference, const char *name)
{
    for (size_t i = 0; i < reference->count; i++)
        if (strcmp(reference->cells[i].name, name) == 0)
            return &reference->cells[i];
    return NULL;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static json_t *cell_json(const char *name, uint64_t operations, const char *problem, const tb_counts *counts)
{
    if (problem)
        return json_pack("{ss ss}", "name", name, "problem", problem);
    json_t *functions = json_object();
    for (size_t i = 0; i < counts->function_count; i++)
        json_object_set_new(functions, counts->functions[i].name, json_integer((json_int_t)counts->functions[i].instructions));
    return json_pack("{ss sI sI sI sI so}", "name", name, "operations", (json_int_t)operations, "instructions",
                     (json_int_t)counts->instructions, "d1_misses", (json_int_t)counts->d1_misses, "ll_misses",
                     (json_int_t)counts->ll_misses, "functions", functions);
}

static bool write_json(json_t *json, FILE *out)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (text)
        fputs(text, out);
    free(text);
    json_decref(json);
    return text != NULL;
}

bool tb_gate_reference_write(const tb_gate_cells *cells, const bool *chosen, const tb_gate_reference *old,
                             const tb_gate_build *build, FILE *out)
{
    json_t *of = json_object();
    const char *between = "";
    for (int i = 0; of && i < TB_GATE_FACTS; i++)
        json_object_set_new(of, facts[i].name, json_string(tb_gate_fact(build, i)));
    fprintf(out, "{\"format\":\"%s\",\"version\":%d,\"build\":", format, VERSION);
    bool written = write_json(of, out);
    fprintf(out, ",\"cells\":[\n");
    for (size_t i = 0; i < cells->count && written; i++) {
        const tb_gate_cell *now = &cells->items[i];
        const tb_reference_cell *then = chosen[i] ? NULL : tb_gate_reference_find(old, now->name);
        if (!chosen[i] && !then)
            continue;
        fputs(between, out);
        written = write_json(then ? cell_json(then->name, then->operations, then->problem, &then->counts)
                                  : cell_json(now->name, now->operations, now->problem, &now->counts), out);
        between = ",\n";
    }
    fprintf(out, "\n]}\n");
    return written;
}
