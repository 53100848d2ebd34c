/* Memory: which calls ask for none, what reserve promises, what a set holds, and that it starts well on dirty memory.
 */
#include "injector.h"
#include "sets.h"
#include "tests/calendar/random.h"

static subject on_injector(const kind *k, injector *in)
{
    injector_init(in);
    subject s = make_with(k, 0, (tb_timers_options){.allocator = &in->allocator});
    s.out.allocator = &in->allocator;
    return s;
}

static void rearming_asks_for_none(const kind *k)
{
    enum { MOVES = 1000000, N = 100 };
    injector in;
    subject s = on_injector(k, &in);
    arm(&s, HOUR, 1);
    size_t held = tb_timers_bytes(s.set);
    injector_fail(&in, 1, true);
    uint64_t asked = in.asked;
    int refused = 0;
    for (int64_t i = 0; i < MOVES; i++)
        refused += !rearm(&s, 1, HOUR + i * MS);
    none_of(refused, "WHL-54 %s: 10^6 rearms of one timer, with every allocation failing: all true", s.name);
    is(in.asked - asked, 0, "WHL-54 %s: none was asked for", s.name);
    ok(counts(&s, 1, MOVES, 0, 0, 1), "WHL-54 %s: they count as rearmed alone", s.name);
    is(tb_timers_bytes(s.set), held, "WHL-54 %s: and the set has not grown", s.name);
    injector_fail(&in, 0, false);

    /* The same among others, between all the places a timer can be in. */
    for (uint64_t i = 0; i < N; i++)
        arm(&s, (int64_t)i * 10 * MS, i);
    injector_fail(&in, 1, true);
    asked = in.asked;
    uint64_t random = 54;
    for (int i = 0; i < 20000; i++) {
        uint64_t r = random_next(&random);
        refused += !rearm(&s, r % N, r & 256 ? now_of(&s) + random_count(&random) / 8 : INT64_MAX);
    }
    ok(refused == 0 && in.asked == asked, "WHL-54 %s: nor do 20000 random ones of 100 timers ask for any", s.name);
    injector_fail(&in, 0, false);
    drop(&s);
}

/* After reserve(n), arming n of a kind of timer, and taking them all out. */
static bool arms_without_memory(const kind *k, size_t n, int what, uint64_t *asked)
{
    injector in;
    subject s = on_injector(k, &in);
    bool done = tb_timers_reserve(s.set, n);
    /* What reserve leaves out, by its own account, is used once: the table up to the last key, the periods. */
    if (k->keyed)
        done &= arm(&s, 0, n - 1) && cancel(&s, n - 1);
    for (uint64_t i = 0; what == 2 && i < n; i++)
        done &= arm_repeating(&s, 0, HOUR, TB_REPEAT_SKIP, i);
    for (uint64_t i = 0; what == 2 && i < n; i++)
        done &= cancel(&s, i);
    injector_fail(&in, 1, true);
    uint64_t before = in.asked;
    for (uint64_t i = 0; i < n; i++) {
        int64_t at = (int64_t)(i * 7919 % 1000) * 500 * US;
        if (what == 2)
            done &= arm_repeating(&s, at, HOUR, TB_REPEAT_SKIP, i);
        else if (what == 1 && !k->keyed)
            done &= arm_precise(&s, at, i);
        else
            done &= arm_in(&s, i % 8, i % 10 ? at : INT64_MAX, i);
    }
    *asked += in.asked - before;
    done &= len(&s) == n;
    for (uint64_t i = 0; i < n; i++)
        done &= cancel(&s, i);
    injector_fail(&in, 0, false);
    drop(&s);
    return done && in.mistold == 0 && in.held == 0;
}

static void reserving(const kind *k)
{
    static const char *const what[] = {"timeouts", "precise ones", "repeating ones"};
    static const size_t n[] = {1, 8, 9, 63, 64, 65, 100, 1000};
    for (int w = 0; w < (k->keyed ? 1 : 3); w++) {
        int wrong = 0;
        uint64_t asked = 0;
        for (int i = 0; i < 8; i++)
            wrong += !arms_without_memory(k, n[i], w, &asked);
        none_of(wrong, "%s: after reserve(n), n %s are armed without memory", k->name, what[w]);
        is(asked, 0, "%s: and none is asked for", k->name);
    }
}

