/* loop_level_timers.c: lateness of one contender. The deadlines are drawn beforehand and are the same for all; what counts is how
   late the caller has the answer, against the deadline that it asked for, whatever has piled up (an open loop). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <timerbench/loop.h>

#include "bench/loop_level.h"
#include "bench/random.h"

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * TB_NANOS_PER_SECOND + t.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / TB_NANOS_PER_SECOND), .tv_nsec = (long)(ns % TB_NANOS_PER_SECOND)};
}

/* The deadlines, in ns from the first arming. */
static int64_t *draw(const tb_lateness_cell *cell, uint64_t seed)
{
    tb_random random = tb_random_make(seed, 0);
    int64_t *at = malloc(cell->deadlines * sizeof *at), sum = cell->workload->ahead > 1 ? 20 * INT64_C(1000000) : 0;
    uint64_t width = (uint64_t)(cell->workload->most - cell->workload->least);
    for (uint32_t i = 0; at && i < cell->deadlines; i++)
        at[i] = sum += cell->workload->least + (int64_t)(tb_random_next(&random) % (width + 1));
    return at;
}

/* ---- what the system has ------------------------------------------------------------------------------------------- */

static bool sleep_until(int64_t at)
{
    struct timespec until = timespec_of(at);
    int failed;
    do
        failed = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    while (failed == EINTR);
    return !failed;
}

static bool timerfd_until(int timer, int epoll, int64_t at)
{
    struct itimerspec until = {.it_value = timespec_of(at > 0 ? at : 1)};
    struct epoll_event event;
    uint64_t expiries;
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &until, NULL) < 0)
        return false;
    int n;
    do
        n = epoll_wait(epoll, &event, 1, -1);
    while (n < 0 && errno == EINTR);
    return n == 1 && read(timer, &expiries, sizeof expiries) == sizeof expiries;
}

static bool measure_system(tb_lateness_cell *cell, const int64_t *at)
{
    bool with_timerfd = strcmp(cell->contender, "timerfd") == 0, done = true;
    int timer = -1, epoll = -1;
    if (with_timerfd) {
        struct epoll_event event = {.events = EPOLLIN};
        timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        epoll = epoll_create1(EPOLL_CLOEXEC);
        done = timer >= 0 && epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0;
    }
    int64_t begin = tb_instant_now().ns, cpu = cpu_ns();
    for (uint32_t i = 0; done && i < cell->deadlines; i++) {
        int64_t from = cell->workload->ahead > 1 || i == 0 ? begin : tb_instant_now().ns - at[i - 1];
        int64_t deadline = from + at[i];
        done = with_timerfd ? timerfd_until(timer, epoll, deadline) : sleep_until(deadline);
        int64_t late = tb_instant_now().ns - deadline;
        if (late < 0)
            cell->wrong = "early";
        tb_lateness_add(&cell->lateness, late);
    }
    cell->cpu_ns = (double)(cpu_ns() - cpu) / cell->deadlines;
    if (timer >= 0)
        close(timer);
    if (epoll >= 0)
        close(epoll);
    return done;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static bool arm(tb_loop *loop, const int64_t *at, uint32_t i, int64_t begin)
{
    return !tb_op_is_none(tb_loop_after(loop, tb_instant_from_nanos(begin + at[i]), tb_here(i)));
}

/* With several armed ahead, each deadline is a fixed instant; with one, it counts from when the one before it was answered. */
static bool drive(tb_lateness_cell *cell, const int64_t *at, tb_loop *loop)
{
    tb_completions out = {0};
    uint32_t armed = 0, answered = 0, ahead = cell->workload->ahead;
    int64_t begin = tb_instant_now().ns, cpu = cpu_ns();
    uint64_t passes = tb_loop_get_stats(loop).passes;
    bool done = true;
    int64_t *due = malloc(cell->deadlines * sizeof *due);
    for (; due && done && armed < cell->deadlines && armed < ahead; armed++) {
        due[armed] = begin + at[armed];
        done = arm(loop, at, armed, begin);
    }
    while (due && done && answered < cell->deadlines) {
        tb_loop_poll(loop, tb_instant_forever(), &out);
        int64_t now = tb_instant_now().ns;
        for (size_t i = 0; i < out.len; i++, answered++) {
            uint64_t k = out.items[i].token;
            if (k != answered || out.items[i].outcome != TB_DONE)
                cell->wrong = "not in order, each once";
            int64_t late = k < armed ? now - due[k] : 0;
            if (late < 0)
                cell->wrong = "early";
            tb_lateness_add(&cell->lateness, late);
            if (armed == cell->deadlines)
                continue;
            int64_t from = ahead > 1 ? begin : now - at[armed - 1];
            due[armed] = from + at[armed];
            done = done && arm(loop, at, armed, from);
            armed++;
        }
        tb_completions_clear(&out);
    }
    cell->cpu_ns = (double)(cpu_ns() - cpu) / cell->deadlines;
    cell->passes = (double)(tb_loop_get_stats(loop).passes - passes) / cell->deadlines;
    tb_completions_free(&out);
    done = done && due;
    free(due);
    return done;
}

/* Idle timeouts of an hour to two, which nobody waits for. */
static bool arm_idle(tb_lateness_cell *cell, tb_loop *loop, uint64_t seed)
{
    tb_random random = tb_random_make(seed, 1);
    tb_instant begin = tb_instant_now();
    bool done = true;
    for (uint32_t i = 0; done && !cell->left_out && i < cell->population; i++) {
        tb_duration idle = tb_duration_from_millis(3600000 + (int64_t)(tb_random_next(&random) % 3600000));
        done = !tb_op_is_none(tb_loop_after(loop, tb_instant_add(tb_loop_now(loop), idle), tb_here(UINT64_MAX)));
        cell->left_out = i % 64 == 0 && tb_duration_seconds_f64(tb_instant_elapsed(begin)) > cell->limit;
    }
    return done;
}

static bool measure_loop(tb_lateness_cell *cell, const int64_t *at, uint64_t seed)
{
    tb_loop *loop = tb_loop_make(&(tb_loop_options){.impl = cell->impl});
    bool done = loop && arm_idle(cell, loop, seed) && (cell->left_out || drive(cell, at, loop));
    tb_loop_destroy(loop);
    return done;
}

bool tb_lateness_measure(tb_lateness_cell *cell, uint64_t seed, tb_error_text *error)
{
    int64_t *at = draw(cell, seed);
    bool done = at && (cell->impl ? measure_loop(cell, at, seed) : measure_system(cell, at));
    if (!done && (!at || errno == ENOMEM))
        tb_error_no_memory(error);
    else if (!done)
        tb_error_set(error, "%s: %s", cell->contender, strerror(errno));
    free(at);
    return done;
}
