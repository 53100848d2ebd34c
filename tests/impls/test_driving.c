/* Driving a set: when the owner must call next, what a call delivers, in which order, and what it counts. */
#include "sets.h"
#include "tests/calendar/random.h"

static void next_wakes(const kind *k)
{
    subject s = make(k, 0);
    ok(wakes_never(&s), "WHL-23 %s: an empty set has no next wake", s.name);
    arm(&s, 3 * MS, 1);
    arm(&s, 300 * US, 2);
    tb_instant next = {0};
    ok(tb_timers_next_expiry(s.set, &next) && next.ns == 300 * US, "WHL-23 %s: 3 ms and a precise 300 us: 300 us",
       s.name);
    ok(next_precise_is(&s, 300 * US), "WHL-27 %s: next_precise is the precise one's", s.name);
    ok(tb_timers_next_timeout(s.set, &next) && (kind_has(k, TB_NEXT_EXACT) ? next.ns == 3 * MS : next.ns <= 3 * MS),
       "WHL-23 WHL-27 %s: next_timeout the other's", s.name);
    is_text(fires(&s, 300 * US), "2", "WHL-23 %s: called then, it fires", s.name);
    ok(no_next_precise(&s) && wakes_at(&s, 3 * MS), "WHL-27 %s: then no next_precise is left", s.name);
    is_text(fires(&s, 3 * MS), "1", "WHL-23 %s: and at 3 ms the timeout", s.name);
    ok(wakes_never(&s), "WHL-23 %s: an emptied set has no next wake", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 2500 * US, 1);
    ok(no_next_precise(&s), "WHL-27 %s: with a 2.5 ms timeout alone there is no next_precise", s.name);
    ok(tb_timers_next_timeout(s.set, &next) && (!kind_binding(k) || next.ns == 3 * MS) && next.ns <= 3 * MS,
       "WHL-27 %s: and next_timeout is 3 ms", s.name);
    drop(&s);
}

static void next_of_a_precise_one(const kind *k)
{
    subject s = make(k, 0);
    arm_precise(&s, 2 * SEC, 1);
    tb_instant next = {0};
    ok(tb_timers_next_expiry(s.set, &next) && next.ns == 2 * SEC, "WHL-23 %s: only a precise 2 s: exactly that",
       s.name);
    ok(!tb_timers_next_timeout(s.set, &next), "WHL-23 WHL-27 %s: there is no next_timeout", s.name);
    drop(&s);
}

static void deliveries_add_up(const kind *k)
{
    subject s = make(k, 0);
    tb_expiries out = {0};
    for (uint64_t i = 0; i < 100; i++)
        arm(&s, (int64_t)(i + 2) * MS, i);
    is(tb_timers_expired(s.set, instant(31 * MS), &out), 30, "WHL-28 %s: expired answers how many are due", s.name);
    is(out.len, 30, "WHL-28 %s: and appends as many", s.name);
    is(tb_timers_expired(s.set, instant(71 * MS), &out), 40, "WHL-28 %s: a second call", s.name);
    is(out.len, 70, "WHL-28 %s: out is not cleared", s.name);
    int wrong = 0;
    for (size_t i = 0; i < out.len; i++)
        wrong += out.items[i].token != i || out.items[i].deadline.ns != (int64_t)(i + 2) * MS ||
                 !tb_timer_same(out.items[i].id, k->keyed ? TB_TIMER_NONE : s.ids[i]);
    none_of(wrong, "WHL-29 WHL-32 %s: each with its id, its token, its deadline, once", s.name);
    is(now_of(&s), 71 * MS, "WHL-28 WHL-33 %s: the set's time is the latest given", s.name);
    s.calls = s.wakes = 2;
    s.fired = 70;
    tb_expiries_free(&out);
    drop(&s);

    s = make(k, 0);
    arm(&s, 2500 * US, 1);
    is_text(fires(&s, 3 * MS), "1", "WHL-32 %s: a 2.5 ms timer, delivered at 3 ms", s.name);
    is(s.out.items[0].deadline.ns, 2500000, "WHL-32 %s: has the deadline 2500000", s.name);
    drop(&s);
}

