/* binary_heap: an implicit binary heap of slot numbers, the keys in the slots.

   The idea (J. W. J. Williams, "Algorithm 232: Heapsort", CACM 7(6), 1964): a complete tree laid out in an array, no key
   smaller than its parent's. With each timer knowing its index, cancelling and rearming are O(log n) as well: this is what
   libevent does (an array of pointers to events) and, with linked nodes, libuv, and with them a large part of all servers.

   Costs: arming climbs as far as the new key is small, for random keys O(1) on average; cancelling and expiring are O(log n)
   with two keys compared a level. Every comparison reads a key in another place: from some 10^4 timers on these are the
   cache misses that make this layout dear, and what heap4 avoids. The next due tick is exact and at hand.

   Choose it for small sets, or where the array must be small (4 bytes a timer). A removed element's place is closed by a hole
   that moves, not by swaps, so that each step writes one index. */
#include <timerbench/core.h>

typedef struct heap {
    uint32_t *slots;
    uint32_t len, cap;
} heap;

static bool open_heap(void *q, const tb_view *v)
{
    (void)v;
    heap *h = q;
    h->slots = NULL;
    h->len = h->cap = 0;
    return true;
}

static void close_heap(void *q, const tb_view *v)
{
    heap *h = q;
    tb_view_resize(v, h->slots, h->cap * sizeof *h->slots, 0);
}

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    heap *h = q;
    uint32_t *moved = tb_view_resize(v, h->slots, h->cap * sizeof *h->slots, n * sizeof *h->slots);
    if (!moved)
        return false;
    h->slots = moved;
    h->cap = n;
    return true;
}

TB_OP void put(heap *h, const tb_view *v, uint32_t i, uint32_t slot)
{
    TB_COUNT(moves);
    h->slots[i] = slot;
    *tb_where(v, slot) = i;
}

TB_OP void sift_up(heap *h, const tb_view *v, uint32_t i, uint32_t slot, uint64_t due)
{
    for (; i > 0; i = (i - 1) / 2) {
        uint32_t parent = h->slots[(i - 1) / 2];
        TB_COUNT(compares);
        if (*tb_due(v, parent) <= due)
            break;
        put(h, v, i, parent);
    }
    put(h, v, i, slot);
}

TB_OP void sift_down(heap *h, const tb_view *v, uint32_t i, uint32_t slot, uint64_t due)
{
    for (;;) {
        uint64_t child = 2 * (uint64_t)i + 1;
        if (child >= h->len)
            break;
        uint32_t best = (uint32_t)child;
        uint64_t least = *tb_due(v, h->slots[best]);
        if (best + 1 < h->len) {
            uint64_t right = *tb_due(v, h->slots[best + 1]);
            TB_COUNT(compares);
            best += right < least;
            least = right < least ? right : least;
        }
        TB_COUNT(compares);
        if (due <= least)
            break;
        put(h, v, i, h->slots[best]);
        i = best;
    }
    put(h, v, i, slot);
}

/* Puts a slot at place i, whose neighbours may be smaller or larger. */
TB_OP void settle(heap *h, const tb_view *v, uint32_t i, uint32_t slot, uint64_t due)
{
    if (i > 0 && *tb_due(v, h->slots[(i - 1) / 2]) > due)
        sift_up(h, v, i, slot, due);
    else
        sift_down(h, v, i, slot, due);
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    heap *h = q;
    *tb_due(v, slot) = due;
    sift_up(h, v, h->len++, slot, due);
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    heap *h = q;
    uint32_t i = *tb_where(v, slot), last = h->slots[--h->len];
    if (i < h->len)
        settle(h, v, i, last, *tb_due(v, last));
}

TB_OP void move(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    heap *h = q;
    *tb_due(v, slot) = due;
    settle(h, v, *tb_where(v, slot), slot, due);
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    heap *h = q;
    if (h->len == 0)
        return false;
    *tick = *tb_due(v, h->slots[0]);
    return true;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    heap *h = q;
    while (h->len > 0 && *tb_due(v, h->slots[0]) <= upto) {
        tb_give(sink, h->slots[0]);
        uint32_t last = h->slots[--h->len];
        if (h->len > 0)
            sift_down(h, v, 0, last, *tb_due(v, last));
    }
}

static const char *check(const void *q, const tb_view *v)
{
    const heap *h = q;
    for (uint32_t i = 0; i < h->len; i++) {
        uint32_t slot = h->slots[i];
        if (*tb_where(v, slot) != i)
            return "a slot's index in the heap is wrong";
        if (*tb_due(v, slot) <= v->elapsed || *tb_due(v, h->slots[i ? (i - 1) / 2 : 0]) > *tb_due(v, slot))
            return "the heap is out of order, or holds a tick before the set's time";
    }
    return h->len == v->filed ? NULL : "the heap holds another number of slots than are filed";
}

static const tb_structure binary_heap = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "binary_heap",
    .family = "heap",
    .summary = "binary heap of slot numbers, keys in the slots",
    .publication = "Williams, CACM 7(6), 1964",
    .cost_insert = "O(log n), O(1) on average",
    .cost_cancel = "O(log n)",
    .cost_expire = "O(log n) a timer",
    .columns = TB_COL_WHERE | TB_COL_DUE_HOT,
    .traits = TB_NEXT_EXACT,
    .state_size = sizeof(heap),
    .open = open_heap,
    .close = close_heap,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .move = move,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(binary_heap)
