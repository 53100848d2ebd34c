/* trace_windows.c: pieces of recorded traces. */
#include "bench/trace_windows.h"

enum { windows_apart = 5 }; /* events left out between two windows, in windows */

static bool open_next(tb_trace_windows *w, tb_error_text *error)
{
    tb_trace_windows_close(w);
    w->reader = tb_trace_open(w->paths[w->next], error);
    w->next = (w->next + 1) % w->count;
    return w->reader != NULL;
}

/* Reads up to n events into `out`, NULL: nowhere; how many there were, or -1 and `error`. */
static int read_events(tb_trace_windows *w, int n, tb_trace_event *out, tb_error_text *error)
{
    tb_trace_event unused;
    for (int i = 0; i < n; i++) {
        switch (tb_trace_next(w->reader, out ? &out[i] : &unused)) {
        case TB_TRACE_EVENT:
            break;
        case TB_TRACE_END:
            return i;
        case TB_TRACE_ERROR:
            tb_error_set(error, "%s", tb_trace_error(w->reader));
            return -1;
        }
    }
    return n;
}

bool tb_trace_windows_next(tb_trace_windows *w, tb_replay_plan *plan, tb_error_text *error)
{
    int n = 0;
    /* A trace without events is passed over; if all are, the plan is empty. */
    for (size_t tries = 0; n == 0 && tries <= w->count; tries++) {
        if (w->reader && read_events(w, windows_apart * TB_TRACE_WINDOW, NULL, error) < 0)
            return false;
        n = w->reader ? read_events(w, TB_TRACE_WINDOW, w->events, error) : 0;
        if (n == 0 && !open_next(w, error))
            return false;
        if (n == 0)
            n = read_events(w, TB_TRACE_WINDOW, w->events, error);
        if (n < 0)
            return false;
    }
    if (tb_replay_plan_make(plan, w->events, (size_t)n, n ? w->events[0].time : 0))
        return true;
    tb_error_no_memory(error);
    return false;
}

void tb_trace_windows_close(tb_trace_windows *w)
{
    tb_trace_close(w->reader);
    w->reader = NULL;
}
