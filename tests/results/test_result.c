/* Reading result documents: ours in both forms, Google Benchmark's from 1.4 to 1.8, and what is none. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "bench/failing_malloc.h"
#include "bench/scratch_folder.h"
#include "results/result.h"
#include "tap.h"

static tb_result result;
static char error[512];

static bool reads(const char *text)
{
    put_text("x.json", text);
    tb_result_free(&result);
    error[0] = '\0';
    return tb_result_read("x.json", &result, error, sizeof error);
}

static const tb_result_cell *cell_of(const char *name)
{
    for (size_t i = 0; i < result.cell_count; i++)
        if (strcmp(result.cells[i].name, name) == 0)
            return &result.cells[i];
    return NULL;
}

/* Whether cell `name` has one process with these times. */
static bool has_times(const char *name, size_t count, const double *ns)
{
    const tb_result_cell *c = cell_of(name);
    bool good = c && c->state == TB_RESULT_MEASURED && c->process_count == 1 && c->processes[0].count == count;
    for (size_t i = 0; good && i < count; i++)
        good = fabs(c->processes[0].ns[i] - ns[i]) < 1e-9;
    return good;
}

#define OURS(cells) "{\"context\": {\"num_cpus\": 2}, \"benchmarks\": [], \"timerbench\": {\"schema\": 1, \"seed\": 7, \"cells\": [" \
                    cells "]}}"
#define GOOGLES(entries) "{\"context\": {\"host_name\": \"h\"}, \"benchmarks\": [" entries "]}"

static void test_ours(void)
{
    ok(reads(OURS("{\"name\": \"a\", \"state\": \"measured\", \"ns\": [1, 2.5]}")) &&
           has_times("a", 2, (double[]){1, 2.5}), "a cell with \"ns\" is one process");
    ok(isnan(cell_of("a")->noise_floor) && isnan(cell_of("a")->steal), "of which no noise floor and no steal is known");
    is_text(result.facts[TB_FACT_SEED], "7", "the seed is in our part");
    is_text(result.facts[TB_FACT_CPUS], "2", "numbers of the context are told as text");
    ok(!result.facts[TB_FACT_PROCESSOR], "what is not told is not there");
    ok(reads(OURS("{\"name\": \"a\", \"state\": \"measured\", \"samples\": [[1, 2], [3], [], [4, 5, 6]], \"ns\": [9],"
                  " \"noise_floor\": 0.013, \"steal\": 0.5}")) && cell_of("a")->process_count == 3 &&
           cell_of("a")->processes[0].count == 2 && cell_of("a")->processes[2].ns[2] == 6,
       "\"samples\" has a list for each process; an empty one does not count");
    ok(cell_of("a")->noise_floor == 0.013 && cell_of("a")->steal == 0.5, "its noise floor and steal are read");
    ok(reads(OURS("{\"name\": \"a\", \"state\": \"left out\", \"reason\": \"too dear\", \"ns\": []},"
                  "{\"name\": \"b\", \"state\": \"wrong\", \"reason\": \"WRONG: 3 fired\", \"ns\": [1]}")) &&
           cell_of("a")->state == TB_RESULT_LEFT_OUT && cell_of("b")->state == TB_RESULT_WRONG && !cell_of("b")->process_count,
       "cells that are left out or wrong have no times");
    is_text(cell_of("b")->reason, "WRONG: 3 fired", "but a reason");
    ok(reads(OURS("{\"name\": \"a\\u0007\\u0085\\nb\", \"ns\": [1]}")) && cell_of("a????b"),
       "control characters in names do not reach a terminal");
}

