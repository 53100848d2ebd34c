/* tap.h: the Test Anything Protocol for test programs. One header, no library.

       int main(void)
       {
           ok(1 + 1 == 2, "WHL-00 sums are right");
           is(1 + 1, 2, "WHL-00 the same, and the two values are shown when they differ");
           return tap_done();
       }

   A description starts with the CONFORMANCE IDs it shows: `make conformance` reads them from the source. A test whose
   name is made at run time (a loop over implementations) still has its IDs in the format string. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static int tap_count, tap_failed;

#if defined(__GNUC__)
#define TAP_PRINTF(f, a) __attribute__((format(printf, f, a), unused))
#define TAP_UNUSED __attribute__((unused))
#else
#define TAP_PRINTF(f, a)
#define TAP_UNUSED
#endif

/* A remark in the output, shown by `prove -v`. */
TAP_PRINTF(1, 2) static void diag(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("# ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
}

TAP_PRINTF(5, 6)
static bool tap_check(bool passed, const char *file, int line, const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tap_count++;
    printf("%s %d - ", passed ? "ok" : "not ok", tap_count);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    if (!passed) {
        tap_failed++;
        printf("# failed: %s (%s:%d)\n", what, file, line);
    }
    fflush(stdout);
    return passed;
}

#define ok(condition, ...) tap_check((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

/* Integers of any signedness: equal as int64_t or uint64_t bits. */
#define is(got, want, ...)                                                                              \
    do {                                                                                                \
        int64_t tap_got = (int64_t)(got), tap_want = (int64_t)(want);                                   \
        if (!tap_check(tap_got == tap_want, __FILE__, __LINE__, #got " is " #want, __VA_ARGS__))        \
            diag("got %" PRId64 ", want %" PRId64, tap_got, tap_want);                                  \
    } while (0)

#define is_text(got, want, ...)                                                                         \
    do {                                                                                                \
        const char *tap_got = (got), *tap_want = (want);                                                \
        bool tap_same = tap_got && tap_want && strcmp(tap_got, tap_want) == 0;                          \
        if (!tap_check(tap_same, __FILE__, __LINE__, #got " is " #want, __VA_ARGS__))                   \
            diag("got \"%s\", want \"%s\"", tap_got ? tap_got : "(null)", tap_want ? tap_want : "(null)"); \
    } while (0)

/* A passing line for a claim that many silent checks made; `failures` is how many of them failed. */
#define none_of(failures, ...) is(failures, 0, __VA_ARGS__)

TAP_PRINTF(2, 3) static void skip(int count, const char *format, ...)
{
    for (int i = 0; i < count; i++) {
        va_list args;
        va_start(args, format);
        printf("ok %d # SKIP ", ++tap_count);
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
}

#ifndef _WIN32
/* Whether f(arg) ends the process by abort(), as a broken precondition must. It runs in a child, without a core file. */
TAP_UNUSED static bool aborts(void (*f)(void *), void *arg)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        f(arg);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
#endif

/* Prints the plan; the exit status of main. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    fflush(stdout);
    return tap_failed ? 1 : 0;
}

#endif
