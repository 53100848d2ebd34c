/* piped_child.h: running a program and reading what it writes into a file descriptor and on standard error.

   Nothing of it outlasts this process: a signal that ends this one (SIGINT, SIGTERM, SIGHUP) ends the program and whatever it
   has started first, and SIGKILL of this one ends the program, too. The results come through a pipe, so no file is left. One at a
   time, from one thread. */
#ifndef BENCH_PIPED_CHILD_H
#define BENCH_PIPED_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error_text.h"

/* Where the program finds the pipe for its results. */
#define TB_PIPED_OUTPUT "/dev/fd/3"

enum { TB_PIPED_LINE = 400 };

typedef struct tb_piped_report {
    int code;       /* its exit code; -1 when a signal ended it */
    int signal;     /* which; 0: none */
    char *output;   /* what it wrote, and a NUL behind; the caller frees it */
    size_t length;
    bool too_long;  /* it wrote more than `most` bytes, and was ended */
    char line[TB_PIPED_LINE]; /* the last line on its standard error, cut; "" */
} tb_piped_report;

/* Runs the program at `path` (as it is: no search in PATH) with these arguments (argv[0] included, NULL at the end), an empty
   standard input, its standard output thrown away, and `padding` bytes more in its environment (the variable
   TIMERBENCH_PADDING). false: it could not be started, or memory ran out; *error says so, and the report is empty. */
bool tb_piped_run(const char *path, char *const *argv, size_t padding, size_t most, tb_piped_report *report,
                  tb_error_text *error);

/* The same without padding, and `output` is what the program prints on its standard output. */
bool tb_piped_ask(const char *path, char *const *argv, size_t most, tb_piped_report *report, tb_error_text *error);

#endif
