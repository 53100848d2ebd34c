/* Arming: the tick test, the grid that a set's ticks stand on, and the instant at which a timer fires. */
#include "sets.h"
#include "tests/calendar/random.h"

static void an_empty_set(const kind *k)
{
    static const int64_t starts[] = {0, 10300000, -5 * SEC, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        subject s = make(k, starts[i]);
        tb_timers_stats zero = {0};
        ok(len(&s) == 0 && tb_timers_is_empty(s.set), "WHL-04 %s: a new set is empty, made at %" PRId64, s.name,
           starts[i]);
        ok(wakes_never(&s), "WHL-04 WHL-23 %s: it has no next wake", s.name);
        is(now_of(&s), starts[i], "WHL-04 %s: its time is where it starts", s.name);
        tb_timers_stats stats = stats_of(&s);
        ok(same_stats(stats, zero) && stats.cascaded == 0, "WHL-04 CNT-14 %s: every counter starts at 0", s.name);
        is(expire(&s, starts[i]), 0, "WHL-04 %s: nothing is due in it", s.name);
        drop(&s);
    }
}

static void the_grid(const kind *k)
{
    subject s = make(k, 10300000);
    arm(&s, 10300000 + 1500 * US, 1);
    is_text(fires(&s, 10300000 + 2000000 - 1), "",
            "WHL-05 %s: make(10.3 ms), armed for +1.5 ms: not due before t0 + 2 ms", s.name);
    is_text(fires(&s, 10300000 + 2000000), "1", "WHL-05 %s: due at t0 + 2000000 ns exactly, on the set's own grid",
            s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 2500 * US, 1);
    ok(wakes_at(&s, 3 * MS), "WHL-07 WHL-27 %s: armed for 2.5 ms, the next wake is 3 ms", s.name);
    is_text(fires(&s, 2999 * US), "", "WHL-07 %s: 2.5 ms is not due at 2.999 ms", s.name);
    is_text(fires(&s, 2999999), "", "WHL-07 %s: nor 1 ns before 3 ms", s.name);
    is_text(fires(&s, 3000 * US), "1", "WHL-07 %s: due at 3.000 ms", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 5 * MS, 7);
    is_text(fires(&s, 5 * MS - 1), "", "WHL-07 %s: 5 ms is not due 1 ns before", s.name);
    is_text(fires(&s, 5 * MS), "7", "WHL-07 %s: a deadline on the grid fires at itself", s.name);
    drop(&s);

    s = make(k, INT64_C(-5) * SEC);
    arm(&s, -4998500 * US, 3);
    is_text(fires(&s, -4998 * MS - 1), "", "WHL-40 %s: made at -5 s, armed for -4.9985 s: not before tick 2", s.name);
    is_text(fires(&s, -4998 * MS), "3", "WHL-40 %s: fires at tick 2, -4.998 s", s.name);
    is(s.out.items[0].deadline.ns, -4998500 * US, "WHL-40 WHL-32 %s: with the deadline it was armed for", s.name);
    drop(&s);
}

