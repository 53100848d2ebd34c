/* The golden transcripts of the wheel (G4) and of lanes (G5), and the machine goldens SLOP, ORDER and LONG, on every
   implementation. The exact text and the counts of calls bind where next is exact and for cascading wheels; the others
   skip calls that deliver nothing, and are driven by a heap's instants (EQ-04). */
#include "sets.h"
#include "tests/calendar/transcript.h"
#include "xorshift.h"

static bool within(const subject *s, int64_t end, int64_t *next)
{
    tb_instant at = {0};
    bool any = tb_timers_next_expiry(s->set, &at) && at.ns < end;
    *next = at.ns;
    return any;
}

/* ---- G4 ---------------------------------------------------------------------------------------------------------- */

static void golden_basics(const kind *k)
{
    enum { IDLE = 1, REQ, ODD, SOON };
    transcript t = {.length = 0};
    subject s = make(k, 0);
    tb_instant next = {0};
    int64_t now;
    arm(&s, 30 * SEC, IDLE);
    arm(&s, 5 * MS, REQ);
    arm(&s, 2500 * US, ODD);
    arm(&s, 400 * US, SOON);
    say(&t, "400 us off: %s", precise(&s, SOON) ? "precise" : "a timeout in the wheel");
    say(&t, "2.5 ms off: %s", precise(&s, ODD) ? "precise" : "a timeout in the wheel");
    tb_timers_next_expiry(s.set, &next);
    say(&t, "%zu pending; next wake at %" PRId64 " us", len(&s), next.ns / US);
    say(&t, "%s", cancel(&s, REQ) ? "cancelled the request's deadline" : "there was nothing to cancel");
    say(&t, "%s", cancel(&s, REQ) ? "cancelled it again" : "cancelling again does nothing");
    while (within(&s, 100000 * US, &now)) {
        size_t due = expire(&s, now);
        if (due == 0 && !kind_binding(k))
            continue;
        if (due)
            say(&t, "at %" PRId64 " us: %zu due, token %" PRIu64, now / US, due, s.out.items[0].token);
        else
            say(&t, "at %" PRId64 " us: %zu due", now / US, due);
    }
    say(&t, "the 30 s idle timeout is %s", pending(&s, IDLE) ? "still pending" : "gone");
    say(&t, "and is %s", cancel(&s, IDLE) ? "cancelled" : "not there to cancel");
    tb_timers_stats stats = stats_of(&s);
    say(&t, "%zu pending; %" PRIu64 " fired, %" PRIu64 " cancelled", len(&s), stats.fired, stats.cancelled);
    ok(same_as_file(&t, "tests/golden/G4.txt"), "WHL-09 WHL-16 WHL-18 WHL-23 EQ-03 EQ-04 %s: golden G4, to the byte",
       k->name);
    ok(stats.armed == 4 && stats.armed_precise == 1 && stats.cancelled == 2 && stats.fired == 2 && stats.wakes == 2,
       "CNT-14 %s: G4: armed 4, armed_precise 1, cancelled 2, fired 2, wakes 2", k->name);
    if (kind_binding(k))
        is(stats.calls, 2, "CNT-14 %s: G4: calls 2", k->name);
    drop(&s);
}

/* ---- G5, SLOP ---------------------------------------------------------------------------------------------------- */

static void golden_lanes(const kind *k)
{
    enum { FRAME = 200 };
    transcript t = {.length = 0};
    subject s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    arm_in(&s, 1, MS, 1);
    arm_in(&s, 1, 3 * MS, 2);
    arm_in(&s, 1, 9900 * US, 3);
    arm(&s, 4 * MS, 100);
    arm_precise(&s, HOUR, FRAME);
    say(&t, "the hour-off timer is %s", precise(&s, FRAME) ? "precise" : "a timeout");
    int64_t now;
    for (int wakes = 0; wakes < 3 && within(&s, INT64_MAX, &now);) {
        size_t fired = expire(&s, now);
        if (fired == 0 && !kind_binding(k))
            continue;
        wakes++;
        say(&t, "at %" PRId64 " ms: %zu fired: %s", now / MS, fired, tokens(&s));
    }
    say(&t, "%zu still pending", len(&s));
    ok(same_as_file(&t, "tests/golden/G5.txt"), "SLP-02 SLP-03 SLP-07 EQ-03 EQ-04 %s: golden G5, to the byte", k->name);
    drop(&s);
}

