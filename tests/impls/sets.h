/* sets.h: every implementation under test, by id and by key, behind one set of short calls.

   A kind is an implementation with one way of naming its timers. Yardsticks are left out (they deliver nothing by
   design), and so are relaxed structures wherever exact instants are compared: each_kind is for the tests of the exact
   meaning. A subject is a set of a kind. Its timers are known by their token; by id the subject remembers the id that
   each token got last, by key the token is the key, so one scenario serves both. Times are counts of nanoseconds.

   Every delivery is followed by tb_timers_check and by a comparison of the counters with what was seen; what they find
   is counted, and reported once by sets_done(). */
#ifndef TESTS_IMPLS_SETS_H
#define TESTS_IMPLS_SETS_H

#include <errno.h>

#include <timerbench/impl.h>

#include "tap.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SEC INT64_C(1000000000)
#define MINUTE (60 * SEC)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define TICK INT64_C(1000000)
#define FOREVER INT64_MAX

enum { SUBJECT_TOKENS = 4096 }; /* tokens, and keys, are below this */

typedef struct kind {
    const tb_impl *impl;
    bool keyed;
    char name[64]; /* "heap4 by key" */
} kind;

typedef struct subject {
    tb_timers *set;
    const kind *kind;
    const char *name;
    tb_expiries out; /* what the last call delivered */
    uint64_t calls, wakes, fired;
    tb_timer_id ids[SUBJECT_TOKENS];
} subject;

static int sets_broken, sets_checked;

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static inline bool kind_has(const kind *k, uint32_t trait) { return (k->impl->structure->traits & trait) != 0; }
static inline bool kind_is(const kind *k, const char *impl) { return strcmp(tb_impl_name(k->impl), impl) == 0; }

/* Whether the goldens' text and counts of calls bind it (EQ-04). */
static inline bool kind_binding(const kind *k) { return kind_has(k, TB_NEXT_EXACT | TB_CASCADES); }

static inline kind kind_of(const tb_impl *impl, bool keyed)
{
    kind k = {impl, keyed, ""};
    snprintf(k.name, sizeof k.name, "%s %s", tb_impl_name(impl), keyed ? "by key" : "by id");
    return k;
}

static inline void each(void (*test)(const kind *), bool by_id, bool by_key, uint32_t without)
{
    for (size_t i = 0; i < tb_impl_count(); i++) {
        const tb_impl *impl = tb_impl_at(i);
        if (impl->structure->traits & without)
            continue;
        for (int keyed = by_id ? 0 : 1; keyed <= by_key; keyed++) {
            kind k = kind_of(impl, keyed);
            test(&k);
        }
    }
}

static inline void each_kind(void (*test)(const kind *)) { each(test, true, true, TB_YARDSTICK | TB_RELAXED); }
static inline void each_by_id(void (*test)(const kind *)) { each(test, true, false, TB_YARDSTICK | TB_RELAXED); }
static inline void each_by_key(void (*test)(const kind *)) { each(test, false, true, TB_YARDSTICK | TB_RELAXED); }
/* Relaxed ones as well: for what does not depend on the instant at which a timer fires. */
static inline void each_kind_at_all(void (*test)(const kind *)) { each(test, true, true, TB_YARDSTICK); }

/* ---- what a delivery is kept in -----------------------------------------------------------------------------------
 */

/* malloc, but for a list that grows without end, as one would by a timer that fires for ever: that is out of memory. */
static inline void *bounded_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
    const size_t most = (size_t)1 << 28;
    (void)ctx, (void)old_size;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return new_size > most ? NULL : realloc(p, new_size);
}

static const tb_allocator bounded = {bounded_resize, NULL};

/* ---- making ------------------------------------------------------------------------------------------------------ */

static inline tb_instant instant(int64_t ns) { return tb_instant_from_nanos(ns); }
static inline tb_duration length(int64_t ns) { return tb_duration_from_nanos(ns); }

static inline tb_timers *make_set(const kind *k, int64_t start, tb_timers_options options)
{
    if (k->keyed && !options.keys)
        options.keys = SUBJECT_TOKENS;
    return tb_timers_make(k->impl, instant(start), &options);
}

