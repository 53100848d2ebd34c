/* gate_reference.h: the file with the counts that the gate compares with. */
#ifndef BENCH_GATE_REFERENCE_H
#define BENCH_GATE_REFERENCE_H

#include <stdio.h>

#include "bench/gate_cells.h"

/* What counts depend on besides the code: a reference taken elsewhere says nothing of a change. */
typedef struct tb_gate_build {
    char *compiler, *flags, *architecture, *libc, *allocator, *valgrind, *caches, *workloads;
} tb_gate_build;
enum { TB_GATE_FACTS = 8 };

/* Of this command on this machine. False: out of memory. */
bool tb_gate_build_make(tb_gate_build *build, const char *valgrind);
void tb_gate_build_free(tb_gate_build *build);
/* The facts by number, and what each is called. */
const char *tb_gate_fact(const tb_gate_build *build, int fact);
const char *tb_gate_fact_name(int fact);

typedef struct tb_reference_cell {
    char *name;
    uint64_t operations;
    char *problem; /* it could not be counted, for this reason; else NULL */
    tb_counts counts;
} tb_reference_cell;

typedef struct tb_gate_reference {
    tb_gate_build build;
    tb_reference_cell *cells;
    size_t count;
} tb_gate_reference;

/* False: *error names the file and what is wrong with it, and there is nothing to free. */
bool tb_gate_reference_read(const char *path, tb_gate_reference *reference, tb_error_text *error);
void tb_gate_reference_free(tb_gate_reference *reference);
const tb_reference_cell *tb_gate_reference_find(const tb_gate_reference *reference, const char *name);

/* Writes what has been counted, the chosen cells, a cell a line: the same counts give the same bytes. Of the others what `old`
   has. False: out of memory. */
bool tb_gate_reference_write(const tb_gate_cells *cells, const bool *chosen, const tb_gate_reference *old,
                             const tb_gate_build *build, FILE *out);

#endif
