/* semantics.h: timer sets with faults in their semantics: heap4's functions, but for one or two that a fault replaces. */
#ifndef TESTS_BENCH_FAULTS_SEMANTICS_H
#define TESTS_BENCH_FAULTS_SEMANTICS_H

#include <errno.h>
#include <string.h>

#include <timerbench/impl.h>

enum { remembered = 1 << 14 };

static const tb_timers_ops *sound; /* the functions without a fault */
static tb_timers_ops faulty;

/* What a faulty set remembers beside the sound one; one set at a time is alive. */
static uint8_t lane_of_slot[remembered];
static tb_expiry inserted;  /* the last timer armed plainly, as it will be delivered */
static tb_expiry withdrawn; /* one that was cancelled */
static bool has_withdrawn;

static uint32_t slot_of(tb_timer_id id) { return (uint32_t)id.bits % remembered; }

/* ---- delivering ------------------------------------------------------------------------------------------------------ */

static size_t ties_swapped(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    size_t n = sound->expired(set, now, out, max);
    tb_expiry *e = out->items + out->len - n;
    for (size_t i = 1; i < n; i++)
        if (e[i].deadline.ns == e[i - 1].deadline.ns) {
            tb_expiry first = e[i - 1];
            e[i - 1] = e[i];
            e[i] = first;
            break;
        }
    return n;
}

static tb_timer_id insert_noting_lane(tb_timers *set, uint32_t lane, tb_instant at, uint64_t token)
{
    tb_timer_id id = sound->insert_in(set, lane, at, token);
    lane_of_slot[slot_of(id)] = (uint8_t)lane;
    return id;
}

static bool arm_key_noting_lane(tb_timers *set, uint32_t lane, uint32_t key, tb_instant at)
{
    lane_of_slot[key % remembered] = (uint8_t)lane;
    return sound->arm_key_in(set, lane, key, at);
}

/* Of equal deadlines the one in the higher lane first, as buckets of lanes would come out. */
static size_t lanes_one_by_one(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    size_t n = sound->expired(set, now, out, max);
    tb_expiry *e = out->items + out->len - n;
    for (size_t i = 1; i < n; i++) {
        uint32_t a = tb_timer_is_none(e[i].id) ? (uint32_t)e[i].token % remembered : slot_of(e[i].id);
        uint32_t b = tb_timer_is_none(e[i].id) ? (uint32_t)e[i - 1].token % remembered : slot_of(e[i - 1].id);
        if (e[i].deadline.ns == e[i - 1].deadline.ns && lane_of_slot[a] > lane_of_slot[b]) {
            tb_expiry first = e[i - 1];
            e[i - 1] = e[i];
            e[i] = first;
        }
    }
    return n;
}

static size_t last_one_twice(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    size_t n = sound->expired(set, now, out, max);
    if (n < 3 || n == max || !tb_expiries_reserve(out, 1))
        return n;
    out->items[out->len] = out->items[out->len - 1];
    out->len++;
    return n + 1;
}

static size_t rest_dropped(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    size_t n = sound->expired(set, now, out, SIZE_MAX);
    if (n <= max)
        return n;
    out->len -= n - max;
    return max;
}

static size_t a_nanosecond_early(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    tb_instant next;
    bool early = sound->next_precise(set, &next) && next.ns > INT64_MIN && next.ns - 1 == now.ns;
    return sound->expired(set, early ? next : now, out, max);
}

static tb_timer_id insert_noting(tb_timers *set, tb_instant at, uint64_t token)
{
    tb_timer_id id = sound->insert(set, at, token);
    inserted = (tb_expiry){id, token, at, 0};
    return id;
}

static bool cancel_noting(tb_timers *set, tb_timer_id id)
{
    bool done = sound->cancel(set, id);
    if (done && tb_timer_same(id, inserted.id)) {
        withdrawn = inserted;
        has_withdrawn = true;
    }
    return done;
}

