/* Memory that is kept, grows or is trusted too far: netty #5647 (armed faster than fired), netty #2541, go #75935, moby
   #38522 (cancelled timers kept to their deadline), tokio #7384, aerospike #208, go #38119 (endless rearm), F-Stack
   #1040 (dirty memory at the start). */
#include "tests/calendar/random.h"
#include "tests/impls/injector.h"
#include "tests/impls/sets.h"

static void armed_faster_than_fired(const kind *k)
{
    static const size_t limits[] = {1, 2, 100, 1000};
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        size_t limit = limits[i], most = 0;
        injector in;
        injector_init(&in);
        subject s = make_with(k, 0, (tb_timers_options){.limit = limit, .allocator = &in.allocator});
        uint64_t refused = 0, armed = 0, fired = 0;
        for (uint64_t n = 0; n < 20000; n++) {
            if (arm(&s, now_of(&s) + SEC + (int64_t)(n % 7) * MS, n % (limit + 50)))
                armed++;
            else
                refused++;
            most = len(&s) > most ? len(&s) : most;
            if (n % 64 == 0) { /* one fires for 64 that come */
                tb_expiries_clear(&s.out);
                fired += tb_timers_expired_max(s.set, instant(now_of(&s) + 40 * MS), &s.out, 1);
            }
        }
        tb_timers_stats stats = stats_of(&s);
        wrong +=
            most != limit || refused == 0 || stats.fired != fired || stats.pending != armed - stats.rearmed - fired;
        wrong += in.held > 20000 + limit * 400 + 65536;
        tb_timers_destroy(s.set);
        tb_expiries_free(&s.out);
        wrong += in.held != 0;
    }
    none_of(wrong, "WHL-43 case 20 %s: limit M: the (M+1)th arm fails cleanly, M remain, and memory is that of M",
            k->name);
}

/* live: how many others are pending all the time. */
static size_t held_after(const kind *k, size_t live, int cycles, size_t *at_first)
{
    injector in;
    injector_init(&in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in.allocator});
    for (size_t i = 0; i < live; i++)
        arm(&s, HOUR + (int64_t)i * MS, i);
    for (int i = 0; i < cycles; i++) {
        uint64_t token = live + (uint64_t)(i % 16);
        if (i >= 16)
            cancel(&s, token);
        arm(&s, HOUR + (int64_t)i, token);
        if (i == 1000)
            *at_first = in.held;
        if (i % 1024 == 0) {
            tb_expiries_clear(&s.out);
            tb_timers_expired(s.set, instant(i * 100), &s.out);
        }
    }
    size_t held = in.held;
    if (len(&s) != live + 16 || in.mistold)
        held = SIZE_MAX;
    tb_timers_destroy(s.set);
    tb_expiries_free(&s.out);
    return held;
}

static void cancelled_but_kept(const kind *k)
{
    enum { CYCLES = 1000000 };
    static const size_t live[] = {0, 100, 2000};
    for (int i = 0; i < 3; i++) {
        size_t first = 0, held = held_after(k, live[i], i ? CYCLES / 10 : CYCLES, &first);
        ok(held <= 2 * first + 65536,
           "WHL-15 case 21 %s: %d timers armed an hour ahead and cancelled, %zu others pending: memory stays", k->name,
           i ? CYCLES / 10 : CYCLES, live[i]);
        diag("%s: %zu bytes held after 1000, %zu at the end", k->name, first, held);
    }
}

static void rearmed_without_end(const kind *k)
{
    enum { MOVES = 1000000 };
    injector in;
    injector_init(&in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in.allocator});
    s.out.allocator = &in.allocator;
    tb_expiries_reserve(&s.out, 16);
    for (uint64_t i = 0; i < 10; i++)
        arm(&s, SEC, i);
    uint64_t asked = in.asked, refused = 0, early = 0;
    size_t held = in.held;
    for (int64_t i = 0; i < MOVES; i++) { /* each time pushed out, as a connection's idle timer is */
        refused += !rearm(&s, (uint64_t)i % 10, i * 10 * US + SEC);
        if (i % 100 == 0)
            early += tb_timers_expired(s.set, instant(i * 10 * US), &s.out);
    }
    ok(refused == 0 && early == 0, "WHL-54 case 29 %s: 10^6 rearms to later, driven: all true, none fires early",
       k->name);
    ok(in.asked == asked && in.held == held, "WHL-54 case 29 %s: no allocation, no growth", k->name);
    is(tb_timers_expired(s.set, instant(HOUR), &s.out), 10, "WHL-54 case 29 %s: and each fires once in the end",
       k->name);
    tb_timers_destroy(s.set);
    tb_expiries_free(&s.out);
}

/* Each part of a set's memory is used at least once before anything else has written there. */
static void over_dirty_memory(const kind *k)
{
    injector in;
    injector_init(&in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in.allocator});
    ok(len(&s) == 0 && wakes_never(&s) && expire(&s, 0) == 0,
       "WHL-04 case 32 %s: made on memory filled with 0xA5, a set is empty", s.name);
    int wrong = 0;
    for (uint32_t lane = 0; lane < TB_LANES; lane++)
        wrong += tb_timers_slop_of(s.set, lane).ns != 0;
    for (uint64_t i = 0; i < SUBJECT_TOKENS; i++)
        wrong += pending(&s, i) || cancel(&s, i);
    for (uint64_t i = 0; i < 1000; i++) /* far apart: every level, every bucket, growth several times */
        wrong += !arm(&s, (int64_t)i * (int64_t)i * 7 * MS, (i * 389) % SUBJECT_TOKENS);
    if (!k->keyed)
        wrong += !arm_repeating(&s, DAY, HOUR, TB_REPEAT_DELAY, 4000);
    for (uint64_t i = 0; i < SUBJECT_TOKENS; i++)
        if (k->keyed && !pending(&s, i))
            wrong += precise(&s, i) || cancel(&s, i);
    wrong += expire(&s, 1000 * 1000 * 7 * MS) != 1000;
    none_of(wrong, "WHL-04 case 32 %s: and works: no slop, no names, 1000 timers near and far", s.name);
    drop(&s);
    none_of(in.held + (size_t)in.mistold, "WHL-04 case 32 %s: and gives all back", k->name);
}

int main(void)
{
    each_kind(armed_faster_than_fired);
    each_kind(cancelled_but_kept);
    each_kind(rearmed_without_end);
    each_kind(over_dirty_memory);
    return sets_done();
}
