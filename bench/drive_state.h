/* drive_state.h: what the parts of the driver (drive*.c) share. */
#ifndef BENCH_DRIVE_STATE_H
#define BENCH_DRIVE_STATE_H

#include "bench/counted_memory.h"
#include "bench/drive.h"
#include "bench/int_map.h"
#include "bench/oracle.h"

#include <timerbench/impl.h>

__extension__ typedef __int128 tb_wide;

/* What the set calls a timer that the oracle knows by name. */
typedef struct {
    tb_timer_id id;
    uint32_t key;
} tb_drive_named;

typedef struct {
    const tb_ops *ops;
    const tb_drive_options *options;
    tb_coverage *coverage; /* the caller's, or one that is thrown away */
    const tb_structure *structure;
    bool keyed, relaxed;

    tb_counted_memory memory;
    tb_allocator allocator;
    tb_timers *set;
    tb_expiries out;
    tb_oracle *oracle;

    tb_drive_named *named; /* by the oracle's name; in a keyed set unused */
    size_t named_count, named_capacity; /* names 1 .. named_count-1 */
    tb_int_map latest;                  /* key -> the name last armed under it */
    tb_int_map given[2];                /* ids by their low 63 bits and their highest -> name */

    size_t at;      /* the operation */
    size_t probed;  /* where the next look at old names begins */
    uint64_t random;
    uint64_t cascaded;    /* stats said last */
    uint64_t idle;        /* calls at next_expiry that delivered nothing */
    tb_wide idle_allowed; /* WHL-25's bound of them */
    bool failed;          /* an allocation failed in the last call */
    int error;            /* what errno said after it */

    tb_difference *difference;
    tb_drive_verdict verdict;
} tb_driving;

/* ---- drive.c --------------------------------------------------------------------------------------------------------- */

/* A call of the set stands between these two; allocation `fail` of it fails, 0: none, `onward`: and all after it. end_call
   answers false when the call asked for memory although `may_ask` is false, or misused what it has. */
void tb_drive_begin_call(tb_driving *d, uint32_t fail, bool onward, uint64_t *asked);
bool tb_drive_end_call(tb_driving *d, uint64_t asked, bool may_ask, const char *what);

/* Whether the last call was refused, or cut, for want of memory. */
bool tb_drive_wanted_memory(const tb_driving *d);

/* Remembers the id of a timer just armed. */
bool tb_drive_note_id(tb_driving *d, tb_oracle_name name, tb_timer_id id, uint32_t key);

/* The id that a key stands for in a set with ids, and the oracle's name of it; none and 0 where it never stood for one. */
tb_timer_id tb_drive_latest(const tb_driving *d, uint32_t key, tb_oracle_name *name);

/* Memory for the comparison ran out: false. */
bool tb_drive_no_memory(tb_driving *d);

/* ---- drive_arm.c: false: a difference, or no memory -------------------------------------------------------------------- */

bool tb_drive_arm(tb_driving *d, const tb_operation *ops, size_t n);
bool tb_drive_arm_key(tb_driving *d, const tb_operation *op);
bool tb_drive_rearm(tb_driving *d, const tb_operation *op);
bool tb_drive_cancel(tb_driving *d, const tb_operation *ops, size_t n);
bool tb_drive_slop(tb_driving *d, const tb_operation *op);

/* ---- drive_expired.c ------------------------------------------------------------------------------------------------- */

bool tb_drive_expired(tb_driving *d, const tb_operation *op);

/* The list from its lead on; NULL while it has no memory. */
static inline const tb_expiry *tb_drive_delivered(const tb_driving *d, size_t lead)
{
    return d->out.items ? d->out.items + lead : NULL;
}

/* A timer was armed, or armed again: counts it, and what calls without delivery it may cost. */
void tb_drive_note_armed(tb_driving *d, const tb_oracle_timer *t);

/* Until when a relaxed structure may keep a timer, which may be past the end of time; exact ones: when it fires. */
tb_wide tb_drive_latest_fire(const tb_driving *d, const tb_oracle_timer *t);

/* ---- drive_compare.c ------------------------------------------------------------------------------------------------- */

/* Everything that can be asked of the set. `named`: the operation's own key, or NULL. */
bool tb_drive_compare(tb_driving *d, const tb_operation *named);
/* What is said of one id or key. */
bool tb_drive_compare_key(tb_driving *d, uint32_t key);

/* ---- drive_text.c ---------------------------------------------------------------------------------------------------- */

/* Notes the first difference; false. */
__attribute__((format(printf, 3, 4))) bool tb_drive_differs(tb_driving *d, tb_difference_kind kind, const char *format, ...);

enum { TB_INSTANT_TEXT = 48 };
/* "5000000", "none", "the end of time" */
const char *tb_drive_instant(char out[TB_INSTANT_TEXT], bool known, int64_t ns);
/* "ENOMEM" */
const char *tb_drive_errno(int error);

/* The token of a key: a number that fills all its bits. Keyed sets have the key itself. */
uint64_t tb_drive_token(const tb_driving *d, uint32_t key);

/* Says how the deliveries out.items[lead ..) differ from the expected ones at index `at`; false. */
bool tb_drive_differs_in_order(tb_driving *d, size_t lead, tb_oracle_expiries expected);
/* "key 3" from a token. */
const char *tb_drive_who(const tb_driving *d, uint64_t token, char out[TB_INSTANT_TEXT]);

/* Lines of the transcript: a call, `fail` before it; what came of an allocation of it that was to fail; what it delivers. */
void tb_drive_tell(tb_driving *d, const tb_operation *ops, size_t n);
void tb_drive_tell_failure(tb_driving *d, const char *outcome);
void tb_drive_tell_deliveries(tb_driving *d, tb_oracle_expiries deliveries);

#endif
