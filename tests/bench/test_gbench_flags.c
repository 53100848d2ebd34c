/* The process: flags, BENCHMARK_* variables, filters, lists, context, tb_gbench_main, shutdown. */
#include "bench/gbench.h"

#include "tap.h"

#include <math.h>

/* ---- what is run, and what comes back ---------------------------------------------------------------------------- */

static char text[65536];
static size_t text_size;

static bool take(void *context, const char *piece, size_t size)
{
    (void)context;
    if (text_size + size >= sizeof text)
        return false;
    memcpy(text + text_size, piece, size);
    text_size += size;
    text[text_size] = 0;
    return true;
}

static bool refuse(void *context, const char *piece, size_t size)
{
    (void)context, (void)piece, (void)size;
    return false;
}

static int calls;
static int64_t asked;

static void loop(tb_gbench_state *state, void *user)
{
    calls++;
    asked = tb_gbench_state_max_iterations(state);
    while (tb_gbench_state_keep_running(state))
        ;
    if (user)
        tb_gbench_state_skip_with_error(state, "told to");
}

static void fixed(const char *name)
{
    tb_gbench_iterations(tb_gbench_register(name, loop, NULL), 3);
}

static size_t reports;
static tb_gbench_time_unit unit;
static char pairs[2048];

static bool see_context(void *user, const tb_gbench_context *context)
{
    (void)user;
    reports = 0;
    pairs[0] = 0;
    for (size_t i = 0; i < context->pair_count; i++)
        snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs), "%s=%s;", context->pairs[i].key,
                 context->pairs[i].value);
    return true;
}

static bool see_report(void *user, const tb_gbench_report *report)
{
    (void)user;
    reports++;
    unit = report->unit;
    return true;
}

static tb_gbench_totals totals;

static tb_gbench_status run(const char *filter)
{
    tb_gbench_callbacks callbacks = {see_context, see_report, NULL};
    tb_gbench_reporter *reporter = tb_gbench_reporter_callbacks(&callbacks, NULL, 0);
    calls = 0;
    tb_gbench_status status = tb_gbench_run(&reporter, 1, filter, &totals);
    tb_gbench_reporter_free(reporter);
    return status;
}

/* Initialises with flags, a space between two; values has what is left. */
static char words[1024], *values[32];
static int value_count;

static void split(const char *flags)
{
    snprintf(words, sizeof words, "program %s", flags);
    value_count = 0;
    for (char *word = strtok(words, " "); word && value_count < 31; word = strtok(NULL, " "))
        values[value_count++] = word;
    values[value_count] = NULL;
}

