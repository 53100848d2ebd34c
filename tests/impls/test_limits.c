/* Limits: how many a call delivers, what a cut batch leaves, and how many timers a set takes. */
#include "sets.h"
#include "tests/calendar/random.h"

/* WHL-50's five timers, cut after two: 2 (precise by id), 1 and 5 are left. */
static subject cut_after_two(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 1);
    if (k->keyed)
        arm(&s, 4500 * US, 2);
    else
        arm_precise(&s, 4500 * US, 2);
    arm(&s, 4200 * US, 3);
    arm(&s, 4200 * US, 4);
    arm(&s, 9 * MS, 5);
    is_text(fires_max(&s, 6 * MS, 0), "", "WHL-50 %s: expired_max(6 ms, 0) delivers nothing", s.name);
    is_text(fires_max(&s, 6 * MS, 2), "3 4", "WHL-50 %s: expired_max(6 ms, 2): the first two of the order over all due",
            s.name);
    return s;
}

static void what_a_cut_leaves(const kind *k)
{
    subject s = cut_after_two(k);
    is(now_of(&s), 6 * MS, "WHL-51 %s: now has moved all the same", s.name);
    is(len(&s), 3, "WHL-51 %s: three are pending", s.name);
    ok(pending(&s, 1) && pending(&s, 2) && pending(&s, 5), "WHL-51 %s: by their names", s.name);
    ok(precise(&s, 2) == !k->keyed && !precise(&s, 1), "WHL-51 %s: precise or not as before", s.name);
    is(stats_of(&s).pending_precise, !k->keyed, "WHL-51 CNT-14 %s: and counted so", s.name);
    tb_instant next = {0};
    ok(tb_timers_next_expiry(s.set, &next) && next.ns <= 6 * MS,
       "WHL-51 WHL-26 %s: next is not after now while any remain", s.name);
    if (!k->keyed)
        ok(next_precise_is(&s, 4500 * US), "WHL-51 %s: next_precise is 4.5 ms", s.name);
    arm(&s, 4800 * US, 6);
    is_text(fires(&s, 6 * MS), "2 6 1", "WHL-51 %s: the rest joins the next call's order, with a new one at 4.8 ms",
            s.name);
    is_text(fires(&s, 9 * MS), "5", "WHL-51 %s: and what was not due fires in its time", s.name);
    drop(&s);

    s = cut_after_two(k);
    ok(cancel(&s, 1), "WHL-51 %s: what is left can be cancelled", s.name);
    ok(rearm(&s, 2, 8 * MS), "WHL-51 %s: and rearmed, 2 to 8 ms", s.name);
    is_text(fires(&s, 6 * MS), "", "WHL-51 %s: then nothing is due at 6 ms", s.name);
    is_text(fires(&s, 8 * MS), "2", "WHL-51 %s: and 2 at 8 ms", s.name);
    ok(!cancel(&s, 1) && !rearm(&s, 1, 20 * MS), "WHL-51 %s: the cancelled one is gone", s.name);
    is_text(fires(&s, 9 * MS), "5", "WHL-51 %s: the other is there", s.name);
    ok(counts(&s, 5, 1, 1, 4, 0), "WHL-51 CNT-14 %s: armed 5, rearmed 1, cancelled 1, fired 4", s.name);
    drop(&s);
}

/* Every cut of a batch, continued in cuts of every size, delivers what one call would have. */
static void every_cut(const kind *k)
{
    enum { N = 24 };
    uint64_t random = 50;
    int wrong = 0;
    for (size_t first = 0; first <= N; first++)
        for (size_t then = 1; then <= N; then += 5) {
            subject s = make(k, 0), whole = make(k, 0);
            for (uint64_t i = 0; i < N; i++) {
                int64_t at = (int64_t)(random_next(&random) % 20) * 400 * US;
                bool as_precise = !k->keyed && random_next(&random) % 3 == 0;
                subject *both[] = {&s, &whole};
                for (int b = 0; b < 2; b++)
                    as_precise ? arm_precise(both[b], at, i) : arm(both[b], at, i);
            }
            wrong += expire(&whole, 8 * MS) != N;
            size_t left = N;
            for (size_t max = first; left > 0; max = then) {
                size_t due = max < left ? max : left, n = expire_max(&s, 8 * MS, max);
                wrong += n != due || len(&s) != left - n;
                for (size_t i = 0; i < n; i++)
                    wrong += s.out.items[i].token != whole.out.items[N - left + i].token;
                left -= n;
            }
            drop(&s);
            drop(&whole);
        }
    none_of(wrong, "WHL-50 WHL-51 %s: a batch in cuts of any size is the batch of one call, in its order", k->name);
}

static void a_cut_meets_new_ticks(const kind *k)
{
    subject s = make(k, 0);
    for (uint64_t i = 0; i < 6; i++)
        arm(&s, (int64_t)(i + 1) * 2 * MS, i);
    is_text(fires_max(&s, 6 * MS, 1), "0", "WHL-51 %s: one of three due", s.name);
    arm(&s, 3 * MS, 10);
    is_text(fires_max(&s, 8 * MS, 2), "10 1", "WHL-51 %s: a past one armed between goes first", s.name);
    is_text(fires_max(&s, 10 * MS, 2), "2 3", "WHL-51 %s: left-overs and newly due ones are one order", s.name);
    is_text(fires(&s, 12 * MS), "4 5", "WHL-51 %s: to the end", s.name);
    is(stats_of(&s).wakes, 4, "WHL-51 CNT-14 %s: each of four calls delivered something", s.name);
    drop(&s);
}

