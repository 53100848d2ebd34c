/* trace.c: `timerbench trace`: its subcommands, and `trace check`. */
#include "bench/command/command.h"
#include "bench/command/options.h"
#include "bench/command/trace_stat.h"
#include "bench/trace_file.h"
#include "bench/trace_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads one trace to its end; says on standard output that it is good, or on standard error what is wrong. */
static bool check_file(const char *who, const char *name)
{
    tb_error_text error;
    char *path = tb_trace_locate(name, &error);
    tb_trace_reader *reader = path ? tb_trace_open(path, &error) : NULL;
    free(path);
    if (!reader) {
        tb_complain(who, "%s", error.text);
        return false;
    }
    tb_trace_event event = {0};
    uint64_t events = 0;
    tb_trace_step step;
    while ((step = tb_trace_next(reader, &event)) == TB_TRACE_EVENT)
        events++;
    if (step == TB_TRACE_ERROR)
        tb_complain(who, "%s", tb_trace_error(reader));
    else
        printf("%s: consistent, %" PRIu64 " events, %.2f s, %zu left pending\n", name, events, (double)event.time / 1e9,
               tb_trace_pending(reader));
    tb_trace_close(reader);
    return step == TB_TRACE_END;
}

static int check(int argc, char **argv)
{
    const tb_option_table table = {
        .command = "timerbench trace check",
        .about = "Reads recorded traces to their end and checks their form and their sense: times never go back, only "
                 "what is not pending is armed, and only what is pending is rearmed, cancelled or fired.\n\n"
                 "FILE is a .trace or .trace.xz file or the name of a trace that comes with timerbench. For each good "
                 "one a line is printed; for each bad one a line on standard error says where and what was expected.\n\n"
                 "Exit code: 0 all are good, 2 one is unreadable, malformed or inconsistent.",
        .operands = "FILE...",
        .min_operands = 1,
    };
    tb_arguments arguments;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    bool good = true;
    for (int i = 0; i < arguments.operand_count; i++)
        good &= check_file(table.command, arguments.operands[i]);
    tb_arguments_free(&arguments);
    return good ? TB_EXIT_OK : TB_EXIT_BAD_INPUT;
}

int tb_command_trace(int argc, char **argv)
{
    static const tb_command commands[] = {
        {"check", "check the form and the sense of recorded traces", check},
        {"stat", "describe recorded traces in numbers", tb_command_trace_stat},
    };
    static const tb_command_group group = {
        .name = "timerbench trace",
        .about = "Works on recorded traces: the timer operations of a real program, in the format that docs/traces.md "
                 "describes.",
        .commands = commands,
        .count = sizeof commands / sizeof *commands,
    };
    return tb_dispatch(&group, argc, argv);
}
