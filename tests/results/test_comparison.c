/* Comparing two documents: which cells meet, what is told of the rest, and reports that are whole or not there. */
#include <math.h>
#include <stdlib.h>

#include "bench/failing_malloc.h"
#include "bench/scratch_folder.h"
#include "results/comparison.h"
#include "tap.h"

static char error[512];

/* Adds a cell of `processes` processes whose medians are around `ns`, two repetitions each. */
static void put_cell(FILE *file, const char *name, double ns, int processes, const char *more)
{
    fprintf(file, "{\"name\": \"%s\", \"state\": \"measured\", \"samples\": [", name);
    for (int i = 0; i < processes; i++)
        fprintf(file, "%s[%.6f, %.6f]", i ? "," : "", ns * (1 + 0.001 * i), ns * (1 + 0.0013 * i));
    fprintf(file, "]%s}", more);
}

static FILE *begin(const char *path, const char *context)
{
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    fprintf(file, "{\"context\": {%s}, \"timerbench\": {\"schema\": 2, \"cells\": [", context);
    return file;
}

static void end(FILE *file)
{
    fputs("]}}\n", file);
    fclose(file);
}

static void put_documents(void)
{
    FILE *base = begin("base.json", "\"num_cpus\": 2, \"processor\": \"P\", \"host_name\": \"a\", \"compiler\": \"gcc 12\", \"flags\": \"-O2\"");
    FILE *new_ = begin("new.json", "\"num_cpus\": 4, \"processor\": \"P\", \"host_name\": \"b\", \"compiler\": \"gcc 13\", \"kernel\": \"K\"");
    put_cell(base, "slow", 50, 10, ", \"noise_floor\": 0.01"), fputc(',', base);
    put_cell(base, "fast", 50, 10, ", \"noise_floor\": 0.02"), fputc(',', base);
    put_cell(base, "slower", 50, 10, ""), fputc(',', base);
    put_cell(base, "quiet", 50, 10, ", \"steal\": 0.3"), fputc(',', base);
    put_cell(base, "lone", 50, 1, ""), fputc(',', base);
    put_cell(base, "gone", 50, 10, ""), fputc(',', base);
    put_cell(base, "now left out", 50, 10, ""), fputc(',', base);
    fputs("{\"name\": \"bad\", \"state\": \"wrong\", \"reason\": \"WRONG\"},", base);
    fputs("{\"name\": \"dear\", \"state\": \"left out\", \"reason\": \"takes an hour\"}", base);
    end(base);
    put_cell(new_, "lone", 60, 1, ""), fputc(',', new_);
    put_cell(new_, "slow", 60, 10, ", \"noise_floor\": 0.03"), fputc(',', new_);
    put_cell(new_, "slower", 90, 10, ""), fputc(',', new_);
    put_cell(new_, "fast", 40, 10, ""), fputc(',', new_);
    put_cell(new_, "quiet", 50.1, 10, ""), fputc(',', new_);
    put_cell(new_, "came", 50, 10, ""), fputc(',', new_);
    put_cell(new_, "bad", 50, 10, ""), fputc(',', new_);
    fputs("{\"name\": \"now left out\", \"state\": \"left out\"}, {\"name\": \"dear\", \"state\": \"left out\"}", new_);
    end(new_);
}

static tb_result base, new_;

static tb_comparison compare(const tb_result *a, const tb_result *b, const char *glob)
{
    tb_comparison_options options = {.how = tb_judging_defaults(), .globs = &glob, .glob_count = glob ? 1 : 0};
    tb_comparison c = {0};
    error[0] = '\0';
    options.how.resamples = 2000;
    tb_compare(a, b, &options, &c, error, sizeof error);
    c.options.globs = NULL; /* it is this function's */
    return c;
}

static const tb_compared *cell_of(const tb_comparison *c, const char *name)
{
    for (size_t i = 0; i < c->cell_count; i++)
        if (strcmp(c->cells[i].cell[TB_BASE]->name, name) == 0)
            return &c->cells[i];
    return NULL;
}

