/* child.c: work in a process of its own. */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { look_every = 20 }; /* ms */

static void work_here(void (*work)(void *), void *ctx, const tb_child_options *options, int done)
{
    const struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    int nowhere = options->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    work(ctx);
    fflush(stdout);
    if (write(done, "", 1) == 1)
        _exit(EXIT_SUCCESS);
    _exit(EXIT_FAILURE);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Until the child says that it has finished, or is gone, or does nothing for too long; false: the last. */
static bool wait_for(int done, const tb_child_options *options)
{
    double idle = 0, before = seconds();
    uint64_t beats = options->beats ? *options->beats : 0;
    for (;;) {
        struct pollfd p = {.fd = done, .events = POLLIN};
        int ready = poll(&p, 1, look_every);
        if (ready > 0)
            return true;
        /* Where this process was stopped, so was the child, perhaps: it gets a second look. */
        double now = seconds(), step = now - before;
        idle += step < 2e-3 * look_every ? step : 2e-3 * look_every;
        before = now;
        if (options->beats && *options->beats != beats) {
            beats = *options->beats;
            idle = 0;
        }
        if (idle >= options->limit)
            return false;
        if (options->watch)
            options->watch(options->watch_ctx);
    }
}

static tb_child_end end_of(pid_t child, int done, const tb_child_options *options)
{
    tb_child_end end = {TB_CHILD_HUNG, 0};
    char byte;
    int status = 0;
    bool hung = !wait_for(done, options);
    bool finished = !hung && read(done, &byte, 1) == 1;
    if (hung)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (finished)
        end.kind = TB_CHILD_FINISHED;
    else if (!hung && WIFSIGNALED(status))
        end = (tb_child_end){TB_CHILD_CRASHED, WTERMSIG(status)};
    else if (!hung)
        end = (tb_child_end){TB_CHILD_ENDED, WEXITSTATUS(status)};
    return end;
}

tb_child_end tb_child_run(void (*work)(void *ctx), void *ctx, const tb_child_options *options)
{
    int ends[2];
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (tb_child_end){TB_CHILD_NOT_STARTED, errno};
    pid_t child = fork();
    if (child < 0) {
        tb_child_end end = {TB_CHILD_NOT_STARTED, errno};
        close(ends[0]);
        close(ends[1]);
        return end;
    }
    if (child == 0) {
        close(ends[0]);
        work_here(work, ctx, options, ends[1]);
    }
    close(ends[1]);
    tb_child_end end = end_of(child, ends[0], options);
    close(ends[0]);
    return end;
}

void *tb_shared_memory(uint64_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void tb_shared_memory_free(void *p, uint64_t size)
{
    if (p)
        munmap(p, size);
}

void tb_child_describe(const tb_child_end *end, double limit, char out[TB_CHILD_TEXT])
{
    switch (end->kind) {
    case TB_CHILD_FINISHED:
        snprintf(out, TB_CHILD_TEXT, "finishes");
        break;
    case TB_CHILD_CRASHED:
        snprintf(out, TB_CHILD_TEXT, "crashes (%s)", strsignal(end->detail));
        break;
    case TB_CHILD_ENDED:
        snprintf(out, TB_CHILD_TEXT, "ends the process (exit code %d)", end->detail);
        break;
    case TB_CHILD_HUNG:
        snprintf(out, TB_CHILD_TEXT, "does not come back within %g s", limit);
        break;
    case TB_CHILD_NOT_STARTED:
        snprintf(out, TB_CHILD_TEXT, "cannot be given a process (%s)", strerror(end->detail));
        break;
    }
}
