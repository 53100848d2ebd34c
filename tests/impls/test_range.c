/* Far timers: every range fires within a tick, and nothing overflows up to the ends of time. */
#include "sets.h"
#include "tests/calendar/random.h"

static void every_range(const kind *k)
{
    static const int64_t off[] = {5 * SEC,  10 * MINUTE, HOUR,      5 * HOUR,     DAY,
                                  30 * DAY, 400 * DAY,   800 * DAY, 3 * 365 * DAY};
    enum { N = sizeof off / sizeof *off };
    subject s = make(k, 123456000);
    for (uint64_t i = 0; i < N; i++) {
        int64_t due = 123456000 + off[i] + TICK; /* a tick after: off is whole ticks, the deadline 50 us past it */
        subject one = make(k, 123456000);
        arm(&one, due - 950 * US, i);
        arm(&s, due - 950 * US, i);
        is(expire(&one, due - 1), 0, "WHL-36 %s: a timer %" PRId64 " s off is not due 1 ns before its tick", k->name,
           off[i] / SEC);
        is(expire(&one, due), 1, "WHL-36 %s: and due at its tick", k->name);
        drop(&one);
    }
    int64_t last = 123456000 + off[N - 1] + TICK;
    is_text(fires(&s, last - 1), "0 1 2 3 4 5 6 7", "WHL-37 %s: one jump past eight of them delivers all, in order",
            s.name);
    is_text(fires(&s, last), "8", "WHL-37 %s: and 1 ns later the ninth", s.name);
    drop(&s);
}

static void beyond_the_span(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 900 * DAY, 1);
    ok(pending(&s, 1) && len(&s) == 1, "WHL-38 %s: a timer at +900 d is held", s.name);
    ok(cancel(&s, 1), "WHL-38 %s: and can be cancelled", s.name);
    ok(wakes_never(&s), "WHL-38 %s: then there is no next wake", s.name);
    drop(&s);

    /* A span further than where a wheel of six levels starts again, twice, from every corner of a turn. */
    static const int64_t ticks[] = {(INT64_C(1) << 36) - 1, INT64_C(1) << 36, (INT64_C(1) << 36) + 1, INT64_C(1) << 37,
                                    (INT64_C(3) << 36) + 4095};
    int wrong = 0;
    for (int i = 0; i < 5; i++)
        for (int64_t from = 0; from < 4; from++) {
            s = make(k, -SEC);
            expire(&s, -SEC + from * ((INT64_C(1) << 30) + 63) * MS);
            int64_t at = now_of(&s) + ticks[i] * MS;
            arm(&s, at, 1);
            wrong += expire(&s, at - 1) != 0;
            wrong += expire(&s, at) != 1;
            drop(&s);
        }
    none_of(wrong, "WHL-36 WHL-38 %s: timers a span and more away fire at their tick after one jump", k->name);
}

/* Ticks around every power of two, each as one timer and all together. */
static void around_powers_of_two(const kind *k)
{
    static const int64_t starts[] = {0, INT64_MIN, -1};
    int wrong = 0;
    for (int i = 0; i < 3; i++) {
        subject s = make(k, starts[i]);
        uint64_t armed = 0;
        for (int power = 0; power < 43; power++)
            for (int64_t ticks = (INT64_C(1) << power) - 1; ticks <= (INT64_C(1) << power) + 1; ticks++) {
                arm(&s, starts[i] + ticks * MS, armed++);
                wrong += !pending(&s, armed - 1);
            }
        expire(&s, starts[i] + 5 * MS); /* those up to 2^2 + 1 overlap */
        for (int power = 3; power < 43; power++) {
            int64_t due = starts[i] + ((INT64_C(1) << power) - 1) * MS;
            for (int tick = 0; tick < 3; tick++, due += MS)
                wrong += expire(&s, due - 1) != 0 || expire(&s, due) != 1;
        }
        wrong += len(&s) != 0;
        drop(&s);
    }
    none_of(wrong, "WHL-36 WHL-08 %s: timers at 2^k - 1, 2^k and 2^k + 1 ticks fire at those, k up to 42", k->name);
}

/* ---- the end of time --------------------------------------------------------------------------------------------- */

