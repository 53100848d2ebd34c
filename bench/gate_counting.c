/* gate_counting.c: the part of the gate that runs under callgrind. */
#include <alloca.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/gate_cells.h"

/* What callgrind counts: --toggle-collect names it, so it must be a function of its own under a name that every build keeps.
   (Client requests would do the same, but would need valgrind's header to build.) */
void tb_gate_counted(tb_operations *loop, void *const *sets, uint32_t count, const tb_script *s, tb_progress *p);
__attribute__((noinline, visibility("default"))) void tb_gate_counted(tb_operations *loop, void *const *sets, uint32_t count,
                                                                      const tb_script *s, tb_progress *p)
{
    for (uint32_t i = 0; i < count; i++)
        loop(sets[i], s, p, 0, s->count, NULL);
    __asm__ volatile("" : : : "memory"); /* what comes after the calls keeps the last from becoming a jump */
}

/* A set as a repetition finds it. */
static void *make_set(const tb_gate_cell *cell, const tb_loops *loops, tb_work *work, tb_progress *p)
{
    const tb_script *s = &work->script;
    void *set = loops->open(cell->contender, s);
    if (!set)
        return NULL;
    if (work->workload->warm) {
        uint32_t *all = malloc(s->n * sizeof *all);
        if (!all) {
            loops->close(set);
            return NULL;
        }
        tb_script order = *s;
        order.timer = all;
        for (uint32_t t = 0; t < s->n; t++)
            all[t] = t;
        loops->fill(set, s, p, 0, s->n, NULL);
        loops->cancel(set, &order, p, 0, s->n, NULL);
        free(all);
    }
    if (work->workload->loop != TB_LOOP_FILL)
        loops->fill(set, s, p, 0, s->n, NULL);
    p->cancelled = 0;
    return set;
}

static void run(const tb_gate_cell *cell, tb_work *work, void **sets, tb_gate_done *done)
{
    const tb_loops *loops = cell->contender->loops;
    tb_operations *loop = tb_work_loop(work, loops);
    tb_progress p = tb_progress_at(&work->script);
    tb_error_text wrong;
    uint32_t count = 0;
    while (count < work->sets && (sets[count] = make_set(cell, loops, work, &p)))
        count++;
    if (count < work->sets) {
        snprintf(done->problem, sizeof done->problem, "%s", strerror(errno));
    } else {
        tb_work_refresh(work);
        if (!work->workload->fresh) { /* once uncounted: memory and caches get warm */
            loop(sets[0], &work->script, &p, 0, work->script.count, NULL);
            tb_work_refresh(work);
        }
        tb_gate_counted(loop, sets, count, &work->script, &p);
        if (tb_work_verify(work, &p, &wrong))
            snprintf(done->problem, sizeof done->problem, "WRONG: %.*s", TB_GATE_PROBLEM - 8, wrong.text);
        done->operations = (work->workload->loop == TB_LOOP_EXPIRE ? work->script.n : work->script.count) * (uint64_t)work->sets;
    }
    while (count > 0)
        loops->close(sets[--count]);
}

static void count_cell(tb_gate_done *done)
{
    tb_gate_cells cells;
    tb_error_text error;
    tb_work *work = NULL;
    if (!tb_gate_cells_make(&cells, &error)) {
        snprintf(done->problem, sizeof done->problem, "%.*s", TB_GATE_PROBLEM - 1, error.text);
        return;
    }
    const tb_gate_cell *cell = done->cell < cells.count ? &cells.items[done->cell] : NULL;
    if (!cell)
        snprintf(done->problem, sizeof done->problem, "there is no such cell");
    else if (!(work = tb_work_make(cell->workload, cell->contender->keyed, cell->population, TB_GATE_OPERATIONS, TB_GATE_SEED,
                                   &error)))
        snprintf(done->problem, sizeof done->problem, "%.*s", TB_GATE_PROBLEM - 1, error.text);
    void **sets = work ? calloc(work->sets, sizeof *sets) : NULL;
    if (sets)
        run(cell, work, sets, done);
    else if (work)
        snprintf(done->problem, sizeof done->problem, "%s", strerror(errno));
    free(sets);
    tb_work_free(work);
    tb_gate_cells_free(&cells);
}

/* The stack begins at a page, wherever arguments and environment have put its end: what is on it then falls on the same
   lines of the simulated cache. */
static __attribute__((noinline)) void count_aligned(tb_gate_done *done)
{
    enum { PAGE = 4096 };
    volatile char *pad = alloca((uintptr_t)__builtin_frame_address(0) % PAGE + 16);
    *pad = 0;
    count_cell(done);
}

static bool write_all(int fd, const void *data, size_t size)
{
    return write(fd, data, size) == (ssize_t)size; /* below PIPE_BUF: whole or not at all */
}

int tb_gate_counting(void)
{
    _Static_assert(sizeof(tb_gate_done) < 512, "a record is written in one piece to a pipe, which several processes share");
    tb_gate_done *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t cell;
    if (done == MAP_FAILED)
        return 1;
    while (read(STDIN_FILENO, &cell, sizeof cell) == (ssize_t)sizeof cell) {
        memset(done, 0, sizeof *done);
        done->cell = cell;
        pid_t child = fork();
        if (child == 0) {
            alarm(TB_GATE_LIMIT);
            count_aligned(done);
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 1;
        done->pid = child;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            snprintf(done->problem, sizeof done->problem, "takes more than %d s under callgrind", TB_GATE_LIMIT);
        else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            snprintf(done->problem, sizeof done->problem, "died: signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        if (!write_all(STDOUT_FILENO, done, sizeof *done))
            return 1;
    }
    return 0;
}
