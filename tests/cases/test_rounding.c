/* Timers that fire early, or a tick late, because something was rounded twice or from the wrong start: libuv #4773,
   node #26578 and uvloop, netty #1115 and synapse #17850, mio #383. */
#include "tests/calendar/random.h"
#include "tests/impls/sets.h"

/* Both ends of the delay rounded down make it a tick short. */
static void both_ends_rounded_down(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 900 * US);
    arm(&s, 1900 * US, 1);
    is_text(fires(&s, 1000 * US), "", "WHL-08 case 1 %s: at 0.9, armed +1: not at 1.0", s.name);
    ok(wakes_at(&s, 2 * MS), "WHL-24 case 1 %s: next is not after its tick", s.name);
    is_text(fires(&s, 1899999), "", "WHL-08 case 1 %s: never before 1.9", s.name);
    is_text(fires(&s, 2 * MS), "1", "WHL-08 case 1 %s: and at its tick", s.name);
    drop(&s);

    int early = 0, late = 0;
    for (int64_t phase = 0; phase < MS; phase += 41 * US)
        for (int64_t delay = 0; delay < 5 * MS; delay += 133 * US) {
            s = make(k, 17);
            expire(&s, 17 + phase);
            int64_t at = 17 + phase + delay, due = delay < MS ? at : 17 + (phase + delay + MS - 1) / MS * MS;
            arm(&s, at, 1);
            early += due > now_of(&s) && expire(&s, due - 1) != 0;
            late += expire(&s, due) != 1;
            drop(&s);
        }
    none_of(early, "WHL-08 case 1 %s: nor for any phase of the present and any delay", k->name);
    none_of(late, "WHL-08 case 1 %s: and each at its tick", k->name);
}

/* An owner whose waits are whole milliseconds, rounded down or up, above the set's own ticks. */
static void two_layers(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 100700 * US);
    arm(&s, 150700 * US, 1);
    is_text(fires(&s, 150200 * US), "", "WHL-08 case 2 %s: at 100.7 for +50: not at 150.2", s.name);
    is_text(fires(&s, 150700 * US - 1), "", "WHL-08 case 2 %s: nor 1 ns early", s.name);
    is_text(fires(&s, 151 * MS), "1", "WHL-08 case 2 %s: but at the tick of 150.7", s.name);
    drop(&s);

    int early = 0, spins = 0, late = 0;
    uint64_t random = 2;
    for (int up = 0; up < 2; up++)
        for (int round = 0; round < 200; round++) {
            int64_t start = (int64_t)(random_next(&random) % (uint64_t)(5 * MS)), now = start;
            s = make(k, start);
            int64_t at = start + (int64_t)(random_next(&random) % (uint64_t)(90 * MS));
            arm(&s, at, 1);
            tb_instant next;
            for (int calls = 0; tb_timers_next_expiry(s.set, &next); calls++) {
                /* Waiting at least 1 ms where it would be less: what such owners do to make progress. */
                int64_t wait = next.ns <= now ? 0 : (next.ns - now + (up ? MS - 1 : 0)) / MS;
                now += wait > 0 ? wait * MS : next.ns > now ? MS : 0;
                if (expire(&s, now)) {
                    early += now < at;
                    late += now - at >= 3 * MS;
                }
                spins += calls > 200;
                if (calls > 200)
                    break;
            }
            drop(&s);
        }
    none_of(early, "WHL-08 case 2 %s: an owner that waits whole milliseconds, rounded down or up: none is early",
            k->name);
    none_of(late, "WHL-08 case 2 %s: none later than the two roundings together", k->name);
    none_of(spins, "WHL-26 case 2 %s: and none makes it spin", k->name);
}

/* Filed in the bucket of another tick: a timer in each tick of some turns of any wheel, looked at from every tick. */
static void the_wrong_bucket(const kind *k)
{
    enum { SPAN = 1300 };
    int wrong = 0;
    for (int64_t uptime = 0; uptime <= 3 * 64 * 64; uptime += 61) {
        subject s = make(k, 0);
        expire(&s, uptime * MS + 999999);
        for (int64_t i = 0; i < SPAN; i++)
            arm(&s, (uptime + 2 + i) * MS - (i % 3) * 400 * US, (uint64_t)i);
        int64_t step = 1 + uptime % 7 * 37;
        for (int64_t tick = uptime + 1; tick < uptime + SPAN + 2 + step; tick += step) {
            tb_expiries_clear(&s.out);
            tb_timers_expired(s.set, instant(tick * MS), &s.out);
            for (size_t e = 0; e < s.out.len; e++) {
                int64_t due = uptime + 2 + (int64_t)s.out.items[e].token;
                wrong += due > tick || due <= tick - step;
            }
        }
        wrong += len(&s) != 0;
        tb_timers_destroy(s.set);
        tb_expiries_free(&s.out);
    }
    none_of(wrong,
            "WHL-07 WHL-08 case 23 %s: 1300 neighbouring ticks from 200 presents: each in the call that covers it",
            k->name);
}

static void a_delayed_start(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 10 * MS);
    arm(&s, 110 * MS, 1);
    is_text(fires(&s, 110 * MS - 1), "", "WHL-07 case 24 %s: made at 0, first called at 10: +100 is not early", s.name);
    is_text(fires(&s, 110 * MS), "1", "WHL-07 case 24 %s: and not a tick late: 110", s.name);
    drop(&s);

    int wrong = 0;
    for (int64_t first = 0; first < 200 * MS; first += 777777) {
        s = make(k, -55555);
        arm(&s, first + 100 * MS, 1); /* armed before the first call, */
        expire(&s, first);
        arm(&s, first + 100 * MS, 2); /* and after it */
        int64_t due = -55555 + (first + 100 * MS + 55555 + MS - 1) / MS * MS;
        wrong += expire(&s, due - 1) != 0 || expire(&s, due) != 2;
        drop(&s);
    }
    none_of(wrong, "WHL-07 case 24 %s: whenever the first call comes, before or after arming: at the tick", k->name);
}

int main(void)
{
    each_kind(both_ends_rounded_down);
    each_kind(two_layers);
    each_kind(the_wrong_bucket);
    each_kind(a_delayed_start);
    return sets_done();
}
