/* libevent.c: libevent's timers: a binary heap of pointers to the caller's events; and its common timeouts, a list for each
   duration that was announced, whose heads stand in the heap. */
#include <stdlib.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/synthetic_clock.h"

typedef struct events {
    struct event_base *base;
    int64_t now;
    int64_t constant;               /* ns, of common timeouts */
    const struct timeval *common;   /* what stands for it */
    struct event timers[];          /* as a caller has them, in its own objects */
} events;

static tb_tally tally;

static void fired(evutil_socket_t fd, short what, void *timer)
{
    (void)fd, (void)what;
    tb_tally_add(&tally, (uint32_t)(uintptr_t)timer);
}

static void fired_logged(evutil_socket_t fd, short what, void *timer)
{
    tb_fire_log_add(tb_peer_log, (uint32_t)(uintptr_t)timer);
    fired(fd, what, timer);
}

static struct event_base *make_base(void)
{
    struct event_config *config = event_config_new();
    if (!config)
        return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static void close_events(void *set)
{
    events *e = set;
    if (e->base)
        event_base_free(e->base);
    free(e);
}

static void *open_events(const tb_contender *c, const tb_script *s)
{
    events *e = calloc(1, sizeof *e + s->n * sizeof *e->timers);
    if (!e)
        return NULL;
    e->now = s->start;
    e->base = make_base();
    if (e->base && (c->peer->lacks & TB_PEER_CONSTANT_ONLY)) {
        const struct timeval duration = {s->constant / 1000000000, s->constant % 1000000000 / 1000};
        e->constant = s->constant;
        e->common = event_base_init_common_timeout(e->base, &duration);
    }
    bool made = e->base && (!e->constant || e->common);
    for (uint32_t t = 0; made && t < s->n; t++)
        made = event_assign(&e->timers[t], e->base, -1, 0, tb_peer_log ? fired_logged : fired, (void *)(uintptr_t)t) == 0;
    if (made)
        return e;
    close_events(e);
    return NULL;
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    events *e = set;
    int64_t us = tb_peer_units(at - e->now, 1000);
    const struct timeval duration = {us / 1000000, us % 1000000};
    return event_add(&e->timers[timer], &duration) == 0;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

/* event_add moves what is pending. */
TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane) { return arm_in(set, timer, at, lane); }

TB_OP bool is_pending(const events *e, uint32_t timer)
{
    return (e->timers[timer].ev_evcallback.evcb_flags & EVLIST_TIMEOUT) != 0;
}

TB_OP bool cancel(void *set, uint32_t timer)
{
    events *e = set;
    return is_pending(e, timer) && event_del(&e->timers[timer]) == 0;
}

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    events *e = set;
    e->now = now;
    tb_synthetic_set(now);
    event_base_loop(e->base, EVLOOP_NONBLOCK);
    return tb_tally_take(&tally, sum);
}

static void stop_waiting(void *base) { event_base_loopbreak(base); }

/* No call tells: a turn of the loop does, by how long it would wait. */
TB_OP bool next(void *set, int64_t *at)
{
    events *e = set;
    tb_synthetic.in_wait = stop_waiting;
    tb_synthetic.in_wait_of = e->base;
    tb_synthetic.wait_ns = -1;
    event_base_loop(e->base, EVLOOP_ONCE);
    tb_synthetic.in_wait = NULL;
    *at = e->now + tb_synthetic.wait_ns;
    return tb_synthetic.wait_ns >= 0;
}

TB_OP void touch(void *set, uint32_t timer)
{
    const char *t = (const char *)&((events *)set)->timers[timer];
    __builtin_prefetch(t);
    __builtin_prefetch(t + 64);
}

static const tb_driver tb_libevent = {open_events, close_events, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS_WITHIN(tb_libevent, tb_synthetic_enter, tb_synthetic_leave)

/* ---- common timeouts --------------------------------------------------------------------------------------------- */

/* A list for each duration, in the order armed. A timer of the fill was armed in the past, by the caller's constant before its
   deadline; so the clock is set back for it, and the lists come to what they would be. */
TB_OP bool arm_common(void *set, uint32_t timer, int64_t at)
{
    events *e = set;
    if (at - e->now != e->constant)
        tb_synthetic_set(at - e->constant);
    bool added = event_add(&e->timers[timer], e->common) == 0;
    if (at - e->now != e->constant)
        tb_synthetic_set(e->now);
    return added;
}

TB_OP bool arm_common_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm_common(set, timer, at);
}

static const tb_driver tb_libevent_common = {open_events,   close_events, arm_common, arm_common_in, cancel,
                                             arm_common_in, advance,      next,       touch};
TB_DEFINE_LOOPS_WITHIN(tb_libevent_common, tb_synthetic_enter, tb_synthetic_leave)

static void version(char *out, size_t size) { snprintf(out, size, "%s", event_get_version()); }

const tb_peer tb_peers_libevent[] = {
    {"libevent", "event_add, event_del; event_base_loop(EVLOOP_NONBLOCK)",
     "reads the clock at every event_add outside of its loop. What is next is asked by a turn of its loop",
     &tb_libevent_loops, version, 1000, 1000, 0, 0, NULL, 64},
    {"libevent_common", "the same, with event_base_init_common_timeout", "for constant durations, at most 256 of them",
     &tb_libevent_common_loops, version, 1000, 1000, TB_PEER_CONSTANT_ONLY, 0, NULL, 64},
    {0},
};
