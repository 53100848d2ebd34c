/* compare.c: `timerbench compare`: which cells of one result became slower in another. */
#include "bench/command/command.h"
#include "bench/command/verdict_report.h"

enum { BY_PROCESS, BY_REPETITION };

typedef struct {
    tb_verdict_settings report;
    bool other_machine;
    int unit;
    int64_t seed;
    tb_string_list cells;
} settings;

/* What makes the first machine another than the second. */
static void refuse_machine(const tb_comparison *comparison, tb_error_text *error)
{
    const tb_difference *d = comparison->differences;
    while (!d->machine || !d->told[TB_BASE] || !d->told[TB_NEW])
        d++;
    tb_error_set(error, "measured on different machines (%s: %s in BASE, %s in NEW): expected the same, or "
                 "--allow-different-machine", d->label, d->told[TB_BASE], d->told[TB_NEW]);
}

static int verdict(const settings *s, const tb_comparison *comparison, tb_error_text *error)
{
    if (comparison->other_machine && !s->other_machine) {
        refuse_machine(comparison, error);
        return TB_EXIT_BAD_INPUT;
    }
    return tb_verdict_report(&s->report, comparison, error);
}

static int compare(const char *who, const settings *s, char **paths)
{
    tb_error_text error = {{0}};
    tb_result base = {0}, new_ = {0};
    tb_comparison comparison = {0};
    tb_comparison_options options = {.how = tb_judging_defaults(), .repetitions = s->unit == BY_REPETITION, .strict = s->report.strict,
                                     .globs = (const char *const *)s->cells.items, .glob_count = s->cells.count};
    options.how.seed = (uint64_t)s->seed;
    int code = TB_EXIT_BAD_INPUT;
    if (tb_verdict_read_threshold(s->report.threshold, &options.how.threshold, &error) &&
        tb_result_read(paths[0], &base, error.text, sizeof error.text) &&
        tb_result_read(paths[1], &new_, error.text, sizeof error.text) &&
        tb_compare(&base, &new_, &options, &comparison, error.text, sizeof error.text))
        code = verdict(s, &comparison, &error);
    if (*error.text)
        tb_complain(who, "%s", error.text);
    tb_comparison_free(&comparison);
    tb_result_free(&base);
    tb_result_free(&new_);
    return code;
}

int tb_command_compare(int argc, char **argv)
{
    static const char *const units[] = {[BY_PROCESS] = "process", [BY_REPETITION] = "repetition", NULL};
    settings s = {.report = tb_verdict_defaults(), .seed = 1};
    tb_option options[TB_VERDICT_OPTIONS + 4];
    size_t count = tb_verdict_options(&s.report, options);
    options[count++] = (tb_option){.name = "cells", .kind = TB_OPTION_STRINGS, .to.strings = &s.cells,
                                   .help = "names and globs of the cells to compare (default: all)"};
    options[count++] = (tb_option){.name = "unit", .kind = TB_OPTION_CHOICE, .choices = units, .to.choice = &s.unit,
                                   .help = "what counts as one independent figure (default: process). repetition: take those of a "
                                           "single process for independent, which they are not quite"};
    options[count++] = (tb_option){.name = "allow-different-machine", .kind = TB_OPTION_FLAG, .to.flag = &s.other_machine,
                                   .help = "compare although processor, number of CPUs or caches differ"};
    options[count++] = (tb_option){.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &s.seed,
                                   .help = "of the resampling (default: 1)"};
    const tb_option_table table = {
        .command = "timerbench compare",
        .about = "Compares two results cell by cell: JSON that `timerbench run` wrote, or any other that Google Benchmark "
                 "wrote.\n\n"
                 "slower: the ratio of the medians is above 1 + the greater of threshold and noise floor, so is its whole 95 % "
                 "bootstrap interval, and chance is ruled out for all cells together. faster: the same the other way round. "
                 "same: the interval lies within the threshold. unsure: everything else. A process is one sample; below five "
                 "of each all is unsure. p: of the Mann-Whitney test, corrected for the number of cells. docs/compare.md says "
                 "it exactly.\n\n"
                 "Exit code: 0 none is slower, 1 some are, 2 bad input, 3 with --strict: none is slower, some are unsure.",
        .options = options,
        .option_count = count,
        .operands = "BASE.json NEW.json",
        .min_operands = 2,
        .max_operands = 2,
    };
    tb_arguments arguments;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    code = compare(table.command, &s, arguments.operands);
    tb_string_list_free(&s.cells);
    tb_arguments_free(&arguments);
    return code;
}
