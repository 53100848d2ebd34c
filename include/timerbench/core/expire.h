/* core/expire.h: delivering what is due, in deadline order and arm order, exactly once. See core.h.

   A structure gives its due slots in any order; they land in the overdue part of the queue, where nothing can be lost. Then
   either the whole batch goes out and is sorted in the caller's list (deliver_all), or, when a limit or want of memory cuts
   it or repeating timers add to it as it goes, the two heaps are popped one by one (deliver_ordered). */
#ifndef TIMERBENCH_CORE_EXPIRE_H
#define TIMERBENCH_CORE_EXPIRE_H

#include <timerbench/core/arm.h>

TB_OP tb_instant tb_tick_instant(const tb_core *c, uint64_t tick)
{
    tb_instant i;
    i.ns = (int64_t)((uint64_t)c->start + tick * TB_TICK);
    return i;
}

TB_OP void tb_emit(const tb_kind *k, const tb_core *c, uint32_t slot, tb_expiry *e)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    e->id = tb_id_of(k, c, slot);
    e->token = k->keyed ? slot : *tb_token_at(c, &l, slot);
    e->deadline.ns = *tb_deadline_at(c, &l, slot);
    e->order = tb_order_of(c, &l, slot);
}

TB_OP bool tb_before(const tb_expiry *a, const tb_expiry *b)
{
    return a->deadline.ns < b->deadline.ns || (a->deadline.ns == b->deadline.ns && a->order < b->order);
}

/* Every overdue slot and the `precise` ones that tb_queue_pop_due left behind the heap; there is room for them. */
TB_OP void tb_deliver_all(const tb_kind *k, tb_core *c, tb_expiries *out, uint32_t precise)
{
    enum { AHEAD = 8 };
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    uint32_t overdue = c->overdue;
    tb_expiry *first = out->items + out->len, *e = first;
    bool sorted = true;
    const uint32_t *from = c->queue_end - 1;
    for (uint32_t i = 0; i < overdue; i++, e++) {
        if (i + AHEAD < overdue) {
            __builtin_prefetch(tb_hot_at(c, &l, from[-(ptrdiff_t)(i + AHEAD)], 0), 1);
            if (!l.joined)
                __builtin_prefetch(tb_cold_at(c, &l, from[-(ptrdiff_t)(i + AHEAD)], 0));
        }
        tb_emit(k, c, from[-(ptrdiff_t)i], e);
        tb_free_slot(k, c, from[-(ptrdiff_t)i], tb_generation_of(k, c, from[-(ptrdiff_t)i]));
        sorted &= e == first || tb_before(e - 1, e);
    }
    for (uint32_t i = precise; i-- > 0; e++) {
        uint32_t slot = c->queue[c->precise + i];
        tb_emit(k, c, slot, e);
        tb_free_slot(k, c, slot, tb_generation_of(k, c, slot));
        sorted &= e == first || tb_before(e - 1, e);
    }
    c->overdue = 0;
    c->fired += overdue + precise;
    out->len += overdue + precise;
    if (!sorted)
        tb_sort_expiries(first, overdue + precise);
}

/* Arms the next occurrence of a repeating timer just delivered for `deadline`; false: that one was the last. */
TB_OP bool tb_repeat_again(const tb_kind *k, tb_core *c, uint32_t slot, int64_t deadline, const tb_repeating *r)
{
    if (deadline == INT64_MAX)
        return false;
    int64_t from = deadline;
    uint64_t step = (uint64_t)r->period;
    if (r->policy == TB_REPEAT_DELAY) {
        from = c->now;
    } else if (r->policy == TB_REPEAT_SKIP) {
        from = c->now;
        step -= ((uint64_t)c->now - (uint64_t)deadline) % step;
    }
    int64_t at = step > (uint64_t)INT64_MAX - (uint64_t)from ? INT64_MAX : (int64_t)((uint64_t)from + step);
    if (tb_place(k, c, slot, TB_REPEATS, at) == TB_PRECISE)
        c->armed_precise++;
    return true;
}

/* The first due slot of the two heaps, and which holds it; TB_FREE: nothing is due. */
TB_OP int tb_first_due(const tb_kind *k, const tb_core *c, uint32_t *slot)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    bool precise = c->precise > 0 && *tb_deadline_at(c, &l, c->queue[0]) <= c->now;
    if (c->overdue == 0) {
        *slot = precise ? c->queue[0] : 0;
        return precise ? TB_PRECISE : TB_FREE;
    }
    uint32_t o = c->queue_end[-1];
    if (precise) {
        uint32_t p = c->queue[0];
        int64_t dp = *tb_deadline_at(c, &l, p), d = *tb_deadline_at(c, &l, o);
        precise = dp < d || (dp == d && *tb_order_at(c, &l, p) < *tb_order_at(c, &l, o));
    }
    *slot = precise ? c->queue[0] : o;
    return precise ? TB_PRECISE : TB_OVERDUE;
}

