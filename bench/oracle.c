/* oracle.c: the plainest timer set. Instants are counted in 128 bits, where nothing overflows. */
#include "bench/oracle.h"

#include "bench/int_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { tick = TB_TICK_NANOS };

struct tb_oracle {
    int64_t start, now;
    uint64_t limit;
    uint32_t keys;
    tb_oracle_timer *timers;
    size_t count, capacity;
    uint32_t *where; /* a name's index in `timers`, while it is pending */
    size_t names, where_capacity;
    tb_int_map by_key; /* the pending timer's name */
    int64_t slop[TB_LANES]; /* whole ticks */
    uint64_t order;         /* the last one given */
    uint64_t armed, armed_precise, rearmed, cancelled, fired, calls, wakes;
    tb_oracle_expiry *out;
    size_t out_count, out_capacity;
    bool out_of_memory;
};

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

static bool grow(tb_oracle *o, void *block, size_t *capacity, size_t wanted, size_t item_size)
{
    if (wanted <= *capacity)
        return true;
    size_t more = *capacity * 2 > 64 ? *capacity * 2 : 64;
    more = more > wanted ? more : wanted;
    void *p;
    memcpy(&p, block, sizeof p);
    p = realloc(p, more * item_size);
    if (!p) {
        o->out_of_memory = true;
        return false;
    }
    memcpy(block, &p, sizeof p);
    *capacity = more;
    return true;
}

tb_oracle *tb_oracle_make(int64_t start, uint64_t limit, uint32_t keys)
{
    tb_oracle *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->start = o->now = start;
    o->limit = limit ? limit : UINT64_MAX;
    o->keys = keys;
    return o;
}

void tb_oracle_free(tb_oracle *o)
{
    if (!o)
        return;
    tb_int_map_free(&o->by_key);
    free(o->timers);
    free(o->where);
    free(o->out);
    free(o);
}

bool tb_oracle_out_of_memory(const tb_oracle *o) { return o->out_of_memory; }

/* ---- where a timer goes ---------------------------------------------------------------------------------------------- */

/* Gives a timer a deadline, its place in arm order, and the instant it fires: at the deadline when it is precise, else at the
   first tick of the set's grid at or after it, rounded up to a multiple of its lane's slop. */
static void place(tb_oracle *o, tb_oracle_timer *t, int64_t at)
{
    t->deadline = at;
    t->order = ++o->order;
    t->set_at = o->now;
    t->left_over = false;
    t->never = false;
    t->precise = t->asked_precise || (wide)at - o->now < tick;
    if (t->precise) {
        t->fires = at;
        return;
    }
    wide ticks = ((wide)at - o->start + tick - 1) / tick;
    wide slop = o->slop[t->lane];
    if (slop >= 2)
        ticks = (ticks + slop - 1) / slop * slop;
    wide fires = o->start + ticks * tick;
    t->never = fires > INT64_MAX;
    t->fires = t->never ? INT64_MAX : (int64_t)fires;
}

static bool is_due(const tb_oracle_timer *t, int64_t now)
{
    return !t->never && t->fires <= now;
}

/* ---- arming ---------------------------------------------------------------------------------------------------------- */

static tb_oracle_timer *find(const tb_oracle *o, tb_oracle_name name)
{
    if (name == 0 || name > o->names)
        return NULL;
    uint32_t i = o->where[name];
    return i < o->count && o->timers[i].name == name ? &o->timers[i] : NULL;
}

/* There is memory for it. */
static tb_oracle_timer *add(tb_oracle *o, const tb_oracle_timer *like, int64_t at)
{
    tb_oracle_timer *t = &o->timers[o->count];
    *t = *like;
    t->name = ++o->names;
    o->where[t->name] = (uint32_t)o->count++;
    place(o, t, at);
    o->armed++;
    o->armed_precise += t->precise;
    return t;
}

static void drop(tb_oracle *o, tb_oracle_timer *t)
{
    if (o->keys)
        tb_int_map_remove(&o->by_key, (int64_t)t->token);
    *t = o->timers[--o->count];
    o->where[t->name] = (uint32_t)(t - o->timers);
}

