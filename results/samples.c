#include "results/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/random.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double tb_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return middle(values, n);
}

double tb_quantile(double *values, size_t n, double q)
{
    qsort(values, n, sizeof *values, by_value);
    double at = q * (double)(n - 1), below = floor(at);
    size_t i = (size_t)below;
    return i + 1 < n ? values[i] + (at - below) * (values[i + 1] - values[i]) : values[n - 1];
}

/* The order statistics between which `level` of the resampled figures lie: the outer ones where a quantile falls between two.
   Sorts the figures. */
static tb_interval percentiles(double *figures, unsigned n, double level)
{
    double tail = (1 - level) / 2;
    qsort(figures, n, sizeof *figures, by_value);
    return (tb_interval){figures[(size_t)floor(tail * (n - 1))], figures[(size_t)ceil((1 - tail) * (n - 1))]};
}

tb_interval tb_bootstrap_median(const double *values, size_t n, double level, unsigned resamples, uint64_t seed)
{
    tb_interval interval = {NAN, NAN};
    double *sample = malloc(n * sizeof *sample), *medians = malloc(resamples * sizeof *medians);
    if (sample && medians && n > 0 && resamples > 0) {
        for (unsigned i = 0; i < resamples; i++) {
            for (size_t j = 0; j < n; j++)
                sample[j] = values[tb_results_random(&seed) % n];
            medians[i] = tb_median(sample, n);
        }
        interval = percentiles(medians, resamples, level);
    }
    free(sample);
    free(medians);
    return interval;
}

/* A sample that is drawn from again and again: in order, so that a resample is how often each value was drawn, and its median
   is found by counting. */
typedef struct source {
    double *sorted;
    uint32_t *drawn;
    size_t n;
} source;

static source make_source(const double *values, size_t n)
{
    source s = {malloc(n * sizeof *s.sorted), malloc(n * sizeof *s.drawn), n};
    if (s.sorted) {
        memcpy(s.sorted, values, n * sizeof *s.sorted);
        qsort(s.sorted, n, sizeof *s.sorted, by_value);
    }
    return s;
}

static void free_source(source *s)
{
    free(s->sorted);
    free(s->drawn);
}

static double resample_median(const source *s, uint64_t *random)
{
    memset(s->drawn, 0, s->n * sizeof *s->drawn);
    for (size_t i = 0; i < s->n; i++)
        s->drawn[tb_results_random(random) % s->n]++;
    size_t i = 0, seen = s->drawn[0];
    while (seen <= (s->n - 1) / 2)
        seen += s->drawn[++i];
    double lower = s->sorted[i];
    while (seen <= s->n / 2)
        seen += s->drawn[++i];
    return (lower + s->sorted[i]) / 2;
}

tb_interval tb_bootstrap_median_ratio(const double *under, size_t n, const double *over, size_t m, double level,
                                      unsigned resamples, uint64_t seed)
{
    tb_interval interval = {NAN, NAN};
    source a = make_source(under, n), b = make_source(over, m);
    double *ratios = malloc(resamples * sizeof *ratios);
    if (a.sorted && a.drawn && b.sorted && b.drawn && ratios) {
        for (unsigned i = 0; i < resamples; i++) {
            double median = resample_median(&a, &seed);
            ratios[i] = resample_median(&b, &seed) / median;
        }
        interval = percentiles(ratios, resamples, level);
    }
    free_source(&a);
    free_source(&b);
    free(ratios);
    return interval;
}

double tb_geometric_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return exp(sum / (double)n);
}
