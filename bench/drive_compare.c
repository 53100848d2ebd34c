/* drive_compare.c: everything that can be asked of a set, beside the oracle. */
#include "bench/drive_state.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- counters and settings ------------------------------------------------------------------------------------------- */

static bool compare_counts(tb_driving *d)
{
    tb_timers_stats got = tb_timers_get_stats(d->set), expected = tb_oracle_stats(d->oracle);
    const struct {
        const char *name;
        uint64_t got, expected;
    } counts[] = {
        {"len", tb_timers_len(d->set), expected.pending},
        {"pending", got.pending, expected.pending},
        {"pending_precise", got.pending_precise, expected.pending_precise},
        {"armed", got.armed, expected.armed},
        {"armed_precise", got.armed_precise, expected.armed_precise},
        {"rearmed", got.rearmed, expected.rearmed},
        {"cancelled", got.cancelled, expected.cancelled},
        {"fired", got.fired, expected.fired},
        {"calls", got.calls, expected.calls},
        {"wakes", got.wakes, expected.wakes},
        {"is_empty", tb_timers_is_empty(d->set), expected.pending == 0},
        {"bytes", tb_timers_bytes(d->set), d->memory.bytes - d->out.cap * sizeof *d->out.items},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].got != counts[i].expected)
            return tb_drive_differs(d, TB_DIFFERS_COUNTS, "says %s %" PRIu64 ", expected %" PRIu64, counts[i].name,
                                    counts[i].got, counts[i].expected);
    if (got.cascaded < d->cascaded || (got.cascaded > 0 && !(d->structure->traits & TB_CASCADES)))
        return tb_drive_differs(d, TB_DIFFERS_COUNTS, "says cascaded %" PRIu64 ", expected %s", got.cascaded,
                                got.cascaded < d->cascaded ? "it never to shrink" : "0, since it does not cascade");
    d->coverage->cascades += got.cascaded - d->cascaded;
    d->cascaded = got.cascaded;
    return true;
}

static bool compare_settings(tb_driving *d)
{
    if (tb_timers_now(d->set).ns != tb_oracle_now(d->oracle))
        return tb_drive_differs(d, TB_DIFFERS_SETTING, "says now %" PRId64 ", expected %" PRId64, tb_timers_now(d->set).ns,
                                tb_oracle_now(d->oracle));
    for (uint32_t lane = 0; lane < TB_LANES; lane++) {
        int64_t got = tb_timers_slop_of(d->set, lane).ns, expected = tb_oracle_slop(d->oracle, lane);
        if (got != expected)
            return tb_drive_differs(d, TB_DIFFERS_SETTING, "says slop_of lane %" PRIu32 " is %" PRId64 ", expected %" PRId64,
                                    lane, got, expected);
    }
    return true;
}

/* ---- what comes next ------------------------------------------------------------------------------------------------- */

static bool next_differs(tb_driving *d, const char *which, bool some, int64_t got, const char *relation, bool expected_some,
                         int64_t expected)
{
    char mine[TB_INSTANT_TEXT], wanted[TB_INSTANT_TEXT];
    return tb_drive_differs(d, TB_DIFFERS_NEXT, "says next_%s is %s, expected %s%s", which, tb_drive_instant(mine, some, got),
                            relation, tb_drive_instant(wanted, expected_some, expected));
}

/* The latest instant at which a relaxed set must have been called. */
static int64_t latest_next(const tb_driving *d, int64_t fires)
{
    if (!d->relaxed)
        return fires;
    size_t count;
    const tb_oracle_timer *timers = tb_oracle_timers(d->oracle, &count);
    int64_t latest = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        if (!timers[i].precise && tb_drive_latest_fire(d, &timers[i]) < latest)
            latest = (int64_t)tb_drive_latest_fire(d, &timers[i]);
    return latest;
}

/* next_timeout: at or before the first timeout's tick (WHL-24), exactly there where the structure says so; after the set's
   time, but for what a cut left over (WHL-26, WHL-51). */
