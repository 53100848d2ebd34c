/* sorted_array: the pending timers in an array in descending due order, found by binary search. An example of a structure of
   one's own, compiled with core.h into a plugin:

       cc -O2 -shared -fPIC $(pkg-config --cflags timerbench) sorted_array.c -o sorted_array.so
       timerbench check --plugin ./sorted_array.so
       timerbench run --plugin ./sorted_array.so --impl sorted_array,heap4 --size 64,1k

   What is due next stands at the end, so expiring moves nothing. Arming and cancelling move half the array, which memmove does
   at some ten bytes a nanosecond: it is worth looking at for a few hundred timers. */
#include <string.h>

#include <timerbench/core.h>

typedef struct {
    uint64_t due;
    uint32_t slot;
} entry;

typedef struct {
    entry *items;
    uint32_t len, cap;
} array;

static bool open_array(void *q, const tb_view *v)
{
    (void)v;
    memset(q, 0, sizeof(array)); /* its memory is dirty */
    return true;
}

static void close_array(void *q, const tb_view *v)
{
    array *a = q;
    tb_view_resize(v, a->items, a->cap * sizeof *a->items, 0);
}

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    array *a = q;
    entry *moved = tb_view_resize(v, a->items, a->cap * sizeof *a->items, n * sizeof *a->items);
    if (!moved)
        return false;
    a->items = moved;
    a->cap = n;
    return true;
}

/* The first place whose tick is below `due`. */
TB_OP uint32_t place_of(const array *a, uint64_t due)
{
    uint32_t low = 0, high = a->len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->items[middle].due >= due)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    array *a = q;
    uint32_t at = place_of(a, due);
    memmove(a->items + at + 1, a->items + at, (a->len - at) * sizeof *a->items);
    a->items[at].due = *tb_due(v, slot) = due;
    a->items[at].slot = slot;
    a->len++;
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    array *a = q;
    uint32_t at = place_of(a, *tb_due(v, slot)) - 1;
    while (a->items[at].slot != slot)
        at--;
    a->len--;
    memmove(a->items + at, a->items + at + 1, (a->len - at) * sizeof *a->items);
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    const array *a = q;
    (void)v;
    if (a->len == 0)
        return false;
    *tick = a->items[a->len - 1].due;
    return true;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    array *a = q;
    (void)v;
    while (a->len > 0 && a->items[a->len - 1].due <= upto)
        tb_give(sink, a->items[--a->len].slot);
}

static const char *check(const void *q, const tb_view *v)
{
    const array *a = q;
    for (uint32_t i = 0; i < a->len; i++) {
        if (a->items[i].due <= v->elapsed || (i > 0 && a->items[i - 1].due < a->items[i].due))
            return "the array is out of order, or a timer in it is overdue";
        if (*tb_due(v, a->items[i].slot) != a->items[i].due)
            return "a slot's tick is not the array's";
    }
    return a->len == v->filed ? NULL : "the array holds another number of slots than are filed";
}

static const tb_structure sorted_array = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "sorted_array",
    .family = "list",
    .summary = "array in due order, searched by halves",
    .publication = "an example",
    .cost_insert = "O(n)",
    .cost_cancel = "O(n)",
    .cost_expire = "O(1) a timer",
    .columns = TB_COL_DUE,
    .traits = TB_NEXT_EXACT,
    .state_size = sizeof(array),
    .open = open_array,
    .close = close_array,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(sorted_array)
TB_PLUGIN(&tb_sorted_array)
