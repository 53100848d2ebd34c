/* gate_verdict.h: counts beside those of the reference: what costs more, what costs less, and in which functions. */
#ifndef BENCH_GATE_VERDICT_H
#define BENCH_GATE_VERDICT_H

#include <stdio.h>

#include "bench/gate_reference.h"

typedef enum tb_gate_state {
    TB_GATE_SAME,
    TB_GATE_MORE,    /* instructions or misses went up beyond the limit, or what could be counted can't be any more */
    TB_GATE_LESS,    /* or down */
    TB_GATE_NEW,     /* not in the reference */
    TB_GATE_MISSING, /* in the reference, and this command has no such cell */
    TB_GATE_STATES
} tb_gate_state;

/* Counts that moved by more than this share are told. Misses must also move by so many an operation: a line more or less in
   a cache set is where a block happens to begin. */
#define TB_GATE_SHARE 0.01
#define TB_GATE_MISSES 0.1

typedef struct tb_gate_line {
    const char *name;
    tb_gate_state state;
    double change; /* of the instructions an operation: 0.05 is 5 % more */
    const tb_gate_cell *now;
    const tb_reference_cell *before;
} tb_gate_line;

typedef struct tb_gate_verdict {
    tb_gate_line *lines;
    size_t count;
    size_t states[TB_GATE_STATES];
} tb_gate_verdict;

/* Of the chosen cells; `all`: they are all there are, so the reference may have no others. The greatest change comes first.
   False: out of memory. */
bool tb_gate_judge(const tb_gate_cells *cells, const bool *chosen, bool all, const tb_gate_reference *reference,
                   tb_gate_verdict *verdict);
void tb_gate_verdict_free(tb_gate_verdict *verdict);

/* Within 80 columns; of at most `most` cells of each state what moved. */
void tb_gate_print(const tb_gate_verdict *verdict, size_t most, FILE *out);

#endif
