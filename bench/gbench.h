/* gbench.h: Google Benchmark for C.

   Two files, gbench.h and gbench.cc, that include nothing else of this project: copy them, compile gbench.cc as C++17
   and link with -lbenchmark. Written for and tested against Google Benchmark 1.7.1; docs/gbench.md is the guide.

       static void sum(tb_gbench_state *state, void *user)
       {
           const struct table *table = user;
           while (tb_gbench_state_keep_running(state)) {
               int64_t total = table_sum(table, tb_gbench_state_arg(state, 0));
               TB_GBENCH_DO_NOT_OPTIMIZE(total);
           }
       }
       static tb_gbench_status benchmarks(void)
       {
           tb_gbench_benchmark *b = tb_gbench_register("table/sum", sum, &table);
           tb_gbench_range(b, 8, 4096);
           return b ? TB_GBENCH_OK : TB_GBENCH_FAILED;
       }
       TB_GBENCH_MAIN(benchmarks)

   Errors. No C++ exception leaves these functions, nothing is printed (but by tb_gbench_main) and nothing ends the
   process (but for the list below). A function that can fail returns a tb_gbench_status, NULL or false;
   tb_gbench_error_text() says why. A callback of yours that throws (C++) is caught and counts as failed; it must not
   longjmp out.

   Threads. Call everything from one thread; inside a running benchmark only tb_gbench_state_*, each thread with its own
   state.

   Strings are UTF-8 and copied. Names are refused when empty, longer than TB_GBENCH_LONGEST_NAME bytes, malformed or
   with control characters: the library would write them into the JSON as they are. In free text (labels, error texts,
   context values) such bytes become '?'.

   What a caller must know of the library (each seen on 1.7.1):
   - With tb_gbench_iterations(b, n) and one tb_gbench_state_keep_running_batch(state, n) a repetition is one batch of n
     operations, run once. Without, the function is called with 1, 10, … up to 10^9 iterations, growing until the
     minimum time (0.5 s) is reached, and set up anew each time; only the last call counts, later repetitions repeat its
     count.
   - Its run names grow suffixes: "x/iterations:5/repeats:2/process_time/manual_time". Reports, lists and filters of
     this header know the registered name alone, "x", then "/<arguments>" and "/threads:<n>" where those were asked for.
   - Benchmarks run in the order registered; --benchmark_enable_random_interleaving shuffles repetitions, unseeded. All
     repetitions of one are reported together, after the last. A name that begins with "DISABLED_" never runs.
   - A memory manager makes every repetition run once more, on one thread, with at most 16 iterations asked for; a
     larger batch runs whole. Times are of the first run. (Its own list of results is read after it was freed: mended
     here.)
   - The context of the JSON says "library_build_type": "debug" for Debian's package. That is true of the library, not
     of your program: tb_gbench_add_context() is there to say what your build was.
   - As a debug build it checks its callers and aborts. What would trip it is refused here, or makes the run an error: a
     function that returns before its loop is over, a timer left paused, a second loop, an error before the loop in one
     repetition of several, no N for a complexity, rows of different counters in a CSV, a counter whose flags change.
   - When the first of several repetitions fails and two others do not, it reads a pointer that it never set: after a
     failed first repetition the others are not run, and are errors too. A fit of complexity in which every run failed
     crashes it: the fit is made here.
   - A failed run has real_time and cpu_time 0 in the JSON, and its compare.py calls two of them equal.
   - Rates over no time, the inverse of 0 and the "cv" of a counter that is always 0 are NaN or infinite, which is not
     JSON: in one run they make it an error, out of an aggregate such a counter is left.
   - BENCHMARK_* variables and V are read before main() and change runs silently: see tb_gbench_initialize().

   What can still end the process inside the library, whatever is done here:
   - exit(1) when a cache's description under /sys/devices/system/cpu/cpu0/cache cannot be understood (first run);
   - exit(1) when clock_gettime refuses the CPU clocks of thread or process (a sandbox);
   - abort() when a second or later thread of a threaded benchmark cannot be started, or memory runs out in the
     library's own code on such a thread; a function that blocks its thread forever is waited for forever;
   - a signal, or your own callbacks.
   Memory that runs out while it formats a number is swallowed by the library: the text then lacks it. */
