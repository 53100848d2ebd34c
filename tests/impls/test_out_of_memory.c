/* Out of memory: every allocation of every kind of call is failed once, alone and with all that follow it. The call
   answers cleanly, nothing has changed, and the same call succeeds when there is memory again. */
#include "injector.h"
#include "sets.h"

/* ---- a set in some state, and what can be seen of it --------------------------------------------------------------
 */

enum { BATCH = 100, FILLS = 9, MANY_KEYS = 3000 };

static const size_t fills[FILLS] = {0, 1, 62, 63, 64, 65, 127, 128, 200};

typedef struct seen {
    tb_timers_stats stats;
    size_t len;
    int64_t now, next[3];
    bool any[3];
    uint64_t named; /* a digest of who is pending and precise */
} seen;

static seen look(const subject *s)
{
    seen v;
    memset(&v, 0, sizeof v);
    tb_instant next[3] = {{0}, {0}, {0}};
    v.stats = stats_of(s);
    v.len = len(s);
    v.now = now_of(s);
    v.any[0] = tb_timers_next_expiry(s->set, &next[0]);
    v.any[1] = tb_timers_next_precise(s->set, &next[1]);
    v.any[2] = tb_timers_next_timeout(s->set, &next[2]);
    for (int i = 0; i < 3; i++)
        v.next[i] = v.any[i] ? next[i].ns : 0;
    for (uint64_t token = 0; token < SUBJECT_TOKENS; token++)
        v.named =
            (v.named * 31 + (uint64_t)pending(s, token) * 2 + (uint64_t)precise(s, token)) * UINT64_C(0x100000001b3);
    return v;
}

static bool same_view(const seen *a, const seen *b)
{
    return same_stats(a->stats, b->stats) && a->len == b->len && a->now == b->now && a->named == b->named &&
           memcmp(a->next, b->next, sizeof a->next) == 0 && memcmp(a->any, b->any, sizeof a->any) == 0;
}

/* n timers of every state: timeouts near and far, precise, never due, repeating, left due; some cancelled. */
static subject filled(const kind *k, injector *in, size_t n)
{
    injector_init(in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in->allocator});
    s.out.allocator = &in->allocator;
    set_slop(&s, 1, 10 * MS);
    for (uint64_t i = 0; i < n + n / 8; i++) {
        int64_t at = i % 5 == 4 ? INT64_MAX : (int64_t)(i * i % 97) * 3 * MS + (int64_t)i * 1000;
        if (!k->keyed && i % 7 == 3)
            arm_precise(&s, at, i);
        else if (!k->keyed && i % 11 == 5)
            arm_repeating(&s, at, 50 * MS, TB_REPEAT_SKIP, i);
        else
            arm_in(&s, i % 2, at, i);
        if (i % 9 == 8)
            cancel(&s, i);
    }
    expire_max(&s, 20 * MS, 0);
    return s;
}

/* The digest of all that fires, to the end of time but for what repeats. */
static uint64_t drain(subject *s)
{
    uint64_t digest = 0;
    for (int64_t now = now_of(s); now < SEC; now += 10 * MS) {
        expire(s, now);
        for (size_t i = 0; i < s->out.len; i++)
            digest = (digest ^ s->out.items[i].token ^ (uint64_t)s->out.items[i].deadline.ns) * UINT64_C(0x100000001b3);
    }
    return digest * 31 + len(s);
}

/* ---- kinds of call ----------------------------------------------------------------------------------------------- */

static bool call_arm(subject *s) { return arm(s, 70 * MS, SUBJECT_TOKENS - 1); }
static bool call_arm_in(subject *s) { return arm_in(s, 1, 71 * MS, SUBJECT_TOKENS - 1); }
static bool call_arm_now(subject *s) { return arm(s, 0, SUBJECT_TOKENS - 1); }
static bool call_arm_precise(subject *s) { return arm_precise(s, 72 * MS, SUBJECT_TOKENS - 1); }
static bool call_near_key(subject *s) { return arm(s, 73 * MS, len(s) + len(s) / 8 + 1); }

