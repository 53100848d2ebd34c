/* test_oracle.c: the oracle against the goldens and the worked examples, so that what everything is compared with is right
   itself. */
#include "bench/oracle.h"

#include <errno.h>

#include "tap.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define S INT64_C(1000000000)

/* ---- short calls ----------------------------------------------------------------------------------------------------- */

static tb_oracle *o;

static void begin(int64_t start, uint64_t limit, uint32_t keys)
{
    tb_oracle_free(o);
    o = tb_oracle_make(start, limit, keys);
    if (!o) {
        printf("Bail out! no memory\n");
        exit(1);
    }
}

static tb_oracle_name arm(tb_arm a)
{
    tb_oracle_name name = 0;
    int error;
    tb_oracle_insert(o, &a, 1, &name, &error);
    errno = error;
    return name;
}

static tb_oracle_name in(int64_t at, uint64_t token) { return arm((tb_arm){.at = {at}, .token = token}); }
static tb_oracle_name in_lane(uint32_t lane, int64_t at, uint64_t token)
{
    return arm((tb_arm){.at = {at}, .token = token, .lane = lane});
}
static tb_oracle_name precise(int64_t at, uint64_t token)
{
    return arm((tb_arm){.at = {at}, .token = token, .kind = TB_ARM_PRECISE});
}
static tb_oracle_name repeating(int64_t at, int64_t period, tb_repeat policy, uint64_t token)
{
    return arm((tb_arm){.at = {at}, .token = token, .kind = TB_ARM_REPEATING, .period = {period}, .policy = policy});
}

static bool key(uint32_t k, int64_t at)
{
    int error;
    bool done = tb_oracle_arm_key(o, k, TB_LANES, at, &error);
    errno = error;
    return done;
}

static bool is_precise(tb_oracle_name name)
{
    const tb_oracle_timer *t = tb_oracle_find(o, name);
    return t && t->precise;
}

static int64_t next(void)
{
    int64_t p = INT64_MAX, t = INT64_MAX;
    bool has_precise = tb_oracle_next_precise(o, &p), has_timeout = tb_oracle_next_timeout(o, &t);
    return !has_precise && !has_timeout ? INT64_MIN : p < t ? p : t;
}

static size_t len(void)
{
    size_t count;
    tb_oracle_timers(o, &count);
    return count;
}

/* The tokens of a call, "3 4". */
static const char *some_of(int64_t now, uint64_t max)
{
    static char text[4096];
    tb_oracle_expiries e = tb_oracle_expired(o, now, max);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < e.count && used < sizeof text - 24; i++)
        used += (size_t)sprintf(text + used, "%s%" PRIu64, i ? " " : "", e.items[i].timer.token);
    return text;
}
static const char *at(int64_t now) { return some_of(now, UINT64_MAX); }

/* The deadlines of a call in microseconds. */
static const char *deadlines_at(int64_t now)
{
    static char text[4096];
    tb_oracle_expiries e = tb_oracle_expired(o, now, UINT64_MAX);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < e.count && used < sizeof text - 24; i++)
        used += (size_t)sprintf(text + used, "%s%" PRId64, i ? " " : "", e.items[i].timer.deadline / US);
    return text;
}

/* ---- goldens --------------------------------------------------------------------------------------------------------- */

static void basics(void)
{
    begin(0, 0, 0);
    tb_oracle_name idle = in(30 * S, 1), req = in(5 * MS, 2), odd = in(2500 * US, 3), soon = in(400 * US, 4);
    ok(is_precise(soon) && !is_precise(odd) && len() == 4 && next() == 400 * US, "WHL-18 WHL-23 the oracle on G4: what is armed");
    ok(tb_oracle_cancel(o, req) && !tb_oracle_cancel(o, req), "WHL-15 WHL-16 G4: cancelling, and again");
    is_text(at(next()), "4", "G4: at 400 us");
    is(next(), 3 * MS, "WHL-07 G4: 2.5 ms is due at 3 ms");
    is_text(at(next()), "3", "G4: at 3000 us");
    ok(tb_oracle_find(o, idle) && tb_oracle_cancel(o, idle) && len() == 0, "WHL-17 G4: the idle one is pending and is cancelled");
    tb_timers_stats s = tb_oracle_stats(o);
    ok(s.armed == 4 && s.armed_precise == 1 && s.cancelled == 2 && s.fired == 2 && s.calls == 2 && s.wakes == 2,
       "CNT-14 G4: the counters");
}

