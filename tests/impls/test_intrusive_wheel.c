/* The hand-written wheel that wheel_6x64 is timed against fires what it should, when it should: a yardstick that is
   fast because it is wrong would measure nothing. */
#include "bench/intrusive_wheel.h"
#include "tap.h"
#include "tests/calendar/random.h"

enum { NODES = 2000 };

typedef struct faults {
    int early, late, lost, twice, unordered;
} faults;

static void drive(uint64_t start, int magnitudes, uint64_t seed, faults *f)
{
    static intrusive_wheel w;
    static intrusive_node nodes[NODES];
    static bool filed[NODES];
    uint64_t random = seed, now = start;
    size_t left = 0;
    intrusive_init(&w, start);
    memset(filed, 0, sizeof filed);
    for (int step = 0; step < 20000 || left > 0; step++) {
        size_t i = random_next(&random) % NODES;
        if (step < 20000 && filed[i] && random_next(&random) % 4 == 0) {
            intrusive_remove(&w, &nodes[i]);
            filed[i] = false;
            left--;
        } else if (step < 20000 && !filed[i]) {
            nodes[i].token = i;
            intrusive_insert(&w, &nodes[i],
                             now + 1 + (random_next(&random) >> (63 - random_next(&random) % (uint64_t)magnitudes)));
            filed[i] = true;
            left++;
        }
        uint64_t before = now;
        now += random_next(&random) >> (63 - random_next(&random) % (step < 20000 ? 10 : 41));
        uint64_t previous = 0;
        intrusive_link *after;
        for (intrusive_node *n = intrusive_advance(&w, now); n; n = (intrusive_node *)(void *)after) {
            after = n->link.next;
            f->twice += !filed[n->token] || &nodes[n->token] != n;
            f->early += n->due > now;
            f->late += n->due <= before;
            f->unordered += n->due < previous;
            previous = n->due;
            filed[n->token] = false;
            left--;
        }
        unsigned slot;
        uint64_t tick;
        f->lost += intrusive_next(&w, &slot, &tick) != (left > 0) || w.now != now;
        if (step > 1000000) {
            f->lost++;
            break;
        }
    }
    for (size_t i = 0; i < NODES; i++)
        f->lost += filed[i];
}

int main(void)
{
    static const uint64_t starts[] = {0, 1, (UINT64_C(1) << 36) - 1, (UINT64_C(1) << 40) + 12345};
    faults f = {0};
    for (int i = 0; i < 4; i++)
        for (int magnitudes = 4; magnitudes <= 43; magnitudes += 13)
            drive(starts[i], magnitudes, (uint64_t)i * 100 + (uint64_t)magnitudes, &f);
    none_of(f.early, "WHL-08 the intrusive wheel: no node is taken before its tick");
    none_of(
        f.late,
        "WHL-08 WHL-38 the intrusive wheel: none later than the first call at or after it, beyond the span as well");
    none_of(f.twice, "WHL-15 WHL-29 the intrusive wheel: none twice, and none that was removed");
    none_of(f.lost, "WHL-29 the intrusive wheel: none is lost");
    none_of(f.unordered, "WHL-30 the intrusive wheel: one call gives them by due tick");
    return tap_done();
}
