/* Batches: many timers armed or cancelled in one call, and that it equals the single calls. */
#include "sets.h"
#include "tests/calendar/random.h"

static tb_arm timeout_at(int64_t at, uint64_t token)
{
    tb_arm a = {.at = instant(at), .token = token, .kind = TB_ARM_TIMEOUT};
    return a;
}

static void all_or_nothing(const kind *k)
{
    subject s = make_with(k, 0, (tb_timers_options){.limit = 3});
    arm(&s, 50 * MS, 0);
    tb_timers_stats before = stats_of(&s);
    tb_arm arms[] = {timeout_at(5 * MS, 1), timeout_at(4 * MS, 2), timeout_at(5 * MS, 3)};
    tb_timer_id ids[3] = {{1}, {2}, {3}};
    errno = 0;
    ok(!tb_timers_insert_many(s.set, arms, 3, ids), "WHL-62 GB-18 %s: limit 3, one pending: insert_many of 3 fails", s.name);
    is(errno, ENOBUFS, "WHL-62 %s: ENOBUFS", s.name);
    ok(len(&s) == 1 && same_stats(before, stats_of(&s)), "WHL-62 %s: len 1, counters unchanged", s.name);
    ok(tb_timers_insert_many(s.set, arms, 2, ids), "WHL-62 GB-18 %s: of 2 passes", s.name);
    ok(!tb_timer_is_none(ids[0]) && !tb_timer_is_none(ids[1]) && !tb_timer_same(ids[0], ids[1]) && ids[2].bits == 3,
       "WHL-62 %s: with two ids", s.name);
    ok(tb_timers_is_pending(s.set, ids[0]) && tb_timers_is_pending(s.set, ids[1]), "WHL-62 %s: that name timers", s.name);
    ok(len(&s) == 3 && counts(&s, 3, 0, 0, 0, 3), "WHL-62 CNT-14 %s: len 3, armed 3", s.name);
    ok(tb_timers_insert_many(s.set, arms, 0, ids) && len(&s) == 3, "WHL-62 %s: none at all passes even when full", s.name);
    is_text(fires(&s, 5 * MS), "2 1", "WHL-62 %s: they fire", s.name);
    ok(tb_timer_same(s.out.items[0].id, ids[1]), "WHL-62 %s: under their ids", s.name);
    drop(&s);

    s = make(k, 0);
    arms[2] = (tb_arm){.at = instant(5 * MS), .kind = TB_ARM_REPEATING, .period = length(0)};
    before = stats_of(&s);
    errno = 0;
    ok(!tb_timers_insert_many(s.set, arms, 3, ids) && errno == EINVAL, "WHL-62 WHL-66 %s: a period of 0 among them: EINVAL", s.name);
    ok(len(&s) == 0 && same_stats(before, stats_of(&s)), "WHL-62 %s: and none is armed", s.name);
    drop(&s);
}

static void in_the_order_given(const kind *k)
{
    subject s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    tb_arm arms[] = {timeout_at(5 * MS, 30), timeout_at(5 * MS, 10), timeout_at(5 * MS, 50), timeout_at(5 * MS, 20),
                     timeout_at(5 * MS, 5)};
    arms[2].kind = TB_ARM_PRECISE;
    arms[3].lane = 1;
    arms[4].kind = TB_ARM_REPEATING;
    arms[4].period = length(DAY);
    arms[4].policy = TB_REPEAT_DELAY;
    tb_timer_id ids[5];
    ok(tb_timers_insert_many(s.set, arms, 5, ids), "WHL-62 %s: a timeout, a precise, one in a lane, a repeating one", s.name);
    ok(tb_timers_is_precise(s.set, ids[2]) && !tb_timers_is_precise(s.set, ids[3]), "WHL-62 %s: each of its kind", s.name);
    is(stats_of(&s).armed_precise, 1, "WHL-62 CNT-14 %s: one armed as precise", s.name);
    is_text(fires(&s, 10 * MS), "30 10 50 20 5", "WHL-62 WHL-30 %s: ties come in the order given", s.name);
    ok(tb_timers_is_pending(s.set, ids[4]) && len(&s) == 1, "WHL-62 %s: the repeating one goes on", s.name);
    drop(&s);
}

static void cancelling_many(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 50 * MS, 1);
    arm(&s, 60 * MS, 2);
    arm(&s, MS, 3);
    expire(&s, MS);
    tb_timer_id ids[] = {s.ids[1], s.ids[3], TB_TIMER_NONE, s.ids[2], s.ids[1]};
    is(tb_timers_cancel_many(s.set, ids, 5), 2, "WHL-63 %s: cancel_many(pending, fired, none, pending, the first again): 2", s.name);
    is(stats_of(&s).cancelled, 2, "WHL-63 CNT-14 %s: cancelled 2", s.name);
    is(len(&s), 0, "WHL-63 %s: none pending", s.name);
    is(tb_timers_cancel_many(s.set, ids, 5), 0, "WHL-63 %s: again: 0", s.name);
    is(tb_timers_cancel_many(s.set, NULL, 0), 0, "WHL-63 %s: of no ids: 0", s.name);
    drop(&s);
}

