/* What a run says of itself: counters, labels, errors, statistics, complexity, memory; and that nothing a benchmark
   function does wrong, in one repetition or in all, ends the process. Results come back through a callback reporter. */
#include "bench/gbench.h"

#include "tap.h"

#include <math.h>

enum { most = 64 };

static struct kept {
    tb_gbench_report report; /* its pointers are dead: the copies below count */
    tb_gbench_memory memory;
    char name[64], aggregate[32], error[300], label[64];
    size_t counters;
    struct {
        char name[64];
        double value;
        unsigned flags;
        int base;
    } counter[8];
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
    if (report->memory)
        k->memory = *report->memory;
    snprintf(k->name, sizeof k->name, "%s", report->name);
    snprintf(k->aggregate, sizeof k->aggregate, "%s", report->aggregate ? report->aggregate : "");
    snprintf(k->error, sizeof k->error, "%s", report->error ? report->error : "");
    snprintf(k->label, sizeof k->label, "%s", report->label);
    k->counters = report->counter_count;
    for (size_t i = 0; i < report->counter_count && i < 8; i++) {
        snprintf(k->counter[i].name, sizeof k->counter[i].name, "%s", report->counters[i].name);
        k->counter[i].value = report->counters[i].value;
        k->counter[i].flags = report->counters[i].flags;
        k->counter[i].base = report->counters[i].base;
    }
    return true;
}

static tb_gbench_totals totals;

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

static const struct kept *find(const char *name, const char *aggregate)
{
    static const struct kept nothing = {.error = "not reported"};
    for (size_t i = 0; i < keeping; i++)
        if (strcmp(kept[i].name, name) == 0 && strcmp(kept[i].aggregate, aggregate) == 0)
            return &kept[i];
    return &nothing;
}

