/* drive.c: a program beside the oracle, call by call. */
#include "bench/drive.h"

#include "bench/drive_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- one call -------------------------------------------------------------------------------------------------------- */

void tb_drive_begin_call(tb_driving *d, uint32_t fail, bool onward, uint64_t *asked)
{
    *asked = d->memory.asked;
    tb_counted_memory_fail(&d->memory, fail, onward);
    errno = 0;
}

bool tb_drive_end_call(tb_driving *d, uint64_t asked, bool may_ask, const char *what)
{
    d->error = errno;
    d->failed = d->memory.failed;
    tb_counted_memory_fail(&d->memory, 0, false);
    if (d->memory.short_of) /* what the set makes of it is not what the program asked for */
        return tb_drive_no_memory(d);
    if (d->memory.wrong)
        return tb_drive_differs(d, TB_DIFFERS_MEMORY, "%s", d->memory.wrong);
    if (!may_ask && d->memory.asked != asked)
        return tb_drive_differs(d, TB_DIFFERS_MEMORY, "asks for memory in %s, expected none", what);
    return true;
}

bool tb_drive_wanted_memory(const tb_driving *d) { return d->failed && d->error == ENOMEM; }

bool tb_drive_no_memory(tb_driving *d)
{
    d->verdict = TB_DRIVE_NO_MEMORY;
    return false;
}

/* ---- names ----------------------------------------------------------------------------------------------------------- */

bool tb_drive_note_id(tb_driving *d, tb_oracle_name name, tb_timer_id id, uint32_t key)
{
    if (tb_timer_is_none(id))
        return tb_drive_differs(d, TB_DIFFERS_ID, "arms key %u under the id none", key);
    tb_int_map *given = &d->given[id.bits >> 63];
    int64_t bits = (int64_t)(id.bits & INT64_MAX);
    const int64_t *before = tb_int_map_find(given, bits);
    if (before)
        return tb_drive_differs(d, TB_DIFFERS_ID, "arms key %u under an id that named key %u before", key,
                                d->named[*before].key);
    if (name >= d->named_capacity) {
        size_t capacity = d->named_capacity ? d->named_capacity * 2 : 64;
        tb_drive_named *moved = realloc(d->named, capacity * sizeof *moved);
        if (!moved)
            return tb_drive_no_memory(d);
        d->named = moved;
        d->named_capacity = capacity;
    }
    d->named[name] = (tb_drive_named){id, key};
    d->named_count = name + 1;
    int64_t *given_name = tb_int_map_add(given, bits), *latest = tb_int_map_add(&d->latest, key);
    if (!given_name || !latest)
        return tb_drive_no_memory(d);
    *given_name = *latest = (int64_t)name;
    return true;
}

tb_timer_id tb_drive_latest(const tb_driving *d, uint32_t key, tb_oracle_name *name)
{
    const int64_t *latest = tb_int_map_find(&d->latest, key);
    *name = latest ? (tb_oracle_name)*latest : 0;
    return latest ? d->named[*latest].id : TB_TIMER_NONE;
}

/* ---- making and ending ----------------------------------------------------------------------------------------------- */

static bool make_set(tb_driving *d)
{
    tb_timers_options options = {.keys = d->ops->keys, .limit = (size_t)d->ops->limit, .allocator = &d->allocator};
    tb_instant start = tb_instant_from_nanos(d->ops->start);
    if (d->ops->fail_make && d->options->transcript)
        tb_ops_write_head(d->ops, d->options->transcript);
    for (uint32_t fail = d->ops->fail_make;; fail = 0) {
        uint64_t asked;
        tb_drive_begin_call(d, fail, d->ops->onward_make, &asked);
        d->set = tb_timers_make(d->options->impl, start, &options);
        if (!tb_drive_end_call(d, asked, true, "make"))
            return false;
        if (fail && d->options->transcript)
            tb_drive_tell_failure(d, d->set ? "got over it" : "refused for want of memory, and made again");
        if (d->set)
            return true;
        if (!tb_drive_wanted_memory(d))
            return tb_drive_differs(d, TB_DIFFERS_MAKE, "makes no set (errno %s), expected one", tb_drive_errno(d->error));
        if (d->memory.blocks > 0)
            return tb_drive_differs(d, TB_DIFFERS_MEMORY, "keeps memory of a set that could not be made");
        d->coverage->failed_makes++;
    }
}

static bool open_driving(tb_driving *d)
{
    const tb_ops *ops = d->ops;
    d->keyed = ops->keys > 0;
    d->structure = d->options->impl->structure;
    d->relaxed = (d->structure->traits & TB_RELAXED) != 0;
    d->allocator = tb_counted_allocator(&d->memory);
    d->out.allocator = &d->allocator;
    d->named_count = 1;
    d->oracle = tb_oracle_make(ops->start, ops->limit, ops->keys);
    d->coverage->programs++;
    d->coverage->keyed_programs += d->keyed;
    d->coverage->followed_programs += d->options->followed != NULL;
    d->coverage->odd_starts += ops->start < 0 || ops->start > INT64_MAX / 2;
    return d->oracle ? make_set(d) : tb_drive_no_memory(d);
}