static tb_gbench_status initialize(const char *flags)
{
    split(flags);
    return tb_gbench_initialize(&value_count, values);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static const char *const variables[][2] = {
    {"BENCHMARK_FILTER", "no such thing"}, {"BENCHMARK_REPETITIONS", "7"}, {"BENCHMARK_FORMAT", "strange"},
    {"BENCHMARK_OUT", "/no/such/folder/x"}, {"BENCHMARK_CONTEXT", "key=value"}, {"BENCHMARK_COLOR", ""},
    {"BENCHMARK_TIME_UNIT", "never"},      {"BENCHMARK_MIN_TIME", "1000"}, {"BENCHMARK_LIST_TESTS", "1"},
    {"V", "3"},
};
enum { variable_count = sizeof variables / sizeof *variables };

/* The library reads them when it is loaded: they must be there when the program starts. */
static void begin_with_variables(char **self)
{
    if (getenv("BENCHMARK_FILTER"))
        return;
    for (size_t i = 0; i < variable_count; i++)
        setenv(variables[i][0], variables[i][1], 1);
    execv("/proc/self/exe", self);
}

static void test_variables(void)
{
    fixed("a");
    is(run(NULL), TB_GBENCH_OK, "a run without initialisation is one with the defaults, whatever the environment said");
    ok(calls == 1 && reports == 1 && unit == TB_GBENCH_NS, "it repeats and filters nothing");
    int left = 0, told = 0;
    for (size_t i = 0; i + 1 < variable_count; i++) {
        char pair[64];
        snprintf(pair, sizeof pair, "%s=%s", variables[i][0], variables[i][1]);
        left += getenv(variables[i][0]) != NULL;
        told += strstr(tb_gbench_cleared_environment(), pair) != NULL;
    }
    none_of(left, "the variables are taken out of the environment");
    is(told, variable_count - 1, "and recorded");
    ok(strstr(pairs, "cleared_environment=BENCHMARK_") == pairs && !strstr(pairs, ";key=value"),
       "the report's context has them, and not what they asked for");
    setenv("BENCHMARK_LATE", "\x01", 1);
    is(initialize(""), TB_GBENCH_OK, "once more");
    ok(!getenv("BENCHMARK_LATE") && strstr(tb_gbench_cleared_environment(), " BENCHMARK_LATE=?"),
       "a later one is added");
    tb_gbench_unregister_all();
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static void test_flags(void)
{
    fixed("a");
    is(initialize("x --benchmark_repetitions=4 y --v=0 --benchmark_time_unit=us --benchmark_context=k=v,l= z"),
       TB_GBENCH_OK, "flags of the library between others");
    ok(value_count == 4 && strcmp(values[1], "x") == 0 && strcmp(values[2], "y") == 0 && strcmp(values[3], "z") == 0 &&
           !values[4],
       "are taken out, the others stay in order");
    is(tb_gbench_unrecognized_arguments(value_count, values), TB_GBENCH_BAD_FLAG, "which can be refused");
    is_text(tb_gbench_error_text(), "x: unknown argument", "the first is named");
    is(tb_gbench_unrecognized_arguments(1, values), TB_GBENCH_OK, "a program's name is no argument");
    is(run(NULL), TB_GBENCH_OK, "the flags hold in a run");
    ok(calls == 4 && reports == 8 && unit == TB_GBENCH_US && strstr(pairs, ";k=v;l=;"), "each of them");
    is(initialize("--benchmark_repetitions=3 --benchmark_report_aggregates_only "
                  "--benchmark_enable_random_interleaving=yes"), TB_GBENCH_OK, "others, anew");
    run(NULL);
    ok(calls == 3 && reports == 4 && unit == TB_GBENCH_NS && !strstr(pairs, "k=v"), "nothing is left of the first");
    initialize("--benchmark_repetitions=3 --benchmark_display_aggregates_only=1 --benchmark_counters_tabular=true "
               "--benchmark_color=false");
    run(NULL);
    is(reports, 7, "aggregates alone on the console are no matter of other reports");
    tb_gbench_register("timed", loop, NULL);
    initialize("--benchmark_min_time=0.0001 --benchmark_min_warmup_time=0.0001 --benchmark_filter=timed");
    run(NULL);
    ok(calls > 3 && calls < 20 && asked > 100, "minimum times and a filter");
    tb_gbench_unregister_all();
}

static void test_bad_flags(void)
{
    static const char *const bad[] = {"--benchmark_nothing",
                                      "--benchmark_",
                                      "--benchmark_out=x",
                                      "--benchmark_out=/dev/full",
                                      "--benchmark_out_format=json",
                                      "--benchmark_perf_counters=CYCLES",
                                      "--benchmark_format=xml",
                                      "--benchmark_format",
                                      "--benchmark_color=blue",
                                      "--benchmark_time_unit=min",
                                      "--benchmark_repetitions=0",
                                      "--benchmark_repetitions=1.5",
                                      "--benchmark_repetitions=x",
                                      "--benchmark_repetitions=",
                                      "--benchmark_min_time=-1",
                                      "--benchmark_min_time=nan",
                                      "--benchmark_min_time=1s",
                                      "--benchmark_min_warmup_time=inf",
                                      "--benchmark_list_tests=perhaps",
                                      "--benchmark_context=k",
                                      "--benchmark_context=a=b=c",
                                      "--benchmark_context=date=x",
                                      "--benchmark_context=a=b,a=c",
                                      "--benchmark_context==x",
                                      "--v=x",
                                      "--v"};
    fixed("a");
    initialize("--benchmark_repetitions=2");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char flags[200];
        snprintf(flags, sizeof flags, "--benchmark_repetitions=5 %s", bad[i]);
        tb_gbench_status status = initialize(flags);
        ok(status == TB_GBENCH_BAD_FLAG && value_count == 3 &&
               strncmp(tb_gbench_error_text(), bad[i], strlen(bad[i])) == 0,
           "%s is refused and named, argv is as it was", bad[i]);
    }
    is(initialize("--benchmark_repetitions=5 --help"), TB_GBENCH_HELP, "help is asked for");
    ok(value_count == 3 && strstr(tb_gbench_help_text(), "--benchmark_filter="), "and can be given");
    run(NULL);
    is(calls, 2, "the settings are as they were, too");
    is(initialize("--verbose --benchmarks"), TB_GBENCH_OK, "flags that only look alike are the caller's");
    is(value_count, 3, "and stay");
    char *bare[] = {values[0]};
    int one = 1;
    is(tb_gbench_initialize(&one, bare), TB_GBENCH_OK, "an argv without its NULL is not written to");
    tb_gbench_unregister_all();
}

/* ---- filters and lists ------------------------------------------------------------------------------------------- */

static const char *list(const char *filter)
{
    text_size = 0;
    text[0] = 0;
    return tb_gbench_list(filter, take, NULL) == TB_GBENCH_OK ? text : "failed";
}

static void test_filters(void)
{
    initialize("");
    fixed("level/a/64");
    tb_gbench_benchmark *b = tb_gbench_register("level/b", loop, NULL);
    tb_gbench_repetitions(b, 2);
    tb_gbench_iterations(b, 2);
    tb_gbench_use_real_time(b);
    tb_gbench_arg(b, 64);
    tb_gbench_arg(b, 128);
    tb_gbench_threads(b, 2);
    fixed("DISABLED_c");
    is_text(list(NULL), "level/a/64\nlevel/b/64/threads:2\nlevel/b/128/threads:2\n", "names are listed");
    is_text(list("64$"), "level/a/64\n", "a filter knows the names as they are registered: no suffix is in its way");
    is_text(list("^level/b/(64|128)/threads:[0-9]+$"), "level/b/64/threads:2\nlevel/b/128/threads:2\n",
            "it is extended");
    is_text(list("-b"), "level/a/64\n", "and can be turned round");
    is_text(list("all"), list(""), "\"all\" and \"\" are all");
    calls = 0;
    is(run("a/64$"), TB_GBENCH_OK, "a run with a filter");
    ok(calls == 1 && totals.instances == 1 && totals.runs == 1 && totals.errors == 0, "runs what matches");
    is(run("b"), TB_GBENCH_OK, "another");
    ok(totals.instances == 2 && totals.runs == 4, "runs the rest");
    is(run("nothing"), TB_GBENCH_NO_MATCH, "a filter that matches nothing");
    is_text(tb_gbench_error_text(), "no benchmark matches \"nothing\"", "is told");
    ok(totals.instances == 0 && calls == 0, "and nothing runs");
    is(run("-"), TB_GBENCH_NO_MATCH, "all but everything is nothing");
    is(run("("), TB_GBENCH_BAD_FILTER, "what is no expression");
    ok(strncmp(tb_gbench_error_text(), "(: not a regular expression", 27) == 0, "is told");
    is(tb_gbench_list("(", take, NULL), TB_GBENCH_BAD_FILTER, "by a list, too");
    is(tb_gbench_list(NULL, refuse, NULL), TB_GBENCH_WRITE, "a list that cannot be written is told");
    is(tb_gbench_list(NULL, NULL, NULL), TB_GBENCH_BAD_ARGUMENT, "a list for nobody is refused");

    initialize("--benchmark_list_tests --benchmark_filter=a/");
    calls = 0;
    text_size = 0;
    tb_gbench_callbacks callbacks = {0};
    tb_gbench_reporter *reporters[] = {tb_gbench_reporter_callbacks(&callbacks, NULL, 0),
                                       tb_gbench_reporter_json(take, NULL, 0), tb_gbench_reporter_csv(refuse, NULL, 0)};
    is(tb_gbench_run(reporters, 3, NULL, &totals), TB_GBENCH_OK, "--benchmark_list_tests");
    ok(calls == 0 && strcmp(text, "level/a/64\n") == 0, "lists to the first reporter that writes, and runs nothing");
    is(tb_gbench_run(&reporters[2], 1, NULL, NULL), TB_GBENCH_WRITE, "which may fail");
    for (size_t i = 0; i < 3; i++)
        tb_gbench_reporter_free(reporters[i]);
    tb_gbench_unregister_all();
    initialize("");
}

static void test_context(void)
{
    fixed("a");
    is(tb_gbench_add_context("flags", "-O2"), TB_GBENCH_OK, "context is added");
    int failures = 0;
    const char *bad[] = {"flags", "date", "library_build_type", "cleared_environment", "", "a\nb", NULL};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        failures += tb_gbench_add_context(bad[i], "x") != TB_GBENCH_BAD_ARGUMENT;
    failures += tb_gbench_add_context("none", NULL) != TB_GBENCH_BAD_ARGUMENT;
    failures += initialize("--benchmark_context=flags=-O3") != TB_GBENCH_BAD_FLAG;
    failures += initialize("--benchmark_context=more=1") != TB_GBENCH_OK;
    failures += tb_gbench_add_context("more", "2") != TB_GBENCH_BAD_ARGUMENT;
    none_of(failures, "a key that is there already, or that the JSON has, is refused");
    run(NULL);
    ok(strstr(pairs, ";flags=-O2;more=1;"), "reports have the caller's context and the command line's");
    tb_gbench_unregister_all();
}

/* ---- a whole main ------------------------------------------------------------------------------------------------ */

static tb_gbench_status register_good(void)
{
    fixed("good");
    return TB_GBENCH_OK;
}

static tb_gbench_status register_wrong(void)
{
    fixed("good");
    tb_gbench_iterations(tb_gbench_register("wrong", loop, text), 3);
    return TB_GBENCH_OK;
}

static tb_gbench_status register_nothing(void)
{
    return tb_gbench_register("", loop, NULL) ? TB_GBENCH_OK : TB_GBENCH_FAILED;
}

int good_main(int count, char **given);
#define main good_main
TB_GBENCH_MAIN(register_good)
#undef main

/* Its exit status; what it wrote, to either stream, is in text. -1 when it did not exit. */
static int main_in_child(const char *flags, tb_gbench_status (*register_benchmarks)(void))
{
    fflush(stdout);
    FILE *out = tmpfile();
    pid_t child = out ? fork() : -1;
    if (child == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(out), STDERR_FILENO);
        split(flags);
        exit(register_benchmarks ? tb_gbench_main(value_count, values, register_benchmarks)
                                 : good_main(value_count, values));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_main(void)
{
    is(main_in_child("", NULL), 0, "TB_GBENCH_MAIN");
    ok(strstr(text, "Benchmark ") && strstr(text, "\ngood ") && !strstr(text, "\033["),
       "reports to the console, plain");
    is(main_in_child("--benchmark_format=json", register_good), 0, "in JSON");
    ok(text[0] == '{' && strstr(text, "\"name\": \"good\"") && strcmp(text + strlen(text) - 4, "]\n}\n") == 0,
       "and nothing but that");
    is(main_in_child("--benchmark_format=csv", register_good), 0, "in CSV");
    ok(strncmp(text, "name,iterations,", 16) == 0, "and nothing but that");
    is(main_in_child("--benchmark_color=true", register_good), 0, "in colours");
    ok(strstr(text, "\033["), "when they are asked for");
    is(main_in_child("--benchmark_list_tests", register_good), 0, "a list");
    is_text(text, "good\n", "of names");
    is(main_in_child("--help", register_good), 0, "help");
    is_text(text, tb_gbench_help_text(), "is the help text");
    is(main_in_child("", register_wrong), 1, "1 when a run failed");
    is(main_in_child("--benchmark_filter=zzz", register_good), 2, "2 when nothing matches");
    is_text(text, "program: no benchmark matches \"zzz\"\n", "with a line");
    is(main_in_child("--benchmark_out=x", register_good), 2, "2 for a bad flag");
    is(main_in_child("strange", register_good), 2, "2 for what is not understood");
    is_text(text, "program: strange: unknown argument\n", "with a line");
    is(main_in_child("", register_nothing), 2, "2 when registering failed");
    is_text(text, "program: a benchmark with an empty name\n", "with a line");
}

static void test_shutdown(void)
{
    fixed("a");
    is(tb_gbench_shutdown(), TB_GBENCH_OK, "shutdown");
    is(tb_gbench_shutdown(), TB_GBENCH_OK, "may come twice");
    is(run(NULL), TB_GBENCH_NO_MATCH, "it forgets benchmarks,");
    is_text(tb_gbench_cleared_environment(), "", "the recorded environment");
    is(tb_gbench_add_context("flags", "anew"), TB_GBENCH_OK, "and context");
    fixed("b");
    is(run(NULL), TB_GBENCH_OK, "after which all can begin anew");
    is_text(pairs, "flags=anew;", "with new context");
    tb_gbench_shutdown();
}

int main(int count, char **self)
{
    (void)count;
    begin_with_variables(self);
    test_variables();
    test_flags();
    test_bad_flags();
    test_filters();
    test_context();
    test_main();
    test_shutdown();
    return tap_done();
}
