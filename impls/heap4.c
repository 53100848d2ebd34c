/* heap4: a 4-ary heap with the keys in its array.

   The idea (D. B. Johnson, "Priority queues with update and finding minimum spanning trees", IPL 4(3), 1975, for d-ary heaps; A.
   LaMarca and R. E. Ladner, "The influence of caches on the performance of heaps", ACM JEA 1, 1996, for why four and for the
   alignment): with four children a node the tree is half as deep, and the four keys that a step compares lie in one cache line,
   for their array begins so that each family of children does. libev and the Go runtime keep their timers like this.

   Costs: as any heap's, O(log n), but one cache line a level instead of two or more; nothing else is read on the way, only the
   index of each timer moved is written there. 16 bytes a timer in the array. The next due tick is exact and at hand.

   Choose it when the set is small or middling and the next deadline must be exact: below some 10^3 timers few structures are
   faster at anything, and its worst operation is harmless at any size. */
#include <timerbench/core.h>

enum { ARITY = 4 };

typedef struct node {
    uint64_t due;
    uint32_t slot;
} node;

typedef struct heap {
    node *nodes; /* the root is nodes[ARITY - 1], its children begin the next line */
    uint32_t len, cap;
} heap;

static size_t bytes_for(uint32_t n) { return n ? (n + ARITY - 1) * sizeof(node) : 0; }

static bool open_heap(void *q, const tb_view *v)
{
    (void)v;
    heap *h = q;
    h->nodes = NULL;
    h->len = h->cap = 0;
    return true;
}

static void close_heap(void *q, const tb_view *v)
{
    heap *h = q;
    tb_view_resize(v, h->nodes, bytes_for(h->cap), 0);
}

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    heap *h = q;
    node *moved = tb_view_resize(v, h->nodes, bytes_for(h->cap), bytes_for(n));
    if (!moved)
        return false;
    h->nodes = moved;
    h->cap = n;
    return true;
}

TB_OP node *at(const heap *h, uint32_t i)
{
    TB_COUNT(touches);
    return &h->nodes[(size_t)i + ARITY - 1];
}
TB_OP uint32_t parent_of(uint32_t i) { return (i - 1) / ARITY; }

TB_OP void put(heap *h, const tb_view *v, uint32_t i, node x)
{
    TB_COUNT(moves);
    *at(h, i) = x;
    *tb_where(v, x.slot) = i;
}

TB_OP void sift_up(heap *h, const tb_view *v, uint32_t i, node x)
{
    for (; i > 0 && (TB_COUNT(compares), at(h, parent_of(i))->due > x.due); i = parent_of(i))
        put(h, v, i, *at(h, parent_of(i)));
    put(h, v, i, x);
}

TB_OP void sift_down(heap *h, const tb_view *v, uint32_t i, node x)
{
    for (;;) {
        uint64_t first = (uint64_t)i * ARITY + 1;
        if (first >= h->len)
            break;
        uint32_t best = (uint32_t)first, end = h->len - first < ARITY ? h->len : (uint32_t)first + ARITY;
        for (uint32_t child = best + 1; child < end; child++) {
            TB_COUNT(compares);
            best = at(h, child)->due < at(h, best)->due ? child : best;
        }
        TB_COUNT(compares);
        if (x.due <= at(h, best)->due)
            break;
        put(h, v, i, *at(h, best));
        i = best;
    }
    put(h, v, i, x);
}

/* Puts a node at place i, whose neighbours may be smaller or larger. */
TB_OP void settle(heap *h, const tb_view *v, uint32_t i, node x)
{
    if (i > 0 && at(h, parent_of(i))->due > x.due)
        sift_up(h, v, i, x);
    else
        sift_down(h, v, i, x);
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    heap *h = q;
    node x = {due, slot};
    sift_up(h, v, h->len++, x);
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    heap *h = q;
    uint32_t i = *tb_where(v, slot);
    node last = *at(h, --h->len);
    if (i < h->len)
        settle(h, v, i, last);
}

TB_OP void move(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    node x = {due, slot};
    settle(q, v, *tb_where(v, slot), x);
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    (void)v;
    heap *h = q;
    if (h->len == 0)
        return false;
    *tick = at(h, 0)->due;
    return true;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    heap *h = q;
    while (h->len > 0 && at(h, 0)->due <= upto) {
        tb_give(sink, at(h, 0)->slot);
        node last = *at(h, --h->len);
        if (h->len > 0)
            sift_down(h, v, 0, last);
    }
}

static const char *check(const void *q, const tb_view *v)
{
    const heap *h = q;
    for (uint32_t i = 0; i < h->len; i++) {
        const node *x = at(h, i);
        if (*tb_where(v, x->slot) != i)
            return "a slot's index in the heap is wrong";
        if (x->due <= v->elapsed || (i > 0 && at(h, parent_of(i))->due > x->due))
            return "the heap is out of order, or holds a tick before the set's time";
    }
    return h->len == v->filed ? NULL : "the heap holds another number of slots than are filed";
}

static const tb_structure heap4 = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "heap4",
    .family = "heap",
    .summary = "4-ary heap, keys in the array, a line a level",
    .publication = "Johnson, IPL 4(3), 1975; LaMarca and Ladner, ACM JEA 1, 1996",
    .cost_insert = "O(log n), O(1) on average",
    .cost_cancel = "O(log n)",
    .cost_expire = "O(log n) a timer",
    .columns = TB_COL_WHERE,
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

TB_DEFINE_IMPL(heap4)
