/* result_parts.h: the parts of reading a result document. */
#ifndef RESULTS_RESULT_PARTS_H
#define RESULTS_RESULT_PARTS_H

#include "results/result.h"

/* Where the reading is, and what went wrong. */
typedef struct tb_result_reader {
    const char *path;
    tb_result *out;
    char *error;
    size_t error_size;
} tb_result_reader;

/* "PATH: message"; returns false. */
__attribute__((format(printf, 2, 3))) bool tb_result_fail(tb_result_reader *reader, const char *format, ...);
bool tb_result_no_memory(tb_result_reader *reader);

/* Reads the file at reader->path. NULL: failed. */
json_t *tb_result_parse(tb_result_reader *reader);

/* Adds an empty cell with a plain copy of `name`, which out owns from then on. NULL: out of memory, and said so. */
tb_result_cell *tb_result_add_cell(tb_result_reader *reader, const char *name);

/* Adds a process with room for `count` > 0 figures. NULL: out of memory, and said so. */
double *tb_result_add_process(tb_result_reader *reader, tb_result_cell *cell, size_t count);

/* Whether ns is a time that something can take, finite and positive; says so if not. */
bool tb_result_check_time(tb_result_reader *reader, const char *name, double ns);

/* Sets cell->state and a plain copy of `reason`, which may be NULL. */
bool tb_result_set_state(tb_result_reader *reader, tb_result_cell *cell, tb_result_state state, const char *reason);

/* The cells of our part; of Google Benchmark's. */
bool tb_result_read_cells(tb_result_reader *reader, const json_t *part);
bool tb_result_read_benchmarks(tb_result_reader *reader, const json_t *benchmarks);

/* The facts of the whole document. */
bool tb_result_read_facts(tb_result_reader *reader, const json_t *document);

#endif
