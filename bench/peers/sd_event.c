/* sd_event.c: timers of systemd's sd-event: two binary heaps, one by the earliest time and one by the latest. */
#include <stdlib.h>

#include <systemd/sd-event.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/synthetic_clock.h"

typedef struct sources {
    sd_event *loop;
    int64_t now;
    uint32_t n;
    sd_event_source *timers[]; /* as a caller keeps them: made once, then set and switched on */
} sources;

static tb_tally tally;

static int fired(sd_event_source *source, uint64_t us, void *timer)
{
    (void)source, (void)us;
    tb_tally_add(&tally, (uint32_t)(uintptr_t)timer);
    return 0;
}

static int fired_logged(sd_event_source *source, uint64_t us, void *timer)
{
    tb_fire_log_add(tb_peer_log, (uint32_t)(uintptr_t)timer);
    return fired(source, us, timer);
}

/* Its monotonic time of a script's instant, up to the microsecond. */
TB_OP uint64_t micros(int64_t at)
{
    return (uint64_t)tb_peer_units(at + TB_SYNTHETIC_EPOCH * INT64_C(1000000000), 1000);
}

static void close_sources(void *set)
{
    sources *e = set;
    for (uint32_t t = 0; t < e->n; t++)
        sd_event_source_unref(e->timers[t]);
    sd_event_unref(e->loop);
    free(e);
}

static void *open_sources(const tb_contender *c, const tb_script *s)
{
    (void)c;
    sources *e = calloc(1, sizeof *e + s->n * sizeof *e->timers);
    if (!e)
        return NULL;
    e->now = s->start;
    e->n = s->n;
    int made = sd_event_new(&e->loop);
    for (uint32_t t = 0; made >= 0 && t < s->n; t++) {
        /* Accuracy 1 us; 0 would mean 250 ms. */
        made = sd_event_add_time(e->loop, &e->timers[t], CLOCK_MONOTONIC, UINT64_MAX, 1, tb_peer_log ? fired_logged : fired,
                                 (void *)(uintptr_t)t);
        if (made >= 0)
            made = sd_event_source_set_enabled(e->timers[t], SD_EVENT_OFF);
    }
    if (made >= 0)
        return e;
    close_sources(e);
    return NULL;
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    sd_event_source *source = ((sources *)set)->timers[timer];
    return sd_event_source_set_time(source, micros(at)) >= 0 && sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) >= 0;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane) { return arm_in(set, timer, at, lane); }

TB_OP bool cancel(void *set, uint32_t timer)
{
    sd_event_source *source = ((sources *)set)->timers[timer];
    bool pending = sd_event_source_get_enabled(source, NULL) > 0;
    return pending && sd_event_source_set_enabled(source, SD_EVENT_OFF) >= 0;
}

/* A call dispatches one source. */
TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    sources *e = set;
    e->now = now;
    tb_synthetic_set(now);
    while (sd_event_run(e->loop, 0) > 0)
        ;
    return tb_tally_take(&tally, sum);
}

/* No call tells: the timer descriptor that it sets before it would wait does. */
TB_OP bool next(void *set, int64_t *at)
{
    sources *e = set;
    while (sd_event_run(e->loop, 0) > 0)
        ;
    *at = tb_synthetic.timerfd_ns > e->now ? tb_synthetic.timerfd_ns : e->now;
    return tb_synthetic.timerfd_ns != 0;
}

/* Its sources are its own; a caller has a pointer to each. */
TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((sources *)set)->timers[timer]); }

static const tb_driver tb_sd_event = {open_sources, close_sources, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS_WITHIN(tb_sd_event, tb_synthetic_enter, tb_synthetic_leave)

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
static void version(char *out, size_t size) { snprintf(out, size, "%s", TEXT(TB_PEER_VERSION)); }

const tb_peer tb_peers_sd_event[] = {
    {"sd_event", "sd_event_source_set_time, _set_enabled; sd_event_run",
     "a turn of its loop dispatches one timer. What is next is asked by a turn of its loop", &tb_sd_event_loops, version, 0, 1000,
     0, 1000000, "firing them all takes minutes", 16},
    {0},
};