static bool call_arm_repeating(subject *s)
{
    return arm_repeating(s, 73 * MS, 50 * MS, TB_REPEAT_BURST, SUBJECT_TOKENS - 1);
}

static bool call_insert_many(subject *s)
{
    tb_arm arms[BATCH];
    tb_timer_id ids[BATCH];
    for (uint64_t i = 0; i < BATCH; i++)
        arms[i] = (tb_arm){.at = instant((int64_t)(i + 30) * 2 * MS),
                           .token = MANY_KEYS + i,
                           .kind = (tb_arm_kind)(i % 3),
                           .lane = i % 2,
                           .period = length(40 * MS),
                           .policy = TB_REPEAT_DELAY};
    if (!tb_timers_insert_many(s->set, arms, BATCH, ids))
        return false;
    for (uint64_t i = 0; i < BATCH; i++)
        keep(s, MANY_KEYS + i, ids[i]);
    return true;
}

static bool call_reserve(subject *s) { return tb_timers_reserve(s->set, 500); }

typedef struct call_kind {
    bool (*call)(subject *);
    bool by_id, by_key;
    const char *name;
} call_kind;

static const call_kind calls[] = {
    {call_arm, true, true, "arming a timeout"},
    {call_arm_in, true, true, "arming in a lane"},
    {call_arm_now, true, true, "arming a past one"},
    {call_near_key, false, true, "arming a neighbouring key"},
    {call_arm_precise, true, false, "arming a precise one"},
    {call_arm_repeating, true, false, "arming a repeating one"},
    {call_insert_many, true, false, "arming a batch"},
    {call_reserve, true, true, "reserve"},
};

typedef struct faults {
    int failed, unclean, changed, broken, not_again, otherwise, leaked, mistold;
} faults;

/* Fails the k-th allocation of one call; false: it does not make so many. */
static bool fail_one(const kind *k, const call_kind *c, size_t n, uint64_t which, bool and_after, faults *f)
{
    injector memory, untouched;
    subject s = filled(k, &memory, n), twin = filled(k, &untouched, n);
    seen before = look(&s);
    errno = 0;
    injector_fail(&memory, which, and_after);
    bool done = c->call(&s), reached = memory.failed > 0;
    int reason = errno;
    injector_fail(&memory, 0, false);
    f->broken += tb_timers_check(s.set) != NULL;
    if (!done) {
        seen after = look(&s);
        f->failed++;
        f->unclean += !reached || reason != ENOMEM;
        f->changed += !same_view(&before, &after);
        f->not_again += !c->call(&s);
    }
    f->not_again += !c->call(&twin);
    f->otherwise += drain(&s) != drain(&twin);
    drop(&s);
    drop(&twin);
    f->leaked += memory.held != 0 || memory.blocks != 0;
    f->mistold += memory.mistold;
    return reached;
}

static void every_allocation(const kind *k)
{
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        if (!(k->keyed ? calls[c].by_key : calls[c].by_id))
            continue;
        faults f = {0};
        for (int n = 0; n < FILLS; n++)
            for (int and_after = 0; and_after < 2; and_after++)
                for (uint64_t which = 1; fail_one(k, &calls[c], fills[n], which, and_after, &f); which++)
                    continue;
        ok(f.failed > 0, "WHL-43 %s: %s fails when its memory does", k->name, calls[c].name);
        none_of(f.unclean, "WHL-43 %s: %s then answers that, and errno says ENOMEM", k->name, calls[c].name);
        none_of(f.changed, "WHL-43 %s: %s then changes no counter, no timer, no next wake", k->name, calls[c].name);
        none_of(f.broken, "WHL-43 %s: %s leaves every invariant", k->name, calls[c].name);
        none_of(f.not_again, "WHL-43 %s: %s succeeds when there is memory again", k->name, calls[c].name);
        none_of(f.otherwise, "WHL-43 %s: after %s the set delivers what an untouched one does", k->name, calls[c].name);
        none_of(f.leaked, "WHL-43 %s: after %s all memory is given back", k->name, calls[c].name);
        none_of(f.mistold, "WHL-43 %s: in %s the allocator is told the old size of each block", k->name, calls[c].name);
    }
}