static bool compare_next_timeout(tb_driving *d, bool some, int64_t got)
{
    int64_t fires = 0, now = tb_oracle_now(d->oracle);
    bool expected = tb_oracle_next_timeout(d->oracle, &fires);
    if (some != expected)
        return next_differs(d, "timeout", some, got, "", expected, fires);
    if (!some)
        return true;
    if (fires <= now && fires < INT64_MAX && !d->relaxed)
        return got <= now || next_differs(d, "timeout", true, got, "what is due, at or before ", true, now);
    if (d->structure->traits & TB_NEXT_EXACT && !d->relaxed)
        return got == fires || next_differs(d, "timeout", true, got, "", true, fires);
    int64_t latest = latest_next(d, fires);
    if (d->relaxed && latest < now) /* left over by a cut */
        latest = now;
    if (got > latest)
        return next_differs(d, "timeout", true, got, "at most ", true, latest);
    bool moves_on = got > now || now == INT64_MAX || fires <= now;
    return moves_on || next_differs(d, "timeout", true, got, "later than the set's time ", true, now);
}

static bool compare_next(tb_driving *d)
{
    tb_instant precise = {0}, timeout = {0}, expiry = {0};
    bool has_precise = tb_timers_next_precise(d->set, &precise), has_timeout = tb_timers_next_timeout(d->set, &timeout);
    bool has_expiry = tb_timers_next_expiry(d->set, &expiry);
    int64_t expected = 0;
    bool expected_precise = tb_oracle_next_precise(d->oracle, &expected);
    if (has_precise != expected_precise || (has_precise && precise.ns != expected))
        return next_differs(d, "precise", has_precise, precise.ns, "", expected_precise, expected);
    if (!compare_next_timeout(d, has_timeout, timeout.ns))
        return false;
    bool some = has_precise || has_timeout;
    int64_t first = has_precise && (!has_timeout || precise.ns < timeout.ns) ? precise.ns : timeout.ns;
    return (has_expiry == some && (!some || expiry.ns == first)) ||
           next_differs(d, "expiry", has_expiry, expiry.ns, "the earlier of the other two, ", some, first);
}

/* ---- names ----------------------------------------------------------------------------------------------------------- */

static uint64_t random_next(tb_driving *d) /* xorshift64*, Marsaglia and Vigna */
{
    d->random ^= d->random >> 12;
    d->random ^= d->random << 25;
    d->random ^= d->random >> 27;
    return d->random * UINT64_C(2685821657736338717);
}

/* key NULL: `what` says it all. */
static bool name_differs(tb_driving *d, const char *call, const char *what, const uint32_t *key, bool got)
{
    char whom[80];
    if (key)
        snprintf(whom, sizeof whom, "%s %" PRIu32, what, *key);
    else
        snprintf(whom, sizeof whom, "%s", what);
    return tb_drive_differs(d, TB_DIFFERS_NAME, "answers %s to %s of %s, expected %s", got ? "true" : "false", call, whom,
                            got ? "false" : "true");
}

/* An id under which nothing is pending: nothing can be done with it. */
static bool compare_dead_id(tb_driving *d, tb_timer_id id, const char *what, const uint32_t *key)
{
    if (tb_timers_is_pending(d->set, id))
        return name_differs(d, "is_pending", what, key, true);
    if (tb_timers_is_precise(d->set, id))
        return name_differs(d, "is_precise", what, key, true);
    if (tb_timers_cancel(d->set, id))
        return name_differs(d, "cancel", what, key, true);
    if (tb_timers_rearm(d->set, id, tb_timers_now(d->set)))
        return name_differs(d, "rearm", what, key, true);
    return true;
}

static bool compare_name(tb_driving *d, tb_oracle_name name)
{
    tb_timer_id id = d->named[name].id;
    const uint32_t *key = &d->named[name].key;
    const tb_oracle_timer *t = tb_oracle_find(d->oracle, name);
    if (!t) {
        d->coverage->stale_names++;
        return compare_dead_id(d, id, "a stale id of key", key);
    }
    if (!tb_timers_is_pending(d->set, id))
        return name_differs(d, "is_pending", "the id of key", key, false);
    bool precise = tb_timers_is_precise(d->set, id);
    return precise == t->precise || name_differs(d, "is_precise", "the id of key", key, precise);
}

