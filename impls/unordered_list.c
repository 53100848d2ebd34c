/* unordered_list: the pending timers in an array, in no order. The plainest structure there is, and the one that every other
   is compared with.

   The idea (Varghese and Lauck, SOSP 1987, scheme 1): arming writes at the end, cancelling moves the last one into the hole,
   and each tick looks at every timer. They decremented a counter in each; comparing an absolute tick writes nothing.

   Costs: arming and cancelling are O(1) and as cheap as can be; a tick at which something is due is O(n). The least due tick
   is remembered until it is taken or cancelled, so that ticks before it cost nothing; then the next look finds it again, O(n).
   Keys stand in the array beside the slot numbers, so a look is one sequential pass.

   Choose it for a handful of timers: up to some dozens nothing is faster, and nothing is simpler. Small embedded schedulers
   do, and many programs with an array of deadlines and a loop. */
#include <timerbench/core.h>

typedef struct item {
    uint64_t due;
    uint32_t slot;
} item;

typedef struct list {
    item *items;
    uint32_t len, cap;
    uint64_t least; /* of all due ticks, or UINT64_MAX: not known */
} list;

static bool open_list(void *q, const tb_view *v)
{
    (void)v;
    list *a = q;
    a->items = NULL;
    a->len = a->cap = 0;
    a->least = UINT64_MAX;
    return true;
}

static void close_list(void *q, const tb_view *v)
{
    list *a = q;
    tb_view_resize(v, a->items, a->cap * sizeof *a->items, 0);
}

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    list *a = q;
    item *moved = tb_view_resize(v, a->items, a->cap * sizeof *a->items, n * sizeof *a->items);
    if (!moved)
        return false;
    a->items = moved;
    a->cap = n;
    return true;
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    list *a = q;
    a->items[a->len].due = due;
    a->items[a->len].slot = slot;
    *tb_where(v, slot) = a->len;
    a->len++;
    if (due < a->least && (a->len == 1 || a->least != UINT64_MAX))
        a->least = due;
}

TB_OP void drop(list *a, const tb_view *v, uint32_t i)
{
    TB_COUNT(moves);
    a->items[i] = a->items[--a->len];
    if (i < a->len)
        *tb_where(v, a->items[i].slot) = i;
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    list *a = q;
    uint32_t i = *tb_where(v, slot);
    if (a->items[i].due == a->least)
        a->least = UINT64_MAX;
    drop(a, v, i);
}

TB_OP void find_least(list *a)
{
    for (uint32_t i = 0; i < a->len; i++) {
        TB_COUNT(compares);
        a->least = a->items[i].due < a->least ? a->items[i].due : a->least;
    }
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    (void)v;
    list *a = q;
    if (a->least == UINT64_MAX)
        find_least(a);
    *tick = a->least;
    return a->len > 0;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    list *a = q;
    if (a->len == 0 || (a->least != UINT64_MAX && a->least > upto))
        return;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < a->len;) {
        TB_COUNT(compares);
        if (a->items[i].due <= upto) {
            tb_give(sink, a->items[i].slot);
            drop(a, v, i);
        } else {
            least = a->items[i].due < least ? a->items[i].due : least;
            i++;
        }
    }
    a->least = least;
}

static const char *check(const void *q, const tb_view *v)
{
    const list *a = q;
    bool found = a->least == UINT64_MAX;
    for (uint32_t i = 0; i < a->len; i++) {
        if (*tb_where(v, a->items[i].slot) != i)
            return "a slot's index in the array is wrong";
        if (a->items[i].due <= v->elapsed || (a->least != UINT64_MAX && a->items[i].due < a->least))
            return "a due tick is before the set's time or the least one";
        found |= a->items[i].due == a->least;
    }
    return !found ? "the least due tick is nobody's" : a->len == v->filed ? NULL : "the array holds another number than filed";
}

static const tb_structure unordered_list = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "unordered_list",
    .family = "list",
    .summary = "array in no order; every due tick looks at all",
    .publication = "Varghese and Lauck, SOSP 1987, scheme 1",
    .cost_insert = "O(1)",
    .cost_cancel = "O(1)",
    .cost_expire = "O(n) a tick with something due",
    .columns = TB_COL_WHERE,
    .traits = TB_NEXT_EXACT | TB_INSERT_O1 | TB_CANCEL_O1,
    .state_size = sizeof(list),
    .open = open_list,
    .close = close_list,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(unordered_list)
