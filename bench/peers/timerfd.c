/* timerfd.c: a timerfd for each timer, in one epoll set, as a program does it that has few timers. */
#include <errno.h>
#include <stdlib.h>

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/real_time.h"

enum { MOST = 10000, SPARE = 64 };

typedef struct descriptors {
    tb_real_time time;
    tb_fire_log *log;
    int epoll;
    uint32_t n;
    bool *armed; /* as a program knows it: not cancelled, and its expiry not read */
    int timers[]; /* -1: not there */
} descriptors;

static void close_all(void *set)
{
    descriptors *d = set;
    for (uint32_t t = 0; t < d->n; t++)
        if (d->timers[t] >= 0)
            close(d->timers[t]);
    if (d->epoll >= 0)
        close(d->epoll);
    free(d->armed);
    free(d);
}

/* As many descriptors as the hard limit has. */
static bool raise_limit(uint32_t n)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    if (limit.rlim_cur >= n + SPARE)
        return true;
    limit.rlim_cur = limit.rlim_max;
    errno = EMFILE;
    return limit.rlim_max >= n + SPARE && setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static void *open_all(const tb_contender *c, const tb_script *s)
{
    (void)c;
    descriptors *d = raise_limit(s->n) ? malloc(sizeof *d + s->n * sizeof *d->timers) : NULL;
    if (!d)
        return NULL;
    d->time = (tb_real_time){s->start, 0};
    tb_real_time_set(&d->time, s->start);
    d->log = tb_peer_log;
    d->armed = calloc(s->n, sizeof *d->armed);
    d->n = s->n;
    for (uint32_t t = 0; t < s->n; t++)
        d->timers[t] = -1;
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    bool made = d->epoll >= 0 && d->armed;
    for (uint32_t t = 0; made && t < s->n; t++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = t};
        d->timers[t] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        made = d->timers[t] >= 0 && epoll_ctl(d->epoll, EPOLL_CTL_ADD, d->timers[t], &event) == 0;
    }
    if (made)
        return d;
    int error = errno;
    close_all(d);
    errno = error;
    return NULL;
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    descriptors *d = set;
    const struct itimerspec value = {.it_value = tb_real_time_at(&d->time, at)};
    return d->armed[timer] = timerfd_settime(d->timers[timer], TFD_TIMER_ABSTIME, &value, NULL) == 0;
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
    descriptors *d = set;
    bool was = d->armed[timer];
    d->armed[timer] = false;
    return timerfd_settime(d->timers[timer], 0, &none, NULL) == 0 && was;
}

static bool has_expired(descriptors *d, uint32_t timer)
{
    uint64_t times;
    return read(d->timers[timer], &times, sizeof times) == (ssize_t)sizeof times;
}

/* What would fire, in a time that nobody waits for: what the kernel says is armed, or expires in the meantime. */
static size_t count_armed(descriptors *d, uint64_t *sum)
{
    size_t n = 0;
    for (uint32_t t = 0; t < d->n; t++) {
        struct itimerspec left;
        timerfd_gettime(d->timers[t], &left);
        if (left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0 && !has_expired(d, t))
            continue;
        cancel(d, t);
        *sum += t;
        n++;
    }
    return n;
}

static size_t advance(void *set, int64_t now, uint64_t *sum)
{
    enum { BATCH = 64 };
    descriptors *d = set;
    struct epoll_event events[BATCH];
    bool jumped = tb_real_time_set(&d->time, now);
    size_t n = 0;
    int ready;
    do {
        ready = epoll_wait(d->epoll, events, BATCH, 0);
        for (int i = 0; i < ready; i++) {
            if (!has_expired(d, events[i].data.u32))
                continue;
            d->armed[events[i].data.u32] = false;
            *sum += events[i].data.u32;
            if (d->log)
                tb_fire_log_add(d->log, events[i].data.u32);
            n++;
        }
    } while (ready == BATCH);
    return jumped ? n + count_armed(d, sum) : n;
}

TB_OP bool next(void *set, int64_t *at)
{
    (void)set, (void)at;
    return false;
}

TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((descriptors *)set)->timers[timer]); }

static const tb_driver tb_timerfd = {open_all, close_all, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS(tb_timerfd)

static void version(char *out, size_t size)
{
    struct utsname name;
    snprintf(out, size, "Linux %s", uname(&name) == 0 ? name.release : "");
}

const tb_peer tb_peers_timerfd[] = {
    {"timerfd", "timerfd_settime; epoll_wait, read", "a descriptor each. The kernel's memory is not counted", &tb_timerfd_loops,
     version, TB_REAL_TIME_WINDOW, TB_REAL_TIME_WINDOW, TB_PEER_REAL_TIME, MOST, "each is a file descriptor", 1},
    {0},
};