/* A set with options; the keyed ones get their keys. */
static inline subject make_with(const kind *k, int64_t start, tb_timers_options options)
{
    subject s = {.set = make_set(k, start, options), .kind = k, .name = k->name, .out = {.allocator = &bounded}};
    if (!s.set) {
        printf("Bail out! %s: no set\n", k->name);
        exit(1);
    }
    return s;
}

static inline subject make(const kind *k, int64_t start) { return make_with(k, start, (tb_timers_options){0}); }

static inline void note_broken(const subject *s, const char *what)
{
    sets_broken++;
    diag("%s: %s", s->name, what);
}

/* What must hold after every call. */
static inline void inspect(const subject *s)
{
    sets_checked++;
    const char *wrong = tb_timers_check(s->set);
    if (wrong)
        note_broken(s, wrong);
    tb_timers_stats stats = tb_timers_get_stats(s->set);
    if (stats.armed != stats.pending + stats.cancelled + stats.fired)
        note_broken(s, "armed is not pending + cancelled + fired");
    if (stats.pending != tb_timers_len(s->set) || tb_timers_is_empty(s->set) != (stats.pending == 0))
        note_broken(s, "len, is_empty and pending disagree");
    if (stats.calls != s->calls || stats.wakes != s->wakes || stats.fired != s->fired)
        note_broken(s, "calls, wakes or fired are not what was seen");
}

static inline void drop(subject *s)
{
    inspect(s);
    tb_timers_destroy(s->set);
    tb_expiries_free(&s->out);
    s->set = NULL;
}

/* The last test of a program. */
static inline int sets_done(void)
{
    if (sets_checked)
        none_of(sets_broken, "WHL-35 CNT-14 armed = pending + cancelled + fired, and every invariant, after each call");
    return tap_done();
}

/* ---- arming and naming ------------------------------------------------------------------------------------------- */

static inline bool keep(subject *s, uint64_t token, tb_timer_id id)
{
    if (token < SUBJECT_TOKENS && !tb_timer_is_none(id))
        s->ids[token] = id;
    return !tb_timer_is_none(id);
}

static inline bool arm(subject *s, int64_t at, uint64_t token)
{
    if (s->kind->keyed)
        return tb_timers_arm_key(s->set, (uint32_t)token, instant(at));
    return keep(s, token, tb_timers_insert(s->set, instant(at), token));
}

static inline bool arm_in(subject *s, uint32_t lane, int64_t at, uint64_t token)
{
    if (s->kind->keyed)
        return tb_timers_arm_key_in(s->set, lane, (uint32_t)token, instant(at));
    return keep(s, token, tb_timers_insert_in(s->set, lane, instant(at), token));
}

/* By id alone. */
static inline bool arm_precise(subject *s, int64_t at, uint64_t token)
{
    return keep(s, token, tb_timers_insert_precise(s->set, instant(at), token));
}

static inline bool arm_repeating(subject *s, int64_t at, int64_t period, tb_repeat policy, uint64_t token)
{
    return keep(s, token, tb_timers_insert_repeating(s->set, instant(at), length(period), policy, token));
}

static inline bool pending(const subject *s, uint64_t token)
{
    return s->kind->keyed ? tb_timers_is_pending_key(s->set, (uint32_t)token)
                          : tb_timers_is_pending(s->set, s->ids[token]);
}

static inline bool precise(const subject *s, uint64_t token)
{
    return s->kind->keyed ? tb_timers_is_precise_key(s->set, (uint32_t)token)
                          : tb_timers_is_precise(s->set, s->ids[token]);
}

static inline bool cancel(subject *s, uint64_t token)
{
    return s->kind->keyed ? tb_timers_cancel_key(s->set, (uint32_t)token) : tb_timers_cancel(s->set, s->ids[token]);
}

/* By key: arm_key of a pending key; of another one nothing, as by id. */
static inline bool rearm(subject *s, uint64_t token, int64_t at)
{
    if (s->kind->keyed)
        return pending(s, token) && tb_timers_arm_key(s->set, (uint32_t)token, instant(at));
    return tb_timers_rearm(s->set, s->ids[token], instant(at));
}

