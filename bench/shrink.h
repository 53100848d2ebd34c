/* shrink.h: from a program in which an implementation differs to a small one that shows a difference of the same kind.

   Operations are left out by delta debugging (A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input",
   IEEE TSE 28(2), 2002), then what is left is said more simply: fewer options, smaller and rounder numbers. A change is
   kept when the difference still shows and the program has become simpler by a measure that only shrinks, so it ends. */
#ifndef BENCH_SHRINK_H
#define BENCH_SHRINK_H

#include "bench/drive.h"

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a shrinker finds out what a program shows. */
typedef struct {
    tb_drive_verdict (*drive)(void *ctx, const tb_ops *ops, uint64_t most_due, tb_difference *difference);
    void *ctx;
    double seconds;  /* that it may take, */
    clockid_t clock; /* by this clock */
} tb_shrink_driver;

/* Shrinks `ops` in place; `difference` gets the one that the shrunk program shows, at its last operation or its end. The one to
   keep is the first that the program shows when it is driven thoroughly, which may be earlier than what it was found by. Takes
   some seconds of processor time at most for a long program, mostly far less. False: the program shows no difference, or memory
   ran out before anything was done; it is as it was. */
bool tb_shrink(tb_ops *ops, const tb_impl *impl, tb_difference *difference);

/* The same with a driver of one's own. */
bool tb_shrink_by(tb_ops *ops, const tb_shrink_driver *driver, tb_difference *difference);

#ifdef __cplusplus
}
#endif
#endif
