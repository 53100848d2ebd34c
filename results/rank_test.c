#include "results/rank_test.h"

#include <math.h>
#include <stdlib.h>

/* ---- Mann-Whitney ------------------------------------------------------------------------------------------------ */

typedef struct ranked {
    double value;
    bool of_a;
} ranked;

static int by_value(const void *a, const void *b)
{
    double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

typedef struct ranks {
    double u;
    double ties; /* the sum of t^3 - t over groups of t equal values */
} ranks;

static ranks rank(const ranked *all, size_t count, size_t n)
{
    ranks r = {0, 0};
    double sum = 0;
    for (size_t i = 0, end; i < count; i = end) {
        size_t of_a = 0;
        for (end = i; end < count && all[end].value == all[i].value; end++)
            of_a += all[end].of_a;
        double t = (double)(end - i);
        sum += (double)of_a * ((double)(i + end + 1) / 2); /* ranks i + 1 ... end share their mean */
        r.ties += t * t * t - t;
    }
    r.u = sum - (double)n * ((double)n + 1) / 2;
    return r;
}

/* P(U <= u) of n and m values without ties. The chance that U is u with i and j values is that of the largest being one of the
   i, which is then above all j, or one of the j: i/(i+j) P(i-1, j, u-j) + j/(i+j) P(i, j-1, u). NAN: out of memory. */
static double chance_at_most(size_t u, size_t n, size_t m)
{
    size_t width = n * m + 1;
    double *p = calloc((n + 1) * width, sizeof *p); /* p[i * width + u], for the j at hand */
    if (!p)
        return NAN;
    for (size_t i = 0; i <= n; i++)
        p[i * width] = 1;
    for (size_t j = 1; j <= m; j++) {
        for (size_t i = 1; i <= n; i++) {
            double from_i = (double)i / (double)(i + j), from_j = (double)j / (double)(i + j);
            double *now = p + i * width, *less = now - width;
            for (size_t x = 0; x <= i * j; x++)
                now[x] = from_j * now[x] + (x >= j ? from_i * less[x - j] : 0);
        }
    }
    double sum = 0;
    for (size_t x = 0; x <= u; x++)
        sum += p[n * width + x];
    free(p);
    return sum;
}

static double exact_p(double u, size_t n, size_t m)
{
    double other = (double)(n * m) - u;
    double p = 2 * chance_at_most((size_t)(u < other ? u : other), n, m);
    return p > 1 ? 1 : p;
}

static double normal_p(const ranks *r, size_t n, size_t m)
{
    double a = (double)n, b = (double)m, all = a + b;
    double variance = a * b / 12 * (all + 1 - r->ties / (all * (all - 1)));
    double distance = fabs(r->u - a * b / 2) - 0.5;
    if (!(variance > 0) || distance <= 0)
        return 1;
    return erfc(distance / sqrt(2 * variance));
}

bool tb_mann_whitney(const double *a, size_t n, const double *b, size_t m, tb_rank_test *out)
{
    ranked *all = malloc((n + m) * sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < n; i++)
        all[i] = (ranked){a[i], true};
    for (size_t i = 0; i < m; i++)
        all[n + i] = (ranked){b[i], false};
    qsort(all, n + m, sizeof *all, by_value);
    ranks r = rank(all, n + m, n);
    free(all);
    out->u = r.u;
    out->exact = r.ties == 0 && n <= TB_EXACT_RANKS && m <= TB_EXACT_RANKS;
    out->p = out->exact ? exact_p(r.u, n, m) : normal_p(&r, n, m);
    return !isnan(out->p);
}

double tb_least_p(size_t n, size_t m)
{
    double p = 2;
    for (size_t i = 1; i <= n; i++)
        p *= (double)i / (double)(m + i);
    return p > 1 ? 1 : p;
}

/* ---- Holm -------------------------------------------------------------------------------------------------------- */

typedef struct numbered {
    double p;
    size_t index;
} numbered;

static int by_p(const void *a, const void *b)
{
    double x = ((const numbered *)a)->p, y = ((const numbered *)b)->p;
    return (x > y) - (x < y);
}

bool tb_holm(double *p, size_t n)
{
    numbered *order = malloc((n ? n : 1) * sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = (numbered){p[i], i};
    qsort(order, n, sizeof *order, by_p);
    double least = 0; /* adjusted p never fall below those of smaller p */
    for (size_t i = 0; i < n; i++) {
        double adjusted = fmin(1, (double)(n - i) * order[i].p);
        least = fmax(least, adjusted);
        p[order[i].index] = least;
    }
    free(order);
    return true;
}
