/* A coarse slot looked through again at every poll (nexus #668): 640 timers that share one, polled every tick until
   they fire. Where the structure re-places timers, their number tells how often each was touched. The longest call is
   reported. */
#include "tests/impls/sets.h"

enum { N = 640 };

typedef struct cost {
    uint64_t cascaded;
    int64_t longest;
    bool right;
} cost;

/* Timers within `width` ticks, `far` ticks from now, polled every tick. */
static cost polled(const kind *k, int64_t far, int64_t width)
{
    cost c = {0, 0, true};
    subject s = make(k, 0);
    size_t fired = 0;
    for (uint64_t i = 0; i < N; i++)
        arm(&s, (far + (int64_t)i % width) * MS, i);
    for (int64_t tick = 1; tick < far + width; tick++) {
        tb_expiries_clear(&s.out);
        tb_instant before = tb_instant_now();
        size_t n = tb_timers_expired(s.set, instant(tick * MS), &s.out);
        int64_t took = tb_instant_elapsed(before).ns;
        c.longest = took > c.longest ? took : c.longest;
        fired += n;
        c.right &= n == 0 || tick >= far;
    }
    c.right &= fired == N && tb_timers_check(s.set) == NULL;
    c.cascaded = stats_of(&s).cascaded;
    tb_timers_destroy(s.set);
    tb_expiries_free(&s.out);
    return c;
}

static void looked_through_once(const kind *k)
{
    static const int64_t far[] = {100, 5000, 300000}, width[] = {20, 64, 4096};
    enum { LEVELS = 8 };
    int wrong = 0, again = 0;
    int64_t longest = 0;
    for (int i = 0; i < 3; i++) {
        cost c = polled(k, far[i], width[i]);
        wrong += !c.right;
        again += c.cascaded > (LEVELS - 1) * N;
        longest = c.longest > longest ? c.longest : longest;
    }
    none_of(wrong, "WHL-29 case 30 %s: 640 timers in one coarse slot, polled every tick: each fires, once", k->name);
    none_of(again, "CNT-14 case 30 %s: and none is re-placed more often than there are levels", k->name);
    diag("%s: the longest call took %" PRId64 " us", k->name, longest / US);
    if (kind_is(k, "wheel_6x64"))
        is(polled(k, 5000, 64).cascaded <= 2 * N, true, "CNT-14 case 30 %s: 5 s off: at most two moves each", k->name);
}

int main(void)
{
    each_kind(looked_through_once);
    return sets_done();
}
