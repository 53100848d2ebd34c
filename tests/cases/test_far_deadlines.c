/* Deadlines so far, or so long past, that a conversion, a mask or a wheel's span breaks on them: node #4541 and
   node-cron #560, reactphp #194 and curl #5847, acton #914 and allegro #593, tokio #5536 and restate #5017, tokio-timer
   #38, rpc-perf #180 and dpvs #29, timer-benchmarks PR1. */
#include "tests/calendar/random.h"
#include "tests/impls/sets.h"

static void past_the_width_of_a_number(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, ((INT64_C(1) << 31) + 1) * MS, 1);
    is_text(fires(&s, 2 * MS), "", "WHL-36 case 6 %s: 2^31 + 1 ms off is not due at 2", s.name);
    drop(&s);

    int wrong = 0;
    for (int width = 8; width <= 43; width++) /* of a count of ms; in ns they pass 2^31, 2^32 and 2^53 on the way */
        for (int64_t beside = -1; beside <= 1; beside++) {
            int64_t due = ((INT64_C(1) << width) + beside) * MS;
            s = make(k, 0);
            arm(&s, due, 1);
            wrong +=
                expire(&s, 2 * MS) != 0 || expire(&s, due / 2) != 0 || expire(&s, due - 1) != 0 || expire(&s, due) != 1;
            drop(&s);
        }
    none_of(wrong, "WHL-36 case 6 %s: nor any at 2^k - 1, 2^k, 2^k + 1 ms before its time", k->name);
}

static void the_longest_delay(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, INT64_MAX, 1);
    is_text(fires(&s, INT64_MAX - 2 * SEC), "", "WHL-39 case 7 %s: armed for MAX, nothing fires at MAX - 2 s", s.name);
    ok(wakes_at(&s, INT64_MAX), "WHL-39 case 7 %s: next is MAX, or a bound, never none", s.name);
    drop(&s);

    int wrong = 0;
    static const int64_t starts[] = {0, 1, -1, INT64_MIN, SEC, INT64_MAX / 2, INT64_MAX - DAY};
    for (int i = 0; i < 7; i++)
        for (int64_t back = 0; back < 4 * MS; back += 333 * US) {
            tb_instant next;
            s = make(k, starts[i]);
            arm(&s, INT64_MAX - back, 1);
            wrong += expire(&s, starts[i]) != 0 || !tb_timers_next_expiry(s.set, &next) || next.ns < starts[i];
            wrong += expire(&s, INT64_MAX - 2 * SEC) != 0 || !tb_timers_next_expiry(s.set, &next);
            uint64_t ticks = ((uint64_t)INT64_MAX - (uint64_t)back - (uint64_t)starts[i] - 1) / MS + 1;
            bool ever = ticks <= ((uint64_t)INT64_MAX - (uint64_t)starts[i]) / MS;
            wrong += expire(&s, INT64_MAX) != ever || len(&s) == ever;
            drop(&s);
        }
    none_of(wrong, "WHL-39 case 7 %s: nor do deadlines near MAX wrap, from any start", k->name);
}

static void long_past(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 5 * MS);
    arm(&s, 5 * MS - 1, 1);
    ok(wakes_at(&s, 5 * MS - 1), "WHL-10 case 8 %s: armed for now - 1: next is not after now", s.name);
    is_text(fires(&s, 5 * MS), "1", "WHL-10 case 8 %s: and it fires now", s.name);
    drop(&s);

    int wrong = 0;
    static const int64_t nows[] = {0, -SEC, INT64_MIN + 5, INT64_MAX, 123456789, INT64_MAX - 1};
    for (int i = 0; i < 6; i++)
        for (int64_t ago = 0; ago < INT64_MAX / 3; ago = ago * 3 + 1) {
            int64_t at = nows[i] < INT64_MIN + ago ? INT64_MIN : nows[i] - ago;
            tb_instant next;
            s = make(k, nows[i]);
            arm(&s, at, 1);
            wrong += !precise(&s, 1) || !tb_timers_next_expiry(s.set, &next) || next.ns != at;
            wrong += expire(&s, nows[i]) != 1 || s.out.items[0].deadline.ns != at;
            drop(&s);
        }
    none_of(wrong, "WHL-10 case 8 %s: any past deadline, at any present: next is itself, and it fires", k->name);
}

