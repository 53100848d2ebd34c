/* core/arm.h: arming, cancelling, rearming: the canonical semantics, by id and by key. See core.h. */
#ifndef TIMERBENCH_CORE_ARM_H
#define TIMERBENCH_CORE_ARM_H

#include <errno.h>

#include <timerbench/core/state.h>

/* A structure with one way of naming, as constants: what the compiler folds everything below over. */
typedef struct tb_kind {
    const tb_structure *s;
    bool keyed;
    size_t (*deliver)(tb_core *, tb_expiries *, size_t max, uint32_t taken);
} tb_kind;

/* ---- placing ----------------------------------------------------------------------------------------------------- */

/* Whether a timer for `at` is precise, a timeout (and its tick), or never due. */
TB_OP int tb_classify(const tb_core *c, uint64_t mark, int64_t at, uint64_t *tick)
{
    if ((mark & TB_STICKY) || at < c->now || (uint64_t)at - (uint64_t)c->now < TB_TICK)
        return TB_PRECISE;
    /* at > start here, and the distance fits 64 bits unsigned whatever the two are. */
    uint64_t due = ((uint64_t)at - (uint64_t)c->start - 1) / TB_TICK + 1;
    uint64_t slop = c->slop[(mark & TB_LANE) >> TB_LANE_SHIFT];
    if (__builtin_expect(slop > 1, 0))
        due = (due + slop - 1) / slop * slop;
    *tick = due;
    return __builtin_expect(due <= c->last_tick, 1) ? TB_FILED : TB_NEVER;
}

TB_OP void tb_write(const tb_kind *k, tb_core *c, uint32_t slot, uint64_t mark, int64_t at)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    c->order += 1u << TB_ORDER_SHIFT;
    *tb_order_at(c, &l, slot) = c->order | mark;
    *tb_deadline_at(c, &l, slot) = at;
}

/* Puts a slot that is nowhere where `at` belongs, last in arm order. mark: lane and flags. The state it got. */
TB_OP int tb_place(const tb_kind *k, tb_core *c, uint32_t slot, uint64_t mark, int64_t at)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    uint64_t tick = 0;
    int state = tb_classify(c, mark, at, &tick);
    tb_write(k, c, slot, mark | (uint64_t)state, at);
    if (__builtin_expect(state == TB_FILED, 1)) {
        tb_view v = tb_view_of(c, k->s, &l);
        k->s->insert(tb_core_state(c), &v, slot, tick);
        c->filed++;
    } else if (state == TB_PRECISE) {
        tb_queue_push(c, TB_PRECISE, slot);
    }
    return state;
}

/* Takes a slot out of wherever it is. */
TB_OP void tb_unplace(const tb_kind *k, tb_core *c, uint32_t slot, int state)
{
    if (__builtin_expect(state == TB_FILED, 1)) {
        const tb_layout l = tb_layout_of(k->s, k->keyed);
        tb_view v = tb_view_of(c, k->s, &l);
        k->s->remove(tb_core_state(c), &v, slot);
        c->filed--;
    } else if (state != TB_NEVER) {
        tb_queue_erase(c, state, slot);
    }
}

/* The slot names no timer any more. Its generation goes up, so no id given so far names what it will hold next; a slot
   whose generations are used up is never used again. */
TB_OP void tb_release(const tb_kind *k, tb_core *c, uint32_t slot)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    *tb_order_at(c, &l, slot) = TB_FREE;
    c->pending--;
    if (!k->keyed) {
        uint32_t *generation = tb_generation_at(c, &l, slot);
        if (__builtin_expect(*generation == UINT32_MAX, 0)) {
            tb_core_retire(c, slot);
            return;
        }
        ++*generation;
        c->free[c->free_count++] = slot;
    }
}

/* ---- by id ------------------------------------------------------------------------------------------------------- */

TB_OP tb_timer_id tb_id_of(const tb_kind *k, const tb_core *c, uint32_t slot)
{
    tb_timer_id id = {0};
    if (!k->keyed) {
        const tb_layout l = tb_layout_of(k->s, false);
        id.bits = (uint64_t)*tb_generation_at(c, &l, slot) << 32 | slot;
    }
    return id;
}

