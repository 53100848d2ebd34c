/* ab.c: `timerbench ab`: two builds, process by process in turn. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/ab_match.h"
#include "bench/command/command.h"
#include "bench/command/gbench_flags.h"
#include "bench/command/sampled.h"
#include "bench/command/verdict_report.h"
#include "bench/output_file.h"
#include "bench/piped_child.h"

typedef struct {
    tb_measure_settings measure;
    tb_verdict_settings report;
    const char *kept[TB_SIDES]; /* where the results go; NULL: nowhere */
} settings;

enum { OPTIONS = TB_MEASURE_OPTIONS + TB_VERDICT_OPTIONS + 4 };

/* run's options, but those that ab has another use for. */
static size_t take_measure_options(settings *s, tb_option *options)
{
    static const char *const ours[] = {"processes", "budget", "net", "no-tails", "out", NULL};
    size_t count = tb_measure_options(&s->measure, true, options), kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool left_out = false;
        for (const char *const *name = ours; *name; name++)
            left_out |= strcmp(*name, options[i].name) == 0;
        if (!left_out)
            options[kept++] = options[i];
    }
    return kept;
}

static size_t add_own_options(settings *s, tb_option *options)
{
    size_t n = 0;
    options[n++] = (tb_option){.name = "budget", .kind = TB_OPTION_SECONDS, .max = 1000000, .to.seconds = &s->measure.budget,
                               .help = "seconds: it ends then at the latest (default: 300)"};
    options[n++] = (tb_option){.name = "processes", .kind = TB_OPTION_INT, .min = 1, .max = 10000, .to.integer = &s->measure.processes,
                               .help = "at most so many of each (default: 1000)"};
    n += tb_verdict_options(&s->report, options + n);
    options[n++] = (tb_option){.name = "out-base", .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s->kept[TB_BASE],
                               .help = "keep what BASE_BINARY measured, as run --out does"};
    options[n++] = (tb_option){.name = "out-new", .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s->kept[TB_NEW],
                               .help = "and what NEW_BINARY did"};
    return n;
}

/* ---- results that are kept --------------------------------------------------------------------------------------- */

static bool open_kept(const settings *s, tb_output_file *files[TB_SIDES], tb_error_text *error)
{
    for (int side = 0; side < TB_SIDES; side++)
        if (s->kept[side] && !(files[side] = tb_output_open(s->kept[side], error)))
            return false;
    return true;
}

static bool write_kept(const tb_ab_match *match, tb_output_file *files[TB_SIDES], tb_error_text *error)
{
    bool done = true;
    for (int side = 0; done && side < TB_SIDES; side++) {
        if (!files[side])
            continue;
        const tb_sampling *s = &match->side[side];
        json_t *document = tb_sampled_document(&s->sampled, s->seed, 0);
        if (document) {
            done = tb_measure_write(document, files[side], error);
            files[side] = NULL;
        } else {
            tb_error_no_memory(error);
            done = false;
        }
        json_decref(document);
    }
    return done;
}

/* ---- what is compared -------------------------------------------------------------------------------------------- */

/* Whether it runs and says that it is timerbench: before the other one is measured for minutes. */
static bool is_timerbench(const char *path, tb_error_text *error)
{
    enum { MOST = 4096 }; /* bytes of an answer */
    static const char begin[] = "timerbench ";
    char program[] = "timerbench", option[] = "--version";
    char *const words[] = {program, option, NULL};
    tb_piped_report report;
    if (!tb_piped_ask(path, words, MOST, &report, error))
        return false;
    bool good = report.code == 0 && report.output && strncmp(report.output, begin, sizeof begin - 1) == 0;
    if (!good)
        tb_error_set(error, "'%s': does not answer to --version as timerbench does: expected a build of it", path);
    free(report.output);
    return good;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int play(const settings *s, tb_ab_match *match, tb_error_text *error)
{
    tb_output_file *files[TB_SIDES] = {NULL, NULL};
    int code = TB_EXIT_BAD_INPUT;
    if (tb_verdict_read_threshold(s->report.threshold, &match->how.threshold, error) &&
        is_timerbench(match->side[TB_BASE].path, error) && is_timerbench(match->side[TB_NEW].path, error) &&
        open_kept(s, files, error) && tb_ab_match_run(match, error) && write_kept(match, files, error))
        code = tb_verdict_report(&s->report, &match->comparison, error);
    for (int side = 0; side < TB_SIDES; side++)
        tb_output_abandon(files[side]);
    return code;
}

static int ab(const char *who, const settings *s, const tb_option *options, size_t count, const tb_arguments *arguments)
{
    tb_error_text error = {{0}};
    tb_string_list words = {0}, rest = {arguments->rest, (size_t)arguments->rest_count};
    tb_ab_match match = {.cells = &s->measure.cells, .how = tb_judging_defaults(), .strict = s->report.strict,
                         .progress = isatty(STDERR_FILENO), .budget = s->measure.budget,
                         .most_processes = (size_t)s->measure.processes};
    match.how.seed = (uint64_t)s->measure.seed;
    for (int side = 0; side < TB_SIDES; side++)
        match.side[side] = (tb_sampling){.path = arguments->operands[side], .shown = arguments->operands[side], .words = &words,
                                         .rest = &rest, .seed = (uint64_t)s->measure.seed};
    int code = TB_EXIT_BAD_INPUT;
    if (!tb_sampled_words("run", &s->measure, options, count, &words))
        tb_error_no_memory(&error);
    else if (tb_gbench_flags_fit(arguments, &error))
        code = play(s, &match, &error);
    if (*error.text)
        tb_complain(who, "%s", error.text);
    tb_ab_match_free(&match);
    tb_string_list_free(&words);
    return code;
}

int tb_command_ab(int argc, char **argv)
{
    settings s = {.measure = tb_measure_defaults(), .report = tb_verdict_defaults()};
    s.measure.processes = 1000;
    s.measure.budget = 300;
    tb_option options[OPTIONS];
    size_t of_run = take_measure_options(&s, options), count = of_run + add_own_options(&s, options + of_run);
    const tb_option_table table = {
        .command = "timerbench ab",
        .about = "Compares two builds of timerbench on this machine: runs BASE_BINARY and NEW_BINARY in turn (A B B A ...), each "
                 "time a fresh process with its memory elsewhere, looks at the figures now and then, and takes a cell out of the "
                 "running once its verdict is clear. It ends when all are, or when the budget is spent; what is not clear then is "
                 "unsure.\n\n"
                 "The report, the verdicts and the exit code are those of `timerbench compare`. Looking repeatedly makes no "
                 "verdict less certain: all looks together err as seldom as one comparison. docs/trust.md says how.\n\n"
                 TB_GBENCH_FLAGS_ABOUT "\n\n"
                 "Exit code: 0 none is slower, 1 some are, 2 bad input, 3 with --strict: none is slower, some are unsure.",
        .options = options,
        .option_count = count,
        .operands = "BASE_BINARY NEW_BINARY",
        .min_operands = 2,
        .max_operands = 2,
        .rest = TB_GBENCH_FLAGS,
    };
    tb_arguments arguments;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    code = ab(table.command, &s, options, of_run, &arguments);
    tb_measure_settings_free(&s.measure);
    tb_arguments_free(&arguments);
    return code;
}
