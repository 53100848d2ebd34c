/* Registering benchmarks and running them: instances and their names, the loop, times, counters, errors inside a run.
   Results come back through a callback reporter. */
#include "bench/gbench.h"

#include "tap.h"

#include <math.h>
#include <time.h>

/* ---- what came back ---------------------------------------------------------------------------------------------- */

enum { most = 64 };

static struct kept {
    tb_gbench_report report; /* its pointers are dead: the copies below count */
    char name[128], aggregate[32], error[300], label[64], counter[4][64];
    double value[4];
    unsigned flags[4];
    int base[4];
} kept[most];
static size_t keeping;

static bool keep(void *user, const tb_gbench_report *report)
{
    (void)user;
    if (keeping == most)
        return false;
    struct kept *k = &kept[keeping++];
    memset(k, 0, sizeof *k);
    k->report = *report;
    snprintf(k->name, sizeof k->name, "%s", report->name);
    snprintf(k->aggregate, sizeof k->aggregate, "%s", report->aggregate ? report->aggregate : "");
    snprintf(k->error, sizeof k->error, "%s", report->error ? report->error : "");
    snprintf(k->label, sizeof k->label, "%s", report->label);
    for (size_t i = 0; i < report->counter_count && i < 4; i++) {
        snprintf(k->counter[i], sizeof k->counter[i], "%s", report->counters[i].name);
        k->value[i] = report->counters[i].value;
        k->flags[i] = report->counters[i].flags;
        k->base[i] = report->counters[i].base;
    }
    return true;
}

static tb_gbench_totals totals;

/* Runs all that is registered, and forgets it; results are in kept[0 … keeping - 1]. */
static tb_gbench_status run(void)
{
    keeping = 0;
    tb_gbench_callbacks callbacks = {.report = keep};
    tb_gbench_reporter *reporter = tb_gbench_reporter_callbacks(&callbacks, NULL, 0);
    tb_gbench_status status = tb_gbench_run(&reporter, 1, NULL, &totals);
    tb_gbench_reporter_free(reporter);
    tb_gbench_unregister_all();
    return status;
}

/* The names that came back, in order, a space after each. */
static const char *names(void)
{
    static char text[4096];
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < keeping; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", kept[i].name);
    return text;
}

static const char *only_error(void)
{
    return keeping == 1 ? kept[0].error : "not one result";
}

