/* Repeating timers: the next occurrence under each policy, one id until cancelled, and the end of time. */
#include "sets.h"

static const char *const policy_names[] = {"burst", "skip", "delay"};

/* A repeating timer at 10 ms, every 10 ms, token 1. */
static subject every_ten(const kind *k, tb_repeat policy)
{
    subject s = make(k, 0);
    arm_repeating(&s, 10 * MS, 10 * MS, policy, 1);
    return s;
}

static void any_policy(const kind *k)
{
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        subject s = every_ten(k, p);
        tb_timer_id id = s.ids[1];
        is(expire(&s, 10 * MS), 1, "WHL-57 %s, %s: at 10 ms every 10 ms: one at 10 ms", s.name, policy_names[p]);
        ok(s.out.items[0].token == 1 && tb_timer_same(s.out.items[0].id, id) && s.out.items[0].deadline.ns == 10 * MS,
           "WHL-57 %s, %s: with its id, token and own deadline", s.name, policy_names[p]);
        ok(pending(&s, 1), "WHL-57 %s, %s: it is still pending", s.name, policy_names[p]);
        ok(counts(&s, 2, 0, 0, 1, 1), "WHL-57 CNT-14 %s, %s: armed 2, fired 1, pending 1", s.name, policy_names[p]);
        ok(wakes_at(&s, 20 * MS), "WHL-57 %s, %s: the next is due at 20 ms", s.name, policy_names[p]);
        ok(cancel(&s, 1), "WHL-57 %s, %s: cancel is true", s.name, policy_names[p]);
        ok(!cancel(&s, 1) && !pending(&s, 1), "WHL-57 %s, %s: and again false", s.name, policy_names[p]);
        ok(counts(&s, 2, 0, 1, 1, 0), "WHL-57 %s, %s: armed 2 = pending 0 + cancelled 1 + fired 1", s.name,
           policy_names[p]);
        is(expire(&s, SEC), 0, "WHL-57 %s, %s: it does not come back", s.name, policy_names[p]);
        drop(&s);

        s = make(k, 0);
        arm_repeating(&s, 10 * MS, 10 * MS, p, UINT64_MAX);
        for (int64_t i = 1; i <= 50; i++)
            expire(&s, i * 10 * MS);
        ok(s.fired == 50 && s.out.items[0].token == UINT64_MAX, "WHL-57 WHL-06 %s, %s: 50 occurrences, token 2^64-1",
           s.name, policy_names[p]);
        ok(counts(&s, 51, 0, 0, 50, 1), "WHL-57 CNT-14 %s, %s: each counted armed and fired", s.name, policy_names[p]);
        drop(&s);
    }
}

static void burst(const kind *k)
{
    subject s = every_ten(k, TB_REPEAT_BURST);
    is(expire(&s, 35 * MS), 3, "WHL-58 GB-02 %s: burst, called at 35 ms: 3", s.name);
    is_text(deadlines(&s, MS), "10 20 30", "WHL-58 %s: deadlines 10 20 30 ms", s.name);
    ok(wakes_at(&s, 40 * MS), "WHL-58 %s: next due 40 ms", s.name);
    ok(counts(&s, 4, 0, 0, 3, 1), "WHL-58 %s: armed 4, fired 3", s.name);
    is_text(fires(&s, 40 * MS - 1), "", "WHL-58 %s: not before", s.name);
    is_text(fires(&s, 40 * MS), "1", "WHL-58 %s: and at 40 ms", s.name);
    drop(&s);

    s = every_ten(k, TB_REPEAT_BURST);
    expire_max(&s, 35 * MS, 2);
    is_text(deadlines(&s, MS), "10 20", "WHL-58 WHL-50 %s: bounded by max 2: 10 20", s.name);
    expire(&s, 35 * MS);
    is_text(deadlines(&s, MS), "30", "WHL-58 WHL-51 %s: the next call: 30", s.name);
    drop(&s);

    s = make(k, 0);
    arm_repeating(&s, 10 * MS, 10 * MS, TB_REPEAT_BURST, 1);
    arm(&s, 20 * MS, 2);
    arm_repeating(&s, 10 * MS, 10 * MS, TB_REPEAT_BURST, 3);
    is_text(fires(&s, 35 * MS), "1 3 2 1 3 1 3",
            "WHL-58 %s: an occurrence takes its arm order when the one before it fires", s.name);
    drop(&s);
}