static void one_by_one(subject *s, const tb_arm *arms, size_t n, tb_timer_id *ids)
{
    for (size_t i = 0; i < n; i++)
        switch (arms[i].kind) {
        case TB_ARM_TIMEOUT:
            ids[i] = tb_timers_insert_in(s->set, arms[i].lane, arms[i].at, arms[i].token);
            break;
        case TB_ARM_PRECISE:
            ids[i] = tb_timers_insert_precise(s->set, arms[i].at, arms[i].token);
            break;
        case TB_ARM_REPEATING:
            ids[i] = tb_timers_insert_repeating(s->set, arms[i].at, arms[i].period, arms[i].policy, arms[i].token);
            break;
        }
}

static tb_arm random_arm(uint64_t *random, int64_t now, uint64_t token)
{
    static const int64_t coarse = 500 * US; /* few distinct deadlines, many ties */
    uint64_t r = random_next(random);
    tb_arm a = timeout_at(now + (int64_t)(r % 40 - 2) * coarse, token);
    a.kind = r >> 20 & 15 ? (r >> 24 & 3 ? TB_ARM_TIMEOUT : TB_ARM_PRECISE) : TB_ARM_REPEATING;
    a.lane = (uint32_t)(r >> 30 & 7);
    a.period = length((int64_t)(1 + (r >> 33 & 15)) * MS + 100 * US);
    a.policy = (tb_repeat)((r >> 40) % 3);
    return a;
}

/* Two sets, one armed and cancelled in batches, the other call by call. */
static void equal_to_single_calls(const kind *k)
{
    enum { BATCHES = 100000, MOST = 6, KEPT = 32 };
    uint64_t random = 62, token = 0;
    subject many = make(k, 0), single = make(k, 0);
    tb_timer_id kept[2][KEPT] = {{{0}}};
    int wrong = 0;
    for (uint32_t lane = 1; lane < TB_LANES; lane++) {
        set_slop(&many, lane, (int64_t)lane * 2 * MS);
        set_slop(&single, lane, (int64_t)lane * 2 * MS);
    }
    for (int b = 0; b < BATCHES; b++) {
        tb_arm arms[MOST];
        tb_timer_id ids[2][MOST];
        int64_t now = now_of(&many);
        size_t n = random_next(&random) % MOST;
        for (size_t i = 0; i < n; i++)
            arms[i] = random_arm(&random, now, token++);
        wrong += !tb_timers_insert_many(many.set, arms, n, ids[0]);
        one_by_one(&single, arms, n, ids[1]);
        for (size_t i = 0; i < n; i++) {
            size_t place = random_next(&random) % KEPT;
            wrong += ids[0][i].bits != ids[1][i].bits;
            kept[0][place] = ids[0][i];
            kept[1][place] = ids[1][i];
        }
        size_t cancelled = 0, from = random_next(&random) % KEPT;
        for (size_t i = from; b % 4 == 0 && i < KEPT; i++)
            cancelled += tb_timers_cancel(single.set, kept[1][i]);
        if (b % 4 == 0)
            wrong += tb_timers_cancel_many(many.set, kept[0] + from, KEPT - from) != cancelled;
        now += (int64_t)(random_next(&random) % 8) * 700 * US;
        tb_expiries_clear(&many.out);
        tb_expiries_clear(&single.out);
        size_t fired = tb_timers_expired_max(many.set, instant(now), &many.out, 16);
        wrong += tb_timers_expired_max(single.set, instant(now), &single.out, 16) != fired;
        for (size_t i = 0; i < fired && i < single.out.len; i++)
            wrong += many.out.items[i].token != single.out.items[i].token ||
                     many.out.items[i].deadline.ns != single.out.items[i].deadline.ns ||
                     many.out.items[i].id.bits != single.out.items[i].id.bits;
        wrong += !same_stats(stats_of(&many), stats_of(&single));
        many.calls = single.calls = stats_of(&many).calls;
        many.wakes = single.wakes = stats_of(&many).wakes;
        many.fired = single.fired = stats_of(&many).fired;
        if (b % 256 == 0)
            inspect(&many);
        /* Repeating timers pile up: now and then all are taken out. */
        if (b % 16 == 15)
            for (int which = 0; which < 2; which++)
                tb_timers_cancel_many(which ? single.set : many.set, kept[which], KEPT);
        if (b % 1024 == 1023) {
            drop(&many);
            drop(&single);
            many = make(k, 0);
            single = make(k, 0);
            memset(kept, 0, sizeof kept);
        }
    }
    none_of(wrong, "WHL-62 WHL-63 %s: 10^5 random batches equal the single calls: ids, deliveries, ties, counters", k->name);
    drop(&many);
    drop(&single);
}

int main(void)
{
    each_by_id(all_or_nothing);
    each_by_id(in_the_order_given);
    each_by_id(cancelling_many);
    each_by_id(equal_to_single_calls);
    return sets_done();
}
