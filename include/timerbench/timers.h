/* timers.h: a set of timers, kept by an implementation that the owner chooses.

   A set is pure data: no thread, no clock, no operating-system call. Its single owner says what time it is by calling
   tb_timers_expired; a set may be handed to another thread, but never used by two at once. Times are instants in
   nanoseconds from an arbitrary origin, negative ones included.

   A timer armed a tick (1 ms) or more after the set's time is a *timeout*: it fires at the first tick of the set's own
   grid (start + k ms) at or after its deadline, rounded up further by its lane's slop; never early, less than a tick
   late without slop. One armed nearer than a tick, in the past, or by tb_timers_insert_precise is *precise*: it fires
   at its exact instant. Every implementation gives the same answers and deliveries for the same calls; they differ in
   cost, and in how tight a bound tb_timers_next_timeout is.

   Every function here is one indirect call into the implementation. */
#ifndef TIMERBENCH_TIMERS_H
#define TIMERBENCH_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/time.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TB_TICK_NANOS = 1000000, /* a tick, ns */
    TB_LANES = 8             /* lanes of a set, 0 .. 7 */
};

static inline tb_duration tb_tick(void) { return tb_duration_from_nanos(TB_TICK_NANOS); }

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The name of an armed timer. It never names a later one: when its timer has fired or been cancelled it names nothing.
   Bits: generation 32 | owner 1 (0: a slot of the set; 1: reserved for structures that hand out ids themselves) |
   slot 31. Generations start at 1, so no timer's id is all-zero. */
typedef struct tb_timer_id {
    uint64_t bits;
} tb_timer_id;

#ifdef __cplusplus
#define TB_TIMER_NONE (tb_timer_id())
#else
#define TB_TIMER_NONE ((tb_timer_id){0})
#endif

static inline bool tb_timer_is_none(tb_timer_id id) { return id.bits == 0; }
static inline bool tb_timer_same(tb_timer_id a, tb_timer_id b) { return a.bits == b.bits; }

/* ---- what a set is made of --------------------------------------------------------------------------------------- */

typedef struct tb_impl tb_impl; /* an implementation: <timerbench/impl.h> */

/* Memory of a set. resize works like realloc with the old size told: p NULL allocates, new_size 0 frees (and returns
   NULL); on failure it returns NULL and p is untouched. Alignment as malloc's. */
typedef struct tb_allocator {
    void *(*resize)(void *ctx, void *p, size_t old_size, size_t new_size);
    void *ctx;
} tb_allocator;

/* All zero is a set with ids, without a limit, on malloc. */
typedef struct tb_timers_options {
    uint32_t keys;                 /* > 0: a keyed set for keys 0 .. keys-1, without ids; at most 2^31 - 1 */
    bool ids;                      /* asks for ids by name; together with keys it is refused (EINVAL) */
    size_t limit;                  /* most timers pending at once; 0: no limit */
    const tb_allocator *allocator; /* NULL: malloc; must outlive the set */
} tb_timers_options;

/* How a repeating timer goes on when it is delivered late. The next occurrence is at ... */
typedef enum tb_repeat {
    TB_REPEAT_BURST, /* deadline + period, also within the same call: every missed occurrence is delivered */
    TB_REPEAT_SKIP,  /* the first deadline + k * period after the call's time: missed ones are left out */
    TB_REPEAT_DELAY  /* the call's time + period */
} tb_repeat;

/* One timer of tb_timers_insert_many. */
typedef enum tb_arm_kind { TB_ARM_TIMEOUT, TB_ARM_PRECISE, TB_ARM_REPEATING } tb_arm_kind;
typedef struct tb_arm {
    tb_instant at;
    uint64_t token;
    tb_arm_kind kind;
    uint32_t lane;      /* of a timeout */
    tb_duration period; /* of a repeating one, > 0 */
    tb_repeat policy;
} tb_arm;

/* One delivery. */
typedef struct tb_expiry {
    tb_timer_id id;      /* none in a keyed set */
    uint64_t token;      /* as armed; in a keyed set the key */
    tb_instant deadline; /* the instant armed for, not the one it fired at */
    uint64_t order;      /* arm order: of two with one deadline the smaller was armed first */
} tb_expiry;

