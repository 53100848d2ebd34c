/* Durations at the ends of their range: every operation wraps, its checked form refuses, its saturating form stops.
   Each result is also compared with the exact one, reckoned in 128 bits. Under UBSan this shows that nothing overflows. */
#include "random.h"
#include "tap.h"

#include <timerbench/time.h>

__extension__ typedef __int128 wide;

static tb_duration nanos(int64_t n) { return tb_duration_from_nanos(n); }

static const int64_t MAX = INT64_MAX, MIN = INT64_MIN;

typedef struct unit {
    int64_t ns;
    tb_duration (*make)(int64_t);
    bool (*make_checked)(int64_t, tb_duration *);
    tb_duration (*make_saturating)(int64_t);
} unit;

static const unit units[] = {
    {1000, tb_duration_from_micros, tb_duration_from_micros_checked, tb_duration_from_micros_saturating},
    {1000000, tb_duration_from_millis, tb_duration_from_millis_checked, tb_duration_from_millis_saturating},
    {1000000000, tb_duration_from_seconds, tb_duration_from_seconds_checked, tb_duration_from_seconds_saturating},
    {60000000000, tb_duration_from_minutes, tb_duration_from_minutes_checked, tb_duration_from_minutes_saturating},
    {3600000000000, tb_duration_from_hours, tb_duration_from_hours_checked, tb_duration_from_hours_saturating},
};

static void wrapping(void)
{
    tb_duration past = tb_duration_add(nanos(MAX), nanos(1));
    is(past.ns, MIN, "DUR-19 DUR-23 MAX + 1 ns wraps to MIN");
    ok(tb_duration_is_negative(past), "DUR-19 which is negative");
    is(tb_duration_from_hours(2562047).ns, 9223369200000000000, "DUR-20 the most hours that fit");
    is(tb_duration_from_hours(2562048).ns, -9223371273709551616, "DUR-20 DUR-23 one hour more wraps");
    is(tb_duration_abs(nanos(MIN)).ns, MIN, "DUR-21 DUR-23 abs of MIN is MIN");
    is(tb_duration_div(nanos(MIN), -1).ns, MIN, "DUR-23 TRP-02 MIN / -1 is MIN, without a trap");

    is(tb_duration_mul(nanos(MAX), 2).ns, -2, "DUR-24 MAX * 2");
    is(tb_duration_mul(nanos(MIN), -1).ns, MIN, "DUR-24 MIN * -1");
    is(tb_duration_neg(nanos(MIN)).ns, MIN, "DUR-24 -MIN");
    is(tb_duration_sub(nanos(MIN), nanos(1)).ns, MAX, "DUR-24 MIN - 1 ns");
    is(tb_duration_from_seconds(9223372037).ns, -9223372036709551616, "DUR-24 from_seconds one past the range");
    is(tb_duration_from_seconds(MAX).ns, -1000000000, "DUR-24 from_seconds of MAX");
    is(tb_duration_from_millis(MAX).ns, -1000000, "DUR-24 from_millis of MAX");
    is(tb_duration_from_micros(MAX).ns, -1000, "DUR-24 from_micros of MAX");
    is(tb_duration_from_minutes(153722868).ns, -9223371993709551616, "DUR-24 from_minutes one past the range");
}

static void refusing_and_stopping(void)
{
    tb_duration out = nanos(42);
    ok(!tb_duration_add_checked(nanos(MAX), nanos(1), &out), "GB-03 add_checked(MAX, 1) has no result");
    ok(!tb_duration_from_hours_checked(2562048, &out), "GB-03 from_hours_checked(2562048) has none");
    ok(!tb_duration_neg_checked(nanos(MIN), &out) && !tb_duration_abs_checked(nanos(MIN), &out),
       "GB-03 MIN has no checked negative and no checked abs");
    ok(!tb_duration_div_checked(nanos(MIN), -1, &out), "GB-03 TRP-02 MIN / -1 has no checked result");
    ok(!tb_duration_div_checked(nanos(1), 0, &out), "GB-03 a division by 0 has none either");
    is(out.ns, 42, "GB-03 a refused operation leaves *out as it was");
    ok(tb_duration_from_hours_checked(2562047, &out) && out.ns == 9223369200000000000,
       "GB-03 from_hours_checked(2562047) fits");

    is(tb_duration_add_saturating(nanos(MAX), nanos(1)).ns, MAX, "GB-03 add_saturating(MAX, 1)");
    is(tb_duration_abs_saturating(nanos(MIN)).ns, MAX, "GB-03 abs_saturating(MIN)");
    is(tb_duration_div_saturating(nanos(MIN), -1).ns, MAX, "GB-03 div_saturating(MIN, -1)");
    is(tb_duration_from_hours_saturating(-2562048).ns, MIN, "GB-03 from_hours_saturating below the range");
}