static void skip_missed(const kind *k)
{
    subject s = every_ten(k, TB_REPEAT_SKIP);
    is(expire(&s, 35 * MS), 1, "WHL-59 GB-02 %s: skip, called at 35 ms: 1", s.name);
    is_text(deadlines(&s, MS), "10", "WHL-59 %s: deadline 10 ms", s.name);
    ok(wakes_at(&s, 40 * MS), "WHL-59 %s: next due 40 ms", s.name);
    ok(counts(&s, 2, 0, 0, 1, 1), "WHL-59 %s: armed 2, fired 1", s.name);
    is_text(fires(&s, 40 * MS - 1), "", "WHL-59 %s: not before", s.name);
    is_text(fires(&s, 40 * MS), "1", "WHL-59 %s: and at 40 ms", s.name);
    drop(&s);

    s = every_ten(k, TB_REPEAT_SKIP);
    is(expire(&s, 30 * MS), 1, "WHL-59 %s: called on a grid point, 30 ms: 1", s.name);
    ok(wakes_at(&s, 40 * MS), "WHL-59 %s: next due 40 ms, after now", s.name);
    is_text(fires(&s, 40 * MS - 1), "", "WHL-59 %s: not before", s.name);
    is_text(fires(&s, 40 * MS), "1", "WHL-59 %s: and then", s.name);
    drop(&s);
}

/* Driven `late` ns after each due instant; the deadlines and the calls of the first n, as text. */
static void drive_late(const kind *k, tb_repeat policy, int64_t late, int n, char *when, char *what)
{
    subject s = every_ten(k, policy);
    int64_t due = 10 * MS;
    when[0] = what[0] = '\0';
    for (int i = 0; i < n; i++) {
        if (expire(&s, due - 1) != 0 || expire(&s, due + late) != 1) {
            strcpy(when, "not one");
            break;
        }
        sprintf(when + strlen(when), i ? " %" PRId64 : "%" PRId64, (due + late) / MS);
        sprintf(what + strlen(what), i ? " %" PRId64 : "%" PRId64, s.out.items[0].deadline.ns / MS);
        due = policy == TB_REPEAT_DELAY ? due + late + 10 * MS : due + 10 * MS;
    }
    drop(&s);
}

static void delay(const kind *k)
{
    subject s = every_ten(k, TB_REPEAT_DELAY);
    is(expire(&s, 35 * MS), 1, "WHL-60 GB-02 %s: delay, called at 35 ms: 1", s.name);
    ok(wakes_at(&s, 45 * MS), "WHL-60 %s: next due 45 ms", s.name);
    is_text(fires(&s, 45 * MS - 1), "", "WHL-60 %s: not before", s.name);
    is_text(fires(&s, 45 * MS), "1", "WHL-60 %s: and at 45 ms", s.name);
    drop(&s);

    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        char when[64], what[64];
        drive_late(k, p, 3 * MS, 4, when, what);
        is_text(what, p == TB_REPEAT_DELAY ? "10 23 36 49" : "10 20 30 40",
                "WHL-60 %s, %s: driven 3 ms late: its deadlines", k->name, policy_names[p]);
        is_text(when, p == TB_REPEAT_DELAY ? "13 26 39 52" : "13 23 33 43", "WHL-60 %s, %s: and when they fire",
                k->name, policy_names[p]);
    }
}

/* The ticks at which a timer at 1.5 ms every 1.5 ms fires, called at every one. */
static void ticks_of(const kind *k, tb_repeat policy, char *text)
{
    subject s = make(k, 0);
    arm_repeating(&s, 1500 * US, 1500 * US, policy, 1);
    text[0] = '\0';
    for (int64_t now = 100 * US, n = 0; n < 6; now += 100 * US)
        if (expire(&s, now)) {
            n++;
            sprintf(text + strlen(text), n > 1 ? " %g" : "%g", (double)now / 1e6);
        }
    drop(&s);
}