static void the_tick_test(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 999999, 1);
    arm(&s, 1000000, 2);
    ok(precise(&s, 1), "WHL-09 %s: 999999 ns off is precise", s.name);
    ok(!precise(&s, 2), "WHL-09 %s: 1000000 ns off is not", s.name);
    is_text(fires(&s, 999998), "", "WHL-09 %s: 999999 ns is not due 1 ns before", s.name);
    is_text(fires(&s, 999999), "1", "WHL-09 %s: and due at itself", s.name);
    is_text(fires(&s, 1000000), "2", "WHL-09 %s: 1000000 ns is the first tick", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 300 * US, 1);
    is_text(fires(&s, 300000 - 1), "", "WHL-09 %s: 300 us is not due 1 ns before", s.name);
    is_text(fires(&s, 300000), "1", "WHL-09 %s: due at exactly 300000 ns", s.name);
    drop(&s);

    s = make(k, 0);
    expire(&s, 1100 * MS);
    int64_t now = 1100 * MS;
    arm(&s, now - 3 * MS, 1);
    ok(precise(&s, 1), "WHL-10 %s: at 1.1 s, 3 ms in the past is precise", s.name);
    tb_instant next = {0};
    ok(tb_timers_next_expiry(s.set, &next), "WHL-10 %s: there is a next wake", s.name);
    is(next.ns, now - 3 * MS, "WHL-10 %s: it is the past deadline itself", s.name);
    is_text(fires(&s, now), "1", "WHL-10 %s: due at the next call", s.name);
    drop(&s);

    s = make(k, 0);
    expire(&s, 2 * MS);
    arm(&s, 2999 * US, 1);
    ok(precise(&s, 1), "WHL-11 %s: after expired(2 ms), 2.999 ms is precise", s.name);
    arm(&s, 3000 * US, 2);
    ok(!precise(&s, 2), "WHL-11 %s: and 3 ms is not", s.name);
    is_text(fires(&s, 2999 * US), "1", "WHL-11 %s: it fires at 2.999 ms", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, INT64_MIN, 1);
    ok(precise(&s, 1) && wakes_at(&s, INT64_MIN), "WHL-10 %s: the earliest instant there is is precise and next",
       s.name);
    is_text(fires(&s, 0), "1", "WHL-10 %s: and due", s.name);
    drop(&s);
}

static void precise_however_far(const kind *k)
{
    subject s = make(k, 0);
    arm_precise(&s, 2 * SEC + 1, 1);
    arm_precise(&s, HOUR + 7, 2);
    ok(precise(&s, 1) && precise(&s, 2), "WHL-12 %s: insert_precise at 2 s and 3600 s: both precise", s.name);
    is_text(fires(&s, 2 * SEC), "", "WHL-12 %s: 2 s + 1 ns is not due 1 ns before", s.name);
    is_text(fires(&s, 2 * SEC + 1), "1", "WHL-12 %s: due at its nanosecond", s.name);
    ok(precise(&s, 2), "WHL-12 %s: the other is still precise", s.name);
    is_text(fires(&s, HOUR + 6), "", "WHL-12 %s: 3600 s + 7 ns is not due 1 ns before", s.name);
    is_text(fires(&s, HOUR + 7), "2", "WHL-12 %s: due at its nanosecond", s.name);
    drop(&s);
}

static void tokens_come_back(const kind *k)
{
    static const uint64_t odd[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 0xdeadbeef};
    enum { N = sizeof odd / sizeof *odd };
    int wrong = 0;
    for (int kinds = 0; kinds < 3; kinds++) { /* a timeout, a near timer, a precise one */
        subject s = make(k, 0);
        for (int i = 0; i < N; i++)
            if (kinds == 2)
                arm_precise(&s, 5 * MS + i, odd[i]);
            else
                arm(&s, kinds ? 100 + i : 5 * MS + i, odd[i]);
        wrong += expire(&s, 10 * MS) != N;
        for (size_t i = 0; i < s.out.len; i++)
            wrong += s.out.items[i].token != odd[i];
        drop(&s);
    }
    none_of(wrong, "WHL-06 %s: tokens 0, 1, 2^64-1 and others come back unchanged", k->name);
}

static void keys_come_back(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 0);
    arm(&s, 5 * MS + 1, 1);
    arm(&s, 200 * US, SUBJECT_TOKENS - 1);
    is_text(fires(&s, 10 * MS), "4095 0 1", "WHL-06 WHL-55 %s: the token of a keyed timer is its key", s.name);
    ok(tb_timer_is_none(s.out.items[0].id) && tb_timer_is_none(s.out.items[2].id), "WHL-55 %s: which has no id",
       s.name);
    drop(&s);
}

/* ---- the closed form of EQ-03, over random timers ---------------------------------------------------------------- */

__extension__ typedef __int128 wide;