static void order_in_a_call(const kind *k)
{
    subject s = make(k, 0);
    int64_t t = 20 * MS + 300;
    arm(&s, t, 30);
    arm(&s, t, 10);
    if (k->keyed)
        arm(&s, t, 50);
    else
        arm_precise(&s, t, 50);
    arm(&s, t, 20);
    arm(&s, t + 1, 5);
    is_text(fires(&s, SEC), "30 10 50 20 5", "WHL-30 TRP-06 TRP-07 %s: deadline order, ties as armed, kinds mixed",
            s.name);
    drop(&s);

    enum { N = 2000 };
    uint64_t random = 30;
    static int64_t at[N];
    s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    for (uint64_t i = 0; i < N; i++) {
        at[i] = (int64_t)(random_next(&random) % 40) * 500 * US;
        uint64_t how = random_next(&random) % 3;
        if (how == 0 && !k->keyed)
            arm_precise(&s, at[i], i);
        else
            arm_in(&s, how == 1, at[i], i);
    }
    is(expire(&s, 30 * MS), N, "WHL-29 %s: 2000 random timers in one late call", s.name);
    int wrong = 0;
    for (size_t i = 0; i < s.out.len; i++) {
        const tb_expiry *e = &s.out.items[i], *before = i ? e - 1 : NULL;
        wrong += e->deadline.ns != at[e->token];
        at[e->token] = -1; /* delivered: a second time would be wrong */
        if (before)        /* tokens are in arm order here, and so is the expiry's own order */
            wrong += before->deadline.ns > e->deadline.ns ||
                     (before->deadline.ns == e->deadline.ns && (before->token > e->token || before->order >= e->order));
    }
    none_of(wrong, "WHL-29 WHL-30 %s: each once, in deadline order, ties in the order armed, across lanes and kinds",
            s.name);
    drop(&s);
}

/* What a call delivered is a list of the caller's own: handling it may arm, move and cancel at will. */
static void handling_a_batch(const kind *k)
{
    enum { N = 40 };
    subject s = make(k, 0);
    for (uint64_t i = 0; i < N; i++)
        arm(&s, 5 * MS, i);
    arm(&s, 9 * MS, 2 * N);
    is(expire(&s, 5 * MS), N, "WHL-29 TRP-08 %s: forty due in one call", s.name);
    tb_expiries batch = s.out;
    s.out = (tb_expiries){.allocator = &bounded};
    int wrong = 0;
    for (size_t i = 0; i < batch.len; i++) {
        const tb_expiry *e = &batch.items[i];
        wrong += e->token != i || pending(&s, e->token);
        /* A peer of the same batch is delivered already; what is armed now goes into the places just freed. */
        wrong += cancel(&s, (e->token + 1) % N) || rearm(&s, (e->token + 2) % N, SEC);
        wrong += !arm(&s, 7 * MS, N + i);
        wrong += e->token != i || e->deadline.ns != 5 * MS;
        if (i % 3 == 0)
            wrong += !cancel(&s, N + i);
        if (i == N / 2)
            wrong += !rearm(&s, 2 * N, 8 * MS) || expire(&s, 6 * MS) != 0;
    }
    none_of(wrong, "TRP-08 WHL-16 %s: handling each arms, moves and cancels: the batch stays as delivered", s.name);
    is(expire(&s, 7 * MS), N - (N + 2) / 3, "TRP-08 WHL-29 %s: what was armed meanwhile fires in its time, once",
       s.name);
    is_text(fires(&s, 8 * MS), "80", "TRP-08 WHL-52 %s: and what was moved", s.name);
    ok(len(&s) == 0, "TRP-08 %s: nothing else is left", s.name);
    tb_expiries_free(&batch);
    drop(&s);
}

static void order_across_calls(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 1200 * US, 1);
    arm_precise(&s, 1500 * US, 2);
    is_text(fires(&s, 1500 * US), "2", "WHL-31 %s: a precise 1.5 ms comes before", s.name);
    is_text(fires(&s, 2 * MS), "1", "WHL-31 %s: a timeout of 1.2 ms, whose tick is 2 ms", s.name);
    drop(&s);
}

