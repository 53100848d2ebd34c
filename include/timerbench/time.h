/* time.h: time values. How long (tb_duration), when on the machine's steady clock (tb_instant), when on the calendar's
   clock (tb_timestamp), and a clock that a program reads instants from, real or synthetic (tb_clock).

   Each value is one signed 64-bit count of nanoseconds, about 292 years either way, in a struct of its own, so that
   mixing the kinds does not compile. Pass them by value; a zeroed one is zero, the origin, the epoch. The member ns is
   there for initialisers and for columns of values; otherwise use the functions.

   What happens at the ends of the range is fixed:
   - Duration arithmetic wraps in two's complement, silently and without undefined behaviour; the forms that end in
     _checked and _saturating do not wrap;
   - an Instant or a Timestamp moved by a Duration stops at the end of its range: a moment too far ahead never becomes
     one in the past. The difference of two is a Duration and wraps.

   Every function is inline and costs an instruction or a few (a division where it divides), but for the three that ask
   the operating system: tb_instant_now, tb_timestamp_now and tb_thread_sleep. All may be called from any thread.
   Needs gcc or clang (their overflow builtins and two's complement conversions). */
#ifndef TIMERBENCH_TIME_H
#define TIMERBENCH_TIME_H

#include <timerbench/assert.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TB_NANOS_PER_MICRO  INT64_C(1000)
#define TB_NANOS_PER_MILLI  INT64_C(1000000)
#define TB_NANOS_PER_SECOND INT64_C(1000000000)
#define TB_NANOS_PER_MINUTE INT64_C(60000000000)
#define TB_NANOS_PER_HOUR   INT64_C(3600000000000)

/* A signed length of time in nanoseconds. A negative one is a value like any other. */
typedef struct tb_duration {
    int64_t ns;
} tb_duration;

/* A point of the machine's steady clock: nanoseconds since that clock's origin, which is arbitrary (near the machine's
   start). The clock never goes back and setting the calendar clock does not move it, so it is the one to measure with
   and to set deadlines by. Only differences within one run of the machine mean anything. */
typedef struct tb_instant {
    int64_t ns;
} tb_instant;

/* A moment of UTC: nanoseconds since 1970-01-01T00:00:00Z as Unix time counts them, without leap seconds (every day is
   86400 s), negative before. From 1677-09-21 to 2262-04-11. The calendar clock can be set, back too: measure with
   Instants, never with two Timestamps. */
typedef struct tb_timestamp {
    int64_t ns;
} tb_timestamp;

/* ---- Duration: making one, reading one ---------------------------------------------------------------------------- */

/* The zero Duration as an initialiser, for static objects and members too; as a value it is tb_duration_zero(). */
#define TB_DURATION_ZERO {0}

/* A Duration of n units, n any int64_t. All but nanos wrap where the product leaves the range (hours: past 2562047). */
static inline tb_duration tb_duration_from_nanos(int64_t n)
{
    tb_duration d = {n};
    return d;
}

/* d * factor, wrapping. */
static inline tb_duration tb_duration_mul(tb_duration d, int64_t factor)
{
    return tb_duration_from_nanos((int64_t)((uint64_t)d.ns * (uint64_t)factor));
}

static inline tb_duration tb_duration_zero(void)
{
    return tb_duration_from_nanos(0);
}

static inline tb_duration tb_duration_from_micros(int64_t n)
{
    return tb_duration_mul(tb_duration_from_nanos(TB_NANOS_PER_MICRO), n);
}

static inline tb_duration tb_duration_from_millis(int64_t n)
{
    return tb_duration_mul(tb_duration_from_nanos(TB_NANOS_PER_MILLI), n);
}

static inline tb_duration tb_duration_from_seconds(int64_t n)
{
    return tb_duration_mul(tb_duration_from_nanos(TB_NANOS_PER_SECOND), n);
}

static inline tb_duration tb_duration_from_minutes(int64_t n)
{
    return tb_duration_mul(tb_duration_from_nanos(TB_NANOS_PER_MINUTE), n);
}

static inline tb_duration tb_duration_from_hours(int64_t n)
{
    return tb_duration_mul(tb_duration_from_nanos(TB_NANOS_PER_HOUR), n);
}

#define TB_DURATION_MIN tb_duration_from_nanos(INT64_MIN)
#define TB_DURATION_MAX tb_duration_from_nanos(INT64_MAX)

