#include "results/noise_floor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/random.h"
#include "results/samples.h"

/* Of eleven units there are 11 x C(10, 5) splits, of twelve fewer. */
enum { DRAWN_SPLITS = 4000, MOST_SPLITS = DRAWN_SPLITS, NEITHER = 2 };
static_assert(MOST_SPLITS >= 11 * 252, "room for every split");

/* Units in ascending order, which half each is in, and what the splits so far came to. */
typedef struct splitting {
    double *sorted;
    unsigned char *half;
    size_t n;
    double *differences;
    size_t count;
} splitting;

/* The median of a half, found by counting: of an even half the mean of its middle two. */
static double median_of_half(const splitting *s, int half)
{
    size_t size = s->n / 2, seen = 0, i = 0;
    double lower = NAN;
    for (;; i++) {
        if (s->half[i] != half)
            continue;
        seen++;
        if (seen == (size + 1) / 2)
            lower = s->sorted[i];
        if (seen == size / 2 + 1)
            return (lower + s->sorted[i]) / 2;
    }
}

static void note_split(splitting *s)
{
    s->differences[s->count++] = fabs(log(median_of_half(s, 0) / median_of_half(s, 1)));
}

/* Every choice of half of those that are not left out. */
static void split_all_ways(splitting *s)
{
    for (size_t left_out = 0; left_out < (s->n % 2 ? s->n : 1); left_out++)
        for (uint32_t mask = 0; mask < 1u << s->n; mask++) {
            size_t ones = 0;
            for (size_t i = 0; i < s->n; i++) {
                s->half[i] = mask >> i & 1;
                ones += s->half[i];
            }
            if (ones != s->n / 2 || (s->n % 2 && s->half[left_out]))
                continue;
            if (s->n % 2)
                s->half[left_out] = NEITHER;
            note_split(s);
        }
}

static void split_at_random(splitting *s, uint64_t seed)
{
    for (size_t i = 0; i < s->n; i++)
        s->half[i] = i < s->n / 2 ? 0 : i < s->n / 2 * 2 ? 1 : NEITHER;
    for (int split = 0; split < DRAWN_SPLITS; split++) {
        for (size_t i = s->n; i > 1; i--) { /* Fisher and Yates */
            size_t j = tb_results_random(&seed) % i;
            unsigned char other = s->half[j];
            s->half[j] = s->half[i - 1];
            s->half[i - 1] = other;
        }
        note_split(s);
    }
}

bool tb_noise_floor(const double *units, size_t n, uint64_t seed, double *out)
{
    *out = NAN;
    if (n < TB_FEWEST_FOR_FLOOR)
        return true;
    splitting s = {malloc(n * sizeof *s.sorted), malloc(n), n, NULL, 0};
    s.differences = malloc(MOST_SPLITS * sizeof *s.differences);
    bool done = s.sorted && s.half && s.differences;
    if (done) {
        memcpy(s.sorted, units, n * sizeof *s.sorted);
        tb_median(s.sorted, n); /* sorts them */
        if (n <= TB_ALL_SPLITS)
            split_all_ways(&s);
        else
            split_at_random(&s, seed);
        *out = expm1(tb_quantile(s.differences, s.count, 0.95));
    }
    free(s.sorted);
    free(s.half);
    free(s.differences);
    return done;
}