#ifndef TB_GBENCH_H
#define TB_GBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_gbench_benchmark tb_gbench_benchmark; /* a registered benchmark: one function, many arguments */
typedef struct tb_gbench_state tb_gbench_state;         /* one run of it, on one thread */
typedef struct tb_gbench_reporter tb_gbench_reporter;   /* where results go */

#define TB_GBENCH_LONGEST_NAME 1000                         /* bytes */
#define TB_GBENCH_MOST_ITERATIONS INT64_C(1000000000000000) /* 10^15: of a run, and of one batch */
#define TB_GBENCH_MOST_INSTANCES 100000                     /* argument lists of one benchmark */
#define TB_GBENCH_MOST_THREADS 1024
#define TB_GBENCH_MOST_STATISTICS 16 /* custom statistics of all benchmarks together */

typedef enum tb_gbench_status {
    TB_GBENCH_OK = 0,
    TB_GBENCH_HELP,         /* --help was given: print tb_gbench_help_text() and leave */
    TB_GBENCH_BAD_ARGUMENT, /* a value this header does not allow */
    TB_GBENCH_BAD_FLAG,     /* a command-line flag that is unknown, malformed or refused */
    TB_GBENCH_BAD_FILTER,   /* not a regular expression */
    TB_GBENCH_NO_MATCH,     /* the filter matches no benchmark, or none is registered */
    TB_GBENCH_WRITE,        /* a write callback returned false; the run stopped there, the text is incomplete */
    TB_GBENCH_STOPPED,      /* a reporter's callback returned false: the run stopped there, reports are whole */
    TB_GBENCH_BUSY,         /* called from inside a run */
    TB_GBENCH_NO_MEMORY,
    TB_GBENCH_FAILED        /* anything else, as a C++ exception of the library */
} tb_gbench_status;

/* Why the last call of this thread failed, one line; "" when none has. Valid until the next failure of this thread. */
const char *tb_gbench_error_text(void);

/* ---- registering ------------------------------------------------------------------------------------------------- */

/* What is measured. It prepares, loops on tb_gbench_state_keep_running() or _batch() until that returns false, and
   reports. Called once for each thread of each run. */
typedef void tb_gbench_function(tb_gbench_state *state, void *user);

/* A new benchmark, run with every argument list added below (once, without arguments, when there is none). The library
   owns it until tb_gbench_unregister_all(). NULL: a bad name, NULL for function, in a run, out of memory. */
tb_gbench_benchmark *tb_gbench_register(const char *name, tb_gbench_function *function, void *user);

/* Every function below returns OK, BAD_ARGUMENT (b NULL or a value not allowed), BUSY or NO_MEMORY, and leaves the
   benchmark as it was when it fails. The results may be ignored: a benchmark that refused something makes
   tb_gbench_run() fail with the first refusal's text. All argument lists and the argument names of one benchmark have
   the same length; a list or a thread count given twice is run once. */

tb_gbench_status tb_gbench_arg(tb_gbench_benchmark *b, int64_t argument);
/* One list of several arguments. */
tb_gbench_status tb_gbench_args(tb_gbench_benchmark *b, const int64_t *arguments, size_t count);
/* start, the powers of the multiplier between (negative ones mirrored), limit; start <= limit. */
tb_gbench_status tb_gbench_range(tb_gbench_benchmark *b, int64_t start, int64_t limit);
/* For the ranges that follow; at least 2; 8 when not called. */
tb_gbench_status tb_gbench_range_multiplier(tb_gbench_benchmark *b, int multiplier);
/* start, start + step, … up to limit; step >= 1. */
tb_gbench_status tb_gbench_dense_range(tb_gbench_benchmark *b, int64_t start, int64_t limit, int step);
typedef struct tb_gbench_list_of_args {
    const int64_t *arguments;
    size_t count; /* at least 1 */
} tb_gbench_list_of_args;
/* Every combination of one value from each list; the first list varies fastest. */
tb_gbench_status tb_gbench_args_product(tb_gbench_benchmark *b, const tb_gbench_list_of_args *lists, size_t count);
tb_gbench_status tb_gbench_arg_name(tb_gbench_benchmark *b, const char *name);
/* Names shown before the values, "n:8"; "" for none. */
tb_gbench_status tb_gbench_arg_names(tb_gbench_benchmark *b, const char *const *names, size_t count);

