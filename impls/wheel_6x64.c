/* wheel_6x64: a hierarchical timing wheel of six levels with 64 slots each, the reference structure.

   The idea (Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987, scheme 7): like the hands of a clock, level 0
   turns a slot every tick, level 1 a slot every 64 ticks, and so on. A timer goes to the level of the highest 6-bit digit in
   which its due tick differs from the present one, into the slot of its own digit there. When the hand reaches a slot of a
   higher level its timers are placed anew, nearer, until level 0 where they are due: a timer moves at most five times in its
   life, usually once or not at all, because most are cancelled first.

   Choosing the level by the differing digit (exclusive or), not by the distance, means that a level holds only slots still
   ahead in its present turn, and that all of them come before the next slot of any higher level. So the next event is the first
   occupied slot of the lowest occupied level: one word of occupancy bits a level finds it without scanning empty slots. Six
   levels span 64^6 ticks, about 795 days. A timer beyond waits in the top level at its digit and is placed again when the hand
   comes by.

   Costs: arming and cancelling are O(1): a list append, an unlink. Expiring is O(1) a timer plus its re-placements. The price is
   that a whole slot of a high level is re-placed in one call: with 10^6 timers a minute off, one call in 4096 moves some 68,000
   of them. next is a lower bound: it stops at the hand's arrival at a higher slot although nothing fires there.

   Choose it for large sets where most timers are cancelled and a stall of milliseconds every few seconds does no harm. Wheels
   of this kind are in the kernels of Linux before 4.8 (256 + 4 x 64 slots), in Kafka, Netty's relatives, tokio and
   Erlang/OTP. Ours links slots by number instead of by pointer, keeps no count a slot, and cascades lazily: when the next call
   comes, however late, it visits occupied slots only. */
#include <timerbench/core.h>

#include "impls/slot_list.h"

enum { LEVELS = 6, BITS = 6, SLOTS = 1 << BITS, BUCKETS = LEVELS * SLOTS };

typedef struct wheel {
    uint64_t at; /* the tick the hands show */
    uint64_t occupied[LEVELS];
    uint64_t cascades;
    slot_bucket buckets[BUCKETS];
} wheel;

static bool open_wheel(void *q, const tb_view *v)
{
    wheel *w = q;
    w->at = v->elapsed;
    w->cascades = 0;
    for (int level = 0; level < LEVELS; level++)
        w->occupied[level] = 0;
    slot_buckets_clear(w->buckets, BUCKETS);
    return true;
}

static void close_wheel(void *q, const tb_view *v) { (void)q, (void)v; }

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    (void)q, (void)v, (void)n; /* links are in the slots */
    return true;
}

/* For each highest differing bit: the bits to shift due by for its digit, and the first bucket of the level. Beyond the span: the
   top level. */
static const struct {
    uint16_t first;
    uint8_t shift;
} levels[64] = {
#define LEVEL(l) {(l) * SLOTS, (l) * BITS}
#define LEVEL_6(l) LEVEL(l), LEVEL(l), LEVEL(l), LEVEL(l), LEVEL(l), LEVEL(l)
    LEVEL_6(0), LEVEL_6(1), LEVEL_6(2), LEVEL_6(3), LEVEL_6(4), LEVEL_6(5),
    LEVEL_6(5), LEVEL_6(5), LEVEL_6(5), LEVEL_6(5), LEVEL(5),   LEVEL(5), LEVEL(5), LEVEL(5),
};

TB_OP size_t bucket_of(const wheel *w, uint64_t due)
{
    size_t highest = (size_t)__builtin_clzll((w->at ^ due) | 1) ^ 63;
    return levels[highest].first + (due >> levels[highest].shift & (SLOTS - 1));
}