static void making(const kind *k)
{
    int wrong = 0, made = 0;
    uint64_t which = 1;
    for (bool reached = true; reached; which++) {
        injector in;
        injector_init(&in);
        injector_fail(&in, which, which % 2);
        errno = 0;
        tb_timers *set = make_set(k, 0, (tb_timers_options){.allocator = &in.allocator});
        reached = in.failed > 0;
        wrong += set ? 0 : errno != ENOMEM || in.held != 0 || in.blocks != 0;
        wrong += !set && !reached;
        made += set != NULL;
        tb_timers_destroy(set);
        wrong += in.held != 0 || in.mistold;
    }
    none_of(wrong, "WHL-43 %s: make answers NULL and ENOMEM for each allocation that fails, and holds nothing",
            k->name);
    ok(made == 1 && which > 2, "WHL-43 %s: and a set when none does", k->name);
}

/* ---- deliveries ---------------------------------------------------------------------------------------------------
 */

enum { DUE = 1000 };

static subject thousand_due(const kind *k, injector *in, bool repeating, size_t room)
{
    injector_init(in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in->allocator});
    s.out.allocator = &in->allocator;
    for (uint64_t i = 0; i < DUE; i++) {
        int64_t at = (int64_t)(i * 7919 % 50) * MS + (int64_t)(i % 3) * 300 * US;
        if (repeating && i % 50 == 0)
            arm_repeating(&s, at, 20 * MS, TB_REPEAT_BURST, i);
        else if (!k->keyed && i % 4 == 0)
            arm_precise(&s, at, i);
        else
            arm(&s, at, i);
    }
    if (room)
        tb_expiries_reserve(&s.out, room);
    return s;
}

/* One call that runs out of memory, and a next one that does not; false: the allocation that fails was not reached. */
static bool deliver_in_two(const kind *k, bool repeating, size_t room, uint64_t which, bool and_after, size_t *lost,
                           faults *f)
{
    injector memory, untouched;
    subject s = thousand_due(k, &memory, repeating, room), twin = thousand_due(k, &untouched, repeating, room);
    size_t all = expire(&twin, 60 * MS), cap = s.out.cap;
    injector_fail(&memory, which, and_after);
    errno = 0;
    size_t n = tb_timers_expired(s.set, instant(60 * MS), &s.out);
    int reason = errno;
    bool reached = memory.failed > 0;
    injector_fail(&memory, 0, false);
    s.calls++;
    s.wakes += n > 0;
    s.fired += n;
    inspect(&s);
    f->failed += n < all;
    f->unclean += n < all ? !reached || reason != ENOMEM : 0;
    f->unclean += n < cap && n < all; /* what fits is delivered */
    *lost += !repeating && n + len(&s) != DUE;
    tb_instant next = {0};
    f->changed += n < all && (!tb_timers_next_expiry(s.set, &next) || next.ns > now_of(&s));
    size_t rest = tb_timers_expired(s.set, instant(0), &s.out);
    s.calls++;
    s.wakes += rest > 0;
    s.fired += rest;
    f->not_again += n + rest != all || s.out.len != all;
    for (size_t i = 0; i < s.out.len && i < all; i++)
        f->otherwise += s.out.items[i].token != twin.out.items[i].token ||
                        s.out.items[i].deadline.ns != twin.out.items[i].deadline.ns;
    drop(&s);
    drop(&twin);
    f->leaked += memory.held != 0 || memory.blocks != 0;
    f->mistold += memory.mistold;
    return reached;
}