/* Exactly so many iterations a run, 1 … TB_GBENCH_MOST_ITERATIONS; excludes tb_gbench_min_time. */
tb_gbench_status tb_gbench_iterations(tb_gbench_benchmark *b, int64_t iterations);
/* Seconds that a run lasts at least, 1e-9 or more. */
tb_gbench_status tb_gbench_min_time(tb_gbench_benchmark *b, double seconds);
/* Runs that are reported, 1 … 1000000; from two good ones on, mean, median, stddev and cv are reported too. */
tb_gbench_status tb_gbench_repetitions(tb_gbench_benchmark *b, int repetitions);
/* Keep single repetitions that were aggregated out of all reports, or out of console reports only. */
tb_gbench_status tb_gbench_report_aggregates_only(tb_gbench_benchmark *b, bool only);
tb_gbench_status tb_gbench_display_aggregates_only(tb_gbench_benchmark *b, bool only);
/* One more aggregate: of the accumulated seconds of the good repetitions, and of each counter. `values` are in the
   order run. A result that is not finite is left out (a counter) or reported as an error (the time). `ratio`: the
   result has no unit and is shown as a percentage. At most TB_GBENCH_MOST_STATISTICS between two
   tb_gbench_unregister_all(). */
typedef double tb_gbench_statistic_function(const double *values, size_t count, void *user);
tb_gbench_status tb_gbench_statistic(tb_gbench_benchmark *b, const char *name, tb_gbench_statistic_function *function,
                                     void *user, bool ratio);
typedef enum tb_gbench_time_unit { TB_GBENCH_NS, TB_GBENCH_US, TB_GBENCH_MS, TB_GBENCH_S } tb_gbench_time_unit;
/* Of reported times; else --benchmark_time_unit, else nanoseconds. */
tb_gbench_status tb_gbench_unit(tb_gbench_benchmark *b, tb_gbench_time_unit unit);
/* Which time decides how many iterations are enough, and divides rates: CPU time of the thread when none is called. */
tb_gbench_status tb_gbench_use_real_time(tb_gbench_benchmark *b);   /* wall clock; excludes manual time */
tb_gbench_status tb_gbench_use_manual_time(tb_gbench_benchmark *b); /* tb_gbench_state_set_iteration_time() */
tb_gbench_status tb_gbench_measure_process_cpu_time(tb_gbench_benchmark *b); /* CPU time of all threads */
/* Run in so many threads at once; every count given is one instance, "/threads:<n>". 1 … TB_GBENCH_MOST_THREADS. */
tb_gbench_status tb_gbench_threads(tb_gbench_benchmark *b, int threads);
tb_gbench_status tb_gbench_thread_range(tb_gbench_benchmark *b, int fewest, int most); /* powers of 2 between */

/* Fit the times of all instances to a curve over N = tb_gbench_state_set_complexity_n(): reported after the last
   instance as aggregates "BigO" (the coefficient: time = coefficient × curve(N)) and "RMS" (the fit's root mean square,
   as part of the mean time). Least squares through the origin, as the library does; AUTO takes the curve of the least
   RMS. Needs two good runs. The time fitted by AUTO is the one in use: manual or real where asked for, else CPU. */
typedef enum tb_gbench_big_o {
    TB_GBENCH_O_NONE,
    TB_GBENCH_O_1,
    TB_GBENCH_O_N,
    TB_GBENCH_O_N_SQUARED,
    TB_GBENCH_O_N_CUBED,
    TB_GBENCH_O_LOG_N,
    TB_GBENCH_O_N_LOG_N,
    TB_GBENCH_O_AUTO,
    TB_GBENCH_O_FUNCTION /* in reports; set by tb_gbench_complexity_function */
} tb_gbench_big_o;
tb_gbench_status tb_gbench_complexity(tb_gbench_benchmark *b, tb_gbench_big_o kind);
typedef double tb_gbench_curve(int64_t n, void *user);
tb_gbench_status tb_gbench_complexity_function(tb_gbench_benchmark *b, tb_gbench_curve *curve, void *user);

/* Forgets every benchmark; pointers to them die. BUSY in a run. (A run forgets those that C++ code registered with the
   library itself: they cannot be mixed with these.) */
tb_gbench_status tb_gbench_unregister_all(void);

/* ---- inside a run ------------------------------------------------------------------------------------------------ */

/* The loop. True: do one more iteration. The clock runs from the first true to the first false. A call costs a function
   call, two tests and a decrement, 2 to 5 ns: loop by hand inside a batch, which pays it once, when an operation takes
   less than some 100 ns. These two are the only calls that a timed loop needs; neither allocates nor locks between the
   first and the last. A paused clock is started again. */
