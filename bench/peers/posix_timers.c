/* posix_timers.c: POSIX per-process timers that tell by a queued real-time signal, which is taken with sigtimedwait. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include <sys/utsname.h>
#include <unistd.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/real_time.h"

enum { MOST = 10000 };

typedef struct timers {
    tb_real_time time;
    tb_fire_log *log;
    sigset_t signal, before; /* before: the mask to be put back */
    uint32_t n, made;
    bool *armed; /* as a program knows it: not cancelled, and its signal not taken */
    timer_t ids[];
} timers;

static const struct timespec at_once;

static void close_all(void *set)
{
    timers *p = set;
    for (uint32_t t = 0; t < p->made; t++)
        timer_delete(p->ids[t]);
    while (sigtimedwait(&p->signal, NULL, &at_once) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &p->before, NULL);
    free(p->armed);
    free(p);
}

static void *open_all(const tb_contender *c, const tb_script *s)
{
    (void)c;
    timers *p = malloc(sizeof *p + s->n * sizeof *p->ids);
    if (!p)
        return NULL;
    p->armed = calloc(s->n, sizeof *p->armed);
    if (!p->armed) {
        free(p);
        return NULL;
    }
    p->time = (tb_real_time){s->start, 0};
    tb_real_time_set(&p->time, s->start);
    p->log = tb_peer_log;
    p->n = s->n;
    sigemptyset(&p->signal);
    sigaddset(&p->signal, SIGRTMIN + 3);
    pthread_sigmask(SIG_BLOCK, &p->signal, &p->before);
    for (p->made = 0; p->made < s->n; p->made++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
        event.sigev_value.sival_int = (int)p->made;
        if (timer_create(CLOCK_MONOTONIC, &event, &p->ids[p->made]) != 0) {
            int error = errno;
            close_all(p);
            errno = error;
            return NULL;
        }
    }
    return p;
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    timers *p = set;
    const struct itimerspec value = {.it_value = tb_real_time_at(&p->time, at)};
    return p->armed[timer] = timer_settime(p->ids[timer], TIMER_ABSTIME, &value, NULL) == 0;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane) { return arm_in(set, timer, at, lane); }

TB_OP bool cancel(void *set, uint32_t timer)
{
    const struct itimerspec none = {0};
    timers *p = set;
    bool was = p->armed[timer];
    p->armed[timer] = false;
    return timer_settime(p->ids[timer], 0, &none, NULL) == 0 && was;
}

/* What would fire, in a time that nobody waits for: what is armed, or expires while this looks. */
static size_t count_armed(timers *p, uint64_t *sum)
{
    size_t n = 0;
    for (uint32_t t = 0; t < p->n; t++)
        if (cancel(p, t)) {
            *sum += t;
            n++;
        }
    return n;
}

static size_t advance(void *set, int64_t now, uint64_t *sum)
{
    timers *p = set;
    bool jumped = tb_real_time_set(&p->time, now);
    siginfo_t info;
    size_t n = 0;
    while (sigtimedwait(&p->signal, &info, &at_once) > 0) {
        uint32_t timer = (uint32_t)info.si_value.sival_int;
        if (!p->armed[timer])
            continue; /* of before it was cancelled */
        p->armed[timer] = false;
        *sum += timer;
        if (p->log)
            tb_fire_log_add(p->log, timer);
        n++;
    }
    return jumped ? n + count_armed(p, sum) : n;
}

TB_OP bool next(void *set, int64_t *at)
{
    (void)set, (void)at;
    return false;
}

TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((timers *)set)->ids[timer]); }

static const tb_driver tb_posix_timers = {open_all, close_all, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS(tb_posix_timers)

static void version(char *out, size_t size)
{
    struct utsname name;
    snprintf(out, size, "Linux %s", uname(&name) == 0 ? name.release : "");
}

const tb_peer tb_peers_posix_timers[] = {
    {"posix_timers", "timer_settime; sigtimedwait", "a queued signal each. The kernel's memory is not counted",
     &tb_posix_timers_loops, version, TB_REAL_TIME_WINDOW, TB_REAL_TIME_WINDOW, TB_PEER_REAL_TIME, MOST,
     "each may queue a signal, and the kernel allows so many", 1},
    {0},
};