static size_t withdrawn_delivered(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    size_t n = sound->expired(set, now, out, max);
    if (!has_withdrawn || withdrawn.deadline.ns > now.ns || n == max || !tb_expiries_reserve(out, 1))
        return n;
    has_withdrawn = false;
    out->items[out->len++] = withdrawn;
    return n + 1;
}

/* What there was no memory for is gone. */
static size_t lost_for_memory(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    size_t n = sound->expired(set, now, out, max);
    if (errno == ENOMEM) {
        tb_expiries unseen = {0};
        sound->expired(set, now, &unseen, SIZE_MAX);
        tb_expiries_free(&unseen);
        errno = ENOMEM;
    }
    return n;
}

/* ---- arming and cancelling ------------------------------------------------------------------------------------------- */

/* An id whose timer is gone names the next one in its slot. */
static bool cancel_stale(tb_timers *set, tb_timer_id id)
{
    tb_timer_id next = {id.bits + (UINT64_C(1) << 32)};
    return sound->cancel(set, id) || (!tb_timer_is_none(id) && sound->cancel(set, next));
}

static tb_timer_id slop_whatever_is_near(tb_timers *set, uint32_t lane, tb_instant at, uint64_t token)
{
    int64_t slop = sound->slop_of(set, lane).ns, now = sound->now(set).ns;
    if (slop < 2 * TB_TICK_NANOS || slop > INT64_C(1) << 40 || at.ns < now || at.ns - now >= TB_TICK_NANOS || at.ns < 0)
        return sound->insert_in(set, lane, at, token);
    tb_instant rounded = {(at.ns + slop - 1) / slop * slop};
    return sound->insert_precise(set, rounded, token);
}

static bool slop_whatever_key_is_near(tb_timers *set, uint32_t lane, uint32_t key, tb_instant at)
{
    int64_t slop = sound->slop_of(set, lane).ns, now = sound->now(set).ns;
    if (slop < 2 * TB_TICK_NANOS || slop > INT64_C(1) << 40 || at.ns < now || at.ns - now >= TB_TICK_NANOS || at.ns < 0)
        return sound->arm_key_in(set, lane, key, at);
    tb_instant rounded = {(at.ns + slop - 1) / slop * slop};
    return sound->arm_key_in(set, lane, key, rounded);
}

/* A batch that is refused stays half armed. */
static bool one_by_one(tb_timers *set, const tb_arm *arms, size_t n, tb_timer_id *ids)
{
    for (size_t i = 0; i < n; i++)
        if (!sound->insert_many(set, &arms[i], 1, &ids[i]))
            return false;
    return true;
}

/* A repeating timer that cannot be armed takes the timer armed before it along. */
static tb_timer_id insert_or_undo(tb_timers *set, tb_instant at, tb_duration period, tb_repeat policy, uint64_t token)
{
    tb_timer_id id = sound->insert_repeating(set, at, period, policy, token);
    if (tb_timer_is_none(id) && errno == ENOMEM && sound->cancel(set, inserted.id))
        errno = ENOMEM;
    return id;
}

static tb_timer_id every_policy_bursts(tb_timers *set, tb_instant at, tb_duration period, tb_repeat policy, uint64_t token)
{
    return sound->insert_repeating(set, at, period, policy == TB_REPEAT_DELAY ? TB_REPEAT_BURST : policy, token);
}

static bool rearm_by_growing(tb_timers *set, tb_timer_id id, tb_instant at)
{
    return sound->reserve(set, sound->len(set) + 1000) && sound->rearm(set, id, at);
}

static size_t batch_counts_all(tb_timers *set, const tb_timer_id *ids, size_t n)
{
    sound->cancel_many(set, ids, n);
    return n;
}

/* ---- saying ---------------------------------------------------------------------------------------------------------- */

static tb_timers_stats fired_drifts(const tb_timers *set)
{
    tb_timers_stats s = sound->stats(set);
    s.fired -= s.fired >= 5;
    return s;
}

