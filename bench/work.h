/* work.h: a workload at one population: its script, made operation block by operation block, and the model that says what
   must come of it. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "bench/contender.h"
#include "bench/error_text.h"
#include "bench/random.h"

typedef enum tb_loop_name {
    TB_LOOP_FILL,
    TB_LOOP_CANCEL,
    TB_LOOP_CHURN,
    TB_LOOP_CHURN_TOUCHED,
    TB_LOOP_REARM,
    TB_LOOP_NEXT,
    TB_LOOP_EXPIRE,
    TB_LOOP_REPLAY,
    TB_LOOP_CALENDAR /* no timers: bench/calendar_level.h */
} tb_loop_name;

typedef struct tb_work tb_work;

typedef struct tb_workload {
    const char *name;
    const char *tags;    /* space-separated: "steady", "trace" ... */
    const char *summary; /* what it models */
    const char *source;  /* who defined it; what is ours in it */
    const char *unit;    /* what the figures are of: "arm", "pair", "timer fired", "line" */
    tb_loop_name loop;
    bool fresh; /* each repetition works on new sets; else one set goes on through all of them */
    bool warm;  /* fresh sets are filled and emptied once before the clock starts, so memory is there */
    /* Sets script.fill and the constants; count is how many operations a repetition shall have. */
    bool (*make)(tb_work *work, uint32_t count);
    /* The next `count` operations of a set that goes on; NULL: the script is as make left it. */
    void (*refresh)(tb_work *work);
    struct tb_trace_plan *trace; /* of a replay */
} tb_workload;

/* What a workload is of: "timers", "calendar". */
static inline const char *tb_workload_level(const tb_workload *workload)
{
    return workload->loop == TB_LOOP_CALENDAR ? "calendar" : "timers";
}

struct tb_work {
    const tb_workload *workload;
    bool keyed; /* a keyed set arms precise timers as plain ones */
    tb_script script;
    int64_t *fill;
    uint32_t *timer, *delay;
    tb_random random;
    uint32_t cursor; /* of workloads that go through the timers in order */
    uint32_t sets;   /* fresh sets a repetition works through, so that it lasts */
    uint32_t population; /* timers pending, or most pending in a replay */
    unsigned char *cold; /* script.cold */
    /* The model: when each timer fires, and what has come of the script so far. */
    int64_t *fires;
    tb_progress expected;
    /* For a contender with leave to fire within a window: the window's begin (its end is in fires), and the timers that were
       touched while in it: how many, how many of these by a cancel, the sum of their tokens. */
    int64_t *may_fire;
    int64_t early, late;
    uint64_t maybe, maybe_cancelled, maybe_sum;
    tb_error_text error;
};

/* The work of a workload with n timers (a replay has its own number: n is ignored) and about `count` operations a
   repetition. The same seed gives the same work. NULL: *error says why. */
tb_work *tb_work_make(const tb_workload *workload, bool keyed, uint32_t n, uint32_t count, uint64_t seed, tb_error_text *error);
void tb_work_free(tb_work *work);

/* The contender may fire each timer from `early` ns before its deadline to `late` ns after it, instead of at the instant that
   the rule of ours has for it. Before the first operation. false: out of memory. */
bool tb_work_permit(tb_work *work, int64_t early, int64_t late);

/* Fewer operations a repetition, of a set that goes on. */
void tb_work_limit(tb_work *work, uint32_t count);

/* Makes the next operations, and moves the model on over them: work->expected is what a contender's progress must be after
   the loop has run over them. */
void tb_work_refresh(tb_work *work);

/* Whether a contender did what it should: NULL, or (in *error) how not. */
const char *tb_work_verify(const tb_work *work, const tb_progress *did, tb_error_text *error);

/* The end of a set that goes on: time jumps so far that everything pending fires; the model with it. The script becomes that one
   step, for the expire loop. */
void tb_work_drain(tb_work *work);

tb_operations *tb_work_loop(const tb_work *work, const tb_loops *loops);

/* Helps make functions: a delay of lo .. hi seconds in units of script.unit. */
uint32_t tb_work_delay(tb_work *work, double lo, double hi);

#endif