static void test_googles(void)
{
    ok(reads(GOOGLES("{\"name\": \"f\", \"run_name\": \"f\", \"run_type\": \"iteration\", \"repetition_index\": 1, \"real_time\": 2,"
                     " \"time_unit\": \"us\"}, {\"name\": \"f\", \"run_name\": \"f\", \"run_type\": \"iteration\","
                     " \"repetition_index\": 0, \"real_time\": 1.5, \"time_unit\": \"us\"},"
                     "{\"name\": \"f_mean\", \"run_name\": \"f\", \"run_type\": \"aggregate\", \"aggregate_name\": \"mean\","
                     " \"real_time\": 77, \"time_unit\": \"us\"}")) && result.cell_count == 1 &&
           has_times("f", 2, (double[]){2000, 1500}) && !cell_of("f")->aggregate,
       "1.5 and later: entries of a name are repetitions, aggregates are passed over, times are in ns");
    ok(reads(GOOGLES("{\"name\": \"f\", \"real_time\": 1, \"time_unit\": \"ms\"}, {\"name\": \"g\", \"real_time\": 2,"
                     " \"time_unit\": \"s\"}, {\"name\": \"f\", \"real_time\": 3}, {\"name\": \"f_mean\", \"real_time\": 2},"
                     "{\"name\": \"f_stddev\", \"real_time\": 0}, {\"name\": \"f_BigO\", \"real_coefficient\": 1}")) &&
           result.cell_count == 2 && has_times("f", 2, (double[]){1e6, 3}) && has_times("g", 1, (double[]){2e9}),
       "1.4, without run_type: aggregates are known by their ending");
    ok(reads(GOOGLES("{\"name\": \"f_mean\", \"run_name\": \"f\", \"run_type\": \"aggregate\", \"aggregate_name\": \"mean\","
                     " \"real_time\": 5}, {\"name\": \"f_median\", \"run_name\": \"f\", \"run_type\": \"aggregate\","
                     " \"aggregate_name\": \"median\", \"real_time\": 4}, {\"name\": \"f_cv\", \"run_name\": \"f\", \"run_type\":"
                     " \"aggregate\", \"aggregate_name\": \"cv\", \"real_time\": 0}")) && has_times("f", 1, (double[]){4}) &&
           cell_of("f")->aggregate, "aggregates alone: the median counts, and the cell says that it is one");
    ok(reads(GOOGLES("{\"name\": \"f/min_time:1.000_mean\", \"run_type\": \"aggregate\", \"aggregate_name\": \"mean\", \"real_time\": 5}")) &&
           has_times("f/min_time:1.000", 1, (double[]){5}), "without a run_name, too");
    ok(reads(GOOGLES("{\"name\": \"f\", \"run_type\": \"iteration\", \"error_occurred\": true, \"error_message\": \"no file\","
                     " \"real_time\": 0}")) && cell_of("f")->state == TB_RESULT_WRONG && strcmp(cell_of("f")->reason, "no file") == 0,
       "error_occurred is wrong, and its time of 0 no matter");
    ok(reads(GOOGLES("{\"name\": \"f\", \"run_type\": \"iteration\", \"skipped\": true, \"skip_message\": \"no GPU\"}")) &&
           cell_of("f")->state == TB_RESULT_LEFT_OUT && strcmp(cell_of("f")->reason, "no GPU") == 0, "1.8: skipped is left out");
    ok(reads("{\"benchmarks\": [{\"name\": \"f\", \"real_time\": 1}]}") && !result.facts[TB_FACT_HOST],
       "a document without a context is read");
    ok(reads("{\"context\": {\"caches\": [{\"type\": \"Data\", \"level\": 1, \"size\": 32768, \"num_sharing\": 2}, {\"type\": \"Unified\","
             "\"level\": 2, \"size\": 512000}], \"cpu_scaling_enabled\": true, \"processor\": \"unknown\", \"compiler\": \"\"},"
             "\"benchmarks\": [{\"name\": \"f\", \"real_time\": 1}]}") && !result.facts[TB_FACT_PROCESSOR] &&
           !result.facts[TB_FACT_COMPILER], "\"unknown\" and nothing tell nothing");
    is_text(result.facts[TB_FACT_CACHES], "L1 Data 32 KiB, L2 Unified 512 KiB", "caches in KiB, also as 1.5 counted them");
    is_text(result.facts[TB_FACT_SCALING], "on", "flags of the context are told as text");
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *says;
    } refused[] = {
        {"", "x.json: an empty file: expected the JSON of a benchmark"},
        {"   \n", "x.json: line 2: not JSON"},
        {"name,real_time\nf,1\n", "x.json: line 1: not JSON"},
        {"{\n\"benchmarks\": [\n", "x.json: line 3: not JSON"},
        {"[]", "JSON, but no benchmark's: expected a list \"benchmarks\""},
        {"{\"a\": 1}", "JSON, but no benchmark's"},
        {"{\"benchmarks\": 3}", "JSON, but no benchmark's"},
        {"{\"benchmarks\": []}", "no benchmark is in it: expected at least one"},
        {GOOGLES("{\"name\": \"f_BigO\", \"run_type\": \"aggregate\", \"aggregate_name\": \"BigO\"}"), "no benchmark is in it"},
        {OURS(""), "no benchmark is in it"},
        {"{\"timerbench\": {\"schema\": 9, \"cells\": []}}", "schema 9, of a later timerbench: expected at most 2"},
        {"{\"timerbench\": {\"cells\": []}}", "timerbench.schema: expected a whole number"},
        {"{\"timerbench\": {\"schema\": 1}}", "timerbench.cells: expected a list"},
        {GOOGLES("\n{\"name\": \"f\", \"real_time\": NaN}"), "x.json: line 2: NaN or infinity, which are no numbers in JSON"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": -nan}"), "NaN or infinity"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": Infinity}"), "NaN or infinity"},
        {GOOGLES("{\"name\": \"f\", \"items\": -Infinity, \"real_time\": 1}"), "NaN or infinity"},
        {GOOGLES("{\"name\": \"nan\", \"real_time\": ?}"), "not JSON"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": 1e999}"), "not JSON: real number overflow"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": 0}"), "'f' took 0 ns: expected times greater than 0"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": -3}"), "'f' took -3 ns"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": 1e308, \"time_unit\": \"s\"}"), "'f' took inf ns"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": \"3\"}"), "'f' has no real_time: expected a number"},
        {GOOGLES("{\"name\": \"f\"}"), "'f' has no real_time"},
        {GOOGLES("{\"name\": \"f\", \"real_time\": 1, \"time_unit\": \"min\"}"), "'f': time_unit 'min': expected ns, us, ms or s"},
        {GOOGLES("{\"real_time\": 1}"), "benchmarks[0] has no name"},
        {GOOGLES("3"), "benchmarks[0] has no name"},
        {GOOGLES("{\"name\": \"f\", \"repetition_index\": 0, \"real_time\": 1}, {\"name\": \"f\", \"repetition_index\": 0, \"real_time\": 1}"),
         "the name 'f' is there twice: expected each once"},
        {GOOGLES("{\"name\": \"f\", \"family_index\": 0, \"real_time\": 1}, {\"name\": \"f\", \"family_index\": 3, \"real_time\": 1}"),
         "the name 'f' is there twice"},
        {OURS("{\"name\": \"a\", \"ns\": [1]}, {\"name\": \"b\", \"ns\": [1]}, {\"name\": \"a\", \"ns\": [1]}"), "the name 'a' is there twice"},
        {OURS("{\"ns\": [1]}"), "timerbench.cells[0] has no name"},
        {OURS("{\"name\": \"a\", \"ns\": []}"), "cell 'a' was measured, but has no times"},
        {OURS("{\"name\": \"a\", \"samples\": [[]]}"), "cell 'a' was measured, but has no times"},
        {OURS("{\"name\": \"a\", \"samples\": 3}"), "cell 'a': 'samples' is no list"},
        {OURS("{\"name\": \"a\", \"samples\": [3]}"), "cell 'a': expected a list of times for each process"},
        {OURS("{\"name\": \"a\", \"ns\": [\"1\"]}"), "cell 'a': a time that is no number"},
        {OURS("{\"name\": \"a\", \"ns\": [0]}"), "'a' took 0 ns: expected times greater than 0"},
        {OURS("{\"name\": \"a\", \"ns\": [1], \"noise_floor\": -0.1}"), "cell 'a': 'noise_floor': expected a number, 0 or more"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!ok(!reads(refused[i].text) && strstr(error, refused[i].says) && strncmp(error, "x.json: ", 8) == 0 &&
                    result.cell_count == 0, "refused: %s", refused[i].says))
            diag("said: %s", error);
    ok(!tb_result_read("absent.json", &result, error, sizeof error) && strstr(error, "absent.json: No such file"), "a file must be there");
    ok(!tb_result_read(".", &result, error, sizeof error) && strstr(error, "directory"), "and be no folder");
    ok(!tb_result_read("/dev/zero", &result, error, sizeof error) && strstr(error, "more than 256 MiB: expected at most that"),
       "a file without end is refused at 256 MiB");
    char deep[6001];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    ok(!reads(deep) && strstr(error, "not JSON: maximum parsing depth"), "nesting has an end");
}