static void lanes(void)
{
    begin(0, 0, 0);
    tb_oracle_set_slop(o, 1, 10 * MS);
    in_lane(1, 1 * MS, 1), in_lane(1, 3 * MS, 2), in_lane(1, 9900 * US, 3), in(4 * MS, 100);
    tb_oracle_name frame = precise(3600 * S, 200);
    ok(is_precise(frame), "WHL-12 the oracle on G5: an hour off and precise");
    is_text(at(next()), "100", "SLP-03 G5: at 4 ms");
    is_text(at(next()), "1 2 3", "SLP-03 G5: at 10 ms");
    is(tb_oracle_now(o), 10 * MS, "G5: it was 10 ms");
    is_text(at(next()), "200", "G5: at 3600000 ms");
    is(len(), 0, "G5: nothing is left");
}

static void slop(void)
{
    begin(0, 0, 0);
    tb_oracle_set_slop(o, 1, 10 * MS);
    tb_oracle_set_slop(o, 2, 1900 * US);
    is(tb_oracle_slop(o, 2), 1 * MS, "SLP-04 the oracle: 1.9 ms reads 1 ms");
    in_lane(1, 9900 * US, 6), in_lane(1, 1000 * US, 1), in_lane(1, 2500 * US, 2), in_lane(1, 7000 * US, 5);
    in_lane(1, 3000 * US, 3), in_lane(1, 5000 * US, 4), in(4000 * US, 100), in_lane(2, 6500 * US, 200), in_lane(1, 400 * US, 50);
    is_text(at(next()), "50", "SLP-07 SLOP: at 400 us");
    is_text(at(next()), "100", "SLOP: at 4000 us");
    is_text(at(next()), "200", "SLOP: at 7000 us");
    is(next(), 10 * MS, "SLP-02 SLOP: then 10000 us");
    is_text(at(next()), "1 2 3 4 5 6", "SLP-02 SLOP: six at once");
    is(tb_oracle_stats(o).calls, 4, "SLP-03 SLOP: four calls");
    is(tb_oracle_stats(o).wakes, 4, "SLP-03 SLOP: each delivers");
    in_lane(1, 22500 * US, 7);
    tb_oracle_set_slop(o, 1, 0);
    in_lane(1, 22500 * US, 8);
    is_text(at(23 * MS), "8", "SLP-05 SLOP: the later one without slop");
    is_text(at(29999999), "", "SLP-05 SLOP: the earlier one not yet");
    is_text(at(30 * MS), "7", "SLP-05 SLOP: it keeps its slop");
    tb_oracle_set_slop(o, 3, INT64_MAX);
    is(tb_oracle_slop(o, 3), INT64_C(9223372036854000000), "WHL-39 the largest slop");
    tb_oracle_set_slop(o, 3, -5);
    is(tb_oracle_slop(o, 3), 0, "SLP-04 a negative slop is none");
}

/* xorshift64*, as the goldens give it. */
static uint64_t draw(uint64_t *x)
{
    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    return *x * UINT64_C(2685821657736338717);
}

static void fill_order(void)
{
    uint64_t x = UINT64_C(88172645463325252);
    begin(0, 0, 0);
    for (uint64_t k = 0; k < 2000; k++) {
        int64_t when = (int64_t)(draw(&x) % 4000) * 250 * US + MS;
        if (k % 7 == 3)
            precise(when, k);
        else
            in(when, k);
    }
}

static uint64_t digest(uint64_t h, uint64_t v) { return (h ^ v) * UINT64_C(0x100000001b3); }

