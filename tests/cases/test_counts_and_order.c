/* Counts that are wrong after a cancel, and deliveries in another order than their deadlines: netty #14959; Ladybird
   #6260, tornado #1069, acton #3092; node #37226; libwebsockets #274 and h2o #2321 (everything due at once). */
#include "tests/calendar/random.h"
#include "tests/impls/sets.h"

static void the_pending_count(const kind *k)
{
    enum { N = 300, STEPS = 20000 };
    uint64_t random = 22, armed = 0, cancelled = 0, fired = 0;
    int wrong = 0;
    subject s = make(k, 0);
    for (int step = 0; step < STEPS; step++) {
        uint64_t token = random_next(&random) % N, r = random_next(&random);
        if (r % 4 == 0) {
            /* In the tick in which others fire: those delivered just now, and those about to be. */
            fired += expire(&s, now_of(&s) + (int64_t)(r >> 8 & 3) * MS);
            wrong += len(&s) != armed - cancelled - fired;
            for (size_t i = 0; i < s.out.len; i++)
                wrong += pending(&s, s.out.items[i].token) || cancel(&s, s.out.items[i].token);
            uint64_t peer = random_next(&random) % N;
            cancelled += cancel(&s, peer);
        } else if (pending(&s, token)) {
            cancelled += cancel(&s, token);
        } else {
            armed += arm(&s, now_of(&s) + (int64_t)(r >> 8 & 7) * MS, token);
        }
        wrong += len(&s) != armed - cancelled - fired;
    }
    none_of(wrong, "WHL-18 WHL-35 case 22 %s: len = armed - cancelled - fired after every call", k->name);
    drop(&s);
}

static void equal_deadlines(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 10 * MS, 1);
    arm(&s, 10 * MS, 2);
    arm(&s, 10 * MS, 3);
    is_text(fires(&s, 10 * MS), "1 2 3", "WHL-30 TRP-06 case 25 %s: three equal deadlines, in the order armed", s.name);
    drop(&s);

    /* Armed from far and from near, so that they come to their tick by different ways; late calls, and calls on time.
     */
    int wrong = 0;
    for (int64_t lateness = 0; lateness < 3; lateness++) {
        s = make(k, 0);
        const int64_t due = 5000 * MS;
        for (uint64_t i = 0; i < 500; i++) {
            tb_expiries_clear(&s.out);
            wrong += expire(&s, (int64_t)i * 10 * MS - 3 * MS) != 0;
            arm(&s, due, i);
        }
        wrong += expire(&s, due + lateness * 777 * MS) != 500;
        for (size_t i = 0; i < s.out.len; i++)
            wrong += s.out.items[i].token != i;
        drop(&s);
    }
    none_of(wrong, "WHL-30 TRP-06 case 25 %s: 500 armed for one instant from 5 s to 10 ms before: in the order armed",
            k->name);
}

static void not_by_duration(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 5 * MS);
    arm(&s, 25 * MS, 1);
    expire(&s, 20 * MS);
    arm(&s, 30 * MS, 2);
    is_text(fires(&s, 40 * MS), "1 2", "WHL-30 case 26 %s: at 5 a +20, at 20 b +10, called at 40: a b", s.name);
    drop(&s);

    /* Few durations, each a FIFO of its own; one late call merges them. */
    uint64_t random = 26;
    int wrong = 0;
    s = make(k, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        expire(&s, (int64_t)i * 100 * US);
        wrong += s.out.len != 0;
        arm(&s, now_of(&s) + (int64_t)(200 + 30 * (random_next(&random) % 5)) * MS, i);
    }
    wrong += expire(&s, SEC) != 1000;
    for (size_t i = 1; i < s.out.len; i++)
        wrong += s.out.items[i].deadline.ns < s.out.items[i - 1].deadline.ns ||
                 (s.out.items[i].deadline.ns == s.out.items[i - 1].deadline.ns &&
                  s.out.items[i].token < s.out.items[i - 1].token);
    none_of(wrong, "WHL-30 case 26 %s: 1000 of five durations in one late call: by deadline, not by duration", k->name);
    drop(&s);
}

/* n timers, all due in one call, or in calls of at most `max`. */
static bool everything_at_once(const kind *k, uint32_t n, size_t max)
{
    tb_timers *set = make_set(k, 0, (tb_timers_options){.keys = k->keyed ? n : 0});
    tb_expiries out = {0};
    bool right = set != NULL;
    for (uint32_t i = 0; right && i < n; i++) {
        tb_instant at = instant((int64_t)(i / 8) * 300 * US + DAY); /* eight to an instant */
        right = k->keyed ? tb_timers_arm_key(set, i, at) : !tb_timer_is_none(tb_timers_insert(set, at, i));
    }
    for (size_t done = 0; right && done < n;) {
        size_t want = max < n - done ? max : n - done;
        size_t got = tb_timers_expired_max(set, instant(2 * DAY), &out, max);
        done += got;
        right = got == want && tb_timers_len(set) == n - done;
    }
    right =
        right && out.len == n && tb_timers_expired(set, instant(3 * DAY), &out) == 0 && tb_timers_check(set) == NULL;
    for (size_t i = 0; right && i < n; i++)
        right = out.items[i].token == i;
    tb_timers_destroy(set);
    tb_expiries_free(&out);
    return right;
}

static void the_clock_jumps(const kind *k)
{
    enum { MANY = 1000000, SOME = 50000 };
    ok(everything_at_once(k, MANY, SIZE_MAX), "WHL-37 WHL-29 case 27 %s: 10^6 due in one call: all, in order, once",
       k->name);
    ok(everything_at_once(k, SOME, 777), "WHL-50 WHL-51 case 27 %s: with a delivery limit the rest stays due, in order",
       k->name);
}

int main(void)
{
    each_kind(the_pending_count);
    each_kind(equal_deadlines);
    each_kind(not_by_duration);
    each_kind(the_clock_jumps);
    return sets_done();
}