static bool reserve(tb_oracle *o, size_t n)
{
    return grow(o, &o->timers, &o->capacity, o->count + n, sizeof *o->timers) &&
           grow(o, &o->where, &o->where_capacity, o->names + n + 1, sizeof *o->where);
}

bool tb_oracle_insert(tb_oracle *o, const tb_arm *arms, size_t n, tb_oracle_name *names, int *error)
{
    *error = 0;
    for (size_t i = 0; i < n; i++)
        if (arms[i].kind == TB_ARM_REPEATING && arms[i].period.ns <= 0)
            *error = EINVAL;
    if (!*error && n > o->limit - o->count)
        *error = ENOBUFS;
    if (*error || !reserve(o, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        tb_oracle_timer t = {.token = arms[i].token};
        t.asked_precise = arms[i].kind == TB_ARM_PRECISE;
        if (arms[i].kind == TB_ARM_TIMEOUT)
            t.lane = arms[i].lane;
        if (arms[i].kind == TB_ARM_REPEATING) {
            t.period = arms[i].period.ns;
            t.policy = arms[i].policy;
        }
        names[i] = add(o, &t, arms[i].at.ns)->name;
    }
    return true;
}

bool tb_oracle_cancel(tb_oracle *o, tb_oracle_name name)
{
    tb_oracle_timer *t = find(o, name);
    if (!t)
        return false;
    o->cancelled++;
    drop(o, t);
    return true;
}

bool tb_oracle_rearm(tb_oracle *o, tb_oracle_name name, int64_t at)
{
    tb_oracle_timer *t = find(o, name);
    if (!t)
        return false;
    o->rearmed++;
    place(o, t, at);
    return true;
}

bool tb_oracle_arm_key(tb_oracle *o, uint32_t key, uint32_t lane, int64_t at, int *error)
{
    *error = 0;
    const tb_oracle_timer *pending = tb_oracle_find_key(o, key);
    if (pending) {
        tb_oracle_timer *t = find(o, pending->name);
        if (lane < TB_LANES)
            t->lane = lane;
        return tb_oracle_rearm(o, t->name, at);
    }
    if (key >= o->keys)
        *error = ERANGE;
    else if (o->count >= o->limit)
        *error = ENOBUFS;
    if (*error || !reserve(o, 1))
        return false;
    int64_t *name = tb_int_map_add(&o->by_key, key);
    if (!name) {
        o->out_of_memory = true;
        return false;
    }
    tb_oracle_timer t = {.token = key, .lane = lane < TB_LANES ? lane : 0};
    *name = (int64_t)add(o, &t, at)->name;
    return true;
}

void tb_oracle_set_slop(tb_oracle *o, uint32_t lane, int64_t slop) { o->slop[lane] = slop > 0 ? slop / tick : 0; }

/* ---- expiring -------------------------------------------------------------------------------------------------------- */

/* The deadline of the occurrence after one that is delivered now; the end of time at most. */
static int64_t next_occurrence(const tb_oracle *o, const tb_oracle_timer *t)
{
    wide next = 0;
    switch (t->policy) {
    case TB_REPEAT_BURST:
        next = (wide)t->deadline + t->period;
        break;
    case TB_REPEAT_SKIP:
        next = t->deadline + (((wide)o->now - t->deadline) / t->period + 1) * t->period;
        break;
    case TB_REPEAT_DELAY:
        next = (wide)o->now + t->period;
        break;
    }
    return next > INT64_MAX ? INT64_MAX : (int64_t)next;
}

static void deliver(tb_oracle *o, tb_oracle_timer *t)
{
    tb_oracle_expiry *e = &o->out[o->out_count++];
    e->timer = *t;
    e->again = t->period > 0 && t->deadline < INT64_MAX;
    o->fired++;
    if (!e->again) {
        drop(o, t);
        return;
    }
    place(o, t, next_occurrence(o, t));
    o->armed++;
    o->armed_precise += t->precise;
}

/* The one to deliver first: the earliest deadline, of equals the one armed first. NULL: nothing is due. */
static tb_oracle_timer *first_due(tb_oracle *o)
{
    tb_oracle_timer *first = NULL;
    for (size_t i = 0; i < o->count; i++) {
        tb_oracle_timer *t = &o->timers[i];
        if (!is_due(t, o->now))
            continue;
        if (!first || t->deadline < first->deadline || (t->deadline == first->deadline && t->order < first->order))
            first = t;
    }
    return first;
}

void tb_oracle_begin_expired(tb_oracle *o, int64_t now)
{
    o->calls++;
    o->out_count = 0;
    if (now > o->now)
        o->now = now;
}

bool tb_oracle_deliver(tb_oracle *o, tb_oracle_name name)
{
    tb_oracle_timer *t = find(o, name);
    if (!t || !is_due(t, o->now) || !grow(o, &o->out, &o->out_capacity, o->out_count + 1, sizeof *o->out))
        return false;
    deliver(o, t);
    return true;
}

tb_oracle_expiries tb_oracle_end_expired(tb_oracle *o, bool cut)
{
    o->wakes += o->out_count > 0;
    for (size_t i = 0; cut && i < o->count; i++)
        o->timers[i].left_over |= is_due(&o->timers[i], o->now);
    return (tb_oracle_expiries){o->out, o->out_count};
}

tb_oracle_expiries tb_oracle_expired(tb_oracle *o, int64_t now, uint64_t max)
{
    tb_oracle_begin_expired(o, now);
    tb_oracle_timer *t;
    while (o->out_count < max && (t = first_due(o)) != NULL && tb_oracle_deliver(o, t->name)) {
    }
    return tb_oracle_end_expired(o, o->out_count == max);
}

uint64_t tb_oracle_count_due(const tb_oracle *o, int64_t now)
{
    wide count = 0;
    now = now > o->now ? now : o->now;
    for (size_t i = 0; i < o->count; i++) {
        const tb_oracle_timer *t = &o->timers[i];
        if (!is_due(t, now))
            continue;
        count++;
        if (t->period > 0 && t->policy == TB_REPEAT_BURST)
            count += ((wide)now - t->deadline) / t->period + (now == INT64_MAX);
    }
    return count > UINT64_MAX ? UINT64_MAX : (uint64_t)count;
}

/* ---- looking --------------------------------------------------------------------------------------------------------- */

const tb_oracle_timer *tb_oracle_find(const tb_oracle *o, tb_oracle_name name) { return find(o, name); }

const tb_oracle_timer *tb_oracle_find_key(const tb_oracle *o, uint32_t key)
{
    const int64_t *name = tb_int_map_find(&o->by_key, key);
    return name ? find(o, (tb_oracle_name)*name) : NULL;
}

const tb_oracle_timer *tb_oracle_timers(const tb_oracle *o, size_t *count)
{
    *count = o->count;
    return o->timers;
}

static bool next_of(const tb_oracle *o, bool precise, int64_t *out)
{
    bool found = false;
    for (size_t i = 0; i < o->count; i++) {
        const tb_oracle_timer *t = &o->timers[i];
        if (t->precise != precise || (found && t->fires >= *out))
            continue;
        *out = t->fires;
        found = true;
    }
    return found;
}

bool tb_oracle_next_precise(const tb_oracle *o, int64_t *out) { return next_of(o, true, out); }
bool tb_oracle_next_timeout(const tb_oracle *o, int64_t *out) { return next_of(o, false, out); }

int64_t tb_oracle_now(const tb_oracle *o) { return o->now; }
int64_t tb_oracle_start(const tb_oracle *o) { return o->start; }
int64_t tb_oracle_slop(const tb_oracle *o, uint32_t lane) { return o->slop[lane] * tick; }

tb_timers_stats tb_oracle_stats(const tb_oracle *o)
{
    tb_timers_stats s = {0};
    s.pending = o->count;
    for (size_t i = 0; i < o->count; i++)
        s.pending_precise += o->timers[i].precise;
    s.armed = o->armed;
    s.armed_precise = o->armed_precise;
    s.rearmed = o->rearmed;
    s.cancelled = o->cancelled;
    s.fired = o->fired;
    s.calls = o->calls;
    s.wakes = o->wakes;
    return s;
}
