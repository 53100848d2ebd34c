/* verdict.h: whether the new of two samples is slower than the base, faster, the same, or whether that cannot be said.

   A sample is one figure for each unit that was measured independently, which is a process: its median where it was measured
   several times. Several cells are judged as a family, since among many verdicts some would be wrong by chance:

       tb_judgement cells[2];
       for each: tb_judge(&cells[i], base, n, new, m, noise_floor, &how)
       tb_decide(cells, 2, &how)

   The rules, in full. `limit` is the greater of the threshold and the noise floor.

     slower   the ratio of the medians and the low end of its interval are above 1 + limit, and chance is ruled out
     faster   the ratio and the high end are below 1 / (1 + limit), and chance is ruled out: base and new changed places
     same     the interval lies within 1 / (1 + threshold) ... 1 + threshold
     unsure   anything else, and whenever a sample has fewer than TB_FEWEST_UNITS

   Chance is ruled out when p, corrected for all cells of the family (tb_holm), is at most `significance`; or when each unit of
   the one sample is beyond the limit from each unit of the other: then the bootstrap interval excludes the limit at every
   level, also at one corrected for however many cells. Few units cannot reach a small p, however far they are apart.

   A difference between the threshold and a noise floor above it is not the same: it is unsure. */
#ifndef RESULTS_VERDICT_H
#define RESULTS_VERDICT_H

#include "results/samples.h"

#include <stdbool.h>

/* In the order in which they matter. */
typedef enum { TB_SLOWER, TB_FASTER, TB_UNSURE, TB_SAME, TB_VERDICTS } tb_verdict;

/* "slower" ... */
const char *tb_verdict_name(tb_verdict verdict);

/* With fewer, a 95 % bootstrap interval of the ratio holds the true one in less than 95 % of cases: 94 % with four, 90 % with
   three (tests/results/test_verdict.c). */
enum { TB_FEWEST_UNITS = 5 };

typedef struct tb_judging {
    double threshold;    /* 0.05: differences up to 5 % do not matter; >= 0 */
    double level;        /* of the interval: 0.95 */
    double significance; /* of the corrected p: 0.05 */
    unsigned resamples;  /* of the bootstrap, for samples of usual size */
    uint64_t seed;
    const char *units; /* what the figures are of, for reasons */
} tb_judging;

/* Threshold 5 %, level 95 %, significance 5 %, 10,000 resamples, seed 1, "processes". */
tb_judging tb_judging_defaults(void);

enum { TB_REASON_SIZE = 320 };

typedef struct tb_judgement {
    size_t units[2];  /* of base and new */
    double median[2]; /* ns */
    double ratio;     /* of the medians, new / base */
    tb_interval interval; /* of the ratio; NAN with one unit in a sample */
    double level;         /* of the interval */
    double p, p_corrected; /* NAN with fewer than TB_FEWEST_UNITS in a sample */
    double noise_floor; /* NAN: unknown */
    double limit;
    bool apart; /* every unit of one sample is beyond the limit from every unit of the other */
    tb_verdict verdict;
    char reason[TB_REASON_SIZE]; /* of "unsure"; else empty */
} tb_judgement;

/* Measures base[0..n) against new[0..m); n, m > 0, all figures > 0. noise_floor: the relative difference that the same code
   shows to itself, NAN: unknown. Leaves p_corrected and the verdict to tb_decide. Cost: resamples x (n + m), the resamples
   fewer for more than 20,000 figures. false: out of memory. */
bool tb_judge(tb_judgement *out, const double *base, size_t n, const double *new_, size_t m, double noise_floor,
              const tb_judging *how);

/* Corrects the p of all[0..count) for each other and gives the verdicts. false: out of memory. */
bool tb_decide(tb_judgement *all, size_t count, const tb_judging *how);

#endif