/* Many names: reading takes no quadratic time. */
static void test_many(void)
{
    enum { MANY = 50000 };
    FILE *file = fopen("many.json", "w");
    if (!file)
        return;
    fputs("{\"benchmarks\": [", file);
    for (int i = 0; i < MANY; i++)
        fprintf(file, "%s{\"name\": \"f/%d\", \"real_time\": %d}", i ? "," : "", i % (MANY / 2), i + 1);
    fputs("]}", file);
    fclose(file);
    tb_result_free(&result);
    ok(tb_result_read("many.json", &result, error, sizeof error) && result.cell_count == MANY / 2 &&
           result.cells[7].processes[0].count == 2 && result.cells[7].processes[0].ns[1] == MANY / 2 + 8,
       "25,000 benchmarks of two repetitions, in the document's order");
}

/* Never fails: jansson 2.14's parser goes on after a failed allocation, beyond the end of its buffer. The pointer is volatile
   since compilers know that malloc looks at no variable of the program's. */
static void *allocate_for_jansson(size_t size)
{
    static void *(*volatile allocate)(size_t) = malloc;
    long left = allocations_left;
    allocations_left = 0;
    void *block = allocate(size);
    allocations_left = left;
    return block;
}

/* Each allocation of the reader fails once: an error, and nothing is left of the document. */
static void test_want_of_memory(void)
{
    json_set_alloc_funcs(allocate_for_jansson, free);
    put_text("x.json", OURS("{\"name\": \"a\", \"samples\": [[1, 2], [3]]}, {\"name\": \"b\", \"state\": \"wrong\", \"reason\": \"r\"}"));
    put_text("y.json", GOOGLES("{\"name\": \"f\", \"real_time\": 1}, {\"name\": \"g\", \"error_occurred\": true, \"error_message\": \"m\"},"
                               "{\"name\": \"f\", \"real_time\": 2}"));
    int silent = 0;
    long failures = 0;
    for (int file = 0; file < 2; file++) {
        for (long k = 1;; k++) {
            tb_result_free(&result);
            error[0] = '\0';
            fail_allocation(k);
            bool read = tb_result_read(file ? "y.json" : "x.json", &result, error, sizeof error);
            bool failed = allocation_failed();
            silent += !read && (!error[0] || result.cell_count || result.path);
            silent += read && result.cell_count != 2;
            failures += failed;
            if (!failed)
                break;
        }
    }
    diag("%ld allocations failed", failures);
    none_of(silent, "want of memory is an error, and leaves nothing");
}

int main(void)
{
    enter_scratch_folder();
    test_ours();
    test_googles();
    test_refusals();
    test_many();
    test_want_of_memory();
    tb_result_free(&result);
    leave_scratch_folder();
    return tap_done();
}