static bool close_to(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

static void loop(tb_gbench_state *state, void *user)
{
    (void)user;
    while (tb_gbench_state_keep_running(state))
        ;
}

static tb_gbench_benchmark *fixed(const char *name, tb_gbench_function *function, void *user, int64_t iterations)
{
    tb_gbench_benchmark *b = tb_gbench_register(name, function, user);
    tb_gbench_iterations(b, iterations);
    return b;
}

/* ---- instances and names ----------------------------------------------------------------------------------------- */

static void sum_args(tb_gbench_state *state, void *user)
{
    int64_t *sums = user;
    while (tb_gbench_state_keep_running(state))
        ;
    sums[0]++;
    sums[1] += tb_gbench_state_arg(state, 0);
    sums[2] += 10 * tb_gbench_state_arg(state, 1);
}

static void test_arguments(void)
{
    fixed("arg", loop, NULL, 1);
    tb_gbench_benchmark *b = fixed("range", loop, NULL, 1);
    tb_gbench_range(b, 1, 100);
    tb_gbench_arg(b, 8);
    tb_gbench_arg(b, -3);
    b = fixed("multiplied", loop, NULL, 1);
    tb_gbench_range_multiplier(b, 3);
    tb_gbench_range(b, 1, 10);
    tb_gbench_arg_name(b, "n");
    b = fixed("dense", loop, NULL, 1);
    tb_gbench_dense_range(b, INT64_MAX - 3, INT64_MAX, 2);
    is(run(), TB_GBENCH_OK, "benchmarks with arguments run");
    is_text(
        names(),
        "arg range/1 range/8 range/64 range/100 range/-3 multiplied/n:1 multiplied/n:3 multiplied/n:9 multiplied/n:10 "
        "dense/9223372036854775804 dense/9223372036854775806 ",
        "in the order registered, each argument once, ranges with their powers, and no more in the names");
    is(totals.instances, 12, "all instances are counted");

    int64_t sums[3] = {0};
    b = fixed("product", sum_args, sums, 1);
    int64_t some[] = {1, 2, 3}, few[] = {4, 5}, pair[] = {6, 7};
    tb_gbench_list_of_args lists[] = {{some, 3}, {few, 2}};
    tb_gbench_args_product(b, lists, 2);
    tb_gbench_args(b, pair, 2);
    const char *both[] = {"a", ""};
    tb_gbench_arg_names(b, both, 2);
    is(run(), TB_GBENCH_OK, "a product runs");
    is_text(names(),
            "product/a:1/4 product/a:2/4 product/a:3/4 product/a:1/5 product/a:2/5 product/a:3/5 product/a:6/7 ",
            "every combination, the first list fastest, then a single list");
    ok(sums[0] == 7 && sums[1] == 18 && sums[2] == 340, "the function sees its arguments and its user pointer");
}

static void test_plain_names(void)
{
    tb_gbench_benchmark *b = fixed("bare/name \"q\" \xc3\xa9", loop, NULL, 5);
    tb_gbench_repetitions(b, 2);
    tb_gbench_use_real_time(b);
    tb_gbench_measure_process_cpu_time(b);
    b = tb_gbench_register("timed", loop, NULL);
    tb_gbench_min_time(b, 1e-6);
    tb_gbench_threads(b, 2);
    fixed("DISABLED_never", loop, NULL, 1);
    is(run(), TB_GBENCH_OK, "benchmarks with every suffix run");
    is(keeping, 7, "two repetitions, four aggregates, one more benchmark; a disabled one does not run");
    is_text(kept[0].name, "bare/name \"q\" \xc3\xa9", "iterations, repetitions and kinds of time are not in a name");
    is_text(kept[2].name, kept[0].name, "nor is an aggregate's own name");
    is_text(kept[6].name, "timed/threads:2", "threads are where they were asked for, the minimum time is not");
    is_text(kept[2].aggregate, "mean", "aggregates come in order: mean,");
    is_text(kept[3].aggregate, "median", "median,");
    is_text(kept[4].aggregate, "stddev", "stddev,");
    ok(strcmp(kept[5].aggregate, "cv") == 0 && kept[5].report.ratio && kept[5].report.real_ns == 0, "cv, a ratio");
    ok(kept[1].report.repetition == 1 && kept[1].report.repetitions == 2 && kept[2].report.repetition == -1 &&
           kept[1].report.family == 0 && kept[6].report.family == 1 && kept[6].report.threads == 2,
       "repetitions, families and threads are numbered");
}

static void test_refused(void)
{
    tb_gbench_benchmark *b = tb_gbench_register("refusing", loop, NULL);
    int64_t one = 1, huge[2] = {0, 1};
    tb_gbench_list_of_args empty = {&one, 0}, enormous = {huge, SIZE_MAX}, none = {NULL, 1};
    const char *bad_name = "a\nb", *no_name = NULL, *twice[] = {"x", "y"};
    int failures = 0;
#define REFUSES(call) failures += (call) != TB_GBENCH_BAD_ARGUMENT || !*tb_gbench_error_text()
    REFUSES(tb_gbench_args(b, NULL, 1));
    REFUSES(tb_gbench_args(b, &one, 0));
    REFUSES(tb_gbench_range(b, 2, 1));
    REFUSES(tb_gbench_range_multiplier(b, 1));
    REFUSES(tb_gbench_dense_range(b, 2, 1, 1));
    REFUSES(tb_gbench_dense_range(b, 1, 2, 0));
    REFUSES(tb_gbench_dense_range(b, INT64_MIN, INT64_MAX, 1));
    REFUSES(tb_gbench_args_product(b, &empty, 1));
    REFUSES(tb_gbench_args_product(b, &none, 1));
    REFUSES(tb_gbench_args_product(b, NULL, 1));
    REFUSES(tb_gbench_args_product(b, &enormous, 1));
    REFUSES(tb_gbench_arg_names(b, NULL, 1));
    REFUSES(tb_gbench_arg_name(b, bad_name));
    REFUSES(tb_gbench_arg_name(b, no_name));
    REFUSES(tb_gbench_iterations(b, 0));
    REFUSES(tb_gbench_iterations(b, TB_GBENCH_MOST_ITERATIONS + 1));
    REFUSES(tb_gbench_min_time(b, 0));
    REFUSES(tb_gbench_min_time(b, NAN));
    REFUSES(tb_gbench_repetitions(b, 0));
    REFUSES(tb_gbench_unit(b, (tb_gbench_time_unit)9));
    REFUSES(tb_gbench_threads(b, 0));
    REFUSES(tb_gbench_thread_range(b, 2, TB_GBENCH_MOST_THREADS + 1));
    REFUSES(tb_gbench_complexity(b, TB_GBENCH_O_FUNCTION));
    REFUSES(tb_gbench_complexity_function(b, NULL, NULL));
    REFUSES(tb_gbench_statistic(b, "max", NULL, NULL, false));
    REFUSES(tb_gbench_arg(NULL, 1));
    tb_gbench_arg(b, 1);
    REFUSES(tb_gbench_arg_names(b, twice, 2));
    REFUSES(tb_gbench_args(b, huge, 2));
    tb_gbench_iterations(b, 1);
    REFUSES(tb_gbench_min_time(b, 1));
    tb_gbench_use_manual_time(b);
    REFUSES(tb_gbench_use_real_time(b));
    tb_gbench_benchmark *other = tb_gbench_register("other", loop, NULL);
    tb_gbench_use_real_time(other);
    REFUSES(tb_gbench_use_manual_time(other));
    tb_gbench_min_time(other, 1);
    REFUSES(tb_gbench_iterations(other, 1));
    none_of(failures, "what the library would abort on, or never end with, is refused");
    is(run(), TB_GBENCH_BAD_ARGUMENT, "and a benchmark that refused something does not run");
    is_text(tb_gbench_error_text(), "refusing: an empty argument list", "the first refusal is told");

    char long_name[TB_GBENCH_LONGEST_NAME + 2];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    const char *bad[] = {NULL,       "",     "a\tb",   "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                         "\xe2\x82", "\x7f", long_name};
    failures = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        failures += tb_gbench_register(bad[i], loop, NULL) != NULL;
    none_of(failures, "names that would spoil the JSON are refused");
    ok(!tb_gbench_register("x", NULL, NULL) && tb_gbench_register(long_name + 1, loop, NULL), "so is no function");
    tb_gbench_unregister_all();
    is(run(), TB_GBENCH_NO_MATCH, "nothing registered is no match");
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

struct batches {
    int calls, batches;
    int64_t size, asked, done;
};

static void one_batch(tb_gbench_state *state, void *user)
{
    struct batches *b = user;
    b->calls++;
    b->asked = tb_gbench_state_max_iterations(state);
    ok(tb_gbench_state_iterations(state) == 0, "nothing is done before the loop");
    while (tb_gbench_state_keep_running_batch(state, b->size ? b->size : b->asked))
        b->batches++;
    b->done = tb_gbench_state_iterations(state);
}

static void growing(tb_gbench_state *state, void *user)
{
    struct batches *b = user;
    b->calls++;
    b->asked = tb_gbench_state_max_iterations(state);
    double share = 1e-7 * (double)b->asked;
    while (tb_gbench_state_keep_running_batch(state, b->asked))
        tb_gbench_state_set_iteration_time(state, share);
}

static void test_loop(void)
{
    struct batches b = {0};
    tb_gbench_repetitions(fixed("batch", one_batch, &b, 1000), 3);
    is(run(), TB_GBENCH_OK, "fixed batches run");
    ok(b.calls == 3 && b.batches == 3 && b.asked == 1000 && b.done == 1000,
       "one batch of the count asked for is one call a repetition");
    is(kept[2].report.iterations, 1000, "and that count is reported");

    b = (struct batches){.size = 300};
    fixed("overrun", one_batch, &b, 1000);
    run();
    ok(b.batches == 4 && kept[0].report.iterations == 1200, "a last batch that overruns is done and counted whole");

    b = (struct batches){0};
    tb_gbench_benchmark *grown = tb_gbench_register("grown", growing, &b);
    tb_gbench_use_manual_time(grown);
    tb_gbench_min_time(grown, 1e-3);
    run();
    ok(b.calls > 2 && b.asked >= 10000 && kept[0].report.iterations == b.asked,
       "without a count it grows until the minimum time, and the last call counts");
    ok(close_to(kept[0].report.real_ns, 100), "manual time is the time reported");
}

static void stops_early(tb_gbench_state *state, void *user)
{
    for (int i = *(int *)user; i > 0; i--)
        tb_gbench_state_keep_running(state);
}

static void pauses(tb_gbench_state *state, void *user)
{
    int *failures = user;
    *failures += tb_gbench_state_pause_timing(state) || tb_gbench_state_resume_timing(state);
    while (tb_gbench_state_keep_running(state)) {
        *failures += tb_gbench_state_resume_timing(state);
        *failures += !tb_gbench_state_pause_timing(state) || tb_gbench_state_pause_timing(state);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        *failures += !tb_gbench_state_resume_timing(state);
        *failures += !tb_gbench_state_pause_timing(state);
    }
    *failures += tb_gbench_state_keep_running(state) || tb_gbench_state_keep_running_batch(state, 1);
    *failures += tb_gbench_state_pause_timing(state);
}

static void bad_batch(tb_gbench_state *state, void *user)
{
    while (tb_gbench_state_keep_running_batch(state, *(int64_t *)user))
        ;
}

static void test_careless_loops(void)
{
    int turns[] = {0, 3, 5};
    for (size_t i = 0; i < 3; i++) {
        tb_gbench_repetitions(fixed("early", stops_early, &turns[i], 5), 2);
        run();
        is_text(kept[0].error, "the function returned before its loop was over", "a loop left after %d of 5 turns",
                turns[i]);
    }
    int failures = 0;
    tb_gbench_use_real_time(fixed("paused", pauses, &failures, 4));
    run();
    none_of(failures, "the clock is stopped and started inside the loop alone, and a second loop is over at once");
    ok(!*kept[0].error && kept[0].report.real_ns < 49e6, "time asleep while paused is not counted, at the end neither");
    int64_t sizes[] = {0, -1, TB_GBENCH_MOST_ITERATIONS + 1};
    for (size_t i = 0; i < 3; i++) {
        fixed("size", bad_batch, &sizes[i], 5);
        run();
        is_text(only_error(), "a batch size out of range", "batches of %" PRId64, sizes[i]);
    }
}

static void keeps_values(tb_gbench_state *state, void *user)
{
    struct {
        int64_t a[4];
    } big = {{1, 2, 3, 4}};
    int64_t sum = 0;
    double half = 0.5;
    const void *pointer = &big;
    while (tb_gbench_state_keep_running_batch(state, tb_gbench_state_max_iterations(state))) {
        tb_gbench_use_pointer(&big);
        for (size_t i = 0; i < 4; i++)
            sum += big.a[i];
        TB_GBENCH_DO_NOT_OPTIMIZE(sum);
        TB_GBENCH_DO_NOT_OPTIMIZE(half);
        TB_GBENCH_DO_NOT_OPTIMIZE(pointer);
        tb_gbench_clobber_memory();
    }
    *(bool *)user = sum == 10 && close_to(half, 0.5) && pointer == &big;
}

static void test_barriers(void)
{
    bool kept_values = false;
    fixed("kept", keeps_values, &kept_values, 1000);
    run();
    ok(kept_values, "values come out of the optimisation barriers as they went in");
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void in_threads(tb_gbench_state *state, void *user)
{
    (void)user;
    int index = tb_gbench_state_thread_index(state), threads = tb_gbench_state_threads(state);
    while (tb_gbench_state_keep_running(state))
        ;
    if (index < 0 || index >= threads)
        tb_gbench_state_skip_with_error(state, "a thread index out of range");
    tb_gbench_state_set_counter(state, "sum", index + 1, TB_GBENCH_COUNTER_PLAIN, TB_GBENCH_1000);
    tb_gbench_state_set_counter(state, "average", 6, TB_GBENCH_COUNTER_AVG_THREADS, TB_GBENCH_1000);
}

static void fails_in_one(tb_gbench_state *state, void *user)
{
    (void)user;
    if (tb_gbench_state_thread_index(state) == 1) {
        tb_gbench_state_skip_with_error(state, "thread 1 cannot");
        return;
    }
    while (tb_gbench_state_keep_running(state))
        ;
}

static void test_threads(void)
{
    tb_gbench_benchmark *b = fixed("t", in_threads, NULL, 10);
    tb_gbench_thread_range(b, 1, 3);
    tb_gbench_threads(b, 2);
    run();
    is_text(names(), "t/threads:1 t/threads:2 t/threads:3 ", "thread counts: powers of two and the last, each once");
    ok(kept[2].report.iterations == 30 && kept[2].report.threads == 3, "iterations are those of all threads");
    ok(strcmp(kept[2].counter[0], "average") == 0 && close_to(kept[2].value[0], 6) && close_to(kept[2].value[1], 6),
       "counters are summed over threads, and averaged where asked");
    tb_gbench_benchmark *one = fixed("f", fails_in_one, NULL, 10);
    tb_gbench_threads(one, 3);
    tb_gbench_repetitions(one, 2);
    run();
    ok(keeping == 2 && strcmp(kept[0].error, "thread 1 cannot") == 0,
       "one thread's error before the loop holds up no other");
    is_text(kept[1].error, "not run: the first repetition failed",
            "after a first repetition that failed no other runs");
}

int main(void)
{
    test_arguments();
    test_plain_names();
    test_refused();
    test_loop();
    test_careless_loops();
    test_barriers();
    test_threads();
    tb_gbench_shutdown();
    return tap_done();
}