static void thousand(const kind *k)
{
    static const size_t rooms[] = {0, 1, 10, 500, 999};
    for (int repeating = 0; repeating <= !k->keyed; repeating++) {
        faults f = {0};
        size_t lost = 0;
        for (int r = 0; r < 5; r++)
            for (int and_after = 0; and_after < 2; and_after++)
                for (uint64_t which = 1; deliver_in_two(k, repeating, rooms[r], which, and_after, &lost, &f); which++)
                    continue;
        const char *what = repeating ? "1000 due, some repeating" : "1000 due";
        ok(f.failed > 0, "WHL-43 %s: %s, each allocation failed: the call falls short", k->name, what);
        none_of(f.unclean, "WHL-43 %s: %s: it delivers what fits, and errno says ENOMEM", k->name, what);
        none_of(lost, "WHL-43 %s: %s: delivered + pending is 1000", k->name, what);
        none_of(f.changed, "WHL-43 %s: %s: the next wake is not after now", k->name, what);
        none_of(f.not_again, "WHL-43 %s: %s: the next call delivers the rest", k->name, what);
        none_of(f.otherwise, "WHL-43 %s: %s: in order, none twice", k->name, what);
        none_of(f.leaked + f.mistold, "WHL-43 %s: %s: the list's memory is told and given back as it is", k->name,
                what);
    }
}

/* Sizes that no machine has, or that a count cannot hold. */
static void too_much(const kind *k)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 40, (size_t)1 << 31, (size_t)UINT32_MAX};
    injector in;
    injector_init(&in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in.allocator, .keys = k->keyed ? (1u << 31) - 1 : 0});
    arm(&s, 5 * MS, 1);
    seen before = look(&s);
    int wrong = 0;
    for (int i = 0; i < 5; i++) {
        errno = 0;
        wrong += tb_timers_reserve(s.set, sizes[i]) || errno != ENOMEM;
    }
    errno = 0;
    wrong += k->keyed && (tb_timers_arm_key(s.set, INT32_MAX, instant(0)) || errno != ERANGE);
    seen after = look(&s);
    none_of(wrong, "WHL-43 WHL-64 %s: reserve of 2^31 and more: ENOMEM; the key past the last: ERANGE", s.name);
    ok(same_view(&before, &after), "WHL-43 %s: and nothing changed", s.name);
    is_text(fires(&s, 5 * MS), "1", "WHL-43 %s: the timer there fires", s.name);
    drop(&s);
    none_of(in.held, "WHL-43 %s: all memory is given back", k->name);
}

static void the_list_itself(void)
{
    injector in;
    injector_init(&in);
    tb_expiries out = {.allocator = &in.allocator};
    injector_fail(&in, 1, false);
    errno = 0;
    ok(!tb_expiries_reserve(&out, 10) && errno == ENOMEM && out.len == 0 && out.cap == 0,
       "WHL-43 tb_expiries_reserve: out of memory, ENOMEM, and an empty list stays one");
    ok(tb_expiries_reserve(&out, 10) && out.cap >= 10, "WHL-43 tb_expiries_reserve: room for 10");
    out.len = 3;
    size_t cap = out.cap;
    ok(tb_expiries_reserve(&out, cap - 3) && out.cap == cap,
       "WHL-43 tb_expiries_reserve: nothing to do where there is room");
    injector_fail(&in, 1, false);
    ok(!tb_expiries_reserve(&out, cap) && out.cap == cap && out.len == 3,
       "WHL-43 tb_expiries_reserve: a failure keeps what was held");
    errno = 0;
    ok(!tb_expiries_reserve(&out, SIZE_MAX) && errno == ENOMEM &&
           !tb_expiries_reserve(&out, SIZE_MAX / sizeof(tb_expiry)),
       "WHL-43 tb_expiries_reserve: a size that does not fit the machine is ENOMEM too");
    tb_expiries_free(&out);
    ok(in.held == 0 && in.mistold == 0 && out.cap == 0 && !out.items, "WHL-43 tb_expiries_free gives all back");
    tb_expiries_free(&out);
}

int main(void)
{
    each_kind(making);
    each_kind(every_allocation);
    each_kind(thousand);
    each_kind(too_much);
    the_list_itself();
    return sets_done();
}
