/* libuv.c: libuv's timers: a binary heap linked by pointers, in whole milliseconds of the loop's own time. */
#include <stdlib.h>

#include <uv.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/synthetic_clock.h"

enum { MS = 1000000 };

typedef struct timers {
    uv_loop_t loop;
    int64_t now;
    uv_timer_cb fired;
    uint32_t n;
    uv_timer_t timers[]; /* as a caller has them, in its own objects; data: the number */
} timers;

static tb_tally tally;

static void fired(uv_timer_t *timer) { tb_tally_add(&tally, (uint32_t)(uintptr_t)timer->data); }

static void fired_logged(uv_timer_t *timer)
{
    tb_fire_log_add(tb_peer_log, (uint32_t)(uintptr_t)timer->data);
    fired(timer);
}

static void *open_timers(const tb_contender *c, const tb_script *s)
{
    (void)c;
    timers *e = calloc(1, sizeof *e + s->n * sizeof *e->timers);
    if (!e || uv_loop_init(&e->loop) != 0) {
        free(e);
        return NULL;
    }
    e->now = s->start;
    e->n = s->n;
    e->fired = tb_peer_log ? fired_logged : fired;
    for (uint32_t t = 0; t < s->n; t++) {
        uv_timer_init(&e->loop, &e->timers[t]);
        e->timers[t].data = (void *)(uintptr_t)t;
    }
    return e;
}

static void close_timers(void *set)
{
    timers *e = set;
    for (uint32_t t = 0; t < e->n; t++)
        uv_close((uv_handle_t *)&e->timers[t], NULL);
    uv_run(&e->loop, UV_RUN_NOWAIT);
    uv_loop_close(&e->loop);
    free(e);
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    timers *e = set;
    uint64_t ms = (uint64_t)tb_peer_units(at - e->now, MS);
    return uv_timer_start(&e->timers[timer], e->fired, ms, 0) == 0;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

/* uv_timer_start moves what is pending. */
TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane) { return arm_in(set, timer, at, lane); }

TB_OP bool cancel(void *set, uint32_t timer)
{
    uv_timer_t *t = &((timers *)set)->timers[timer];
    bool active = uv_is_active((uv_handle_t *)t) != 0;
    uv_timer_stop(t);
    return active;
}

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    timers *e = set;
    e->now = now;
    tb_synthetic_set(now);
    uv_run(&e->loop, UV_RUN_NOWAIT);
    return tb_tally_take(&tally, sum);
}

TB_OP bool next(void *set, int64_t *at)
{
    timers *e = set;
    int ms = uv_backend_timeout(&e->loop);
    *at = e->now - e->now % MS + ms * INT64_C(1000000);
    return ms >= 0 && uv_loop_alive(&e->loop);
}

TB_OP void touch(void *set, uint32_t timer)
{
    const char *t = (const char *)&((timers *)set)->timers[timer];
    __builtin_prefetch(t);
    __builtin_prefetch(t + 64);
    __builtin_prefetch(t + sizeof(uv_timer_t) - 1);
}

static const tb_driver tb_libuv = {open_timers, close_timers, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS_WITHIN(tb_libuv, tb_synthetic_enter, tb_synthetic_leave)

static void version(char *out, size_t size) { snprintf(out, size, "%s", uv_version_string()); }

const tb_peer tb_peers_libuv[] = {
    {"libuv", "uv_timer_start, uv_timer_stop; uv_run(UV_RUN_NOWAIT)",
     "whole milliseconds: durations are rounded up, and its time is cut off to the ms, so a timer may fire early",
     &tb_libuv_loops, version, MS, MS, 0, 0, NULL, 64},
    {0},
};
