/* test_trace_figures.c: what is measured in a trace, the table it is counted with, and the store traces are found in. */
#include "tests/tap.h"

#include "bench/int_map.h"
#include "bench/trace_figures.h"
#include "bench/trace_store.h"
#include "tests/bench/failing_malloc.h"
#include "tests/bench/scratch_folder.h"

#define HEAD "# timerbench-trace 1\n# source: a test\n# clock: 1 ns\n"

static tb_error_text error;

static void test_map(void)
{
    enum { keys = 1000, steps = 200000 };
    static int64_t model[keys];
    memset(model, -1, sizeof model);
    tb_int_map map = {0};
    uint64_t state = 1;
    int wrong = tb_int_map_find(&map, 3) != NULL || tb_int_map_remove(&map, 3);
    size_t present = 0;
    for (int i = 0; i < steps; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t k = (size_t)(state >> 33) % keys;
        int64_t key = (int64_t)k << (k % 40); /* dense and far apart */
        key = key * 1024 + (int64_t)k;
        const int64_t *found = tb_int_map_find(&map, key);
        wrong += found ? *found != model[k] : model[k] >= 0;
        if (state >> 62 == 0) {
            wrong += tb_int_map_remove(&map, key) != (model[k] >= 0);
            present -= model[k] >= 0;
            model[k] = -1;
        } else {
            int64_t *value = tb_int_map_add(&map, key);
            present += model[k] < 0;
            wrong += *value != (model[k] < 0 ? 0 : model[k]);
            *value = model[k] = i;
        }
        wrong += map.count != present;
    }
    none_of(wrong, "the hash table says what an array says, over %d steps", steps);
    tb_int_map_free(&map);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static void test_figures(void)
{
    static const char text[] = HEAD "0 arm 0 1000000\n"          /* 1 ms: not precise */
                                    "100 arm 1 1000099 slop=50\n" /* 999999 ns: precise */
                                    "200 arm 2 5000000200 slop=70 precise\n"
                                    "300 rearm 2 300 slop=50\n"
                                    "400 cancel 2\n"
                                    "1000000 fired 0\n"
                                    "1000050 fired 1\n"
                                    "1000050 arm 9 3602000000000\n"
                                    "1000100 arm 0 1000600 slop=80\n";
    put_text("t.trace", text);
    tb_trace_reader *r = tb_trace_open("t.trace", &error);
    tb_trace_figures f;
    ok(r && tb_trace_measure(r, &f, &error), "a trace is measured");
    tb_trace_close(r);
    ok(f.events == 9 && f.arms == 5 && f.rearms == 1 && f.cancels == 1 && f.fired == 2, "events of each kind");
    is(f.duration, 1000100, "how long it is");
    is(f.keys, 4, "how many keys");
    is(f.max_pending, 3, "the most pending");
    is(f.left_pending, 2, "left pending at the end");
    /* 1 for 100 ns, 2 for 100, 3 for 200, 2 for 999600, 1 for 50, 1 for 50 */
    double mean = (100 + 200 + 600 + 2 * 999600 + 50 + 50) / 1000100.0;
    ok(f.mean_pending > mean - 1e-9 && f.mean_pending < mean + 1e-9, "the mean over time");
    is(f.early, 1, "fired early");
    ok(f.any_late && f.late_p50 == 0 && f.late_p99 == 0 && f.late_max == 0, "lateness: of -49 and 0, rank 1 is 0");
    is(f.not_in_future, 1, "a deadline not in the future");
    is(f.precise, 4, "precise by mark, by length, by a past deadline");
    ok(f.with_slop == 4 && f.slop_values == 3, "slops");
    ok(f.top_slop_count == 3 && f.top_slops[0].slop == 50 && f.top_slops[0].sets == 2 && f.top_slops[1].slop == 70 &&
           f.top_slops[2].slop == 80,
       "the most frequent first, then the smaller");
    ok(f.lengths[0] == 4 && f.lengths[4] == 1 && f.lengths[7] == 1, "lengths: 1 ms belongs to <=1ms, 3602 s to >1h");

    put_text("t.trace", HEAD);
    r = tb_trace_open("t.trace", &error);
    ok(r && tb_trace_measure(r, &f, &error) && f.events == 0 && !f.any_late && f.mean_pending >= 0, "nothing, measured");
    tb_trace_close(r);
    put_text("t.trace", HEAD "0 x\n");
    r = tb_trace_open("t.trace", &error);
    ok(r && !tb_trace_measure(r, &f, &error) && strstr(error.text, "t.trace:4: "), "a bad trace is not measured");
    tb_trace_close(r);
}

static void test_top_slops(void)
{
    FILE *file = fopen("t.trace", "w");
    fputs(HEAD, file);
    int key = 0;
    for (int slop = 1; slop <= 10; slop++)
        for (int i = 0; i < (slop * 7) % 11 + 1; i++)
            fprintf(file, "0 arm %d 5 slop=%d\n", key++, slop);
    fclose(file);
    tb_trace_reader *r = tb_trace_open("t.trace", &error);
    tb_trace_figures f;
    ok(r && tb_trace_measure(r, &f, &error) && f.slop_values == 10 && f.top_slop_count == 7, "seven of ten slops");
    tb_trace_close(r);
    /* 7 i mod 11 for i = 1..10: 7 3 10 6 2 9 5 1 8 4 */
    static const int64_t want[] = {3, 6, 9, 1, 4, 7, 10};
    int wrong = 0;
    for (size_t i = 0; i < 7; i++)
        wrong += f.top_slops[i].slop != want[i] || f.top_slops[i].sets != 11 - i;
    none_of(wrong, "are those with the most sets, in order");
}

/* ---- store ------------------------------------------------------------------------------------------------------- */

static void test_store(void)
{
    mkdir("store", 0755);
    put_text("store/b.trace", HEAD);
    put_text("store/a.trace.xz", "");
    put_text("store/README.md", "");
    put_text("store/.hidden.trace", "");
    put_text("store/.trace", "");
    setenv("TIMERBENCH_TRACES", "store", 1);
    tb_trace_store store;
    ok(tb_trace_store_open(&store, &error), "the folder that TIMERBENCH_TRACES names is read");
    is(store.count, 2, "it has two traces");
    is_text(store.traces[0].name, "a", "sorted by name");
    is_text(store.traces[1].path, "store/b.trace", "each with its path");
    ok(tb_trace_store_find(&store, "b") == &store.traces[1], "one is found by its name");
    ok(tb_trace_store_find(&store, "a.trace") == &store.traces[0], "and with its ending");
    ok(!tb_trace_store_find(&store, "c") && !tb_trace_store_find(&store, ".trace"), "another is not");
    tb_trace_store_free(&store);
    put_text("a", "");
    static const struct {
        const char *name, *want;
    } cases[] = {{"b", "store/b.trace"}, {"a", "a"}, {"./b", "./b"}, {"a.trace", "store/a.trace.xz"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = tb_trace_locate(cases[i].name, &error);
        is_text(path, cases[i].want, "'%s' is the file, or else the stored trace", cases[i].name);
        free(path);
    }
    ok(!tb_trace_locate("c", &error), "'c' is neither");
    is_text(error.text, "c: no such file or stored trace: expected a file or one of a b", "and the error lists them");
    setenv("TIMERBENCH_TRACES", "absent", 1);
    ok(!tb_trace_store_open(&store, &error) && strstr(error.text, "TIMERBENCH_TRACES 'absent': No such file"),
       "a folder that is not there is named");
    ok(!tb_trace_locate("c", &error) && strcmp(error.text, "c: No such file or directory") == 0,
       "and then a name is a file or nothing");
    unsetenv("TIMERBENCH_TRACES");
    unlink("a");
    remove_tree("store");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool measure_file(const char *path)
{
    tb_trace_reader *r = tb_trace_open(path, &error);
    tb_trace_figures f;
    bool measured = r && tb_trace_measure(r, &f, &error);
    tb_trace_close(r);
    return measured;
}

static void test_memory(void)
{
    put_text("t.trace", HEAD "0 arm 0 5 slop=5\n9 fired 0\n");
    int wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool measured = measure_file("t.trace");
        bool failed = allocation_failed();
        wrong += measured == failed;
        if (!failed)
            break;
    }
    none_of(wrong, "measuring fails exactly when an allocation does");
    setenv("TIMERBENCH_TRACES", ".", 1);
    wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        char *path = tb_trace_locate("t", &error);
        bool failed = allocation_failed();
        /* The C library can do without some of what it asks for. */
        wrong += path ? strcmp(path, "./t.trace") != 0 : !failed;
        free(path);
        if (!failed)
            break;
    }
    none_of(wrong, "a stored trace is found, or memory was short");
}

int main(void)
{
    enter_scratch_folder();
    test_map();
    test_figures();
    test_top_slops();
    test_store();
    test_memory();
    leave_scratch_folder();
    return tap_done();
}