static bool next_is(const subject *s, int64_t due)
{
    tb_instant next = {0}, timeout = {0};
    bool any = tb_timers_next_expiry(s->set, &next) && tb_timers_next_timeout(s->set, &timeout);
    return any && next.ns <= due && (!kind_has(s->kind, TB_NEXT_EXACT) || (next.ns == due && timeout.ns == due));
}

static void the_last_tick(const kind *k)
{
    const int64_t last = INT64_C(9223372036854000000);
    subject s = make(k, 0);
    arm(&s, last, 1);
    arm(&s, last + 1, 2);
    arm(&s, INT64_MAX, 3);
    if (!k->keyed)
        arm_precise(&s, INT64_MAX, 4);
    is_text(fires(&s, INT64_MAX - 2 * SEC), "", "WHL-39 %s: nothing is due 2 s before the end", s.name);
    is_text(fires(&s, last - 1), "", "WHL-39 %s: nor 1 ns before the last tick", s.name);
    is_text(fires(&s, last), "1", "WHL-39 %s: at the last tick, 9223372036854000000, token 1", s.name);
    is(len(&s), k->keyed ? 2 : 3, "WHL-39 %s: the others stay pending", s.name);
    ok(next_is(&s, INT64_MAX), "WHL-39 WHL-26 %s: next is I(MAX), or a bound", s.name);
    is_text(fires(&s, INT64_MAX - 1), "", "WHL-39 %s: nothing at I(MAX - 1)", s.name);
    is_text(fires(&s, INT64_MAX), k->keyed ? "" : "4", "WHL-39 WHL-12 %s: at I(MAX) the precise one alone", s.name);
    is(len(&s), 2, "WHL-39 %s: two are never due, and pending", s.name);
    ok(next_is(&s, INT64_MAX), "WHL-39 %s: next is still I(MAX), or a bound", s.name);
    is_text(fires(&s, INT64_MAX), "", "WHL-39 WHL-26 %s: another call at I(MAX) delivers nothing", s.name);
    ok(!precise(&s, 2) && !precise(&s, 3), "WHL-39 %s: they are no precise ones", s.name);
    ok(cancel(&s, 2) && cancel(&s, 3), "WHL-39 %s: both can be cancelled", s.name);
    ok(len(&s) == 0 && wakes_never(&s), "WHL-39 %s: and the set is empty", s.name);
    drop(&s);
}

static void forever(const kind *k)
{
    static const int64_t at[] = {INT64_MAX, INT64_MAX - 1};
    for (int lane = 0; lane < 4; lane++)
        for (int i = 0; i < 2; i++) {
            subject s = make(k, 0);
            set_slop(&s, 1, 10 * MS);
            set_slop(&s, 2, DAY);
            set_slop(&s, 3, INT64_MAX);
            arm_in(&s, (uint32_t)lane, at[i], 1);
            ok(pending(&s, 1) && len(&s) == 1 && !precise(&s, 1),
               "WHL-39 TRP-01 %s: a timer at I(MAX - %d), lane %d, is pending", s.name, i, lane);
            ok(next_is(&s, INT64_MAX), "WHL-39 %s: next is I(MAX), or a bound; never none", s.name);
            is(expire(&s, INT64_MAX - 2 * SEC), 0, "WHL-39 %s: it is not due at I(MAX) - 2 s", s.name);
            is(expire(&s, INT64_MAX), 0, "WHL-39 %s: nor at I(MAX): its tick is past it", s.name);
            ok(cancel(&s, 1) && len(&s) == 0, "WHL-39 %s: it can be cancelled", s.name);
            drop(&s);
        }
    /* Made so that I(MAX) is on the grid: then it is a tick like any other. */
    subject s = make(k, INT64_MAX - 5 * TICK);
    arm(&s, INT64_MAX, 1);
    arm(&s, INT64_MAX - 1, 2);
    is_text(fires(&s, INT64_MAX - 1), "", "WHL-39 %s: where I(MAX) is a tick, nothing is due before", s.name);
    is_text(fires(&s, INT64_MAX), "2 1", "WHL-39 %s: and both at it", s.name);
    drop(&s);
}

