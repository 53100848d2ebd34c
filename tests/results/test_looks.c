/* Repeated looks: how often comparisons of equal samples that grow come to a verdict. */
#include <math.h>

#include "results/looks.h"
#include "results/noise_floor.h"
#include "results/verdict.h"
#include "tap.h"

enum { LOOKS = 6, MOST = 54, CELLS = 5 };

static uint64_t x = 88172645463325252u;

/* About normal, and now and then far off, as times are. */
static double draw(double center, double spread)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += (double)(x >> 11) * 0x1p-53;
    }
    double disturbed = x % 16 == 0 ? 3 * spread : 0;
    return center * exp(spread * (sum - 6) + disturbed);
}

/* Samples of both sides, and the verdicts so far, as ab keeps them: TB_UNSURE is open. */
typedef struct game {
    double base[CELLS][MOST], new_[CELLS][MOST];
    tb_verdict verdict[CELLS];
    size_t units[CELLS];
} game;

/* One look as ab does it: what is settled keeps its figures, counts in the family, and is not judged again. */
static void look(game *g, size_t number, double threshold, double total)
{
    tb_judging how = tb_judging_defaults();
    tb_judgement judged[CELLS];
    how.threshold = threshold;
    how.significance = total < 1 ? tb_look_error(number, total) : total - 1;
    how.level = 1 - how.significance;
    how.resamples = 1000;
    for (int c = 0; c < CELLS; c++) {
        if (g->verdict[c] == TB_UNSURE)
            g->units[c] = tb_look_units(number);
        tb_judge(&judged[c], g->base[c], g->units[c], g->new_[c], g->units[c], NAN, &how);
    }
    tb_decide(judged, CELLS, &how);
    for (int c = 0; c < CELLS; c++)
        if (g->verdict[c] == TB_UNSURE)
            g->verdict[c] = judged[c].verdict;
}

/* Of `games` in how many some cell came out as slower or faster. total >= 1: no error is spent, each look has total - 1. */
static int verdicts(int games, double ratio, double threshold, double total)
{
    int found = 0;
    for (int i = 0; i < games; i++) {
        game g;
        bool any = false;
        for (int c = 0; c < CELLS; c++) {
            g.verdict[c] = TB_UNSURE;
            for (int j = 0; j < MOST; j++) {
                g.base[c][j] = draw(50, 0.03);
                g.new_[c][j] = draw(50 * ratio, 0.03);
            }
        }
        for (size_t k = 1; k <= LOOKS; k++)
            look(&g, k, threshold, total);
        for (int c = 0; c < CELLS; c++)
            any |= g.verdict[c] == TB_SLOWER || g.verdict[c] == TB_FASTER;
        found += any;
    }
    return found;
}

int main(void)
{
    enum { GAMES = 150 };
    double sum = 0;
    int odd = 0;
    for (size_t k = 1; k <= 1000; k++)
        sum += tb_look_error(k, 0.05);
    ok(sum < 0.05 && sum > 0.0499, "what all looks may spend comes to the total");
    for (size_t k = 2; k <= 15; k++)
        odd += tb_look_units(k) % 2 != 0 || tb_look_units(k) <= tb_look_units(k - 1) || tb_look_units(k) > 2 * tb_look_units(k - 1);
    none_of(odd, "looks are at even numbers, that grow, to at most the double");
    ok(tb_look_units(1) == 6 && tb_look_units(6) == 54 && tb_look_units(7) == 82, "6, …, 54, 82");
    int held = verdicts(GAMES, 1, 0.0, 0.05), plain = verdicts(GAMES, 1, 0.0, 1.05);
    diag("six looks at five equal cells, threshold 0: a verdict in %d of %d; were each look at 5 %%: in %d", held, GAMES, plain);
    ok(held <= 0.05 * GAMES + 3 * sqrt(0.05 * 0.95 * GAMES), "no more than 5 %% come to a verdict about equal cells");
    ok(plain > held, "without spending, more do");
    ok(verdicts(60, 1.05, 0.02, 0.05) >= 57, "a difference of 5 %% is found");
    return tap_done();
}
