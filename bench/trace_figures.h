/* trace_figures.h: what there is in a recorded trace, in numbers. */
#ifndef BENCH_TRACE_FIGURES_H
#define BENCH_TRACE_FIGURES_H

#include "bench/trace_file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TB_TRACE_BUCKETS = 8, TB_TRACE_TOP_SLOPS = 7 };

/* The histogram's buckets of lengths (deadline minus the moment of arm or rearm): "<=1ms" ... "<=1h", ">1h". */
extern const char *const tb_trace_bucket_names[TB_TRACE_BUCKETS];

/* A "set" is an arm or a rearm. Times are nanoseconds. */
typedef struct {
    uint64_t events, arms, rearms, cancels, fired;
    int64_t duration;    /* the time of the last event */
    uint64_t keys;       /* different timer objects */
    uint64_t max_pending;
    double mean_pending; /* over time */
    uint64_t left_pending;
    uint64_t early;      /* fired before the deadline */
    bool any_late;       /* whether the next three mean anything: something fired */
    int64_t late_p50, late_p99, late_max; /* fired time minus deadline; below 0: early */
    uint64_t not_in_future; /* sets whose deadline was at or before their own time */
    uint64_t precise;    /* sets marked precise, or of less than TB_TRACE_PRECISE_BELOW */
    uint64_t with_slop;  /* sets that gave a slop */
    uint64_t slop_values; /* how many different ones */
    struct {
        int64_t slop;
        uint64_t sets;
    } top_slops[TB_TRACE_TOP_SLOPS]; /* most frequent first, the smaller first of equals */
    size_t top_slop_count;
    uint64_t lengths[TB_TRACE_BUCKETS]; /* sets */
} tb_trace_figures;

/* Reads `reader` to its end. False: the trace is bad or memory ran out; `error` says what. Keeps 8 bytes for each fired
   event and some 64 for each key while it runs. Percentiles are the exact ranks: element floor(p * n) of the sorted
   latenesses, counted from 0. */
bool tb_trace_measure(tb_trace_reader *reader, tb_trace_figures *out, tb_error_text *error);

#ifdef __cplusplus
}
#endif
#endif
