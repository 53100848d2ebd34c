/* queue.c: the two binary heaps of a set, by (deadline, arm order), in one array of slots: the precise timers grow from
   its front, the overdue ones from its back. Every pending timer is in at most one of them, so the array never needs more
   room than there are timers, and moving a timer into a heap allocates nothing. A slot's position in its heap is kept
   in its hot part, in the word that is the structure's while the slot is filed. */
#include <timerbench/core/state.h>

typedef struct heap {
    const tb_core *c;
    uint32_t *first;
    ptrdiff_t step; /* +1: from the front, -1: from the back */
    uint32_t len;
} heap;

static heap heap_of(const tb_core *c, int state)
{
    heap h = {c, c->queue, 1, c->precise};
    if (state == TB_OVERDUE) {
        h.first = c->queue_end - 1;
        h.step = -1;
        h.len = c->overdue;
    }
    return h;
}

static uint32_t get(const heap *h, uint32_t i) { return h->first[(ptrdiff_t)i * h->step]; }

static void put(const heap *h, uint32_t i, uint32_t slot)
{
    TB_COUNT(moves);
    h->first[(ptrdiff_t)i * h->step] = slot;
    *tb_position_at(h->c, &h->c->layout, slot) = i;
}

static bool less(const heap *h, uint32_t a, uint32_t b)
{
    const tb_layout *l = &h->c->layout;
    TB_COUNT(compares);
    int64_t da = *tb_deadline_at(h->c, l, a), db = *tb_deadline_at(h->c, l, b);
    return da < db || (da == db && *tb_order_at(h->c, l, a) < *tb_order_at(h->c, l, b));
}

static void sift_up(const heap *h, uint32_t i, uint32_t slot)
{
    while (i > 0 && less(h, slot, get(h, (i - 1) / 2))) {
        put(h, i, get(h, (i - 1) / 2));
        i = (i - 1) / 2;
    }
    put(h, i, slot);
}

static void sift_down(const heap *h, uint32_t i, uint32_t slot)
{
    for (;;) {
        uint64_t child = 2 * (uint64_t)i + 1;
        if (child >= h->len)
            break;
        uint32_t best = (uint32_t)child;
        if (best + 1 < h->len && less(h, get(h, best + 1), get(h, best)))
            best++;
        if (!less(h, get(h, best), slot))
            break;
        put(h, i, get(h, best));
        i = best;
    }
    put(h, i, slot);
}

static void set_len(tb_core *c, int state, uint32_t len)
{
    if (state == TB_OVERDUE)
        c->overdue = len;
    else
        c->precise = len;
}

void tb_queue_push(tb_core *c, int state, uint32_t slot)
{
    heap h = heap_of(c, state);
    set_len(c, state, h.len + 1);
    h.len++;
    sift_up(&h, h.len - 1, slot);
}

void tb_queue_erase(tb_core *c, int state, uint32_t slot)
{
    heap h = heap_of(c, state);
    uint32_t i = *tb_position_at(c, &c->layout, slot);
    h.len--;
    set_len(c, state, h.len);
    if (i == h.len)
        return;
    uint32_t last = get(&h, h.len);
    if (i > 0 && less(&h, last, get(&h, (i - 1) / 2)))
        sift_up(&h, i, last);
    else
        sift_down(&h, i, last);
}

uint32_t tb_queue_pop_due(tb_core *c, size_t most)
{
    uint32_t n = 0;
    while (n < most && c->precise > 0 && *tb_deadline_at(c, &c->layout, c->queue[0]) <= c->now) {
        uint32_t slot = c->queue[0];
        tb_queue_erase(c, TB_PRECISE, slot);
        c->queue[c->precise] = slot; /* the place that the heap just gave up */
        n++;
    }
    return n;
}

void tb_queue_unpop(tb_core *c, uint32_t count)
{
    for (; count > 0; count--)
        tb_queue_push(c, TB_PRECISE, c->queue[c->precise]);
}

void tb_queue_make_heap(tb_core *c, uint32_t taken)
{
    heap h = heap_of(c, TB_OVERDUE);
    for (uint32_t i = h.len - taken; i < h.len; i++) {
        uint8_t *mark = tb_mark_at(c, &c->layout, get(&h, i));
        *mark = (uint8_t)((*mark & ~TB_STATE) | TB_OVERDUE);
    }
    if (taken <= h.len / 8) { /* few: push each; else Floyd's construction, O(n) */
        for (h.len -= taken; taken > 0; taken--, h.len++)
            sift_up(&h, h.len, get(&h, h.len));
        return;
    }
    for (uint32_t i = 0; i < h.len; i++)
        put(&h, i, get(&h, i));
    for (uint32_t i = h.len / 2; i-- > 0;)
        sift_down(&h, i, get(&h, i));
}