static void beyond_the_top_level(const kind *k)
{
    const int64_t uptime = (INT64_C(1) << 36) * MS;
    for (int how = 0; how < 2; how++) {
        const char *which = how ? "made then" : "made at 0";
        subject s = make(k, how ? uptime : 0);
        expire(&s, uptime);
        arm(&s, uptime + 10 * SEC, 1);
        arm(&s, uptime + (INT64_C(1) << 40) * MS, 2);
        ok(pending(&s, 2) && len(&s) == 2, "WHL-38 case 9 %s: uptime 2^36 ms, %s: +2^40 ms is accepted", s.name, which);
        is_text(fires(&s, uptime + 10 * SEC - 1), "", "WHL-36 case 9 %s: %s: +10 s is not early", s.name, which);
        is_text(fires(&s, uptime + 10 * SEC), "1", "WHL-36 case 9 %s: %s: and fires", s.name, which);
        ok(cancel(&s, 2) && wakes_never(&s), "WHL-38 case 9 %s: %s: the far one can be cancelled", s.name, which);
        arm(&s, uptime + (INT64_C(1) << 40) * MS, 3);
        is_text(fires(&s, uptime + (INT64_C(1) << 40) * MS - 1), "", "WHL-38 case 9 %s: %s: another is not early",
                s.name, which);
        is_text(fires(&s, uptime + (INT64_C(1) << 40) * MS), "3", "WHL-38 case 9 %s: %s: and fires", s.name, which);
        drop(&s);
    }
}

static void beyond_the_span(const kind *k)
{
    static const int64_t spans[] = {8,
                                    60,
                                    64,
                                    100,
                                    256,
                                    512,
                                    1000,
                                    1024,
                                    2048,
                                    4096,
                                    1 << 14,
                                    1 << 16,
                                    1 << 18,
                                    1 << 20,
                                    1 << 24,
                                    1 << 30,
                                    INT64_C(1) << 32,
                                    INT64_C(1) << 36,
                                    INT64_C(1) << 42};
    int early = 0, missing = 0;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        for (int64_t beside = -1; beside <= 2; beside++)
            for (int64_t uptime = 0; uptime < 3; uptime++) {
                int64_t now = uptime * 77777 * MS, due = now + (spans[i] + beside) * MS;
                subject s = make(k, 0);
                expire(&s, now);
                arm(&s, due, 1);
                early += expire(&s, now + 1 * MS) != 0 || expire(&s, due - 1) != 0;
                missing += expire(&s, due) != 1;
                drop(&s);
            }
    none_of(early,
            "WHL-36 WHL-38 case 10 %s: one past the span of any wheel, S + 1 ticks off: not due at 1, nor before",
            k->name);
    none_of(missing, "WHL-36 WHL-38 case 10 %s: and due at S + 1", k->name);
}

/* Every slot and bucket index at the edges of the powers of two: by deadline, and by the number of timers. */
static void at_the_edges_of_tables(const kind *k)
{
    int wrong = 0;
    for (int64_t uptime = 0; uptime < 5; uptime++) {
        subject s = make(k, 0);
        expire(&s, uptime * ((INT64_C(1) << 30) + 4095) * MS);
        int64_t now = now_of(&s);
        for (int power = 0; power <= 42; power++)
            for (int64_t beside = -1; beside <= 1; beside++) {
                int64_t ticks = (INT64_C(1) << power) + beside;
                arm(&s, now + ticks * MS, 1);
                wrong += !pending(&s, 1) || !rearm(&s, 1, now + (ticks / 2 + 1) * MS) || !cancel(&s, 1);
                arm(&s, now + ticks * MS, 2);
                arm(&s, now + ticks * MS + 1, 3);
                wrong += !cancel(&s, 2) || !rearm(&s, 3, now) || expire(&s, now) != 1;
            }
        drop(&s);
    }
    none_of(wrong, "WHL-36 case 33 %s: deadlines at every 2^k - 1, 2^k, 2^k + 1 ticks are armed, moved, cancelled",
            k->name);
    wrong = 0;
    for (uint64_t n = 1; n < SUBJECT_TOKENS; n = n * 2 + 1) {
        subject s = k->keyed ? make_with(k, 0, (tb_timers_options){.keys = (uint32_t)n}) : make(k, 0);
        for (uint64_t i = n; i-- > 0;)
            wrong += !arm(&s, (int64_t)(i * 31 % 97) * MS, i);
        wrong += expire(&s, SEC) != n || (k->keyed && (arm(&s, 0, n) || cancel(&s, n)));
        drop(&s);
    }
    none_of(wrong, "WHL-64 WHL-22 case 33 %s: 2^k - 1 timers, the last key first: none is outside its table", k->name);
}

int main(void)
{
    each_kind(past_the_width_of_a_number);
    each_kind(the_longest_delay);
    each_kind(long_past);
    each_kind(beyond_the_top_level);
    each_kind(beyond_the_span);
    each_kind(at_the_edges_of_tables);
    return sets_done();
}
