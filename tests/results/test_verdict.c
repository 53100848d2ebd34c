/* Verdicts on samples whose truth is known: how often they are wrong where nothing changed, and how often a planted slow-down
   is found. */
#include <math.h>

#include "results/verdict.h"
#include "tap.h"

/* ---- samples as processes give them ------------------------------------------------------------------------------ */

static uint64_t state = 0x9e3779b97f4a7c15u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller 1958 */
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform()); }

enum { REPETITIONS = 5, MAX_PROCESSES = 400 };

/* The median of a process's repetitions, ns. Processes differ by where their memory lies, repetitions by less; both are skew, as
   times are. One in eight processes has a neighbour that slows all of it. */
static double process(double median, double spread)
{
    double of_process = median * exp(spread * normal()), repetitions[REPETITIONS];
    if (uniform() < 0.125)
        of_process *= 1 - 3 * spread * log(uniform());
    for (int i = 0; i < REPETITIONS; i++)
        repetitions[i] = of_process * exp(spread / 2 * normal()) * (1 - spread / 2 * log(uniform()));
    return tb_median(repetitions, REPETITIONS);
}

static void draw(double *out, size_t n, double median, double spread)
{
    for (size_t i = 0; i < n; i++)
        out[i] = process(median, spread);
}

/* The relative difference of two halves of what was drawn: what a run says of itself. */
static double noise_floor(const double *values, size_t n)
{
    double half[2][MAX_PROCESSES];
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        half[i % 2][count[i % 2]++] = values[i];
    return fabs(log(tb_median(half[0], count[0]) / tb_median(half[1], count[1])));
}

/* ---- how often --------------------------------------------------------------------------------------------------- */

enum { CELLS = 10 };

typedef struct setting {
    size_t processes;
    double spread, slowdown, threshold;
    bool floors;
} setting;

typedef struct tally {
    int comparisons, with_slower, with_faster; /* whole comparisons with such a cell */
    int verdicts[TB_VERDICTS];                 /* cells */
} tally;

/* A comparison of CELLS cells; in the first, new is slower by `slowdown`. Counts all cells' verdicts, or the first's alone. */
static void compare(const setting *s, bool first_alone, tally *t)
{
    double base[MAX_PROCESSES], new_[MAX_PROCESSES];
    tb_judgement cells[CELLS];
    tb_judging how = tb_judging_defaults();
    how.threshold = s->threshold;
    how.resamples = 1000;
    for (int i = 0; i < CELLS; i++) {
        draw(base, s->processes, 50, s->spread);
        draw(new_, s->processes, i == 0 ? 50 * (1 + s->slowdown) : 50, s->spread);
        double floor = s->floors ? fmax(noise_floor(base, s->processes), noise_floor(new_, s->processes)) : NAN;
        how.seed = state;
        if (!tb_judge(&cells[i], base, s->processes, new_, s->processes, floor, &how))
            exit(1);
    }
    if (!tb_decide(cells, CELLS, &how))
        exit(1);
    bool slower = false, faster = false;
    for (int i = 0; i < (first_alone ? 1 : CELLS); i++) {
        t->verdicts[cells[i].verdict]++;
        slower |= cells[i].verdict == TB_SLOWER;
        faster |= cells[i].verdict == TB_FASTER;
    }
    t->comparisons++;
    t->with_slower += slower;
    t->with_faster += faster;
}

static tally repeat(const setting *s, bool first_alone, int comparisons)
{
    tally t = {0};
    for (int i = 0; i < comparisons; i++)
        compare(s, first_alone, &t);
    diag("%zu processes, spread %g %%, %+g %%, threshold %g %%%s: of %d comparisons slower in %d, faster in %d; cells: unsure %d, "
         "same %d", s->processes, 100 * s->spread, 100 * s->slowdown, 100 * s->threshold, s->floors ? ", floors" : "",
         t.comparisons, t.with_slower, t.with_faster, t.verdicts[TB_UNSURE], t.verdicts[TB_SAME]);
    return t;
}

