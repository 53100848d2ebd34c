/* Periods that drift, burst unasked, or come back after a cancel: libuv #2901, tokio #3574, node #21822; systemd
   #43350, go #35012; mill-io #86. */
#include "tests/calendar/random.h"
#include "tests/impls/sets.h"

static const char *const names[] = {"burst", "skip", "delay"};

static void an_owner_that_is_late(const kind *k)
{
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        int off_grid = 0, not_from_last = 0, not_one = 0;
        uint64_t random = 5;
        for (int pattern = 0; pattern < 4; pattern++) { /* always 3 late, never, up to 9, and sub-tick */
            subject s = make(k, 0);
            arm_repeating(&s, 10 * MS, 10 * MS, p, 1);
            int64_t deadline = 10 * MS;
            for (int i = 0; i < 500; i++) {
                static const uint64_t most[] = {0, 0, 9 * MS, 900 * US};
                int64_t late = pattern == 0    ? 3 * MS
                               : most[pattern] ? (int64_t)(random_next(&random) % most[pattern])
                                               : 0;
                int64_t now = (deadline + MS - 1) / MS * MS + late;
                not_one += expire(&s, now) != 1;
                if (s.out.len != 1)
                    break;
                off_grid += s.out.items[0].deadline.ns % (10 * MS) != 0;
                not_from_last += s.out.items[0].deadline.ns != deadline;
                deadline = p == TB_REPEAT_DELAY ? now + 10 * MS : deadline + 10 * MS;
            }
            drop(&s);
        }
        none_of(not_one, "WHL-58 WHL-59 WHL-60 case 5 %s, %s: period 10, the owner late by less: one occurrence a call",
                k->name, names[p]);
        if (p != TB_REPEAT_DELAY)
            none_of(off_grid, "WHL-58 WHL-59 case 5 %s, %s: 500 periods on the 10-grid, without drift", k->name,
                    names[p]);
        none_of(not_from_last, "WHL-60 case 5 %s, %s: the next is %s", k->name, names[p],
                p == TB_REPEAT_DELAY ? "10 after the last fired" : "10 after the last deadline");
    }
}

static void a_long_sleep(const kind *k)
{
    static const size_t want[] = {3600, 1, 1};
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        subject s = make(k, 0);
        arm_repeating(&s, MS, MS, p, 1);
        is(expire(&s, 3600 * MS), want[p], "WHL-61 case 28 %s, %s: period 1, one call after 3600", k->name, names[p]);
        ok(wakes_at(&s, 3601 * MS), "WHL-61 case 28 %s, %s: and the next at 3601", k->name, names[p]);
        drop(&s);

        int wrong = 0;
        uint64_t random = 28;
        for (int round = 0; round < 200; round++) {
            int64_t period = 1 + (int64_t)(random_next(&random) % (uint64_t)(5 * MS));
            int64_t slept = period * 300 / (1 + (int64_t)(random_next(&random) % 300)) + 10 * MS;
            s = make(k, 0);
            arm_repeating(&s, period, period, p, 1);
            size_t due = slept < (period + MS - 1) / MS * MS && period >= MS ? 0 : (size_t)(slept / period);
            wrong += expire(&s, slept) != (due && p != TB_REPEAT_BURST ? 1 : due);
            for (size_t i = 0; i < s.out.len; i++)
                wrong += s.out.items[i].deadline.ns != (int64_t)(i + 1) * period;
            wrong += expire(&s, slept) != 0 || !pending(&s, 1);
            drop(&s);
        }
        none_of(wrong, "WHL-58 WHL-59 WHL-60 case 28 %s, %s: any period, any sleep: as many as missed, or one", k->name,
                names[p]);
    }
}

/* Cancelled at every point of its life; what it was leaves nothing behind. */
static void cancelled_in_flight(const kind *k)
{
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        subject s = make(k, 0);
        arm_repeating(&s, 10 * MS, 10 * MS, p, 1);
        is_text(fires(&s, 10 * MS), "1", "WHL-57 case 16 %s, %s: a repeating timer delivered", s.name, names[p]);
        ok(cancel(&s, 1), "WHL-57 case 16 %s, %s: cancelled before its next", s.name, names[p]);
        is(expire(&s, DAY), 0, "WHL-57 case 16 %s, %s: never again", s.name, names[p]);
        ok(len(&s) == 0 && wakes_never(&s) && !cancel(&s, 1), "WHL-57 case 16 %s, %s: and nothing is left", s.name,
           names[p]);
        drop(&s);

        int wrong = 0;
        for (int64_t when = 0; when < 60 * MS; when += 2500 * US)
            for (size_t max = 0; max < 4; max++) {
                s = make(k, 0);
                arm_repeating(&s, 10 * MS, 7 * MS, p, 1);
                for (uint64_t i = 2; i < 6; i++)
                    arm(&s, (int64_t)i * 10 * MS, i);
                expire_max(&s, when, max); /* some left due by the cut */
                wrong += !cancel(&s, 1);
                arm(&s, 70 * MS, 6); /* into its slot */
                size_t left = len(&s);
                wrong += expire(&s, DAY) != left || len(&s) != 0;
                for (size_t i = 0; i < s.out.len; i++)
                    wrong += s.out.items[i].token == 1;
                wrong += cancel(&s, 1);
                drop(&s);
            }
        none_of(wrong, "WHL-57 WHL-51 case 16 %s, %s: cancelled at any moment, due or not, it never comes back",
                k->name, names[p]);
    }
}

int main(void)
{
    each_by_id(an_owner_that_is_late);
    each_by_id(a_long_sleep);
    each_by_id(cancelled_in_flight);
    return sets_done();
}
