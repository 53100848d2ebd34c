/* check.c: every invariant of a set, for tests. */
#include <timerbench/core/state.h>

typedef struct tally {
    uint32_t filed, precise, overdue, never, free, repeats;
} tally;

static const char *check_heap(const tb_core *c, int state)
{
    uint32_t len = state == TB_PRECISE ? c->precise : c->overdue;
    const uint32_t *first = state == TB_PRECISE ? c->queue : c->queue_end - 1;
    ptrdiff_t step = state == TB_PRECISE ? 1 : -1;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t slot = first[(ptrdiff_t)i * step];
        if (slot >= c->used)
            return "a heap holds a slot that was never used";
        if ((int)(*tb_mark_at(c, &c->layout, slot) & TB_STATE) != state)
            return "a heap holds a slot whose mark says otherwise";
        if (*tb_position_at(c, &c->layout, slot) != i)
            return "a slot's position in its heap is wrong";
        if (i == 0)
            continue;
        uint32_t up = first[(ptrdiff_t)((i - 1) / 2) * step];
        int64_t d = *tb_deadline_at(c, &c->layout, slot), dup = *tb_deadline_at(c, &c->layout, up);
        if (d < dup || (d == dup && *tb_order_at(c, &c->layout, slot) < *tb_order_at(c, &c->layout, up)))
            return "a heap is out of order";
    }
    return NULL;
}

static const char *count_slots(const tb_core *c, tally *t)
{
    for (uint32_t slot = 0; slot < c->used; slot++) {
        uint32_t mark = *tb_mark_at(c, &c->layout, slot);
        switch (mark & TB_STATE) {
        case TB_FREE:
            t->free++;
            break;
        case TB_FILED:
            t->filed++;
            break;
        case TB_PRECISE:
            t->precise++;
            break;
        case TB_OVERDUE:
            t->overdue++;
            break;
        case TB_NEVER:
            t->never++;
            break;
        default:
            return "a slot's mark is none";
        }
        if ((mark & TB_STATE) != TB_FREE && tb_order_of(c, &c->layout, slot) > c->order)
            return "a slot's arm order was never given";
        if (mark & TB_REPEATS) {
            t->repeats++;
            if (c->keys || *tb_token_at(c, &c->layout, slot) >= c->repeat_cap)
                return "a repeating timer names no repeat";
        }
    }
    return NULL;
}

static const char *check_free(const tb_core *c)
{
    for (uint32_t i = 0; i < c->free_count; i++)
        if (c->free[i] >= c->used || *tb_mark_at(c, &c->layout, c->free[i]) != TB_FREE)
            return "the free stack holds a slot in use";
    return NULL;
}

const char *tb_core_check(const tb_timers *set)
{
    const tb_core *c = (const tb_core *)(const void *)set;
    tally t = {0};
    const char *wrong = count_slots(c, &t);
    if (!wrong)
        wrong = check_heap(c, TB_PRECISE);
    if (!wrong)
        wrong = check_heap(c, TB_OVERDUE);
    if (!wrong && !c->keys)
        wrong = check_free(c);
    if (wrong)
        return wrong;
    if (t.precise != c->precise || t.overdue != c->overdue || t.never != c->never || t.repeats != c->repeats)
        return "counts of slots by state are wrong";
    if (tb_pending(c) != t.filed + t.precise + t.overdue + t.never)
        return "pending is not what the slots say";
    if (!c->keys && c->free_count + c->retired != t.free)
        return "free slots are neither on the stack nor retired, or on it twice";
    if (tb_pending(c) > c->limit || (!c->keys && c->used - c->retired > c->limit))
        return "the limit is passed";
    if (c->used > c->queue_cap || c->used > c->structure_cap)
        return "there is not memory for every slot";
    if (c->elapsed != ((uint64_t)c->now - (uint64_t)c->start) / TB_TICK)
        return "elapsed is wrong";
    tb_view v = tb_view_of((tb_core *)(uintptr_t)c, c->structure, &c->layout);
    return c->structure->check(tb_core_state(c), &v);
}
