/* compare.c: `timerbench compare`: which cells of one result became slower in another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/command.h"
#include "bench/command/options.h"
#include "bench/output_file.h"
#include "results/comparison.h"

enum { AS_TEXT, AS_MARKDOWN, AS_JSON, AS_JUNIT };
enum { BY_PROCESS, BY_REPETITION };

typedef struct {
    const char *threshold, *out;
    bool strict, other_machine;
    int format, unit;
    int64_t seed;
    tb_string_list cells;
} settings;

/* "5%", "2.5%". The sign is asked for, since 0.05 might be a share or a percentage. */
static bool read_threshold(const char *text, double *out, tb_error_text *error)
{
    char *end = NULL;
    bool plain = strspn(text, "0123456789.") > 0; /* strtod would take signs, "inf" and hexadecimal, too */
    double percent = plain ? strtod(text, &end) : 0;
    if (!plain || strspn(text, "0123456789.") != (size_t)(end - text) || strcmp(end, "%") != 0 || !(percent <= 1000)) {
        tb_error_set(error, "--threshold '%s': expected a percentage from 0%% to 1000%%, such as 5%%", text);
        return false;
    }
    *out = percent / 100;
    return true;
}

static bool print_as(int format, const tb_comparison *comparison, FILE *out)
{
    static bool (*const printers[])(const tb_comparison *, FILE *) = {
        [AS_TEXT] = tb_comparison_print_text,
        [AS_MARKDOWN] = tb_comparison_print_markdown,
        [AS_JSON] = tb_comparison_print_json,
        [AS_JUNIT] = tb_comparison_print_junit,
    };
    return printers[format](comparison, out);
}

static bool write_file(const settings *s, const tb_comparison *comparison, tb_error_text *error)
{
    tb_output_file *file = tb_output_open(s->out, error);
    if (!file)
        return false;
    if (print_as(s->format, comparison, tb_output_stream(file)))
        return tb_output_commit(file, error);
    tb_output_abandon(file);
    tb_error_no_memory(error);
    return false;
}

/* With --out, the report goes there and the text is still printed: a log wants the one, a tool the other. */
static bool report(const settings *s, const tb_comparison *comparison, tb_error_text *error)
{
    if (s->out && !write_file(s, comparison, error))
        return false;
    if (print_as(s->out ? AS_TEXT : s->format, comparison, stdout))
        return true;
    tb_error_no_memory(error);
    return false;
}

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
    if (!report(s, comparison, error))
        return TB_EXIT_BAD_INPUT;
    if (comparison->verdicts[TB_SLOWER] > 0)
        return TB_EXIT_DIFFERENT;
    return s->strict && !tb_comparison_is_sure(comparison) ? TB_EXIT_UNSURE : TB_EXIT_OK;
}

static int compare(const char *who, const settings *s, char **paths)
{
    tb_error_text error = {{0}};
    tb_result base = {0}, new_ = {0};
    tb_comparison comparison = {0};
    tb_comparison_options options = {.how = tb_judging_defaults(), .repetitions = s->unit == BY_REPETITION, .strict = s->strict,
                                     .globs = (const char *const *)s->cells.items, .glob_count = s->cells.count};
    options.how.seed = (uint64_t)s->seed;
    int code = TB_EXIT_BAD_INPUT;
    if (read_threshold(s->threshold, &options.how.threshold, &error) &&
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
    static const char *const formats[] = {[AS_TEXT] = "text", [AS_MARKDOWN] = "markdown", [AS_JSON] = "json",
                                          [AS_JUNIT] = "junit", NULL};
    static const char *const units[] = {[BY_PROCESS] = "process", [BY_REPETITION] = "repetition", NULL};
    settings s = {.threshold = "5%", .seed = 1};
    const tb_option options[] = {
        {.name = "threshold", .kind = TB_OPTION_STRING, .value = "P%", .to.string = &s.threshold,
         .help = "differences up to this do not matter (default: 5%)"},
        {.name = "strict", .kind = TB_OPTION_FLAG, .to.flag = &s.strict,
         .help = "exit code 3 when nothing is slower but something is unsure, or cannot be compared"},
        {.name = "cells", .kind = TB_OPTION_STRINGS, .to.strings = &s.cells,
         .help = "names and globs of the cells to compare (default: all)"},
        {.name = "unit", .kind = TB_OPTION_CHOICE, .choices = units, .to.choice = &s.unit,
         .help = "what counts as one independent figure (default: process). repetition: take those of a single process for "
                 "independent, which they are not quite"},
        {.name = "allow-different-machine", .kind = TB_OPTION_FLAG, .to.flag = &s.other_machine,
         .help = "compare although processor, number of CPUs or caches differ"},
        {.name = "format", .kind = TB_OPTION_CHOICE, .choices = formats, .to.choice = &s.format,
         .help = "how to print (default: text)"},
        {.name = "out", .letter = 'o', .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s.out,
         .help = "write that to FILE, and print the text all the same"},
        {.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &s.seed,
         .help = "of the resampling (default: 1)"},
    };
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
        .option_count = sizeof options / sizeof *options,
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