static void time_does_not_go_back(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 2 * SEC, 1);
    expire(&s, 1011 * MS);
    is(expire(&s, 0), 0, "WHL-33 %s: expired(0) after 1.011 s delivers nothing", s.name);
    is(now_of(&s), 1011 * MS, "WHL-33 %s: now stays", s.name);
    ok(pending(&s, 1), "WHL-33 %s: and so does what is pending", s.name);
    expire(&s, INT64_MIN);
    is(now_of(&s), 1011 * MS, "WHL-33 %s: the same for the earliest instant", s.name);
    arm(&s, 1008 * MS, 9);
    is_text(fires(&s, 0), "9", "WHL-41 %s: an earlier instant delivers what is due at the set's own time", s.name);
    is(now_of(&s), 1011 * MS, "WHL-41 %s: now is still 1.011 s", s.name);
    is_text(fires(&s, 2 * SEC), "1", "WHL-33 %s: the other fires in its time", s.name);
    drop(&s);
}

static void counters(const kind *k)
{
    subject s = make(k, 0);
    for (uint64_t i = 1; i <= 5; i++)
        arm(&s, (int64_t)i * 2 * MS, i);
    cancel(&s, 2);
    cancel(&s, 4);
    expire(&s, 2 * MS);
    expire(&s, 6 * MS);
    expire(&s, 10 * MS);
    expire(&s, 20 * MS);
    tb_timers_stats stats = stats_of(&s);
    ok(counts(&s, 5, 0, 2, 3, 0), "WHL-34 CNT-14 %s: 5 armed, 2 cancelled, 3 fired, none pending", s.name);
    is(stats.calls, 4, "WHL-34 CNT-14 %s: 4 calls", s.name);
    is(stats.wakes, 3, "WHL-34 CNT-14 %s: 3 of which delivered something", s.name);
    ok(kind_has(k, TB_CASCADES) || stats.cascaded == 0, "CNT-14 %s: cascaded is 0 where nothing cascades", s.name);
    expire_max(&s, 21 * MS, 3);
    is(stats_of(&s).calls, 5, "CNT-14 %s: expired_max counts as a call", s.name);

    arm(&s, 21 * MS + 400 * US, 1);
    arm(&s, 23 * MS, 2);
    stats = stats_of(&s);
    ok(stats.pending == 2 && stats.pending_precise == 1 && stats.armed_precise == 1,
       "WHL-34 CNT-14 %s: of two pending one is precise, and was armed so", s.name);
    rearm(&s, 2, 21 * MS);
    rearm(&s, 1, SEC);
    stats = stats_of(&s);
    ok(stats.pending_precise == 1 && stats.armed_precise == 1 && stats.rearmed == 2,
       "CNT-14 %s: rearms that make one precise and one not: a level moves, armed_precise does not", s.name);
    cancel(&s, 2);
    is(stats_of(&s).pending_precise, 0, "CNT-14 %s: a cancelled precise one leaves the level", s.name);
    drop(&s);
}

static bool follow_to_empty(subject *s, int *not_ahead, int *too_late, const int64_t *fire)
{
    tb_instant next;
    for (int calls = 0; tb_timers_next_expiry(s->set, &next); calls++) {
        *not_ahead += next.ns <= now_of(s);
        for (uint64_t i = 0; i < 100; i++)
            *too_late += pending(s, i) && next.ns > fire[i];
        expire(s, next.ns);
        if (calls > 200000) /* a tick a call, where next looks no further, is half of that */
            return false;
    }
    return true;
}

static void following_makes_progress(const kind *k)
{
    static const int64_t starts[] = {INT64_MIN, -SEC, 0, 123456789, INT64_MAX - 200 * SEC};
    uint64_t random = 26;
    int not_ahead = 0, too_late = 0, endless = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        subject s = make(k, starts[i]);
        int64_t fire[100];
        for (uint64_t t = 0; t < 100; t++) {
            int64_t off = TICK + (int64_t)(random_next(&random) % (uint64_t)(100 * SEC));
            arm(&s, starts[i] + off, t);
            fire[t] = starts[i] + (off + TICK - 1) / TICK * TICK;
        }
        endless += !follow_to_empty(&s, &not_ahead, &too_late, fire) || s.fired != 100;
        drop(&s);
    }
    none_of(too_late, "WHL-24 %s: next_expiry is never later than the instant any pending timer fires at", k->name);
    none_of(not_ahead, "WHL-26 %s: with timeouts alone, next is after now at every step", k->name);
    none_of(endless, "WHL-26 %s: and following it ends, with all 100 fired", k->name);
}

/* ---- calls that deliver nothing ---------------------------------------------------------------------------------- */

