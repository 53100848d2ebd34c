/* Reports: JSON that parses and has what compare.py reads, CSV, console, contexts; what a failing write callback or a
   callback that stops does to a run. */
#include "bench/gbench.h"

#include "tap.h"

#include <jansson.h>
#include <math.h>

/* A report's text, from a write callback that refuses its pieces from number fail_at (1 …) on; 0: never. */
struct sink {
    char text[65536];
    size_t size;
    int pieces, fail_at;
};

static bool take(void *context, const char *text, size_t size)
{
    struct sink *sink = context;
    sink->pieces++;
    if ((sink->fail_at && sink->pieces >= sink->fail_at) || sink->size + size >= sizeof sink->text)
        return false;
    memcpy(sink->text + sink->size, text, size);
    sink->size += size;
    sink->text[sink->size] = 0;
    return true;
}

static struct sink json, csv, console;

static void clear(struct sink *sink)
{
    sink->size = 0;
    sink->text[0] = 0;
    sink->pieces = 0;
    sink->fail_at = 0;
}

static bool has(const struct sink *sink, const char *text)
{
    return strstr(sink->text, text) != NULL;
}

/* The benchmarks of the JSON report; NULL, after a line with the reason, when it is none. */
static json_t *root;
static json_t *benchmarks(void)
{
    json_error_t error;
    json_decref(root);
    root = json_loadb(json.text, json.size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        diag("line %d: %s", error.line, error.text);
    return json_object_get(root, "benchmarks");
}

static const char *text_at(const json_t *list, size_t index, const char *key)
{
    const char *text = json_string_value(json_object_get(json_array_get(list, index), key));
    return text ? text : "(none)";
}

static double number_at(const json_t *list, size_t index, const char *key)
{
    json_t *number = json_object_get(json_array_get(list, index), key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static void timed(tb_gbench_state *state, void *user)
{
    const char *counter = user;
    while (tb_gbench_state_keep_running(state))
        tb_gbench_state_set_iteration_time(state, 1e-6);
    tb_gbench_state_set_complexity_n(state, 1);
    if (counter)
        tb_gbench_state_set_counter(state, counter, 1500, TB_GBENCH_COUNTER_PLAIN, TB_GBENCH_1000);
}

static void skipped(tb_gbench_state *state, void *user)
{
    tb_gbench_state_skip_with_error(state, user);
}

static tb_gbench_benchmark *fixed(const char *name, tb_gbench_function *function, void *user)
{
    tb_gbench_benchmark *b = tb_gbench_register(name, function, user);
    tb_gbench_iterations(b, 5);
    tb_gbench_use_manual_time(b);
    return b;
}

static tb_gbench_totals totals;

/* Runs what is registered into all three text reports, and forgets it. */
static tb_gbench_status run(unsigned options)
{
    tb_gbench_reporter *reporters[] = {tb_gbench_reporter_json(take, &json, options),
                                       tb_gbench_reporter_csv(take, &csv, options),
                                       tb_gbench_reporter_console(take, &console, options)};
    tb_gbench_status status = tb_gbench_run(reporters, 3, NULL, &totals);
    for (size_t i = 0; i < 3; i++)
        tb_gbench_reporter_free(reporters[i]);
    tb_gbench_unregister_all();
    return status;
}

static void clear_all(void)
{
    clear(&json);
    clear(&csv);
    clear(&console);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static void test_json(void)
{
    static const char *const fields[] = {"name",
                                         "run_name",
                                         "run_type",
                                         "repetitions",
                                         "real_time",
                                         "cpu_time",
                                         "time_unit",
                                         "threads",
                                         "iterations",
                                         "family_index",
                                         "per_family_instance_index"};
    clear_all();
    tb_gbench_add_context("build", "-O2 \"quoted\" \x02 \xc3\xa9 \xff");
    tb_gbench_benchmark *b = fixed("level/load/one two/\xc3\xa9\\\"", timed, "c");
    tb_gbench_repetitions(b, 2);
    tb_gbench_complexity(fixed("fit", timed, NULL), TB_GBENCH_O_N);
    fixed("wrong", skipped, "it \"said\"\n\x01 no\xfe");
    is(run(0), TB_GBENCH_OK, "a run into three reports");
    json_t *list = benchmarks();
    is(json_array_size(list), 8, "the JSON parses: two repetitions, four aggregates, two single runs; a fit needs two");
    int missing = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            missing += !json_object_get(json_array_get(list, i), fields[k]);
    none_of(missing, "every run has what compare.py reads");
    is_text(text_at(list, 0, "name"), "level/load/one two/\xc3\xa9\\\"", "name is the registered name");
    is_text(text_at(list, 1, "run_name"), text_at(list, 0, "name"), "so is run_name");
    is_text(text_at(list, 2, "name"), "level/load/one two/\xc3\xa9\\\"_mean", "an aggregate's name has its suffix");
    is_text(text_at(list, 2, "run_name"), text_at(list, 0, "name"), "its run_name has none");
    ok(strcmp(text_at(list, 0, "run_type"), "iteration") == 0 &&
           strcmp(text_at(list, 2, "run_type"), "aggregate") == 0 &&
           strcmp(text_at(list, 5, "aggregate_unit"), "percentage") == 0,
       "repetitions and aggregates can be told apart");
    ok(fabs(number_at(list, 0, "real_time") - 1000) < 1e-6 && number_at(list, 1, "repetition_index") == 1 &&
           number_at(list, 0, "c") == 1500 && strcmp(text_at(list, 0, "time_unit"), "ns") == 0,
       "figures are there");
    is_text(text_at(list, 7, "error_message"), "it \"said\"?? no?",
            "an error's text is there, without what JSON cannot carry");
    ok(json_is_true(json_object_get(json_array_get(list, 7), "error_occurred")) && totals.errors == 1, "and is marked");
    json_t *context = json_object_get(root, "context");
    is_text(json_string_value(json_object_get(context, "build")), "-O2 \"quoted\" ? \xc3\xa9 ?",
            "context of one's own");
    is_text(json_string_value(json_object_get(context, "library_build_type")), "debug",
            "the library says debug of itself");
    clear_all();
    fixed("wrong", skipped, "no");
    fixed("right", timed, NULL);
    run(TB_GBENCH_WITHOUT_ERRORS);
    list = benchmarks();
    ok(json_array_size(list) == 1 && strcmp(text_at(list, 0, "name"), "right") == 0 && totals.errors == 1 &&
           !has(&csv, "wrong") && !has(&console, "wrong"),
       "errors can be left out, and are counted");
}

static void test_csv_and_console(void)
{
    clear_all();
    fixed("first", timed, NULL);
    fixed("second", timed, "c");
    fixed("third", skipped, "no");
    run(TB_GBENCH_COLOR | TB_GBENCH_TABULAR);
    ok(strncmp(csv.text, "name,iterations,real_time,cpu_time,time_unit,", 45) == 0 &&
           has(&csv, ",error_message,\"c\"\n"),
       "a CSV begins with its header, which has every counter");
    ok(has(&csv, "\n\"first\",5,1000,") && has(&csv, "\n\"second\",5,1000,") && has(&csv, ",1500\n") &&
           has(&csv, "true,\"no\"\n"),
       "rows with and without the counter, and an error");
    is(csv.pieces, 1, "it comes in one piece");
    ok(has(&console, "Benchmark") && has(&console, "\033[") && has(&console, "1.5k") &&
           has(&console, "ERROR OCCURRED: 'no'"),
       "a console report, coloured");
    ok(strstr(console.text, "CPU") < strstr(console.text, "first"), "begins with the machine");
    clear_all();
    tb_gbench_benchmark *b = fixed("aligned", timed, NULL);
    tb_gbench_repetitions(b, 2);
    run(0);
    ok(!has(&console, "\033[") && has(&console, "\naligned              1000 ns"), "plain, as wide as the names need");
}

static void test_aggregates_only(void)
{
    for (int which = 0; which < 3; which++) {
        clear_all();
        tb_gbench_benchmark *b = fixed("x", timed, NULL);
        tb_gbench_repetitions(b, 3);
        if (which == 1)
            tb_gbench_report_aggregates_only(b, true);
        if (which == 2)
            tb_gbench_display_aggregates_only(b, true);
        tb_gbench_report_aggregates_only(fixed("single", timed, NULL), true);
        run(0);
        size_t repetitions = which == 1 ? 0 : 3;
        is(json_array_size(benchmarks()), repetitions + 4 + 1, "%zu repetitions reported, and a single run always",
           repetitions);
        ok(has(&console, "\nx  ") == (which == 0) && has(&console, "\nx_mean"), "and %d on the console", which ? 0 : 3);
    }
}

/* ---- a reporter of callbacks ------------------------------------------------------------------------------------- */

struct seen {
    int contexts, reports, dones, stop_at;
    bool good;
    void *user;
    char order[16];
};

static bool see_context(void *user, const tb_gbench_context *context)
{
    struct seen *seen = user;
    seen->contexts++;
    strcat(seen->order, "c");
    seen->good = context->cpus > 0 && context->cpu_hz > 0 && context->executable && *context->host &&
                 context->cpu_scaling >= -1 && context->cpu_scaling <= 1 && context->loads <= 8;
    for (size_t i = 0; i < context->cache_count; i++)
        seen->good &= context->caches[i].size > 0 && context->caches[i].level > 0 && *context->caches[i].type;
    bool found = false;
    for (size_t i = 0; i < context->pair_count; i++)
        found |= strcmp(context->pairs[i].key, "build") == 0 && strncmp(context->pairs[i].value, "-O2", 3) == 0;
    seen->good &= found;
    return seen->stop_at != 1;
}

static bool see_report(void *user, const tb_gbench_report *report)
{
    struct seen *seen = user;
    seen->reports++;
    strcat(seen->order, "r");
    seen->user = report->user;
    return seen->stop_at != 1 + seen->reports;
}

static void see_done(void *user)
{
    struct seen *seen = user;
    seen->dones++;
    strcat(seen->order, "d");
}

static void test_callbacks(void)
{
    static const char *const orders[] = {"crrd", "cd", "crd", "crrd"};
    tb_gbench_callbacks callbacks = {see_context, see_report, see_done}, none = {0};
    for (int stop_at = 0; stop_at <= 3; stop_at++) {
        struct seen seen = {.stop_at = stop_at};
        clear_all();
        tb_gbench_reporter *both[] = {tb_gbench_reporter_callbacks(&callbacks, &seen, 0),
                                      tb_gbench_reporter_json(take, &json, 0)};
        fixed("a", timed, NULL);
        fixed("b", timed, "c");
        tb_gbench_status status = tb_gbench_run(both, 2, "", NULL);
        is(status, stop_at ? TB_GBENCH_STOPPED : TB_GBENCH_OK, "a callback that stops at %d", stop_at);
        is_text(seen.order, orders[stop_at], "what was called, done once at the end");
        is(json_array_size(benchmarks()), stop_at ? (size_t)stop_at - 1 : 2,
           "other reports have what was run, and are whole");
        ok(seen.good, "the context is complete");
        for (size_t i = 0; i < 2; i++)
            tb_gbench_reporter_free(both[i]);
        tb_gbench_unregister_all();
    }
    struct seen seen = {0};
    char mine[] = "c";
    tb_gbench_reporter *reporter = tb_gbench_reporter_callbacks(&callbacks, &seen, 0);
    fixed("a", timed, mine);
    tb_gbench_run(&reporter, 1, NULL, NULL);
    ok(seen.user == mine, "a report has the benchmark's user pointer");
    tb_gbench_reporter_free(reporter);
    reporter = tb_gbench_reporter_callbacks(&none, NULL, 0);
    is(tb_gbench_run(&reporter, 1, NULL, NULL), TB_GBENCH_OK, "callbacks may be missing");
    tb_gbench_reporter_free(reporter);
    tb_gbench_unregister_all();
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static int ran;
static void counted(tb_gbench_state *state, void *user)
{
    ran++;
    timed(state, user);
}

static void test_failing_write(void)
{
    for (int fail_at = 1; fail_at <= 4; fail_at++) {
        clear_all();
        json.fail_at = fail_at;
        ran = 0;
        fixed("a", counted, NULL);
        fixed("b", counted, NULL);
        is(run(0), TB_GBENCH_WRITE, "a write callback that fails at piece %d of 4", fail_at);
        ok(*tb_gbench_error_text() && json.pieces == fail_at, "is told, and not called again");
        ok(ran == (fail_at > 2 ? 2 : fail_at - 1), "what comes after does not run");
    }
    clear_all();
    csv.fail_at = 1;
    fixed("a", timed, NULL);
    is(run(0), TB_GBENCH_WRITE, "also when it is the last piece");
    FILE *full = fopen("/dev/full", "w");
    tb_gbench_reporter *reporter = tb_gbench_reporter_json(tb_gbench_write_file, full, 0);
    fixed("a", timed, NULL);
    is(full ? tb_gbench_run(&reporter, 1, NULL, NULL) : TB_GBENCH_WRITE, TB_GBENCH_WRITE, "a full disk is told");
    tb_gbench_reporter_free(reporter);
    if (full)
        fclose(full);
    tb_gbench_unregister_all();
}

static tb_gbench_status inner[6];

static void calls_back(tb_gbench_state *state, void *user)
{
    timed(state, NULL);
    inner[0] = tb_gbench_run(NULL, 0, NULL, NULL);
    inner[1] = tb_gbench_unregister_all();
    inner[2] = tb_gbench_shutdown();
    inner[3] = tb_gbench_arg(user, 1);
    inner[4] = tb_gbench_initialize(NULL, NULL);
    inner[5] = tb_gbench_register("x", timed, NULL) ? TB_GBENCH_OK : TB_GBENCH_BUSY;
}

static void test_misuse(void)
{
    ok(!tb_gbench_reporter_json(NULL, NULL, 0) && !tb_gbench_reporter_csv(NULL, NULL, 0) &&
           !tb_gbench_reporter_console(NULL, NULL, 0) && !tb_gbench_reporter_callbacks(NULL, NULL, 0) &&
           !tb_gbench_reporter_json(take, &json, 8),
       "reporters without callbacks or with unknown options are refused");
    tb_gbench_reporter *missing = NULL;
    fixed("a", timed, NULL);
    is(tb_gbench_run(&missing, 1, NULL, NULL), TB_GBENCH_BAD_ARGUMENT, "a reporter that is not there is told");
    tb_gbench_unregister_all();
    clear_all();
    tb_gbench_benchmark *b = fixed("first", timed, NULL);
    fixed("inner", calls_back, b);
    run(0);
    int failures = 0;
    for (size_t i = 0; i < 6; i++)
        failures += inner[i] != TB_GBENCH_BUSY;
    none_of(failures, "inside a run nothing can be registered, run or forgotten");
    is(totals.runs, 2, "and the run goes on");
    tb_gbench_reporter *again = tb_gbench_reporter_json(take, &json, 0);
    for (int i = 0; i < 2; i++) {
        clear_all();
        fixed("a", timed, NULL);
        tb_gbench_run(&again, 1, NULL, NULL);
        is(json_array_size(benchmarks()), i + 1, "a reporter's run number %d is a report of its own", i + 1);
    }
    tb_gbench_reporter_free(again);
    tb_gbench_reporter_free(NULL);
    tb_gbench_unregister_all();
}

int main(void)
{
    test_json();
    test_csv_and_console();
    test_aggregates_only();
    test_callbacks();
    test_failing_write();
    test_misuse();
    json_decref(root);
    tb_gbench_shutdown();
    return tap_done();
}
