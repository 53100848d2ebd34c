/* samples.h: medians, intervals and means of measured figures. */
#ifndef RESULTS_SAMPLES_H
#define RESULTS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* The median of n > 0 values (the mean of the middle two when n is even). Sorts them. */
double tb_median(double *values, size_t n);

typedef struct tb_interval {
    double low, high;
} tb_interval;

/* A bootstrap percentile interval of the median at `level` (0.95): the median of so many resamples with replacement, and the
   quantiles of those (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979). The same
   seed gives the same interval. n > 0; with one value the interval is that value. Allocates n doubles: {NAN, NAN} when it
   cannot. */
tb_interval tb_bootstrap_median(const double *values, size_t n, double level, unsigned resamples, uint64_t seed);

/* exp of the mean of the logarithms; n > 0, all values > 0. */
double tb_geometric_mean(const double *values, size_t n);

#endif