/* The whole count of a unit, the fraction dropped toward zero: 1.999 s is 1 second, -1.999 s is -1. */
static inline int64_t tb_duration_nanos(tb_duration d) { return d.ns; }
static inline int64_t tb_duration_micros(tb_duration d) { return d.ns / TB_NANOS_PER_MICRO; }
static inline int64_t tb_duration_millis(tb_duration d) { return d.ns / TB_NANOS_PER_MILLI; }
static inline int64_t tb_duration_seconds(tb_duration d) { return d.ns / TB_NANOS_PER_SECOND; }
static inline int64_t tb_duration_minutes(tb_duration d) { return d.ns / TB_NANOS_PER_MINUTE; }
static inline int64_t tb_duration_hours(tb_duration d) { return d.ns / TB_NANOS_PER_HOUR; }

/* Seconds with their fraction, within 1 ulp of the exact value over the whole range. */
static inline double tb_duration_seconds_f64(tb_duration d)
{
    /* In two parts, since a count past 2^53 would be rounded before the division and again by it. The whole seconds are
       exact. The fraction, below 1, is off by 2^-54 at most: a quarter ulp of any sum of 1 or more, to which the
       addition adds half a one. With no whole seconds the division is the only rounding. */
    return (double)(d.ns / TB_NANOS_PER_SECOND) + (double)(d.ns % TB_NANOS_PER_SECOND) / 1e9;
}

static inline bool tb_duration_is_zero(tb_duration d) { return d.ns == 0; }
static inline bool tb_duration_is_negative(tb_duration d) { return d.ns < 0; }

/* ---- Duration: arithmetic, wrapping ------------------------------------------------------------------------------- */

static inline tb_duration tb_duration_add(tb_duration a, tb_duration b)
{
    return tb_duration_from_nanos((int64_t)((uint64_t)a.ns + (uint64_t)b.ns));
}

static inline tb_duration tb_duration_sub(tb_duration a, tb_duration b)
{
    return tb_duration_from_nanos((int64_t)((uint64_t)a.ns - (uint64_t)b.ns));
}

/* -d; of TB_DURATION_MIN, itself. */
static inline tb_duration tb_duration_neg(tb_duration d)
{
    return tb_duration_from_nanos((int64_t)(0 - (uint64_t)d.ns));
}

/* The length without its sign; of TB_DURATION_MIN, itself. */
static inline tb_duration tb_duration_abs(tb_duration d)
{
    return d.ns < 0 ? tb_duration_neg(d) : d;
}

/* d / divisor, toward zero; TB_DURATION_MIN / -1 is TB_DURATION_MIN. A divisor of 0 is a broken precondition, as in any
   division of integers: asserted in debug builds, undefined in others. */
static inline tb_duration tb_duration_div(tb_duration d, int64_t divisor)
{
    tb_debug_assert(divisor != 0);
    /* The one quotient that does not fit traps on x86 (#DE). */
    return divisor == -1 ? tb_duration_neg(d) : tb_duration_from_nanos(d.ns / divisor);
}

/* ---- Duration: arithmetic, checked -------------------------------------------------------------------------------- */

/* Each of these answers whether the exact result fits; if so it is in *out, if not *out is as it was. */
static inline bool tb_duration_mul_checked(tb_duration d, int64_t factor, tb_duration *out)
{
    int64_t exact;
    if (__builtin_mul_overflow(d.ns, factor, &exact))
        return false;
    out->ns = exact;
    return true;
}

static inline bool tb_duration_from_micros_checked(int64_t n, tb_duration *out)
{
    return tb_duration_mul_checked(tb_duration_from_nanos(TB_NANOS_PER_MICRO), n, out);
}

static inline bool tb_duration_from_millis_checked(int64_t n, tb_duration *out)
{
    return tb_duration_mul_checked(tb_duration_from_nanos(TB_NANOS_PER_MILLI), n, out);
}

static inline bool tb_duration_from_seconds_checked(int64_t n, tb_duration *out)
{
    return tb_duration_mul_checked(tb_duration_from_nanos(TB_NANOS_PER_SECOND), n, out);
}

static inline bool tb_duration_from_minutes_checked(int64_t n, tb_duration *out)
{
    return tb_duration_mul_checked(tb_duration_from_nanos(TB_NANOS_PER_MINUTE), n, out);
}

static inline bool tb_duration_from_hours_checked(int64_t n, tb_duration *out)
{
    return tb_duration_mul_checked(tb_duration_from_nanos(TB_NANOS_PER_HOUR), n, out);
}