TB_OP size_t tb_deliver_ordered(const tb_kind *k, tb_core *c, tb_expiries *out, size_t max, uint32_t taken)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    size_t n = 0;
    uint32_t slot;
    tb_queue_make_heap(c, taken);
    for (; n < max; n++) {
        int state = tb_first_due(k, c, &slot);
        if (state == TB_FREE)
            break;
        if (out->len == out->cap && !tb_expiries_reserve(out, 1))
            break; /* errno says ENOMEM; what is left stays due */
        tb_queue_erase(c, state, slot);
        c->fired++;
        tb_expiry *e = &out->items[out->len++];
        bool repeats = !k->keyed && (*tb_mark_at(c, &l, slot) & TB_REPEATS);
        tb_emit(k, c, slot, e);
        if (repeats) {
            uint32_t index = (uint32_t)e->token;
            e->token = c->repeating[index].token;
            if (tb_repeat_again(k, c, slot, e->deadline.ns, &c->repeating[index]))
                continue;
            tb_core_drop_repeat(c, index);
        }
        tb_free_slot(k, c, slot, tb_generation_of(k, c, slot));
    }
    return n;
}

/* Whether one of the overdue, or of the `precise` ones behind the heap, repeats. */
TB_OP bool tb_due_repeats(const tb_kind *k, const tb_core *c, uint32_t precise)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    uint32_t flags = 0;
    if (k->keyed || c->repeats == 0)
        return false;
    for (uint32_t i = 0; i < c->overdue; i++)
        flags |= *tb_mark_at(c, &l, c->queue_end[-(ptrdiff_t)i - 1]);
    for (uint32_t i = 0; i < precise; i++)
        flags |= *tb_mark_at(c, &l, c->queue[c->precise + i]);
    return (flags & TB_REPEATS) != 0;
}

/* Delivers up to max of what is due; `taken` slots came from the structure just now. Something is due. */
TB_OP size_t tb_deliver(const tb_kind *k, tb_core *c, tb_expiries *out, size_t max, uint32_t taken)
{
    /* One more than fit shows that the batch is cut; that many cuts cost no more than what they deliver. */
    size_t fit = c->overdue < max ? max - c->overdue : 0;
    uint32_t precise = tb_queue_pop_due(c, fit < SIZE_MAX ? fit + 1 : fit);
    size_t n = (size_t)c->overdue + precise;
    bool ordered = n > max || tb_due_repeats(k, c, precise);
    if (!ordered && out->cap - out->len < n && !tb_expiries_reserve(out, n)) {
        max = out->cap - out->len; /* want of memory: what there is room for; errno says so */
        ordered = true;
    }
    if (ordered) {
        tb_queue_unpop(c, precise);
        n = tb_deliver_ordered(k, c, out, max, taken);
    } else {
        tb_deliver_all(k, c, out, precise);
    }
    c->wakes += n > 0;
    return n;
}

TB_OP size_t tb_expire(const tb_kind *k, tb_core *c, tb_instant now, tb_expiries *out, size_t max)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    c->calls++;
    if (now.ns > c->now)
        tb_set_now(c, now.ns);
    uint64_t upto = ((uint64_t)c->now - (uint64_t)c->start) / TB_TICK;
    tb_view v = tb_view_of(c, k->s, &l);
    uint32_t *before = c->queue_end - c->overdue;
    tb_sink sink = {before};
    k->s->take(tb_core_state(c), &v, upto, &sink);
    c->elapsed = upto;
    uint32_t taken = (uint32_t)(before - sink.at);
    c->overdue += taken;
    if (c->overdue == 0 && (c->precise == 0 || *tb_deadline_at(c, &l, c->queue[0]) > c->now))
        return 0;
    return k->deliver(c, out, max, taken);
}

/* ---- what comes next --------------------------------------------------------------------------------------------- */

TB_OP bool tb_next_precise(const tb_kind *k, const tb_core *c, tb_instant *out)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    if (c->precise == 0)
        return false;
    out->ns = *tb_deadline_at(c, &l, c->queue[0]);
    return true;
}

TB_OP bool tb_next_timeout(const tb_kind *k, const tb_core *c, tb_instant *out)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    uint64_t tick;
    tb_view v = tb_view_of((tb_core *)(uintptr_t)c, k->s, &l);
    if (__builtin_expect(c->overdue > 0, 0)) {
        out->ns = c->now;
        return true;
    }
    if (k->s->next(tb_core_state(c), &v, &tick) && tick <= c->last_tick) {
        *out = tb_tick_instant(c, tick);
        return true;
    }
    out->ns = INT64_MAX; /* for timers that are never due, or that a relaxed structure is late with past the end of time */
    return tb_pending(c) > c->precise;
}

TB_OP bool tb_next_expiry(const tb_kind *k, const tb_core *c, tb_instant *out)
{
    tb_instant precise, timeout;
    bool has_precise = tb_next_precise(k, c, &precise), has_timeout = tb_next_timeout(k, c, &timeout);
    if (has_precise && (!has_timeout || precise.ns < timeout.ns))
        *out = precise;
    else if (has_timeout)
        *out = timeout;
    return has_precise || has_timeout;
}

#endif
