/* random_calls.h: random calls on a set, each answer compared with the plain model of model.h. Runs are short, so that
   starts at both ends of time, limits, slops and scales of delay vary; memory is dirty, always moves, and now and then
   fails. */
#ifndef TESTS_IMPLS_RANDOM_CALLS_H
#define TESTS_IMPLS_RANDOM_CALLS_H

#include "injector.h"
#include "model.h"
#include "sets.h"
#include "tests/calendar/random.h"

enum { RUN = 250, STALE = 64, MOST_DUE = 256 };

typedef struct run {
    const kind *k;
    tb_timers *set;
    model m;
    injector memory;
    tb_expiries out;
    uint64_t random;
    int64_t scale; /* of delays, ns */
    tb_timer_id ids[MODEL_TIMERS], stale[STALE];
    uint64_t stale_count, next_token;
    int wrong;
    const char *last;
} run;

static inline uint64_t roll(run *r, uint64_t n) { return random_next(&r->random) % n; }

static inline void expect(run *r, bool right, const char *what)
{
    if (right)
        return;
    if (r->wrong++ < 3)
        diag("%s: after %s: %s", r->k->name, r->last, what);
}

static inline int64_t later(const run *r, int64_t by) { return model_clamp((model_wide)r->m.now + by); }

static inline int64_t some_deadline(run *r)
{
    switch (roll(r, 24)) {
    case 0:
        return INT64_MAX - (int64_t)roll(r, 3);
    case 1:
        return INT64_MAX - (int64_t)roll(r, 3 * TICK);
    case 2:
        return r->m.now < INT64_MIN + r->scale ? INT64_MIN : r->m.now - (int64_t)roll(r, (uint64_t)r->scale);
    case 3:
        return r->m.now;
    case 4:
        return later(r, TICK - 1 + (int64_t)roll(r, 3));
    case 5: { /* a tick of the grid, or 1 ns beside it */
        model_wide ticks = ((model_wide)r->m.now - r->m.start) / TICK + 1 + (int64_t)roll(r, 70);
        return model_clamp(r->m.start + ticks * TICK + (int64_t)roll(r, 3) - 1);
    }
    default:
        return later(r, (int64_t)roll(r, (uint64_t)r->scale));
    }
}

