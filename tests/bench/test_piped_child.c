/* Running a program and reading what it writes: bench/piped_child.h. */
#include <string.h>

#include "bench/piped_child.h"
#include "tap.h"

static tb_piped_report report;
static tb_error_text error;

static bool run(const char *script, size_t padding, size_t most)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), NULL};
    free(report.output);
    error.text[0] = '\0';
    bool done = tb_piped_run("/bin/sh", argv, padding, most, &report, &error);
    free(argv[2]);
    return done;
}

int main(void)
{
    ok(run("echo hello >/dev/fd/3; echo lost; exit 1", 0, 100) && report.code == 1 && report.signal == 0, "the exit code");
    is_text(report.output, "hello\n", "what went into the pipe");
    is(report.length, 6, "and how long it is");
    is_text(report.line, "", "nothing on standard error");
    ok(run("printf 'one\\ntwo\\nthree\\n' >&2; cat >/dev/fd/3", 0, 100), "standard input is empty");
    is_text(report.line, "three", "the last line on standard error");
    ok(report.length == 0 && report.code == 0, "and no output");
    ok(run("head -c 3000 /dev/zero | tr '\\0' y >&2", 0, 100) && strlen(report.line) == TB_PIPED_LINE - 1, "a long line is cut");
    ok(run("head -c 300000 /dev/zero >/dev/fd/3", 0, 300000) && report.length == 300000 && !report.too_long, "much output");
    ok(run("while :; do echo yes; done >/dev/fd/3", 0, 300000) && report.too_long && report.signal == SIGKILL,
       "more than allowed: it is ended");
    ok(run("kill -SEGV $$", 0, 100) && report.signal == SIGSEGV && report.code == -1, "a signal");
    ok(run("printf %s \"$TIMERBENCH_PADDING\" >/dev/fd/3", 777, 10000) && report.length == 777, "the padding of its environment");
    ok(run("printf x >/dev/fd/3; sleep 300 & exit 4", 0, 100) && report.code == 4 && report.length == 1,
       "what it leaves running is not waited for");
    char *ask[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"echo answer; echo other >&2"}, NULL};
    free(report.output);
    ok(tb_piped_ask("/bin/sh", ask, 100, &report, &error) && report.code == 0, "what is printed can be asked for");
    is_text(report.output, "answer\n", "standard output alone");
    is_text(report.line, "other", "standard error beside it");
    char *none[] = {(char[]){"x"}, NULL};
    free(report.output);
    ok(!tb_piped_run("./absent-program", none, 0, 100, &report, &error) && strstr(error.text, "No such file"), "it is not there");
    ok(report.output == NULL && report.length == 0, "the report is empty then");
    return tap_done();
}