static void order(void)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325), fires[2000] = {0};
    fill_order();
    tb_oracle_expiries e = tb_oracle_expired(o, 999 * MS, UINT64_MAX);
    bool first = e.count == 1996 && e.items[0].timer.token == 1572 && e.items[1].timer.token == 779;
    for (size_t i = 0; i < e.count; i++)
        h = digest(h, e.items[i].timer.token);
    e = tb_oracle_expired(o, 9 * S, UINT64_MAX);
    for (size_t i = 0; i < e.count; i++)
        h = digest(h, e.items[i].timer.token);
    ok(first && e.count == 4, "WHL-29 the oracle on ORDER: 1996, then 4");
    ok(h == UINT64_C(0xd828fb20fb0e0ebf), "WHL-30 ORDER: the order of the tokens");

    int64_t late = 0;
    fill_order();
    while (len() > 0) {
        e = tb_oracle_expired(o, next(), UINT64_MAX);
        for (size_t i = 0; i < e.count; i++) {
            const tb_oracle_timer *t = &e.items[i].timer;
            fires[t->token] = (uint64_t)tb_oracle_now(o);
            late = tb_oracle_now(o) - t->deadline > late ? tb_oracle_now(o) - t->deadline : late;
        }
    }
    h = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < 2000; k++)
        h = digest(h, fires[k]);
    ok(h == UINT64_C(0xdeeee60214d9b375), "EQ-03 ORDER, stepped: when each fires");
    is(late, 750000, "WHL-08 ORDER, stepped: the latest is 750000 ns late");
    is(tb_oracle_stats(o).calls, 1026, "EQ-04 ORDER, stepped: 1026 calls");
}

static void long_ranges(void)
{
    static const int64_t after[] = {5, 600, 3600, 18000, 86400, 30 * 86400, 400 * 86400, 800 * 86400, INT64_C(3) * 365 * 86400};
    int64_t start = 123456000;
    begin(start, 0, 0);
    for (uint64_t k = 0; k < 9; k++)
        in(start + after[k] * S + (int64_t)k * 100 * US + 50 * US, k);
    int wrong = 0;
    for (uint64_t k = 0; k < 9; k++) {
        tb_oracle_expiries e = tb_oracle_expired(o, next(), UINT64_MAX);
        wrong += e.count != 1 || e.items[0].timer.token != k ||
                 tb_oracle_now(o) - e.items[0].timer.deadline != 950000 - (int64_t)k * 100000;
    }
    none_of(wrong, "WHL-36 the oracle on LONG: each of nine is late by what it must be, in nine calls");
}

/* ---- ends of time ---------------------------------------------------------------------------------------------------- */

static void ends(void)
{
    begin(0, 0, 0);
    in(INT64_C(9223372036854000000), 1);
    tb_oracle_name b = in(INT64_C(9223372036854000001), 2), c = in(INT64_MAX, 3);
    precise(INT64_MAX, 4);
    is_text(at(INT64_C(9223372036854000000)), "1", "WHL-39 the oracle: the last tick there is");
    ok(len() == 3 && next() == INT64_MAX, "WHL-39 what is never due stays pending");
    is_text(at(INT64_MAX - 1), "", "WHL-39 nothing just before the end");
    is_text(at(INT64_MAX), "4", "WHL-39 the precise one at the end");
    ok(tb_oracle_cancel(o, b) && tb_oracle_cancel(o, c) && len() == 0, "WHL-39 the others are cancelled");
    begin(0, 0, 0);
    tb_oracle_set_slop(o, 1, INT64_MAX);
    in_lane(1, 5 * MS, 1);
    is(next(), INT64_C(9223372036854000000), "WHL-39 in the lane with the largest slop");
    begin(S, 0, 0);
    tb_oracle_set_slop(o, 1, INT64_MAX);
    in_lane(1, S + 5 * MS, 1);
    is_text(at(INT64_MAX), "", "WHL-39 from 1 s on that is never");
    begin(-5 * S, 0, 0);
    in(-4998500 * US, 1);
    is(next(), -4998 * MS, "WHL-40 the oracle: negative instants");
    begin(INT64_MIN, 0, 0);
    in(INT64_MIN + 1500 * US, 1), in(INT64_MAX, 2), precise(INT64_MIN, 3);
    is_text(at(INT64_MIN), "3", "WHL-39 from the beginning of time");
    is_text(at(INT64_MAX), "1", "WHL-39 to its end, which is no whole tick away, so 2 is never due");
}