static void endless_slop(const kind *k)
{
    const int64_t whole = INT64_C(9223372036854000000);
    subject s = make(k, 0);
    set_slop(&s, 1, INT64_MAX);
    is(tb_timers_slop_of(s.set, 1).ns, whole,
       "WHL-39 SLP-04 %s: a slop of D(MAX) is 9223372036854000000 ns, whole ticks", s.name);
    arm_in(&s, 1, 5 * MS, 1);
    is_text(fires(&s, whole - 1), "", "WHL-39 %s: made at 0, +5 ms in that lane is not due before its only multiple",
            s.name);
    is_text(fires(&s, whole), "1", "WHL-39 %s: it fires there", s.name);
    drop(&s);

    s = make(k, SEC);
    set_slop(&s, 1, INT64_MAX);
    arm_in(&s, 1, SEC + 5 * MS, 1);
    is(expire(&s, INT64_MAX), 0, "WHL-39 %s: made at 1 s, that multiple lies past the end: never due", s.name);
    is(len(&s), 1, "WHL-39 %s: it is pending", s.name);
    ok(next_is(&s, INT64_MAX), "WHL-39 %s: next is I(MAX), or a bound", s.name);
    ok(cancel(&s, 1), "WHL-39 %s: and it can be cancelled", s.name);
    drop(&s);

    s = make(k, INT64_MIN);
    set_slop(&s, 1, INT64_MAX);
    arm_in(&s, 1, INT64_MIN + 5 * MS, 1);
    arm_in(&s, 1, INT64_MIN + whole + 1, 2);
    arm_in(&s, 1, INT64_MAX, 3);
    is_text(fires(&s, INT64_MIN + whole - 1), "", "WHL-39 %s: made at I(MIN), nothing before the first multiple",
            s.name);
    is_text(fires(&s, INT64_MIN + whole), "1", "WHL-39 %s: one at the first", s.name);
    is_text(fires(&s, INT64_MIN + whole + whole - 1), "", "WHL-39 %s: none until the second", s.name);
    is_text(fires(&s, INT64_MIN + whole + whole), "2", "WHL-39 %s: one at the second", s.name);
    is_text(fires(&s, INT64_MAX), "", "WHL-39 %s: the third lies past the end", s.name);
    drop(&s);
}

/* Timers from end to end of time in one set: the longest distances there are. */
static void end_to_end(const kind *k)
{
    subject s = make(k, INT64_MIN);
    arm(&s, INT64_MAX, 1);
    arm(&s, 0, 2);
    arm(&s, INT64_MIN, 3);
    arm(&s, INT64_MIN + TICK, 4);
    arm(&s, INT64_MAX - TICK, 5);
    ok(precise(&s, 3) && !precise(&s, 1) && !precise(&s, 4),
       "WHL-09 TRP-01 %s: made at I(MIN): the tick test does not overflow", s.name);
    is_text(fires(&s, INT64_MIN), "3", "WHL-39 %s: the first instant", s.name);
    is_text(fires(&s, INT64_MIN + TICK), "4", "WHL-39 %s: the first tick", s.name);
    is_text(fires(&s, -1), "", "WHL-39 %s: nothing until 0", s.name);
    int64_t grid = 224192; /* 9223372036855 ticks after the start: the first tick at or after 0 */
    is_text(fires(&s, grid), "2", "WHL-08 %s: 0 fires at the first tick after it", s.name);
    is_text(fires(&s, INT64_MAX), "5", "WHL-39 %s: at I(MAX) what has a tick by then", s.name);
    ok(pending(&s, 1), "WHL-39 %s: and I(MAX) itself, whose tick is past it, never", s.name);
    arm(&s, INT64_MAX, 6);
    ok(precise(&s, 6), "WHL-09 %s: armed at now = I(MAX), it is precise", s.name);
    is_text(fires(&s, INT64_MAX), "6", "WHL-39 %s: and due", s.name);
    ok(rearm(&s, 1, INT64_MAX) && precise(&s, 1), "WHL-53 WHL-39 %s: rearmed now, the other is precise too", s.name);
    is_text(fires(&s, INT64_MAX), "1", "WHL-39 %s: and due", s.name);
    drop(&s);
}

int main(void)
{
    each_kind(every_range);
    each_kind(beyond_the_span);
    each_kind(around_powers_of_two);
    each_kind(the_last_tick);
    each_kind(forever);
    each_kind(endless_slop);
    each_kind(end_to_end);
    return sets_done();
}
