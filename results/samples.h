/* samples.h: medians, quantiles, intervals and means of measured figures. */
#ifndef RESULTS_SAMPLES_H
#define RESULTS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* The median of n > 0 values (the mean of the middle two when n is even). Sorts them. */
double tb_median(double *values, size_t n);

/* The q-quantile, 0 <= q <= 1, of n > 0 values: linear between order statistics, type 7 of R. J. Hyndman and Y. Fan, "Sample
   quantiles in statistical packages", The American Statistician 50(4), 1996; what R and numpy do unasked. Sorts the values. */
double tb_quantile(double *values, size_t n, double q);

typedef struct tb_interval {
    double low, high;
} tb_interval;

/* A bootstrap percentile interval of the median at `level` (0.95): the median of so many resamples with replacement, and the
   quantiles of those (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979). The same
   seed gives the same interval. n > 0; with one value the interval is that value. Allocates n doubles: {NAN, NAN} when it
   cannot. */
tb_interval tb_bootstrap_median(const double *values, size_t n, double level, unsigned resamples, uint64_t seed);

/* The same of a ratio of two independent medians, median(over[0..m)) / median(under[0..n)); each side is resampled by itself
   (two-sample bootstrap: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13).

   The values shall be independent of each other. Where each of several processes gave several figures, they are not: hand in
   one value a process, its median. Resampling those is resampling whole processes, what was measured in each left together:
   the cluster bootstrap, strategy 2 of A. C. Davison and D. V. Hinkley, "Bootstrap Methods and Their Application", 1997,
   section 3.8, who find that it keeps the variance better than resampling within the groups, too.

   The plain percentile interval and not BCa: BCa's acceleration comes from the jackknife, which fails for medians (Efron and
   Tibshirani, section 11.6).

   n, m, resamples > 0, all values > 0. Cost: resamples x (n + m). Allocates as much: {NAN, NAN} when it cannot. */
tb_interval tb_bootstrap_median_ratio(const double *under, size_t n, const double *over, size_t m, double level,
                                      unsigned resamples, uint64_t seed);

/* exp of the mean of the logarithms; n > 0, all values > 0. */
double tb_geometric_mean(const double *values, size_t n);

#endif
