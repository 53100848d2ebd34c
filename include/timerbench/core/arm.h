/* core/arm.h: arming, cancelling, rearming: the canonical semantics, by id and by key. See core.h.

   The usual case of each (a timeout, in the structure, no memory needed) is inlined in the public function and calls
   nothing; the general case is a function out of line. With both in one, the registers that the rare calls need saved
   cost every usual call a fifth of its instructions. */
#ifndef TIMERBENCH_CORE_ARM_H
#define TIMERBENCH_CORE_ARM_H

#include <errno.h>
#include <string.h>

#include <timerbench/core/state.h>

/* A structure with one way of naming, as constants: what the compiler folds everything below over. */
typedef struct tb_kind {
    const tb_structure *s;
    bool keyed;
    /* The general cases, out of line: the functions below of these names with _general. Their arguments are in the order of the
       public functions, the mark last, so that the call is a jump. */
    tb_timer_id (*insert)(tb_core *, tb_instant at, uint64_t token, uint32_t mark);
    bool (*cancel)(tb_core *, uint32_t slot, uint32_t mark);
    bool (*move)(tb_core *, uint32_t slot, uint32_t mark, int64_t at);
    bool (*arm_key)(tb_core *, uint32_t key, tb_instant at, uint32_t lane);
    size_t (*deliver)(tb_core *, tb_expiries *, size_t max, uint32_t taken);
} tb_kind;

/* ---- placing ----------------------------------------------------------------------------------------------------- */

/* The first tick at or after an instant later than the set's time; the distance fits 64 bits unsigned whatever the two are. */
TB_OP uint64_t tb_tick_of(const tb_core *c, int64_t at) { return ((uint64_t)at - c->tick_zero) / TB_TICK + 1; }

/* Whether a timer for `at` is precise, a timeout (and its tick), or never due. */
TB_OP int tb_classify(const tb_core *c, uint32_t mark, int64_t at, uint64_t *tick)
{
    if ((mark & TB_STICKY) || at <= c->near_end)
        return TB_PRECISE;
    uint64_t due = tb_tick_of(c, at), slop = c->slop[(mark & TB_LANE) >> TB_LANE_SHIFT];
    *tick = slop > 1 ? (due + slop - 1) / slop * slop : due;
    return *tick <= c->last_tick ? TB_FILED : TB_NEVER;
}

/* Whether it is a timeout in the usual case, of a lane without slop. */
TB_OP bool tb_is_plain(const tb_core *c, uint32_t mark, int64_t at, uint64_t *tick)
{
    *tick = tb_tick_of(c, at);
    return !(mark & TB_STICKY) && at > c->near_end && *tick <= c->plain_last[(mark & TB_LANE) >> TB_LANE_SHIFT];
}

/* A slot's mark and deadline; it is the last in arm order, and pending. */
TB_OP void tb_write(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t mark, int64_t at)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    c->order++;
    *tb_order_at(c, &l, slot) = l.joined ? c->order << 8 | mark : c->order;
    *tb_deadline_at(c, &l, slot) = at;
    if (!l.joined)
        *tb_mark_at(c, &l, slot) = (uint8_t)mark; /* last: a byte may be anything, for the compiler too */
}

/* A slot that is not pending becomes a timeout. */
TB_OP void tb_file(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t mark, int64_t at, uint64_t tick)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    tb_view v = tb_view_of(c, k->s, &l);
    tb_write(k, c, slot, mark | TB_FILED, at);
    k->s->insert(tb_core_state(c), &v, slot, tick);
}

TB_OP void tb_unfile(const tb_kind *k, tb_core *c, uint32_t slot)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    tb_view v = tb_view_of(c, k->s, &l);
    k->s->remove(tb_core_state(c), &v, slot);
}

