#include "bench/workloads.h"

#include <stdlib.h>
#include <string.h>

#include "bench/trace_store.h"

/* Time goes on by 1 ms every 1000 operations: a microsecond each. */
#define OPERATION_NS 1000.0
#define FIFO_SECONDS 30

static const double SECOND = 1e9;

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static bool fill_uniform(tb_work *w)
{
    for (uint32_t t = 0; t < w->script.n; t++)
        w->fill[t] = w->script.start + (int64_t)tb_work_delay(w, 1, 60) * w->script.unit;
    return true;
}

/* As the population is after many operations, each on a random timer: a timer was last touched an exponential time ago, of
   mean n operations, and has of its interval what is left; one that has fired since waits to be touched again. So the first
   operation already meets the steady state (the stationary-excess distribution). */
static void fill_touched(tb_work *w, double lo, double hi)
{
    for (uint32_t t = 0; t < w->script.n; t++) {
        double age = tb_random_exponential(&w->random, OPERATION_NS * w->script.n);
        double left = (double)tb_work_delay(w, lo, hi) * (double)w->script.unit - age;
        w->fill[t] = left >= TB_TICK_NANOS ? w->script.start + (int64_t)left : TB_NOT_ARMED;
    }
}

/* ---- the synthetic ones ------------------------------------------------------------------------------------------ */

/* So many sets that a repetition has about `count` operations. */
static void several_sets(tb_work *w, uint32_t count)
{
    w->sets = w->script.n < count ? (count + w->script.n - 1) / w->script.n : 1;
    w->script.count = w->script.n;
}

static bool make_arm(tb_work *w, uint32_t count)
{
    several_sets(w, count);
    return fill_uniform(w);
}

static bool make_cancel(tb_work *w, uint32_t count)
{
    several_sets(w, count);
    tb_random_permutation(&w->random, w->timer, w->script.n);
    return fill_uniform(w);
}

static bool make_churn_random(tb_work *w, uint32_t count)
{
    w->script.count = count;
    fill_touched(w, 1, 60);
    return true;
}

static void refresh_churn_random(tb_work *w)
{
    for (uint32_t i = 0; i < w->script.count; i++) {
        w->timer[i] = tb_random_below(&w->random, w->script.n);
        w->delay[i] = tb_work_delay(w, 1, 60);
    }
}

static bool make_churn_fifo(tb_work *w, uint32_t count)
{
    w->script.count = count;
    w->script.constant = FIFO_SECONDS * INT64_C(1000000000);
    for (uint32_t t = 0; t < w->script.n; t++) {
        double left = FIFO_SECONDS * SECOND - OPERATION_NS * (w->script.n - t);
        w->fill[t] = left >= TB_TICK_NANOS ? w->script.start + (int64_t)left : TB_NOT_ARMED;
    }
    return true;
}

static void refresh_churn_fifo(tb_work *w)
{
    for (uint32_t i = 0; i < w->script.count; i++) {
        w->timer[i] = w->cursor;
        w->delay[i] = (uint32_t)(FIFO_SECONDS * SECOND / (double)w->script.unit);
        w->cursor = w->cursor + 1 < w->script.n ? w->cursor + 1 : 0;
    }
}

/* The walk through other memory takes far longer than the operation: few operations a repetition. */
static bool make_cold(tb_work *w)
{
    enum { MOST = 4096 };
    w->script.count = w->script.count < MOST ? w->script.count : MOST;
    w->script.cold = w->cold = calloc(1, TB_COLD_BYTES);
    if (w->cold)
        memset(w->cold, 1, TB_COLD_BYTES); /* its own pages, not one page of zeroes */
    return w->cold != NULL;
}

static bool make_churn_random_cold(tb_work *w, uint32_t count) { return make_churn_random(w, count) && make_cold(w); }

static bool make_churn_fifo_cold(tb_work *w, uint32_t count) { return make_churn_fifo(w, count) && make_cold(w); }

static bool make_rearm_later(tb_work *w, uint32_t count)
{
    w->script.count = count;
    fill_touched(w, 60, 61);
    return true;
}

