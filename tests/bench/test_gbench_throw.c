/* No exception crosses the bindings: callbacks that throw, and every single allocation of operator new failing, the
   library's own included. The exceptions are real ones, thrown from C by libstdc++'s own helpers. */
#include "bench/gbench.h"

#include "tap.h"

#include <stdatomic.h>
#include <stdlib.h>

extern void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");
extern void throw_length_error(const char *text) __asm__("_ZSt20__throw_length_errorPKc");

/* ---- operator new that fails ------------------------------------------------------------------------------------- */

static atomic_long allocations; /* by any thread */
static long fail_at;            /* 0: never */

static void *allocate(size_t size)
{
    if (++allocations == fail_at)
        throw_bad_alloc();
    void *memory = malloc(size ? size : 1);
    if (!memory)
        throw_bad_alloc();
    return memory;
}

/* They replace the C++ library's in the whole program. */
#define REPLACES(symbol) __asm__(symbol) __attribute__((visibility("default"), used))
void *new_object(size_t size) REPLACES("_Znwm");
void *new_array(size_t size) REPLACES("_Znam");
void delete_object(void *memory) REPLACES("_ZdlPv");
void delete_sized(void *memory, size_t size) REPLACES("_ZdlPvm");
void delete_array(void *memory) REPLACES("_ZdaPv");
void delete_sized_array(void *memory, size_t size) REPLACES("_ZdaPvm");

