/* Medians, bootstrap intervals and geometric means of results/samples.h. */
#include <math.h>

#include "results/samples.h"
#include "tap.h"

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 * fabs(b); }

/* The exact distribution of the median of 5 draws from 5 values is known: P(median <= k-th) = P(Bin(5, k/5) >= 3). */
static double chance_at_most(int k)
{
    double p = k / 5.0, q = 1 - p;
    return 10 * p * p * p * q * q + 5 * p * p * p * p * q + p * p * p * p * p;
}

static void test_interval(void)
{
    const double values[] = {10, 20, 30, 40, 50};
    /* 0.95: the 2.5 % quantile is where the distribution function first reaches 0.025, and so on. */
    int low = 1, high = 1;
    while (chance_at_most(low) < 0.025)
        low++;
    while (chance_at_most(high) < 0.975)
        high++;
    tb_interval i = tb_bootstrap_median(values, 5, 0.95, 20000, 7);
    ok(near(i.low, 10.0 * low), "the low end is the exact bootstrap quantile (%d0)", low);
    ok(near(i.high, 10.0 * high), "the high end is the exact bootstrap quantile (%d0)", high);
    tb_interval again = tb_bootstrap_median(values, 5, 0.95, 20000, 7);
    ok(near(i.low, again.low) && near(i.high, again.high), "the same seed gives the same interval");
    i = tb_bootstrap_median(values, 1, 0.95, 100, 7);
    ok(near(i.low, 10) && near(i.high, 10), "of one value the interval is that value");
    i = tb_bootstrap_median(values, 5, 0.5, 20000, 7);
    ok(i.low > 10 && i.high < 50, "a lower level gives a narrower interval");
}

/* How often the interval holds the true median: it must be about as often as it says. */
static void test_coverage(void)
{
    enum { TRIALS = 2000, N = 15 };
    uint64_t x = 88172645463325252u;
    int held = 0;
    for (int t = 0; t < TRIALS; t++) {
        double values[N];
        for (int j = 0; j < N; j++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            values[j] = -log((double)(x >> 11) * 0x1p-53 + 0x1p-54); /* exponential: its median is ln 2 */
        }
        tb_interval i = tb_bootstrap_median(values, N, 0.95, 400, (uint64_t)t);
        held += i.low <= log(2) && log(2) <= i.high;
    }
    diag("95 %% intervals of 15 exponentials held the true median in %.1f %% of %d trials", 100.0 * held / TRIALS, TRIALS);
    ok(held > 0.91 * TRIALS && held < 0.99 * TRIALS, "a 95 %% interval holds the true median about 95 %% of the time");
}

int main(void)
{
    double odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    ok(near(tb_median(odd, 5), 3), "the median of five is the middle one");
    ok(near(tb_median(even, 4), 2.5), "the median of four is the mean of the middle two");
    ok(near(tb_median(one, 1), 7), "the median of one is itself");
    const double ratios[] = {1, 4, 16};
    ok(near(tb_geometric_mean(ratios, 3), 4), "the geometric mean of 1, 4, 16 is 4");
    test_interval();
    test_coverage();
    return tap_done();
}
