/* run.c: `timerbench run`: measures workloads over implementations and populations. */
#include "bench/calendar_level.h"
#include "bench/command/command.h"
#include "bench/command/gbench_flags.h"
#include "bench/command/measure.h"
#include "bench/loop_level.h"

/* What the other levels have and lateness has not: asking for it is a mistake. */
static const char *not_of_the_loop(const tb_measure_settings *s, const tb_arguments *arguments)
{
    return s->api != TB_API_NOT_GIVEN ? "--api"
           : s->plugins.count         ? "--plugin"
           : s->peers.count           ? "--peer"
           : s->cells.count           ? "--cell"
           : s->processes > 1         ? "--processes"
           : s->repetitions           ? "--repetitions"
           : s->net                   ? "--net"
           : arguments->rest_count    ? arguments->rest[0]
                                      : NULL;
}

static int run_loop_level(const char *who, const tb_measure_settings *s, const tb_arguments *arguments)
{
    const char *unknown = not_of_the_loop(s, arguments);
    tb_loop_level_settings settings = {&s->workloads, &s->impls, s->sizes.items, s->sizes.count, s->seed, s->budget, s->quick, s->out};
    if (unknown)
        return tb_complain(who, "%s: not at --level loop: expected --workload, --impl, --size, --budget, --seed, --quick or --out", unknown);
    return tb_loop_level_run(who, &settings);
}

int tb_command_run(int argc, char **argv)
{
    tb_measure_settings settings = tb_measure_defaults();
    tb_option options[TB_MEASURE_OPTIONS];
    const tb_option_table table = {
        .command = "timerbench run",
        .about = "Measures workloads on implementations at several populations, in a random order that the seed decides, and "
                 "prints a table for each workload and a ranking.\n\n"
                 "A figure is the median of the repetitions, with half the width of its 95 % bootstrap interval, and the "
                 "ratio to the best (*). B/tm: bytes a pending timer. max: the dearest single operation (n ns, u us, m ms). Every cell checks "
                 "what fired and what was cancelled: WRONG is never fast. --: left out, and why.\n\n"
                 "With --processes the figure is the median of the processes, of each the median of its repetitions, and its "
                 "interval theirs; ?: that is still too wide. The noise floor, how far the same code differs from itself, is "
                 "printed, and kept for compare. docs/trust.md says how and why.\n\n"
                 TB_GBENCH_FLAGS_ABOUT "\n\n"
                 "Exit code: 0, 1 a cell is WRONG, 2 bad input.",
        .options = options,
        .option_count = tb_measure_options(&settings, true, options),
        .rest = TB_GBENCH_FLAGS,
    };
    tb_arguments arguments;
    tb_workload_list workloads = {0};
    tb_error_text error;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    if (settings.level == TB_LEVEL_LOOP)
        code = run_loop_level(table.command, &settings, &arguments);
    else if (settings.level == TB_LEVEL_CALENDAR ? tb_calendar_workloads_load(&workloads, &error) : tb_workloads_load(&workloads, &error))
        code = tb_measure(&settings, &(tb_measure_request){&table, &arguments}, &workloads);
    else
        code = tb_complain(table.command, "%s", error.text);
    tb_workloads_free(&workloads);
    tb_measure_settings_free(&settings);
    tb_arguments_free(&arguments);
    return code;
}