/* A batch that is taken only in part, and a timer in it that is moved: it fires once, here or there. */
static void moved_while_due(const kind *k)
{
    for (int moved_first = 0; moved_first < 2; moved_first++) {
        subject s = make(k, 0);
        arm(&s, 5 * MS, 1);
        arm(&s, 5 * MS, 2);
        if (moved_first)
            ok(rearm(&s, 2, 20 * MS), "LIT-07 %s: rearmed before the batch: true", s.name);
        is_text(fires(&s, 5 * MS), moved_first ? "1" : "1 2", "LIT-07 %s: the batch holds it only if it was not",
                s.name);
        if (!moved_first)
            ok(!rearm(&s, 2, 20 * MS), "LIT-07 %s: rearmed after it was delivered: false", s.name);
        is_text(fires(&s, 20 * MS), moved_first ? "2" : "", "LIT-07 %s: at the new deadline, or never again", s.name);
        is(stats_of(&s).fired, 2, "LIT-07 %s: once in either case", s.name);
        drop(&s);
    }
    subject s = make(k, 0);
    for (uint64_t i = 0; i < 4; i++)
        arm(&s, 5 * MS, i);
    is_text(fires_max(&s, 5 * MS, 2), "0 1", "LIT-07 %s: a batch cut in its middle", s.name);
    ok(!rearm(&s, 1, 9 * MS) && rearm(&s, 2, 9 * MS), "LIT-07 %s: delivered: false; left due: true", s.name);
    is_text(fires(&s, 5 * MS), "3", "LIT-07 %s: the moved one is no longer in it", s.name);
    is_text(fires(&s, 9 * MS), "2", "LIT-07 %s: and fires at its new deadline", s.name);
    drop(&s);
}

/* ---- how many timers ----------------------------------------------------------------------------------------------
 */

static void the_limit_of_a_set(const kind *k)
{
    subject s = make_with(k, 0, (tb_timers_options){.limit = 2});
    ok(arm(&s, 5 * MS, 1) && arm(&s, 6 * MS, 2), "WHL-43 %s: limit 2: two are armed", s.name);
    errno = 0;
    ok(!arm(&s, 7 * MS, 3), "WHL-43 %s: the third insert is refused", s.name);
    is(errno, ENOBUFS, "WHL-43 %s: errno says ENOBUFS", s.name);
    ok(len(&s) == 2 && counts(&s, 2, 0, 0, 0, 2), "WHL-43 %s: len 2, armed 2", s.name);
    ok(!arm(&s, 0, 3) && len(&s) == 2, "WHL-43 %s: a past one is refused as well", s.name);
    if (k->keyed) {
        ok(arm(&s, 6 * MS, 1), "WHL-43 WHL-55 %s: arming a pending key is a rearm, and passes", s.name);
    } else {
        ok(tb_timer_is_none(tb_timers_insert_precise(s.set, instant(7 * MS), 3)) &&
               tb_timer_is_none(tb_timers_insert_in(s.set, 1, instant(7 * MS), 3)) &&
               tb_timer_is_none(tb_timers_insert_repeating(s.set, instant(7 * MS), length(MS), TB_REPEAT_SKIP, 3)),
           "WHL-43 %s: every other insert is refused", s.name);
        ok(rearm(&s, 1, 6 * MS), "WHL-43 WHL-54 %s: a rearm passes", s.name);
    }
    ok(cancel(&s, 2), "WHL-43 %s: cancel one", s.name);
    ok(arm(&s, 8 * MS, 4) && pending(&s, 4), "WHL-43 %s: then an insert passes", s.name);
    ok(!arm(&s, 9 * MS, 5), "WHL-43 %s: and the next does not", s.name);
    is_text(fires(&s, 8 * MS), "1 4", "WHL-43 %s: both fire", s.name);
    ok(arm(&s, 9 * MS, 5) && arm(&s, 9 * MS, 6) && !arm(&s, 9 * MS, 7), "WHL-43 %s: and make room for two", s.name);
    is_text(fires_max(&s, 9 * MS, 1), "5", "WHL-43 %s: what a cut leaves", s.name);
    ok(arm(&s, 9 * MS, 8) && !arm(&s, 9 * MS, 9), "WHL-43 %s: counts against the limit", s.name);
    drop(&s);

    static const size_t limits[] = {1, 3, 63, 64, 65, 100, 1000};
    int wrong = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        s = make_with(k, 0, (tb_timers_options){.limit = limits[i]});
        for (size_t n = 0; n < limits[i] + 5; n++)
            wrong += arm(&s, (int64_t)n * 100 * US, n) != (n < limits[i]);
        wrong += len(&s) != limits[i] || expire(&s, SEC) != limits[i];
        drop(&s);
    }
    none_of(wrong, "WHL-43 %s: limits of 1 to 1000 take exactly as many", k->name);
}

int main(void)
{
    each_kind(what_a_cut_leaves);
    each_kind(every_cut);
    each_kind(a_cut_meets_new_ticks);
    each_kind(moved_while_due);
    each_kind(the_limit_of_a_set);
    return sets_done();
}