static void machine_slop(const kind *k)
{
    static const struct {
        int64_t at;
        uint32_t lane;
        uint64_t token;
    } arms[] = {{9900, 1, 6}, {1000, 1, 1},   {2500, 1, 2},   {7000, 1, 5}, {3000, 1, 3},
                {5000, 1, 4}, {4000, 0, 100}, {6500, 2, 200}, {400, 1, 50}};
    static const int64_t instants[] = {400, 4000, 7000, 10000};
    static const char *const fired[] = {"50", "100", "200", "1 2 3 4 5 6"};
    subject s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    set_slop(&s, 2, 1900 * US);
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        arm_in(&s, arms[i].lane, arms[i].at * US, arms[i].token);
    int64_t most = 0;
    for (int i = 0; i < 4; i++) {
        tb_instant next = {instants[i] * US};
        if (kind_binding(k))
            tb_timers_next_expiry(s.set, &next);
        is(next.ns, instants[i] * US, "SLP-03 EQ-04 %s: SLOP, wake %d of 4", k->name, i + 1);
        is_text(fires(&s, next.ns), fired[i], "SLP-02 SLP-03 SLP-07 %s: SLOP, what fires then", k->name);
        for (size_t e = 0; e < s.out.len; e++)
            most = next.ns - s.out.items[e].deadline.ns > most ? next.ns - s.out.items[e].deadline.ns : most;
    }
    is(most, 9 * MS, "SLP-09 %s: SLOP, max lateness 9 ms", k->name);
    ok(stats_of(&s).calls == 4 && stats_of(&s).wakes == 4 && wakes_never(&s),
       "SLP-03 CNT-14 %s: SLOP, calls 4, wakes 4", k->name);
    arm_in(&s, 1, 22500 * US, 7);
    set_slop(&s, 1, 0);
    arm_in(&s, 1, 22500 * US, 8);
    is_text(fires(&s, 23 * MS - 1), "", "SLP-05 %s: SLOP, then the slop is taken away", k->name);
    is_text(fires(&s, 23 * MS), "8", "SLP-05 %s: SLOP, 23 ms [8]", k->name);
    is_text(fires(&s, 30 * MS - 1), "", "SLP-05 %s: SLOP, nothing between", k->name);
    is_text(fires(&s, 30 * MS), "7", "SLP-05 %s: SLOP, 30 ms [7]", k->name);
    drop(&s);
}

/* ---- ORDER ------------------------------------------------------------------------------------------------------- */

enum { ORDER_TIMERS = 2000 };

static uint64_t digest(uint64_t h, uint64_t v) { return (h ^ v) * UINT64_C(0x100000001b3); }

static subject order_set(const kind *k)
{
    subject s = make(k, 0);
    uint64_t x = UINT64_C(88172645463325252);
    for (uint64_t i = 0; i < ORDER_TIMERS; i++) {
        int64_t at = (int64_t)(xorshift(&x) % 4000) * 250 * US + MS;
        if (i % 7 == 3)
            arm_precise(&s, at, i);
        else
            arm(&s, at, i);
    }
    return s;
}

static void order_in_two_calls(const kind *k)
{
    static const uint64_t first[] = {1572, 779, 772, 605, 183, 1531, 519, 673, 943, 1436},
                          last[] = {396, 65, 1009, 1364, 1102};
    static uint64_t order[ORDER_TIMERS];
    static bool seen[ORDER_TIMERS];
    subject s = order_set(k);
    memset(seen, 0, sizeof seen);
    size_t n = expire(&s, 999 * MS), count = 0, twice = 0;
    is(n, 1996, "WHL-30 %s: ORDER, one call at 999 ms: 1996", k->name);
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < s.out.len && count < ORDER_TIMERS; i++) {
            twice += seen[s.out.items[i].token];
            seen[order[count++] = s.out.items[i].token] = true;
        }
        if (part == 0)
            is(expire(&s, 9 * SEC), 4, "WHL-30 %s: ORDER, a second at 9 s: 4", k->name);
    }
    ok(count == ORDER_TIMERS && twice == 0 && len(&s) == 0, "WHL-29 %s: ORDER, 2000 timers, each token once", k->name);
    ok(memcmp(order, first, sizeof first) == 0, "WHL-30 TRP-06 TRP-07 %s: ORDER, the first ten tokens", k->name);
    ok(memcmp(order + ORDER_TIMERS - 5, last, sizeof last) == 0, "WHL-30 %s: ORDER, the last five tokens", k->name);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        h = digest(h, order[i]);
    is(h, UINT64_C(0xd828fb20fb0e0ebf), "WHL-30 EQ-01 %s: ORDER, the digest of the token order", k->name);
    drop(&s);
}

/* The instants at which a heap, following its own next, is called: what drives the structures that EQ-04 leaves free.
 */
static int64_t heap_instants[ORDER_TIMERS];
static size_t heap_calls;