static inline bool tb_duration_add_checked(tb_duration a, tb_duration b, tb_duration *out)
{
    int64_t exact;
    if (__builtin_add_overflow(a.ns, b.ns, &exact))
        return false;
    out->ns = exact;
    return true;
}

static inline bool tb_duration_sub_checked(tb_duration a, tb_duration b, tb_duration *out)
{
    int64_t exact;
    if (__builtin_sub_overflow(a.ns, b.ns, &exact))
        return false;
    out->ns = exact;
    return true;
}

static inline bool tb_duration_neg_checked(tb_duration d, tb_duration *out)
{
    return tb_duration_sub_checked(tb_duration_zero(), d, out);
}

static inline bool tb_duration_abs_checked(tb_duration d, tb_duration *out)
{
    if (d.ns == INT64_MIN)
        return false;
    *out = tb_duration_abs(d);
    return true;
}

/* False for a divisor of 0, too. */
static inline bool tb_duration_div_checked(tb_duration d, int64_t divisor, tb_duration *out)
{
    if (divisor == 0 || (divisor == -1 && d.ns == INT64_MIN))
        return false;
    *out = tb_duration_div(d, divisor);
    return true;
}

/* ---- Duration: arithmetic, saturating ----------------------------------------------------------------------------- */

/* Each of these answers the exact result, or the end of the range on its side. */
static inline tb_duration tb_duration_mul_saturating(tb_duration d, int64_t factor)
{
    tb_duration result = (d.ns < 0) == (factor < 0) ? TB_DURATION_MAX : TB_DURATION_MIN;
    (void)tb_duration_mul_checked(d, factor, &result);
    return result;
}

static inline tb_duration tb_duration_from_micros_saturating(int64_t n)
{
    return tb_duration_mul_saturating(tb_duration_from_nanos(TB_NANOS_PER_MICRO), n);
}

static inline tb_duration tb_duration_from_millis_saturating(int64_t n)
{
    return tb_duration_mul_saturating(tb_duration_from_nanos(TB_NANOS_PER_MILLI), n);
}

static inline tb_duration tb_duration_from_seconds_saturating(int64_t n)
{
    return tb_duration_mul_saturating(tb_duration_from_nanos(TB_NANOS_PER_SECOND), n);
}

static inline tb_duration tb_duration_from_minutes_saturating(int64_t n)
{
    return tb_duration_mul_saturating(tb_duration_from_nanos(TB_NANOS_PER_MINUTE), n);
}

static inline tb_duration tb_duration_from_hours_saturating(int64_t n)
{
    return tb_duration_mul_saturating(tb_duration_from_nanos(TB_NANOS_PER_HOUR), n);
}

static inline tb_duration tb_duration_add_saturating(tb_duration a, tb_duration b)
{
    tb_duration result = b.ns < 0 ? TB_DURATION_MIN : TB_DURATION_MAX;
    (void)tb_duration_add_checked(a, b, &result);
    return result;
}

static inline tb_duration tb_duration_sub_saturating(tb_duration a, tb_duration b)
{
    tb_duration result = b.ns < 0 ? TB_DURATION_MAX : TB_DURATION_MIN;
    (void)tb_duration_sub_checked(a, b, &result);
    return result;
}

static inline tb_duration tb_duration_neg_saturating(tb_duration d)
{
    return tb_duration_sub_saturating(tb_duration_zero(), d);
}

static inline tb_duration tb_duration_abs_saturating(tb_duration d)
{
    return d.ns < 0 ? tb_duration_neg_saturating(d) : d;
}

/* The divisor must not be 0, as for tb_duration_div. */
static inline tb_duration tb_duration_div_saturating(tb_duration d, int64_t divisor)
{
    return divisor == -1 ? tb_duration_neg_saturating(d) : tb_duration_div(d, divisor);
}

/* ---- Duration: comparisons ---------------------------------------------------------------------------------------- */

/* -1, 0 or 1 as a is less than, equal to or greater than b. */
static inline int tb_duration_compare(tb_duration a, tb_duration b)
{
    return (a.ns > b.ns) - (a.ns < b.ns);
}