/* Nothing changed: in at most 1 of 100 comparisons of ten cells may any cell be called slower, and in as few faster. */
static void test_nothing_changed(void)
{
    static const setting settings[] = {
        {5, 0.01, 0, 0.05, false},  {5, 0.03, 0, 0.05, false}, {10, 0.03, 0, 0.02, false}, {10, 0.05, 0, 0.05, true},
        {5, 0.10, 0, 0.05, true},   {10, 0.10, 0, 0.05, true}, {30, 0.05, 0, 0.02, true},
    };
    int comparisons = 0, slower = 0, faster = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        tally t = repeat(&settings[i], false, 400);
        comparisons += t.comparisons;
        slower += t.with_slower;
        faster += t.with_faster;
    }
    ok(slower <= comparisons / 100, "nothing changed: %d of %d comparisons of ten cells call one slower", slower, comparisons);
    ok(faster <= comparisons / 100, "and %d call one faster", faster);
    tally quiet = repeat(&(setting){10, 0.01, 0, 0.05, true}, false, 100);
    ok(quiet.verdicts[TB_SAME] > 990, "where processes differ by 1 %%, all is the same");
    tally loud = repeat(&(setting){5, 0.10, 0, 0.05, false}, false, 100);
    ok(loud.verdicts[TB_UNSURE] > 600, "where five differ by 10 %%, most is unsure");
}

/* Planted slow-downs are found when there are enough processes, and else unsure: seldom called the same. */
static void test_planted(void)
{
    static const struct {
        setting s;
        double at_least;
    } planted[] = {
        {{80, 0.03, 0.05, 0.02, true}, 0.90}, {{20, 0.01, 0.05, 0.02, true}, 0.95}, {{40, 0.03, 0.10, 0.05, true}, 0.95},
        {{15, 0.01, 0.10, 0.05, true}, 0.99}, {{15, 0.03, 0.20, 0.05, true}, 0.98}, {{5, 0.01, 0.20, 0.05, true}, 0.98},
        {{40, 0.10, 0.20, 0.05, true}, 0.85},
    };
    enum { TRIALS = 200 };
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        const setting *s = &planted[i].s;
        tally t = repeat(s, true, TRIALS);
        ok(t.verdicts[TB_SLOWER] >= planted[i].at_least * TRIALS, "%+g %% is found by %zu processes that differ by %g %%",
           100 * s->slowdown, s->processes, 100 * s->spread);
    }
    tally few = repeat(&(setting){5, 0.05, 0.10, 0.05, true}, true, TRIALS);
    ok(few.verdicts[TB_SAME] == 0 && few.verdicts[TB_FASTER] == 0, "+10 %% is never the same or faster for five that differ by 5 %%");
}

/* A 95 % interval must hold the true ratio about as often as that, from TB_FEWEST_UNITS on. */
static void test_coverage(void)
{
    enum { TRIALS = 2000 };
    tb_judging how = tb_judging_defaults();
    how.resamples = 500;
    for (size_t n = 3; n <= 20; n += n < 6 ? 1 : 7) {
        int held = 0;
        for (int i = 0; i < TRIALS; i++) {
            double base[20], new_[20];
            tb_judgement j;
            draw(base, n, 50, 0.05);
            draw(new_, n, 60, 0.05);
            how.seed = state;
            if (!tb_judge(&j, base, n, new_, n, NAN, &how))
                exit(1);
            held += j.interval.low <= 1.2 && 1.2 <= j.interval.high;
        }
        diag("with %zu of each the interval holds the true ratio in %.1f %%", n, 100.0 * held / TRIALS);
        if (n >= TB_FEWEST_UNITS)
            ok(held > 0.94 * TRIALS && held < 0.99 * TRIALS, "a 95 %% interval of %zu and %zu processes holds the true ratio", n, n);
        else
            ok(held < 0.95 * TRIALS, "but one of %zu and %zu does not as often as it says", n, n);
    }
}

/* ---- the rules, on samples without chance ------------------------------------------------------------------------ */

/* n values around `median`, `spread` to either side. */
static void spaced(double *out, size_t n, double median, double spread)
{
    for (size_t i = 0; i < n; i++)
        out[i] = median * (1 + spread * (2 * (double)i / (double)(n - 1) - 1));
}

static tb_judgement judge(size_t n, double ratio, double spread, double floor, double threshold, size_t family)
{
    double base[MAX_PROCESSES], new_[MAX_PROCESSES];
    tb_judgement all[64];
    tb_judging how = tb_judging_defaults();
    how.threshold = threshold;
    spaced(base, n, 50, spread);
    spaced(new_, n, 50 * ratio, spread);
    bool done = tb_judge(&all[0], base, n, new_, n, floor, &how);
    for (size_t i = 1; i < family; i++)
        done &= tb_judge(&all[i], base, n, base, n, floor, &how);
    if (!done || !tb_decide(all, family, &how))
        exit(1);
    return all[0];
}

