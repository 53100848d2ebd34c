/* Instants: the machine's steady clock, and moments reckoned from it. */
#include "tap.h"

#include <timerbench/time.h>

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static tb_instant at(int64_t n) { return tb_instant_from_nanos(n); }
static tb_duration nanos(int64_t n) { return tb_duration_from_nanos(n); }

static const int64_t MAX = INT64_MAX, MIN = INT64_MIN;

static void the_steady_clock(void)
{
    int decreases = 0;
    tb_instant first = tb_instant_now(), last = first;
    for (int i = 0; i < 100000; i++) {
        tb_instant next = tb_instant_now();
        decreases += tb_instant_lt(next, last);
        last = next;
    }
    none_of(decreases, "INS-01 100000 reads never go back");
    ok(tb_instant_gt(last, first), "INS-01 and have moved on");

    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    tb_instant now = tb_instant_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    ok(now.ns >= before.tv_sec * 1000000000 + before.tv_nsec && now.ns <= after.tv_sec * 1000000000 + after.tv_nsec,
       "INS-02 now() lies between two readings of CLOCK_MONOTONIC");
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

static void sleeping(void)
{
    tb_instant start = tb_instant_now();
    tb_thread_sleep(tb_duration_from_millis(20));
    tb_duration took = tb_instant_elapsed(start);
    ok(tb_duration_ge(took, tb_duration_from_millis(20)), "INS-03 INS-09 20 ms of sleep took at least 20 ms");
    ok(tb_duration_lt(took, tb_duration_from_seconds(5)), "INS-03 INS-09 and less than 5 s");

    start = tb_instant_now();
    tb_thread_sleep(tb_duration_zero());
    tb_thread_sleep(tb_duration_from_hours(-1));
    tb_thread_sleep(nanos(MIN));
    ok(tb_duration_lt(tb_instant_elapsed(start), tb_duration_from_seconds(5)), "INS-09 zero and less does not sleep");

    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 5000}, {0, 5000}}, off = {{0, 0}, {0, 0}};
    start = tb_instant_now();
    setitimer(ITIMER_REAL, &often, NULL);
    tb_thread_sleep(tb_duration_from_millis(50));
    took = tb_instant_elapsed(start);
    setitimer(ITIMER_REAL, &off, NULL);
    ok(alarms > 0 && tb_duration_ge(took, tb_duration_from_millis(50)), "INS-09 signals do not shorten a sleep");
}

static void reckoning(void)
{
    tb_instant t = at(1000000000);
    tb_duration quarter = tb_duration_from_millis(250);
    is(tb_instant_add(t, quarter).ns, 1250000000, "INS-04 1 s + 250 ms");
    is(tb_instant_sub(t, quarter).ns, 750000000, "INS-04 1 s - 250 ms");
    tb_instant moved = t;
    moved = tb_instant_add(moved, quarter);
    is(moved.ns, 1250000000, "INS-04 moved in place");
    is(tb_instant_since(tb_instant_add(t, quarter), t).ns, quarter.ns, "INS-05 (t + 250 ms) - t");
    is(tb_instant_since(t, tb_instant_add(t, quarter)).ns, -quarter.ns, "INS-05 t - (t + 250 ms)");

    static tb_instant unset;
    is(tb_instant_nanos(unset), 0, "INS-07 an Instant nobody set is the origin");
    is(tb_instant_nanos(at(-123456789)), -123456789, "INS-07 a count comes back");
    is(sizeof(tb_instant), sizeof(int64_t), "INS-07 an Instant is one 64-bit count");
}

static void comparing(void)
{
    tb_instant t = at(1000000000);
    ok(tb_instant_lt(t, tb_instant_add(t, nanos(1))), "INS-06 t < t + 1 ns");
    ok(tb_instant_eq(t, at(1000000000)), "INS-06 equal counts are equal Instants");

    static const int64_t counts[] = {INT64_MIN, INT64_MIN + 1, -1000000000, -1, 0, 1, 1000000000, INT64_MAX - 1, INT64_MAX};
    int wrong = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
            tb_instant a = at(counts[i]), b = at(counts[j]);
            wrong += tb_instant_eq(a, b) != (i == j) || tb_instant_ne(a, b) != (i != j) ||
                     tb_instant_lt(a, b) != (i < j) || tb_instant_le(a, b) != (i <= j) ||
                     tb_instant_gt(a, b) != (i > j) || tb_instant_ge(a, b) != (i >= j) ||
                     tb_instant_compare(a, b) != (i > j) - (i < j);
        }
    none_of(wrong, "INS-06 the six comparisons and compare order every pair, earlier being less");
}

static void the_ends(void)
{
    is(tb_instant_forever().ns, MAX, "INS-11 forever() is the last instant");
    is(TB_INSTANT_MAX.ns, MAX, "INS-11 TB_INSTANT_MAX");
    is(TB_INSTANT_MIN.ns, MIN, "INS-11 TB_INSTANT_MIN");
    is(tb_instant_add(at(1), nanos(MAX)).ns, MAX, "INS-11 TRP-01 I(1) + MAX stops at the last instant");
    is(tb_instant_sub(at(-2), nanos(MAX)).ns, MIN, "INS-11 TRP-01 I(-2) - MAX stops at the first");
    is(tb_instant_add(at(-1), nanos(MIN)).ns, MIN, "INS-11 TRP-01 I(-1) + MIN stops at the first");
    is(tb_instant_sub(at(0), nanos(MIN)).ns, MAX, "INS-11 TRP-01 I(0) - MIN stops at the last");
    is(tb_instant_add(at(0), nanos(MAX)).ns, MAX, "INS-11 I(0) + MAX fits exactly");
    is(tb_instant_sub(at(-1), nanos(MAX)).ns, MIN, "INS-11 I(-1) - MAX fits exactly");
    is(tb_instant_sub(at(-1), nanos(MIN)).ns, MAX, "INS-11 I(-1) - MIN fits exactly");
    is(tb_instant_add(tb_instant_forever(), nanos(-1)).ns, MAX - 1, "INS-11 forever() is no trap: it moves back");
    is(tb_instant_since(at(MAX), at(-1)).ns, MIN, "INS-11 TRP-01 I(MAX) - I(-1) wraps");
    is(tb_instant_since(at(MIN), at(1)).ns, MAX, "INS-11 TRP-01 I(MIN) - I(1) wraps");
}

int main(void)
{
    the_steady_clock();
    sleeping();
    reckoning();
    comparing();
    the_ends();
    return tap_done();
}