static uint64_t idle_calls(const kind *k, int64_t start, int64_t off)
{
    subject s = make(k, start);
    arm(&s, start + off, 1);
    tb_instant next;
    while (tb_timers_next_expiry(s.set, &next) && s.calls < 100000)
        expire(&s, next.ns);
    uint64_t idle = s.calls - s.wakes;
    drop(&s);
    return idle;
}

/* Levels and span of the cascading wheels, in ticks: what WHL-25's bound is made of. */
static uint64_t most_idle_calls(const kind *k, int64_t off)
{
    static const struct {
        const char *name;
        uint64_t levels, span;
    } wheels[] = {{"wheel_6x64", 6, UINT64_C(1) << 36}, {"wheel_256_64", 5, UINT64_C(1) << 32}};
    uint64_t levels = 8, span = UINT64_C(1) << 32; /* of a wheel not listed: a generous bound */
    if (kind_has(k, TB_NEXT_EXACT))
        return 0;
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++)
        if (kind_is(k, wheels[i].name)) {
            levels = wheels[i].levels;
            span = wheels[i].span;
        }
    return levels - 1 + (uint64_t)(off / TICK) / span + 1;
}

static void few_idle_calls(const kind *k)
{
    if (!kind_binding(k))
        return; /* judged with idle calls skipped */
    uint64_t hour = idle_calls(k, 0, HOUR), years = idle_calls(k, 123456000, 3 * 365 * DAY + 850 * US);
    diag("%s: +1 h takes %" PRIu64 " calls that deliver nothing, 3 years %" PRIu64, k->name, hour, years);
    ok(hour <= most_idle_calls(k, HOUR) && years <= most_idle_calls(k, 3 * 365 * DAY),
       "WHL-25 %s: following next_expiry to a far timer makes few calls that deliver nothing", k->name);
    if (kind_has(k, TB_NEXT_EXACT))
        ok(hour == 0 && years == 0, "WHL-25 %s: none where next is exact", k->name);
    if (kind_is(k, "wheel_6x64")) {
        is(hour, 2, "WHL-25 %s: 2 for a timer at +1 h from 0", k->name);
        is(years, 6, "WHL-25 %s: 6 for one at 3 x 365 d, where the bound is 7", k->name);
        is(most_idle_calls(k, 3 * 365 * DAY), 7, "WHL-25 %s: levels - 1 + distance / span + 1 is 7 there", k->name);
    }
    uint64_t random = 25;
    int over = 0;
    for (int i = 0; i < 500; i++) {
        int64_t off = (int64_t)(random_next(&random) >> (1 + random_next(&random) % 40)),
                start = random_count(&random) / 4;
        off = off / 4 + TICK;
        over += idle_calls(k, start, off) > most_idle_calls(k, off);
    }
    none_of(over, "WHL-25 %s: nor do 500 random far timers from random starts make more than the bound", k->name);
}

/* ---- purity ------------------------------------------------------------------------------------------------------ */

static uint64_t drive(const kind *k, int64_t pause)
{
    subject s = make(k, 0);
    uint64_t random = 1, digest = 0;
    for (uint64_t i = 0; i < 200; i++) {
        arm(&s, (int64_t)i * MS + (int64_t)(random_next(&random) % (uint64_t)(30 * MS)), i);
        if (i % 10 == 0)
            tb_thread_sleep(length(pause));
        expire(&s, (int64_t)i * MS);
        for (size_t e = 0; e < s.out.len; e++)
            digest = (digest ^ s.out.items[e].token ^ (uint64_t)s.out.items[e].deadline.ns ^ i << 50) *
                     UINT64_C(0x100000001b3);
        tb_instant next = {0};
        tb_timers_next_expiry(s.set, &next);
        digest += (uint64_t)next.ns;
    }
    drop(&s);
    return digest;
}

static void pure_data(const kind *k)
{
    ok(drive(k, 0) == drive(k, 300 * US), "WHL-01 %s: the same calls give the same answers at any speed", k->name);
}

int main(void)
{
    each_kind(next_wakes);
    each_by_id(next_of_a_precise_one);
    each_kind(deliveries_add_up);
    each_kind(order_in_a_call);
    each_kind(handling_a_batch);
    each_by_id(order_across_calls);
    each_kind(time_does_not_go_back);
    each_kind(counters);
    each_kind(following_makes_progress);
    each_kind(few_idle_calls);
    each_kind(pure_data);
    return sets_done();
}
