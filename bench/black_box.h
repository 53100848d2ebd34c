/* black_box.h: what a program has done so far, in memory that outlives its process: where that crashes or hangs, the operations up
   to the one it was at are read from here. */
#ifndef BENCH_BLACK_BOX_H
#define BENCH_BLACK_BOX_H

#include "bench/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { TB_BOX_MAKING, TB_BOX_CALLING, TB_BOX_ENDING } tb_box_phase;

enum { TB_BOX_MOST = 1 << 22 }; /* operations of one program that are kept */

/* Lies in shared memory (tb_shared_memory); all zero is empty. */
typedef struct {
    volatile uint64_t beats; /* grows with every call */
    tb_box_phase phase;
    tb_ops made;  /* how the set was made; without operations */
    size_t len;   /* operations begun; those from `at` on are the call at hand */
    size_t at;
    bool complete; /* all fitted in */
    tb_operation items[TB_BOX_MOST];
} tb_black_box;

void tb_black_box_begin(tb_black_box *box, const tb_ops *ops);
/* Before a call of n operations. */
void tb_black_box_call(tb_black_box *box, const tb_operation *ops, size_t n);
void tb_black_box_end(tb_black_box *box);

/* Keeps a whole program. */
void tb_black_box_keep(tb_black_box *box, const tb_ops *ops);
/* The program as it was begun. What was in `ops` is freed. False: it was not kept whole, or memory ran out. */
bool tb_black_box_read(const tb_black_box *box, tb_ops *ops);

#ifdef __cplusplus
}
#endif
#endif
