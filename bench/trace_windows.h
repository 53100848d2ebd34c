/* trace_windows.h: pieces of recorded traces, each to be replayed by a set of its own. */
#ifndef BENCH_TRACE_WINDOWS_H
#define BENCH_TRACE_WINDOWS_H

#include "bench/error_text.h"
#include "bench/replay_plan.h"

#include <stddef.h>

enum { TB_TRACE_WINDOW = 700 }; /* events */

/* {.paths = ..., .count = ...} is ready for use. */
typedef struct {
    const char *const *paths;
    size_t count;
    size_t next; /* the trace to open next */
    tb_trace_reader *reader;
    tb_trace_event events[TB_TRACE_WINDOW];
} tb_trace_windows;

/* Plans the next window: a few windows' worth of events after the last one, so that a trace is sampled from its beginning to
   its end; then comes the next trace, and after the last the first. False: `error` says what is wrong with a trace, or memory
   ran out. There is at least one trace. */
bool tb_trace_windows_next(tb_trace_windows *windows, tb_replay_plan *plan, tb_error_text *error);

void tb_trace_windows_close(tb_trace_windows *windows);

#endif