typedef struct expected {
    int64_t fire; /* the first instant, from now on, at which it is delivered */
    bool precise, never;
} expected;

static expected rule(int64_t start, int64_t now, int64_t at)
{
    expected e = {at > now ? at : now, (wide)at - now < TICK, false};
    if (!e.precise) {
        wide tick = ((wide)at - start + TICK - 1) / TICK, fire = start + tick * TICK;
        e.never = fire > INT64_MAX;
        e.fire = e.never ? INT64_MAX : (int64_t)fire;
    }
    return e;
}

static int by_fire(const void *a, const void *b)
{
    const expected *x = a, *y = b;
    return (x->fire > y->fire) - (x->fire < y->fire);
}

typedef struct faults {
    int early, not_at_its_instant, late, mistaken;
} faults;

/* Arms n random timers in a set at `start` and delivers each tick's alone: 1 ns before, nothing; at it, those. */
static void fire_one_by_one(const kind *k, int64_t start, uint64_t *random, faults *f)
{
    enum { N = 40 };
    expected e[N];
    bool timeout[N];
    subject s = make(k, start);
    for (int i = 0; i < N; i++) {
        int64_t far = random_count(random), at;
        if (__builtin_add_overflow(start, far < 0 && far > INT64_MIN ? -far : far, &at))
            at = INT64_MAX - (int64_t)(random_next(random) % 3000000);
        e[i] = rule(start, start, at);
        arm(&s, at, (uint64_t)i);
        timeout[i] = !e[i].precise;
        f->mistaken += precise(&s, (uint64_t)i) != e[i].precise;
    }
    qsort(e, N, sizeof *e, by_fire);
    for (int i = 0, j; i < N; i = j) {
        size_t due = 0;
        for (j = i; j < N && e[j].fire == e[i].fire; j++)
            due += !e[j].never;
        if (e[i].fire > now_of(&s))
            f->early += expire(&s, e[i].fire - 1) != 0;
        f->not_at_its_instant += expire(&s, e[i].fire) != due;
        for (size_t x = 0; x < s.out.len; x++) {
            int64_t late = (int64_t)((uint64_t)e[i].fire - (uint64_t)s.out.items[x].deadline.ns);
            f->late += timeout[s.out.items[x].token] && (late < 0 || late > 999999);
        }
    }
    drop(&s);
}

static void the_rule(const kind *k)
{
    static const int64_t starts[] = {INT64_MIN, INT64_MIN + 1, -7 * DAY - 123,  -1,           0,
                                     1,         123456000,     INT64_MAX - DAY, INT64_MAX - 1};
    uint64_t random = 20;
    faults f = {0};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (int round = 0; round < 12; round++)
            fire_one_by_one(k, starts[i], &random, &f);
    for (int round = 0; round < 40; round++)
        fire_one_by_one(k, random_count(&random), &random, &f);
    none_of(f.mistaken, "WHL-09 EQ-03 %s: a timer is precise when it is less than a tick off, and only then", k->name);
    none_of(f.early, "WHL-08 EQ-03 %s: no timer fires before its instant, from starts at both ends of time and between",
            k->name);
    none_of(f.not_at_its_instant, "WHL-07 EQ-03 %s: each fires at the instant of the closed form", k->name);
    none_of(f.late, "WHL-08 %s: from a timeout's deadline to its firing pass 0 to 999999 ns", k->name);
}

int main(void)
{
    is(tb_duration_nanos(length(TB_TICK_NANOS)), 1000000, "WHL-03 a tick is 1 ms");
    is(tb_duration_millis(length(TB_TICK_NANOS)), 1, "WHL-03 TB_TICK_NANOS is a Duration's count");
    each_kind(an_empty_set);
    each_kind(the_grid);
    each_kind(the_tick_test);
    each_by_id(precise_however_far);
    each_by_id(tokens_come_back);
    each_by_key(keys_come_back);
    each_kind(the_rule);
    return sets_done();
}