static inline bool tb_duration_eq(tb_duration a, tb_duration b) { return a.ns == b.ns; }
static inline bool tb_duration_ne(tb_duration a, tb_duration b) { return a.ns != b.ns; }
static inline bool tb_duration_lt(tb_duration a, tb_duration b) { return a.ns < b.ns; }
static inline bool tb_duration_le(tb_duration a, tb_duration b) { return a.ns <= b.ns; }
static inline bool tb_duration_gt(tb_duration a, tb_duration b) { return a.ns > b.ns; }
static inline bool tb_duration_ge(tb_duration a, tb_duration b) { return a.ns >= b.ns; }

/* ---- Instant ------------------------------------------------------------------------------------------------------ */

/* A count of nanoseconds from the clock's origin, and back, for a program that keeps a count of its own. */
static inline tb_instant tb_instant_from_nanos(int64_t n)
{
    tb_instant i = {n};
    return i;
}

static inline int64_t tb_instant_nanos(tb_instant i)
{
    return i.ns;
}

#define TB_INSTANT_MIN tb_instant_from_nanos(INT64_MIN)
#define TB_INSTANT_MAX tb_instant_from_nanos(INT64_MAX)

/* The instant that never comes: TB_INSTANT_MAX. */
static inline tb_instant tb_instant_forever(void)
{
    return TB_INSTANT_MAX;
}

/* The instant d later (for a negative d: earlier), TB_INSTANT_MIN or TB_INSTANT_MAX where that is out of range. */
static inline tb_instant tb_instant_add(tb_instant i, tb_duration d)
{
    int64_t n;
    if (__builtin_add_overflow(i.ns, d.ns, &n))
        n = d.ns < 0 ? INT64_MIN : INT64_MAX;
    return tb_instant_from_nanos(n);
}

/* The instant d earlier (for a negative d: later), TB_INSTANT_MIN or TB_INSTANT_MAX where that is out of range. */
static inline tb_instant tb_instant_sub(tb_instant i, tb_duration d)
{
    int64_t n;
    if (__builtin_sub_overflow(i.ns, d.ns, &n))
        n = d.ns < 0 ? INT64_MAX : INT64_MIN;
    return tb_instant_from_nanos(n);
}

/* i - j: the Duration from j to i, negative when j is the later. Wraps past 292 years. */
static inline tb_duration tb_instant_since(tb_instant i, tb_instant j)
{
    return tb_duration_from_nanos((int64_t)((uint64_t)i.ns - (uint64_t)j.ns));
}

/* -1, 0 or 1 as i is earlier than, the same as or later than j. */
static inline int tb_instant_compare(tb_instant i, tb_instant j)
{
    return (i.ns > j.ns) - (i.ns < j.ns);
}

static inline bool tb_instant_eq(tb_instant i, tb_instant j) { return i.ns == j.ns; }
static inline bool tb_instant_ne(tb_instant i, tb_instant j) { return i.ns != j.ns; }
static inline bool tb_instant_lt(tb_instant i, tb_instant j) { return i.ns < j.ns; }
static inline bool tb_instant_le(tb_instant i, tb_instant j) { return i.ns <= j.ns; }
static inline bool tb_instant_gt(tb_instant i, tb_instant j) { return i.ns > j.ns; }
static inline bool tb_instant_ge(tb_instant i, tb_instant j) { return i.ns >= j.ns; }

/* The steady clock's time: clock_gettime(CLOCK_MONOTONIC) on Linux, QueryPerformanceCounter on Windows. */
TB_API tb_instant tb_instant_now(void);

/* The time that has passed since i. */
static inline tb_duration tb_instant_elapsed(tb_instant i)
{
    return tb_instant_since(tb_instant_now(), i);
}

/* Keeps the calling thread from running for at least d, on the steady clock; zero or less: returns at once. Signals do
   not shorten it. How much later it returns is the operating system's: tens of microseconds on Linux, up to a timer
   tick (15.6 ms by default) on Windows. */
TB_API void tb_thread_sleep(tb_duration d);

/* ---- Timestamp ---------------------------------------------------------------------------------------------------- */

static inline tb_timestamp tb_timestamp_from_unix_nanos(int64_t n)
{
    tb_timestamp t = {n};
    return t;
}

/* The moment s seconds after (for a negative s: before) 1970, TB_TIMESTAMP_MIN or TB_TIMESTAMP_MAX out of range. */
static inline tb_timestamp tb_timestamp_from_unix_seconds(int64_t s)
{
    return tb_timestamp_from_unix_nanos(tb_duration_from_seconds_saturating(s).ns);
}

static inline int64_t tb_timestamp_unix_nanos(tb_timestamp t)
{
    return t.ns;
}