static void time_stands(void)
{
    begin(0, 0, 0);
    at(S + 11 * MS);
    is_text(at(0), "", "WHL-33 the oracle: an earlier instant");
    is(tb_oracle_now(o), S + 11 * MS, "WHL-33 time does not go back");
    in(S + 8 * MS, 9);
    is_text(at(0), "9", "WHL-41 and what is due at the set's time comes");
    in(tb_oracle_now(o) + 1200 * US, 1), precise(tb_oracle_now(o) + 1500 * US, 2);
    is_text(at(next()), "2", "WHL-31 a precise one may precede an earlier timeout");
}

/* ---- the worked examples of WHL-50 to WHL-67 --------------------------------------------------------------------------- */

static tb_oracle_name cut_names[6];

static void begin_cut(void)
{
    begin(0, 0, 0);
    cut_names[1] = in(5 * MS, 1), cut_names[2] = precise(4500 * US, 2);
    cut_names[3] = in(4200 * US, 3), cut_names[4] = in(4200 * US, 4), cut_names[5] = in(9 * MS, 5);
}

static void cuts(void)
{
    begin_cut();
    is_text(some_of(6 * MS, 0), "", "WHL-50 the oracle: none");
    is_text(some_of(6 * MS, 2), "3 4", "WHL-50 the first two");
    int64_t p;
    ok(tb_oracle_now(o) == 6 * MS && len() == 3 && is_precise(cut_names[2]) && !is_precise(cut_names[1]) &&
           tb_oracle_next_precise(o, &p) && p == 4500 * US && next() <= 6 * MS,
       "WHL-51 what a cut leaves");
    in(4800 * US, 6);
    is_text(at(6 * MS), "2 6 1", "WHL-51 it joins the next call's order");
    begin_cut();
    some_of(6 * MS, 2);
    ok(tb_oracle_cancel(o, cut_names[1]) && tb_oracle_rearm(o, cut_names[2], 8 * MS), "WHL-51 it is cancelled and rearmed");
    is_text(at(6 * MS), "", "WHL-51 nothing is due then");
    is_text(at(8 * MS), "2", "WHL-51 the rearmed one");
}

static void rearming(void)
{
    begin(0, 0, 0);
    tb_oracle_name a = in(5 * MS, 1);
    in(10 * MS, 2);
    ok(tb_oracle_rearm(o, a, 10 * MS), "WHL-52 the oracle: rearm");
    is_text(at(5 * MS), "", "WHL-52 the old deadline is no more");
    is_text(at(10 * MS), "2 1", "WHL-52 it is last in arm order");
    ok(!tb_oracle_rearm(o, a, 30 * MS), "WHL-52 nothing to rearm");
    tb_timers_stats s = tb_oracle_stats(o);
    ok(s.armed == 2 && s.rearmed == 1 && s.cancelled == 0 && s.fired == 2 && s.pending == 0, "WHL-54 only rearmed counts");
    begin(0, 0, 0);
    tb_oracle_name c = precise(20 * MS, 1), d = in(50 * MS, 2), f = in(700 * US, 3);
    tb_oracle_rearm(o, c, 40500 * US), tb_oracle_rearm(o, d, 300 * US), tb_oracle_rearm(o, f, 5500 * US);
    ok(is_precise(c) && is_precise(d) && !is_precise(f), "WHL-53 judged anew, but for what was asked to be precise");
    is(next(), 300 * US, "WHL-53 300 us");
    is_text(at(300 * US), "2", "WHL-53 fires at 300 us");
    is(next(), 6 * MS, "WHL-53 then 6 ms");
    is_text(at(6 * MS), "3", "WHL-53 fires at 6 ms");
    is_text(at(40499999), "", "WHL-53 and not before 40.5 ms");
    is_text(at(40500 * US), "1", "WHL-53 fires at 40.5 ms");
    begin(0, 0, 0);
    tb_oracle_set_slop(o, 1, 10 * MS);
    tb_oracle_name e = in_lane(1, 12 * MS, 1);
    tb_oracle_set_slop(o, 1, 0);
    is(next(), 20 * MS, "WHL-53 armed with slop");
    tb_oracle_rearm(o, e, 12 * MS);
    is(next(), 12 * MS, "WHL-53 rearmed without");
}

