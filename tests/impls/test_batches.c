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
    ok(!tb_timers_insert_many(s.set, arms, 3, ids), "WHL-62 GB-18 %s: limit 3, one pending: insert_many of 3 fails",
       s.name);
    is(errno, ENOBUFS, "WHL-62 %s: ENOBUFS", s.name);
    ok(len(&s) == 1 && same_stats(before, stats_of(&s)), "WHL-62 %s: len 1, counters unchanged", s.name);
    ok(tb_timers_insert_many(s.set, arms, 2, ids), "WHL-62 GB-18 %s: of 2 passes", s.name);
    ok(!tb_timer_is_none(ids[0]) && !tb_timer_is_none(ids[1]) && !tb_timer_same(ids[0], ids[1]) && ids[2].bits == 3,
       "WHL-62 %s: with two ids", s.name);
    ok(tb_timers_is_pending(s.set, ids[0]) && tb_timers_is_pending(s.set, ids[1]), "WHL-62 %s: that name timers",
       s.name);
    ok(len(&s) == 3 && counts(&s, 3, 0, 0, 0, 3), "WHL-62 CNT-14 %s: len 3, armed 3", s.name);
    ok(tb_timers_insert_many(s.set, arms, 0, ids) && len(&s) == 3, "WHL-62 %s: none at all passes even when full",
       s.name);
    is_text(fires(&s, 5 * MS), "2 1", "WHL-62 %s: they fire", s.name);
    ok(tb_timer_same(s.out.items[0].id, ids[1]), "WHL-62 %s: under their ids", s.name);
    drop(&s);

    s = make(k, 0);
    arms[2] = (tb_arm){.at = instant(5 * MS), .kind = TB_ARM_REPEATING, .period = length(0)};
    before = stats_of(&s);
    errno = 0;
    ok(!tb_timers_insert_many(s.set, arms, 3, ids) && errno == EINVAL,
       "WHL-62 WHL-66 %s: a period of 0 among them: EINVAL", s.name);
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
    ok(tb_timers_insert_many(s.set, arms, 5, ids), "WHL-62 %s: a timeout, a precise, one in a lane, a repeating one",
       s.name);
    ok(tb_timers_is_precise(s.set, ids[2]) && !tb_timers_is_precise(s.set, ids[3]), "WHL-62 %s: each of its kind",
       s.name);
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
    is(tb_timers_cancel_many(s.set, ids, 5), 2,
       "WHL-63 %s: cancel_many(pending, fired, none, pending, the first again): 2", s.name);
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

enum { MOST = 6, KEPT = 32 };

/* Two sets, one armed and cancelled in batches, the other call by call, and the ids that each gave. */
typedef struct pair {
    subject many, single;
    tb_timer_id kept[2][KEPT];
    uint64_t random, token;
    int wrong;
} pair;

static void begin(pair *p, const kind *k)
{
    p->many = make(k, 0);
    p->single = make(k, 0);
    memset(p->kept, 0, sizeof p->kept);
    for (uint32_t lane = 1; lane < TB_LANES; lane++) {
        set_slop(&p->many, lane, (int64_t)lane * 2 * MS);
        set_slop(&p->single, lane, (int64_t)lane * 2 * MS);
    }
}

static void end(pair *p)
{
    subject *both[] = {&p->many, &p->single};
    for (int i = 0; i < 2; i++) {
        tb_timers_stats stats = stats_of(both[i]);
        both[i]->calls = stats.calls;
        both[i]->wakes = stats.wakes;
        both[i]->fired = stats.fired;
        drop(both[i]);
    }
}

static void arm_both(pair *p)
{
    tb_arm arms[MOST];
    tb_timer_id ids[2][MOST];
    int64_t now = now_of(&p->many);
    size_t n = random_next(&p->random) % MOST;
    for (size_t i = 0; i < n; i++)
        arms[i] = random_arm(&p->random, now, p->token++);
    p->wrong += !tb_timers_insert_many(p->many.set, arms, n, ids[0]);
    one_by_one(&p->single, arms, n, ids[1]);
    for (size_t i = 0; i < n; i++) {
        size_t place = random_next(&p->random) % KEPT;
        p->wrong += ids[0][i].bits != ids[1][i].bits;
        p->kept[0][place] = ids[0][i];
        p->kept[1][place] = ids[1][i];
    }
}

static void cancel_both(pair *p, size_t from)
{
    size_t cancelled = 0;
    for (size_t i = from; i < KEPT; i++)
        cancelled += tb_timers_cancel(p->single.set, p->kept[1][i]);
    p->wrong += tb_timers_cancel_many(p->many.set, p->kept[0] + from, KEPT - from) != cancelled;
}

static void expire_both(pair *p)
{
    enum { CUT = 16 };
    tb_instant now = instant(now_of(&p->many) + (int64_t)(random_next(&p->random) % 8) * 700 * US);
    tb_expiries *many = &p->many.out, *single = &p->single.out;
    tb_expiries_clear(many);
    tb_expiries_clear(single);
    size_t fired = tb_timers_expired_max(p->many.set, now, many, CUT);
    p->wrong += tb_timers_expired_max(p->single.set, now, single, CUT) != fired;
    for (size_t i = 0; i < fired && i < single->len; i++)
        p->wrong += many->items[i].token != single->items[i].token ||
                    many->items[i].deadline.ns != single->items[i].deadline.ns ||
                    many->items[i].id.bits != single->items[i].id.bits;
    p->wrong += !same_stats(stats_of(&p->many), stats_of(&p->single));
}

static void equal_to_single_calls(const kind *k)
{
    enum { BATCHES = 100000 };
    pair p = {.random = 62};
    begin(&p, k);
    for (int b = 1; b <= BATCHES; b++) {
        arm_both(&p);
        if (b % 4 == 0)
            cancel_both(&p, random_next(&p.random) % KEPT);
        expire_both(&p);
        if (b % 16 == 0) /* repeating timers pile up: now and then all that are known are taken out */
            cancel_both(&p, 0);
        if (b % 1024 == 0) {
            end(&p);
            begin(&p, k);
        }
    }
    end(&p);
    none_of(p.wrong, "WHL-62 WHL-63 %s: 10^5 random batches equal the single calls: ids, deliveries, ties, counters",
            k->name);
}

int main(void)
{
    each_by_id(all_or_nothing);
    each_by_id(in_the_order_given);
    each_by_id(cancelling_many);
    each_by_id(equal_to_single_calls);
    return sets_done();
}