static bool close_to(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

/* One benchmark with manual time: no clock has a say in its figures. */
static tb_gbench_benchmark *fixed(const char *name, tb_gbench_function *function, void *user, int repetitions)
{
    tb_gbench_benchmark *b = tb_gbench_register(name, function, user);
    tb_gbench_iterations(b, 10);
    tb_gbench_use_manual_time(b);
    tb_gbench_repetitions(b, repetitions);
    return b;
}

static void ten(tb_gbench_state *state, double seconds)
{
    while (tb_gbench_state_keep_running_batch(state, 10))
        tb_gbench_state_set_iteration_time(state, seconds);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void counts(tb_gbench_state *state, void *user)
{
    bool *all = user;
    ten(state, 2.0);
    *all = tb_gbench_state_set_counter(state, "plain", 40, TB_GBENCH_COUNTER_PLAIN, TB_GBENCH_1000) &&
           tb_gbench_state_set_counter(state, "rate", 40, TB_GBENCH_COUNTER_RATE, TB_GBENCH_1024) &&
           tb_gbench_state_set_counter(state, "invariant", 40, TB_GBENCH_COUNTER_ITERATION_INVARIANT, TB_GBENCH_1000) &&
           tb_gbench_state_set_counter(state, "average", 40, TB_GBENCH_COUNTER_AVG_ITERATIONS, TB_GBENCH_1000) &&
           tb_gbench_state_set_counter(state, "inverted", 40, TB_GBENCH_COUNTER_RATE | TB_GBENCH_COUNTER_INVERT,
                                       TB_GBENCH_1000) &&
           tb_gbench_state_set_bytes_processed(state, 1000) && tb_gbench_state_set_items_processed(state, 500) &&
           tb_gbench_state_set_label(state, "a \x01 b\xff") && !tb_gbench_state_has_error(state);
}

static void test_counters(void)
{
    bool all = false;
    tb_gbench_unit(fixed("counts", counts, &all, 1), TB_GBENCH_MS);
    is(run(), TB_GBENCH_OK, "a run with counters");
    static const struct {
        const char *name;
        double value;
        unsigned flags;
        int base;
    } want[] = {{"average", 4, TB_GBENCH_COUNTER_AVG_ITERATIONS, 1000},
                {"bytes_per_second", 500, TB_GBENCH_COUNTER_RATE, 1024},
                {"invariant", 400, TB_GBENCH_COUNTER_ITERATION_INVARIANT, 1000},
                {"inverted", 0.05, TB_GBENCH_COUNTER_RATE | TB_GBENCH_COUNTER_INVERT, 1000},
                {"items_per_second", 250, TB_GBENCH_COUNTER_RATE, 1000},
                {"plain", 40, 0, 1000},
                {"rate", 20, TB_GBENCH_COUNTER_RATE, 1024}};
    ok(all, "every setter says true");
    is(kept[0].counters, 7, "every counter comes back");
    for (size_t i = 0; i < 7; i++)
        ok(strcmp(kept[0].counter[i].name, want[i].name) == 0 && close_to(kept[0].counter[i].value, want[i].value) &&
               kept[0].counter[i].flags == want[i].flags && kept[0].counter[i].base == want[i].base,
           "%s, by name, with its value, flags and base", want[i].name);
    is_text(kept[0].label, "a ? b?", "a label comes back without what JSON cannot carry");
    ok(kept[0].report.unit == TB_GBENCH_MS && close_to(kept[0].report.real_time, 200) &&
           close_to(kept[0].report.real_ns, 2e8),
       "times are in the unit, and in nanoseconds");
}

struct bad_counter {
    const char *name;
    double value;
    unsigned flags;
    int base;
    bool refused;
};

static void counts_badly(tb_gbench_state *state, void *user)
{
    struct bad_counter *c = user;
    ten(state, 1);
    c->refused = !tb_gbench_state_set_counter(state, c->name, c->value, c->flags, c->base) &&
                 tb_gbench_state_has_error(state);
}

static void test_bad_counters(void)
{
    static struct bad_counter bad[] = {
        {"nan", NAN, 0, 1000, false},        {"infinite", -INFINITY, 0, 1000, false}, {"flags", 1, 32, 1000, false},
        {"base", 1, 0, 10, false},           {"real_time", 1, 0, 1000, false},        {"label", 1, 0, 1000, false},
        {"with \"quotes\"", 1, 0, 1000, false}, {"with\nline", 1, 0, 1000, false},    {"", 1, 0, 1000, false},
        {NULL, 1, 0, 1000, false},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fixed("bad", counts_badly, &bad[i], 1);
        ok(run() == TB_GBENCH_OK && bad[i].refused && totals.errors == 1 && keeping == 1 &&
               strncmp(kept[0].error, "counter ", 8) == 0 && kept[0].counters == 0 && kept[0].report.real_ns == 0,
           "counter %s: refused, and the run is an error without figures", i == 7 ? "with a line" : bad[i].name);
    }
}

/* Counters that are numbers when set, and none when reported. */
static void divides_by_nothing(tb_gbench_state *state, void *user)
{
    ten(state, *(double *)user);
    tb_gbench_state_set_counter(state, "rate", 5, TB_GBENCH_COUNTER_RATE, TB_GBENCH_1000);
}

static void always_zero(tb_gbench_state *state, void *user)
{
    (void)user;
    ten(state, 1);
    tb_gbench_state_set_counter(state, "zero", 0, TB_GBENCH_COUNTER_PLAIN, TB_GBENCH_1000);
}

static void test_not_finite(void)
{
    double no_time = 0;
    fixed("over nothing", divides_by_nothing, &no_time, 1);
    run();
    ok(strstr(kept[0].error, "counter rate is not finite") && totals.errors == 1, "a rate over no time is an error");
    fixed("zero", always_zero, NULL, 2);
    run();
    ok(find("zero", "mean")->counters == 1 && find("zero", "cv")->counters == 0 && !*find("zero", "cv")->error,
       "the cv of a counter that is always 0 is left out of its aggregate");
    no_time = INFINITY;
    fixed("infinite time", divides_by_nothing, &no_time, 1);
    run();
    is_text(kept[0].error, "a manual time that is negative or not finite", "a time that is none is an error");
    no_time = 1e300;
    fixed("huge time", divides_by_nothing, &no_time, 1);
    run();
    is_text(kept[0].error, "a time that is not finite", "so is one too long for nanoseconds");
}

/* ---- errors in some repetitions ---------------------------------------------------------------------------------- */

enum place { before, inside, after, changed_flags, changed_batch, one_by_one };

struct failing {
    enum place place;
    int repetition, calls; /* which call fails, from 1; 0: all */
    int64_t batch;
};

static void fails(tb_gbench_state *state, void *user)
{
    struct failing *f = user;
    bool now = ++f->calls == f->repetition || !f->repetition;
    if (now && f->place == before)
        tb_gbench_state_skip_with_error(state, "planned");
    int64_t batch = f->batch + (now && f->place == changed_batch);
    bool single = now && f->place == one_by_one;
    while (single ? tb_gbench_state_keep_running(state) : tb_gbench_state_keep_running_batch(state, batch)) {
        tb_gbench_state_set_iteration_time(state, 1);
        if (now && f->place == inside)
            tb_gbench_state_skip_with_error(state, "planned");
    }
    if (now && f->place == after)
        tb_gbench_state_skip_with_error(state, "planned");
    tb_gbench_state_set_complexity_n(state, 1);
    tb_gbench_state_set_counter(state, "c", 1, now && f->place == changed_flags, TB_GBENCH_1000);
}

/* The library compares iterations and flags of all repetitions, failed ones included, and aborts when they differ. */
static void test_errors(void)
{
    static const char *const names[] = {"before the loop", "inside it", "after it", "a counter with other flags",
                                        "batches of another size", "one by one where others overrun"};
    /* How many of 4 repetitions fail, when none but the nth (0: every one) goes wrong, in batches of 5 or 7 of 10. When
       the first fails, all do; but what the first makes the rule is an error in the others. */
    static const size_t errors[6][2][4] = {
        {{4, 4, 1, 1}, {4, 4, 1, 1}}, {{4, 4, 1, 1}, {4, 4, 1, 1}}, {{4, 4, 1, 1}, {4, 4, 1, 1}},
        {{0, 3, 1, 1}, {0, 3, 1, 1}}, {{0, 3, 1, 1}, {0, 3, 1, 1}}, {{0, 0, 0, 0}, {0, 3, 1, 1}}};
    for (enum place place = before; place <= one_by_one; place++)
        for (int batch = 5; batch <= 7; batch += 2)
            for (int which = 0; which <= 3; which++) {
                struct failing f = {.place = place, .repetition = which, .batch = batch};
                fixed("fails", fails, &f, 4);
                size_t want = errors[place][batch == 7][which];
                ok(run() == TB_GBENCH_OK && totals.runs == 4 && totals.errors == want,
                   "%zu of 4 repetitions fail, %s, which: %d, batches of %d", want, names[place], which, batch);
            }
    struct failing f = {.place = before, .repetition = 3, .batch = 10};
    fixed("fails", fails, &f, 4);
    run();
    is_text(kept[2].error, "planned", "the error's text is reported");
    is(find("fails", "mean")->report.iterations, 4, "the good ones are aggregated");
    ok(tb_gbench_error_text() != NULL, "an error in a run is no error of the call");
}

static void skips_twice(tb_gbench_state *state, void *user)
{
    int *failures = user;
    char text[600];
    memset(text, 'x', sizeof text);
    text[599] = 0;
    *failures += !tb_gbench_state_skip_with_error(state, text);
    *failures += tb_gbench_state_skip_with_error(state, "second") || !tb_gbench_state_has_error(state);
    *failures += tb_gbench_state_keep_running(state) || tb_gbench_state_keep_running_batch(state, 3);
    *failures += tb_gbench_state_pause_timing(state) || tb_gbench_state_resume_timing(state);
}

static void wants_arguments(tb_gbench_state *state, void *user)
{
    *(int64_t *)user = tb_gbench_state_arg(state, 1);
    ten(state, 1);
}

static void sets_nothing(tb_gbench_state *state, void *user)
{
    (void)user;
    while (tb_gbench_state_keep_running(state))
        ;
}

static void test_single_errors(void)
{
    int failures = 0;
    int64_t argument = 5;
    fixed("skips", skips_twice, &failures, 1);
    tb_gbench_arg(fixed("wants", wants_arguments, &argument, 1), 3);
    fixed("no time", sets_nothing, NULL, 1);
    tb_gbench_benchmark *b = tb_gbench_register("no n", sets_nothing, NULL);
    tb_gbench_iterations(b, 3);
    tb_gbench_complexity(b, TB_GBENCH_O_N);
    is(run(), TB_GBENCH_OK, "single errors leave the other benchmarks alone");
    none_of(failures, "after an error nothing runs, and the first text stays");
    is(strlen(kept[0].error), 255, "a long text is cut");
    ok(argument == 0 && strstr(kept[1].error, "an argument that is not there"), "an argument too many is an error");
    is_text(kept[2].error, "no manual time was set", "so is manual time that was never set");
    is_text(kept[3].error, "no N was set for the complexity", "and a complexity without N");
    is(totals.errors, 4, "all are counted");
}

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

static void grows(tb_gbench_state *state, void *user)
{
    double *seconds = user;
    ten(state, *seconds += 10);
    tb_gbench_state_set_counter(state, "seconds", *seconds, TB_GBENCH_COUNTER_PLAIN, TB_GBENCH_1000);
}

static double largest(const double *values, size_t count, void *user)
{
    ++*(int *)user;
    double result = values[0];
    for (size_t i = 1; i < count; i++)
        result = values[i] > result ? values[i] : result;
    return result;
}

static double spread(const double *values, size_t count, void *user)
{
    (void)user;
    return values[0] / values[count - 1];
}

static double none(const double *values, size_t count, void *user)
{
    (void)values, (void)count, (void)user;
    return NAN;
}

static void test_statistics(void)
{
    double seconds = 0;
    int calls = 0;
    tb_gbench_benchmark *b = fixed("grows", grows, &seconds, 4); /* 1, 2, 3 and 4 s an iteration */
    tb_gbench_unit(b, TB_GBENCH_S);
    tb_gbench_statistic(b, "largest", largest, &calls, false);
    tb_gbench_statistic(b, "spread", spread, NULL, true);
    tb_gbench_statistic(b, "none", none, NULL, false);
    is(tb_gbench_statistic(b, "mean", none, NULL, false), TB_GBENCH_BAD_ARGUMENT,
       "the library's statistics stay its own");
    tb_gbench_unregister_all();
    b = fixed("grows", grows, &seconds, 4);
    tb_gbench_unit(b, TB_GBENCH_S);
    tb_gbench_statistic(b, "largest", largest, &calls, false);
    tb_gbench_statistic(b, "spread", spread, NULL, true);
    tb_gbench_statistic(b, "none", none, NULL, false);
    is(run(), TB_GBENCH_OK, "custom statistics run");
    const struct kept *k = find("grows", "largest");
    ok(calls > 0 && close_to(k->report.real_time, 4) && close_to(k->report.real_ns, 4e9),
       "one of times, in their unit");
    ok(k->counters == 1 && close_to(k->counter[0].value, 40), "and of counters");
    k = find("grows", "spread");
    ok(k->report.ratio && close_to(k->report.real_time, 0.25) && k->report.real_ns == 0, "one that is a ratio");
    is_text(find("grows", "none")->error, "a time that is not finite", "one that is no number is an error");
    ok(close_to(find("grows", "mean")->report.real_time, 2.5) && find("grows", "mean")->report.iterations == 4,
       "the library's own are right beside them");
    b = tb_gbench_register("many", grows, &seconds);
    tb_gbench_status status = TB_GBENCH_OK;
    for (int i = 0; i < TB_GBENCH_MOST_STATISTICS; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        status = tb_gbench_statistic(b, name, none, NULL, false);
    }
    ok(status == TB_GBENCH_OK && tb_gbench_statistic(b, "more", none, NULL, false) == TB_GBENCH_BAD_ARGUMENT,
       "there is room for so many and no more");
    tb_gbench_unregister_all();
}

struct shape {
    double (*seconds)(double n);
    int64_t fails_from;
};

static void shaped(tb_gbench_state *state, void *user)
{
    const struct shape *shape = user;
    int64_t n = tb_gbench_state_arg(state, 0);
    ten(state, 10 * 1e-6 * shape->seconds((double)n));
    tb_gbench_state_set_complexity_n(state, n);
    if (n >= shape->fails_from)
        tb_gbench_state_skip_with_error(state, "too large");
}

static double constant(double n) { return 1 + 0 * n; }
static double linear(double n) { return n; }
static double squared(double n) { return n * n; }
static double cubed(double n) { return n * n * n; }
static double logarithmic(double n) { return log2(n); }
static double linear_log(double n) { return n * log2(n); }
static double thrice(double n) { return 3 * n; }
static double half(int64_t n, void *user) { return (double)n / *(double *)user; }
static double nothing(int64_t n, void *user) { (void)user; return 0 * (double)n; }

static tb_gbench_benchmark *shape(const struct shape *of)
{
    tb_gbench_benchmark *b = fixed("shape", shaped, (void *)of, 1);
    tb_gbench_range(b, 2, 1024);
    return b;
}

static void test_complexity(void)
{
    static const struct {
        struct shape shape;
        tb_gbench_big_o big_o;
    } known[] = {{{constant, 5000}, TB_GBENCH_O_1},          {{linear, 5000}, TB_GBENCH_O_N},
                 {{squared, 5000}, TB_GBENCH_O_N_SQUARED},   {{cubed, 5000}, TB_GBENCH_O_N_CUBED},
                 {{logarithmic, 5000}, TB_GBENCH_O_LOG_N},   {{linear_log, 5000}, TB_GBENCH_O_N_LOG_N}};
    for (size_t i = 0; i < 6; i++) {
        tb_gbench_complexity(shape(&known[i].shape), TB_GBENCH_O_AUTO);
        run();
        const struct kept *fit = find("shape", "BigO"), *rms = find("shape", "RMS");
        ok(fit->report.big_o == known[i].big_o && close_to(fit->report.real_ns, 1000) && rms->report.ratio &&
               rms->report.real_time < 1e-9 && fit->report.iterations == 0,
           "AUTO finds curve %d, its coefficient in nanoseconds, and no error left", (int)known[i].big_o);
        tb_gbench_complexity(shape(&known[i].shape), known[i].big_o);
        run();
        is(find("shape", "BigO")->report.big_o, known[i].big_o, "a given curve is kept");
    }
    static const struct shape three = {thrice, 5000}, bad = {linear, 0}, one_bad = {linear, 1000},
                              two_bad = {linear, 8};
    double two = 2;
    tb_gbench_complexity_function(shape(&three), half, &two);
    run();
    ok(find("shape", "BigO")->report.big_o == TB_GBENCH_O_FUNCTION &&
           close_to(find("shape", "BigO")->report.real_ns, 6000),
       "a curve of one's own, with its user pointer");
    tb_gbench_complexity_function(shape(&three), nothing, NULL);
    run();
    is_text(find("shape", "BigO")->error, "a time that is not finite", "a curve that is nowhere but 0 fits nothing");
    tb_gbench_complexity(shape(&bad), TB_GBENCH_O_N);
    is(run(), TB_GBENCH_OK, "a family in which every run fails has no fit, and is survived");
    ok(!*find("shape", "BigO")->name && totals.errors == totals.runs, "nothing of it is reported as good");
    tb_gbench_complexity(shape(&one_bad), TB_GBENCH_O_AUTO);
    run();
    is(find("shape", "BigO")->report.big_o, TB_GBENCH_O_N, "failed runs are not in a fit");
    tb_gbench_complexity(shape(&two_bad), TB_GBENCH_O_AUTO);
    run();
    ok(!*find("shape", "BigO")->name, "one good run is none to fit");
    tb_gbench_complexity(shape(&three), TB_GBENCH_O_NONE);
    run();
    ok(!*find("shape", "BigO")->name, "none asked for, none reported");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct measured {
    int64_t starts, stops, calls;
    bool all;
};

static void memory_start(void *context)
{
    ((struct measured *)context)->starts++;
}

static void memory_stop(void *context, tb_gbench_memory *result)
{
    struct measured *m = context;
    m->all = result->allocations == 0 && result->most_bytes == 0 && result->allocated_bytes == TB_GBENCH_UNKNOWN &&
             result->net_growth == TB_GBENCH_UNKNOWN;
    result->allocations = 20;
    result->most_bytes = 100 + ++m->stops;
    if (m->stops % 2)
        result->net_growth = -m->stops;
}

static void measured(tb_gbench_state *state, void *user)
{
    ((struct measured *)user)->calls++;
    ten(state, 1);
}

static void test_memory(void)
{
    struct measured m = {0};
    tb_gbench_memory_manager manager = {memory_start, memory_stop, &m};
    is(tb_gbench_set_memory_manager(&manager), TB_GBENCH_OK, "a memory manager is set");
    fixed("memory", measured, &m, 6);
    run();
    ok(m.starts == 6 && m.stops == 6 && m.calls == 12, "every repetition runs once more");
    ok(m.all, "a result begins with zeros and unknowns");
    int failures = 0;
    for (int64_t i = 0; i < 6; i++)
        failures += kept[i].memory.most_bytes != 101 + i || kept[i].memory.allocations != 20 ||
                    kept[i].memory.allocated_bytes != TB_GBENCH_UNKNOWN ||
                    kept[i].memory.net_growth != (i % 2 ? TB_GBENCH_UNKNOWN : -i - 1) ||
                    !close_to(kept[i].report.allocations_per_iteration, 2);
    none_of(failures, "each repetition has its own figures");
    ok(!find("memory", "mean")->report.memory, "an aggregate has none");
    manager.stop = NULL;
    is(tb_gbench_set_memory_manager(&manager), TB_GBENCH_BAD_ARGUMENT, "a manager without a callback is refused");
    is(tb_gbench_set_memory_manager(NULL), TB_GBENCH_OK, "and the manager is taken away");
    fixed("memory", measured, &m, 2);
    run();
    ok(m.calls == 14 && !kept[0].report.memory, "nothing runs twice any more");
}

int main(void)
{
    test_counters();
    test_bad_counters();
    test_not_finite();
    test_errors();
    test_single_errors();
    test_statistics();
    test_complexity();
    test_memory();
    tb_gbench_shutdown();
    return tap_done();
}
