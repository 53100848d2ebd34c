/* The statistics of results/ against what R and scipy make of the same samples: statistics.txt, which statistics_reference.py
   wrote. */
#include <math.h>

#include "results/rank_test.h"
#include "results/samples.h"
#include "tap.h"

enum { MAX_VALUES = 512 };

typedef struct values {
    double at[MAX_VALUES];
    size_t n;
} values;

static bool near(double a, double b, double relative) { return fabs(a - b) <= relative * fmax(fabs(a), fabs(b)); }

/* The next number of a line; a line that lacks one is a broken fixture. */
static double number(char **line)
{
    char *end;
    double value = strtod(*line, &end);
    if (end == *line) {
        printf("Bail out! the fixture lacks a number\n");
        exit(1);
    }
    *line = end;
    return value;
}

static values vector(char **line)
{
    values v = {.n = (size_t)number(line)};
    for (size_t i = 0; i < v.n && i < MAX_VALUES; i++)
        v.at[i] = number(line);
    return v;
}

static void check_mann_whitney(char *line)
{
    values a = vector(&line), b = vector(&line);
    bool exact = number(&line) > 0;
    double u = number(&line), p = number(&line);
    tb_rank_test got = {0}, mirrored = {0};
    ok(tb_mann_whitney(a.at, a.n, b.at, b.n, &got) && near(got.u, u, 1e-12) && near(got.p, p, 1e-9) && got.exact == exact,
       "Mann-Whitney of %zu and %zu (%s): U %g, p %.4g", a.n, b.n, exact ? "exact" : "normal", u, p);
    ok(tb_mann_whitney(b.at, b.n, a.at, a.n, &mirrored) && near(mirrored.u, (double)(a.n * b.n) - u, 1e-12) &&
           near(mirrored.p, p, 1e-9),
       "and the other way round");
}

static void check_holm(char *line)
{
    values p = vector(&line), want = vector(&line);
    bool good = tb_holm(p.at, p.n);
    for (size_t i = 0; i < p.n; i++)
        good &= near(p.at[i], want.at[i], 1e-12);
    ok(good, "Holm's correction of %zu p", p.n);
}

static void check_quantile(char *line)
{
    values v = vector(&line);
    double q = number(&line), want = number(&line);
    ok(near(tb_quantile(v.at, v.n, q), want, 1e-12), "the %g quantile of %zu values", q, v.n);
}

/* An end that lies too close to a step of the distribution to be told by drawing is 0 in the fixture. */
static void check_enumerated(char *line)
{
    values base = vector(&line), new_ = vector(&line);
    double low = number(&line), high = number(&line);
    tb_interval got = tb_bootstrap_median_ratio(base.at, base.n, new_.at, new_.n, 0.95, 100000, 1);
    ok((low == 0 || near(got.low, low, 1e-12)) && (high == 0 || near(got.high, high, 1e-12)),
       "the interval of a ratio of medians of %zu and %zu is that of all resamples", base.n, new_.n);
}

static void check_bootstrap(char *line)
{
    values base = vector(&line), new_ = vector(&line);
    double low = number(&line), high = number(&line), width = high - low;
    tb_interval got = tb_bootstrap_median_ratio(base.at, base.n, new_.at, new_.n, 0.95, 100000, 1);
    diag("[%.5f, %.5f], scipy's [%.5f, %.5f]", got.low, got.high, low, high);
    ok(fabs(got.low - low) < 0.02 * width && fabs(got.high - high) < 0.02 * width,
       "of %zu and %zu it is scipy's, to a fiftieth of its width", base.n, new_.n);
    tb_interval usual = tb_bootstrap_median_ratio(base.at, base.n, new_.at, new_.n, 0.95, 10000, 7);
    tb_interval again = tb_bootstrap_median_ratio(base.at, base.n, new_.at, new_.n, 0.95, 10000, 7);
    ok(fabs(usual.low - low) < 0.1 * width && fabs(usual.high - high) < 0.1 * width, "with 10,000 resamples, to a tenth");
    ok(usual.low == again.low && usual.high == again.high, "the same seed gives the same interval");
}

static void test_fixture(const char *path)
{
    static const struct {
        const char *word;
        void (*check)(char *line);
    } kinds[] = {
        {"mann-whitney ", check_mann_whitney}, {"holm ", check_holm},           {"quantile ", check_quantile},
        {"enumerated ", check_enumerated},     {"bootstrap ", check_bootstrap},
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int checked[KINDS] = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!ok(file != NULL, "%s is there", path))
        return;
    while (getline(&line, &room, file) > 0)
        for (int i = 0; i < KINDS; i++)
            if (strncmp(line, kinds[i].word, strlen(kinds[i].word)) == 0) {
                kinds[i].check(line + strlen(kinds[i].word));
                checked[i]++;
            }
    free(line);
    fclose(file);
    for (int i = 0; i < KINDS; i++)
        ok(checked[i] >= 4, "%d lines of the fixture are of %s", checked[i], kinds[i].word);
}

static void test_edges(void)
{
    const double one[] = {3}, same[] = {7, 7, 7, 7, 7}, many[] = {1, 2, 3};
    tb_rank_test test;
    ok(tb_mann_whitney(same, 5, same, 5, &test) && test.p == 1 && test.u == 12.5, "equal values tell nothing: p is 1");
    ok(near(tb_least_p(5, 5), 2.0 / 252, 1e-12) && near(tb_least_p(3, 4), 2.0 / 35, 1e-12), "the least p is 2 / C(n + m, n)");
    ok(tb_least_p(1, 1) == 1, "which is 1 for one and one");
    ok(tb_holm(NULL, 0), "no p need no correction");
    tb_interval i = tb_bootstrap_median_ratio(one, 1, many, 1, 0.95, 100, 1);
    ok(near(i.low, 1.0 / 3, 1e-12) && near(i.high, 1.0 / 3, 1e-12), "of one and one, the interval is the ratio");
    i = tb_bootstrap_median_ratio(one, 1, many, 3, 0.95, 10000, 1);
    ok(near(i.low, 1.0 / 3, 1e-12) && near(i.high, 1, 1e-12), "of few, it reaches from the least ratio to the greatest");
}

int main(void)
{
    test_fixture("tests/results/statistics.txt");
    test_edges();
    return tap_done();
}
