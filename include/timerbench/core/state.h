/* core/state.h: what a set made by core.h consists of. Private to the core, its library part (impls/core/) and tests. */
#ifndef TIMERBENCH_CORE_STATE_H
#define TIMERBENCH_CORE_STATE_H

#include <timerbench/impl.h>

#define TB_TICK ((uint64_t)TB_TICK_NANOS)

/* A slot's mark: its state, lane and flags. */
enum {
    TB_FREE = 0,
    TB_FILED = 1,   /* held by the structure; no other state has this bit */
    TB_PRECISE = 2, /* in the precise heap */
    TB_OVERDUE = 4, /* a timeout that is due but was not delivered: a limit or want of memory cut the batch */
    TB_NEVER = 6,   /* its tick lies beyond the end of time: pending for ever, in no structure */
    TB_STATE = 7,
    TB_LANE_SHIFT = 3,
    TB_LANE = 7 << TB_LANE_SHIFT,
    TB_STICKY = 64,  /* armed as precise: stays so when rearmed */
    TB_REPEATS = 128 /* the token is an index into the repeats table */
};

/* Where the fields of a slot are, in bytes from the beginning of its part; what a set does without is left at 0. The mark is a
   byte. */
typedef struct tb_layout {
    uint32_t hot_stride, generation, mark, position, link;
    uint32_t cold_stride, order, deadline, token;
    uint32_t due; /* in the cold part, or with due_hot in the hot one */
    bool due_hot;
    bool joined; /* one part alone, called the hot one; the mark is the low byte of the order word */
} tb_layout;

/* What the structure asks for, in the hot part. */
TB_OP uint32_t tb_layout_columns(tb_layout *l, const tb_structure *s, uint32_t at)
{
    if (s->columns & TB_COL_LINK) {
        l->position = l->link = at;
        at += 8;
    }
    if ((s->columns & TB_COL_WHERE) || !(s->columns & TB_COL_LINK)) {
        l->position = at;
        at += 4;
    }
    return at;
}

/* By key a slot is one record: with a structure of links, 32 bytes, half a cache line, and what a timer needs at arming and
   cancelling is there. By id, with generation and token, it would be 48: so it is two parts. Cancelling reads the small hot one,
   of the timer and in a list of its neighbours, and small parts make more of these lines hits; the cold one is only written
   then, which nothing waits for. Measured at 10^5 and 10^6 pending, churn, against one record of 48 bytes: 0.58 and 0.89. */
TB_OP tb_layout tb_layout_of(const tb_structure *s, bool keyed)
{
    enum { LOW_BYTE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 7 };
    tb_layout l = {0};
    uint32_t at;
    l.due_hot = (s->columns & TB_COL_DUE_HOT) != 0;
    if (keyed) {
        l.joined = true;
        at = tb_layout_columns(&l, s, 0);
        l.order = (at + 7) & ~7u;
        l.mark = l.order + LOW_BYTE;
        l.deadline = l.order + 8;
        l.due = l.order + 16;
        l.hot_stride = l.cold_stride = l.order + (s->columns & (TB_COL_DUE | TB_COL_DUE_HOT) ? 24 : 16);
        return l;
    }
    l.mark = 4; /* behind the generation: tb_recycle_slot writes both at once */
    at = tb_layout_columns(&l, s, 8);
    if (l.due_hot) {
        l.due = at = (at + 7) & ~7u;
        at += 8;
    }
    l.hot_stride = at;
    l.deadline = 8; /* order first */
    l.token = 16;
    l.cold_stride = 24;
    if (s->columns & TB_COL_DUE) {
        l.due = l.cold_stride;
        l.cold_stride += 8;
    }
    return l;
}

/* A repeating timer's own part. Free entries are chained by `next`. */
typedef struct tb_repeating {
    uint64_t token;
    int64_t period;
    uint32_t policy, next;
} tb_repeating;

/* Counters are few: each costs the operations that keep it. What is pending is what was armed (every arm and every rearm takes
   an arm number) and neither cancelled nor fired. */
typedef struct tb_core {
    tb_timers base;
    char *hot, *cold;            /* the two parts of each slot */
    uint32_t *free;              /* by id: stack of the slots that are ready to be armed */
    uint32_t *queue, *queue_end; /* slots: the precise heap from the front, the overdue ones from the back */
    int64_t start, now;
    int64_t near_end;   /* the last instant less than a tick after now */
    uint64_t tick_zero; /* start + 1 ns: what ticks are counted from, rounded up */
    uint64_t elapsed;   /* whole ticks from start to now */
    uint64_t last_tick; /* the last one whose instant an int64_t holds */
    uint64_t order;     /* the last arm number given */
    uint64_t rearmed, cancelled, fired, calls, wakes, armed_precise;
    uint32_t free_count;
    uint32_t used;                     /* slots 0 .. used-1 are initialised, and there is memory for all of them to be armed */
    uint32_t ready;                    /* by key: keys below are armed without looking at the limit: used, or 0 with a limit */
    uint32_t precise, overdue, never;  /* pending by state; the rest are filed */
    uint64_t plain_last[TB_LANES];     /* the last tick that needs no rounding and comes: last_tick, or 0 where there is slop */
    uint64_t slop[TB_LANES];           /* ticks */

    /* seldom */
    const tb_structure *structure;
    tb_layout layout;
    uint32_t keys;    /* 0: by id */
    uint32_t retired; /* slots whose generations are used up */
    /* What there is memory for: slots in each part and on the stack; timers in the queue and in the structure. */
    uint32_t hot_cap, cold_cap, free_cap, queue_cap, structure_cap;
    uint32_t no_queue; /* where queue_end points while there is none */
    uint32_t repeats;  /* repeating timers pending */
    uint32_t repeat_cap, repeat_free;
    tb_repeating *repeating;
    size_t limit;
    size_t bytes;
    tb_allocator allocator;
} tb_core;