static void as_insert_would(const kind *k)
{
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        char text[64];
        ticks_of(k, p, text);
        is_text(text, p == TB_REPEAT_DELAY ? "2 4 6 8 10 12" : "2 3 5 6 8 9",
                "WHL-61 %s, %s: at 1.5 ms every 1.5 ms, called when due", k->name, policy_names[p]);
    }
    subject s = make(k, 0);
    arm_repeating(&s, 1500 * US, 1500 * US, TB_REPEAT_BURST, 1);
    is(expire(&s, 4700 * US), 3, "WHL-61 %s: burst, one call at 4.7 ms: 3", s.name);
    is_text(deadlines(&s, 100 * US), "15 30 45", "WHL-61 %s: deadlines 1.5 3 4.5 ms", s.name);
    ok(wakes_at(&s, 6 * MS), "WHL-61 %s: next due 6 ms", s.name);
    drop(&s);

    static const size_t fired[] = {3600, 1, 1};
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        s = make(k, 0);
        arm_repeating(&s, MS, MS, p, 1);
        is(expire(&s, 3600 * MS), fired[p], "WHL-61 %s, %s: at 1 ms every 1 ms, one call at 3600 ms", s.name,
           policy_names[p]);
        drop(&s);

        s = make(k, 0);
        arm_repeating(&s, 0, SEC, p, 1);
        is(expire(&s, 0), 1, "WHL-61 %s, %s: at 0 every 1 s, called at 0: 1", s.name, policy_names[p]);
        ok(wakes_at(&s, SEC), "WHL-61 %s, %s: next due 1 s", s.name, policy_names[p]);
        is_text(fires(&s, SEC - 1), "", "WHL-61 %s, %s: not before", s.name, policy_names[p]);
        is_text(fires(&s, SEC), "1", "WHL-61 %s, %s: and then", s.name, policy_names[p]);
        drop(&s);

        s = make(k, 0);
        set_slop(&s, 0, 10 * MS);
        arm_repeating(&s, 15 * MS, 10 * MS, p, 1);
        is_text(fires(&s, 20 * MS), "1", "WHL-61 %s, %s: lane 0's slop of 10 ms: 15 ms fires at 20 ms", s.name,
                policy_names[p]);
        is_text(fires(&s, 30 * MS - 1), "", "WHL-61 %s, %s: and the next one", s.name, policy_names[p]);
        is_text(fires(&s, 30 * MS), "1", "WHL-61 %s, %s: at 30 ms", s.name, policy_names[p]);
        drop(&s);

        s = make(k, 0);
        arm_repeating(&s, 300 * US, 300 * US, p, 1);
        ok(precise(&s, 1), "WHL-61 %s, %s: a period below a tick: precise", s.name, policy_names[p]);
        is_text(fires(&s, 300 * US), "1", "WHL-61 %s, %s: the first", s.name, policy_names[p]);
        ok(precise(&s, 1) && next_precise_is(&s, 600 * US), "WHL-61 %s, %s: the next is precise as well", s.name,
           policy_names[p]);
        is(stats_of(&s).armed_precise, 2, "WHL-61 CNT-14 %s, %s: each counts as armed precise", s.name,
           policy_names[p]);
        drop(&s);
    }
}

static void the_end_of_time(const kind *k)
{
    subject s = make(k, INT64_MAX - 100);
    arm_repeating(&s, INT64_MAX - 5, 10, TB_REPEAT_BURST, 1);
    is(expire(&s, INT64_MAX), 2, "WHL-61 %s: burst at MAX - 5 every 10 ns: 2 at I(MAX)", s.name);
    ok(s.out.items[0].deadline.ns == INT64_MAX - 5 && s.out.items[1].deadline.ns == INT64_MAX,
       "WHL-61 %s: deadlines MAX - 5 and MAX", s.name);
    ok(!pending(&s, 1) && len(&s) == 0, "WHL-61 %s: an occurrence at I(MAX) is the last", s.name);
    ok(counts(&s, 2, 0, 0, 2, 0), "WHL-61 WHL-35 %s: armed 2, fired 2", s.name);
    ok(!cancel(&s, 1) && !rearm(&s, 1, 0), "WHL-61 %s: its id names nothing", s.name);
    drop(&s);

    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        s = make(k, INT64_MAX - 100);
        arm_repeating(&s, INT64_MAX, 1, p, 1);
        arm(&s, INT64_MAX, 2);
        is_text(fires(&s, INT64_MAX), "1 2", "WHL-61 %s, %s: at I(MAX) itself: once", s.name, policy_names[p]);
        ok(!pending(&s, 1) && len(&s) == 0, "WHL-61 %s, %s: and no more", s.name, policy_names[p]);
        drop(&s);

        s = make(k, INT64_MAX - 100);
        arm_repeating(&s, INT64_MAX - 90, INT64_MAX, p, 1);
        is_text(fires(&s, INT64_MAX - 80), "1", "WHL-61 %s, %s: a period of D(MAX)", s.name, policy_names[p]);
        ok(pending(&s, 1) && wakes_at(&s, INT64_MAX), "WHL-61 %s, %s: saturates: next at I(MAX)", s.name,
           policy_names[p]);
        is_text(fires(&s, INT64_MAX - 1), "", "WHL-61 %s, %s: not before", s.name, policy_names[p]);
        is_text(fires(&s, INT64_MAX), "1", "WHL-61 %s, %s: the last", s.name, policy_names[p]);
        is(len(&s), 0, "WHL-61 %s, %s: then it is gone", s.name, policy_names[p]);
        drop(&s);

        s = make(k, INT64_MIN);
        arm_repeating(&s, INT64_MIN, INT64_MAX, p, 1);
        is_text(fires(&s, INT64_MIN), "1", "WHL-61 %s, %s: from I(MIN) every D(MAX)", s.name, policy_names[p]);
        is(len(&s), 1, "WHL-61 %s, %s: the next is at -1", s.name, policy_names[p]);
        is_text(fires(&s, INT64_C(224192) - 1), "", "WHL-61 %s, %s: due at its tick", s.name, policy_names[p]);
        is_text(fires(&s, INT64_C(224192)), "1", "WHL-61 %s, %s: which is the first after 0", s.name, policy_names[p]);
        drop(&s);
    }
}

