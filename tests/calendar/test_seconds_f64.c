/* Seconds as a double: how far they are from the exact quotient, reckoned in whole numbers alone. */
#include "random.h"
#include "tap.h"

#include <timerbench/time.h>

#include <float.h>
#include <math.h>

__extension__ typedef __int128 wide;

_Static_assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53, "the reckoning below is for IEEE 754 binary64");

static double largest_error; /* in ulps, for the report */

/* Whether value is within 1 ulp of ns / 10^9.

   value = m * 2^-k with |m| in [2^52, 2^53), so one ulp of it is 2^-k, and
       |value - ns / 10^9| <= 2^-k   <=>   |m * 10^9 - ns * 2^k| <= 10^9,
   all of it whole: |value| < 2^34 gives k >= 19, |value| >= 10^-9 gives k <= 82. Below a power of two an ulp is half as
   large as above it; where value is such a power and the exact quotient is below, the smaller is taken. No side
   overflows: m * 10^9 < 2^83, and ns * 2^k is about as large once value is roughly right, which is looked at first. */
static bool within_one_ulp(double value, int64_t ns)
{
    if (ns == 0)
        return value == 0;
    double rough = value * 1e9;
    if (!(fabs(rough - (double)ns) <= fabs((double)ns) * 1e-9))
        return false;
    int exponent;
    wide m = (wide)ldexp(frexp(value, &exponent), DBL_MANT_DIG);
    int k = DBL_MANT_DIG - exponent;
    wide error = m * 1000000000 - ns * ((wide)1 << k);
    wide ulp = 1000000000;
    bool power_of_two = m == (wide)1 << 52 || m == -((wide)1 << 52);
    if (power_of_two && (m > 0) == (error > 0))
        ulp /= 2;
    if (error < 0)
        error = -error;
    double ulps = (double)error / (double)ulp;
    if (ulps > largest_error)
        largest_error = ulps;
    return error <= ulp;
}

static bool right(int64_t ns)
{
    return within_one_ulp(tb_duration_seconds_f64(tb_duration_from_nanos(ns)), ns);
}

/* One rounding of the count, then one of the quotient: what the two parts are there to do better than. */
static double in_one_part(int64_t ns)
{
    return (double)ns / 1e9;
}

int main(void)
{
    ok(tb_duration_seconds_f64(tb_duration_from_millis(1999)) == 1.999, "DUR-09 1999 ms are 1.999 s");
    ok(tb_duration_seconds_f64(tb_duration_from_millis(-1500)) == -1.5, "DUR-09 -1500 ms are -1.5 s");
    ok(tb_duration_seconds_f64(tb_duration_zero()) == 0, "DUR-09 zero is 0 s");

    tb_duration far = tb_duration_add(tb_duration_from_hours(100000), tb_duration_from_millis(1));
    ok(right(far.ns), "DUR-10 100000 h + 1 ms");
    ok(fabs(tb_duration_seconds_f64(far) - 360000000.001) <= ldexp(1, -24), "DUR-10 the same, within 2^-24 s");
    ok(right(INT64_MAX), "DUR-10 the longest Duration");
    ok(right(INT64_MIN), "DUR-10 the most negative Duration");

    int wrong = 0;
    for (int bit = 0; bit < 34; bit++)
        for (int64_t near = -1000; near <= 1000; near++) {
            /* Around each power of two of seconds, where the size of an ulp changes. */
            int64_t ns = bit == 33 ? INT64_MAX - 1000 + near : ((int64_t)1 << bit) * TB_NANOS_PER_SECOND + near;
            wrong += !right(ns) + !right(-ns);
        }
    none_of(wrong, "DUR-10 within 1 ulp around every power of two of seconds");

    uint64_t state = 10;
    wrong = 0;
    for (int i = 0; i < 500000; i++)
        wrong += !right((int64_t)random_next(&state)) + !right(random_count(&state));
    none_of(wrong, "DUR-10 within 1 ulp for 10^6 random Durations, half of them uniform, half of every magnitude");
    diag("largest error seen: %.4f ulp", largest_error);

    int caught = 0;
    for (int i = 0; i < 500000; i++) {
        int64_t ns = (int64_t)random_next(&state);
        caught += !within_one_ulp(in_one_part(ns), ns);
    }
    ok(caught > 0, "DUR-10 the check tells: %d of 500000 quotients rounded twice are past 1 ulp", caught);
    return tap_done();
}