static void test_rules(void)
{
    static const struct {
        const char *what;
        size_t n;
        double ratio, spread, floor, threshold;
        size_t family;
        tb_verdict want;
        const char *reason;
    } rules[] = {
        {"20 % above a threshold of 5 %", 10, 1.2, 0.01, NAN, 0.05, 1, TB_SLOWER, ""},
        {"the same the other way round", 10, 1 / 1.2, 0.01, NAN, 0.05, 1, TB_FASTER, ""},
        {"nothing", 10, 1, 0.01, NAN, 0.05, 1, TB_SAME, ""},
        {"4 % within 5 %", 10, 1.04, 0.002, NAN, 0.05, 1, TB_SAME, ""},
        {"4 % beyond 2 %", 10, 1.04, 0.002, NAN, 0.02, 1, TB_SLOWER, ""},
        {"6 % of which the interval reaches below 5 %", 10, 1.06, 0.03, NAN, 0.05, 1, TB_UNSURE, "the interval holds 1.050"},
        {"as much faster", 10, 1 / 1.06, 0.03, NAN, 0.05, 1, TB_UNSURE, "the interval holds 0.952"},
        {"a wide interval", 10, 1, 0.3, NAN, 0.05, 1, TB_UNSURE, "the interval holds 0.952 and 1.050"},
        {"8 % below a noise floor of 10 %", 10, 1.08, 0.001, 0.1, 0.05, 1, TB_UNSURE, "the noise floor of 10.0 %"},
        {"12 % that reaches into a noise floor of 10 %", 10, 1.12, 0.04, 0.1, 0.05, 1, TB_UNSURE, "the noise floor of 10.0 %"},
        {"20 % above a noise floor of 10 %", 10, 1.2, 0.01, 0.1, 0.05, 1, TB_SLOWER, ""},
        {"nothing, above which a noise floor of 10 % stands", 10, 1, 0.01, 0.1, 0.05, 1, TB_SAME, ""},
        {"four processes", 4, 2, 0.001, NAN, 0.05, 1, TB_UNSURE, "processes in BASE: 4, in NEW: 4; at least 5"},
        {"five", 5, 2, 0.001, NAN, 0.05, 1, TB_SLOWER, ""},
        {"five whose p cannot be small, but which lie apart", 5, 2, 0.001, NAN, 0.05, 60, TB_SLOWER, ""},
        {"five whose p cannot be small and which lie close", 5, 1.11, 0.03, NAN, 0.05, 60, TB_UNSURE, "7 of each are needed"},
        {"a threshold of 0", 10, 1.01, 0.001, NAN, 0, 1, TB_SLOWER, ""},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        tb_judgement j = judge(rules[i].n, rules[i].ratio, rules[i].spread, rules[i].floor, rules[i].threshold, rules[i].family);
        if (!ok(j.verdict == rules[i].want && strstr(j.reason, rules[i].reason), "%s: %s", rules[i].what,
                tb_verdict_name(rules[i].want)))
            diag("%s %.4f [%.4f, %.4f] p %g: %s", tb_verdict_name(j.verdict), j.ratio, j.interval.low, j.interval.high,
                 j.p_corrected, j.reason);
    }
}

/* A slow outlier makes no cell slower: medians do not see it. */
static void test_outlier(void)
{
    double base[10], new_[10];
    tb_judgement j;
    tb_judging how = tb_judging_defaults();
    spaced(base, 10, 50, 0.01);
    spaced(new_, 10, 50, 0.01);
    new_[0] *= 20;
    ok(tb_judge(&j, base, 10, new_, 10, NAN, &how) && tb_decide(&j, 1, &how) && j.verdict == TB_SAME,
       "a process of ten that takes 20 times as long changes nothing");
    tb_judgement again;
    ok(tb_judge(&again, base, 10, new_, 10, NAN, &how) && again.interval.low == j.interval.low &&
           again.interval.high == j.interval.high, "the same seed gives the same interval");
}

int main(void)
{
    test_rules();
    test_outlier();
    test_coverage();
    test_nothing_changed();
    test_planted();
    return tap_done();
}
