/* gbench_example.c: two ways to find a key, measured with bench/gbench.h.

   usage: gbench_example OUT.json [--benchmark_…]

   One benchmark function serves both searches: which one it is comes through the user pointer, how large the table is
   through the argument. Each repetition is one batch of a fixed number of searches, timed by hand, so that filling the
   table is outside. The comparisons a search makes are a counter, the table's size is the N of the fitted complexity,
   and a search that finds a wrong place makes its run an error. Results go to the terminal, to OUT.json through a write
   callback, and as values to a callback that keeps the fastest repetition of each benchmark.

   It needs gbench.h and gbench.cc alone: cc -c gbench_example.c; c++ -std=c++17 gbench_example.o gbench.cc -lbenchmark
   */
#include "../gbench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { searches = 1000, most_results = 64 };

struct method {
    const char *name;
    /* The place of key in keys[0 … size - 1], which are ascending and have it; adds its comparisons to *compared. */
    size_t (*find)(const uint32_t *keys, size_t size, uint32_t key, uint64_t *compared);
};

static size_t find_linear(const uint32_t *keys, size_t size, uint32_t key, uint64_t *compared)
{
    size_t i = 0;
    while (i < size && keys[i] < key)
        i++;
    *compared += i + 1;
    return i;
}

static size_t find_binary(const uint32_t *keys, size_t size, uint32_t key, uint64_t *compared)
{
    size_t low = 0, high = size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        ++*compared;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct method methods[] = {{"linear", find_linear}, {"binary", find_binary}};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void search(tb_gbench_state *state, void *user)
{
    const struct method *method = user;
    size_t size = (size_t)tb_gbench_state_arg(state, 0);
    uint32_t *keys = malloc(size * sizeof *keys);
    if (!keys) {
        tb_gbench_state_skip_with_error(state, "out of memory");
        return;
    }
    for (size_t i = 0; i < size; i++)
        keys[i] = (uint32_t)(2 * i + 1);
    uint64_t compared = 0, wrong = 0;
    while (tb_gbench_state_keep_running_batch(state, searches)) {
        uint32_t random = 1;
        double start = now();
        for (int i = 0; i < searches; i++) {
            random = random * 1664525u + 1013904223u; /* Numerical Recipes' generator */
            size_t place = (size_t)(((uint64_t)random * size) >> 32);
            wrong += method->find(keys, size, keys[place], &compared) != place;
        }
        TB_GBENCH_DO_NOT_OPTIMIZE(compared);
        tb_gbench_state_set_iteration_time(state, now() - start);
    }
    if (wrong)
        tb_gbench_state_skip_with_error(state, "a key was found in a wrong place");
    tb_gbench_state_set_complexity_n(state, (int64_t)size);
    tb_gbench_state_set_items_processed(state, tb_gbench_state_iterations(state));
    tb_gbench_state_set_counter(state, "comparisons", (double)compared, TB_GBENCH_COUNTER_AVG_ITERATIONS,
                                TB_GBENCH_1000);
    tb_gbench_state_set_label(state, method->name);
    free(keys);
}

struct result {
    char name[64];
    double fastest_ns;
};

struct results {
    struct result of[most_results];
    size_t count;
};

static bool keep_fastest(void *user, const tb_gbench_report *report)
{
    struct results *results = user;
    if (report->aggregate || report->error)
        return true;
    size_t i = 0;
    while (i < results->count && strcmp(results->of[i].name, report->name) != 0)
        i++;
    if (i == most_results)
        return true;
    if (i == results->count) {
        snprintf(results->of[i].name, sizeof results->of[i].name, "%s", report->name);
        results->of[results->count++].fastest_ns = report->real_ns;
    } else if (report->real_ns < results->of[i].fastest_ns) {
        results->of[i].fastest_ns = report->real_ns;
    }
    return true;
}

static void register_searches(void)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char name[64];
        snprintf(name, sizeof name, "search/%s", methods[i].name);
        /* What a benchmark refuses is told by tb_gbench_run(). */
        tb_gbench_benchmark *b = tb_gbench_register(name, search, (void *)&methods[i]);
        tb_gbench_range_multiplier(b, 4);
        tb_gbench_range(b, 16, 4096);
        tb_gbench_iterations(b, searches);
        tb_gbench_repetitions(b, 5);
        tb_gbench_use_manual_time(b);
        tb_gbench_complexity(b, TB_GBENCH_O_AUTO);
    }
}

/* Runs everything into the file; it is there whole or not at all. */
static tb_gbench_status run(const char *path, struct results *results, tb_gbench_totals *totals)
{
    char part[4096];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "w");
    if (!file) {
        perror(part);
        return TB_GBENCH_WRITE;
    }
    tb_gbench_reporter *reporters[] = {
        tb_gbench_reporter_console(tb_gbench_write_file, stdout, 0),
        tb_gbench_reporter_json(tb_gbench_write_file, file, TB_GBENCH_WITHOUT_ERRORS),
        tb_gbench_reporter_callbacks(&(tb_gbench_callbacks){.report = keep_fastest}, results, 0),
    };
    tb_gbench_status status = tb_gbench_run(reporters, 3, NULL, totals);
    for (size_t i = 0; i < 3; i++)
        tb_gbench_reporter_free(reporters[i]);
    bool closed = fclose(file) == 0;
    if (status == TB_GBENCH_OK && closed && rename(part, path) == 0)
        return TB_GBENCH_OK;
    remove(part);
    return status != TB_GBENCH_OK ? status : TB_GBENCH_WRITE;
}

int main(int argc, char **argv)
{
    tb_gbench_status status = tb_gbench_initialize(&argc, argv);
    if (status == TB_GBENCH_HELP || (status == TB_GBENCH_OK && argc != 2)) {
        printf("usage: %s OUT.json [flags]\n%s", argv[0], tb_gbench_help_text());
        return status == TB_GBENCH_HELP ? 0 : 2;
    }
    struct results results = {0};
    tb_gbench_totals totals = {0};
    if (status == TB_GBENCH_OK) {
        tb_gbench_add_context("example_build", __VERSION__);
        register_searches();
        status = run(argv[1], &results, &totals);
    }
    if (status != TB_GBENCH_OK) {
        fprintf(stderr, "%s: nothing written: %s\n", argv[0], tb_gbench_error_text());
        return 2;
    }
    for (size_t i = 0; i < results.count; i++)
        printf("fastest %s %.2f ns\n", results.of[i].name, results.of[i].fastest_ns);
    tb_gbench_shutdown();
    return totals.errors > 0;
}
