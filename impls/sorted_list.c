/* sorted_list: the pending timers in a doubly linked list in due order.

   The idea (Varghese and Lauck, SOSP 1987, scheme 2; the timer queues of VMS and early UNIX): whoever arms a timer walks to its
   place, so that expiring takes from the front and looks no further. They found that a walk from the rear passes n/3 of
   the list where intervals are uniform and n/2 where they are exponential, against 2n/3 and n/2 from the front, so ours starts
   at the rear. Where every timer has the same interval the walk is no step at all.

   Costs: cancelling is an unlink, O(1); expiring O(1) a timer; the next due tick is exact and at hand; arming is O(n).

   Choose it where intervals are one constant (a FIFO of timeouts), or n is small and the next deadline is asked for all the
   time. libwebsockets keeps its timers so, and POSIX timer queues of small kernels. Ours holds no pointer, only slot
   numbers, and allocates nothing. */
#include <timerbench/core.h>

#include "impls/slot_list.h"

static bool open_list(void *q, const tb_view *v)
{
    (void)v;
    slot_buckets_clear(q, 1);
    return true;
}

static void close_list(void *q, const tb_view *v) { (void)q, (void)v; }

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    (void)q, (void)v, (void)n; /* links are in the slots */
    return true;
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    slot_bucket *list = q;
    uint32_t after = list->last;
    while (!slot_is_head(after) && (TB_COUNT(compares), *tb_due(v, after) > due))
        after = tb_link(v, after)[0];
    uint32_t before = slot_is_head(after) ? list->first : tb_link(v, after)[1];
    *tb_due(v, slot) = due;
    tb_link(v, slot)[0] = after;
    tb_link(v, slot)[1] = before;
    if (slot_is_head(after))
        list->first = slot;
    else
        tb_link(v, after)[1] = slot;
    if (slot_is_head(before))
        list->last = slot;
    else
        tb_link(v, before)[0] = slot;
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot) { slot_unlink(q, 1, v, slot); }

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    slot_bucket *list = q;
    if (slot_is_head(list->first))
        return false;
    *tick = *tb_due(v, list->first);
    return true;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    slot_bucket *list = q;
    uint32_t slot = list->first;
    for (; !slot_is_head(slot) && *tb_due(v, slot) <= upto; slot = tb_link(v, slot)[1])
        tb_give(sink, slot);
    list->first = slot;
    if (slot_is_head(slot))
        list->last = slot;
    else
        tb_link(v, slot)[0] = slot_head(1, 0);
}

static const char *check(const void *q, const tb_view *v)
{
    const slot_bucket *list = q;
    uint32_t count = 0;
    const char *wrong = slot_bucket_check(list, 1, v, 0, &count);
    uint64_t previous = v->elapsed + 1;
    for (uint32_t slot = list->first; !wrong && !slot_is_head(slot); slot = tb_link(v, slot)[1]) {
        if (*tb_due(v, slot) < previous)
            wrong = "the list is out of order, or begins before the set's time";
        previous = *tb_due(v, slot);
    }
    return wrong ? wrong : count == v->filed ? NULL : "the list holds another number of slots than are filed";
}

static const tb_structure sorted_list = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "sorted_list",
    .family = "list",
    .summary = "linked list in due order, searched from the rear",
    .publication = "Varghese and Lauck, SOSP 1987, scheme 2",
    .cost_insert = "O(n); O(1) for one constant interval",
    .cost_cancel = "O(1)",
    .cost_expire = "O(1) a timer",
    .columns = TB_COL_LINK | TB_COL_DUE_HOT,
    .traits = TB_NEXT_EXACT | TB_CANCEL_O1,
    .state_size = sizeof(slot_bucket),
    .open = open_list,
    .close = close_list,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(sorted_list)