/* The slot that an id names, and its mark; false: it names nothing. */
TB_OP bool tb_find(const tb_kind *k, const tb_core *c, tb_timer_id id, uint32_t *slot, uint64_t *mark)
{
    tb_assert(!k->keyed && "a timer of a keyed set has no id");
    const tb_layout l = tb_layout_of(k->s, false);
    *slot = (uint32_t)id.bits;
    if (*slot >= c->used || *tb_generation_at(c, &l, *slot) != (uint32_t)(id.bits >> 32))
        return false;
    *mark = *tb_order_at(c, &l, *slot) & 0xff;
    return *mark != TB_FREE;
}

TB_OP uint32_t tb_take_slot(const tb_kind *k, tb_core *c)
{
    if (__builtin_expect(c->free_count > 0, 1))
        return c->free[--c->free_count];
    const tb_layout l = tb_layout_of(k->s, false);
    uint32_t slot = c->used++;
    *tb_generation_at(c, &l, slot) = 1;
    return slot;
}

TB_OP tb_timer_id tb_insert(const tb_kind *k, tb_core *c, uint64_t mark, tb_instant at, uint64_t token)
{
    tb_assert(!k->keyed && "a keyed set hands out no ids");
    if (__builtin_expect(c->pending >= c->room, 0) && !tb_core_make_room(c, 1))
        return (tb_timer_id){0};
    const tb_layout l = tb_layout_of(k->s, false);
    uint32_t slot = tb_take_slot(k, c);
    *tb_token_at(c, &l, slot) = token;
    c->pending++;
    c->armed++;
    if (tb_place(k, c, slot, mark, at.ns) == TB_PRECISE)
        c->armed_precise++;
    return tb_id_of(k, c, slot);
}

TB_OP tb_timer_id tb_insert_repeating(const tb_kind *k, tb_core *c, tb_instant at, tb_duration period, tb_repeat policy,
                                      uint64_t token)
{
    if (period.ns <= 0) {
        errno = EINVAL;
        return (tb_timer_id){0};
    }
    if ((c->pending >= c->room && !tb_core_make_room(c, 1)) || !tb_core_reserve_repeats(c, 1))
        return (tb_timer_id){0};
    return tb_insert(k, c, TB_REPEATS, at, tb_core_take_repeat(c, token, period.ns, policy));
}

TB_OP tb_timer_id tb_insert_one(const tb_kind *k, tb_core *c, const tb_arm *arm)
{
    switch (arm->kind) {
    case TB_ARM_PRECISE:
        return tb_insert(k, c, TB_STICKY, arm->at, arm->token);
    case TB_ARM_REPEATING:
        return tb_insert_repeating(k, c, arm->at, arm->period, arm->policy, arm->token);
    case TB_ARM_TIMEOUT:
        break;
    }
    return tb_insert(k, c, (uint64_t)arm->lane << TB_LANE_SHIFT, arm->at, arm->token);
}

TB_OP bool tb_insert_many(const tb_kind *k, tb_core *c, const tb_arm *arms, size_t n, tb_timer_id *ids)
{
    tb_assert(!k->keyed && "a keyed set hands out no ids");
    uint32_t repeats = 0;
    for (size_t i = 0; i < n; i++) {
        tb_assert(arms[i].kind != TB_ARM_TIMEOUT || arms[i].lane < TB_LANES);
        if (arms[i].kind != TB_ARM_REPEATING)
            continue;
        if (arms[i].period.ns <= 0) {
            errno = EINVAL;
            return false;
        }
        repeats++;
    }
    if (n > c->room - c->pending && !tb_core_make_room(c, n))
        return false;
    if (repeats && !tb_core_reserve_repeats(c, repeats))
        return false;
    for (size_t i = 0; i < n; i++)
        ids[i] = tb_insert_one(k, c, &arms[i]);
    return true;
}

