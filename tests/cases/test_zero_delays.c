/* Timers without delay that arm themselves again: a call must end, and each arm fires once (libuv #4245, libuv help
 * #55). */
#include "tests/impls/sets.h"

static void one_that_arms_itself(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 7 * MS);
    arm(&s, 7 * MS, 1);
    is_text(fires(&s, 7 * MS), "1", "WHL-29 TRP-08 case 3 %s: a zero timer: one call delivers it once and returns",
            s.name);
    arm(&s, 7 * MS, 2);
    ok(len(&s) == 1 && wakes_at(&s, 7 * MS), "WHL-29 case 3 %s: what it arms at now waits", s.name);
    is_text(fires(&s, 7 * MS), "2", "WHL-29 case 3 %s: for the next call", s.name);
    drop(&s);
}

/* Many, with delays of zero, less, and less than a tick; time stands still or moves. */
static void many_that_arm_themselves(const kind *k)
{
    static const int64_t delays[] = {0, -1, -5 * MS, INT64_MIN / 2};
    enum { N = 20, ROUNDS = 200 };
    int wrong = 0;
    for (int d = 0; d < 4; d++)
        for (int64_t step = 0; step <= 1500 * US; step += 500 * US) {
            subject s = make(k, 0);
            int64_t now = 0;
            for (uint64_t i = 0; i < N; i++)
                arm(&s, now + delays[d], i);
            for (int round = 0; round < ROUNDS; round++, now += step) {
                wrong += expire(&s, now) != N;
                for (uint64_t i = 0; i < N; i++) {
                    wrong += s.out.items[i].token != i;
                    arm(&s, now + delays[d], i);
                }
            }
            wrong += s.fired != (uint64_t)N * ROUNDS;
            drop(&s);
        }
    none_of(wrong, "WHL-29 WHL-10 case 3 %s: 20 that arm themselves for now or the past: each call delivers each once",
            k->name);
}

static void zero_with_a_period(const kind *k)
{
    static const char *const names[] = {"burst", "skip", "delay"};
    for (tb_repeat p = TB_REPEAT_BURST; p <= TB_REPEAT_DELAY; p++) {
        subject s = make(k, 0);
        arm_repeating(&s, 0, SEC, p, 1);
        is_text(fires(&s, 0), "1", "WHL-61 case 4 %s, %s: +0 every 1000: once at 0", s.name, names[p]);
        ok(wakes_at(&s, SEC), "WHL-61 case 4 %s, %s: its next occurrence is due at 1000", s.name, names[p]);
        is_text(fires(&s, SEC - 1), "", "WHL-61 case 4 %s, %s: not before", s.name, names[p]);
        is_text(fires(&s, SEC), "1", "WHL-61 case 4 %s, %s: and then", s.name, names[p]);
        drop(&s);

        int wrong = 0;
        for (int64_t now = 0; now < 5 * MS; now += 700 * US)
            for (int64_t period = MS; period < 2 * SEC; period *= 3) {
                s = make(k, 0);
                expire(&s, now);
                arm_repeating(&s, now, period, p, 1);
                wrong += expire(&s, now) != 1 || expire(&s, now) != 0;
                int64_t tick = (now + period + MS - 1) / MS * MS;
                wrong += !wakes_at(&s, tick) || expire(&s, tick - 1) != 0 || expire(&s, tick) != 1;
                drop(&s);
            }
        none_of(wrong,
                "WHL-61 case 4 %s, %s: at any present, with any period: once now, once at the tick of now + period",
                k->name, names[p]);
    }
}

int main(void)
{
    each_kind(one_that_arms_itself);
    each_kind(many_that_arm_themselves);
    each_by_id(zero_with_a_period);
    return sets_done();
}