/* A growing list of deliveries, the caller's own. All zero is an empty one on malloc. */
typedef struct tb_expiries {
    tb_expiry *items;
    size_t len, cap;
    const tb_allocator *allocator; /* NULL: malloc */
} tb_expiries;

/* Counters start at 0 and only grow; pending and pending_precise are levels.
   armed = pending + cancelled + fired after every call. */
typedef struct tb_timers_stats {
    uint64_t pending, pending_precise;
    uint64_t armed;         /* timers armed; each occurrence of a repeating one counts */
    uint64_t armed_precise; /* of those, the ones that were precise when armed */
    uint64_t rearmed, cancelled, fired;
    uint64_t cascaded; /* timers re-placed inside the structure as time went on; 0 where nothing cascades */
    uint64_t calls;    /* calls of tb_timers_expired and _expired_max */
    uint64_t wakes;    /* of those, the ones that delivered something */
} tb_timers_stats;

typedef struct tb_timers tb_timers;

/* Private: the implementation's functions, here so that the calls below are inlined. */
typedef struct tb_timers_ops {
    void (*destroy)(tb_timers *);
    tb_timer_id (*insert)(tb_timers *, tb_instant, uint64_t);
    tb_timer_id (*insert_in)(tb_timers *, uint32_t, tb_instant, uint64_t);
    tb_timer_id (*insert_precise)(tb_timers *, tb_instant, uint64_t);
    tb_timer_id (*insert_repeating)(tb_timers *, tb_instant, tb_duration, tb_repeat, uint64_t);
    bool (*insert_many)(tb_timers *, const tb_arm *, size_t, tb_timer_id *);
    bool (*cancel)(tb_timers *, tb_timer_id);
    size_t (*cancel_many)(tb_timers *, const tb_timer_id *, size_t);
    bool (*rearm)(tb_timers *, tb_timer_id, tb_instant);
    bool (*is_pending)(const tb_timers *, tb_timer_id);
    bool (*is_precise)(const tb_timers *, tb_timer_id);
    bool (*arm_key)(tb_timers *, uint32_t, tb_instant);
    bool (*arm_key_in)(tb_timers *, uint32_t, uint32_t, tb_instant);
    bool (*cancel_key)(tb_timers *, uint32_t);
    bool (*is_pending_key)(const tb_timers *, uint32_t);
    bool (*is_precise_key)(const tb_timers *, uint32_t);
    size_t (*expired)(tb_timers *, tb_instant, tb_expiries *, size_t);
    bool (*next_expiry)(const tb_timers *, tb_instant *);
    bool (*next_precise)(const tb_timers *, tb_instant *);
    bool (*next_timeout)(const tb_timers *, tb_instant *);
    size_t (*len)(const tb_timers *);
    tb_instant (*now)(const tb_timers *);
    tb_timers_stats (*stats)(const tb_timers *);
    void (*set_slop)(tb_timers *, uint32_t, tb_duration);
    tb_duration (*slop_of)(const tb_timers *, uint32_t);
    bool (*reserve)(tb_timers *, size_t);
    size_t (*bytes)(const tb_timers *);
    const char *(*check)(const tb_timers *);
} tb_timers_ops;

struct tb_timers {
    const tb_timers_ops *ops;
};

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* An empty set whose time starts at `now`. opt may be NULL: all defaults. NULL with errno EINVAL (ids and keys at once,
   2^31 keys or more) or ENOMEM. */
TB_API tb_timers *tb_timers_make(const tb_impl *impl, tb_instant now, const tb_timers_options *opt);

/* Frees the set; timers still pending are dropped. NULL does nothing. */
static inline void tb_timers_destroy(tb_timers *set)
{
    if (set)
        set->ops->destroy(set);
}

/* Memory for n timers pending at once: until more are, arming allocates nothing, but for what a repeating timer has beside
   (its period), in a keyed set the table up to the largest key used, and by id a slot for each one whose 2^32 generations are
   used up after this call. false with errno ENOMEM, and nothing changed but that some of the memory may have been taken
   already: it is kept for the next attempt. O(n). */
