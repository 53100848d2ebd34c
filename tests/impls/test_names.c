/* The names of timers: when an id or a key names a timer, and that it never names a later one. */
#include "sets.h"
#include "tests/calendar/random.h"

#include <timerbench/core/state.h>

static void cancelling(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 1);
    arm(&s, 7 * MS, 2);
    arm(&s, 300 * US, 3);
    ok(pending(&s, 1) && pending(&s, 2) && pending(&s, 3), "WHL-17 %s: armed timers are pending", s.name);
    is(len(&s), 3, "WHL-18 %s: len counts them", s.name);
    ok(cancel(&s, 1), "WHL-15 %s: cancel of a pending timer is true", s.name);
    ok(!pending(&s, 1) && !precise(&s, 1), "WHL-17 %s: cancelled, it is neither pending nor precise", s.name);
    is(len(&s), 2, "WHL-18 %s: and len no longer counts it", s.name);
    tb_timers_stats before = stats_of(&s);
    ok(!cancel(&s, 1), "WHL-16 %s: a second cancel is false", s.name);
    ok(same_stats(before, stats_of(&s)), "WHL-16 %s: and moves no counter", s.name);
    ok(precise(&s, 3) && cancel(&s, 3) && !precise(&s, 3), "WHL-15 WHL-17 %s: a precise one is cancelled alike",
       s.name);
    is_text(fires(&s, SEC), "2", "WHL-15 %s: a second later only the one left fires", s.name);
    before = stats_of(&s);
    ok(!cancel(&s, 2), "WHL-16 %s: cancel of a fired timer is false", s.name);
    ok(!pending(&s, 2) && !precise(&s, 2), "WHL-17 %s: fired, it is neither pending nor precise", s.name);
    ok(same_stats(before, stats_of(&s)), "WHL-16 %s: and no counter moved", s.name);
    ok(tb_timers_is_empty(s.set) && len(&s) == 0, "WHL-18 %s: the set is empty again", s.name);
    is(expire(&s, 2 * SEC), 0, "WHL-15 %s: nothing fires later", s.name);
    ok(counts(&s, 3, 0, 2, 1, 0), "CNT-14 %s: armed 3, cancelled 2, fired 1", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 5 * MS, 1);
    cancel(&s, 1);
    is(expire(&s, SEC), 0, "WHL-15 %s: cancel, a second on: nothing is due", s.name);
    drop(&s);
}

static void none_names_nothing(const kind *k)
{
    subject s = make(k, 0);
    tb_timer_id none = TB_TIMER_NONE;
    ok(tb_timer_is_none(none) && none.bits == 0, "WHL-20 WHL-21 %s: none is none, and all zero", s.name);
    ok(!tb_timers_is_pending(s.set, none) && !tb_timers_is_precise(s.set, none) && !tb_timers_cancel(s.set, none),
       "WHL-20 WHL-42 %s: it names nothing in an empty set", s.name);
    for (uint64_t i = 0; i < 100; i++)
        arm(&s, (int64_t)(i + 1) * 700 * US, i);
    ok(!tb_timers_is_pending(s.set, none) && !tb_timers_is_precise(s.set, none) && !tb_timers_cancel(s.set, none) &&
           !tb_timers_rearm(s.set, none, instant(SEC)),
       "WHL-20 WHL-42 %s: nor in a full one", s.name);
    is(len(&s), 100, "WHL-20 %s: which keeps its timers", s.name);
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        wrong += tb_timer_is_none(s.ids[i]) || tb_timer_same(s.ids[i], none) || !tb_timer_same(s.ids[i], s.ids[i]);
        for (int j = 0; j < i; j++)
            wrong += tb_timer_same(s.ids[i], s.ids[j]);
    }
    none_of(wrong, "WHL-20 %s: 100 armed ids are not none, equal themselves and nothing else", s.name);
    drop(&s);
}