/* Whole seconds rounded down, toward the past, as Unix time counts: half a second before 1970 is in second -1. */
static inline int64_t tb_timestamp_unix_seconds(tb_timestamp t)
{
    return t.ns / TB_NANOS_PER_SECOND - (t.ns % TB_NANOS_PER_SECOND < 0);
}

#define TB_TIMESTAMP_MIN tb_timestamp_from_unix_nanos(INT64_MIN)
#define TB_TIMESTAMP_MAX tb_timestamp_from_unix_nanos(INT64_MAX)

/* The moment d later (for a negative d: earlier), TB_TIMESTAMP_MIN or TB_TIMESTAMP_MAX where that is out of range. */
static inline tb_timestamp tb_timestamp_add(tb_timestamp t, tb_duration d)
{
    int64_t n;
    if (__builtin_add_overflow(t.ns, d.ns, &n))
        n = d.ns < 0 ? INT64_MIN : INT64_MAX;
    return tb_timestamp_from_unix_nanos(n);
}

/* The moment d earlier (for a negative d: later), TB_TIMESTAMP_MIN or TB_TIMESTAMP_MAX where that is out of range. */
static inline tb_timestamp tb_timestamp_sub(tb_timestamp t, tb_duration d)
{
    int64_t n;
    if (__builtin_sub_overflow(t.ns, d.ns, &n))
        n = d.ns < 0 ? INT64_MAX : INT64_MIN;
    return tb_timestamp_from_unix_nanos(n);
}

/* t - u: the Duration from u to t, negative when u is the later. Wraps past 292 years. Between two readings of the
   calendar clock it is not the time that passed: the clock may have been set. */
static inline tb_duration tb_timestamp_since(tb_timestamp t, tb_timestamp u)
{
    return tb_duration_from_nanos((int64_t)((uint64_t)t.ns - (uint64_t)u.ns));
}

/* -1, 0 or 1 as t is earlier than, the same as or later than u. */
static inline int tb_timestamp_compare(tb_timestamp t, tb_timestamp u)
{
    return (t.ns > u.ns) - (t.ns < u.ns);
}

static inline bool tb_timestamp_eq(tb_timestamp t, tb_timestamp u) { return t.ns == u.ns; }
static inline bool tb_timestamp_ne(tb_timestamp t, tb_timestamp u) { return t.ns != u.ns; }
static inline bool tb_timestamp_lt(tb_timestamp t, tb_timestamp u) { return t.ns < u.ns; }
static inline bool tb_timestamp_le(tb_timestamp t, tb_timestamp u) { return t.ns <= u.ns; }
static inline bool tb_timestamp_gt(tb_timestamp t, tb_timestamp u) { return t.ns > u.ns; }
static inline bool tb_timestamp_ge(tb_timestamp t, tb_timestamp u) { return t.ns >= u.ns; }

/* UTC now, from the calendar clock: clock_gettime(CLOCK_REALTIME) on Linux, GetSystemTimePreciseAsFileTime on Windows
   (8 and later), there in steps of 100 ns. */
TB_API tb_timestamp tb_timestamp_now(void);

/* ---- Clock -------------------------------------------------------------------------------------------------------- */

/* Where a program that measures time reads it, so that a test, a replay or a simulation can hand it one that moves only
   when told to. One owner: a synthetic clock that several threads use needs their lock. */
typedef struct tb_clock {
    bool synthetic; /* which kind it is */
    tb_instant at;  /* where a synthetic clock stands; tb_clock_advance alone moves it */
} tb_clock;

/* A clock that reads tb_instant_now(). */
static inline tb_clock tb_clock_real(void)
{
    tb_clock c = {false, {0}};
    return c;
}

/* A synthetic clock that stands at instant 0. */
static inline tb_clock tb_clock_synth(void)
{
    tb_clock c = {true, {0}};
    return c;
}

static inline tb_instant tb_clock_now(const tb_clock *c)
{
    return c->synthetic ? c->at : tb_instant_now();
}

/* Moves a synthetic clock on by exactly d (at the end of the range, to it). Asserts, in every build, that the clock is
   synthetic and that d is not negative: a clock never goes back. */
static inline void tb_clock_advance(tb_clock *c, tb_duration d)
{
    tb_assert(c->synthetic);
    tb_assert(!tb_duration_is_negative(d));
    c->at = tb_instant_add(c->at, d);
}

#ifdef __cplusplus
}
#endif
#endif
