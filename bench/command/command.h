/* command.h: the subcommands of `timerbench`. Each is a file of its own with one function, and a line in TB_COMMANDS. */
#ifndef BENCH_COMMAND_COMMAND_H
#define BENCH_COMMAND_COMMAND_H

#include "bench/error_text.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every subcommand returns to the shell. */
enum {
    TB_EXIT_OK = 0,
    TB_EXIT_DIFFERENT = 1, /* it worked, and the answer is bad: something differs, is wrong or slower */
    TB_EXIT_BAD_INPUT = 2, /* one line on stderr says what was expected; nothing was written */
    TB_EXIT_UNSURE = 3     /* compare --strict: nothing is slower, something is unsure */
};

/* X(name, summary), in the order of `timerbench --help`. The function is tb_command_<name>. */
#define TB_COMMANDS(X)                                    \
    X(list, "list implementations, workloads and traces")  \
    X(check, "prove that implementations do the same")     \
    X(run, "measure workloads on implementations")         \
    X(replay, "measure implementations on recorded traces") \
    X(compare, "tell which cells became slower")           \
    X(ab, "compare two builds, process by process in turn") \
    X(gate, "compare instruction counts with a reference") \
    X(doctor, "tell what on this machine spoils measurements") \
    X(trace, "check and describe recorded traces")

/* Gets argv[0] = the subcommand's name and what followed it; returns the exit code. It reports errors by tb_complain. */
typedef int tb_command_function(int argc, char **argv);

#define TB_COMMAND_PROTOTYPE(name, summary) tb_command_function tb_command_##name;
TB_COMMANDS(TB_COMMAND_PROTOTYPE)
#undef TB_COMMAND_PROTOTYPE

typedef struct {
    const char *name;
    const char *summary;
    tb_command_function *run;
} tb_command;

/* A program or a subcommand that has subcommands. */
typedef struct {
    const char *name;  /* "timerbench", "timerbench trace" */
    const char *about; /* what it is for, a paragraph */
    const tb_command *commands;
    size_t count;
} tb_command_group;

/* Runs the subcommand that argv[1] names, and returns its exit code. For --help and help prints the
   subcommands; without any argument complains. `help NAME ...` is `NAME ... --help`. */
int tb_dispatch(const tb_command_group *group, int argc, char **argv);

/* Prints "who: message" as one line on standard error (control characters become '?'). Returns TB_EXIT_BAD_INPUT. */
__attribute__((format(printf, 2, 3))) int tb_complain(const char *who, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
