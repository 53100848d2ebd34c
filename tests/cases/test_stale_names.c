/* Names that outlive their timers: picotcp #308, arduino-timer #76, veins #126 (a stale id cancels a new timer);
   ACE_TAO #2040, arduino-timer #80 (id 0). */
#include "tests/calendar/random.h"
#include "tests/impls/sets.h"

static void a_stale_id(const kind *k)
{
    subject s = make(k, 0);
    tb_timer_id first = tb_timers_insert(s.set, instant(5 * MS), 1);
    is_text(fires(&s, 5 * MS), "1", "WHL-19 case 17 %s: id1 fires", s.name);
    tb_timer_id second = tb_timers_insert(s.set, instant(9 * MS), 2);
    ok(!tb_timers_cancel(s.set, first), "WHL-19 case 17 %s: its slot is used by id2: cancel of id1 is false", s.name);
    ok(tb_timers_is_pending(s.set, second), "WHL-19 case 17 %s: id2 is pending", s.name);
    is_text(fires(&s, 9 * MS), "2", "WHL-19 case 17 %s: and fires", s.name);
    drop(&s);
}

enum { ENDINGS = 5, BEGINNINGS = 5 };

/* One timer, and how it ends: cancelled, fired late or early, in a cut batch, in a batch of cancels. */
static tb_timer_id gone(subject *s, int ending)
{
    int64_t now = now_of(s);
    tb_timer_id id = tb_timers_insert(s->set, instant(ending == 2 ? now : now + 3 * MS), 100);
    if (ending == 0)
        tb_timers_cancel(s->set, id);
    else if (ending == 4)
        tb_timers_cancel_many(s->set, &id, 1);
    else
        expire_max(s, now + 5 * MS, ending == 3 ? 1 : SIZE_MAX);
    return id;
}

static tb_timer_id anew(subject *s, int beginning)
{
    tb_instant at = instant(now_of(s) + 4 * MS);
    tb_arm arm = {.at = at, .token = 7};
    tb_timer_id id = TB_TIMER_NONE;
    switch (beginning) {
    case 0:
        return tb_timers_insert(s->set, at, 7);
    case 1:
        return tb_timers_insert_in(s->set, 3, at, 7);
    case 2:
        return tb_timers_insert_precise(s->set, at, 7);
    case 3:
        return tb_timers_insert_repeating(s->set, at, length(HOUR), TB_REPEAT_SKIP, 7);
    default:
        tb_timers_insert_many(s->set, &arm, 1, &id);
        return id;
    }
}

static void every_end_and_beginning(const kind *k)
{
    int wrong = 0;
    for (int e = 0; e < ENDINGS; e++)
        for (int b = 0; b < BEGINNINGS; b++) {
            subject s = make(k, 0);
            tb_timer_id old = gone(&s, e), new = anew(&s, b);
            wrong += (uint32_t)old.bits != (uint32_t) new.bits; /* the same slot, or this shows nothing */
            wrong += tb_timers_cancel(s.set, old) || tb_timers_rearm(s.set, old, instant(DAY)) ||
                     tb_timers_is_pending(s.set, old) || tb_timers_is_precise(s.set, old) ||
                     tb_timers_cancel_many(s.set, &old, 1) != 0;
            wrong += tb_timer_same(old, new) || !tb_timers_is_pending(s.set, new);
            wrong += strcmp(fires(&s, now_of(&s) + 10 * MS), "7") != 0;
            wrong += !tb_timer_same(s.out.items[0].id, new);
            drop(&s);
        }
    none_of(wrong, "WHL-19 case 17 %s: however the old timer ended and the new one in its slot began", k->name);
}

static void zero_is_no_id(const kind *k)
{
    subject s = make(k, 0);
    tb_timer_id zero = {0};
    int zeros = 0, hits = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        arm(&s, (int64_t)(i % 50) * MS, i);
        zeros += s.ids[i].bits == 0;
        hits += tb_timers_cancel(s.set, zero) + tb_timers_is_pending(s.set, zero);
        if (i % 10 == 0)
            expire(&s, now_of(&s) + MS);
        for (size_t e = 0; e < s.out.len; e++)
            zeros += s.out.items[e].id.bits == 0;
    }
    none_of(zeros, "WHL-20 WHL-21 case 18 %s: no timer's id is all-zero, the first one's neither", k->name);
    none_of(hits, "WHL-20 case 18 %s: and cancel of 0 is always false", k->name);
    drop(&s);
}

/* A key is used again by its owner's will: then it names the new timer, and only after it was armed. */
static void keys_again(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 1);
    is_text(fires(&s, 5 * MS), "1", "WHL-55 case 17 %s: a key's timer fires", s.name);
    ok(!cancel(&s, 1) && !pending(&s, 1), "WHL-55 case 17 %s: then it names none", s.name);
    arm(&s, 9 * MS, 2);
    ok(!cancel(&s, 1) && pending(&s, 2), "WHL-55 case 17 %s: another key's timer is not its own", s.name);
    is_text(fires(&s, 9 * MS), "2", "WHL-55 case 17 %s: and fires", s.name);
    ok(arm(&s, 12 * MS, 0) && pending(&s, 0) && cancel(&s, 0), "WHL-55 case 18 %s: key 0 is a key like any other",
       s.name);
    drop(&s);
}

int main(void)
{
    each_by_id(a_stale_id);
    each_by_id(every_end_and_beginning);
    each_by_id(zero_is_no_id);
    each_by_key(keys_again);
    return sets_done();
}
