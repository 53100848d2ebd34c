/* replay_plan.h: from a recorded trace to what a replay of it has a timer set do. Checking and measuring replay the very
   same plan, so what was measured is what was checked.

   A set that starts at plan->start is driven along plan->lines: for each, its own next_expiry is followed up to the line's
   time, then tb_timers_expired is called once with that time, then the line's operation is done.

   Lanes: the seven most frequent slops of the trace, in whole ticks and not zero, get the lanes 1 .. 7, the most frequent
   first (of equals the smaller). Any other slop takes the largest of them that does not exceed it, or lane 0.

   Numbers: a replay by key has at most one timer a number, and one by id keeps one id a number, so no line arms a number that
   is still pending. The trace has one timer an object, too; but a program that arms an object again when it fires may do so
   a little before it fires here (here a timeout fires at the next tick of the set's own grid). Such an arm gets another
   number, and the object keeps that from then on. What is pending when is known beforehand, since a timer's lane and deadline
   say when it fires.

   A rearm keeps its timer's lane. Where the trace changes lane or kind with a rearm, the plan has a cancel and an arm. */
#ifndef BENCH_REPLAY_PLAN_H
#define BENCH_REPLAY_PLAN_H

#include "bench/error_text.h"
#include "bench/script.h"
#include "bench/trace_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TB_REPLAY_LANES = 8 };

typedef struct {
    tb_line *lines; /* what only informs (fired) is TB_LINE_TIME; a timer marked precise is in lane TB_LINE_PRECISE */
    size_t count;
    uint32_t timers; /* numbers 0 .. timers-1 are used */
    int64_t start;
    int64_t slop[TB_REPLAY_LANES]; /* of each lane, ns */

    /* What was made of the trace. A "set" is an arm or a rearm. */
    uint64_t sets;
    uint64_t lane_sets[TB_REPLAY_LANES];
    uint64_t less_slop; /* sets whose slop had no lane of its own */
    uint64_t marked;    /* sets marked precise; a replay by key arms them as plain ones in lane 0 */
    uint64_t precise;   /* sets that go to the precise set by id: marked, or nearer than a tick */
    uint64_t renumbered; /* arms that got another number */
    uint64_t renewed;    /* rearms that became a cancel and an arm */
} tb_replay_plan;

/* Plans events[0 .. count), which may be a part of a trace: what is not armed in it is taken as not pending. `start` is
   where the set is to start, at or before the first event. False: out of memory. O(count). */
bool tb_replay_plan_make(tb_replay_plan *plan, const tb_trace_event *events, size_t count, int64_t start);

/* Plans a whole trace file, from instant 0. `max_pending`, where not NULL, gets the most timers that were pending in the
   trace at once. False: `error` says why. Keeps the whole trace in memory, 40 bytes an event, while it works. */
bool tb_replay_plan_read(tb_replay_plan *plan, const char *path, size_t *max_pending, tb_error_text *error);

/* Prints the lanes and what was made of the trace, a few lines of at most 80 columns, each after `indent` spaces. */
void tb_replay_plan_print(const tb_replay_plan *plan, FILE *out, int indent);

void tb_replay_plan_free(tb_replay_plan *plan);

#endif
