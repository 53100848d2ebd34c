#include "bench/piped_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { DEADLY = sizeof deadly / sizeof *deadly };

static volatile pid_t running; /* 0: none; the leader of its own process group */
static struct sigaction before[DEADLY];

/* Ends the program's group, then does what would have been done without it. */
static void end_child_first(int number)
{
    if (running > 0)
        kill(-running, SIGKILL);
    for (int i = 0; i < DEADLY; i++) {
        if (deadly[i] != number)
            continue;
        sigaction(number, &before[i], NULL);
        raise(number); /* delivered when this returns */
    }
}

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = end_child_first};
    for (int i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* nohup's wish is kept */
            sigaction(deadly[i], &action, NULL);
    }
}

static void unwatch_signals(void)
{
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &before[i], NULL);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static const char padding_name[] = "TIMERBENCH_PADDING";

/* The environment with a variable of its own that is `padding` bytes long; free the array and its last entry. */
static char **padded_environment(size_t padding)
{
    size_t count = 0, kept = 0, name = sizeof padding_name - 1;
    while (environ && environ[count])
        count++;
    char **copy = malloc((count + 2) * sizeof *copy), *variable = malloc(name + 1 + padding + 1);
    if (!copy || !variable) {
        free(copy);
        free(variable);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], padding_name, name) != 0 || environ[i][name] != '=')
            copy[kept++] = environ[i];
    memcpy(variable, padding_name, name);
    variable[name] = '=';
    memset(variable + name + 1, 'x', padding);
    variable[name + 1 + padding] = '\0';
    copy[kept] = variable;
    copy[kept + 1] = NULL;
    return copy;
}

static void free_environment(char **environment)
{
    size_t last = 0;
    while (environment && environment[last + 1])
        last++;
    if (environment)
        free(environment[last]);
    free(environment);
}

/* The pipes' ends: [0] to read, [1] to write. */
typedef struct pipes {
    int output[2], errors[2], started[2];
    int number; /* of the descriptor under which the program has output[1] */
} pipes;

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pipes(pipes *p)
{
    for (int end = 0; end < 2; end++) {
        close_end(&p->output[end]);
        close_end(&p->errors[end]);
        close_end(&p->started[end]);
    }
}

static bool open_pipes(pipes *p, int number)
{
    *p = (pipes){{-1, -1}, {-1, -1}, {-1, -1}, number};
    return pipe2(p->output, O_CLOEXEC) == 0 && pipe2(p->errors, O_CLOEXEC) == 0 && pipe2(p->started, O_CLOEXEC) == 0;
}

/* In the child: becomes the program, or tells through `started` why not. */
static _Noreturn void become(const char *path, char *const *argv, char **environment, const pipes *p, pid_t parent,
                             const sigset_t *mask)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before the line above */
        _exit(127);
    for (int i = 0; i < DEADLY; i++)
        if (before[i].sa_handler != SIG_IGN)
            signal(deadly[i], SIG_DFL);
    /* Out of the way of the numbers that they shall have. */
    int output = fcntl(p->output[1], F_DUPFD_CLOEXEC, 10), errors = fcntl(p->errors[1], F_DUPFD_CLOEXEC, 10);
    int started = fcntl(p->started[1], F_DUPFD_CLOEXEC, 10), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int copy = nothing < 0 ? -1 : fcntl(nothing, F_DUPFD_CLOEXEC, 10);
    if (output >= 0 && errors >= 0 && started >= 0 && copy >= 0 && dup2(copy, 0) == 0 && dup2(copy, 1) == 1 &&
        dup2(errors, 2) == 2 && dup2(output, p->number) == p->number) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execve(path, argv, environment);
    }
    int why = errno;
    ssize_t written = write(started >= 0 ? started : p->started[1], &why, sizeof why);
    _exit(written < 0 ? 126 : 127);
}

/* The errno of a start that failed; 0. */
static int wait_for_start(pipes *p)
{
    int why = 0;
    ssize_t n;
    close_end(&p->started[1]);
    do
        n = read(p->started[0], &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof why ? why : 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What has come of the last lines on standard error. */
typedef struct last_line {
    char text[TB_PIPED_LINE];
    size_t length;
    bool ended; /* a newline came: the next byte begins a new line */
} last_line;

static void add_to_line(last_line *l, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            l->ended = true;
            continue;
        }
        if (l->ended)
            l->length = 0;
        l->ended = false;
        if (l->length + 1 < sizeof l->text)
            l->text[l->length++] = bytes[i];
    }
    l->text[l->length] = '\0';
}