static void refused_periods(const kind *k)
{
    static const int64_t periods[] = {0, -1, INT64_MIN};
    subject s = make(k, 0);
    arm(&s, 5 * MS, 2);
    tb_timers_stats before = stats_of(&s);
    for (int i = 0; i < 3; i++) {
        errno = 0;
        ok(!arm_repeating(&s, 10 * MS, periods[i], TB_REPEAT_BURST, 1) && errno == EINVAL,
           "WHL-66 %s: period %" PRId64 ": none, EINVAL", s.name, periods[i]);
    }
    ok(same_stats(before, stats_of(&s)) && len(&s) == 1, "WHL-66 %s: and nothing changes", s.name);
    is_text(fires(&s, SEC), "2", "WHL-66 %s: nor fires", s.name);
    drop(&s);
}

static void moved(const kind *k)
{
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_SKIP; p++) {
        subject s = every_ten(k, p);
        ok(rearm(&s, 1, 14 * MS), "WHL-67 %s, %s: rearmed from 10 to 14 ms", s.name, policy_names[p]);
        is_text(fires(&s, 14 * MS - 1), "", "WHL-67 %s, %s: not due before 14 ms", s.name, policy_names[p]);
        for (int64_t due = 14 * MS; due <= 34 * MS; due += 10 * MS) {
            is_text(fires(&s, due - 1), "", "WHL-67 %s, %s: nothing between", s.name, policy_names[p]);
            is_text(fires(&s, due), "1", "WHL-67 %s, %s: the grid is 14 24 34 ms: %" PRId64, s.name, policy_names[p],
                    due / MS);
            is(s.out.items[0].deadline.ns, due, "WHL-67 %s, %s: with that deadline", s.name, policy_names[p]);
        }
        ok(counts(&s, 4, 1, 0, 3, 1), "WHL-67 WHL-54 %s, %s: armed 4, rearmed 1, fired 3", s.name, policy_names[p]);
        drop(&s);
    }
    subject s = every_ten(k, TB_REPEAT_DELAY);
    rearm(&s, 1, 14 * MS);
    is_text(fires(&s, 15 * MS), "1", "WHL-67 %s, delay: the moved occurrence fires", s.name);
    ok(wakes_at(&s, 25 * MS), "WHL-67 %s, delay: and the next is a period after that call", s.name);
    drop(&s);

    s = every_ten(k, TB_REPEAT_SKIP);
    expire_max(&s, 10 * MS, 0);
    ok(pending(&s, 1) && rearm(&s, 1, 16 * MS), "WHL-67 WHL-51 %s: an occurrence left due by a cut is moved", s.name);
    is_text(fires(&s, 16 * MS), "1", "WHL-67 WHL-51 %s: and fires where it was moved to", s.name);
    ok(cancel(&s, 1), "WHL-67 %s: cancelled, it is gone", s.name);
    is(expire(&s, SEC), 0, "WHL-67 %s: for good", s.name);
    drop(&s);
}

/* Many of them come and go: their own entries are used again, and each keeps its own period. */
static void many(const kind *k)
{
    subject s = make(k, 0);
    int wrong = 0;
    for (int round = 0; round < 20; round++) {
        int64_t now = now_of(&s);
        for (uint64_t i = 0; i < 30; i++)
            wrong += !arm_repeating(&s, now + (int64_t)(i + 1) * MS, (int64_t)(i + 1) * MS, (tb_repeat)(i % 3), i);
        size_t seen[30] = {0};
        for (int64_t t = 1; t <= 60; t++) {
            expire(&s, now + t * MS);
            for (size_t e = 0; e < s.out.len; e++)
                seen[s.out.items[e].token]++;
        }
        for (uint64_t i = 0; i < 30; i++)
            wrong += seen[i] != 60 / (i + 1) || !cancel(&s, (i * 7) % 30);
        wrong += len(&s) != 0;
    }
    none_of(wrong, "WHL-57 %s: 20 times 30 repeating timers with 30 periods, each at its own pace", k->name);
    drop(&s);
}

int main(void)
{
    each_by_id(any_policy);
    each_by_id(burst);
    each_by_id(skip_missed);
    each_by_id(delay);
    each_by_id(as_insert_would);
    each_by_id(the_end_of_time);
    each_by_id(refused_periods);
    each_by_id(moved);
    each_by_id(many);
    return sets_done();
}
