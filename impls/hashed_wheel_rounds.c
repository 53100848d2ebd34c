/* hashed_wheel_rounds: one wheel of 512 slots of a tick each; a timer stays in the slot of its tick modulo 512, however many
   rounds away it is.

   The idea (Varghese and Lauck, SOSP 1987, scheme 6): hash the due tick into a table of unsorted lists. At each tick the slot's
   whole list is looked at, those of this round fire, the others wait for a later one. Netty's HashedWheelTimer is this, with a
   counter of rounds in each timer that is decremented at every visit.

   Costs: arming and cancelling are O(1), a list append and an unlink, with no level to choose and nothing ever moved. A tick
   costs n/512 looks. That is the structure's bargain: fine while n is not far above the number of slots, or timers are short;
   with 10^6 pending a minute off every tick looks at 2000 timers to fire some 17. next is a lower bound: the next occupied
   slot, whose timers may all be of a later round. A peer who chooses deadlines can put them all in one slot.

   Choose it for many short timers that are mostly cancelled. Ours differs from Netty's in three points, each for speed: the due
   tick is compared, not counted down, so a visit writes nothing; a word of occupancy bits for each 64 slots finds the next
   occupied slot; a jump of more than a round visits each occupied slot once. */
#include <timerbench/core.h>

#include "impls/slot_list.h"

enum { SLOTS = 512, WORDS = SLOTS / 64 };

typedef struct wheel {
    uint64_t at; /* the tick the hand shows */
    uint64_t occupied[WORDS];
    slot_bucket buckets[SLOTS];
} wheel;

static bool open_wheel(void *q, const tb_view *v)
{
    wheel *w = q;
    w->at = v->elapsed;
    for (int i = 0; i < WORDS; i++)
        w->occupied[i] = 0;
    slot_buckets_clear(w->buckets, SLOTS);
    return true;
}

static void close_wheel(void *q, const tb_view *v) { (void)q, (void)v; }

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    (void)q, (void)v, (void)n; /* links are in the slots */
    return true;
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    wheel *w = q;
    uint32_t bucket = (uint32_t)(due % SLOTS);
    *tb_due(v, slot) = due;
    if (slot_append(w->buckets, SLOTS, v, bucket, slot))
        w->occupied[bucket / 64] |= 1ull << (bucket % 64);
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    wheel *w = q;
    uint32_t emptied = slot_unlink(w->buckets, SLOTS, v, slot);
    if (emptied != SLOT_NO_BUCKET)
        w->occupied[emptied / 64] &= ~(1ull << (emptied % 64));
}

/* The first tick after `from` whose slot is occupied, at most a round away; false: the wheel is empty. */
TB_OP bool next_occupied(const wheel *w, uint64_t from, uint64_t *tick)
{
    uint64_t start = from + 1;
    uint32_t word = (uint32_t)(start % SLOTS / 64);
    uint64_t bits = w->occupied[word] >> (start % 64);
    if (bits) {
        *tick = start + (uint64_t)__builtin_ctzll(bits);
        return true;
    }
    uint64_t base = start - start % 64;
    for (uint32_t i = 1; i <= WORDS; i++) {
        bits = w->occupied[(word + i) % WORDS];
        if (bits) {
            *tick = base + (uint64_t)i * 64 + (uint64_t)__builtin_ctzll(bits);
            return true;
        }
    }
    return false;
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    (void)v;
    const wheel *w = q;
    return next_occupied(w, w->at, tick);
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    wheel *w = q;
    uint64_t last = upto - w->at > SLOTS ? w->at + SLOTS : upto; /* every slot once is enough */
    uint64_t tick = w->at;
    uint32_t after;
    while (next_occupied(w, tick, &tick) && tick <= last) {
        for (uint32_t slot = w->buckets[tick % SLOTS].first; !slot_is_head(slot); slot = after) {
            after = tb_link(v, slot)[1];
            TB_COUNT(compares);
            if (*tb_due(v, slot) <= upto) {
                remove_slot(w, v, slot);
                tb_give(sink, slot);
            }
        }
    }
    w->at = upto;
}

static const char *check(const void *q, const tb_view *v)
{
    const wheel *w = q;
    uint32_t count = 0;
    if (w->at != v->elapsed)
        return "the hand does not show the set's time";
    for (uint32_t b = 0; b < SLOTS; b++) {
        const char *wrong = slot_bucket_check(w->buckets, SLOTS, v, b, &count);
        if (wrong)
            return wrong;
        if ((w->occupied[b / 64] >> (b % 64) & 1) != !slot_is_head(w->buckets[b].first))
            return "an occupancy bit is wrong";
        for (uint32_t slot = w->buckets[b].first; !slot_is_head(slot); slot = tb_link(v, slot)[1])
            if (*tb_due(v, slot) % SLOTS != b || *tb_due(v, slot) <= w->at)
                return "a timer is in a slot that is not its own";
    }
    return count == v->filed ? NULL : "the lists hold another number of slots than are filed";
}

static const tb_structure hashed_wheel_rounds = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "hashed_wheel_rounds",
    .family = "wheel",
    .summary = "hashed timing wheel, 512 slots, unsorted, rounds",
    .publication = "Varghese and Lauck, SOSP 1987, scheme 6",
    .cost_insert = "O(1)",
    .cost_cancel = "O(1)",
    .cost_expire = "O(n / 512) a tick",
    .columns = TB_COL_LINK | TB_COL_DUE,
    .traits = TB_INSERT_O1 | TB_CANCEL_O1,
    .state_size = sizeof(wheel),
    .open = open_wheel,
    .close = close_wheel,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(hashed_wheel_rounds)