void *new_object(size_t size)
{
    return allocate(size);
}
void *new_array(size_t size)
{
    return allocate(size);
}
void delete_object(void *memory)
{
    free(memory);
}
void delete_sized(void *memory, size_t size)
{
    (void)size;
    free(memory);
}
void delete_array(void *memory)
{
    free(memory);
}
void delete_sized_array(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

/* ---- callbacks that throw ---------------------------------------------------------------------------------------- */

static int throw_in; /* which callback throws; 0: none */
enum {
    in_function = 1,
    in_loop,
    in_thread,
    in_write,
    in_context,
    in_report,
    in_done,
    in_statistic,
    in_curve,
    in_start,
    in_stop
};

static void may_throw(int place)
{
    if (throw_in == place)
        throw_bad_alloc();
}

static void function(tb_gbench_state *state, void *user)
{
    (void)user;
    may_throw(in_function);
    if (tb_gbench_state_thread_index(state) == 1)
        may_throw(in_thread);
    while (tb_gbench_state_keep_running(state))
        may_throw(in_loop);
    tb_gbench_state_set_complexity_n(state, tb_gbench_state_arg(state, 0));
    tb_gbench_state_set_label(state, "a label that is too long for the string object itself");
    tb_gbench_state_set_counter(state, "a counter's name that is as long", 1, TB_GBENCH_COUNTER_PLAIN, TB_GBENCH_1000);
}

static void throws_text(tb_gbench_state *state, void *user)
{
    (void)state;
    throw_length_error(user);
}

static void fails(tb_gbench_state *state, void *user)
{
    tb_gbench_state_skip_with_error(state, user);
}

static size_t written;
static bool take(void *context, const char *text, size_t size)
{
    (void)context, (void)text;
    may_throw(in_write);
    written += size;
    return true;
}

static bool see_context(void *user, const tb_gbench_context *context)
{
    (void)user, (void)context;
    may_throw(in_context);
    return true;
}

static char last_error[300];
static int dones;

static bool see_report(void *user, const tb_gbench_report *report)
{
    (void)user;
    may_throw(in_report);
    if (report->error)
        snprintf(last_error, sizeof last_error, "%s", report->error);
    return true;
}

static void see_done(void *user)
{
    (void)user;
    dones++;
    may_throw(in_done);
}

static double statistic(const double *values, size_t count, void *user)
{
    (void)count, (void)user;
    may_throw(in_statistic);
    return values[0];
}

static double curve(int64_t n, void *user)
{
    (void)user;
    may_throw(in_curve);
    return (double)n;
}

static void memory_start(void *context)
{
    (void)context;
    may_throw(in_start);
}

static void memory_stop(void *context, tb_gbench_memory *result)
{
    (void)context, (void)result;
    may_throw(in_stop);
}

/* ---- one program that uses everything ---------------------------------------------------------------------------- */

static tb_gbench_status first_failure;
static void note(tb_gbench_status status)
{
    if (first_failure == TB_GBENCH_OK)
        first_failure = status;
}

static tb_gbench_totals totals;

/* Returns the first status that was not OK. Leaves nothing behind. */
static tb_gbench_status program(int threads)
{
    static char word[] = "program", flag[] = "--benchmark_context=a key of some length=a value of some length",
                filter[] = "--benchmark_filter=a benchmark with a long name|another";
    char *words[] = {word, flag, filter, NULL};
    int count = 3;
    tb_gbench_callbacks callbacks = {see_context, see_report, see_done};
    tb_gbench_memory_manager manager = {memory_start, memory_stop, NULL};
    first_failure = TB_GBENCH_OK;
    setenv("BENCHMARK_SOMETHING", "a value of more than a few bytes", 1);
    note(tb_gbench_initialize(&count, words));
    note(tb_gbench_add_context("another key of some length", "another value of some length"));
    note(tb_gbench_set_memory_manager(&manager));
    tb_gbench_benchmark *b = tb_gbench_register("a benchmark with a long name", function, NULL);
    if (!b)
        note(strcmp(tb_gbench_error_text(), "out of memory") == 0 ? TB_GBENCH_NO_MEMORY : TB_GBENCH_FAILED);
    note(tb_gbench_range(b, 1, 8));
    note(tb_gbench_arg_name(b, "an argument with a long name"));
    note(tb_gbench_iterations(b, 2));
    note(tb_gbench_repetitions(b, 2));
    note(tb_gbench_threads(b, threads));
    note(tb_gbench_statistic(b, "a statistic with a long name", statistic, NULL, false));
    note(tb_gbench_complexity_function(b, curve, NULL));
    tb_gbench_reporter *reporters[] = {
        tb_gbench_reporter_callbacks(&callbacks, NULL, 0), tb_gbench_reporter_json(take, NULL, 0),
        tb_gbench_reporter_console(take, NULL, 0), tb_gbench_reporter_csv(take, NULL, 0)};
    for (size_t i = 0; i < 4; i++)
        if (!reporters[i])
            note(TB_GBENCH_NO_MEMORY);
    note(tb_gbench_run(reporters, 4, NULL, &totals));
    note(tb_gbench_list("name", take, NULL));
    for (size_t i = 0; i < 4; i++)
        tb_gbench_reporter_free(reporters[i]);
    tb_gbench_shutdown();
    return first_failure;
}

static void test_callbacks(void)
{
    static const char *const places[] = {"nothing",     "the function", "its loop",       "a second thread",
                                         "write",       "context",      "report",         "done",
                                         "a statistic", "a curve",      "memory's start", "memory's stop"};
    for (throw_in = 0; throw_in <= in_stop; throw_in++) {
        last_error[0] = 0;
        dones = 0;
        tb_gbench_status status = program(throw_in == in_thread ? 2 : 1);
        if (throw_in > in_thread) {
            is(status, TB_GBENCH_NO_MEMORY, "an exception in %s ends the run with a status", places[throw_in]);
            is_text(tb_gbench_error_text(), "out of memory", "and a text");
        } else {
            is(status, TB_GBENCH_OK, "an exception in %s does not end the run", places[throw_in]);
            ok(throw_in == 0 ? totals.errors == 0 : totals.errors == totals.runs, "those that had it are errors");
            is_text(last_error, throw_in ? "not run: the first repetition failed" : "", "and said so");
        }
        is(dones, 1, "reporters are done once");
    }
    throw_in = 0;
    static char text[] = "of a kind of its own";
    tb_gbench_iterations(tb_gbench_register("x", throws_text, text), 1);
    tb_gbench_callbacks callbacks = {.report = see_report};
    tb_gbench_reporter *reporter = tb_gbench_reporter_callbacks(&callbacks, NULL, 0);
    tb_gbench_run(&reporter, 1, NULL, NULL);
    is_text(last_error, text, "an exception's text is the error's");
    tb_gbench_reporter_free(reporter);
    tb_gbench_unregister_all();
}

static tb_gbench_status throwing_register(void)
{
    throw_length_error("while registering");
    return TB_GBENCH_OK;
}

static void test_main(void)
{
    char name[] = "program", *words[] = {name, NULL};
    int kept = dup(STDERR_FILENO);
    if (!freopen("/dev/null", "w", stderr))
        diag("no /dev/null");
    int status = tb_gbench_main(1, words, throwing_register);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    is(status, 2, "tb_gbench_main takes an exception for a failure");
}

/* ---- allocations that fail --------------------------------------------------------------------------------------- */

static void test_allocations(void)
{
    program(1); /* the library makes some things once */
    long wrong = 0, refused = 0, errors = 0;
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        tb_gbench_status status = program(1);
        if (allocations < fail_at)
            break;
        refused += status == TB_GBENCH_NO_MEMORY || status == TB_GBENCH_BAD_ARGUMENT;
        errors += status == TB_GBENCH_OK && totals.errors > 0;
        if (status != TB_GBENCH_OK && status != TB_GBENCH_NO_MEMORY) {
            diag("allocation %ld: status %d, %s", fail_at, (int)status, tb_gbench_error_text());
            wrong++;
        }
    }
    none_of(wrong, "each of %ld allocations fails in turn, and each time it is a status or an error of a run",
            fail_at - 1);
    ok(refused > 100 && errors > 4, "%ld calls failed, %ld runs were errors", refused, errors);
    fail_at = 0;
    ok(program(1) == TB_GBENCH_OK && totals.errors == 0 && totals.runs == 4, "afterwards all is well");
    tb_gbench_benchmark *b = tb_gbench_register("b", fails, "a text that is too long for the string object itself");
    tb_gbench_iterations(b, 1);
    tb_gbench_callbacks callbacks = {.report = see_report};
    tb_gbench_reporter *reporter = tb_gbench_reporter_callbacks(&callbacks, NULL, 0);
    int untold = 0;
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        untold += tb_gbench_run(&reporter, 1, NULL, &totals) == TB_GBENCH_OK && totals.errors != 1;
        if (allocations < fail_at)
            break;
    }
    fail_at = 0;
    none_of(untold, "an error is an error even when there is no memory for its text");
    tb_gbench_reporter_free(reporter);
    tb_gbench_shutdown();
}

int main(void)
{
    test_callbacks();
    test_main();
    test_allocations();
    return tap_done();
}
