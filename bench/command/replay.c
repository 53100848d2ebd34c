/* replay.c: `timerbench replay`: measures implementations on recorded traces. */
#include <stdlib.h>
#include <string.h>

#include "bench/command/command.h"
#include "bench/command/gbench_flags.h"
#include "bench/command/measure.h"
#include "bench/trace_store.h"

int tb_command_replay(int argc, char **argv)
{
    tb_measure_settings settings = tb_measure_defaults();
    tb_option options[TB_MEASURE_OPTIONS];
    const tb_option_table table = {
        .command = "timerbench replay",
        .about = "Replays recorded traces on implementations and prints a table for each and a ranking, as run does.\n\n"
                 "TRACE is a .trace or .trace.xz file or the name of a trace that comes with timerbench. Each line drives the "
                 "set as a loop would: its next expiry is followed up to the line's time, then it is called once for that "
                 "time, then the timer is armed, rearmed or cancelled. How the trace's slops became lanes is printed first.\n\n"
                 TB_GBENCH_FLAGS_ABOUT "\n\n"
                 "Exit code: 0, 1 a cell is WRONG, 2 bad input.",
        .options = options,
        .option_count = tb_measure_options(&settings, false, options),
        .operands = "TRACE...",
        .min_operands = 1,
        .rest = TB_GBENCH_FLAGS,
    };
    tb_arguments arguments;
    tb_workload_list workloads = {0};
    tb_error_text error;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    bool found = true;
    for (int i = 0; found && i < arguments.operand_count; i++) {
        char *path = tb_trace_locate(arguments.operands[i], &error);
        found = path && tb_workloads_add_trace(&workloads, path, &error);
        free(path);
    }
    for (size_t i = 0; found && i < workloads.count; i++)
        if (!tb_string_list_add(&settings.workloads, workloads.items[i].name, strlen(workloads.items[i].name))) {
            tb_error_no_memory(&error);
            found = false;
        }
    if (found)
        code = tb_measure(&settings, &(tb_measure_request){&table, &arguments}, &workloads);
    else
        code = tb_complain(table.command, "%s", error.text);
    tb_workloads_free(&workloads);
    tb_measure_settings_free(&settings);
    tb_arguments_free(&arguments);
    return code;
}