static void keys(void)
{
    int error;
    begin(0, 0, 4);
    ok(key(2, 5 * MS) && key(2, 9 * MS) && len() == 1, "WHL-55 the oracle: one timer a key");
    is_text(at(5 * MS), "", "WHL-55 rearmed");
    is_text(at(9 * MS), "2", "WHL-55 the token is the key");
    ok(!tb_oracle_find_key(o, 2), "WHL-55 it is gone");
    ok(key(2, 12 * MS) && tb_oracle_cancel(o, tb_oracle_find_key(o, 2)->name) && !tb_oracle_find_key(o, 2), "WHL-55 cancelled");
    tb_timers_stats s = tb_oracle_stats(o);
    ok(s.armed == 2 && s.cancelled == 1 && s.fired == 1 && s.rearmed == 1, "WHL-55 the counters");
    ok(!key(4, MS) && errno == ERANGE && !key(UINT32_MAX, MS) && errno == ERANGE && len() == 0, "WHL-64 keys out of range");
    begin(0, 0, 4);
    key(3, 5 * MS), key(0, 5 * MS), key(3, 5 * MS);
    is_text(at(5 * MS), "0 3", "WHL-55 a rearmed key is last in arm order");
    begin(0, 0, 4);
    tb_oracle_set_slop(o, 1, 10 * MS);
    key(0, 5 * MS), tb_oracle_arm_key(o, 0, 1, 3 * MS, &error), key(0, 4 * MS);
    ok(len() == 1 && next() == 10 * MS, "WHL-65 it moves to the lane that is named, and stays there");
}

static void repeats(void)
{
    for (int policy = TB_REPEAT_BURST; policy <= TB_REPEAT_DELAY; policy++) {
        begin(0, 0, 0);
        tb_oracle_name name = repeating(10 * MS, 10 * MS, (tb_repeat)policy, 1);
        at(10 * MS);
        tb_timers_stats s = tb_oracle_stats(o);
        bool counted = s.armed == 2 && s.fired == 1 && s.pending == 1;
        ok(counted && tb_oracle_cancel(o, name) && !tb_oracle_cancel(o, name), "WHL-57 the oracle: policy %d", policy);
    }
    begin(0, 0, 0);
    repeating(10 * MS, 10 * MS, TB_REPEAT_BURST, 1);
    is_text(deadlines_at(35 * MS), "10000 20000 30000", "WHL-58 burst delivers what was missed");
    is(next(), 40 * MS, "WHL-58 then 40 ms");
    begin(0, 0, 0);
    repeating(10 * MS, 10 * MS, TB_REPEAT_BURST, 1), in(20 * MS, 2), repeating(10 * MS, 10 * MS, TB_REPEAT_BURST, 3);
    is_text(at(35 * MS), "1 3 2 1 3 1 3", "WHL-58 occurrences take their places as they come");
    begin(0, 0, 0);
    repeating(10 * MS, 10 * MS, TB_REPEAT_BURST, 1);
    is_text(some_of(35 * MS, 2), "1 1", "WHL-58 burst, cut");
    is_text(deadlines_at(35 * MS), "30000", "WHL-58 and the rest");
    begin(0, 0, 0);
    repeating(10 * MS, 10 * MS, TB_REPEAT_SKIP, 1);
    is_text(deadlines_at(35 * MS), "10000", "WHL-59 skip leaves out what was missed");
    is(next(), 40 * MS, "WHL-59 and stays on its grid");
    begin(0, 0, 0);
    repeating(10 * MS, 10 * MS, TB_REPEAT_SKIP, 1);
    at(30 * MS);
    is(next(), 40 * MS, "WHL-59 after the call's time, not at it");
    begin(0, 0, 0);
    repeating(10 * MS, 10 * MS, TB_REPEAT_DELAY, 1);
    at(35 * MS);
    is(next(), 45 * MS, "WHL-60 delay counts from the call");
}

/* The instants at which a repeating timer of 1.5 ms fires when it is called when due. */
static const char *six_fires(tb_repeat policy)
{
    static char text[128];
    size_t used = 0;
    begin(0, 0, 0);
    repeating(1500 * US, 1500 * US, policy, 1);
    for (int i = 0; i < 6; i++) {
        tb_oracle_expired(o, next(), UINT64_MAX);
        used += (size_t)sprintf(text + used, "%s%" PRId64, i ? " " : "", tb_oracle_now(o) / MS);
    }
    return text;
}