TB_OP void place(wheel *w, const tb_view *v, uint32_t slot, uint64_t due)
{
    size_t bucket = bucket_of(w, due);
    if (slot_append(w->buckets, BUCKETS, v, bucket, slot))
        w->occupied[bucket / SLOTS] |= 1ull << (bucket % SLOTS);
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    *tb_due(v, slot) = due;
    place(q, v, slot, due);
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    wheel *w = q;
    uint32_t emptied = slot_unlink(w->buckets, BUCKETS, v, slot);
    if (emptied != SLOT_NO_BUCKET)
        w->occupied[emptied / SLOTS] &= ~(1ull << (emptied % SLOTS));
}

/* The first occupied slot ahead: its bucket, and the tick at which the hand reaches it. */
TB_OP bool next_bucket(const wheel *w, uint32_t *bucket, uint64_t *tick)
{
    uint32_t level = 0;
    while (w->occupied[level] == 0)
        if (++level == LEVELS)
            return false;
    uint32_t shift = level * BITS;
    uint64_t hand = w->at >> shift & (SLOTS - 1), turn = w->at >> shift & ~(uint64_t)(SLOTS - 1);
    uint64_t ahead = w->occupied[level] & ~(uint64_t)0 << hand << 1;
    if (ahead == 0) { /* only timers beyond the span: the top level's next turn */
        ahead = w->occupied[level];
        turn += SLOTS;
    }
    uint32_t digit = (uint32_t)__builtin_ctzll(ahead);
    *bucket = level * SLOTS + digit;
    *tick = (turn + digit) << shift;
    return true;
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    (void)v;
    uint32_t bucket;
    return next_bucket(q, &bucket, tick);
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    wheel *w = q;
    uint32_t bucket, after;
    uint64_t tick;
    while (next_bucket(w, &bucket, &tick) && tick <= upto) {
        w->at = tick;
        w->occupied[bucket / SLOTS] &= ~(1ull << (bucket % SLOTS));
        for (uint32_t slot = slot_detach(w->buckets, BUCKETS, bucket); !slot_is_head(slot); slot = after) {
            after = tb_link(v, slot)[1];
            uint64_t due = *tb_due(v, slot);
            if (due <= tick) {
                tb_give(sink, slot);
            } else {
                place(w, v, slot, due);
                w->cascades++;
            }
        }
    }
    w->at = upto;
}

static uint64_t cascades(const void *q) { return ((const wheel *)q)->cascades; }

static const char *check(const void *q, const tb_view *v)
{
    const wheel *w = q;
    uint32_t count = 0;
    if (w->at != v->elapsed)
        return "the hands do not show the set's time";
    for (uint32_t b = 0; b < BUCKETS; b++) {
        const char *wrong = slot_bucket_check(w->buckets, BUCKETS, v, b, &count);
        if (wrong)
            return wrong;
        if ((w->occupied[b / SLOTS] >> (b % SLOTS) & 1) != !slot_is_head(w->buckets[b].first))
            return "an occupancy bit is wrong";
        for (uint32_t slot = w->buckets[b].first; !slot_is_head(slot); slot = tb_link(v, slot)[1])
            if (*tb_due(v, slot) <= w->at || bucket_of(w, *tb_due(v, slot)) != b)
                return "a timer is in a slot that is not its own";
    }
    return count == v->filed ? NULL : "the lists hold another number of slots than are filed";
}

static const tb_structure wheel_6x64 = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "wheel_6x64",
    .family = "wheel",
    .summary = "hierarchical timing wheel, 6 levels of 64 slots, cascading",
    .publication = "Varghese and Lauck, SOSP 1987, scheme 7",
    .cost_insert = "O(1)",
    .cost_cancel = "O(1)",
    .cost_expire = "O(1) and at most 5 re-placements a timer",
    .columns = TB_COL_LINK | TB_COL_DUE,
    .traits = TB_CASCADES | TB_INSERT_O1 | TB_CANCEL_O1,
    .state_size = sizeof(wheel),
    .open = open_wheel,
    .close = close_wheel,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .next = next,
    .take = take,
    .cascades = cascades,
    .check = check,
};

TB_DEFINE_IMPL(wheel_6x64)
