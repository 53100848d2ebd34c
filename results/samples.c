#include "results/samples.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tb_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* splitmix64 (S. Vigna) */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

tb_interval tb_bootstrap_median(const double *values, size_t n, double level, unsigned resamples, uint64_t seed)
{
    tb_interval interval = {NAN, NAN};
    double *sample = malloc(n * sizeof *sample), *medians = malloc(resamples * sizeof *medians);
    if (sample && medians && n > 0 && resamples > 0) {
        for (unsigned i = 0; i < resamples; i++) {
            for (size_t j = 0; j < n; j++)
                sample[j] = values[next_random(&seed) % n];
            medians[i] = tb_median(sample, n);
        }
        qsort(medians, resamples, sizeof *medians, by_value);
        double tail = (1 - level) / 2;
        interval.low = medians[(size_t)floor(tail * (resamples - 1))];
        interval.high = medians[(size_t)ceil((1 - tail) * (resamples - 1))];
    }
    free(sample);
    free(medians);
    return interval;
}

double tb_geometric_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return exp(sum / (double)n);
}