static void more_repeats(void)
{
    is_text(six_fires(TB_REPEAT_BURST), "2 3 5 6 8 9", "WHL-61 the oracle: burst is rounded as insert does");
    is_text(six_fires(TB_REPEAT_SKIP), "2 3 5 6 8 9", "WHL-61 skip, too");
    is_text(six_fires(TB_REPEAT_DELAY), "2 4 6 8 10 12", "WHL-61 delay");
    begin(0, 0, 0);
    repeating(1500 * US, 1500 * US, TB_REPEAT_BURST, 1);
    is_text(deadlines_at(4700 * US), "1500 3000 4500", "WHL-61 burst in one call");
    is(next(), 6 * MS, "WHL-61 then 6 ms");
    static const uint64_t missed[] = {3600, 1, 1};
    for (int policy = TB_REPEAT_BURST; policy <= TB_REPEAT_DELAY; policy++) {
        begin(0, 0, 0);
        repeating(MS, MS, (tb_repeat)policy, 1);
        is(tb_oracle_count_due(o, 3600 * MS), missed[policy], "WHL-61 policy %d after 3600 periods, counted beforehand", policy);
        is(tb_oracle_expired(o, 3600 * MS, UINT64_MAX).count, missed[policy], "WHL-61 and delivered");
    }
    begin(0, 0, 0);
    repeating(0, S, TB_REPEAT_BURST, 1);
    is_text(at(0), "1", "WHL-61 due at once");
    is(next(), S, "WHL-61 then after its period");
    begin(INT64_MAX - 100, 0, 0);
    tb_oracle_name last = repeating(INT64_MAX - 5, 10, TB_REPEAT_BURST, 1);
    is_text(at(INT64_MAX), "1 1", "WHL-61 the occurrence at the end of time");
    ok(!tb_oracle_find(o, last), "WHL-61 is the last");
    begin(0, 0, 0);
    tb_oracle_name moved = repeating(10 * MS, 10 * MS, TB_REPEAT_SKIP, 1);
    tb_oracle_rearm(o, moved, 14 * MS);
    int64_t first = next();
    at(first);
    int64_t second = next();
    at(second);
    ok(first == 14 * MS && second == 24 * MS && next() == 34 * MS, "WHL-67 rearming moves the grid");
    ok(repeating(MS, 0, TB_REPEAT_SKIP, 1) == 0 && errno == EINVAL && repeating(MS, -1, TB_REPEAT_SKIP, 1) == 0 && errno == EINVAL,
       "WHL-66 no period, no timer");
}

static void limits_and_batches(void)
{
    begin(0, 2, 0);
    tb_oracle_name a = in(MS, 1);
    in(MS, 2);
    ok(in(MS, 3) == 0 && errno == ENOBUFS && len() == 2 && tb_oracle_stats(o).armed == 2, "WHL-43 the oracle: the limit");
    ok(tb_oracle_cancel(o, a) && in(MS, 3) != 0, "WHL-43 a free place");
    begin(0, 3, 0);
    in(MS, 1);
    tb_arm arms[3] = {{.at = {5 * MS}, .token = 2}, {.at = {5 * MS}, .token = 3}, {.at = {5 * MS}, .token = 4}};
    tb_oracle_name names[3];
    int error;
    ok(!tb_oracle_insert(o, arms, 3, names, &error) && error == ENOBUFS && len() == 1, "WHL-62 all of a batch or none");
    ok(tb_oracle_insert(o, arms, 2, names, &error) && len() == 3 && tb_oracle_stats(o).armed == 3, "WHL-62 a batch that fits");
    is_text(at(5 * MS), "1 2 3", "WHL-62 in the order given");
}

int main(void)
{
    basics();
    lanes();
    slop();
    order();
    long_ranges();
    ends();
    time_stands();
    cuts();
    rearming();
    keys();
    repeats();
    more_repeats();
    limits_and_batches();
    ok(!tb_oracle_out_of_memory(o), "the oracle had the memory it wanted");
    tb_oracle_free(o);
    return tap_done();
}