TB_OP uint64_t tb_pending(const tb_core *c) { return c->order - c->rearmed - c->cancelled - c->fired; }

enum { TB_CORE_SIZE = (sizeof(tb_core) + 63) & ~63u, TB_NO_REPEAT = (int)0x7fffffff, TB_MAX_SLOTS = (int)0x7fffffff };

static inline void *tb_core_state(const tb_core *c) { return (char *)(uintptr_t)c + TB_CORE_SIZE; }

/* ---- fields of a slot, at a layout that is constant where this is inlined --------------------------------------- */

TB_OP void *tb_hot_at(const tb_core *c, const tb_layout *l, uint32_t slot, uint32_t field)
{
    return c->hot + (size_t)slot * l->hot_stride + field;
}
TB_OP void *tb_cold_at(const tb_core *c, const tb_layout *l, uint32_t slot, uint32_t field)
{
    return (l->joined ? c->hot : c->cold) + (size_t)slot * l->cold_stride + field;
}
TB_OP uint32_t *tb_generation_at(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return (uint32_t *)tb_hot_at(c, l, slot, l->generation);
}
TB_OP uint8_t *tb_mark_at(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return (uint8_t *)tb_hot_at(c, l, slot, l->mark);
}
TB_OP uint32_t *tb_position_at(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return (uint32_t *)tb_hot_at(c, l, slot, l->position);
}
/* Order words compare as arm numbers do; tb_order_of is the number itself. Beside a mark it has 56 bits: at 10^8 arms a second,
   twenty years. */
TB_OP uint64_t *tb_order_at(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return (uint64_t *)tb_cold_at(c, l, slot, l->order);
}
TB_OP uint64_t tb_order_of(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return l->joined ? *tb_order_at(c, l, slot) >> 8 : *tb_order_at(c, l, slot);
}
TB_OP int64_t *tb_deadline_at(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return (int64_t *)tb_cold_at(c, l, slot, l->deadline);
}
TB_OP uint64_t *tb_token_at(const tb_core *c, const tb_layout *l, uint32_t slot)
{
    return (uint64_t *)tb_cold_at(c, l, slot, l->token);
}

/* Moves the set's time. */
TB_OP void tb_set_now(tb_core *c, int64_t now)
{
    c->now = now;
    c->near_end = now < INT64_MAX - (TB_TICK_NANOS - 1) ? now + (TB_TICK_NANOS - 1) : INT64_MAX;
}

/* What the structure sees. Built where it is used, so that the compiler knows the layout. */
TB_OP tb_view tb_view_of(tb_core *c, const tb_structure *s, const tb_layout *l)
{
    tb_view v;
    v.where = c->hot + l->position;
    v.link = c->hot + l->link;
    v.due = (l->due_hot || l->joined ? c->hot : c->cold) + l->due;
    v.hot_stride = l->hot_stride;
    v.due_stride = l->due_hot || l->joined ? l->hot_stride : l->cold_stride;
    v.filed = (uint32_t)tb_pending(c) - c->precise - c->overdue - c->never;
    v.elapsed = c->elapsed;
    v.params = s->params;
    v.allocator = &c->allocator;
    v.bytes = &c->bytes;
    return v;
}

/* ---- the library part: what is done seldom, or costs O(log n) anyway --------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

/* impls/core/make.c */
TB_API tb_timers *tb_core_make(const tb_structure *s, const tb_timers_ops *ops, tb_instant now, const tb_timers_options *opt);
TB_API void tb_core_destroy(tb_timers *set);
TB_API bool tb_core_make_room(tb_core *c, size_t n);   /* by id, n more; errno ENOMEM or ENOBUFS */
TB_API bool tb_core_use_key(tb_core *c, uint32_t key); /* errno ERANGE, ENOMEM or ENOBUFS */
TB_API bool tb_core_reserve_repeats(tb_core *c, uint32_t n); /* n more */
TB_API uint32_t tb_core_take_repeat(tb_core *c, uint64_t token, int64_t period, tb_repeat policy);
TB_API void tb_core_drop_repeat(tb_core *c, uint32_t index);
TB_API bool tb_core_reserve_set(tb_timers *set, size_t n);
TB_API size_t tb_core_len(const tb_timers *set);
TB_API tb_instant tb_core_now(const tb_timers *set);
TB_API size_t tb_core_bytes(const tb_timers *set);
TB_API tb_timers_stats tb_core_stats(const tb_timers *set);
TB_API void tb_core_set_slop(tb_timers *set, uint32_t lane, tb_duration slop);
TB_API tb_duration tb_core_slop_of(const tb_timers *set, uint32_t lane);

/* impls/core/queue.c: the two heaps by (deadline, arm order). `state` is TB_PRECISE or TB_OVERDUE. */
TB_API void tb_queue_push(tb_core *c, int state, uint32_t slot);
TB_API void tb_queue_erase(tb_core *c, int state, uint32_t slot);
/* Precise ones that are due, at most so many, left behind the heap, the first last. */
TB_API uint32_t tb_queue_pop_due(tb_core *c, size_t most);
TB_API void tb_queue_unpop(tb_core *c, uint32_t count);    /* takes that back */
TB_API void tb_queue_make_heap(tb_core *c, uint32_t taken); /* the last `taken` overdue are new from the structure */

/* impls/core/check.c */
TB_API const char *tb_core_check(const tb_timers *set);

/* impls/core/expiries.c: by (deadline, order); nearly sorted batches cost little more than a pass. Allocates nothing. */
TB_API void tb_sort_expiries(tb_expiry *items, size_t n);

#ifdef __cplusplus
}
#endif
#endif
