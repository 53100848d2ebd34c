/* raw.c: the canonical semantics for a structure that is not compiled with core.h: one written in another language, or only
   known when the program runs. The same inlined functions as everywhere, but over the table that the set names: the layout of
   a slot is worked out in each call, and each operation of the structure is one more indirect call. */
#include <timerbench/core.h>

static tb_timer_id insert_general(tb_core *, tb_instant, uint64_t, uint32_t);
static bool cancel_general(tb_core *, uint32_t, uint32_t);
static bool move_general(tb_core *, uint32_t, uint32_t, int64_t);
static bool arm_key_general(tb_core *, uint32_t, tb_instant, uint32_t);
static size_t deliver(tb_core *, tb_expiries *, size_t, uint32_t);

TB_OP tb_kind kind_of(const tb_core *c)
{
    tb_kind k = {c->structure, c->keys > 0, insert_general, cancel_general, move_general, arm_key_general, deliver};
    return k;
}

/* What every function below begins with: the set's core and its kind. */
#define OPEN(set)              \
    tb_core *c = TB_CORE(set); \
    const tb_kind k = kind_of(c)
#define LOOK(set)                          \
    const tb_core *c = TB_CONST_CORE(set); \
    const tb_kind k = kind_of(c)

/* ---- the general cases ----------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) tb_timer_id insert_general(tb_core *c, tb_instant at, uint64_t token, uint32_t mark)
{
    const tb_kind k = kind_of(c);
    return tb_insert_general(&k, c, at, token, mark);
}

static __attribute__((noinline)) bool cancel_general(tb_core *c, uint32_t slot, uint32_t mark)
{
    const tb_kind k = kind_of(c);
    return tb_cancel_general(&k, c, slot, mark);
}

static __attribute__((noinline)) bool move_general(tb_core *c, uint32_t slot, uint32_t mark, int64_t at)
{
    const tb_kind k = kind_of(c);
    return tb_move_general(&k, c, slot, mark, at);
}

static __attribute__((noinline)) bool arm_key_general(tb_core *c, uint32_t key, tb_instant at, uint32_t lane)
{
    const tb_kind k = kind_of(c);
    return tb_arm_key_general(&k, c, key, at, lane);
}

static __attribute__((noinline)) size_t deliver(tb_core *c, tb_expiries *out, size_t max, uint32_t taken)
{
    const tb_kind k = kind_of(c);
    return tb_deliver(&k, c, out, max, taken);
}

/* ---- by id ----------------------------------------------------------------------------------------------------------- */

static tb_timer_id insert(tb_timers *set, tb_instant at, uint64_t token)
{
    OPEN(set);
    return tb_insert(&k, c, 0, at, token);
}

static tb_timer_id insert_in(tb_timers *set, uint32_t lane, tb_instant at, uint64_t token)
{
    OPEN(set);
    tb_assert(lane < TB_LANES);
    return tb_insert(&k, c, lane << TB_LANE_SHIFT, at, token);
}

static tb_timer_id insert_precise(tb_timers *set, tb_instant at, uint64_t token)
{
    OPEN(set);
    return tb_insert(&k, c, TB_STICKY, at, token);
}

static tb_timer_id insert_repeating(tb_timers *set, tb_instant at, tb_duration period, tb_repeat policy, uint64_t token)
{
    OPEN(set);
    return tb_insert_repeating(&k, c, at, period, policy, token);
}

static bool insert_many(tb_timers *set, const tb_arm *arms, size_t n, tb_timer_id *ids)
{
    OPEN(set);
    return tb_insert_many(&k, c, arms, n, ids);
}

static bool cancel(tb_timers *set, tb_timer_id id)
{
    OPEN(set);
    return tb_cancel(&k, c, id);
}

static size_t cancel_many(tb_timers *set, const tb_timer_id *ids, size_t n)
{
    OPEN(set);
    return tb_cancel_many(&k, c, ids, n);
}

static bool rearm(tb_timers *set, tb_timer_id id, tb_instant at)
{
    OPEN(set);
    return tb_rearm(&k, c, id, at);
}

static bool is_pending(const tb_timers *set, tb_timer_id id)
{
    LOOK(set);
    uint32_t slot, mark;
    return tb_find(&k, c, id, &slot, &mark);
}

static bool is_precise(const tb_timers *set, tb_timer_id id)
{
    LOOK(set);
    uint32_t slot, mark;
    return tb_find(&k, c, id, &slot, &mark) && (mark & TB_STATE) == TB_PRECISE;
}

/* ---- by key ---------------------------------------------------------------------------------------------------------- */

static bool arm_key(tb_timers *set, uint32_t key, tb_instant at)
{
    OPEN(set);
    return tb_arm_key(&k, c, TB_LANES, key, at);
}

static bool arm_key_in(tb_timers *set, uint32_t lane, uint32_t key, tb_instant at)
{
    OPEN(set);
    tb_assert(lane < TB_LANES);
    return tb_arm_key(&k, c, lane, key, at);
}

static bool cancel_key(tb_timers *set, uint32_t key)
{
    OPEN(set);
    return tb_cancel_key(&k, c, key);
}

static bool is_pending_key(const tb_timers *set, uint32_t key)
{
    LOOK(set);
    return tb_key_mark(&k, c, key) != TB_FREE;
}

static bool is_precise_key(const tb_timers *set, uint32_t key)
{
    LOOK(set);
    return (tb_key_mark(&k, c, key) & TB_STATE) == TB_PRECISE;
}

/* ---- time ------------------------------------------------------------------------------------------------------------ */

static size_t expired(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    OPEN(set);
    return tb_expire(&k, c, now, out, max);
}

static bool next_expiry(const tb_timers *set, tb_instant *out)
{
    LOOK(set);
    return tb_next_expiry(&k, c, out);
}

static bool next_precise(const tb_timers *set, tb_instant *out)
{
    LOOK(set);
    return tb_next_precise(&k, c, out);
}

static bool next_timeout(const tb_timers *set, tb_instant *out)
{
    LOOK(set);
    return tb_next_timeout(&k, c, out);
}

static const tb_timers_ops operations = {
    tb_core_destroy,   insert,        insert_in,        insert_precise,      insert_repeating, insert_many,
    cancel,            cancel_many,   rearm,            is_pending,          is_precise,       arm_key,
    arm_key_in,        cancel_key,    is_pending_key,   is_precise_key,      expired,          next_expiry,
    next_precise,      next_timeout,  tb_core_len,      tb_core_now,         tb_core_stats,    tb_core_set_slop,
    tb_core_slop_of,   tb_core_reserve_set, tb_core_bytes, tb_core_check};

tb_timers *tb_raw_make(const tb_impl *impl, tb_instant now, const tb_timers_options *opt)
{
    return tb_core_make(impl->structure, &operations, now, opt);
}