static inline bool tb_timers_reserve(tb_timers *set, size_t n) { return set->ops->reserve(set, n); }

/* ---- arming, by id ----------------------------------------------------------------------------------------------- */

/* Arms a timer for `at`; the token comes back in its expiry and is never interpreted. The id, or none with errno ENOMEM
   (out of memory) or ENOBUFS (the set's limit is reached), and nothing changed. */
static inline tb_timer_id tb_timers_insert(tb_timers *set, tb_instant at, uint64_t token)
{
    return set->ops->insert(set, at, token);
}

/* The same in a lane, 0 .. 7 (asserted); tb_timers_insert uses lane 0. */
static inline tb_timer_id tb_timers_insert_in(tb_timers *set, uint32_t lane, tb_instant at, uint64_t token)
{
    return set->ops->insert_in(set, lane, at, token);
}

/* Arms a precise timer, however far: it fires at `at` itself, without slop. The precise set is meant to be small: its
   costs are O(log of its size). */
static inline tb_timer_id tb_timers_insert_precise(tb_timers *set, tb_instant at, uint64_t token)
{
    return set->ops->insert_precise(set, at, token);
}

/* Arms a timer that fires at `at` and then every `period`, under one id until it is cancelled, in lane 0. Each next
   occurrence is armed as tb_timers_insert would at the time of the call that delivers the one before it; an occurrence
   at the end of time (INT64_MAX) is the last. None with errno EINVAL when period <= 0. */
static inline tb_timer_id tb_timers_insert_repeating(tb_timers *set, tb_instant at, tb_duration period, tb_repeat policy,
                                                     uint64_t token)
{
    return set->ops->insert_repeating(set, at, period, policy, token);
}

/* Arms n timers in the order given, as n single calls would, or none of them: false with errno ENOMEM, ENOBUFS or
   EINVAL (a period <= 0) and nothing changed. Their ids go to ids[0 .. n-1]. */
static inline bool tb_timers_insert_many(tb_timers *set, const tb_arm *arms, size_t n, tb_timer_id *ids)
{
    return set->ops->insert_many(set, arms, n, ids);
}

/* Withdraws a pending timer: true, and it never fires. false and no effect for an id that names nothing. */
static inline bool tb_timers_cancel(tb_timers *set, tb_timer_id id) { return set->ops->cancel(set, id); }

/* Cancels n ids in turn; how many of them were pending. */
static inline size_t tb_timers_cancel_many(tb_timers *set, const tb_timer_id *ids, size_t n)
{
    return set->ops->cancel_many(set, ids, n);
}

/* Moves a pending timer to another deadline: it keeps id, token and lane and takes a new place in arm order. One made
   by tb_timers_insert_precise stays precise; any other is judged anew by the tick test and its lane's present slop; a
   repeating one goes on from the new deadline. false and no effect when the id names nothing. Allocates nothing. */
static inline bool tb_timers_rearm(tb_timers *set, tb_timer_id id, tb_instant at) { return set->ops->rearm(set, id, at); }

static inline bool tb_timers_is_pending(const tb_timers *set, tb_timer_id id) { return set->ops->is_pending(set, id); }
/* Whether the id names a pending precise timer. */
static inline bool tb_timers_is_precise(const tb_timers *set, tb_timer_id id) { return set->ops->is_precise(set, id); }

/* ---- arming, by key ---------------------------------------------------------------------------------------------- */

/* In a keyed set the caller owns the names: a dense number such as a connection's, at most one timer a key, the token
   is the key. No ids are handed out. Calling a function by id on a keyed set, or by key on another, is asserted. */

/* Arms the key's timer, or rearms it when pending (it keeps its lane). false with errno ERANGE (the key is not below the
   capacity), ENOMEM or ENOBUFS, and nothing changed. */