bool tb_gbench_state_keep_running(tb_gbench_state *state);
/* The same for n iterations at once, 1 … TB_GBENCH_MOST_ITERATIONS. The last batch may overrun the count asked for: it
   is done whole, and counted. By how much must not change from one repetition to the next (that run becomes an error):
   keep one size, best n = tb_gbench_state_max_iterations(), which is one batch and no overrun. */
bool tb_gbench_state_keep_running_batch(tb_gbench_state *state, int64_t n);
/* The count this run was asked for; and those done so far, by this thread, 0 before the loop. */
int64_t tb_gbench_state_max_iterations(const tb_gbench_state *state);
int64_t tb_gbench_state_iterations(const tb_gbench_state *state);

/* Stop and start this thread's clock inside the loop. Each reads two clocks: a pair costs some 0.5 to 1 µs, part of
   which is measured. False, and nothing happens: outside the loop, after an error, or already so. */
bool tb_gbench_state_pause_timing(tb_gbench_state *state);
bool tb_gbench_state_resume_timing(tb_gbench_state *state);
/* Adds to this thread's manual time. Finite, >= 0; else false and the run is an error, as it is when a benchmark with
   manual time sets none. One call for a whole batch will do. */
bool tb_gbench_state_set_iteration_time(tb_gbench_state *state, double seconds);

int64_t tb_gbench_state_arg(tb_gbench_state *state, size_t index); /* no such argument: 0, and the run is an error */
int tb_gbench_state_thread_index(const tb_gbench_state *state);    /* 0 … threads - 1 */
/* The threads of this instance. (In a memory manager's extra run only thread 0 exists: do not wait for others.) */
int tb_gbench_state_threads(const tb_gbench_state *state);

/* N for the fit of complexity, for example the population; > 0. Thread 0's counts. */
bool tb_gbench_state_set_complexity_n(tb_gbench_state *state, int64_t n);
bool tb_gbench_state_set_bytes_processed(tb_gbench_state *state, int64_t bytes); /* in all iterations of this thread */
bool tb_gbench_state_set_items_processed(tb_gbench_state *state, int64_t items);
/* A text beside the figures; the last one set, by any thread, is shown. */
bool tb_gbench_state_set_label(tb_gbench_state *state, const char *label);

/* Makes this run an error with that text (the first one counts; at most 255 bytes). The loop ends at its next question;
   return when you like. Other threads go on. False when the run is an error already. */
bool tb_gbench_state_skip_with_error(tb_gbench_state *state, const char *text);
bool tb_gbench_state_has_error(const tb_gbench_state *state);

enum tb_gbench_counter_flags {
    TB_GBENCH_COUNTER_PLAIN = 0,
    TB_GBENCH_COUNTER_RATE = 1 << 0,                /* divided by the seconds of the run */
    TB_GBENCH_COUNTER_AVG_THREADS = 1 << 1,         /* divided by the number of threads */
    TB_GBENCH_COUNTER_ITERATION_INVARIANT = 1 << 2, /* multiplied by the iterations */
    TB_GBENCH_COUNTER_AVG_ITERATIONS = 1 << 3,      /* divided by the iterations */
    TB_GBENCH_COUNTER_INVERT = 1 << 4               /* in the end, 1 / value */
};
enum { TB_GBENCH_1000 = 1000, TB_GBENCH_1024 = 1024 }; /* the base of k, M, … when shown on a console */
/* A figure of your own beside the times, the sum over all threads. flags are or-ed; they and the base must stay the
   same in every run of the benchmark. Refused (false, and the run is an error): NaN, infinity, an unknown flag or base,
   a bad name, one with a '"', or one that the JSON already uses ("real_time", "label", …). */
bool tb_gbench_state_set_counter(tb_gbench_state *state, const char *name, double value, unsigned flags, int base);