static void order_stepped(const kind *k)
{
    static int64_t fired_at[ORDER_TIMERS];
    memset(fired_at, 0, sizeof fired_at);
    subject s = order_set(k);
    size_t twice = 0;
    int64_t most = 0, now = 0;
    bool by_heap = !kind_binding(k);
    for (size_t call = 0; by_heap ? call < heap_calls : within(&s, INT64_MAX, &now); call++) {
        now = by_heap ? heap_instants[call] : now;
        expire(&s, now);
        for (size_t e = 0; e < s.out.len; e++) {
            uint64_t token = s.out.items[e].token;
            int64_t late = now - s.out.items[e].deadline.ns;
            twice += fired_at[token] != 0 || late < 0;
            fired_at[token] = now;
            most = late > most ? late : most;
        }
    }
    ok(twice == 0 && s.fired == ORDER_TIMERS && len(&s) == 0, "WHL-29 %s: ORDER stepped, each fires once, none early",
       k->name);
    is(most, 750000, "WHL-08 EQ-03 %s: ORDER stepped, max lateness 750000 ns", k->name);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < ORDER_TIMERS; i++)
        h = digest(h, (uint64_t)fired_at[i]);
    is(h, UINT64_C(0xdeeee60214d9b375), "EQ-03 %s: ORDER stepped, the digest of the fire instants", k->name);
    if (kind_has(k, TB_NEXT_EXACT))
        is(s.calls, 1026, "WHL-25 EQ-02 %s: ORDER stepped, 1026 calls", k->name);
    if (kind_is(k, "wheel_6x64"))
        is(s.calls, 1029, "WHL-25 EQ-02 %s: ORDER stepped, 1029 calls", k->name);
    drop(&s);
}

static void record_heap(void)
{
    kind heap = kind_of(tb_impl_find("binary_heap"), false);
    subject s = order_set(&heap);
    for (int64_t now; within(&s, INT64_MAX, &now) && heap_calls < ORDER_TIMERS; heap_calls++) {
        heap_instants[heap_calls] = now;
        expire(&s, now);
    }
    is(heap_calls, 1026, "EQ-02 ORDER: a heap's instants are recorded");
    drop(&s);
}

/* ---- LONG -------------------------------------------------------------------------------------------------------- */

enum { LONG_TIMERS = 9 };

static const int64_t long_start = 123456000;
static const int64_t long_off[LONG_TIMERS] = {5 * SEC,  10 * MINUTE, HOUR,      5 * HOUR,     DAY,
                                              30 * DAY, 400 * DAY,   800 * DAY, 3 * 365 * DAY};

static subject long_set(const kind *k)
{
    subject s = make(k, long_start);
    for (int64_t i = 0; i < LONG_TIMERS; i++)
        arm(&s, long_start + long_off[i] + i * 100 * US + 50 * US, (uint64_t)i);
    return s;
}

static void machine_long(const kind *k)
{
    subject s = long_set(k);
    int wrong = 0;
    int64_t now = 0;
    for (size_t fired = 0; fired < LONG_TIMERS; fired += s.out.len) {
        if (kind_binding(k))
            wrong += !within(&s, INT64_MAX, &now);
        else /* a heap's instants: the tick of each */
            now = long_start + long_off[fired] + MS;
        if (expire(&s, now) == 0 && (!kind_binding(k) || s.calls > 1000))
            break;
        for (size_t e = 0; e < s.out.len; e++)
            wrong += now - s.out.items[e].deadline.ns != 950000 - (int64_t)s.out.items[e].token * 100000;
    }
    none_of(wrong, "WHL-36 EQ-03 %s: LONG, timer k fires exactly 950000 - k * 100000 ns late", k->name);
    ok(s.fired == LONG_TIMERS && wakes_never(&s), "WHL-36 %s: LONG, all nine fire", k->name);
    is(stats_of(&s).wakes, 9, "CNT-14 %s: LONG, wakes 9", k->name);
    if (kind_has(k, TB_NEXT_EXACT))
        is(stats_of(&s).calls, 9, "WHL-25 %s: LONG, 9 calls", k->name);
    if (kind_is(k, "wheel_6x64")) {
        is(stats_of(&s).calls, 44, "WHL-25 %s: LONG, 44 calls", k->name);
        is(stats_of(&s).cascaded, 35, "CNT-14 %s: LONG, 35 cascades", k->name);
    }
    drop(&s);

    /* The slots that the hands reach, and what is re-placed there, do not depend on when the calls come. */
    s = long_set(k);
    is(expire(&s, long_start + long_off[LONG_TIMERS - 1] + MS - 1), 8,
       "WHL-37 %s: LONG, one call just before the last: 8", k->name);
    is_text(tokens(&s), "0 1 2 3 4 5 6 7", "WHL-37 %s: LONG, in order", k->name);
    is_text(fires(&s, long_start + long_off[LONG_TIMERS - 1] + MS), "8", "WHL-37 %s: LONG, 1 ns later the ninth",
            k->name);
    if (kind_is(k, "wheel_6x64"))
        is(stats_of(&s).cascaded, 35, "CNT-14 %s: LONG in two calls, 35 cascades as well", k->name);
    drop(&s);
}

int main(void)
{
    uint64_t x = UINT64_C(88172645463325252);
    ok(xorshift(&x) == UINT64_C(16620430977058721579) && xorshift(&x) == UINT64_C(12052379865695375093) &&
           xorshift(&x) == UINT64_C(11451962570540714196),
       "EQ-01 the generator of ORDER gives its first outputs");
    record_heap();
    each_kind(golden_basics);
    each_by_id(golden_lanes);
    each_kind(machine_slop);
    each_by_id(order_in_two_calls);
    each_by_id(order_stepped);
    each_kind(machine_long);
    return sets_done();
}
