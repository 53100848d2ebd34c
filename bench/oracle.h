/* oracle.h: the meaning of a timer set in the plainest form there is: an unordered array of timers, looked through for
   everything. It shares no line with the semantics that the implementations have in common (timerbench/core.h), so that an
   error in those shows as well.

   What it says of ids and keys: a timer is named by the number of its arming (1 for the first timer armed, 2 for the
   second ...), which is never used again; in a keyed set that number is looked up by key. */
#ifndef BENCH_ORACLE_H
#define BENCH_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/timers.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t tb_oracle_name; /* 0: none */

typedef struct {
    tb_oracle_name name;
    uint64_t token; /* in a keyed set the key */
    int64_t deadline;
    uint64_t order;     /* of two timers the one with the smaller was armed first */
    uint32_t lane;      /* whose slop a rearm rounds with */
    bool asked_precise; /* armed as precise, and so for ever */
    bool precise;       /* is precise at present */
    bool never;         /* its tick lies past the end of time */
    int64_t fires;      /* the instant from which on it is due */
    int64_t period;     /* 0: fires once */
    tb_repeat policy;
    int64_t set_at;     /* the set's time when it was armed or rearmed */
    bool left_over;     /* was due in a call that did not deliver it */
} tb_oracle_timer;

typedef struct {
    tb_oracle_timer timer; /* as it was when it was delivered */
    bool again;            /* it repeats, and its next occurrence has been armed */
} tb_oracle_expiry;

typedef struct tb_oracle tb_oracle;

/* What the oracle did comes back in these lists; they belong to it and hold until the next call. */
typedef struct {
    const tb_oracle_expiry *items;
    size_t count;
} tb_oracle_expiries;

/* limit 0: none; keys 0: a set with ids. NULL: out of memory. */
tb_oracle *tb_oracle_make(int64_t start, uint64_t limit, uint32_t keys);
void tb_oracle_free(tb_oracle *o);

/* Whether memory for the oracle itself ran out at some time; its answers mean nothing from then on. */
bool tb_oracle_out_of_memory(const tb_oracle *o);

/* ---- operations; `error` is what errno must say, or 0 ------------------------------------------------------------- */

/* insert, insert_in, insert_precise, insert_repeating and a batch of them: all or none. names[0 .. n-1] get the timers. */
bool tb_oracle_insert(tb_oracle *o, const tb_arm *arms, size_t n, tb_oracle_name *names, int *error);
bool tb_oracle_cancel(tb_oracle *o, tb_oracle_name name);
bool tb_oracle_rearm(tb_oracle *o, tb_oracle_name name, int64_t at);
/* lane TB_LANES: none named. */
bool tb_oracle_arm_key(tb_oracle *o, uint32_t key, uint32_t lane, int64_t at, int *error);
void tb_oracle_set_slop(tb_oracle *o, uint32_t lane, int64_t slop);

/* expired_max. */
tb_oracle_expiries tb_oracle_expired(tb_oracle *o, int64_t now, uint64_t max);

/* The same in two parts, for a set that may deliver late: moves time on, then delivers one due timer after the other
   by name. deliver: false, and nothing happens, when the timer is not pending or not due. `cut`: something may be left over. */
void tb_oracle_begin_expired(tb_oracle *o, int64_t now);
bool tb_oracle_deliver(tb_oracle *o, tb_oracle_name name);
tb_oracle_expiries tb_oracle_end_expired(tb_oracle *o, bool cut);

/* How many would be delivered by a call at `now` without a maximum; at most UINT64_MAX. */
uint64_t tb_oracle_count_due(const tb_oracle *o, int64_t now);

/* ---- looking ------------------------------------------------------------------------------------------------------ */

/* The pending timer of that name or key, or NULL; until the next operation. */
const tb_oracle_timer *tb_oracle_find(const tb_oracle *o, tb_oracle_name name);
const tb_oracle_timer *tb_oracle_find_key(const tb_oracle *o, uint32_t key);

/* All pending timers, in no order. */
const tb_oracle_timer *tb_oracle_timers(const tb_oracle *o, size_t *count);

/* When the earliest of the precise timers, or of the others, is due; INT64_MAX for those that never are. False: there is
   none. */
bool tb_oracle_next_precise(const tb_oracle *o, int64_t *out);
bool tb_oracle_next_timeout(const tb_oracle *o, int64_t *out);

int64_t tb_oracle_now(const tb_oracle *o);
int64_t tb_oracle_start(const tb_oracle *o);
int64_t tb_oracle_slop(const tb_oracle *o, uint32_t lane);
/* All but cascaded, which is 0. */
tb_timers_stats tb_oracle_stats(const tb_oracle *o);

#ifdef __cplusplus
}
#endif
#endif