/* The compiler must compute the value and forget what it knew of it; an lvalue of scalar type. */
#if defined(__clang__)
#define TB_GBENCH_DO_NOT_OPTIMIZE(lvalue) __asm__ volatile("" : "+r,m"(lvalue) : : "memory")
#else
#define TB_GBENCH_DO_NOT_OPTIMIZE(lvalue) __asm__ volatile("" : "+m,r"(lvalue) : : "memory")
#endif
/* The same for everything that can be reached through the pointer (structures, arrays): it must be in memory. */
static inline void tb_gbench_use_pointer(const void *pointer)
{
    __asm__ volatile("" : : "g"(pointer) : "memory");
}
/* Memory may have been read and written: pending stores are made, values are loaded anew. */
static inline void tb_gbench_clobber_memory(void)
{
    __asm__ volatile("" : : : "memory");
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* Takes a piece of a report's text; false: it failed (disk full), and tb_gbench_run() returns TB_GBENCH_WRITE. Called
   once for each group of results, between benchmarks, never in a timed part. */
typedef bool tb_gbench_write(void *context, const char *text, size_t size);
/* One for a FILE *: writes and flushes. */
bool tb_gbench_write_file(void *file, const char *text, size_t size);

enum tb_gbench_report_options {
    TB_GBENCH_COLOR = 1 << 0,         /* console: ANSI colours */
    TB_GBENCH_TABULAR = 1 << 1,       /* console: counters as columns */
    TB_GBENCH_WITHOUT_ERRORS = 1 << 2 /* any: failed runs are left out (compare.py takes their zeros for equal times) */
};
/* Reports for people, for programs and for spreadsheets, in the library's formats. The console begins with the
   machine's description; the CSV comes in one piece at the end, with a column for every counter of any benchmark. A
   reporter may be used for several runs, each a whole report. NULL: no write, unknown options, out of memory. */
tb_gbench_reporter *tb_gbench_reporter_console(tb_gbench_write *write, void *context, unsigned options);
tb_gbench_reporter *tb_gbench_reporter_json(tb_gbench_write *write, void *context, unsigned options);
tb_gbench_reporter *tb_gbench_reporter_csv(tb_gbench_write *write, void *context, unsigned options);

typedef struct tb_gbench_pair {
    const char *key, *value;
} tb_gbench_pair;
typedef struct tb_gbench_cache {
    const char *type; /* "Data", "Instruction", "Unified" */
    int level, sharing; /* sharing: how many logical CPUs have it in common */
    int64_t size;       /* bytes */
} tb_gbench_cache;
typedef struct tb_gbench_context {
    const char *executable, *host;
    int cpus;
    int cpu_scaling; /* 1 on, 0 off, -1 unknown */
    double cpu_hz;
    const double *load; /* load averages, as many as the system tells */
    const tb_gbench_cache *caches;
    const tb_gbench_pair *pairs; /* tb_gbench_add_context(), by key */
    size_t loads, cache_count, pair_count;
} tb_gbench_context;

#define TB_GBENCH_UNKNOWN INT64_MAX
typedef struct tb_gbench_memory {
    int64_t allocations;     /* between start and stop */
    int64_t most_bytes;      /* peak */
    int64_t allocated_bytes; /* in total; TB_GBENCH_UNKNOWN when not measured */
    int64_t net_growth;      /* bytes; TB_GBENCH_UNKNOWN when not measured */
} tb_gbench_memory;

typedef struct tb_gbench_counter {
    const char *name;
    double value;   /* as reported: rates are divided already */
    unsigned flags; /* tb_gbench_counter_flags */
    int base;
} tb_gbench_counter;

typedef struct tb_gbench_report {
    const char *name;      /* with arguments and threads, without the aggregate's name */
    const char *aggregate; /* NULL: one repetition; else "mean", "median", "stddev", "cv", "BigO", "RMS" or your own */
    const char *error;     /* NULL: none; else times are 0 and there are no counters */
    const char *label;     /* "": none */
    void *user;            /* as registered */
    int64_t family, instance; /* which benchmark, and which argument list and thread count of it, from 0 */
    int64_t repetition, repetitions; /* repetition -1: an aggregate */
    int64_t threads;
    int64_t iterations; /* of all threads together; of an aggregate: the repetitions; of a fit: 0 */
    tb_gbench_time_unit unit;
    bool ratio;                 /* cv, RMS and ratio statistics: the times are parts of 1 */
    double real_time, cpu_time; /* an iteration, in unit; manual time counts as real; of "BigO": the coefficient */
    double real_ns, cpu_ns;     /* the same in nanoseconds; 0 for a ratio */
    tb_gbench_big_o big_o;      /* the curve of a fit, else TB_GBENCH_O_NONE */
    const tb_gbench_counter *counters; /* by name */
    size_t counter_count;
    const tb_gbench_memory *memory; /* NULL: none */
    double allocations_per_iteration;
} tb_gbench_report;

/* Results as values. What is passed lives as long as the call. Any member may be NULL; false stops the whole run. */
typedef struct tb_gbench_callbacks {
    bool (*context)(void *user, const tb_gbench_context *context); /* first */
    bool (*report)(void *user, const tb_gbench_report *report);    /* each repetition, each aggregate */
    void (*done)(void *user);                                      /* last, also when a callback stopped the run */
} tb_gbench_callbacks;
tb_gbench_reporter *tb_gbench_reporter_callbacks(const tb_gbench_callbacks *callbacks, void *user, unsigned options);

void tb_gbench_reporter_free(tb_gbench_reporter *reporter); /* NULL is allowed; not in a run */

/* ---- the process ------------------------------------------------------------------------------------------------- */

/* Reads the library's --benchmark_* flags and --v, takes them out of argv and leaves the rest in order; argc and argv
   may be NULL for none. Every call begins with the library's defaults: what BENCHMARK_* variables had set (before main,
   when the library was loaded) is undone, and the variables are taken out of the environment and recorded.
   tb_gbench_run() calls it when you have not.
   HELP for --help; BAD_FLAG for an unknown --benchmark_ flag, a malformed value, --benchmark_out and
   --benchmark_out_format (the library ignores a full disk and exits for a path it cannot open: use a reporter) and
   --benchmark_perf_counters (aborts when it cannot count them). When it fails argc and argv are as they were, and so
   are the settings. */
tb_gbench_status tb_gbench_initialize(int *argc, char **argv);
/* BAD_FLAG when anything is left in argv but the program's name; the text names the first. */
tb_gbench_status tb_gbench_unrecognized_arguments(int argc, char *const *argv);
/* The flags, a line each. */
const char *tb_gbench_help_text(void);
/* "BENCHMARK_FILTER=x BENCHMARK_…=…": the variables removed so far, "" for none. Also in every report's context, as
   "cleared_environment". Valid until the next tb_gbench_initialize() or tb_gbench_shutdown(). */
const char *tb_gbench_cleared_environment(void);

/* Adds to the context of reports. BAD_ARGUMENT: a bad key, one already there, or one of the library's ("date", …). */
tb_gbench_status tb_gbench_add_context(const char *key, const char *value);

/* Measures memory in an extra run after each repetition; NULL: no more. The structure is copied. */
typedef struct tb_gbench_memory_manager {
    void (*start)(void *context);
    void (*stop)(void *context, tb_gbench_memory *result); /* result comes as zeros and unknowns */
    void *context;
} tb_gbench_memory_manager;
tb_gbench_status tb_gbench_set_memory_manager(const tb_gbench_memory_manager *manager);

typedef struct tb_gbench_totals {
    size_t instances; /* that matched */
    size_t runs;      /* repetitions done */
    size_t errors;    /* of those, failed */
} tb_gbench_totals;
/* Runs what matches and reports to all reporters; without any (count 0), to standard output in --benchmark_format.
   filter: a POSIX extended regular expression, found anywhere in the name; a leading '-' takes what does not match; ""
   or "all" takes everything; NULL is --benchmark_filter. With --benchmark_list_tests names are written instead, by the
   first reporter that writes. totals may be NULL. OK also when runs failed: see totals->errors. */
tb_gbench_status tb_gbench_run(tb_gbench_reporter *const *reporters, size_t count, const char *filter,
                               tb_gbench_totals *totals);
/* The names that match, a line each, without running. */
tb_gbench_status tb_gbench_list(const char *filter, tb_gbench_write *write, void *context);

/* Frees everything: benchmarks, context, flags. May be called twice; afterwards all can begin anew. BUSY in a run. */
tb_gbench_status tb_gbench_shutdown(void);

/* A whole main: initialise, register, run, report to standard output. Its exit status: 0; 1 a run failed; 2 anything
   else, with a line on standard error. */
int tb_gbench_main(int argc, char **argv, tb_gbench_status (*register_benchmarks)(void));
#define TB_GBENCH_MAIN(register_benchmarks) \
    int main(int argc, char **argv)         \
    {                                       \
        return tb_gbench_main(argc, argv, register_benchmarks); \
    }

#ifdef __cplusplus
}
#endif
#endif