static void test_cells(void)
{
    static const char *const order[] = {"slower", "slow", "fast", "lone", "quiet"};
    static const tb_verdict verdicts[] = {TB_SLOWER, TB_SLOWER, TB_FASTER, TB_UNSURE, TB_SAME};
    tb_comparison c = compare(&base, &new_, NULL);
    int wrong = c.cell_count != 5;
    for (size_t i = 0; i < 5 && !wrong; i++)
        wrong += strcmp(c.cells[i].cell[TB_BASE]->name, order[i]) != 0 || c.cells[i].judged.verdict != verdicts[i];
    none_of(wrong, "slower first, the greater difference first, then faster, unsure, same");
    ok(c.verdicts[TB_SLOWER] == 2 && c.verdicts[TB_FASTER] == 1 && c.verdicts[TB_UNSURE] == 1 && c.verdicts[TB_SAME] == 1,
       "and each is counted");
    ok(cell_of(&c, "slow")->judged.noise_floor == 0.03 && cell_of(&c, "fast")->judged.noise_floor == 0.02,
       "the noise floor is the greater of both, or the one there is");
    ok(isnan(cell_of(&c, "quiet")->judged.noise_floor) && c.unknown_floors == 3, "or unknown, and that is counted");
    ok(c.stolen_count == 1 && c.most_stolen == 0.3, "stolen time is noted");
    is_text(cell_of(&c, "lone")->judged.reason, "one process in each does not tell how much processes differ: at least 5 are "
            "needed, or --unit repetition", "one process says why nothing can be said");
    ok(!tb_comparison_is_sure(&c), "that is not sure");
    tb_interval all = cell_of(&c, "slow")->judged.interval;
    tb_comparison_free(&c);
    c = compare(&base, &new_, "s*");
    ok(c.cell_count == 2 && c.uncompared_count == 0 && tb_comparison_is_sure(&c), "a glob picks cells");
    tb_interval some = cell_of(&c, "slow")->judged.interval;
    ok(all.low == some.low && all.high == some.high, "a cell's interval does not depend on which others are compared");
    ok(cell_of(&c, "slow")->judged.p_corrected < 4e-5, "but its corrected p does");
    tb_comparison_free(&c);
    c = compare(&new_, &base, NULL);
    ok(c.verdicts[TB_SLOWER] == 1 && c.verdicts[TB_FASTER] == 2 && cell_of(&c, "fast")->judged.verdict == TB_SLOWER,
       "base and new in each other's place: slower is faster");
    tb_comparison_free(&c);
    c = compare(&base, &base, NULL);
    ok(c.verdicts[TB_SAME] == 6 && c.verdicts[TB_UNSURE] == 1 && c.difference_count == 0, "a document is the same as itself");
    tb_comparison_free(&c);
}

static void test_uncompared(void)
{
    static const struct {
        const char *name, *reason;
        bool unsettled;
    } want[] = {
        {"bad", "WRONG in BASE", true},
        {"gone", "only in BASE", true},
        {"now left out", "left out in NEW", true},
        {"came", "only in NEW", false},
        {"dear", "left out in both", false},
    };
    tb_comparison c = compare(&base, &new_, NULL);
    is(c.uncompared_count, 5, "five cells cannot be compared");
    is(c.unsettled_count, 3, "of three, base has figures or should have");
    for (size_t i = 0; i < 5 && i < c.uncompared_count; i++)
        ok(strcmp(c.uncompared[i].name, want[i].name) == 0 && strcmp(c.uncompared[i].reason, want[i].reason) == 0 &&
               c.uncompared[i].unsettled == want[i].unsettled, "%s: %s", want[i].name, want[i].reason);
    tb_comparison_free(&c);
    c = compare(&base, &new_, "[gd]*");
    is_text(error, "no cell was measured in both files: 'dear' is left out in both", "nothing to compare is an error");
    c = compare(&base, &new_, "gone");
    is_text(error, "no cell is in both files: 'gone' is only in base.json, expected the same names", "so are no common cells");
    c = compare(&base, &new_, "x?");
    is_text(error, "'x?' picks no cell of either file: expected a name such as 'slow', or a glob", "and a glob that picks nothing");
}

static void test_differences(void)
{
    static const struct {
        const char *label, *base, *new_;
        bool machine;
    } want[] = {
        {"number of CPUs", "2", "4", true}, {"host", "a", "b", false},    {"kernel", NULL, "K", false},
        {"compiler", "gcc 12", "gcc 13", false}, {"flags", "-O2", NULL, false},
    };
    tb_comparison c = compare(&base, &new_, NULL);
    is(c.difference_count, 5, "five differences");
    ok(c.other_machine, "of which one makes it another machine");
    for (size_t i = 0; i < 5 && i < c.difference_count; i++) {
        const tb_difference *d = &c.differences[i];
        ok(strcmp(d->label, want[i].label) == 0 && d->machine == want[i].machine &&
               (want[i].base ? d->told[TB_BASE] && strcmp(d->told[TB_BASE], want[i].base) == 0 : !d->told[TB_BASE]) &&
               (want[i].new_ ? d->told[TB_NEW] && strcmp(d->told[TB_NEW], want[i].new_) == 0 : !d->told[TB_NEW]),
           "%s is named", want[i].label);
    }
    tb_comparison_free(&c);
}