static inline void set_slop(subject *s, uint32_t lane, int64_t slop) { tb_timers_set_slop(s->set, lane, length(slop)); }
static inline size_t len(const subject *s) { return tb_timers_len(s->set); }
static inline int64_t now_of(const subject *s) { return tb_timers_now(s->set).ns; }
static inline tb_timers_stats stats_of(const subject *s) { return tb_timers_get_stats(s->set); }

/* Whether the counters are these; the first letters are those of tb_timers_stats. */
static inline bool counts(const subject *s, uint64_t armed, uint64_t rearmed, uint64_t cancelled, uint64_t fired,
                          uint64_t left)
{
    tb_timers_stats t = stats_of(s);
    bool same =
        t.armed == armed && t.rearmed == rearmed && t.cancelled == cancelled && t.fired == fired && t.pending == left;
    if (!same)
        diag("armed %" PRIu64 ", rearmed %" PRIu64 ", cancelled %" PRIu64 ", fired %" PRIu64 ", pending %" PRIu64,
             t.armed, t.rearmed, t.cancelled, t.fired, t.pending);
    return same;
}

/* All but the counters that a structure, or a call of expired, may move. */
static inline bool same_stats(tb_timers_stats a, tb_timers_stats b)
{
    return a.pending == b.pending && a.pending_precise == b.pending_precise && a.armed == b.armed &&
           a.armed_precise == b.armed_precise && a.rearmed == b.rearmed && a.cancelled == b.cancelled &&
           a.fired == b.fired && a.calls == b.calls && a.wakes == b.wakes;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* One call of expired; how many it delivered. They are in s->out, alone. */
static inline size_t expire_max(subject *s, int64_t now, size_t max)
{
    tb_expiries_clear(&s->out);
    size_t n = max == SIZE_MAX ? tb_timers_expired(s->set, instant(now), &s->out)
                               : tb_timers_expired_max(s->set, instant(now), &s->out, max);
    s->calls++;
    s->wakes += n > 0;
    s->fired += n;
    if (n != s->out.len || n > max)
        note_broken(s, "expired does not answer how many it appended");
    inspect(s);
    return n;
}

static inline size_t expire(subject *s, int64_t now) { return expire_max(s, now, SIZE_MAX); }

/* The tokens in s->out, as "30 10 50"; "" for none. Overwritten by the next call. */
static inline const char *tokens(const subject *s)
{
    static char text[4096];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->out.len && at + 24 < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, i ? " %" PRIu64 : "%" PRIu64, s->out.items[i].token);
    return text;
}

/* The deadlines in s->out, in whole units of `unit` ns: "10 20 30". */
static inline const char *deadlines(const subject *s, int64_t unit)
{
    static char text[4096];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->out.len && at + 24 < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, i ? " %" PRId64 : "%" PRId64,
                               s->out.items[i].deadline.ns / unit);
    return text;
}

static inline const char *fires(subject *s, int64_t now)
{
    expire(s, now);
    return tokens(s);
}

static inline const char *fires_max(subject *s, int64_t now, size_t max)
{
    expire_max(s, now, max);
    return tokens(s);
}

/* Whether next_expiry is `due` where next is exact, and elsewhere an earlier bound or that. */
static inline bool wakes_at(const subject *s, int64_t due)
{
    tb_instant next = {0};
    bool any = tb_timers_next_expiry(s->set, &next);
    bool right = any && (kind_has(s->kind, TB_NEXT_EXACT) ? next.ns == due : next.ns <= due);
    if (!right)
        diag("%s: next_expiry is %s %" PRId64 ", want %" PRId64, s->name, any ? "" : "none", next.ns, due);
    return right;
}

static inline bool wakes_never(const subject *s)
{
    tb_instant next;
    return !tb_timers_next_expiry(s->set, &next) && !tb_timers_next_precise(s->set, &next) &&
           !tb_timers_next_timeout(s->set, &next);
}

static inline bool next_precise_is(const subject *s, int64_t due)
{
    tb_instant next;
    return tb_timers_next_precise(s->set, &next) && next.ns == due;
}

static inline bool no_next_precise(const subject *s)
{
    tb_instant next;
    return !tb_timers_next_precise(s->set, &next);
}

#endif
