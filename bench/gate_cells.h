/* gate_cells.h: what the gate counts: every structure at every steady workload, by id and by key, at one or two populations.
   And the part that runs under callgrind. */
#ifndef BENCH_GATE_CELLS_H
#define BENCH_GATE_CELLS_H

#include "bench/callgrind.h"
#include "bench/workloads.h"

enum {
    TB_GATE_SEED = 1,
    TB_GATE_OPERATIONS = 16384, /* counted in a cell, about */
    TB_GATE_SMALL = 1024,       /* populations: within a first cache and a half, and well beyond */
    TB_GATE_LARGE = 16384,
    TB_GATE_LIMIT = 120 /* s: a cell that takes longer under callgrind is given up */
};

typedef struct tb_gate_cell {
    char *name;
    const tb_workload *workload;
    const tb_contender *contender;
    uint32_t population;
    uint64_t operations; /* counted; 0: not yet, or `problem` says why not */
    char *problem;
    tb_counts counts;
} tb_gate_cell;

typedef struct tb_gate_cells {
    tb_workload_list workloads;
    tb_gate_cell *items;
    size_t count;
} tb_gate_cells;

/* All of them, in the order of the registry; always the same in one build. A structure that says O(n) of a cost has the
   small population alone. False: *error, and nothing to free. */
bool tb_gate_cells_make(tb_gate_cells *cells, tb_error_text *error);
void tb_gate_cells_free(tb_gate_cells *cells);

/* The process that callgrind runs (`timerbench gate --counting`): takes numbers of cells (uint32_t) from standard input and
   runs each in a process forked for it, so that it starts from the same state whichever others were before, with
   tb_gate_counted around what is to be counted. Writes a tb_gate_done for each to standard output. */
int tb_gate_counting(void);

enum { TB_GATE_PROBLEM = 240 };
typedef struct tb_gate_done {
    uint32_t cell;
    int32_t pid; /* of the process, which names callgrind's file */
    uint64_t operations;
    char problem[TB_GATE_PROBLEM]; /* "": none */
} tb_gate_done;

#endif