static inline int64_t some_time(run *r)
{
    tb_instant next;
    switch (roll(r, 16)) {
    case 0:
        return r->m.now;
    case 1:
        return r->m.now < INT64_MIN + SEC ? INT64_MIN : r->m.now - SEC;
    case 2:
    case 3:
        return later(r, (int64_t)roll(r, (uint64_t)r->scale));
    case 4:
        return roll(r, 16) ? later(r, TICK) : INT64_MAX;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
        return tb_timers_next_expiry(r->set, &next) ? next.ns : r->m.now;
    default:
        return later(r, (int64_t)roll(r, 3 * TICK));
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static inline void lost(run *r, size_t timer) { r->stale[r->stale_count++ % STALE] = r->ids[timer]; }

/* One call in 32 meets an allocator that fails. */
static inline void maybe_fail(run *r)
{
    uint64_t which = 1 + roll(r, 3), alone = roll(r, 2);
    injector_fail(&r->memory, roll(r, 32) ? 0 : which, !alone);
    errno = 0;
}

/* Whether a call that may refuse did as it must, and whether it armed n timers. */
static inline bool armed(run *r, bool done, size_t n)
{
    bool over = r->m.stats.pending + n > r->m.limit, failed = r->memory.failed > 0;
    injector_fail(&r->memory, 0, false);
    if (done)
        expect(r, !over, "armed past the limit");
    else
        expect(r, over ? errno == ENOBUFS : failed && errno == ENOMEM,
               "refused without a reason, or errno does not say which");
    return done;
}

static inline void arm_one(run *r, size_t i)
{
    model_timer what = {.token = r->next_token++};
    int64_t at = some_deadline(r);
    uint64_t how = roll(r, 8);
    maybe_fail(r);
    if (how == 0) {
        what.sticky = true;
        r->ids[i] = tb_timers_insert_precise(r->set, instant(at), what.token);
    } else if (how == 1) {
        what.period = 1 + (int64_t)roll(r, (uint64_t)r->scale);
        what.policy = (tb_repeat)roll(r, 3);
        r->ids[i] = tb_timers_insert_repeating(r->set, instant(at), length(what.period), what.policy, what.token);
    } else if (how < 5) {
        what.lane = (uint32_t)roll(r, TB_LANES);
        r->ids[i] = tb_timers_insert_in(r->set, what.lane, instant(at), what.token);
    } else {
        r->ids[i] = tb_timers_insert(r->set, instant(at), what.token);
    }
    if (armed(r, !tb_timer_is_none(r->ids[i]), 1))
        model_arm(&r->m, i, what, at);
}

static inline void arm_many(run *r)
{
    tb_arm arms[5];
    size_t free_ones[5], n = 0;
    tb_timer_id ids[5];
    for (size_t i = 0; i < MODEL_TIMERS && n < 1 + roll(r, 5); i++)
        if (!r->m.timers[i].live) {
            free_ones[n] = i;
            arms[n].at = instant(some_deadline(r));
            arms[n].token = r->next_token++;
            arms[n].kind = (tb_arm_kind)roll(r, 3);
            arms[n].lane = (uint32_t)roll(r, TB_LANES);
            arms[n].period = length(1 + (int64_t)roll(r, (uint64_t)r->scale));
            arms[n++].policy = (tb_repeat)roll(r, 3);
        }
    maybe_fail(r);
    if (!armed(r, tb_timers_insert_many(r->set, arms, n, ids), n))
        return;
    for (size_t i = 0; i < n; i++) {
        bool repeats = arms[i].kind == TB_ARM_REPEATING;
        model_timer what = {.token = arms[i].token,
                            .sticky = arms[i].kind == TB_ARM_PRECISE,
                            .policy = arms[i].policy,
                            .period = repeats ? arms[i].period.ns : 0,
                            .lane = arms[i].kind == TB_ARM_TIMEOUT ? arms[i].lane : 0};
        model_arm(&r->m, free_ones[i], what, arms[i].at.ns);
        r->ids[free_ones[i]] = ids[i];
    }
}

static inline void cancel_many(run *r)
{
    tb_timer_id ids[6];
    size_t n = roll(r, 6), done = 0;
    for (size_t i = 0; i < n; i++) {
        size_t which = roll(r, MODEL_TIMERS);
        ids[i] = roll(r, 4) ? r->ids[which] : r->stale[roll(r, STALE)];
        if (ids[i].bits == r->ids[which].bits && model_cancel(&r->m, which)) {
            lost(r, which);
            done++;
        }
    }
    expect(r, tb_timers_cancel_many(r->set, ids, n) == done, "cancel_many answers another number");
}

static inline void arm_a_key(run *r, size_t key)
{
    model_timer *t = &r->m.timers[key], what = {.token = key};
    int64_t at = some_deadline(r);
    bool named = roll(r, 2), live = t->live;
    uint32_t lane = (uint32_t)roll(r, TB_LANES);
    maybe_fail(r);
    bool done = named ? tb_timers_arm_key_in(r->set, lane, (uint32_t)key, instant(at))
                      : tb_timers_arm_key(r->set, (uint32_t)key, instant(at));
    if (!armed(r, done, !live))
        return;
    if (live) {
        t->lane = named ? lane : t->lane;
        model_rearm(&r->m, key, at);
    } else {
        what.lane = named ? lane : 0;
        model_arm(&r->m, key, what, at);
    }
}

static inline void cancel_one(run *r, size_t i)
{
    bool live = model_cancel(&r->m, i);
    if (r->k->keyed)
        expect(r, tb_timers_cancel_key(r->set, (uint32_t)i) == live, "cancel_key");
    else
        expect(r, tb_timers_cancel(r->set, r->ids[i]) == live, "cancel");
    if (live)
        lost(r, i);
}

static inline void rearm_one(run *r, size_t i)
{
    int64_t at = some_deadline(r);
    injector_fail(&r->memory, 1, true);
    uint64_t asked = r->memory.asked;
    expect(r, tb_timers_rearm(r->set, r->ids[i], instant(at)) == model_rearm(&r->m, i, at), "rearm");
    expect(r, r->memory.asked == asked, "rearm allocates");
    injector_fail(&r->memory, 0, false);
}

static inline void stale_one(run *r)
{
    tb_timer_id id = r->stale[roll(r, STALE)];
    if (roll(r, 4) == 0)
        id.bits = random_next(&r->random) >> roll(r, 40);
    for (size_t i = 0; i < MODEL_TIMERS; i++)
        if (r->m.timers[i].live && id.bits == r->ids[i].bits)
            return;
    expect(r,
           !tb_timers_cancel(r->set, id) && !tb_timers_rearm(r->set, id, instant(0)) &&
               !tb_timers_is_pending(r->set, id) && !tb_timers_is_precise(r->set, id),
           "a stale or garbage id names a timer");
}

/* Bounds how much bursts can add to one call. */
static inline size_t most_due(const run *r, int64_t now)
{
    model_wide due = MODEL_TIMERS * 2;
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        const model_timer *t = &r->m.timers[i];
        if (t->live && t->period && t->policy == TB_REPEAT_BURST && now > t->at)
            due += ((model_wide)now - t->at) / t->period + 2;
    }
    return due < MOST_DUE ? SIZE_MAX : MOST_DUE / 4;
}

static inline void pass_time(run *r)
{
    model_expiry want[MOST_DUE];
    int64_t now = some_time(r);
    size_t most = most_due(r, now > r->m.now ? now : r->m.now), max = roll(r, 4) ? SIZE_MAX : roll(r, 6);
    max = max < most ? max : most;
    tb_expiries_clear(&r->out);
    if (roll(r, 8) == 0)
        tb_expiries_free(&r->out);
    maybe_fail(r);
    size_t n = max == SIZE_MAX ? tb_timers_expired(r->set, instant(now), &r->out)
                               : tb_timers_expired_max(r->set, instant(now), &r->out, max);
    bool short_of_memory = r->memory.failed > 0 && errno == ENOMEM;
    injector_fail(&r->memory, 0, false);
    size_t most_wanted = short_of_memory ? n : max;
    size_t due = model_expired(&r->m, now, most_wanted < MOST_DUE ? most_wanted : MOST_DUE, want);
    expect(r, n == due && r->out.len == n, "expired answers another number");
    for (size_t i = 0; i < n && i < due; i++) {
        const tb_expiry *e = &r->out.items[i];
        expect(r, e->token == want[i].token && e->deadline.ns == want[i].deadline,
               "another timer is delivered, or in another order");
        expect(r, tb_timer_same(e->id, r->k->keyed ? TB_TIMER_NONE : r->ids[want[i].timer]),
               "an expiry has another id");
        expect(r, i == 0 || e[-1].deadline.ns < e->deadline.ns || e[-1].order < e->order, "an expiry's order is wrong");
        if (!r->m.timers[want[i].timer].live)
            lost(r, want[i].timer);
    }
}

static inline void change_slop(run *r)
{
    uint32_t lane = (uint32_t)roll(r, TB_LANES);
    int64_t slop = roll(r, 3) ? (int64_t)roll(r, 40 * TICK) - TICK : random_count(&r->random);
    tb_timers_set_slop(r->set, lane, length(slop));
    model_set_slop(&r->m, lane, slop);
    expect(r, tb_timers_slop_of(r->set, lane).ns == r->m.slop[lane] * TICK, "slop_of");
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static inline void compare_next(run *r)
{
    int64_t precise_at = 0, timeout_at = 0;
    tb_instant p = {0}, t = {0}, e = {0};
    bool has_precise = model_next_precise(&r->m, &precise_at), has_timeout = model_next_timeout(&r->m, &timeout_at);
    expect(r, tb_timers_next_precise(r->set, &p) == has_precise && p.ns == (has_precise ? precise_at : 0),
           "next_precise");
    expect(r, tb_timers_next_timeout(r->set, &t) == has_timeout, "next_timeout is there, or is not");
    if (has_timeout) {
        expect(r, t.ns <= timeout_at, "next_timeout is late");
        expect(r, t.ns > r->m.now || timeout_at == r->m.now, "next_timeout is not after now");
        expect(r, !kind_has(r->k, TB_NEXT_EXACT) || t.ns == timeout_at, "next_timeout is not exact");
    }
    bool any = tb_timers_next_expiry(r->set, &e);
    expect(r, any == (has_precise || has_timeout), "next_expiry is there, or is not");
    if (any)
        expect(r, e.ns == (!has_timeout || (has_precise && p.ns < t.ns) ? p.ns : t.ns),
               "next_expiry is not the earlier one");
}

static inline void compare(run *r, bool all)
{
    tb_timers_stats stats = tb_timers_get_stats(r->set);
    expect(r, same_stats(stats, r->m.stats), "counters differ");
    expect(r, tb_timers_len(r->set) == r->m.stats.pending && tb_timers_now(r->set).ns == r->m.now, "len or now differ");
    compare_next(r);
    if (!all)
        return;
    const char *broken = tb_timers_check(r->set);
    expect(r, !broken, broken);
    expect(r, kind_has(r->k, TB_CASCADES) || stats.cascaded == 0, "cascaded moves where nothing cascades");
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        const model_timer *t = &r->m.timers[i];
        bool is_pending =
            r->k->keyed ? tb_timers_is_pending_key(r->set, (uint32_t)i) : tb_timers_is_pending(r->set, r->ids[i]);
        bool is_precise =
            r->k->keyed ? tb_timers_is_precise_key(r->set, (uint32_t)i) : tb_timers_is_precise(r->set, r->ids[i]);
        expect(r, is_pending == t->live && is_precise == (t->live && t->precise), "is_pending or is_precise differ");
    }
}

static inline void call(run *r)
{
    static const char *const names[] = {"arm", "cancel", "rearm", "expired", "set_slop", "batch", "stale", "reserve"};
    static const uint8_t odds[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5, 6};
    size_t i = roll(r, MODEL_TIMERS), what = roll(r, 128) ? odds[roll(r, sizeof odds)] : 7;
    r->last = names[what];
    if (what == 0 && !r->k->keyed && r->m.timers[i].live)
        what = 2;
    if (what == 0)
        r->k->keyed ? arm_a_key(r, i) : arm_one(r, i);
    else if (what == 1)
        cancel_one(r, i);
    else if (what == 2)
        r->k->keyed ? arm_a_key(r, i) : rearm_one(r, i);
    else if (what == 3)
        pass_time(r);
    else if (what == 4)
        change_slop(r);
    else if (what == 7)
        expect(r, tb_timers_reserve(r->set, roll(r, 100)), "reserve");
    else if (r->k->keyed)
        cancel_one(r, i);
    else if (what == 5)
        roll(r, 2) ? arm_many(r) : cancel_many(r);
    else
        stale_one(r);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* RUN calls from a seed; how many of the comparisons failed. */
static inline int one_run(const kind *k, uint64_t seed)
{
    static const int64_t starts[] = {0,        0,         INT64_MIN,       INT64_MIN + 1,        -5 * SEC,
                                     -1,       123456000, INT64_MAX - DAY, INT64_MAX - 3 * TICK, INT64_MAX - 100,
                                     INT64_MAX};
    static run r; /* large; made anew here */
    memset(&r, 0, sizeof r);
    r.k = k;
    r.random = seed;
    r.last = "make";
    injector_init(&r.memory);
    r.scale = INT64_C(2) << roll(&r, 61);
    r.scale = r.scale < TICK && roll(&r, 2) ? TICK * 50 : r.scale;
    uint64_t from = roll(&r, sizeof starts / sizeof *starts + 4);
    int64_t start = from < sizeof starts / sizeof *starts ? starts[from] : random_count(&r.random);
    size_t limit = roll(&r, 4) ? 0 : 1 + roll(&r, MODEL_TIMERS);
    model_init(&r.m, start, limit);
    r.set = make_set(
        k, start,
        (tb_timers_options){.limit = limit, .allocator = &r.memory.allocator, .keys = k->keyed ? MODEL_TIMERS : 0});
    r.out.allocator = &r.memory.allocator;
    for (int i = 0; i < RUN && r.wrong == 0; i++) {
        call(&r);
        compare(&r, i % 8 == 0);
    }
    tb_timers_destroy(r.set);
    tb_expiries_free(&r.out);
    expect(&r, r.memory.held == 0 && r.memory.blocks == 0, "memory is not given back");
    expect(&r, r.memory.mistold == 0, "an old size was mistold");
    if (r.wrong)
        diag("%s: seed %" PRIu64, k->name, seed);
    return r.wrong;
}

#endif