static inline bool tb_timers_arm_key(tb_timers *set, uint32_t key, tb_instant at) { return set->ops->arm_key(set, key, at); }
/* The same, and moves the timer to that lane. */
static inline bool tb_timers_arm_key_in(tb_timers *set, uint32_t lane, uint32_t key, tb_instant at)
{
    return set->ops->arm_key_in(set, lane, key, at);
}
static inline bool tb_timers_cancel_key(tb_timers *set, uint32_t key) { return set->ops->cancel_key(set, key); }
static inline bool tb_timers_is_pending_key(const tb_timers *set, uint32_t key) { return set->ops->is_pending_key(set, key); }
static inline bool tb_timers_is_precise_key(const tb_timers *set, uint32_t key) { return set->ops->is_precise_key(set, key); }

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Moves the set's time to `now` (an earlier instant is taken as the set's time) and appends every timer due to out, in
   deadline order, ties in the order armed; how many. A delivered timer is gone. out grows before anything is removed:
   when memory runs out, errno says ENOMEM, what fits is delivered and the rest stays due for the next call. */
static inline size_t tb_timers_expired(tb_timers *set, tb_instant now, tb_expiries *out)
{
    return set->ops->expired(set, now, out, SIZE_MAX);
}

/* The same, but delivers only the first `max` of them. The rest stays pending and due: cancellable, rearmable, in order
   with what comes later, precise or not as before. */
static inline size_t tb_timers_expired_max(tb_timers *set, tb_instant now, tb_expiries *out, size_t max)
{
    return set->ops->expired(set, now, out, max);
}

/* When the owner must call tb_timers_expired next, at the latest: true and *out, or false when nothing is armed. Never
   later than the instant a timer fires; earlier only by a bound of the structure (a level move where nothing fires).
   Following it always makes progress. Timeouts whose tick lies beyond the end of time count as INT64_MAX; when only
   those are left at that instant, a follower stops. next_expiry is the earlier of the other two: the earliest precise
   deadline, and the next tick the structure needs. */
static inline bool tb_timers_next_expiry(const tb_timers *set, tb_instant *out) { return set->ops->next_expiry(set, out); }
static inline bool tb_timers_next_precise(const tb_timers *set, tb_instant *out) { return set->ops->next_precise(set, out); }
static inline bool tb_timers_next_timeout(const tb_timers *set, tb_instant *out) { return set->ops->next_timeout(set, out); }

/* The latest instant given to tb_timers_expired, or the start. */
static inline tb_instant tb_timers_now(const tb_timers *set) { return set->ops->now(set); }

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* A lane's slop: its timeouts fire at the next multiple of it on the set's grid, so neighbours fire in one wake. Whole
   ticks (truncated); under two ticks is none; negative is zero. Moves no armed timer. Lanes 0 .. 7 (asserted). */
static inline void tb_timers_set_slop(tb_timers *set, uint32_t lane, tb_duration slop) { set->ops->set_slop(set, lane, slop); }
static inline tb_duration tb_timers_slop_of(const tb_timers *set, uint32_t lane) { return set->ops->slop_of(set, lane); }

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static inline size_t tb_timers_len(const tb_timers *set) { return set->ops->len(set); }
static inline bool tb_timers_is_empty(const tb_timers *set) { return set->ops->len(set) == 0; }
static inline tb_timers_stats tb_timers_get_stats(const tb_timers *set) { return set->ops->stats(set); }
/* Bytes the set holds from its allocator. */
static inline size_t tb_timers_bytes(const tb_timers *set) { return set->ops->bytes(set); }
/* Checks every invariant of set and structure, O(n): NULL, or what is broken. For tests. */
static inline const char *tb_timers_check(const tb_timers *set) { return set->ops->check(set); }

/* ---- deliveries -------------------------------------------------------------------------------------------------- */

/* Room for n more deliveries; false with errno ENOMEM. */
TB_API bool tb_expiries_reserve(tb_expiries *out, size_t n);
static inline void tb_expiries_clear(tb_expiries *out) { out->len = 0; }
TB_API void tb_expiries_free(tb_expiries *out);

/* ---- implementations --------------------------------------------------------------------------------------------- */

/* The implementations built into the library, in registry order; find answers NULL for a name it does not know. */
TB_API size_t tb_impl_count(void);
TB_API const tb_impl *tb_impl_at(size_t index);
TB_API const tb_impl *tb_impl_find(const char *name);
TB_API const char *tb_impl_name(const tb_impl *impl);

#ifdef __cplusplus
}
#endif
#endif
