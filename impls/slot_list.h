/* slot_list.h: doubly linked lists of slots in buckets, for the structures that are made of such lists (wheels).

   Links are slot numbers, half the size of pointers, in the slots' own fields. A list ends, on both sides, in the head of its
   bucket, a negative number: -1 is the last bucket, -n the first of n. So unlinking a slot finds the bucket without having
   stored it, and says when the bucket became empty. Needs TB_COL_LINK. */
#ifndef IMPLS_SLOT_LIST_H
#define IMPLS_SLOT_LIST_H

#include <timerbench/impl.h>

#define SLOT_NO_BUCKET UINT32_MAX

typedef struct slot_bucket {
    uint32_t first, last;
} slot_bucket;

TB_OP bool slot_is_head(uint32_t link) { return (int32_t)link < 0; }
TB_OP uint32_t slot_head(uint32_t n, size_t bucket) { return (uint32_t)bucket - n; }
TB_OP slot_bucket *slot_bucket_of(slot_bucket *buckets, uint32_t n, uint32_t head) { return buckets + n + (int32_t)head; }

TB_OP void slot_buckets_clear(slot_bucket *buckets, uint32_t n)
{
    for (uint32_t b = 0; b < n; b++)
        buckets[b].first = buckets[b].last = slot_head(n, b);
}

/* Whether the bucket was empty. */
TB_OP bool slot_append(slot_bucket *buckets, uint32_t n, const tb_view *v, size_t bucket, uint32_t slot)
{
    uint32_t last = buckets[bucket].last, *link = tb_link(v, slot);
    link[0] = last;
    buckets[bucket].last = slot;
    link[1] = slot_head(n, bucket); /* not beside the other: gcc 12 would join the two in a vector register, which is slower */
    if (slot_is_head(last)) {
        buckets[bucket].first = slot;
        return true;
    }
    tb_link(v, last)[1] = slot;
    return false;
}

/* Takes a slot out of its list: the bucket that is empty now, or SLOT_NO_BUCKET. */
TB_OP uint32_t slot_unlink(slot_bucket *buckets, uint32_t n, const tb_view *v, uint32_t slot)
{
    const uint32_t *link = tb_link(v, slot);
    uint32_t previous = link[0], next = link[1];
    if (slot_is_head(previous))
        slot_bucket_of(buckets, n, previous)->first = next;
    else
        tb_link(v, previous)[1] = next;
    if (slot_is_head(next))
        slot_bucket_of(buckets, n, next)->last = previous;
    else
        tb_link(v, next)[0] = previous;
    return previous == next ? previous + n : SLOT_NO_BUCKET;
}

/* Empties a bucket; its first slot (follow tb_link(...)[1] to a head), or a head when it was empty already. */
TB_OP uint32_t slot_detach(slot_bucket *buckets, uint32_t n, uint32_t bucket)
{
    uint32_t first = buckets[bucket].first;
    buckets[bucket].first = buckets[bucket].last = slot_head(n, bucket);
    return first;
}

/* For check(): NULL, or what is wrong with a bucket's links; adds its slots to *count. */
static inline const char *slot_bucket_check(const slot_bucket *buckets, uint32_t n, const tb_view *v, uint32_t bucket,
                                            uint32_t *count)
{
    uint32_t end = slot_head(n, bucket), previous = end, slot = buckets[bucket].first;
    for (; !slot_is_head(slot); previous = slot, slot = tb_link(v, slot)[1]) {
        if (tb_link(v, slot)[0] != previous)
            return "a slot's backward link is wrong";
        if (++*count > v->filed)
            return "a list has more slots than are filed, or a loop";
    }
    return slot == end && buckets[bucket].last == previous ? NULL : "a list does not end in its own bucket";
}

#endif