/* --unit repetition */
static void test_units(void)
{
    put_text("one.json", "{\"benchmarks\": [{\"name\": \"f\", \"real_time\": 50}, {\"name\": \"f\", \"real_time\": 51}, {\"name\": \"f\","
                         "\"real_time\": 52}, {\"name\": \"f\", \"real_time\": 50.5}, {\"name\": \"f\", \"real_time\": 51.5},"
                         "{\"name\": \"g_median\", \"run_name\": \"g\", \"run_type\": \"aggregate\", \"aggregate_name\": \"median\","
                         "\"real_time\": 3}]}");
    tb_result one = {0};
    ok(tb_result_read("one.json", &one, error, sizeof error), "a document of one process");
    tb_comparison_options options = {.how = tb_judging_defaults()};
    tb_comparison c;
    ok(tb_compare(&one, &one, &options, &c, error, sizeof error) && c.verdicts[TB_UNSURE] == 2, "by processes all is unsure");
    tb_comparison_free(&c);
    options.repetitions = true;
    ok(tb_compare(&one, &one, &options, &c, error, sizeof error) && c.verdicts[TB_SAME] == 1 && c.by_repetitions == 1 &&
           cell_of(&c, "f")->judged.units[TB_BASE] == 5, "by repetitions each is a unit");
    is_text(cell_of(&c, "g")->judged.reason, "aggregates alone in both files: single repetitions are needed",
            "but an aggregate has none");
    tb_comparison_free(&c);
    ok(tb_compare(&base, &base, &options, &c, error, sizeof error) && cell_of(&c, "slow")->judged.units[TB_NEW] == 10,
       "where there are several processes, they remain the units");
    tb_comparison_free(&c);
    tb_result_free(&one);
}

/* A report under an allocator that refuses the k-th request: it is what it would be, or the printer says that it is not. */
static void test_want_of_memory(void)
{
    static bool (*const printers[])(const tb_comparison *, FILE *) = {
        tb_comparison_print_text, tb_comparison_print_markdown, tb_comparison_print_json, tb_comparison_print_junit};
    static char whole[1 << 16], cut[1 << 16];
    tb_comparison c = compare(&base, &new_, NULL);
    int wrong = 0, failures = 0;
    for (size_t p = 0; p < sizeof printers / sizeof *printers; p++) {
        FILE *out = fmemopen(whole, sizeof whole, "w");
        wrong += !out || !printers[p](&c, out);
        wrong += !out || fclose(out) != 0;
        for (long k = 1;; k++) {
            out = fmemopen(cut, sizeof cut, "w");
            fail_allocation(k);
            bool printed = printers[p](&c, out);
            bool failed = allocation_failed();
            fclose(out);
            wrong += printed ? strcmp(cut, whole) != 0 : !failed;
            failures += failed;
            if (!failed)
                break;
        }
    }
    tb_comparison_free(&c);
    for (long k = 1;; k++) {
        fail_allocation(k);
        c = compare(&base, &new_, NULL);
        bool failed = allocation_failed();
        wrong += c.cell_count == 5 ? c.verdicts[TB_SLOWER] != 2 || c.uncompared_count != 5 : strcmp(error, "out of memory") != 0;
        failures += failed;
        tb_comparison_free(&c);
        if (!failed)
            break;
    }
    diag("%d allocations failed", failures);
    none_of(wrong, "want of memory is told, by the comparison and by each report");
}

int main(void)
{
    enter_scratch_folder();
    put_documents();
    ok(tb_result_read("base.json", &base, error, sizeof error) && tb_result_read("new.json", &new_, error, sizeof error),
       "two documents");
    test_cells();
    test_uncompared();
    test_differences();
    test_units();
    test_want_of_memory();
    tb_result_free(&base);
    tb_result_free(&new_);
    leave_scratch_folder();
    return tap_done();
}
