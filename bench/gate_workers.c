#include "bench/gate_workers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

const char tb_gate_caches[] = "D1 32768 B, 8-way; LL 1048576 B, 16-way; lines of 64 B";

enum { MOST_JOBS = 64 };

typedef struct {
    tb_gate_cells *cells;
    char folder[64]; /* working folder of the processes, with a link to this command and callgrind's files */
    pid_t workers[MOST_JOBS];
    int jobs;
    size_t wanted, finished;
    bool progress;
} gate_run;

bool tb_gate_valgrind(char *version, size_t size, tb_error_text *error)
{
    FILE *f = popen("valgrind --version 2>/dev/null", "r");
    bool said = f && fgets(version, (int)size, f);
    if (f && pclose(f) != 0)
        said = false;
    if (!said || strncmp(version, "valgrind-", 9) != 0) {
        tb_error_set(error, "valgrind does not run here, and the gate counts with it: expected it in PATH (package valgrind)");
        return false;
    }
    version[strcspn(version, "\n")] = 0;
    return true;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

/* The length of a path is on the stack of the process: in a folder of its own it is always called ./x. */
static bool make_folder(gate_run *r, tb_error_text *error)
{
    char self[PATH_MAX], link[sizeof r->folder + 4];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    strcpy(r->folder, "/tmp/timerbench-gate-XXXXXX");
    if (n <= 0 || !mkdtemp(r->folder)) {
        tb_error_set(error, "cannot make a folder in /tmp: %s", strerror(errno));
        *r->folder = 0;
        return false;
    }
    self[n] = 0;
    snprintf(link, sizeof link, "%s/x", r->folder);
    if (symlink(self, link) == 0)
        return true;
    tb_error_set(error, "%s: %s", link, strerror(errno));
    return false;
}

static void remove_folder(const gate_run *r)
{
    DIR *d = *r->folder ? opendir(r->folder) : NULL;
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(r->folder);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Everything that could reach the counts is fixed: the environment (jemalloc gives memory back by the clock, unless it is told
   not to), the arguments, the name, the folder, the placement of memory, the caches. */
static void become_worker(const gate_run *r, int input, int output)
{
    static char *arguments[] = {
        "valgrind", "-q", "--tool=callgrind", "--log-file=log", "--callgrind-out-file=out.%p", "--toggle-collect=tb_gate_counted",
        "--compress-strings=no", "--compress-pos=no", "--dump-line=no", "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64",
        "--LL=1048576,16,64", "./x", "gate", "--counting", NULL};
    char *environment[6] = {"MALLOC_CONF=narenas:1,dirty_decay_ms:-1,muzzy_decay_ms:-1", "TIMERBENCH_TRACES=.", "LC_ALL=C", NULL};
    static const char *const kept[] = {"VALGRIND_LIB", "LD_LIBRARY_PATH"}; /* without these it might not run at all */
    static char texts[2][PATH_MAX];
    int n = 3;
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(kept[i]);
        if (value && snprintf(texts[i], sizeof texts[i], "%s=%s", kept[i], value) < PATH_MAX)
            environment[n++] = texts[i];
    }
    environment[n] = NULL;
    if (chdir(r->folder) != 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(126);
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    personality(ADDR_NO_RANDOMIZE); /* where it is not allowed, valgrind's own placement is still the same each time */
    execvpe("valgrind", arguments, environment);
    _exit(127);
}

/* The first line of valgrind's log, as the reason for a worker's failure. */
static void tell_log(const gate_run *r, tb_error_text *error)
{
    char path[sizeof r->folder + 8], line[400] = "it said nothing";
    snprintf(path, sizeof path, "%s/log", r->folder);
    FILE *f = fopen(path, "r");
    if (f) {
        if (fgets(line, sizeof line, f))
            line[strcspn(line, "\n")] = 0;
        fclose(f);
    }
    tb_error_set(error, "valgrind failed: %s", line);
}

static bool start(gate_run *r, int jobs, int input, int output, tb_error_text *error)
{
    for (int i = 0; i < jobs; i++) {
        pid_t pid = fork();
        if (pid == 0)
            become_worker(r, input, output);
        if (pid < 0) {
            tb_error_set(error, "cannot start valgrind: %s", strerror(errno));
            return false;
        }
        r->workers[r->jobs++] = pid;
    }
    return true;
}

/* Whether all ended well; with `stop`, they are ended. */
static bool join(gate_run *r, bool stop)
{
    bool well = true;
    for (int i = 0; i < r->jobs; i++) {
        int status = 0;
        if (stop)
            kill(r->workers[i], SIGTERM);
        well &= waitpid(r->workers[i], &status, 0) == r->workers[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return well;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static bool take_result(gate_run *r, const tb_gate_done *done, tb_error_text *error)
{
    char path[sizeof r->folder + 24];
    if (done->cell >= r->cells->count) {
        tb_error_set(error, "a counting process answered for a cell that there is not");
        return false;
    }
    tb_gate_cell *cell = &r->cells->items[done->cell];
    snprintf(path, sizeof path, "%s/out.%d", r->folder, (int)done->pid);
    r->finished++;
    if (r->progress)
        fprintf(stderr, "\r\033[K%zu of %zu: %s", r->finished, r->wanted, cell->name);
    bool good = true;
    if (*done->problem) {
        cell->problem = strndup(done->problem, sizeof done->problem);
        good = cell->problem != NULL;
        if (!good)
            tb_error_no_memory(error);
    } else {
        cell->operations = done->operations;
        good = tb_callgrind_read(path, &cell->counts, error);
    }
    unlink(path);
    return good;
}

static bool collect(gate_run *r, int output, tb_error_text *error)
{
    tb_gate_done done;
    ssize_t n;
    while ((n = read(output, &done, sizeof done)) == (ssize_t)sizeof done)
        if (!take_result(r, &done, error))
            return false;
    return n == 0;
}

/* The numbers of all cells fit a pipe, from which the processes take them one by one: none waits for a slow one. */
static bool fill_input(gate_run *r, const bool *chosen, int fd, tb_error_text *error)
{
    for (uint32_t i = 0; i < r->cells->count; i++)
        if (chosen[i]) {
            r->wanted++;
            if (write(fd, &i, sizeof i) != (ssize_t)sizeof i) {
                tb_error_set(error, "too many cells for one run: expected at most %zu", r->wanted - 1);
                return false;
            }
        }
    return true;
}

static bool run_in_folder(gate_run *r, const bool *chosen, int jobs, tb_error_text *error)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1};
    bool done = pipe2(input, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0;
    if (!done)
        tb_error_set(error, "cannot make a pipe: %s", strerror(errno));
    done = done && fcntl(input[1], F_SETFL, O_NONBLOCK) == 0 && fill_input(r, chosen, input[1], error);
    close(input[1]);
    done = done && start(r, jobs, input[0], output[1], error);
    close(input[0]);
    close(output[1]);
    done = done && collect(r, output[0], error);
    bool well = join(r, !done);
    close(output[0]);
    if (r->progress)
        fprintf(stderr, "\r\033[K");
    if (done && (!well || r->finished < r->wanted)) {
        tell_log(r, error);
        done = false;
    }
    return done;
}

bool tb_gate_run(tb_gate_cells *cells, const bool *chosen, int jobs, bool progress, tb_error_text *error)
{
    gate_run r = {.cells = cells, .progress = progress};
    bool done = make_folder(&r, error) && run_in_folder(&r, chosen, jobs < MOST_JOBS ? jobs : MOST_JOBS, error);
    remove_folder(&r);
    return done;
}
