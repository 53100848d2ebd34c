#include "results/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/rank_test.h"

const char *tb_verdict_name(tb_verdict verdict)
{
    static const char *const names[TB_VERDICTS] = {"slower", "faster", "unsure", "same"};
    return names[verdict];
}

tb_judging tb_judging_defaults(void)
{
    return (tb_judging){.threshold = 0.05, .level = 0.95, .significance = 0.05, .resamples = 10000, .seed = 1,
                        .units = "processes"};
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double least(const double *values, size_t n)
{
    double found = values[0];
    for (size_t i = 1; i < n; i++)
        found = fmin(found, values[i]);
    return found;
}

static double greatest(const double *values, size_t n)
{
    double found = values[0];
    for (size_t i = 1; i < n; i++)
        found = fmax(found, values[i]);
    return found;
}

static bool find_median(const double *values, size_t n, double *out)
{
    double *copy = malloc(n * sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, values, n * sizeof *copy);
    *out = tb_median(copy, n);
    free(copy);
    return true;
}

/* What B. Efron and R. Tibshirani call enough for percentiles, 1000, is the least; the most is what `how` asks for. */
static unsigned resamples_for(size_t figures, const tb_judging *how)
{
    enum { WORK = 200000000, FEWEST = 1000 };
    size_t affordable = WORK / figures > FEWEST ? WORK / figures : FEWEST;
    return affordable < how->resamples ? (unsigned)affordable : how->resamples;
}

bool tb_judge(tb_judgement *out, const double *base, size_t n, const double *new_, size_t m, double noise_floor,
              const tb_judging *how)
{
    *out = (tb_judgement){.units = {n, m}, .interval = {NAN, NAN}, .p = NAN, .p_corrected = NAN, .noise_floor = noise_floor,
                          .level = how->level, .verdict = TB_UNSURE};
    out->limit = fmax(how->threshold, noise_floor); /* fmax leaves a NAN out */
    if (!find_median(base, n, &out->median[0]) || !find_median(new_, m, &out->median[1]))
        return false;
    out->ratio = out->median[1] / out->median[0];
    out->apart = least(new_, m) > (1 + out->limit) * greatest(base, n) || least(base, n) > (1 + out->limit) * greatest(new_, m);
    if (n > 1 && m > 1) {
        out->interval = tb_bootstrap_median_ratio(base, n, new_, m, how->level, resamples_for(n + m, how), how->seed);
        if (isnan(out->interval.low))
            return false;
    }
    if (n >= TB_FEWEST_UNITS && m >= TB_FEWEST_UNITS) {
        tb_rank_test test;
        if (!tb_mann_whitney(base, n, new_, m, &test))
            return false;
        out->p = test.p;
    }
    return true;
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void because(tb_judgement *j, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(j->reason, sizeof j->reason, format, args);
    va_end(args);
}

static bool enough_units(const tb_judgement *j)
{
    return j->units[0] >= TB_FEWEST_UNITS && j->units[1] >= TB_FEWEST_UNITS;
}

/* As many of each as it takes for `family` cells before p can tell anything. */
static size_t units_needed(size_t family, double significance)
{
    size_t n = TB_FEWEST_UNITS;
    while (tb_least_p(n, n) * (double)family > significance && n < 1000)
        n++;
    return n;
}

static void say_chance(tb_judgement *j, size_t family, const tb_judging *how)
{
    if (tb_least_p(j->units[0], j->units[1]) * (double)family > how->significance)
        because(j, "p, corrected for %zu cells, cannot fall to %.2g with so few %s: %zu of each are needed", family,
                how->significance, how->units, units_needed(family, how->significance));
    else
        because(j, "p, corrected for %zu cells, is above %.2g", family, how->significance);
}

static bool within(tb_interval interval, double limit)
{
    return interval.low >= 1 / (1 + limit) && interval.high <= 1 + limit;
}

static void say_width(tb_judgement *j, const tb_judging *how)
{
    double low = 1 / (1 + how->threshold), high = 1 + how->threshold;
    bool differs = j->interval.low > high || j->interval.high < low;
    if (j->limit > how->threshold && (differs || within(j->interval, j->limit)))
        because(j, "the difference does not stand out of the noise floor of %.1f %%", 100 * j->noise_floor);
    else if (j->interval.low < low && j->interval.high > high)
        because(j, "the interval holds %.3f and %.3f: more %s would narrow it", low, high, how->units);
    else
        because(j, "the interval holds %.3f: more %s would narrow it", j->interval.high > high ? high : low, how->units);
}

static void decide(tb_judgement *j, size_t family, const tb_judging *how)
{
    double above = 1 + j->limit, below = 1 / above;
    bool slower = j->ratio > above && j->interval.low > above, faster = j->ratio < below && j->interval.high < below;
    j->verdict = TB_UNSURE;
    j->reason[0] = '\0';
    if (!enough_units(j)) {
        because(j, "%s in BASE: %zu, in NEW: %zu; at least %d of each are needed", how->units, j->units[0], j->units[1],
                TB_FEWEST_UNITS);
    } else if (slower || faster) {
        if (j->p_corrected <= how->significance || j->apart)
            j->verdict = slower ? TB_SLOWER : TB_FASTER;
        else
            say_chance(j, family, how);
    } else if (within(j->interval, how->threshold)) {
        j->verdict = TB_SAME;
    } else {
        say_width(j, how);
    }
}

bool tb_decide(tb_judgement *all, size_t count, const tb_judging *how)
{
    double *p = malloc((count ? count : 1) * sizeof *p);
    size_t family = 0;
    if (!p)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isnan(all[i].p))
            p[family++] = all[i].p;
    bool done = tb_holm(p, family);
    for (size_t i = 0, at = 0; done && i < count; i++) {
        if (!isnan(all[i].p))
            all[i].p_corrected = p[at++];
        decide(&all[i], family, how);
    }
    free(p);
    return done;
}
