/* Wakes that come too late because an earlier timer was hidden, or too often because there was nothing to do: tokio
   #849, tokio #1700, libevent #46; PebbleOS #1654, serenity #104, nuttx #1733. */
#include "tests/calendar/random.h"
#include "tests/impls/sets.h"

static void moved_to_earlier(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 200 * MS, 1);
    tb_instant next;
    tb_timers_next_expiry(s.set, &next); /* asked before: an answer kept from then would be wrong */
    rearm(&s, 1, 5 * MS);
    ok(wakes_at(&s, 5 * MS), "WHL-24 WHL-52 case 11 %s: 200 rearmed to 5: next is not after 5", s.name);
    is_text(fires(&s, 5 * MS), "1", "WHL-52 case 11 %s: and it fires there", s.name);
    drop(&s);
}

static void hidden_by_a_later_one(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 1);
    arm(&s, 50 * MS, 2);
    ok(wakes_at(&s, 5 * MS), "WHL-24 case 12 %s: a 5, then b 50: next is not after 5", s.name);
    is_text(fires(&s, 5 * MS), "1", "WHL-24 case 12 %s: a fires there", s.name);
    ok(wakes_at(&s, 50 * MS), "WHL-24 case 12 %s: and b is next", s.name);
    drop(&s);
}

/* Whatever is armed, moved and cancelled, next is not after the earliest instant at which any fires. */
static void never_too_late(const kind *k)
{
    enum { N = 64, STEPS = 30000 };
    int64_t fire[N] = {0};
    uint64_t random = 11;
    int late = 0, none = 0;
    subject s = make(k, 0);
    for (int step = 0; step < STEPS; step++) {
        uint64_t i = random_next(&random) % N;
        int64_t off = (int64_t)(random_next(&random) % (UINT64_C(1) << (10 + random_next(&random) % 34)));
        int64_t at = now_of(&s) + off;
        if (fire[i] && random_next(&random) % 3 == 0) {
            cancel(&s, i);
            fire[i] = 0;
        } else {
            fire[i] ? rearm(&s, i, at) : arm(&s, at, i);
            fire[i] = off < MS ? at : (at + MS - 1) / MS * MS;
        }
        int64_t first = INT64_MAX;
        for (int j = 0; j < N; j++)
            first = fire[j] && fire[j] < first ? fire[j] : first;
        tb_instant next = {0};
        bool any = tb_timers_next_expiry(s.set, &next);
        none += any != (first < INT64_MAX);
        late += any && next.ns > first;
        if (step % 4 == 0) {
            expire(&s, now_of(&s) + off / 8);
            for (size_t e = 0; e < s.out.len; e++)
                fire[s.out.items[e].token] = 0;
        }
    }
    none_of(late,
            "WHL-24 case 11 case 12 %s: 30000 random arms, moves and cancels: next is never after the first to fire",
            k->name);
    none_of(none, "WHL-23 case 31 %s: and there is one exactly while any is armed", k->name);
    drop(&s);
}

static void behind_an_overdue_one(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 1);
    int64_t real = 8 * MS; /* the owner is late: what it knows, and the set does not yet */
    arm(&s, real + 1 * MS, 2);
    ok(wakes_at(&s, 5 * MS), "WHL-24 case 13 %s: a overdue, not yet delivered, b armed +1: next is not after now",
       s.name);
    is_text(fires(&s, real), "1", "WHL-24 case 13 %s: a fires at once", s.name);
    is_text(fires(&s, real + 1 * MS), "2", "WHL-24 case 13 %s: b in its time", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 5 * MS, 1);
    arm(&s, 5 * MS, 2);
    expire_max(&s, 8 * MS, 1);
    arm(&s, 9 * MS, 3);
    tb_instant next = {0};
    ok(tb_timers_next_expiry(s.set, &next) && next.ns <= 8 * MS,
       "WHL-51 case 13 %s: so it is where a limit left one due", s.name);
    is_text(fires(&s, 8 * MS), "2", "WHL-51 case 13 %s: which fires at once", s.name);
    is_text(fires(&s, 9 * MS), "3", "WHL-51 case 13 %s: and the new one in its time", s.name);
    drop(&s);
}

static void idle(const kind *k)
{
    subject s = make(k, 0);
    ok(wakes_never(&s), "WHL-23 case 31 %s: empty: no next wake", s.name);
    arm(&s, HOUR, 1);
    cancel(&s, 1);
    ok(wakes_never(&s), "WHL-23 case 31 %s: nor after a timer was cancelled", s.name);
    if (kind_binding(k)) {
        arm(&s, HOUR, 2);
        tb_instant next;
        while (tb_timers_next_expiry(s.set, &next) && s.calls < 100)
            expire(&s, next.ns);
        ok(s.calls - s.wakes <= (kind_has(k, TB_NEXT_EXACT) ? 0 : 6) && s.wakes == 1,
           "WHL-25 case 31 %s: one at +1 h: no more calls that deliver nothing than the structure's bound", s.name);
    }
    expire(&s, 2 * HOUR);
    ok(wakes_never(&s), "WHL-23 case 31 %s: and none when it has fired", s.name);
    drop(&s);
}

int main(void)
{
    each_kind(moved_to_earlier);
    each_kind(hidden_by_a_later_one);
    each_kind(never_too_late);
    each_kind(behind_an_overdue_one);
    each_kind(idle);
    return sets_done();
}