static void ids_are_not_reused(const kind *k)
{
    enum { LIVE = 64, STALE = 1024, ROUNDS = 1000000 };
    static tb_timer_id live[LIVE], stale[STALE];
    subject s = make(k, 0);
    tb_timer_id c = tb_timers_insert(s.set, instant(5 * MS), 1);
    tb_timers_cancel(s.set, c);
    tb_timer_id d = tb_timers_insert(s.set, instant(5 * MS), 2);
    ok(!tb_timer_same(c, d), "WHL-19 %s: a timer armed after a cancel has another id", s.name);
    ok(!tb_timers_cancel(s.set, c) && tb_timers_is_pending(s.set, d), "WHL-19 %s: the old id cancels nothing", s.name);
    is_text(fires(&s, 5 * MS), "2", "WHL-19 %s: and the new timer fires", s.name);

    uint64_t random = 19;
    int hits = 0, lost = 0;
    for (int i = 0; i < LIVE; i++)
        live[i] = tb_timers_insert(s.set, instant(HOUR), 0);
    for (int i = 0; i < STALE; i++)
        stale[i] = c;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t r = random_next(&random);
        tb_timer_id *one = &live[r % LIVE], old = stale[r >> 8 & (STALE - 1)];
        lost += !tb_timers_cancel(s.set, *one);
        stale[r >> 20 & (STALE - 1)] = *one;
        int64_t at = HOUR + (int64_t)(r >> 40);
        *one = r & 1 << 30 ? tb_timers_insert(s.set, instant(at), 0) : tb_timers_insert_precise(s.set, instant(at), 0);
        hits +=
            tb_timers_is_pending(s.set, old) + tb_timers_cancel(s.set, old) + tb_timers_rearm(s.set, old, instant(0));
        hits += tb_timers_is_precise(s.set, old);
    }
    none_of(hits, "WHL-19 %s: 10^6 random reuses, and no old id names a timer", s.name);
    none_of(lost, "WHL-15 %s: every live one does", s.name);
    is(len(&s), LIVE, "WHL-18 %s: and as many are pending as ever", s.name);
    drop(&s);
}

static void garbage(const kind *k)
{
    subject s = make(k, 0);
    uint64_t random = 22;
    int hits = 0;
    for (int full = 0; full < 2; full++) {
        for (uint64_t i = 0; full && i < 100; i++)
            arm(&s, (int64_t)(i + 1) * 900 * US, i);
        tb_timers_stats before = stats_of(&s);
        for (int i = 0; i < 500000; i++) {
            uint64_t bits = random_next(&random);
            if (i % 4 == 1) /* slots near those in use, with generations near those given */
                bits = (bits & 0x3f) << 32 | (bits >> 8 & 0xff);
            if (i % 4 == 2) /* the same, and the owner bit */
                bits = (bits & 3) << 32 | 1u << 31 | (bits >> 8 & 0x7f);
            tb_timer_id id = {bits};
            bool real = false;
            for (int j = 0; full && i % 4 == 1 && j < 100; j++)
                real |= tb_timer_same(id, s.ids[j]);
            if (!real)
                hits += tb_timers_is_pending(s.set, id) + tb_timers_is_precise(s.set, id) +
                        tb_timers_cancel(s.set, id) + tb_timers_rearm(s.set, id, instant(5 * MS));
        }
        ok(same_stats(before, stats_of(&s)), "WHL-22 %s: garbage ids move no counter of %s set", s.name,
           full ? "a full" : "an empty");
    }
    none_of(hits, "WHL-22 %s: none of 10^6 random ids names a timer", s.name);
    is(expire(&s, SEC), 100, "WHL-22 %s: and all timers fire", s.name);
    drop(&s);
}

/* ---- the last generation ----------------------------------------------------------------------------------------- */

static uint32_t slot_of(tb_timer_id id) { return (uint32_t)id.bits; }
static uint32_t generation_of(tb_timer_id id) { return (uint32_t)(id.bits >> 32); }

/* Makes a slot look as if it had been used up to that generation; the id of the timer in it, if there is one. */
static tb_timer_id force_generation(const subject *s, tb_timer_id id, uint32_t generation)
{
    tb_core *c = (tb_core *)(void *)s->set;
    *tb_generation_at(c, &c->layout, slot_of(id)) = generation;
    tb_timer_id forced = {(uint64_t)generation << 32 | slot_of(id)};
    return forced;
}

typedef enum way { BY_CANCEL, BY_FIRING, BY_A_CUT_BATCH, BY_THE_LAST_OCCURRENCE, WAYS } way;

static tb_timer_id arm_for(subject *s, way w)
{
    if (w == BY_THE_LAST_OCCURRENCE)
        return tb_timers_insert_repeating(s->set, instant(INT64_MAX), length(1), TB_REPEAT_BURST, 1);
    return tb_timers_insert(s->set, instant(5 * MS), 1);
}

static void release(subject *s, tb_timer_id id, way w)
{
    if (w == BY_CANCEL)
        tb_timers_cancel(s->set, id);
    else if (w == BY_FIRING)
        expire(s, 5 * MS);
    else
        expire_max(s, w == BY_A_CUT_BATCH ? 5 * MS : INT64_MAX, 1);
}

static bool names_nothing(const subject *s, tb_timer_id id)
{
    return !tb_timers_is_pending(s->set, id) && !tb_timers_is_precise(s->set, id) && !tb_timers_cancel(s->set, id) &&
           !tb_timers_rearm(s->set, id, instant(9 * MS));
}

