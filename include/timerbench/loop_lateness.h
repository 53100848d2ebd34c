/* loop_lateness.h: a histogram of how late timers fired, log-linear as HdrHistogram's (Gil Tene): buckets of equal width
   inside each power of two, so that every value is kept with the same relative error. */
#ifndef TIMERBENCH_LOOP_LATENESS_H
#define TIMERBENCH_LOOP_LATENESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <timerbench/assert.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TB_LATENESS_SUB = 128, /* buckets in a power of two: a value is known to 1/128 of itself, below 128 ns exactly */
    TB_LATENESS_BUCKETS = 57 * TB_LATENESS_SUB
};

/* All zero is an empty one. Values are nanoseconds; negative ones count as 0. */
typedef struct tb_lateness {
    uint64_t count, min, max; /* exact */
    double sum, sum_squares;
    uint64_t buckets[TB_LATENESS_BUCKETS];
} tb_lateness;

TB_API void tb_lateness_add(tb_lateness *h, int64_t nanos);
/* Adds all of `from` to h. */
TB_API void tb_lateness_merge(tb_lateness *h, const tb_lateness *from);
/* The value that a share q, 0 .. 1, of all values does not exceed: the middle of its bucket, within min and max; 0 when
   empty. O(buckets). */
TB_API uint64_t tb_lateness_quantile(const tb_lateness *h, double q);
/* HdrHistogram's percentile text (its CLASSIC format), 5 steps a halving, values divided by `unit` (1000: microseconds),
   which its plotter reads. false: a write failed. */
TB_API bool tb_lateness_print(const tb_lateness *h, double unit, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
