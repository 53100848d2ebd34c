/* Timestamps: moments of UTC. The headers of the C library and of sockets are here too, to show that no name of
   time.h meets one of theirs. */
#include "tap.h"

#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include <timerbench/time.h>

static tb_timestamp unix_nanos(int64_t n) { return tb_timestamp_from_unix_nanos(n); }
static tb_timestamp unix_seconds(int64_t s) { return tb_timestamp_from_unix_seconds(s); }
static tb_duration nanos(int64_t n) { return tb_duration_from_nanos(n); }

static const int64_t MAX = INT64_MAX, MIN = INT64_MIN;

static void counts(void)
{
    static tb_timestamp unset;
    is(tb_timestamp_unix_nanos(unset), 0, "TSP-01 a Timestamp nobody set is the epoch");
    is(tb_timestamp_unix_nanos(unix_nanos(-1)), -1, "TSP-01 a moment before the epoch is negative");
    is(sizeof(tb_timestamp), sizeof(int64_t), "TSP-01 a Timestamp is one 64-bit count");

    int wrong = 0;
    for (int64_t k = -100000; k <= 100000; k++) {
        tb_timestamp midnight = unix_seconds(86400 * k);
        wrong += midnight.ns != k * 24 * TB_NANOS_PER_HOUR || tb_timestamp_unix_seconds(midnight) != 86400 * k ||
                 tb_timestamp_unix_seconds(tb_timestamp_sub(midnight, nanos(1))) != 86400 * k - 1;
    }
    none_of(wrong, "TSP-03 every 86400 s a day begins, for 100000 days either way");

    is(tb_timestamp_unix_nanos(unix_seconds(1759449600)), 1759449600000000000, "TSP-05 from seconds to nanoseconds");
    is(tb_timestamp_unix_seconds(unix_nanos(1759449600123456789)), 1759449600, "TSP-05 from nanoseconds to seconds");
    is(tb_timestamp_unix_nanos(unix_nanos(1759449600123456789)), 1759449600123456789, "TSP-05 nanoseconds come back");
    is(unix_seconds(9223372036).ns, 9223372036000000000, "TSP-05 the last whole second of the range");
    is(unix_seconds(9223372037).ns, MAX, "TSP-05 TSP-11 a second past the range stops at its end");
    is(unix_seconds(-9223372037).ns, MIN, "TSP-05 TSP-11 and one before it at its start");

    is(tb_timestamp_unix_seconds(unix_nanos(-500000000)), -1, "TSP-06 TRP-03 half a second before 1970 is in second -1");
    is(tb_timestamp_unix_seconds(unix_nanos(-1000000000)), -1, "TSP-06 TRP-03 a whole second before it as well");
    is(tb_timestamp_unix_seconds(unix_nanos(-1000000001)), -2, "TSP-06 TRP-03 a nanosecond more is in second -2");
    is(tb_timestamp_unix_seconds(unix_nanos(MIN)), -9223372037, "TSP-06 the first moment, without overflow");
    is(tb_timestamp_unix_seconds(unix_nanos(MAX)), 9223372036, "TSP-06 the last moment");
    is(tb_duration_seconds(nanos(-1000000001)), -1, "TRP-03 a Duration of the same count truncates instead");
}

static void the_calendar_clock(void)
{
    int64_t before = time(NULL);
    int64_t now = tb_timestamp_unix_seconds(tb_timestamp_now());
    /* Linux's time() reads a clock that moves by whole ticks (10 ms at the most), so it trails the fine one. */
    tb_thread_sleep(tb_duration_from_millis(20));
    int64_t after = time(NULL);
    ok(before <= now && now <= after, "TSP-04 TRP-13 now() lies between two calls of libc's time()");
    ok(now > 1767225600, "TSP-04 it is after 2026-01-01");

    struct timespec first, last;
    clock_gettime(CLOCK_REALTIME, &first);
    tb_timestamp between = tb_timestamp_now();
    clock_gettime(CLOCK_REALTIME, &last);
    ok(between.ns >= first.tv_sec * 1000000000 + first.tv_nsec && between.ns <= last.tv_sec * 1000000000 + last.tv_nsec,
       "TSP-04 INS-02 now() lies between two readings of CLOCK_REALTIME");
}

static void reckoning(void)
{
    tb_timestamp t = unix_seconds(1000);
    tb_duration two_minutes = tb_duration_from_minutes(2);
    is(tb_timestamp_unix_seconds(tb_timestamp_add(t, two_minutes)), 1120, "TSP-07 1000 s + 2 min");
    is(tb_timestamp_unix_seconds(tb_timestamp_sub(t, two_minutes)), 880, "TSP-07 1000 s - 2 min");
    is(tb_duration_seconds(tb_timestamp_since(t, tb_timestamp_add(t, two_minutes))), -120, "TSP-07 t - (t + 2 min)");
    is(tb_timestamp_unix_seconds(tb_timestamp_sub(unix_nanos(0), tb_duration_from_seconds(1))), -1,
       "TSP-07 the epoch - 1 s");

    is(tb_timestamp_add(unix_nanos(MAX), nanos(1)).ns, MAX, "TSP-11 the last moment + 1 ns stays");
    is(tb_timestamp_sub(unix_nanos(MIN), nanos(1)).ns, MIN, "TSP-11 the first moment - 1 ns stays");
    is(tb_timestamp_add(unix_nanos(-1), nanos(MIN)).ns, MIN, "TSP-11 TRP-01 TS(-1) + MIN stops at the first");
    is(tb_timestamp_sub(unix_nanos(0), nanos(MIN)).ns, MAX, "TSP-11 TRP-01 TS(0) - MIN stops at the last");
    is(tb_timestamp_sub(unix_nanos(-1), nanos(MIN)).ns, MAX, "TSP-11 TS(-1) - MIN fits exactly");
    is(TB_TIMESTAMP_MAX.ns, MAX, "TSP-11 TB_TIMESTAMP_MAX");
    is(TB_TIMESTAMP_MIN.ns, MIN, "TSP-11 TB_TIMESTAMP_MIN");
    is(tb_timestamp_since(unix_nanos(MIN), unix_nanos(1)).ns, MAX, "INS-11 TRP-01 TS(MIN) - TS(1) wraps");
}

static void comparing(void)
{
    ok(tb_timestamp_lt(unix_seconds(-14182940), unix_nanos(0)), "TSP-08 July 1969 is before the epoch");

    static const int64_t points[] = {INT64_MIN, INT64_MIN + 1, -1000000000, -1, 0, 1, 1000000000, INT64_MAX - 1, INT64_MAX};
    int wrong = 0;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        for (size_t j = 0; j < sizeof points / sizeof *points; j++) {
            tb_timestamp a = unix_nanos(points[i]), b = unix_nanos(points[j]);
            wrong += tb_timestamp_eq(a, b) != (i == j) || tb_timestamp_ne(a, b) != (i != j) ||
                     tb_timestamp_lt(a, b) != (i < j) || tb_timestamp_le(a, b) != (i <= j) ||
                     tb_timestamp_gt(a, b) != (i > j) || tb_timestamp_ge(a, b) != (i >= j) ||
                     tb_timestamp_compare(a, b) != (i > j) - (i < j);
        }
    none_of(wrong, "TSP-08 the six comparisons and compare order every pair, earlier being less");
}

int main(void)
{
    counts();
    the_calendar_clock();
    reckoning();
    comparing();
    return tap_done();
}
