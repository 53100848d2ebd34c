/* Noise floors against those that Python's statistics module makes of the same units: noise_floor.txt, which
   noise_floor_reference.py wrote. */
#include <math.h>

#include "results/noise_floor.h"
#include "tap.h"

enum { MOST = 64 };

static void check_line(char *line, int *checked)
{
    double units[MOST];
    size_t n = strtoul(line, &line, 10);
    for (size_t i = 0; i < n && i < MOST; i++)
        units[i] = strtod(line, &line);
    double want = strtod(line, &line), got = -1, again = -2;
    bool exact = n <= TB_ALL_SPLITS;
    ok(tb_noise_floor(units, n, 1, &got) && fabs(got - want) <= (exact ? 1e-12 : 0.1 * want), "of %zu units%s: %.4g", n,
       exact ? ", from every split" : ", from splits that are drawn, to a tenth", want);
    ok(tb_noise_floor(units, n, 1, &again) && got == again, "the same seed gives the same");
    (*checked)++;
}

static void test_fixture(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    int checked = 0;
    FILE *file = fopen(path, "r");
    if (!ok(file != NULL, "%s is there", path))
        return;
    while (getline(&line, &room, file) > 0)
        if (*line != '#')
            check_line(line, &checked);
    free(line);
    fclose(file);
    ok(checked > 20, "it has %d lines", checked);
}

/* Of many units that are normal, the floor must be what theory says of the difference of two medians: a median of m has
   variance pi/2 s^2/m for large m, so the 95 % quantile is 1.96 sqrt(2) sqrt(pi/2) s / sqrt(m). */
static void test_theory(void)
{
    enum { N = 400 };
    double units[N], floor = 0;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < N; i++) {
        double sum = 0; /* of twelve uniform ones: normal enough */
        for (int j = 0; j < 12; j++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            sum += (double)(x >> 11) * 0x1p-53;
        }
        units[i] = 100 * exp(0.03 * (sum - 6));
    }
    double theory = 1.96 * sqrt(2) * sqrt(acos(-1) / 2) * 0.03 / sqrt(N / 2.0);
    ok(tb_noise_floor(units, N, 7, &floor) && floor > 0.7 * theory && floor < 1.4 * theory,
       "of %d normal units: %.4f, theory says about %.4f", N, floor, theory);
}

int main(void)
{
    const double few[] = {1, 2, 3};
    double floor = 0;
    ok(tb_noise_floor(few, 3, 1, &floor) && isnan(floor), "three units have none");
    test_fixture("tests/results/noise_floor.txt");
    test_theory();
    return tap_done();
}
