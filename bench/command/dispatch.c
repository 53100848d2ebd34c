/* dispatch.c: from the name of a subcommand to its function. */
#include "bench/command/command.h"

#include "bench/nearest.h"
#include "bench/text_wrap.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tb_complain(const char *who, const char *format, ...)
{
    char message[TB_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tb_error_text line;
    tb_error_set(&line, "%s: %s", who, message);
    fprintf(stderr, "%s\n", line.text);
    return TB_EXIT_BAD_INPUT;
}

static int print_overview(const tb_command_group *group)
{
    printf("usage: %s COMMAND [ARGUMENT...]\n\n", group->name);
    tb_wrap_text(stdout, group->about, 0, 0);
    printf("\ncommands:\n");
    int width = 0;
    for (size_t i = 0; i < group->count; i++)
        if ((int)strlen(group->commands[i].name) > width)
            width = (int)strlen(group->commands[i].name);
    for (size_t i = 0; i < group->count; i++) {
        printf("  %-*s  ", width, group->commands[i].name);
        tb_wrap_text(stdout, group->commands[i].summary, width + 4, width + 4);
    }
    printf("\n`%s COMMAND --help` says more.\n", group->name);
    return TB_EXIT_OK;
}

static const tb_command *find(const tb_command_group *group, const char *name)
{
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(group->commands[i].name, name) == 0)
            return &group->commands[i];
    tb_nearest nearest = {.word = name};
    for (size_t i = 0; i < group->count; i++)
        tb_nearest_offer(&nearest, group->commands[i].name);
    tb_complain(group->name, "unknown %s '%s'%s%s%s: expected a command, as `%s --help` lists them",
                name[0] == '-' ? "option" : "command", name, nearest.best ? " (did you mean " : "",
                nearest.best ? nearest.best : "", nearest.best ? "?)" : "", group->name);
    return NULL;
}

/* `help NAME ...` -> `NAME ... --help` */
static int run_help(const tb_command_group *group, int argc, char **argv)
{
    const tb_command *command = find(group, argv[2]);
    if (!command)
        return TB_EXIT_BAD_INPUT;
    char **asked = calloc((size_t)argc, sizeof *asked);
    if (!asked)
        return tb_complain(group->name, "out of memory");
    memcpy(asked, argv + 2, ((size_t)argc - 2) * sizeof *asked);
    static char help[] = "--help";
    asked[argc - 2] = help;
    int code = command->run(argc - 1, asked);
    free(asked);
    return code;
}

int tb_dispatch(const tb_command_group *group, int argc, char **argv)
{
    if (argc < 2)
        return tb_complain(group->name, "no command: expected one, as `%s --help` lists them", group->name);
    bool help = strcmp(argv[1], "help") == 0;
    if (help && argc > 2)
        return run_help(group, argc, argv);
    if (help || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_overview(group);
    const tb_command *command = find(group, argv[1]);
    return command ? command->run(argc - 1, argv + 1) : TB_EXIT_BAD_INPUT;
}