/* A slot that is not pending goes where `at` belongs; the state it got. mark: lane and flags. */
TB_OP int tb_place(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t mark, int64_t at)
{
    uint64_t tick = 0;
    int state = tb_classify(c, mark, at, &tick);
    if (state == TB_FILED) {
        tb_file(k, c, slot, mark, at, tick);
        return state;
    }
    tb_write(k, c, slot, mark | (uint32_t)state, at);
    if (state == TB_PRECISE)
        tb_queue_push(c, TB_PRECISE, slot);
    else
        c->never++;
    return state;
}

/* Takes a slot out of wherever it is; it is counted as pending still. */
TB_OP void tb_unplace(const tb_kind *k, tb_core *c, uint32_t slot, int state)
{
    if (state == TB_FILED)
        tb_unfile(k, c, slot);
    else if (state != TB_NEVER)
        tb_queue_erase(c, state, slot);
    else
        c->never--;
}

/* A slot that is not pending any more. By id its generation goes up by one, so that no id given so far names what it will hold
   next; after the last one comes 0, which no id has, and the slot is never used again. */
TB_OP void tb_free_slot(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t generation)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    if (k->keyed) {
        *tb_mark_at(c, &l, slot) = TB_FREE;
        return;
    }
    const uint32_t both[2] = {generation + 1, 0}; /* the mark becomes TB_FREE, and the bytes beside it are nothing */
    memcpy(tb_generation_at(c, &l, slot), both, sizeof both);
    if (__builtin_expect(both[0] == 0, 0))
        c->retired++;
    else
        c->free[c->free_count++] = slot;
}

TB_OP uint32_t tb_generation_of(const tb_kind *k, const tb_core *c, uint32_t slot)
{
    const tb_layout l = tb_layout_of(k->s, k->keyed);
    return k->keyed ? 0 : *tb_generation_at(c, &l, slot);
}

/* ---- by id ------------------------------------------------------------------------------------------------------- */

TB_OP tb_timer_id tb_id_of(const tb_kind *k, const tb_core *c, uint32_t slot)
{
    tb_timer_id id = {0};
    if (!k->keyed)
        id.bits = (uint64_t)tb_generation_of(k, c, slot) << 32 | slot;
    return id;
}

/* The slot that an id names, and its mark; false: it names nothing. */
TB_OP bool tb_find(const tb_kind *k, const tb_core *c, tb_timer_id id, uint32_t *slot, uint32_t *mark)
{
    tb_assert(!k->keyed && "a timer of a keyed set has no id");
    const tb_layout l = tb_layout_of(k->s, false);
    *slot = (uint32_t)id.bits;
    if (*slot >= c->used || *tb_generation_at(c, &l, *slot) != (uint32_t)(id.bits >> 32))
        return false;
    *mark = *tb_mark_at(c, &l, *slot);
    return *mark != TB_FREE;
}

TB_OP tb_timer_id tb_insert_general(const tb_kind *k, tb_core *c, tb_instant at, uint64_t token, uint32_t mark)
{
    if (c->free_count == 0 && !tb_core_make_room(c, 1))
        return (tb_timer_id){0};
    const tb_layout l = tb_layout_of(k->s, false);
    uint32_t slot = c->free[--c->free_count];
    *tb_token_at(c, &l, slot) = token;
    if (tb_place(k, c, slot, mark, at.ns) == TB_PRECISE)
        c->armed_precise++;
    return tb_id_of(k, c, slot);
}

TB_OP tb_timer_id tb_insert(const tb_kind *k, tb_core *c, uint32_t mark, tb_instant at, uint64_t token)
{
    tb_assert(!k->keyed && "a keyed set hands out no ids");
    const tb_layout l = tb_layout_of(k->s, false);
    uint64_t tick;
    if (__builtin_expect(c->free_count == 0 || !tb_is_plain(c, mark, at.ns, &tick), 0))
        return k->insert(c, at, token, mark);
    uint32_t slot = c->free[--c->free_count];
    tb_timer_id id = tb_id_of(k, c, slot);
    *tb_token_at(c, &l, slot) = token;
    tb_file(k, c, slot, mark, at.ns, tick);
    return id;
}