static void refresh_rearm_later(tb_work *w)
{
    for (uint32_t i = 0; i < w->script.count; i++) {
        w->timer[i] = tb_random_below(&w->random, w->script.n);
        w->delay[i] = tb_work_delay(w, 60, 61);
    }
}

static bool make_expire(tb_work *w, uint32_t count)
{
    enum { STEPS = 60001 };
    (void)count;
    w->script.count = STEPS;
    return fill_uniform(w);
}

static const tb_workload synthetic[] = {
    {"arm", "steady", "arm n timers U(1..60 s) in an empty set, memory warm",
     "a fill as every comparison of timer libraries has it; warming is ours", "arm", TB_LOOP_FILL, true, true, make_arm, NULL, NULL},
    {"cancel", "steady", "cancel n pending timers in random order", "wahern/timeout bench-del; the random order is ours", "cancel",
     TB_LOOP_CANCEL, true, false, make_cancel, NULL, NULL},
    {"churn-random", "steady", "a random timer is cancelled and armed anew, U(1..60 s)",
     "ours: 1 ms of time every 1000 operations, stationary fill", "pair", TB_LOOP_CHURN, false, false,
     make_churn_random, refresh_churn_random, NULL},
    {"churn-fifo", "steady", "the oldest timer is cancelled and armed anew, all for 30 s",
     "ours: 1 ms of time every 1000 operations", "pair", TB_LOOP_CHURN, false, false, make_churn_fifo, refresh_churn_fifo,
     NULL},
    {"churn-random-touched", "steady touched", "as churn-random, the caller's object of the timer read 12 operations before",
     "what a server does before it moves a connection's timer; ours", "pair", TB_LOOP_CHURN_TOUCHED, false, false,
     make_churn_random, refresh_churn_random, NULL},
    {"churn-fifo-touched", "steady touched", "as churn-fifo, the caller's object of the timer read 12 operations before",
     "ours", "pair", TB_LOOP_CHURN_TOUCHED, false, false, make_churn_fifo, refresh_churn_fifo, NULL},
    {"churn-random-cold", "steady cold", "as churn-random, and before each pair 1 MiB of other memory is read",
     "a program that does other things between its timers; ours. Each pair is timed on its own", "pair", TB_LOOP_CHURN,
     false, false, make_churn_random_cold, refresh_churn_random, NULL},
    {"churn-fifo-cold", "steady cold", "as churn-fifo, and before each pair 1 MiB of other memory is read",
     "ours. Each pair is timed on its own", "pair", TB_LOOP_CHURN, false, false, make_churn_fifo_cold, refresh_churn_fifo,
     NULL},
    {"rearm-later", "steady", "an idle timeout of 60-61 s is pushed back at every message",
     "the idle timer of ratas; choosing the timer uniformly is ours", "rearm", TB_LOOP_REARM, false, false,
     make_rearm_later, refresh_rearm_later, NULL},
    {"expire", "steady", "n timers U(1..60 s) fire in 60,000 steps of 1 ms", "ours, after DPDK test_timer_perf and wahern/timeout bench-expire", "timer fired", TB_LOOP_EXPIRE, true,
     false, make_expire, NULL, NULL},
    {"next", "steady", "as churn-random, and after each pair the next expiry is asked for",
     "what an event loop does before it sleeps; ours", "pair", TB_LOOP_NEXT, false, false, make_churn_random,
     refresh_churn_random, NULL},
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

bool tb_workload_prepare(const tb_workload *workload, tb_error_text *error)
{
    tb_trace_plan *t = workload->trace;
    if (t && !t->loaded)
        t->loaded = tb_replay_plan_read(&t->plan, t->path, &t->max_pending, error);
    if (t && t->loaded && t->plan.count == 0) {
        tb_error_set(error, "%s: the trace has no events", t->path);
        return false;
    }
    return !t || t->loaded;
}

static bool make_replay(tb_work *w, uint32_t count)
{
    tb_trace_plan *t = w->workload->trace;
    (void)count;
    if (!tb_workload_prepare(w->workload, &w->error))
        return false;
    w->population = (uint32_t)t->max_pending;
    w->script.n = t->plan.timers;
    w->script.start = t->plan.start;
    w->script.lines = t->plan.lines;
    w->script.count = (uint32_t)t->plan.count;
    memcpy(w->script.slop, t->plan.slop, sizeof w->script.slop);
    return true;
}

/* A name in results is of a-z 0-9 . _ - alone: it is part of a cell's, which is chosen by globs in comma lists. */
static void make_plain(char *name)
{
    for (; *name; name++) {
        if (*name >= 'A' && *name <= 'Z')
            *name = (char)(*name - 'A' + 'a');
        else if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789._-", *name))
            *name = '_';
    }
}

/* "replay-" and the file's name without .trace or .trace.xz, made plain; NULL: out of memory. */
static char *replay_name(const char *path)
{
    static const char *const endings[] = {".trace.xz", ".trace"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    int length = (int)strlen(base);
    for (int i = 0; i < 2; i++) {
        int ending = (int)strlen(endings[i]);
        if (length > ending && strcmp(base + length - ending, endings[i]) == 0) {
            length -= ending;
            break;
        }
    }
    char *name;
    if (asprintf(&name, "replay-%.*s", length, base) < 0)
        return NULL;
    make_plain(name);
    return name;
}

bool tb_workloads_add_trace(tb_workload_list *list, const char *path, tb_error_text *error)
{
    tb_workload *grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    if (grown)
        list->items = grown;
    tb_trace_plan *trace = calloc(1, sizeof *trace);
    char *copy = strdup(path), *name = replay_name(path);
    bool memory = grown && trace && copy && name, taken = false;
    for (size_t i = 0; memory && i < list->count; i++)
        taken |= strcmp(list->items[i].name, name) == 0;
    if (memory && !taken) {
        trace->path = copy;
        grown[list->count++] = (tb_workload){name, "trace", "a recorded trace, line by line", "bench/traces/README.md", "line",
                                             TB_LOOP_REPLAY, true, false, make_replay, NULL, trace};
        return true;
    }
    if (taken)
        tb_error_set(error, "%s: another trace is %s in results, too: expected file names that differ", path, name);
    else
        tb_error_no_memory(error);
    free(trace);
    free(copy);
    free(name);
    return false;
}

bool tb_workloads_load(tb_workload_list *list, tb_error_text *error)
{
    size_t n = sizeof synthetic / sizeof *synthetic;
    list->count = 0;
    list->items = malloc(sizeof synthetic);
    if (!list->items) {
        tb_error_no_memory(error);
        return false;
    }
    memcpy(list->items, synthetic, sizeof synthetic);
    list->count = n;
    tb_trace_store store;
    if (!tb_trace_store_open(&store, error))
        return true; /* a command without its traces still has the rest; naming a trace that is not there is an error */
    bool added = true;
    for (size_t i = 0; i < store.count && added; i++)
        added = tb_workloads_add_trace(list, store.traces[i].path, error);
    tb_trace_store_free(&store);
    if (!added)
        tb_workloads_free(list);
    return added;
}

const char *tb_workload_shown_name(const tb_workload *workload, char out[TB_WORKLOAD_SHOWN + 1])
{
    size_t length = strlen(workload->name), tail = 12, head = TB_WORKLOAD_SHOWN - tail - 3;
    if (length <= TB_WORKLOAD_SHOWN)
        snprintf(out, TB_WORKLOAD_SHOWN + 1, "%s", workload->name);
    else
        snprintf(out, TB_WORKLOAD_SHOWN + 1, "%.*s...%s", (int)head, workload->name, workload->name + length - tail);
    return out;
}

void tb_workloads_free(tb_workload_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].trace) {
            free((char *)(uintptr_t)list->items[i].name);
            free(list->items[i].trace->path);
            tb_replay_plan_free(&list->items[i].trace->plan);
            free(list->items[i].trace);
        }
    free(list->items);
    list->items = NULL;
    list->count = 0;
}
