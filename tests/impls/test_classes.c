/* The class of each implementation: what its description claims, what it may differ in, and how late a relaxed one is.
 */
#include "sets.h"
#include "tests/calendar/random.h"

static bool one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static void description(const kind *k)
{
    static const char *const families[] = {"list", "heap", "tree", "wheel", "queue", NULL};
    const tb_structure *d = k->impl->structure;
    const char *name = tb_impl_name(k->impl);
    ok(k->impl->abi == TB_ABI && k->impl->size == sizeof(tb_impl) && d->abi == TB_ABI &&
           d->size == sizeof(tb_structure),
       "EQ-04 %s: it is built for this contract", name);
    ok(name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(name),
       "EQ-04 %s: its name can be typed", name);
    ok(tb_impl_find(name) == k->impl, "EQ-04 %s: and finds it, alone", name);
    ok(one_of(d->family, families) && *d->summary && *d->publication && *d->cost_insert && *d->cost_cancel &&
           *d->cost_expire,
       "EQ-04 %s: family, summary, publication and costs are told", name);
    bool relaxed = d->traits & TB_RELAXED, exact = d->traits & TB_NEXT_EXACT, cascades = d->traits & TB_CASCADES;
    ok(relaxed == (d->late_bound != NULL), "EQ-04 %s: the relaxed class has a bound, the others have none", name);
    ok(!(relaxed && exact) && !(exact && cascades), "EQ-04 %s: one class: exact, cascading, lower bound or relaxed",
       name);
    ok(cascades == (d->cascades != NULL), "EQ-04 CNT-14 %s: it counts re-placements if and only if it cascades", name);
}

static void the_registry(void)
{
    int wrong = 0, yardsticks = 0;
    for (size_t i = 0; i < tb_impl_count(); i++) {
        const tb_impl *impl = tb_impl_at(i);
        yardsticks += (impl->structure->traits & TB_YARDSTICK) != 0;
        for (size_t j = 0; j < i; j++)
            wrong += strcmp(tb_impl_name(tb_impl_at(j)), tb_impl_name(impl)) == 0;
    }
    none_of(wrong, "EQ-04 no two implementations have one name");
    ok(tb_impl_count() - (size_t)yardsticks > 1, "EQ-04 there are implementations that are no yardstick");
    ok(tb_impl_at(tb_impl_count()) == NULL && tb_impl_find("no such thing") == NULL && tb_impl_find("") == NULL,
       "EQ-04 what is not there is not found");
    ok(tb_impl_find("unordered_list") != NULL, "EQ-01 the oracle, unordered_list, is there");
}

/* ---- one stream of instants for all ------------------------------------------------------------------------------ */

enum { TIMERS = 3000, INSTANTS = 20000 };

static int64_t instants[INSTANTS];
static size_t instant_count;

typedef struct outcome {
    uint64_t digest, calls, wakes;
} outcome;

/* A stream of arms with a pause between, driven by the recorded instants, or (recording) by next_expiry and recorded.
 */
static outcome drive(const kind *k, bool recording)
{
    outcome o = {0};
    subject s = make(k, -SEC);
    uint64_t random = 2;
    size_t at = 0;
    set_slop(&s, 2, 50 * MS);
    for (uint64_t i = 0; i < TIMERS; i++) {
        int64_t arming = -SEC + (int64_t)i * 10 * MS; /* what is due before it is delivered first */
        tb_instant next;
        while (recording && tb_timers_next_expiry(s.set, &next) && next.ns < arming && instant_count < INSTANTS) {
            instants[instant_count++] = next.ns;
            expire(&s, next.ns);
        }
        for (; !recording && at < instant_count && instants[at] < arming; at++) {
            expire(&s, instants[at]);
            for (size_t e = 0; e < s.out.len; e++)
                o.digest = (o.digest ^ s.out.items[e].token ^ (uint64_t)instants[at]) * UINT64_C(0x100000001b3);
        }
        int64_t off = (int64_t)(random_next(&random) % (uint64_t)(i % 10 ? 20 * SEC : 900 * US));
        arm_in(&s, i % 4, arming + off, i);
        if (i % 3 == 0)
            cancel(&s, random_next(&random) % (i + 1));
    }
    o.calls = stats_of(&s).calls;
    o.wakes = stats_of(&s).wakes;
    drop(&s);
    return o;
}

static outcome reference;

static void same_instants(const kind *k)
{
    outcome o = drive(k, false);
    ok(o.digest == reference.digest, "EQ-01 EQ-02 %s: driven by a heap's instants, it delivers what the heap does",
       k->name);
    ok(o.calls == reference.calls && o.wakes == reference.wakes, "EQ-02 %s: and calls and wakes are the same", k->name);
}

/* ---- relaxed ones ------------------------------------------------------------------------------------------------ */

/* Each timer alone, looked for every tick from its deadline on; for the exact class the bound is 0. */
static void late_by_its_bound(const kind *k)
{
    uint64_t random = 4;
    int early = 0, late = 0, never = 0;
    for (int round = 0; round < 300; round++) {
        subject s = make(k, 0);
        int64_t off = TICK + (int64_t)(random_next(&random) % (uint64_t)(TICK << random_next(&random) % 14));
        uint64_t ticks = (uint64_t)((off + TICK - 1) / TICK);
        uint64_t bound = k->impl->structure->late_bound ? k->impl->structure->late_bound(ticks) : 0;
        arm(&s, off, 1);
        early += expire(&s, off - 1) != 0;
        uint64_t tick = ticks;
        while (expire(&s, (int64_t)tick * TICK) == 0 && tick <= ticks + bound)
            tick++;
        late += tick > ticks + bound;
        never += expire(&s, (int64_t)(ticks + bound) * TICK) != 0 || len(&s) != 0;
        drop(&s);
    }
    none_of(early, "EQ-04 WHL-08 %s: no timer is early, of whatever class", k->name);
    none_of(late, "EQ-04 %s: none is later than the bound of its class", k->name);
    none_of(never, "EQ-04 WHL-29 %s: and each fires once", k->name);
}

int main(void)
{
    each(description, true, false, TB_YARDSTICK);
    the_registry();
    kind heap = kind_of(tb_impl_find("binary_heap"), false);
    drive(&heap, true);
    ok(instant_count > 1000 && instant_count < INSTANTS, "EQ-02 a stream of instants is recorded from a heap");
    reference = drive(&heap, false);
    each_kind(same_instants);
    each_kind_at_all(late_by_its_bound);
    return sets_done();
}
