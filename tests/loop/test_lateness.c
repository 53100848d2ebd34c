/* The histogram of lateness: its error, quantiles, and the text of HdrHistogram. */
#include "loop/portable.h"
#include "rigs.h"
#include "tests/calendar/random.h"

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void errors(void)
{
    enum { N = 20000 };
    static tb_lateness h, half[2];
    static int64_t values[N];
    uint64_t random = 1;
    for (int i = 0; i < N; i++) {
        values[i] = (int64_t)(random_next(&random) >> (random_next(&random) % 62 + 1));
        tb_lateness_add(&h, values[i]);
        tb_lateness_add(&half[i % 2], values[i]);
    }
    qsort(values, N, sizeof *values, by_value);
    double worst = 0;
    for (int i = 1; i <= 1000; i++) {
        double q = i / 1000.0;
        int64_t want = values[(int)((double)N * q + 0.5) - 1];
        double error = want ? ((double)tb_lateness_quantile(&h, q) - (double)want) / (double)want : 0;
        error = error < 0 ? -error : error;
        worst = error > worst ? error : worst;
    }
    ok(worst <= 0.01, "LOP-08 quantiles of values over 62 octaves: at most 1 %% off, %.2f %%", worst * 100);
    ok(tb_lateness_quantile(&h, 1) == (uint64_t)values[N - 1] && h.min == (uint64_t)values[0] && h.count == N, "LOP-08 least, largest and count are exact");
    tb_lateness_merge(&half[0], &half[1]);
    ok(memcmp(half[0].buckets, h.buckets, sizeof h.buckets) == 0 && half[0].max == h.max && half[0].min == h.min && half[0].count == N,
       "LOP-08 two halves merge to the whole");
    static tb_lateness small;
    for (int i = 0; i < 100; i++)
        tb_lateness_add(&small, i);
    ok(tb_lateness_quantile(&small, 0.5) == 49 && tb_lateness_quantile(&small, 0.99) == 98 && tb_lateness_quantile(&small, 0) == 0,
       "LOP-08 below 128 every value is exact");
    static tb_lateness none;
    tb_lateness_add(&none, -5);
    ok(none.count == 1 && none.max == 0, "LOP-08 negative counts as 0");
    static tb_lateness ends;
    tb_lateness_add(&ends, INT64_MAX);
    ok(tb_lateness_quantile(&ends, 0.5) == INT64_MAX, "LOP-08 the largest value there is has a bucket");
}

static void text(void)
{
    static tb_lateness h;
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    tb_lateness_print(&h, 1000, f);
    fflush(f);
    ok(strncmp(out, "       Value   Percentile   TotalCount 1/(1-Percentile)\n\n#[Mean    =        0.000", 79) == 0, "LOP-08 the text of an empty one");
    fclose(f);
    free(out);
    for (int64_t i = 1; i <= 1000; i++)
        tb_lateness_add(&h, i * 1000);
    f = open_memstream(&out, &size);
    ok(tb_lateness_print(&h, 1000, f), "LOP-08 printed");
    fclose(f);
    int rows = 0, falling = 0, halves = 0;
    double value, percentile, last_value = 0, last_percentile = -1;
    unsigned long long count;
    for (const char *line = strchr(out, '\n') + 2; *line != '#'; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "%lf %lf %llu", &value, &percentile, &count) != 3)
            break;
        rows++;
        halves += count == 500 || (value > 495 && value < 505);
        falling += value < last_value || percentile <= last_percentile;
        last_value = value;
        last_percentile = percentile;
    }
    ok(rows > 20 && halves > 0 && falling == 0, "LOP-08 HdrHistogram's percentile text: %d rows, values and percentiles rise", rows);
    ok(last_percentile == 1 && count == 1000 && last_value > 999 && last_value < 1001, "LOP-08 the last row is the largest value, at 1");
    ok(strstr(out, "#[Max     =     1000.000, Total count    =         1000]\n") && strstr(out, "StdDeviation   =      288.675]\n"),
       "LOP-08 its closing lines");
    free(out);
}

int main(void)
{
    errors();
    text();
    return rigs_done();
}