static tb_duration slop_rounded_up(const tb_timers *set, uint32_t lane)
{
    tb_duration slop = sound->slop_of(set, lane);
    slop.ns += slop.ns == TB_TICK_NANOS ? TB_TICK_NANOS : 0;
    return slop;
}

/* ---- the faults ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    void (*plant)(void);
    size_t more_limit;
} semantic_fault;

#define PLANT(name, statements) \
    static void plant_##name(void) { statements; }

PLANT(tie_order, faulty.expired = ties_swapped)
PLANT(lane_order, (faulty.expired = lanes_one_by_one, faulty.insert_in = insert_noting_lane,
                   faulty.arm_key_in = arm_key_noting_lane))
PLANT(stale_id, faulty.cancel = cancel_stale)
PLANT(precise_slop, (faulty.insert_in = slop_whatever_is_near, faulty.arm_key_in = slop_whatever_key_is_near))
PLANT(nothing, (void)0)
PLANT(stats, faulty.stats = fired_drifts)
PLANT(twice, faulty.expired = last_one_twice)
PLANT(cancelled, (faulty.expired = withdrawn_delivered, faulty.cancel = cancel_noting, faulty.insert = insert_noting))
PLANT(left_over, faulty.expired = rest_dropped)
PLANT(half_batch, faulty.insert_many = one_by_one)
PLANT(half_insert, (faulty.insert_repeating = insert_or_undo, faulty.insert = insert_noting))
PLANT(lost_for_memory, faulty.expired = lost_for_memory)
PLANT(early_precise, faulty.expired = a_nanosecond_early)
PLANT(policies, faulty.insert_repeating = every_policy_bursts)
PLANT(growing, faulty.rearm = rearm_by_growing)
PLANT(batch_count, faulty.cancel_many = batch_counts_all)
PLANT(slop_of, faulty.slop_of = slop_rounded_up)

static const semantic_fault semantic_faults[] = {
    {"tie_order", plant_tie_order, 0},
    {"order_across_lanes", plant_lane_order, 0},
    {"stale_id_accepted", plant_stale_id, 0},
    {"slop_on_precise", plant_precise_slop, 0},
    {"limit_off_by_one", plant_nothing, 1},
    {"stats_drift", plant_stats, 0},
    {"delivered_twice", plant_twice, 0},
    {"cancelled_one_delivered", plant_cancelled, 0},
    {"left_over_lost", plant_left_over, 0},
    {"half_a_batch", plant_half_batch, 0},
    {"failed_insert_changes", plant_half_insert, 0},
    {"lost_for_want_of_memory", plant_lost_for_memory, 0},
    {"precise_early", plant_early_precise, 0},
    {"policy_mixed_up", plant_policies, 0},
    {"rearm_allocates", plant_growing, 0},
    {"cancel_many_miscounts", plant_batch_count, 0},
    {"slop_reads_wrong", plant_slop_of, 0},
};

static const semantic_fault *planted;
static tb_structure named_heap4; /* heap4 under the fault's name, for reports */

static tb_timers *make_faulty(const tb_impl *impl, tb_instant now, const tb_timers_options *opt)
{
    tb_timers_options more = *opt;
    more.limit += more.limit ? planted->more_limit : 0;
    (void)impl;
    tb_timers *set = tb_timers_make(tb_impl_find("heap4"), now, &more);
    if (!set)
        return NULL;
    sound = set->ops;
    faulty = *sound;
    planted->plant();
    set->ops = &faulty;
    memset(lane_of_slot, 0, sizeof lane_of_slot);
    inserted = withdrawn = (tb_expiry){0};
    has_withdrawn = false;
    return set;
}

static const tb_impl faulty_impl = {TB_ABI, sizeof(tb_impl), &named_heap4, make_faulty};

static const tb_impl *plant_in_semantics(const semantic_fault *fault)
{
    planted = fault;
    named_heap4 = *tb_impl_find("heap4")->structure;
    named_heap4.name = fault->name;
    return &faulty_impl;
}

#endif