/* Cascades, the batch and what a cut leaves are covered by what arming allocated. */
static void expiring_asks_for_none(const kind *k)
{
    enum { N = 3000 };
    injector in;
    subject s = on_injector(k, &in);
    uint64_t random = 43;
    for (uint64_t i = 0; i < N; i++)
        arm_in(&s, i % 8, (int64_t)(random_next(&random) % (uint64_t)(i % 3 ? 100 * SEC : 30 * DAY)), i);
    for (uint64_t i = 0; i < N && !k->keyed; i += 30) {
        cancel(&s, i);
        arm_repeating(&s, (int64_t)i * MS, HOUR, TB_REPEAT_SKIP, i);
    }
    tb_expiries_reserve(&s.out, 2 * N);
    injector_fail(&in, 1, true);
    uint64_t asked = in.asked;
    size_t fired = 0;
    for (int64_t now = 0; now < 100 * SEC; now += 250 * MS)
        fired += expire_max(&s, now, now % (750 * MS) ? SIZE_MAX : 3);
    fired += expire(&s, 31 * DAY);
    is(in.asked - asked, 0, "WHL-43 %s: with room in the list, expired asks for no memory, cuts and cascades included",
       s.name);
    ok(fired >= N && len(&s) == (k->keyed ? 0 : N / 30),
       "WHL-43 %s: and with every allocation failing all is delivered", s.name);
    injector_fail(&in, 0, false);
    drop(&s);
}

static void what_it_holds(const kind *k)
{
    injector in;
    subject s = on_injector(k, &in);
    int wrong = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        arm(&s, (int64_t)i * MS, i);
        wrong += tb_timers_bytes(s.set) != in.held;
    }
    if (wrong)
        diag("%s: bytes() is %zu, the allocator gave %zu in %" PRIu64 " blocks", s.name, tb_timers_bytes(s.set),
             in.held, in.blocks);
    none_of(wrong, "%s: bytes() is what the set holds from its allocator", s.name);
    drop(&s);
    ok(in.held == 0 && in.blocks == 0 && in.mistold == 0, "WHL-43 %s: destroyed with timers pending, it gives all back",
       s.name);
}

/* The injector's memory is filled with 0xA5, malloc's of a new process with zeros: the same calls, the same answers. */
static void dirty_memory(const kind *k)
{
    injector in;
    subject dirty = on_injector(k, &in), clean = make(k, 0);
    uint64_t random = 32;
    int wrong = 0;
    for (int i = 0; i < 3000; i++) {
        uint64_t token = random_next(&random) % 500, r = random_next(&random);
        int64_t at = now_of(&clean) + (int64_t)(r >> 16 & 0xfff) * 500 * US;
        if (pending(&clean, token))
            wrong += cancel(&dirty, token) != cancel(&clean, token);
        else
            wrong += arm_in(&dirty, r & 7, at, token) != arm_in(&clean, r & 7, at, token);
        int64_t now = now_of(&clean) + (int64_t)(r >> 32 & 0xff) * 20 * US;
        wrong += expire(&dirty, now) != expire(&clean, now);
        for (size_t e = 0; e < clean.out.len && e < dirty.out.len; e++)
            wrong += clean.out.items[e].token != dirty.out.items[e].token;
        wrong += !same_stats(stats_of(&dirty), stats_of(&clean));
    }
    none_of(wrong, "WHL-04 %s: a set made on memory filled with 0xA5 answers as another", k->name);
    drop(&dirty);
    drop(&clean);
}

int main(void)
{
    each_kind(rearming_asks_for_none);
    each_kind(reserving);
    each_kind(expiring_asks_for_none);
    each_kind(what_it_holds);
    each_kind(dirty_memory);
    return sets_done();
}