bool tb_drive_compare_key(tb_driving *d, uint32_t key)
{
    const tb_oracle_timer *t = tb_oracle_find_key(d->oracle, key);
    bool pending = tb_timers_is_pending_key(d->set, key), precise = tb_timers_is_precise_key(d->set, key);
    if (pending != (t != NULL))
        return name_differs(d, "is_pending_key", "key", &key, pending);
    if (precise != (t && t->precise))
        return name_differs(d, "is_precise_key", "key", &key, precise);
    if (t)
        return true;
    if (key < d->ops->keys)
        d->coverage->stale_names++;
    else
        d->coverage->garbage_names++;
    return !tb_timers_cancel_key(d->set, key) || name_differs(d, "cancel_key", "key", &key, true);
}

/* An id that was never given, made from one that was. */
static bool compare_garbage(tb_driving *d, uint64_t bits)
{
    if (tb_int_map_find(&d->given[bits >> 63], (int64_t)(bits & INT64_MAX)))
        return true;
    d->coverage->garbage_names++;
    return compare_dead_id(d, (tb_timer_id){bits}, "an id that was never given", NULL);
}

static bool compare_garbage_ids(tb_driving *d, uint64_t bits)
{
    uint64_t r = random_next(d);
    const uint64_t garbage[] = {0, bits + (UINT64_C(1) << 32), bits - (UINT64_C(1) << 32), bits & UINT32_MAX, bits ^ 1,
                                bits ^ UINT64_C(0x80000000), ~UINT64_C(0), bits ^ UINT64_C(1) << (r & 63), r};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        if (!compare_garbage(d, garbage[i]))
            return false;
    return true;
}

/* All names while there are few; of many, some in turn and some at random. So a small program shows what it shows whatever was
   left out of a larger one. */
static bool compare_ids(tb_driving *d)
{
    enum { few = 10, in_turn = 2 };
    size_t count = d->named_count - 1, looks = count <= few ? count : in_turn;
    for (size_t i = 0; i < looks; i++) {
        d->probed = d->probed % count + 1;
        if (!compare_name(d, d->probed))
            return false;
    }
    if (count > few && !compare_name(d, random_next(d) % count + 1))
        return false;
    return d->at % 4 != 0 || compare_garbage_ids(d, count ? d->named[d->probed].id.bits : 0);
}

static bool compare_keys(tb_driving *d)
{
    uint32_t keys = d->ops->keys;
    const uint32_t asked[] = {(uint32_t)(d->at % keys), (uint32_t)(random_next(d) % keys), (uint32_t)(random_next(d) % 8),
                              keys - 1, keys, UINT32_MAX};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!tb_drive_compare_key(d, asked[i]))
            return false;
    return true;
}

static bool compare_named(tb_driving *d, uint32_t key)
{
    if (d->keyed)
        return tb_drive_compare_key(d, key);
    tb_oracle_name name;
    tb_drive_latest(d, key, &name);
    return name == 0 || compare_name(d, name);
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

bool tb_drive_compare(tb_driving *d, const tb_operation *named)
{
    /* Where many are pending, the oracle's looks through all of them cost more than the rest together; and the set's own check
       looks at every slot. */
    enum { few_pending = 128, many_pending = 1024, every = 16, seldom = 256, short_program = 64 };
    size_t pending;
    tb_oracle_timers(d->oracle, &pending);
    bool thorough = d->options->thorough || pending <= few_pending || d->at % every == 0;
    uint64_t asked;
    tb_drive_begin_call(d, 0, false, &asked);
    if (named && !compare_named(d, named->key))
        return false;
    if (thorough && (!compare_counts(d) || !compare_next(d)))
        return false;
    if (!compare_settings(d) || !(d->keyed ? compare_keys(d) : compare_ids(d)))
        return false;
    bool checks = d->ops->len <= short_program || d->at % (pending < many_pending ? every : seldom) == 0;
    const char *wrong = checks ? tb_timers_check(d->set) : NULL;
    if (wrong)
        return tb_drive_differs(d, TB_DIFFERS_INVARIANT, "is not in order: %s", wrong);
    return tb_drive_end_call(d, asked, false, "what only looks");
}