TB_OP tb_timer_id tb_insert_repeating(const tb_kind *k, tb_core *c, tb_instant at, tb_duration period, tb_repeat policy,
                                      uint64_t token)
{
    tb_assert(!k->keyed && "a keyed set hands out no ids");
    if (period.ns <= 0) {
        errno = EINVAL;
        return (tb_timer_id){0};
    }
    if (!tb_core_make_room(c, 1) || !tb_core_reserve_repeats(c, 1))
        return (tb_timer_id){0};
    return tb_insert_general(k, c, at, tb_core_take_repeat(c, token, period.ns, policy), TB_REPEATS);
}

TB_OP tb_timer_id tb_insert_one(const tb_kind *k, tb_core *c, const tb_arm *arm)
{
    switch (arm->kind) {
    case TB_ARM_PRECISE:
        return tb_insert_general(k, c, arm->at, arm->token, TB_STICKY);
    case TB_ARM_REPEATING:
        return tb_insert_repeating(k, c, arm->at, arm->period, arm->policy, arm->token);
    case TB_ARM_TIMEOUT:
        break;
    }
    return tb_insert(k, c, arm->lane << TB_LANE_SHIFT, arm->at, arm->token);
}

TB_OP bool tb_insert_many(const tb_kind *k, tb_core *c, const tb_arm *arms, size_t n, tb_timer_id *ids)
{
    tb_assert(!k->keyed && "a keyed set hands out no ids");
    uint32_t repeats = 0;
    for (size_t i = 0; i < n; i++) {
        tb_assert(arms[i].kind == TB_ARM_TIMEOUT ? arms[i].lane < TB_LANES : arms[i].kind <= TB_ARM_REPEATING);
        if (arms[i].kind != TB_ARM_REPEATING)
            continue;
        if (arms[i].period.ns <= 0) {
            errno = EINVAL;
            return false;
        }
        repeats++;
    }
    if (!tb_core_make_room(c, n) || !tb_core_reserve_repeats(c, repeats))
        return false;
    for (size_t i = 0; i < n; i++)
        ids[i] = tb_insert_one(k, c, &arms[i]);
    return true;
}

TB_OP bool tb_cancel_general(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t mark)
{
    tb_unplace(k, c, slot, (int)(mark & TB_STATE));
    if (!k->keyed && (mark & TB_REPEATS)) {
        const tb_layout l = tb_layout_of(k->s, false);
        tb_core_drop_repeat(c, (uint32_t)*tb_token_at(c, &l, slot));
    }
    c->cancelled++;
    tb_free_slot(k, c, slot, tb_generation_of(k, c, slot));
    return true;
}

/* Filed, and no more to cancelling it than taking it out; by key nothing repeats. */
TB_OP bool tb_is_usual(const tb_kind *k, uint32_t mark)
{
    return k->keyed ? (mark & TB_FILED) != 0 : (mark & (TB_FILED | TB_REPEATS)) == TB_FILED;
}

TB_OP bool tb_cancel(const tb_kind *k, tb_core *c, tb_timer_id id)
{
    tb_assert(!k->keyed && "a timer of a keyed set has no id");
    const tb_layout l = tb_layout_of(k->s, false);
    uint32_t slot = (uint32_t)id.bits, generation = (uint32_t)(id.bits >> 32);
    if (slot >= c->used || *tb_generation_at(c, &l, slot) != generation)
        return false;
    uint32_t mark = *tb_mark_at(c, &l, slot);
    if (__builtin_expect(!tb_is_usual(k, mark), 0))
        return mark != TB_FREE && k->cancel(c, slot, mark);
    tb_unfile(k, c, slot);
    c->cancelled++;
    tb_free_slot(k, c, slot, generation);
    return true;
}

