/* coverage.h: what the operations of a check have met, counted, so that a stream which tests nothing is seen. */
#ifndef BENCH_COVERAGE_H
#define BENCH_COVERAGE_H

#include <stdint.h>
#include <stdio.h>

/* GROUP(text) COUNT(field, text) COUNT ... Counts are over all implementations that were driven. */
#define TB_COVERAGE(GROUP, COUNT)                                           \
    GROUP("programs and their operations")                                  \
    COUNT(programs, "programs")                                             \
    COUNT(operations, "operations")                                         \
    COUNT(keyed_programs, "of the programs, by key")                        \
    COUNT(recorded_programs, "from recorded traces")                        \
    COUNT(followed_programs, "driven by following next_expiry")             \
    COUNT(odd_starts, "starts before 0 or near the ends of time")           \
    GROUP("timers armed")                                                   \
    COUNT(armed, "armed")                                                   \
    COUNT(asked_precise, "asked to be precise")                             \
    COUNT(near_precise, "precise by the tick test")                         \
    COUNT(past, "for the past")                                             \
    COUNT(in_lanes, "in lanes 1 to 7")                                      \
    COUNT(moved_by_slop, "moved to a later tick by slop")                   \
    COUNT(equal_deadlines, "for the deadline of one that is pending")       \
    COUNT(levels[1], "due in 64 ticks or more")                             \
    COUNT(levels[2], "in 64^2")                                             \
    COUNT(levels[3], "in 64^3")                                             \
    COUNT(levels[4], "in 64^4")                                             \
    COUNT(levels[5], "in 64^5")                                             \
    COUNT(levels[6], "in 64^6: beyond a wheel of six levels")               \
    COUNT(never, "for a tick past the end of time")                         \
    GROUP("rearmed and cancelled")                                          \
    COUNT(rearmed, "rearmed")                                               \
    COUNT(rearmed_left_over, "of them, due and left over by a call")        \
    COUNT(rearmed_repeating, "of them, repeating ones")                     \
    COUNT(rearmed_to_precise, "from timeout to precise or back")            \
    COUNT(changed_lane, "moved to another lane by key")                     \
    COUNT(stale_rearms, "rearms that find nothing")                         \
    COUNT(cancelled, "cancelled")                                           \
    COUNT(cancelled_left_over, "of them, due and left over by a call")      \
    COUNT(cancelled_repeating, "of them, repeating ones")                   \
    COUNT(stale_cancels, "cancels that find nothing")                       \
    COUNT(stale_names, "stale ids and free keys asked for")                 \
    COUNT(garbage_names, "garbage ids and keys asked for")                  \
    GROUP("calls of expired")                                               \
    COUNT(calls, "calls")                                                   \
    COUNT(idle_calls, "that deliver nothing")                               \
    COUNT(calls_back, "with an instant before the set's time")              \
    COUNT(calls_still, "with the set's time")                               \
    COUNT(calls_cut, "cut by a maximum, with something left")               \
    COUNT(followed_calls, "at the instant that next_expiry said")           \
    COUNT(delivered, "timers delivered")                                    \
    COUNT(delivered_late, "a tick or more late, by a late call")            \
    COUNT(delivered_left_over, "left over by a call before")                \
    COUNT(ties, "neighbours with equal deadlines")                          \
    COUNT(mixed_ties, "of them, a precise one and a timeout")               \
    COUNT(lane_ties, "of them, of two lanes")                               \
    COUNT(repeats[0], "occurrences of repeating timers: burst, on time")    \
    COUNT(repeats[1], "skip, on time")                                      \
    COUNT(repeats[2], "delay, on time")                                     \
    COUNT(late_repeats[0], "burst, a period late or more")                  \
    COUNT(late_repeats[1], "skip, a period late or more")                   \
    COUNT(late_repeats[2], "delay, a period late or more")                  \
    COUNT(last_repeats, "the last occurrence, at the end of time")          \
    GROUP("batches, refusals, memory")                                      \
    COUNT(batches_armed, "batches armed")                                   \
    COUNT(batches_cancelled, "batches cancelled")                           \
    COUNT(refused_limit, "refused by the limit")                            \
    COUNT(refused_key, "refused for the key")                               \
    COUNT(refused_period, "refused for the period")                         \
    COUNT(failed_makes, "sets not made for want of memory")                 \
    COUNT(failed_arms, "arms refused for want of memory")                   \
    COUNT(failed_batches, "batches refused for want of memory")             \
    COUNT(failed_calls, "calls of expired cut by want of memory")           \
    COUNT(survived, "failed allocations that were got over")                \
    COUNT(slop_changes, "changes of slop while timers are pending")         \
    GROUP("inside the structures")                                          \
    COUNT(cascades, "timers re-placed")                                     \
    COUNT(late_by_nature, "delivered late by a relaxed structure")

enum { TB_COVERAGE_LEVELS = 7 };

typedef struct {
    uint64_t programs, operations, keyed_programs, recorded_programs, followed_programs, odd_starts;
    uint64_t armed, asked_precise, near_precise, past, in_lanes, moved_by_slop, equal_deadlines;
    uint64_t levels[TB_COVERAGE_LEVELS]; /* [k]: armed for 64^k ticks from then or more */
    uint64_t never;
    uint64_t rearmed, rearmed_left_over, rearmed_repeating, rearmed_to_precise, changed_lane, stale_rearms;
    uint64_t cancelled, cancelled_left_over, cancelled_repeating, stale_cancels, stale_names, garbage_names;
    uint64_t calls, idle_calls, calls_back, calls_still, calls_cut, followed_calls;
    uint64_t delivered, delivered_late, delivered_left_over, ties, mixed_ties, lane_ties;
    uint64_t repeats[3], late_repeats[3], last_repeats; /* by tb_repeat */
    uint64_t batches_armed, batches_cancelled, refused_limit, refused_key, refused_period;
    uint64_t failed_makes, failed_arms, failed_batches, failed_calls, survived, slop_changes;
    uint64_t cascades, late_by_nature;
} tb_coverage;

/* Prints all counts, one a line. */
void tb_coverage_print(const tb_coverage *coverage, FILE *out);

/* Calls f for each count, and for the heading of each group with count NULL. */
void tb_coverage_each(const tb_coverage *coverage, void (*f)(void *ctx, const char *text, const uint64_t *count), void *ctx);

#endif
