/* main.c: the program `timerbench`. */
#include "bench/command/command.h"
#include "bench/output_file.h"

#include <timerbench/version.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TABLE_LINE(name, summary) {#name, summary, tb_command_##name},
static const tb_command commands[] = {TB_COMMANDS(TABLE_LINE)};

static const tb_command_group program = {
    .name = "timerbench",
    .about = "Timer data structures behind one interface: lists what there is, proves that all do the same, measures "
             "what each costs, and compares results.",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
};

/* Where standard input, output or error was closed, a file opened later would take its number and get what is printed.
   The place is taken by a descriptor that cannot be used in the expected direction, so that using it is an error. */
static void occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(TB_EXIT_BAD_INPUT);
}

/* What was printed must have arrived: a full disk is an error, whatever the command's verdict was. */
static int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return tb_complain(program.name, "cannot write to standard output: %s", errno ? strerror(errno) : "a write failed");
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    tb_output_clean_on_signals();
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("timerbench %s\n", TB_VERSION);
        return finish_output(TB_EXIT_OK);
    }
    return finish_output(tb_dispatch(&program, argc, argv));
}