TB_OP size_t tb_cancel_many(const tb_kind *k, tb_core *c, const tb_timer_id *ids, size_t n)
{
    enum { AHEAD = 12 }; /* asked for early: their misses overlap */
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

TB_OP bool tb_move_general(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t mark, int64_t at)
{
    tb_unplace(k, c, slot, (int)(mark & TB_STATE));
    c->rearmed++; /* which takes it from the pending, until it has its new arm number */
    tb_place(k, c, slot, mark & ~(uint32_t)TB_STATE, at);
    return true;
}

/* A pending slot. Allocates nothing: queue and structure have room for every slot. */
TB_OP bool tb_move(const tb_kind *k, tb_core *c, uint32_t slot, uint32_t mark, int64_t at)
{
    uint64_t tick;
    if (__builtin_expect((mark & TB_STATE) != TB_FILED || !tb_is_plain(c, mark, at, &tick), 0))
        return k->move(c, slot, mark, at);
    if (k->s->move) {
        const tb_layout l = tb_layout_of(k->s, k->keyed);
        tb_view v = tb_view_of(c, k->s, &l);
        c->rearmed++;
        tb_write(k, c, slot, mark, at);
        k->s->move(tb_core_state(c), &v, slot, tick);
    } else {
        tb_unfile(k, c, slot);
        c->rearmed++;
        tb_file(k, c, slot, mark & ~(uint32_t)TB_STATE, at, tick);
    }
    return true;
}

TB_OP bool tb_rearm(const tb_kind *k, tb_core *c, tb_timer_id id, tb_instant at)
{
    uint32_t slot;
    uint32_t mark;
    return tb_find(k, c, id, &slot, &mark) && tb_move(k, c, slot, mark, at.ns);
}

/* ---- by key ------------------------------------------------------------------------------------------------------ */

TB_OP uint32_t tb_key_mark(const tb_kind *k, const tb_core *c, uint32_t key)
{
    tb_assert(k->keyed && "a timer of this set has an id, not a key");
    const tb_layout l = tb_layout_of(k->s, true);
    return key < c->used ? *tb_mark_at(c, &l, key) : (uint32_t)TB_FREE;
}

TB_OP uint32_t tb_lane_mark(uint32_t lane) { return lane < TB_LANES ? lane << TB_LANE_SHIFT : 0; }

/* lane: TB_LANES keeps a pending timer's own, and is lane 0 for a new one. */
TB_OP bool tb_arm_key_general(const tb_kind *k, tb_core *c, uint32_t key, tb_instant at, uint32_t lane)
{
    uint32_t mark = tb_key_mark(k, c, key);
    if (mark != TB_FREE)
        return tb_move(k, c, key, lane < TB_LANES ? (mark & ~(uint32_t)TB_LANE) | tb_lane_mark(lane) : mark, at.ns);
    if (!tb_core_use_key(c, key))
        return false;
    if (tb_place(k, c, key, tb_lane_mark(lane), at.ns) == TB_PRECISE)
        c->armed_precise++;
    return true;
}

TB_OP bool tb_arm_key(const tb_kind *k, tb_core *c, uint32_t lane, uint32_t key, tb_instant at)
{
    tb_assert(k->keyed && "a timer of this set has an id, not a key");
    const tb_layout l = tb_layout_of(k->s, true);
    uint64_t tick;
    if (__builtin_expect(key >= c->ready || *tb_mark_at(c, &l, key) != TB_FREE, 0) ||
        __builtin_expect(!tb_is_plain(c, tb_lane_mark(lane), at.ns, &tick), 0))
        return k->arm_key(c, key, at, lane);
    tb_file(k, c, key, tb_lane_mark(lane), at.ns, tick);
    return true;
}

TB_OP bool tb_cancel_key(const tb_kind *k, tb_core *c, uint32_t key)
{
    uint32_t mark = tb_key_mark(k, c, key);
    if (__builtin_expect(!tb_is_usual(k, mark), 0))
        return mark != TB_FREE && k->cancel(c, key, mark);
    tb_unfile(k, c, key);
    c->cancelled++;
    tb_free_slot(k, c, key, 0);
    return true;
}

#endif