static void used_up(const kind *k)
{
    static const char *const how[] = {"cancelled", "fired", "fired in a cut batch", "the last of a repeating one"};
    for (way w = BY_CANCEL; w < WAYS; w++) {
        subject s = make(k, w == BY_THE_LAST_OCCURRENCE ? INT64_MAX - 100 : 0);
        tb_timer_id old = force_generation(&s, arm_for(&s, w), UINT32_MAX);
        tb_timer_id other = tb_timers_insert(s.set, instant(INT64_MAX), 2);
        ok(tb_timers_is_pending(s.set, old), "WHL-21 %s: a timer of generation 2^32-1, %s: pending", s.name, how[w]);
        release(&s, old, w);
        tb_timer_id next = tb_timers_insert(s.set, instant(7 * MS), 3);
        ok(!tb_timer_is_none(next) && tb_timers_is_pending(s.set, next), "WHL-21 %s: released, the next id is valid",
           s.name);
        ok(slot_of(next) != slot_of(old) && generation_of(next) != 0, "WHL-21 %s: in another slot, not of generation 0",
           s.name);
        ok(names_nothing(&s, old), "WHL-21 %s: the old id names nothing", s.name);
        int reused = 0;
        for (int i = 0; i < 300; i++)
            reused += slot_of(tb_timers_insert(s.set, instant(8 * MS), 4)) == slot_of(old);
        none_of(reused, "WHL-21 %s: nor does any of 300 more use its slot", s.name);
        ok(names_nothing(&s, old) && tb_timers_is_pending(s.set, other),
           "WHL-21 %s: and the old id still names nothing", s.name);
        drop(&s);
    }
}

static void at_the_end_of_its_generations(const kind *k)
{
    subject s = make(k, 0);
    tb_timer_id first = tb_timers_insert(s.set, instant(5 * MS), 1);
    tb_timers_cancel(s.set, first);
    force_generation(&s, first, UINT32_MAX - 1);
    tb_timer_id second = tb_timers_insert(s.set, instant(5 * MS), 2);
    ok(slot_of(second) == slot_of(first) && generation_of(second) == UINT32_MAX - 1,
       "LIT-17 %s: a slot started at generation 2^32-2 gives that one", s.name);
    ok(names_nothing(&s, first), "LIT-17 %s: the id before it names nothing", s.name);
    is_text(fires(&s, 5 * MS), "2", "LIT-17 %s: its timer fires", s.name);
    tb_timer_id third = tb_timers_insert(s.set, instant(9 * MS), 3);
    ok(slot_of(third) == slot_of(first) && generation_of(third) == UINT32_MAX, "LIT-17 %s: one more arm, 2^32-1",
       s.name);
    ok(names_nothing(&s, first) && names_nothing(&s, second), "LIT-17 %s: the two before it name nothing", s.name);
    tb_timers_cancel(s.set, third);
    tb_timer_id fourth = tb_timers_insert(s.set, instant(11 * MS), 4);
    ok(slot_of(fourth) != slot_of(first), "LIT-17 WHL-21 %s: then the slot is never used again", s.name);
    ok(names_nothing(&s, first) && names_nothing(&s, second) && names_nothing(&s, third),
       "LIT-17 WHL-21 %s: and no old id names the later timer", s.name);
    is_text(fires(&s, 11 * MS), "4", "LIT-17 %s: which fires", s.name);
    drop(&s);
}

/* Slots that are used up don't count against the limit, and memory for n pending means n beside them. */
static void many_used_up(const kind *k)
{
    subject s = make_with(k, 0, (tb_timers_options){.limit = 4});
    int refused = 0;
    for (int i = 0; i < 3; i++)
        tb_timers_insert(s.set, instant(HOUR), 0);
    for (int i = 0; i < 1000; i++) {
        tb_timer_id id = tb_timers_insert(s.set, instant(i % 2 ? HOUR : 0), 1);
        refused += tb_timer_is_none(id) || !tb_timer_is_none(tb_timers_insert(s.set, instant(0), 9));
        id = force_generation(&s, id, UINT32_MAX);
        refused += !tb_timers_cancel(s.set, id);
    }
    none_of(refused, "WHL-21 WHL-43 %s: 1000 slots used up, a limit of 4: the 4th arm passes, the 5th never does",
            s.name);
    is_text(tb_timers_check(s.set) ? tb_timers_check(s.set) : "", "", "WHL-21 %s: and the set is sound", s.name);
    drop(&s);
}

int main(void)
{
    each_kind(cancelling);
    each_by_id(none_names_nothing);
    each_by_id(ids_are_not_reused);
    each_by_id(garbage);
    each_by_id(used_up);
    each_by_id(at_the_end_of_its_generations);
    each_by_id(many_used_up);
    return sets_done();
}