/* Takes what the pipe has; false: it is closed, or memory ran out (*memory false). */
static bool take_output(int fd, tb_piped_report *report, size_t *room, bool *memory)
{
    enum { PIECE = 1 << 16 };
    if (*room - report->length <= PIECE) {
        size_t more = *room * 2 > report->length + 2 * PIECE ? *room * 2 : report->length + 2 * PIECE;
        char *grown = realloc(report->output, more);
        if (!grown) {
            *memory = false;
            return false;
        }
        report->output = grown;
        *room = more;
    }
    ssize_t n = read(fd, report->output + report->length, PIECE);
    if (n > 0)
        report->length += (size_t)n;
    report->output[report->length] = '\0';
    return n > 0 || (n < 0 && errno == EINTR);
}

static bool take_errors(int fd, last_line *line)
{
    char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0)
        add_to_line(line, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Whether the program has ended; it can still be waited for. What it started may live on, with the pipes. */
static bool has_ended(void)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)running, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == running;
}

/* Reads both pipes until they are closed. false: out of memory. */
static bool read_pipes(pipes *p, size_t most, tb_piped_report *report)
{
    last_line line = {.length = 0};
    size_t room = 0;
    bool memory = true;
    close_end(&p->output[1]);
    close_end(&p->errors[1]);
    while (memory && (p->output[0] >= 0 || p->errors[0] >= 0)) {
        enum { LOOK_AFTER_MS = 200 };
        struct pollfd ends[] = {{.fd = p->output[0], .events = POLLIN}, {.fd = p->errors[0], .events = POLLIN}};
        int ready = poll(ends, 2, LOOK_AFTER_MS);
        if (ready == 0 && has_ended())
            kill(-running, SIGKILL);
        if (ready <= 0)
            continue;
        if (ends[0].revents && !take_output(p->output[0], report, &room, &memory))
            close_end(&p->output[0]);
        if (ends[1].revents && !take_errors(p->errors[0], &line))
            close_end(&p->errors[0]);
        if (report->length > most) {
            report->too_long = true;
            break;
        }
    }
    memcpy(report->line, line.text, sizeof report->line);
    if (!memory || report->too_long)
        kill(-running, SIGKILL);
    return memory;
}

/* Waits for its end, and ends what it may have left running. */
static void bury(tb_piped_report *report)
{
    int status = 0;
    siginfo_t info;
    /* Its number stays taken until it is waited for, so the group that is ended is no other's. */
    while (waitid(P_PID, (id_t)running, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    kill(-running, SIGKILL);
    while (waitpid(running, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    report->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    report->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool start(const char *path, char *const *argv, char **environment, const pipes *p)
{
    sigset_t all, mask;
    pid_t parent = getpid();
    /* A signal between the fork and the noting of its number would miss it. */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0)
        become(path, argv, environment, p, parent, &mask);
    if (pid > 0) {
        setpgid(pid, pid); /* whoever is first */
        running = pid;
    }
    int why = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = why;
    return pid > 0;
}

static bool run(const char *path, char *const *argv, size_t padding, int number, size_t most, tb_piped_report *report,
                tb_error_text *error)
{
    *report = (tb_piped_report){0};
    pipes p;
    bool done = open_pipes(&p, number);
    char **environment = done ? padded_environment(padding) : NULL;
    watch_signals();
    done = done && environment && start(path, argv, environment, &p);
    if (!done)
        tb_error_set(error, "cannot run '%s': %s", path, environment ? strerror(errno) : "out of memory or of file descriptors");
    if (done) {
        int why = wait_for_start(&p);
        bool memory = read_pipes(&p, most, report);
        bury(report);
        done = !why && memory;
        if (why)
            tb_error_set(error, "cannot run '%s': %s", path, strerror(why));
        else if (!memory)
            tb_error_no_memory(error);
    }
    unwatch_signals();
    close_pipes(&p);
    free_environment(environment);
    if (!done) {
        free(report->output);
        *report = (tb_piped_report){0};
    }
    return done;
}

bool tb_piped_run(const char *path, char *const *argv, size_t padding, size_t most, tb_piped_report *report,
                  tb_error_text *error)
{
    return run(path, argv, padding, 3 /* TB_PIPED_OUTPUT */, most, report, error);
}

bool tb_piped_ask(const char *path, char *const *argv, size_t most, tb_piped_report *report, tb_error_text *error)
{
    return run(path, argv, 0, STDOUT_FILENO, most, report, error);
}