static void close_driving(tb_driving *d)
{
    tb_timers_destroy(d->set);
    tb_expiries_free(&d->out);
    if (d->verdict == TB_DRIVE_SAME && d->memory.blocks > 0)
        tb_drive_differs(d, TB_DIFFERS_MEMORY, "keeps %zu blocks of memory when it is destroyed", d->memory.blocks);
    if (d->verdict == TB_DRIVE_SAME && d->memory.wrong)
        tb_drive_differs(d, TB_DIFFERS_MEMORY, "%s", d->memory.wrong);
    tb_oracle_free(d->oracle);
    free(d->named);
    tb_int_map_free(&d->latest);
    tb_int_map_free(&d->given[0]);
    tb_int_map_free(&d->given[1]);
}

/* ---- the program ----------------------------------------------------------------------------------------------------- */

static bool dispatch(tb_driving *d, const tb_operation *ops, size_t n)
{
    switch ((tb_ops_kind)ops->kind) {
    case TB_OPS_SLOP:
        return tb_drive_slop(d, ops);
    case TB_OPS_ARM:
        return d->keyed ? tb_drive_arm_key(d, ops) : tb_drive_arm(d, ops, n);
    case TB_OPS_REARM:
        return tb_drive_rearm(d, ops);
    case TB_OPS_CANCEL:
        return tb_drive_cancel(d, ops, n);
    case TB_OPS_EXPIRED:
        return tb_drive_expired(d, ops);
    }
    return false;
}

/* One call: an operation, or a batch of n. */
static bool do_call(tb_driving *d, const tb_operation *ops, size_t n)
{
    const tb_coverage *c = d->coverage;
    uint64_t refused = c->failed_arms + c->failed_batches, survived = c->survived;
    d->coverage->operations += n;
    if (d->options->box)
        tb_black_box_call(d->options->box, ops, n);
    if (d->options->transcript)
        tb_drive_tell(d, ops, n);
    d->failed = false;
    bool done = dispatch(d, ops, n);
    if (done && ops->fail && d->options->transcript)
        tb_drive_tell_failure(d, c->failed_arms + c->failed_batches > refused ? "refused for want of memory"
                                 : c->survived > survived                     ? "got over it"
                                                                              : "cut short for want of memory");
    if (done && tb_oracle_out_of_memory(d->oracle))
        return tb_drive_no_memory(d);
    bool named = ops->kind == TB_OPS_ARM || ops->kind == TB_OPS_REARM || ops->kind == TB_OPS_CANCEL;
    return done && tb_drive_compare(d, named ? ops : NULL);
}

/* A call of a program that is followed: written down, then done. */
static bool do_followed(tb_driving *d, const tb_operation *ops, size_t n)
{
    tb_ops *followed = d->options->followed;
    d->at = followed->len;
    for (size_t i = 0; i < n; i++)
        if (!tb_ops_add(followed, &ops[i]))
            return tb_drive_no_memory(d);
    return do_call(d, ops, n);
}

/* The instant at which a follower calls next. */
static bool next_to_follow(const tb_driving *d, int64_t *at)
{
    if (d->structure->traits & (TB_NEXT_EXACT | TB_CASCADES | TB_RELAXED)) {
        tb_instant next;
        bool some = tb_timers_next_expiry(d->set, &next);
        *at = some ? next.ns : 0;
        return some;
    }
    int64_t precise, timeout;
    bool has_precise = tb_oracle_next_precise(d->oracle, &precise), has_timeout = tb_oracle_next_timeout(d->oracle, &timeout);
    *at = has_precise && (!has_timeout || precise < timeout) ? precise : has_timeout ? timeout : 0;
    return has_precise || has_timeout;
}

/* Calls expired at every instant before `until` that the follower is told. What is due without having been told (past precise
   timers) waits for the call at `until`; so does the rest of a repeating timer that is too quick to be followed. */
static bool follow_until(tb_driving *d, int64_t until)
{
    size_t calls = 0, pending;
    tb_oracle_timers(d->oracle, &pending);
    int64_t at;
    while (calls++ < 256 + 16 * pending && next_to_follow(d, &at) && at < until && at > tb_oracle_now(d->oracle)) {
        tb_operation call = {.kind = TB_OPS_EXPIRED, .at = at};
        if (!do_followed(d, &call, 1))
            return false;
    }
    return true;
}

static void run(tb_driving *d)
{
    const tb_ops *ops = d->ops;
    size_t n;
    for (size_t at = 0; at < ops->len; at += n) {
        const tb_operation *op = &ops->items[at];
        n = tb_ops_call_length(ops, at);
        d->at = at;
        if (!d->options->followed) {
            if (!do_call(d, op, n))
                return;
            continue;
        }
        if ((op->kind == TB_OPS_EXPIRED && !follow_until(d, op->at)) || !do_followed(d, op, n))
            return;
    }
    d->at = d->options->followed ? d->options->followed->len : ops->len;
    if (d->options->box)
        tb_black_box_end(d->options->box);
    const char *wrong = tb_timers_check(d->set);
    if (wrong)
        tb_drive_differs(d, TB_DIFFERS_INVARIANT, "is not in order: %s", wrong);
}

tb_drive_verdict tb_drive(const tb_ops *ops, const tb_drive_options *options, tb_difference *difference)
{
    tb_coverage unseen = {0};
    tb_driving d = {.ops = ops, .options = options, .difference = difference, .random = 0x243f6a8885a308d3u};
    d.coverage = options->coverage ? options->coverage : &unseen;
    if (options->followed) { /* the same set, no operations yet */
        tb_ops_free(options->followed);
        *options->followed = *ops;
        options->followed->items = NULL;
        options->followed->len = options->followed->capacity = 0;
    }
    if (options->box)
        tb_black_box_begin(options->box, ops);
    if (open_driving(&d))
        run(&d);
    close_driving(&d);
    return d.verdict;
}