static int64_t wrapped(wide exact)
{
    return (int64_t)(uint64_t)exact;
}

/* How many of the three forms' results are not what the exact result says they must be. */
static int disagreements(wide exact, tb_duration wrapping, bool fits, tb_duration checked, tb_duration saturating)
{
    bool in_range = exact >= MIN && exact <= MAX;
    int64_t stopped = in_range ? (int64_t)exact : exact < 0 ? MIN : MAX;
    return (wrapping.ns != wrapped(exact)) + (fits != in_range) + (in_range && checked.ns != (int64_t)exact) +
           (saturating.ns != stopped);
}

static int disagreements_of_one(int64_t n)
{
    tb_duration d = nanos(n), out = nanos(0);
    int wrong = 0;
    bool fits = tb_duration_neg_checked(d, &out);
    wrong += disagreements(-(wide)n, tb_duration_neg(d), fits, out, tb_duration_neg_saturating(d));
    fits = tb_duration_abs_checked(d, &out);
    wrong += disagreements(n < 0 ? -(wide)n : n, tb_duration_abs(d), fits, out, tb_duration_abs_saturating(d));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        fits = units[i].make_checked(n, &out);
        wrong += disagreements((wide)n * units[i].ns, units[i].make(n), fits, out, units[i].make_saturating(n));
    }
    return wrong;
}

static int disagreements_of_two(int64_t m, int64_t n)
{
    tb_duration a = nanos(m), b = nanos(n), out = nanos(0);
    int wrong = 0;
    bool fits = tb_duration_add_checked(a, b, &out);
    wrong += disagreements((wide)m + n, tb_duration_add(a, b), fits, out, tb_duration_add_saturating(a, b));
    fits = tb_duration_sub_checked(a, b, &out);
    wrong += disagreements((wide)m - n, tb_duration_sub(a, b), fits, out, tb_duration_sub_saturating(a, b));
    fits = tb_duration_mul_checked(a, n, &out);
    wrong += disagreements((wide)m * n, tb_duration_mul(a, n), fits, out, tb_duration_mul_saturating(a, n));
    if (n) {
        fits = tb_duration_div_checked(a, n, &out);
        wrong += disagreements((wide)m / n, tb_duration_div(a, n), fits, out, tb_duration_div_saturating(a, n));
    }
    return wrong;
}

static void against_exact_results(void)
{
    static const int64_t counts[] = {
        INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, INT64_MIN / 2 - 1, -9223372037, -9223372036, -2562048, -2562047,
        -4294967296, -1000000000, -3037000500, -2, -1, 0, 1, 2, 999999999, 1000000000, 3037000499, 3037000500,
        4294967296, 2562047, 2562048, 153722867, 153722868, 9223372036, 9223372037, 9223372036854, 9223372036855,
        9223372036854775, 9223372036854776, INT64_MAX / 2, INT64_MAX / 2 + 1, INT64_MAX - 1, INT64_MAX,
    };
    const size_t count = sizeof counts / sizeof *counts;
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += disagreements_of_one(counts[i]);
        for (size_t j = 0; j < count; j++)
            wrong += disagreements_of_two(counts[i], counts[j]);
    }
    none_of(wrong, "DUR-19 DUR-20 DUR-21 DUR-23 DUR-24 GB-03 TRP-02 all operations on all pairs of edge counts");

    uint64_t state = 1;
    wrong = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t m = random_count(&state), n = random_count(&state);
        wrong += disagreements_of_one(m) + disagreements_of_two(m, n);
    }
    none_of(wrong, "DUR-19 DUR-20 DUR-21 DUR-23 DUR-24 GB-03 TRP-02 all operations on 200000 random pairs");
}

int main(void)
{
    wrapping();
    refusing_and_stopping();
    against_exact_results();
    return tap_done();
}
