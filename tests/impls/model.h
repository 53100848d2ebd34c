/* model.h: the meaning of a timer set in its plainest form, written from the text alone and sharing nothing with the
   library: a table of timers, each with the instant at which it fires by the closed form, every question a walk over
   all. Instants are computed in 128 bits, so nothing here can overflow. */
#ifndef TESTS_IMPLS_MODEL_H
#define TESTS_IMPLS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <timerbench/timers.h>

enum { MODEL_TIMERS = 48 };

__extension__ typedef __int128 model_wide;

typedef struct model_timer {
    bool live;
    bool sticky;  /* armed as precise */
    bool precise; /* fires at its deadline itself */
    bool never;   /* its tick is past the end of time */
    uint32_t lane;
    int64_t at, fire;
    uint64_t order, token;
    int64_t period; /* 0: it does not repeat */
    tb_repeat policy;
} model_timer;

typedef struct model {
    int64_t start, now;
    int64_t slop[TB_LANES]; /* ticks */
    size_t limit;
    uint64_t order;
    tb_timers_stats stats;
    model_timer timers[MODEL_TIMERS];
} model;

typedef struct model_expiry {
    size_t timer;
    uint64_t token;
    int64_t deadline;
} model_expiry;

static inline void model_init(model *m, int64_t start, size_t limit)
{
    memset(m, 0, sizeof *m);
    m->start = m->now = start;
    m->limit = limit ? limit : SIZE_MAX;
}

/* A new deadline, and with it a new place in arm order. */
static inline void model_place(model *m, model_timer *t, int64_t at)
{
    const model_wide tick = TB_TICK_NANOS;
    t->at = t->fire = at;
    t->order = ++m->order;
    t->precise = t->sticky || (model_wide)at - m->now < tick;
    t->never = false;
    if (t->precise)
        return;
    model_wide ticks = ((model_wide)at - m->start + tick - 1) / tick, slop = m->slop[t->lane];
    if (slop > 1)
        ticks = (ticks + slop - 1) / slop * slop;
    model_wide fire = m->start + ticks * tick;
    t->never = fire > INT64_MAX;
    t->fire = t->never ? INT64_MAX : (int64_t)fire;
}

static inline void model_count(model *m)
{
    m->stats.pending = m->stats.pending_precise = 0;
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        m->stats.pending += m->timers[i].live;
        m->stats.pending_precise += m->timers[i].live && m->timers[i].precise;
    }
}

/* what: lane, sticky, token, period and policy of the timer. */
static inline void model_arm(model *m, size_t i, model_timer what, int64_t at)
{
    m->timers[i] = what;
    m->timers[i].live = true;
    model_place(m, &m->timers[i], at);
    m->stats.armed++;
    m->stats.armed_precise += m->timers[i].precise;
    model_count(m);
}

static inline bool model_rearm(model *m, size_t i, int64_t at)
{
    if (!m->timers[i].live)
        return false;
    model_place(m, &m->timers[i], at);
    m->stats.rearmed++;
    model_count(m);
    return true;
}

static inline bool model_cancel(model *m, size_t i)
{
    if (!m->timers[i].live)
        return false;
    m->timers[i].live = false;
    m->stats.cancelled++;
    model_count(m);
    return true;
}

static inline void model_set_slop(model *m, uint32_t lane, int64_t slop)
{
    m->slop[lane] = slop > 0 ? slop / TB_TICK_NANOS : 0;
}

/* The first due timer by (deadline, arm order), or NULL. */
static inline model_timer *model_first_due(model *m)
{
    model_timer *first = NULL;
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        model_timer *t = &m->timers[i];
        if (t->live && !t->never && t->fire <= m->now &&
            (!first || t->at < first->at || (t->at == first->at && t->order < first->order)))
            first = t;
    }
    return first;
}

static inline int64_t model_clamp(model_wide x) { return x > INT64_MAX ? INT64_MAX : (int64_t)x; }

/* The next occurrence of a timer just delivered; false: there is none. */
static inline bool model_repeat(model *m, model_timer *t)
{
    if (t->period == 0 || t->at == INT64_MAX)
        return false;
    model_wide next = (model_wide)t->at + t->period;
    if (t->policy == TB_REPEAT_DELAY)
        next = (model_wide)m->now + t->period;
    if (t->policy == TB_REPEAT_SKIP && next <= m->now)
        next += (m->now - next) / t->period * t->period + t->period;
    model_place(m, t, model_clamp(next));
    m->stats.armed++;
    m->stats.armed_precise += t->precise;
    return true;
}

/* Delivers up to max; how many. out has room for them. */
static inline size_t model_expired(model *m, int64_t now, size_t max, model_expiry *out)
{
    size_t n = 0;
    m->stats.calls++;
    if (now > m->now)
        m->now = now;
    for (model_timer *t; n < max && (t = model_first_due(m)); n++) {
        out[n] = (model_expiry){(size_t)(t - m->timers), t->token, t->at};
        t->live = model_repeat(m, t);
    }
    m->stats.fired += n;
    m->stats.wakes += n > 0;
    model_count(m);
    return n;
}

/* The earliest precise deadline; false: there is none. */
static inline bool model_next_precise(const model *m, int64_t *out)
{
    bool any = false;
    for (size_t i = 0; i < MODEL_TIMERS; i++)
        if (m->timers[i].live && m->timers[i].precise && (!any || m->timers[i].at < *out)) {
            *out = m->timers[i].at;
            any = true;
        }
    return any;
}

/* The first instant at which a timeout fires, or the set's time where that has passed; false: there is none. */
static inline bool model_next_timeout(const model *m, int64_t *out)
{
    bool any = false;
    for (size_t i = 0; i < MODEL_TIMERS; i++)
        if (m->timers[i].live && !m->timers[i].precise && (!any || m->timers[i].fire < *out)) {
            *out = m->timers[i].fire;
            any = true;
        }
    if (any && *out < m->now)
        *out = m->now;
    return any;
}

#endif
