/* cell.h: measuring one cell: a workload at a population on a contender. */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <jansson.h>

#include "bench/gbench.h"
#include "bench/work.h"

typedef struct tb_measuring {
    uint64_t seed;
    int repetitions;
    uint32_t operations; /* about so many a repetition */
    double limit;        /* s: a fill or all repetitions of a cell may not take longer */
    uint32_t tail_operations; /* timed one by one for the tails; 0: no tails */
} tb_measuring;

typedef enum tb_cell_state { TB_CELL_MEASURED, TB_CELL_LEFT_OUT, TB_CELL_WRONG } tb_cell_state;

enum { TB_CELL_REASON = 200 };

typedef struct tb_cell {
    const tb_workload *workload;
    const tb_contender *contender;
    uint32_t population; /* a replay's: the trace's own */
    size_t family;       /* the number of the cell in the document */
    char *name;          /* level/workload/contender/population[/key] */
    tb_cell_state state;
    char reason[TB_CELL_REASON]; /* why left out, what is wrong */
    uint64_t operations;  /* a repetition */
    double *ns;           /* an operation, each repetition's; of several processes, the median of each */
    size_t repetitions;
    double bytes;         /* a timer, when filled; negative: not known */
    double idle_calls;    /* calls of advance that delivered nothing, a timer fired; negative: none fired */
    double tail[4];       /* ns: single operations' p50, p99, p99.9 and the worst; negative: not measured */
    double steal;         /* of the CPU time while the cell ran, taken by the hypervisor: 0 .. 1; negative: not known */
    double seconds;       /* that it took to measure, fills and checks included */
    bool unsure;          /* of several processes: docs/results.md says when */
} tb_cell;

/* Gives the cell its name, of what it is made of. false: out of memory. */
bool tb_cell_set_name(tb_cell *cell);

/* Measures the cell, which has its name, and adds Google Benchmark's entries to the document, an object with "context" and
   "benchmarks". false: something outside the cell failed (no memory, a broken trace) and *error says what. A cell that is wrong,
   or left out for its cost, is no failure. */
bool tb_cell_measure(tb_cell *cell, const tb_measuring *how, json_t *document, tb_error_text *error);
void tb_cell_clear(tb_cell *cell);

/* Part of it: runs a function of Google Benchmark's, which does cell->operations at once, and takes over what it reports, into the
   cell and the document. As above. */
bool tb_cell_run(tb_cell *cell, tb_gbench_function *repetition, void *user, int repetitions, json_t *document, tb_error_text *error);

#endif
