/* libev.c: libev's timers: a 4-ary heap with the deadline beside each pointer, in seconds as a double. */
#include <stdlib.h>

#include <ev.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/synthetic_clock.h"

typedef struct timers {
    struct ev_loop *loop;
    int64_t now;
    ev_timer timers[]; /* as a caller has them, in its own objects; data: the number */
} timers;

static tb_tally tally;

/* A timer with a repeat is one that ev_timer_again moved; it fires once here. */
static void fired(struct ev_loop *loop, ev_timer *w, int events)
{
    (void)events;
    if (w->repeat > 0)
        ev_timer_stop(loop, w);
    tb_tally_add(&tally, (uint32_t)(uintptr_t)w->data);
}

static void fired_logged(struct ev_loop *loop, ev_timer *w, int events)
{
    tb_fire_log_add(tb_peer_log, (uint32_t)(uintptr_t)w->data);
    fired(loop, w, events);
}

static void *open_timers(const tb_contender *c, const tb_script *s)
{
    (void)c;
    timers *e = calloc(1, sizeof *e + s->n * sizeof *e->timers);
    if (!e)
        return NULL;
    e->now = s->start;
    e->loop = ev_loop_new(EVFLAG_NOENV | EVBACKEND_EPOLL);
    if (!e->loop) {
        free(e);
        return NULL;
    }
    for (uint32_t t = 0; t < s->n; t++) {
        ev_timer *w = &e->timers[t];
        ev_init(w, tb_peer_log ? fired_logged : fired);
        w->data = (void *)(uintptr_t)t;
    }
    return e;
}

static void close_timers(void *set)
{
    timers *e = set;
    ev_loop_destroy(e->loop);
    free(e);
}

TB_OP double seconds(const timers *e, int64_t at) { return at > e->now ? (double)(at - e->now) * 1e-9 : 0; }

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    timers *e = set;
    ev_timer *w = &e->timers[timer];
    ev_timer_set(w, seconds(e, at), 0.);
    ev_timer_start(e->loop, w);
    return true;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

TB_OP bool cancel(void *set, uint32_t timer)
{
    timers *e = set;
    ev_timer *w = &e->timers[timer];
    bool active = ev_is_active(w);
    ev_timer_stop(e->loop, w);
    return active;
}

/* As its manual has it for idle timeouts: the repeat is the timeout, and ev_timer_again starts or moves it. */
TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    timers *e = set;
    ev_timer *w = &e->timers[timer];
    if (at <= e->now) {
        cancel(set, timer);
        return arm_in(set, timer, at, lane);
    }
    w->repeat = seconds(e, at);
    ev_timer_again(e->loop, w);
    return true;
}

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    timers *e = set;
    e->now = now;
    tb_synthetic_set(now);
    ev_run(e->loop, EVRUN_NOWAIT);
    return tb_tally_take(&tally, sum);
}

/* No call tells: a turn of the loop does, by how long it would wait. */
TB_OP bool next(void *set, int64_t *at)
{
    timers *e = set;
    tb_synthetic.wait_ns = -1;
    ev_run(e->loop, EVRUN_ONCE);
    *at = e->now + tb_synthetic.wait_ns;
    return tb_synthetic.wait_ns >= 0;
}

TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((timers *)set)->timers[timer]); }

static const tb_driver tb_libev = {open_timers, close_timers, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS_WITHIN(tb_libev, tb_synthetic_enter, tb_synthetic_leave)

static void version(char *out, size_t size) { snprintf(out, size, "%d.%d", ev_version_major(), ev_version_minor()); }

const tb_peer tb_peers_libev[] = {
    {"libev", "ev_timer_start, _stop, _again; ev_run(EVRUN_NOWAIT)",
     "fires when the clock is past the deadline, not at it. What is next is asked by a turn of its loop",
     &tb_libev_loops, version, 100, 1000, 0, 0, NULL, 64},
    {0},
};
