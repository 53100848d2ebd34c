/* core.h: the canonical semantics of a timer set, written once. C only (gcc, clang).

   TB_DEFINE_IMPL(name), at the end of a structure's file, turns its `static const tb_structure name` into the
   implementation `const tb_impl tb_name`: two tables of functions, one for sets with ids and one for keyed sets, in which
   the semantics (core/arm.h, core/expire.h) and the structure are one straight piece of code without an indirect call. It
   works because everything is always-inline over constants: the structure's table and the layout of its slots fold away.

   Complexity is the structure's, plus O(log p) for the p precise timers, plus the sort of each delivered batch; one that a
   limit cuts, or in which a timer repeats, is taken from a heap instead, O(log n) a delivery. */
#ifndef TIMERBENCH_CORE_H
#define TIMERBENCH_CORE_H

#include <timerbench/core/expire.h>
#include <timerbench/core/planted.h>

#define TB_CORE(set) ((tb_core *)(void *)(set))
#define TB_CONST_CORE(set) ((const tb_core *)(const void *)(set))

/* The functions of one structure for one way of naming. */
#define TB_DEFINE_OPS(s, by, is_keyed)                                                                                       \
    static __attribute__((noinline)) tb_timer_id s##_##by##_insert_general(tb_core *, tb_instant, uint64_t, uint32_t);       \
    static __attribute__((noinline)) bool s##_##by##_cancel_general(tb_core *, uint32_t, uint32_t);                          \
    static __attribute__((noinline)) bool s##_##by##_move_general(tb_core *, uint32_t, uint32_t, int64_t);                   \
    static __attribute__((noinline)) bool s##_##by##_arm_key_general(tb_core *, uint32_t, tb_instant, uint32_t);              \
    static __attribute__((noinline)) size_t s##_##by##_deliver(tb_core *, tb_expiries *, size_t, uint32_t);                  \
    static const tb_kind s##_##by##_kind = {                                                                                 \
        &s, is_keyed, s##_##by##_insert_general, s##_##by##_cancel_general, s##_##by##_move_general,                         \
        s##_##by##_arm_key_general, s##_##by##_deliver};                                                                     \
    static tb_timer_id s##_##by##_insert_general(tb_core *c, tb_instant at, uint64_t token, uint32_t mark)                   \
    {                                                                                                                        \
        return tb_insert_general(&s##_##by##_kind, c, at, token, mark);                                                      \
    }                                                                                                                        \
    static bool s##_##by##_cancel_general(tb_core *c, uint32_t slot, uint32_t mark)                                          \
    {                                                                                                                        \
        return tb_cancel_general(&s##_##by##_kind, c, slot, mark);                                                           \
    }                                                                                                                        \
    static bool s##_##by##_move_general(tb_core *c, uint32_t slot, uint32_t mark, int64_t at)                                \
    {                                                                                                                        \
        return tb_move_general(&s##_##by##_kind, c, slot, mark, at);                                                         \
    }                                                                                                                        \
    static bool s##_##by##_arm_key_general(tb_core *c, uint32_t key, tb_instant at, uint32_t lane)                           \
    {                                                                                                                        \
        return tb_arm_key_general(&s##_##by##_kind, c, key, at, lane);                                                       \
    }                                                                                                                        \
    static size_t s##_##by##_deliver(tb_core *c, tb_expiries *out, size_t max, uint32_t taken)                               \
    {                                                                                                                        \
        size_t n = tb_deliver(&s##_##by##_kind, c, out, max, taken);                                                         \
        tb_planted_expire(n);                                                                                                \
        return n;                                                                                                            \
    }                                                                                                                        \
    static tb_timer_id s##_##by##_insert(tb_timers *set, tb_instant at, uint64_t token)                                      \
    {                                                                                                                        \
        return tb_insert(&s##_##by##_kind, TB_CORE(set), 0, at, token);                                                      \
    }                                                                                                                        \
    static tb_timer_id s##_##by##_insert_in(tb_timers *set, uint32_t lane, tb_instant at, uint64_t token)                    \
    {                                                                                                                        \
        tb_assert(lane < TB_LANES);                                                                                          \
        return tb_insert(&s##_##by##_kind, TB_CORE(set), lane << TB_LANE_SHIFT, at, token);                                  \
    }                                                                                                                        \
    static tb_timer_id s##_##by##_insert_precise(tb_timers *set, tb_instant at, uint64_t token)                              \
    {                                                                                                                        \
        return tb_insert(&s##_##by##_kind, TB_CORE(set), TB_STICKY, at, token);                                              \
    }                                                                                                                        \
    static tb_timer_id s##_##by##_insert_repeating(tb_timers *set, tb_instant at, tb_duration period, tb_repeat policy,      \
                                                   uint64_t token)                                                           \
    {                                                                                                                        \
        return tb_insert_repeating(&s##_##by##_kind, TB_CORE(set), at, period, policy, token);                               \
    }                                                                                                                        \
    static bool s##_##by##_insert_many(tb_timers *set, const tb_arm *arms, size_t n, tb_timer_id *ids)                       \
    {                                                                                                                        \
        return tb_insert_many(&s##_##by##_kind, TB_CORE(set), arms, n, ids);                                                 \
    }                                                                                                                        \
    static bool s##_##by##_cancel(tb_timers *set, tb_timer_id id)                                                            \
    {                                                                                                                        \
        tb_planted_cancel(1);                                                                                                \
        return tb_cancel(&s##_##by##_kind, TB_CORE(set), id);                                                                \
    }                                                                                                                        \
    static size_t s##_##by##_cancel_many(tb_timers *set, const tb_timer_id *ids, size_t n)                                   \
    {                                                                                                                        \
        tb_planted_cancel(n);                                                                                                \
        return tb_cancel_many(&s##_##by##_kind, TB_CORE(set), ids, n);                                                       \
    }                                                                                                                        \
    static bool s##_##by##_rearm(tb_timers *set, tb_timer_id id, tb_instant at)                                              \
    {                                                                                                                        \
        return tb_rearm(&s##_##by##_kind, TB_CORE(set), id, at);                                                             \
    }                                                                                                                        \
    static bool s##_##by##_is_pending(const tb_timers *set, tb_timer_id id)                                                  \
    {                                                                                                                        \
        uint32_t slot;                                                                                                       \
        uint32_t mark;                                                                                                       \
        return tb_find(&s##_##by##_kind, TB_CONST_CORE(set), id, &slot, &mark);                                              \
    }                                                                                                                        \
    static bool s##_##by##_is_precise(const tb_timers *set, tb_timer_id id)                                                  \
    {                                                                                                                        \
        uint32_t slot;                                                                                                       \
        uint32_t mark;                                                                                                       \
        return tb_find(&s##_##by##_kind, TB_CONST_CORE(set), id, &slot, &mark) && (mark & TB_STATE) == TB_PRECISE;           \
    }                                                                                                                        \
    static bool s##_##by##_arm_key(tb_timers *set, uint32_t key, tb_instant at)                                              \
    {                                                                                                                        \
        return tb_arm_key(&s##_##by##_kind, TB_CORE(set), TB_LANES, key, at);                                                \
    }                                                                                                                        \
    static bool s##_##by##_arm_key_in(tb_timers *set, uint32_t lane, uint32_t key, tb_instant at)                            \
    {                                                                                                                        \
        tb_assert(lane < TB_LANES);                                                                                          \
        return tb_arm_key(&s##_##by##_kind, TB_CORE(set), lane, key, at);                                                    \
    }                                                                                                                        \
    static bool s##_##by##_cancel_key(tb_timers *set, uint32_t key)                                                          \
    {                                                                                                                        \
        tb_planted_cancel(1);                                                                                                \
        return tb_cancel_key(&s##_##by##_kind, TB_CORE(set), key);                                                           \
    }                                                                                                                        \
    static bool s##_##by##_is_pending_key(const tb_timers *set, uint32_t key)                                                \
    {                                                                                                                        \
        return tb_key_mark(&s##_##by##_kind, TB_CONST_CORE(set), key) != TB_FREE;                                            \
    }                                                                                                                        \
    static bool s##_##by##_is_precise_key(const tb_timers *set, uint32_t key)                                                \
    {                                                                                                                        \
        return (tb_key_mark(&s##_##by##_kind, TB_CONST_CORE(set), key) & TB_STATE) == TB_PRECISE;                            \
    }                                                                                                                        \
    static size_t s##_##by##_expired(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)                           \
    {                                                                                                                        \
        return tb_expire(&s##_##by##_kind, TB_CORE(set), now, out, max);                                                     \
    }                                                                                                                        \
    static bool s##_##by##_next_expiry(const tb_timers *set, tb_instant *out)                                                \
    {                                                                                                                        \
        return tb_next_expiry(&s##_##by##_kind, TB_CONST_CORE(set), out);                                                    \
    }                                                                                                                        \
    static bool s##_##by##_next_precise(const tb_timers *set, tb_instant *out)                                               \
    {                                                                                                                        \
        return tb_next_precise(&s##_##by##_kind, TB_CONST_CORE(set), out);                                                   \
    }                                                                                                                        \
    static bool s##_##by##_next_timeout(const tb_timers *set, tb_instant *out)                                               \
    {                                                                                                                        \
        return tb_next_timeout(&s##_##by##_kind, TB_CONST_CORE(set), out);                                                   \
    }                                                                                                                        \
    static const tb_timers_ops s##_##by = {                                                                                  \
        tb_core_destroy, s##_##by##_insert, s##_##by##_insert_in, s##_##by##_insert_precise, s##_##by##_insert_repeating,    \
        s##_##by##_insert_many, s##_##by##_cancel, s##_##by##_cancel_many, s##_##by##_rearm, s##_##by##_is_pending,          \
        s##_##by##_is_precise, s##_##by##_arm_key, s##_##by##_arm_key_in, s##_##by##_cancel_key, s##_##by##_is_pending_key,  \
        s##_##by##_is_precise_key, s##_##by##_expired, s##_##by##_next_expiry, s##_##by##_next_precise,                      \
        s##_##by##_next_timeout, tb_core_len, tb_core_now, tb_core_stats, tb_core_set_slop, tb_core_slop_of,                 \
        tb_core_reserve_set, tb_core_bytes, tb_core_check};

#define TB_DEFINE_IMPL(s)                                                                                                    \
    TB_DEFINE_OPS(s, by_id, false)                                                                                           \
    TB_DEFINE_OPS(s, by_key, true)                                                                                           \
    static tb_timers *s##_make(const tb_impl *impl, tb_instant now, const tb_timers_options *opt)                            \
    {                                                                                                                        \
        return tb_core_make(impl->structure, opt->keys ? &s##_by_key : &s##_by_id, now, opt);                                \
    }                                                                                                                        \
    extern const tb_impl tb_##s;                                                                                             \
    const tb_impl tb_##s = {TB_ABI, sizeof(tb_impl), &s, s##_make};

#endif
