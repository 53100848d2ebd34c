/* expiries.c: the caller's list of deliveries, and putting a batch in order. */
#include <errno.h>
#include <stdlib.h>

#include <timerbench/core/state.h>

bool tb_expiries_reserve(tb_expiries *out, size_t n)
{
    enum { FIRST = 32 };
    if (out->cap - out->len >= n)
        return true;
    size_t most = SIZE_MAX / 2 / sizeof *out->items;
    if (n > most - out->len) {
        errno = ENOMEM;
        return false;
    }
    size_t cap = out->cap < most / 2 ? out->cap * 2 : most;
    cap = cap > FIRST ? cap : FIRST;
    cap = cap > out->len + n ? cap : out->len + n;
    size_t old_size = out->cap * sizeof *out->items, new_size = cap * sizeof *out->items;
    void *moved = out->allocator ? out->allocator->resize(out->allocator->ctx, out->items, old_size, new_size)
                                 : realloc(out->items, new_size);
    if (!moved) {
        errno = ENOMEM;
        return false;
    }
    out->items = moved;
    out->cap = cap;
    return true;
}

void tb_expiries_free(tb_expiries *out)
{
    if (out->allocator && out->items)
        out->allocator->resize(out->allocator->ctx, out->items, out->cap * sizeof *out->items, 0);
    else
        free(out->items);
    out->items = NULL;
    out->len = out->cap = 0;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static bool before(const tb_expiry *a, const tb_expiry *b)
{
    TB_COUNT(compares);
    return a->deadline.ns < b->deadline.ns || (a->deadline.ns == b->deadline.ns && a->order < b->order);
}

/* Insertion sort that gives up after `budget` moves: false, and the items are some permutation of what they were. */
static bool insertion_sort(tb_expiry *items, size_t n, size_t budget)
{
    for (size_t i = 1; i < n; i++) {
        if (!before(&items[i], &items[i - 1]))
            continue;
        tb_expiry x = items[i];
        size_t j = i;
        for (; j > 0 && before(&x, &items[j - 1]); j--)
            items[j] = items[j - 1];
        items[j] = x;
        if (i - j > budget)
            return false;
        budget -= i - j;
    }
    return true;
}

static void sift_down(tb_expiry *items, size_t n, size_t i)
{
    tb_expiry x = items[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(&items[child], &items[child + 1]))
            child++;
        if (!before(&x, &items[child]))
            break;
        items[i] = items[child];
    }
    items[i] = x;
}

static void heap_sort(tb_expiry *items, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(items, n, i);
    for (size_t i = n; i-- > 1;) {
        tb_expiry x = items[0];
        items[0] = items[i];
        items[i] = x;
        sift_down(items, i, 0);
    }
}

static tb_expiry middle_of(const tb_expiry *a, const tb_expiry *b, const tb_expiry *c)
{
    if (before(a, b))
        return before(b, c) ? *b : before(a, c) ? *c : *a;
    return before(a, c) ? *a : before(b, c) ? *c : *b;
}

/* Introsort (D. R. Musser, "Introspective sorting and selection algorithms", 1997): quicksort by Hoare's partition, the
   middle of three as pivot, heapsort where that goes wrong. Keys are distinct. */
static void intro_sort(tb_expiry *items, size_t n, unsigned depth)
{
    enum { SMALL = 24 };
    while (n > SMALL) {
        if (depth-- == 0) {
            heap_sort(items, n);
            return;
        }
        tb_expiry pivot = middle_of(&items[0], &items[n / 2], &items[n - 1]);
        size_t i = 0, j = n - 1;
        for (;; i++, j--) {
            while (before(&items[i], &pivot))
                i++;
            while (before(&pivot, &items[j]))
                j--;
            if (i >= j)
                break;
            tb_expiry x = items[i];
            items[i] = items[j];
            items[j] = x;
        }
        size_t left = j + 1; /* items[0 .. j] <= pivot <= items[j + 1 ..] */
        if (left < n - left) {
            intro_sort(items, left, depth);
            items += left;
            n -= left;
        } else {
            intro_sort(items + left, n - left, depth);
            n = left;
        }
    }
    insertion_sort(items, n, SIZE_MAX);
}

void tb_sort_expiries(tb_expiry *items, size_t n)
{
    enum { MOVES = 12 }; /* an item: what a batch of several ticks, mixed only within each, needs on average */
    unsigned depth = 2;
    for (size_t m = n; m > 1; m /= 2)
        depth += 2;
    if (!insertion_sort(items, n, n * MOVES))
        intro_sort(items, n, depth);
}
