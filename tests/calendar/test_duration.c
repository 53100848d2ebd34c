/* Durations inside their range: making, reading, reckoning with and comparing them. */
#include "tap.h"

#include <timerbench/time.h>

static tb_duration nanos(int64_t n) { return tb_duration_from_nanos(n); }
static tb_duration millis(int64_t n) { return tb_duration_from_millis(n); }
static tb_duration seconds(int64_t n) { return tb_duration_from_seconds(n); }

typedef struct options {
    tb_duration timeout;
    int retries;
} options;

static const options default_options = {TB_DURATION_ZERO, 3};
static tb_duration default_duration;

static void making(void)
{
    is(tb_duration_nanos(nanos(-7)), -7, "DUR-01 a negative count is kept");
    is(sizeof(tb_duration), sizeof(int64_t), "DUR-01 a Duration is one 64-bit count");
    is(tb_duration_hours(nanos(INT64_MAX)), 2562047, "DUR-02 the longest Duration, in hours");
    is(tb_duration_nanos(nanos(INT64_MIN)), INT64_MIN, "DUR-02 the most negative Duration");

    is(tb_duration_from_micros(3).ns, 3000, "DUR-03 from_micros");
    is(tb_duration_from_millis(3).ns, 3000000, "DUR-03 from_millis");
    is(tb_duration_from_seconds(3).ns, 3000000000, "DUR-03 from_seconds");
    is(tb_duration_from_minutes(2).ns, 120000000000, "DUR-03 from_minutes");
    is(tb_duration_from_hours(2).ns, 7200000000000, "DUR-03 from_hours");

    ok(tb_duration_eq(default_duration, tb_duration_zero()), "DUR-04 a Duration nobody set equals zero()");
    ok(tb_duration_is_zero(default_duration), "DUR-04 and is_zero says so");
    ok(tb_duration_is_zero(default_options.timeout) && default_options.retries == 3,
       "DUR-05 TB_DURATION_ZERO initialises a member of a static object");
    options two = {tb_duration_from_seconds(2), 3};
    is(tb_duration_millis(two.timeout), 2000, "DUR-05 a member set to 2 s");
}

static void reading(void)
{
    is(tb_duration_seconds(millis(1999)), 1, "DUR-06 accessors drop the fraction");
    is(tb_duration_seconds(tb_duration_neg(millis(1999))), -1, "DUR-07 TRP-03 toward zero for a negated one too");
    is(tb_duration_seconds(millis(-1999)), -1, "DUR-07 TRP-03 and for one made negative");
    is(tb_duration_micros(nanos(-1999)), -1, "DUR-07 TRP-03 micros of -1999 ns");
    is(tb_duration_millis(nanos(-1999999)), -1, "DUR-07 TRP-03 millis of -1999999 ns");
    is(tb_duration_minutes(seconds(-119)), -1, "DUR-07 TRP-03 minutes of -119 s");
    is(tb_duration_hours(seconds(-7199)), -1, "DUR-07 TRP-03 hours of -7199 s");

    tb_duration d = nanos(5432109876543);
    is(tb_duration_nanos(d), 5432109876543, "DUR-08 nanos of 5432109876543 ns");
    is(tb_duration_micros(d), 5432109876, "DUR-08 micros of the same");
    is(tb_duration_millis(d), 5432109, "DUR-08 millis of the same");
    is(tb_duration_seconds(d), 5432, "DUR-08 seconds of the same");
    is(tb_duration_minutes(d), 90, "DUR-08 minutes of the same");
    is(tb_duration_hours(d), 1, "DUR-08 hours of the same");
}

static void reckoning(void)
{
    tb_duration minute = tb_duration_from_minutes(1);
    is(tb_duration_sub(seconds(90), minute).ns, seconds(30).ns, "DUR-11 90 s - 1 min");
    is(tb_duration_add(seconds(5), millis(1500)).ns, millis(6500).ns, "DUR-11 5 s + 1500 ms");
    is(tb_duration_neg(seconds(5)).ns, millis(-5000).ns, "DUR-12 -(5 s)");

    tb_duration total = tb_duration_zero();
    total = tb_duration_add(total, millis(250));
    total = tb_duration_add(total, tb_duration_from_micros(750));
    is(tb_duration_micros(total), 250750, "DUR-13 a total summed in place");
    total = tb_duration_add(seconds(5), millis(1500));
    total = tb_duration_sub(total, millis(500));
    is(tb_duration_millis(total), 6000, "DUR-13 5 s, then 1.5 s more, then 0.5 s less");

    is(tb_duration_mul(seconds(30), 4).ns, seconds(120).ns, "DUR-14 30 s * 4");
    is(tb_duration_mul(seconds(5), -2).ns, millis(-10000).ns, "DUR-14 5 s * -2");
    is(tb_duration_div(seconds(30), 4).ns, millis(7500).ns, "DUR-15 30 s / 4");
    is(tb_duration_div(nanos(-7), 2).ns, -3, "DUR-15 TRP-03 -7 ns / 2, toward zero");
    is(tb_duration_div(nanos(7), -2).ns, -3, "DUR-15 TRP-03 7 ns / -2, toward zero");

    tb_duration back = tb_duration_sub(minute, seconds(90));
    ok(tb_duration_is_negative(back), "DUR-17 1 min - 90 s is negative");
    ok(!tb_duration_is_negative(tb_duration_zero()), "DUR-17 zero is not negative");
    ok(tb_duration_is_zero(tb_duration_sub(seconds(60), minute)) && !tb_duration_is_zero(nanos(1)) &&
       !tb_duration_is_zero(nanos(-1)), "DUR-17 is_zero for zero alone");
    is(tb_duration_seconds(tb_duration_abs(back)), 30, "DUR-18 abs of 1 min - 90 s");
    is(tb_duration_abs(seconds(3)).ns, seconds(3).ns, "DUR-18 abs of what is not negative");
}

static void comparing(void)
{
    ok(tb_duration_eq(millis(1000), seconds(1)), "DUR-16 1000 ms == 1 s");
    ok(tb_duration_lt(tb_duration_from_micros(999999), seconds(1)), "DUR-16 999999 us < 1 s");
    ok(tb_duration_lt(seconds(-1), tb_duration_zero()), "DUR-16 -1 s < zero");
    ok(tb_duration_gt(seconds(90), tb_duration_from_minutes(1)), "DUR-16 90 s > 1 min");

    static const int64_t counts[] = {INT64_MIN, INT64_MIN + 1, -1000000000, -1, 0, 1, 1000000000, INT64_MAX - 1, INT64_MAX};
    int wrong = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
            tb_duration a = nanos(counts[i]), b = nanos(counts[j]);
            wrong += tb_duration_eq(a, b) != (i == j) || tb_duration_ne(a, b) != (i != j) ||
                     tb_duration_lt(a, b) != (i < j) || tb_duration_le(a, b) != (i <= j) ||
                     tb_duration_gt(a, b) != (i > j) || tb_duration_ge(a, b) != (i >= j) ||
                     tb_duration_compare(a, b) != (i > j) - (i < j);
        }
    none_of(wrong, "DUR-16 the six comparisons and compare order every pair of counts, the ends included");
}

#ifdef TB_DEBUG
static void divide_by_zero(void *unused)
{
    (void)unused;
    (void)tb_duration_div(nanos(1), 0);
}
#endif

int main(void)
{
    making();
    reading();
    reckoning();
    comparing();
#ifdef TB_DEBUG
    ok(aborts(divide_by_zero, NULL), "DUR-22 a debug build asserts that the divisor is not 0");
#endif
    return tap_done();
}
