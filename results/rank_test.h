/* rank_test.h: whether two samples come from one distribution, judged by ranks alone; and what many such tests allow to say. */
#ifndef RESULTS_RANK_TEST_H
#define RESULTS_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tb_rank_test {
    double u;   /* of `a`: how many pairs have the larger value in `a`, an equal pair counting half */
    double p;   /* two-sided */
    bool exact; /* from the exact distribution; false: from the normal approximation */
} tb_rank_test;

/* The Mann-Whitney U test (H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically
   larger than the other", Annals of Mathematical Statistics 18(1), 1947) of a[0..n) and b[0..m), independent values, n, m > 0.

   Without equal values and with at most TB_EXACT_RANKS in each sample, p is exact, by their recurrence. Otherwise it comes from
   the normal approximation, its variance corrected for ties and half a step taken off for continuity (E. L. Lehmann,
   "Nonparametrics: Statistical Methods Based on Ranks", 1975, chapter 1, sections 3 and 4); p is 1 when all values are equal.
   R's wilcox.test does the same.

   Cost: (n + m) log(n + m), exact n^2 m^2 steps. false: out of memory. */
bool tb_mann_whitney(const double *a, size_t n, const double *b, size_t m, tb_rank_test *out);

enum { TB_EXACT_RANKS = 49 };

/* The least two-sided p that n and m values can give: of two samples that do not overlap, 2 / C(n + m, n). n, m > 0. */
double tb_least_p(size_t n, size_t m);

/* Replaces p[0..n) by what they are worth when all n tests are looked at together, as adjusted p: comparing those with 0.05
   keeps the chance that any true null hypothesis is rejected at most 0.05, however the tests depend on each other (S. Holm, "A
   simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 1979). false: out of
   memory, and p is as before. Cost: n log n. */
bool tb_holm(double *p, size_t n);

#endif