TB_OP bool tb_cancel(const tb_kind *k, tb_core *c, tb_timer_id id)
{
    uint32_t slot;
    uint64_t mark;
    if (!tb_find(k, c, id, &slot, &mark))
        return false;
    tb_unplace(k, c, slot, (int)(mark & TB_STATE));
    if (__builtin_expect((mark & TB_REPEATS) != 0, 0)) {
        const tb_layout l = tb_layout_of(k->s, false);
        tb_core_drop_repeat(c, (uint32_t)*tb_token_at(c, &l, slot));
    }
    tb_release(k, c, slot);
    c->cancelled++;
    return true;
}

TB_OP size_t tb_cancel_many(const tb_kind *k, tb_core *c, const tb_timer_id *ids, size_t n)
{
    enum { AHEAD = 12 }; /* records asked for early: their misses overlap */
    const tb_layout l = tb_layout_of(k->s, false);
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n && (uint32_t)ids[i + AHEAD].bits < c->used)
            __builtin_prefetch(tb_generation_at(c, &l, (uint32_t)ids[i + AHEAD].bits), 1);
        done += tb_cancel(k, c, ids[i]);
    }
    return done;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

TB_OP void tb_move(const tb_kind *k, tb_core *c, uint32_t slot, uint64_t mark, int64_t at)
{
    uint64_t tick = 0;
    uint64_t flags = mark & ~(uint64_t)TB_STATE;
    c->rearmed++;
    if (k->s->move && (mark & TB_STATE) == TB_FILED && tb_classify(c, flags, at, &tick) == TB_FILED) {
        const tb_layout l = tb_layout_of(k->s, k->keyed);
        tb_view v = tb_view_of(c, k->s, &l);
        tb_write(k, c, slot, mark, at);
        k->s->move(tb_core_state(c), &v, slot, tick);
        return;
    }
    tb_unplace(k, c, slot, (int)(mark & TB_STATE));
    tb_place(k, c, slot, flags, at);
}

TB_OP bool tb_rearm(const tb_kind *k, tb_core *c, tb_timer_id id, tb_instant at)
{
    uint32_t slot;
    uint64_t mark;
    if (!tb_find(k, c, id, &slot, &mark))
        return false;
    tb_move(k, c, slot, mark, at.ns);
    return true;
}

/* ---- by key ------------------------------------------------------------------------------------------------------ */

TB_OP uint64_t tb_key_mark(const tb_kind *k, const tb_core *c, uint32_t key)
{
    tb_assert(k->keyed && "a timer of this set has an id, not a key");
    const tb_layout l = tb_layout_of(k->s, true);
    return key < c->used ? *tb_order_at(c, &l, key) & 0xff : (uint64_t)TB_FREE;
}

/* lane: TB_LANES keeps a pending timer's own, and is lane 0 for a new one. */
TB_OP bool tb_arm_key(const tb_kind *k, tb_core *c, uint32_t lane, uint32_t key, tb_instant at)
{
    uint64_t mark = tb_key_mark(k, c, key);
    uint64_t lane_bits = lane < TB_LANES ? (uint64_t)lane << TB_LANE_SHIFT : 0;
    if (mark != TB_FREE) {
        tb_move(k, c, key, lane < TB_LANES ? (mark & ~(uint64_t)TB_LANE) | lane_bits : mark, at.ns);
        return true;
    }
    if (__builtin_expect(key >= c->keys, 0)) {
        errno = ERANGE;
        return false;
    }
    if (__builtin_expect(c->pending >= c->room, 0) && !tb_core_make_room(c, 1))
        return false;
    if (__builtin_expect(key >= c->used, 0) && !tb_core_use_key(c, key))
        return false;
    c->pending++;
    c->armed++;
    if (tb_place(k, c, key, lane_bits, at.ns) == TB_PRECISE)
        c->armed_precise++;
    return true;
}

TB_OP bool tb_cancel_key(const tb_kind *k, tb_core *c, uint32_t key)
{
    uint64_t mark = tb_key_mark(k, c, key);
    if (mark == TB_FREE)
        return false;
    tb_unplace(k, c, key, (int)(mark & TB_STATE));
    tb_release(k, c, key);
    c->cancelled++;
    return true;
}

#endif
