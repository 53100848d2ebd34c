/* The machine golden HUNDREDK: a server's day in small. 10^5 timeouts are armed a second and more ahead, 99 in a
   hundred of them cancelled soon after, the set driven a millisecond at a time, and then to its end by its own next
   wakes. */
#include "sets.h"
#include "xorshift.h"

enum { TIMERS = 100000, LAG = 500, MOST_CALLS = 20000 };

typedef struct day {
    tb_timers *set;
    bool keyed;
    tb_timer_id *ids;
    uint8_t *fired; /* times each did */
    tb_expiries out;
    int64_t now;
    uint64_t cancelled, refused, wrong;
    size_t peak, at_end_of_arming;
    int64_t late_sum, late_most;
} day;

static void call(day *d, int64_t now)
{
    d->now = now;
    tb_expiries_clear(&d->out);
    tb_timers_expired(d->set, instant(now), &d->out);
    for (size_t i = 0; i < d->out.len; i++) {
        int64_t late = now - d->out.items[i].deadline.ns;
        d->wrong += late < 0 || d->out.items[i].token >= TIMERS || d->out.items[i].token % 100 != 37;
        d->fired[d->out.items[i].token]++;
        d->late_sum += late;
        d->late_most = late > d->late_most ? late : d->late_most;
    }
}

static void arm_and_cancel(day *d)
{
    uint64_t x = 2463534242;
    for (uint64_t k = 0; k < TIMERS + LAG; k++) {
        if (k % 10 == 0)
            call(d, d->now + MS);
        if (k >= LAG && (k - LAG) % 100 != 37)
            d->cancelled += d->keyed ? tb_timers_cancel_key(d->set, (uint32_t)(k - LAG))
                                     : tb_timers_cancel(d->set, d->ids[k - LAG]);
        if (k < TIMERS) {
            tb_instant at = instant(d->now + SEC + (int64_t)(xorshift(&x) % 29000000) * US);
            if (d->keyed)
                d->refused += !tb_timers_arm_key(d->set, (uint32_t)k, at);
            else
                d->refused += tb_timer_is_none(d->ids[k] = tb_timers_insert(d->set, at, k));
        }
        if (tb_timers_len(d->set) > d->peak)
            d->peak = tb_timers_len(d->set);
    }
    d->at_end_of_arming = tb_timers_len(d->set);
}

static int64_t heap_instants[MOST_CALLS];
static size_t heap_calls;

static void follow(day *d, bool by_heap, bool recording)
{
    tb_instant next;
    for (size_t i = 0; by_heap && i < heap_calls; i++)
        call(d, heap_instants[i]);
    for (size_t i = 0; !by_heap && i < MOST_CALLS && tb_timers_next_expiry(d->set, &next); i++) {
        if (recording)
            heap_instants[heap_calls++] = next.ns;
        call(d, next.ns);
    }
}

static day live_through(const kind *k, bool recording)
{
    day d = {.keyed = k->keyed, .ids = calloc(TIMERS, sizeof(tb_timer_id)), .fired = calloc(TIMERS, 1)};
    d.set = make_set(k, 0, (tb_timers_options){.keys = k->keyed ? TIMERS : 0});
    if (!d.ids || !d.fired || !d.set) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
    arm_and_cancel(&d);
    follow(&d, !recording && !kind_binding(k), recording);
    return d;
}

static void end(day *d)
{
    tb_timers_destroy(d->set);
    tb_expiries_free(&d->out);
    free(d->ids);
    free(d->fired);
}

static void hundred_thousand(const kind *k)
{
    day d = live_through(k, false);
    tb_timers_stats stats = tb_timers_get_stats(d.set);
    uint64_t once = 0;
    for (size_t i = 0; i < TIMERS; i++)
        once += d.fired[i] == 1;
    ok(d.cancelled == 99000 && stats.cancelled == 99000 && d.refused == 0,
       "WHL-15 %s: HUNDREDK, 99000 cancelled, 0 refused", k->name);
    ok(once == 1000 && stats.fired == 1000 && d.wrong == 0, "WHL-29 EQ-01 %s: HUNDREDK, 1000 fired exactly once",
       k->name);
    is(d.at_end_of_arming, 849, "WHL-18 %s: HUNDREDK, 849 pending when arming ends", k->name);
    is(tb_timers_len(d.set), 0, "WHL-18 %s: HUNDREDK, none at the end", k->name);
    char line[2][160];
    snprintf(line[0], sizeof line[0], "peak pending %zu, survivors' lateness: max %" PRId64 " us, mean %" PRId64 " us",
             d.peak, d.late_most / US, d.late_sum / 1000 / US);
    is_text(line[0], "peak pending 1346, survivors' lateness: max 998 us, mean 501 us",
            "EQ-01 EQ-03 %s: HUNDREDK, its first line", k->name);
    is(stats.wakes, 975, "CNT-14 EQ-02 %s: HUNDREDK, 975 calls deliver", k->name);
    if (kind_has(k, TB_NEXT_EXACT))
        is(stats.calls, 10879, "WHL-25 EQ-02 %s: HUNDREDK, 10879 calls", k->name);
    if (kind_is(k, "wheel_6x64")) {
        snprintf(line[1], sizeof line[1], "wakes %" PRIu64 ", of them delivering %" PRIu64 "; cascades %" PRIu64,
                 stats.calls, stats.wakes, stats.cascaded);
        is_text(line[1], "wakes 11242, of them delivering 975; cascades 2009",
                "CNT-14 WHL-25 %s: HUNDREDK, its second line", k->name);
        is(stats.calls - (TIMERS + LAG) / 10, 1192, "WHL-25 %s: HUNDREDK, 1192 of the calls follow next_expiry",
           k->name);
    }
    ok(!tb_timers_check(d.set), "WHL-35 %s: HUNDREDK, every invariant holds", k->name);
    end(&d);
}

int main(void)
{
    uint64_t x = 2463534242;
    ok(xorshift(&x) == UINT64_C(8029376434849978946) && xorshift(&x) == UINT64_C(8238242402629458659) &&
           xorshift(&x) == UINT64_C(14032843361434501904),
       "EQ-01 the generator of HUNDREDK gives its first outputs");
    kind heap = kind_of(tb_impl_find("binary_heap"), false);
    day recorded = live_through(&heap, true);
    is(heap_calls, 10879 - (TIMERS + LAG) / 10, "EQ-02 HUNDREDK: a heap's instants are recorded");
    end(&recorded);
    each_kind(hundred_thousand);
    return sets_done();
}
