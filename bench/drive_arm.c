/* drive_arm.c: arming, rearming and cancelling beside the oracle. */
#include "bench/drive_state.h"

#include <errno.h>
#include <stdlib.h>

/* ---- arming by id ---------------------------------------------------------------------------------------------------- */

static tb_arm arm_of(const tb_driving *d, const tb_operation *op)
{
    tb_arm arm = {.at = tb_instant_from_nanos(op->at), .token = tb_drive_token(d, op->key), .kind = TB_ARM_TIMEOUT};
    if (op->precise) {
        arm.kind = TB_ARM_PRECISE;
    } else if (op->repeats) {
        arm.kind = TB_ARM_REPEATING;
        arm.period = tb_duration_from_nanos(op->period);
        arm.policy = (tb_repeat)op->policy;
    } else if (op->has_lane) {
        arm.lane = op->lane;
    }
    return arm;
}

static tb_timer_id insert(tb_timers *set, const tb_operation *op, const tb_arm *arm)
{
    switch (arm->kind) {
    case TB_ARM_PRECISE:
        return tb_timers_insert_precise(set, arm->at, arm->token);
    case TB_ARM_REPEATING:
        return tb_timers_insert_repeating(set, arm->at, arm->period, arm->policy, arm->token);
    case TB_ARM_TIMEOUT:
        break;
    }
    return op->has_lane ? tb_timers_insert_in(set, arm->lane, arm->at, arm->token)
                        : tb_timers_insert(set, arm->at, arm->token);
}

static const char *what_of(const tb_operation *op)
{
    return op->batch ? "the batch" : "the timer";
}

/* Compares the answer of an arming call, which armed or did not, with the oracle's. */
static bool compare_answer(tb_driving *d, const tb_operation *op, bool armed, bool expected, int error)
{
    if (armed != expected && expected)
        return tb_drive_differs(d, TB_DIFFERS_RETURN, "refuses %s of key %u (errno %s), expected it armed", what_of(op), op->key,
                                tb_drive_errno(d->error));
    if (armed != expected)
        return tb_drive_differs(d, TB_DIFFERS_RETURN, "arms %s of key %u, expected a refusal with errno %s", what_of(op), op->key,
                                tb_drive_errno(error));
    if (!armed && d->error != error)
        return tb_drive_differs(d, TB_DIFFERS_ERRNO, "refuses %s of key %u with errno %s, expected %s", what_of(op), op->key,
                                tb_drive_errno(d->error), tb_drive_errno(error));
    d->coverage->refused_limit += error == ENOBUFS;
    d->coverage->refused_key += error == ERANGE;
    d->coverage->refused_period += error == EINVAL;
    return true;
}

/* How many are pending for the same deadline, looked for while that is cheap. */
static void count_equal(tb_driving *d, int64_t at)
{
    enum { few = 64 };
    size_t count;
    const tb_oracle_timer *timers = tb_oracle_timers(d->oracle, &count);
    for (size_t i = 0; i < count && count <= few; i++)
        if (timers[i].deadline == at) {
            d->coverage->equal_deadlines++;
            return;
        }
}

/* A call that armed nothing for want of memory changed nothing; the oracle is not told of it. */
static bool wanted_memory(tb_driving *d, const tb_operation *op)
{
    if (op->batch)
        d->coverage->failed_batches++;
    else
        d->coverage->failed_arms++;
    return true;
}

bool tb_drive_arm(tb_driving *d, const tb_operation *ops, size_t n)
{
    tb_arm one_arm, *arms = &one_arm;
    tb_timer_id one_id = TB_TIMER_NONE, *ids = &one_id;
    tb_oracle_name one_name, *names = &one_name;
    bool many = ops->batch != 0, done = false;
    if (many) {
        arms = calloc(n, sizeof *arms);
        ids = calloc(n, sizeof *ids);
        names = calloc(n, sizeof *names);
        if (!arms || !ids || !names) {
            tb_drive_no_memory(d);
            goto out;
        }
    }
    for (size_t i = 0; i < n; i++) {
        arms[i] = arm_of(d, &ops[i]);
        count_equal(d, ops[i].at);
    }
    uint64_t asked;
    tb_drive_begin_call(d, ops->fail, ops->onward, &asked);
    bool armed;
    if (many) {
        armed = tb_timers_insert_many(d->set, arms, n, ids);
    } else {
        one_id = insert(d->set, ops, arms);
        armed = !tb_timer_is_none(one_id);
    }
    if (!tb_drive_end_call(d, asked, true, "arming"))
        goto out;
    if (!armed && tb_drive_wanted_memory(d)) {
        done = wanted_memory(d, ops);
        goto out;
    }
    d->coverage->survived += d->failed;
    int error;
    bool expected = tb_oracle_insert(d->oracle, arms, n, names, &error);
    done = compare_answer(d, ops, armed, expected, error);
    d->coverage->batches_armed += many && armed;
    for (size_t i = 0; done && armed && i < n; i++) {
        done = tb_drive_note_id(d, names[i], ids[i], ops[i].key);
        tb_drive_note_armed(d, tb_oracle_find(d->oracle, names[i]));
    }
out:
    if (many) {
        free(arms);
        free(ids);
        free(names);
    }
    return done;
}

/* ---- arming by key --------------------------------------------------------------------------------------------------- */

static bool arm_key(tb_timers *set, const tb_operation *op)
{
    tb_instant at = tb_instant_from_nanos(op->at);
    return op->has_lane ? tb_timers_arm_key_in(set, op->lane, op->key, at) : tb_timers_arm_key(set, op->key, at);
}

/* What a timer was before it is moved, for the coverage. */
static void note_move(tb_driving *d, const tb_oracle_timer *before, const tb_oracle_timer *after)
{
    tb_coverage *c = d->coverage;
    c->rearmed++;
    c->rearmed_left_over += before->left_over;
    c->rearmed_repeating += before->period > 0;
    c->rearmed_to_precise += before->precise != after->precise;
    c->changed_lane += before->lane != after->lane;
}

bool tb_drive_arm_key(tb_driving *d, const tb_operation *op)
{
    const tb_oracle_timer *pending = tb_oracle_find_key(d->oracle, op->key);
    tb_oracle_timer before = pending ? *pending : (tb_oracle_timer){0};
    bool moves = pending != NULL;
    count_equal(d, op->at);
    uint64_t asked;
    tb_drive_begin_call(d, op->fail, op->onward, &asked);
    bool armed = arm_key(d->set, op);
    if (!tb_drive_end_call(d, asked, !moves, "arm_key of a pending key"))
        return false;
    if (!armed && tb_drive_wanted_memory(d))
        return wanted_memory(d, op);
    d->coverage->survived += d->failed;
    int error;
    bool expected = tb_oracle_arm_key(d->oracle, op->key, op->has_lane ? op->lane : TB_LANES, op->at, &error);
    if (tb_oracle_out_of_memory(d->oracle))
        return tb_drive_no_memory(d);
    if (!compare_answer(d, op, armed, expected, error))
        return false;
    if (!armed)
        return true;
    const tb_oracle_timer *after = tb_oracle_find_key(d->oracle, op->key);
    if (moves)
        note_move(d, &before, after);
    tb_drive_note_armed(d, after);
    return true;
}

/* ---- rearming and cancelling ----------------------------------------------------------------------------------------- */

static bool says(tb_driving *d, const char *call, uint32_t key, bool got, bool expected)
{
    return got == expected || tb_drive_differs(d, TB_DIFFERS_RETURN, "answers %s to %s of key %u, expected %s",
                                               got ? "true" : "false", call, key, expected ? "true" : "false");
}

/* A keyed set rearms what is pending by arm_key, and there is nothing to call for what is not. */
static bool rearm_key(tb_driving *d, const tb_operation *op)
{
    tb_operation arm = *op;
    arm.kind = TB_OPS_ARM;
    if (tb_oracle_find_key(d->oracle, op->key))
        return tb_drive_arm_key(d, &arm);
    d->coverage->stale_rearms++;
    return true;
}

bool tb_drive_rearm(tb_driving *d, const tb_operation *op)
{
    if (d->keyed)
        return rearm_key(d, op);
    tb_oracle_name name;
    tb_timer_id id = tb_drive_latest(d, op->key, &name);
    const tb_oracle_timer *pending = tb_oracle_find(d->oracle, name);
    tb_oracle_timer before = pending ? *pending : (tb_oracle_timer){0};
    count_equal(d, op->at);
    uint64_t asked;
    tb_drive_begin_call(d, op->fail, op->onward, &asked);
    bool moved = tb_timers_rearm(d->set, id, tb_instant_from_nanos(op->at));
    if (!tb_drive_end_call(d, asked, false, "rearm"))
        return false;
    if (!says(d, "rearm", op->key, moved, tb_oracle_rearm(d->oracle, name, op->at)))
        return false;
    if (!moved) {
        d->coverage->stale_rearms++;
        return true;
    }
    const tb_oracle_timer *after = tb_oracle_find(d->oracle, name);
    note_move(d, &before, after);
    tb_drive_note_armed(d, after);
    return true;
}

static void note_cancel(tb_driving *d, const tb_oracle_timer *pending)
{
    if (!pending) {
        d->coverage->stale_cancels++;
        return;
    }
    d->coverage->cancelled++;
    d->coverage->cancelled_left_over += pending->left_over;
    d->coverage->cancelled_repeating += pending->period > 0;
}

static bool cancel_key(tb_driving *d, const tb_operation *op)
{
    const tb_oracle_timer *pending = tb_oracle_find_key(d->oracle, op->key);
    note_cancel(d, pending);
    uint64_t asked;
    tb_drive_begin_call(d, op->fail, op->onward, &asked);
    bool cancelled = tb_timers_cancel_key(d->set, op->key);
    return tb_drive_end_call(d, asked, false, "cancel") &&
           says(d, "cancel", op->key, cancelled, tb_oracle_cancel(d->oracle, pending ? pending->name : 0));
}

static bool cancel_batch(tb_driving *d, const tb_operation *ops, size_t n)
{
    tb_timer_id *ids = calloc(n, sizeof *ids);
    if (!ids)
        return tb_drive_no_memory(d);
    tb_oracle_name name;
    for (size_t i = 0; i < n; i++)
        ids[i] = tb_drive_latest(d, ops[i].key, &name);
    uint64_t asked;
    tb_drive_begin_call(d, ops->fail, ops->onward, &asked);
    size_t cancelled = tb_timers_cancel_many(d->set, ids, n), expected = 0;
    free(ids);
    if (!tb_drive_end_call(d, asked, false, "cancel_many"))
        return false;
    for (size_t i = 0; i < n; i++) {
        tb_drive_latest(d, ops[i].key, &name);
        note_cancel(d, tb_oracle_find(d->oracle, name));
        expected += tb_oracle_cancel(d->oracle, name);
    }
    d->coverage->batches_cancelled++;
    return cancelled == expected || tb_drive_differs(d, TB_DIFFERS_RETURN, "answers %zu to a batch of %zu cancels, expected %zu",
                                                     cancelled, n, expected);
}

bool tb_drive_cancel(tb_driving *d, const tb_operation *ops, size_t n)
{
    if (d->keyed)
        return cancel_key(d, ops);
    if (ops->batch)
        return cancel_batch(d, ops, n);
    tb_oracle_name name;
    tb_timer_id id = tb_drive_latest(d, ops->key, &name);
    note_cancel(d, tb_oracle_find(d->oracle, name));
    uint64_t asked;
    tb_drive_begin_call(d, ops->fail, ops->onward, &asked);
    bool cancelled = tb_timers_cancel(d->set, id);
    return tb_drive_end_call(d, asked, false, "cancel") &&
           says(d, "cancel", ops->key, cancelled, tb_oracle_cancel(d->oracle, name));
}

/* ---- slop ------------------------------------------------------------------------------------------------------------ */

bool tb_drive_slop(tb_driving *d, const tb_operation *op)
{
    size_t pending;
    tb_oracle_timers(d->oracle, &pending);
    d->coverage->slop_changes += pending > 0;
    uint64_t asked;
    tb_drive_begin_call(d, op->fail, op->onward, &asked);
    tb_timers_set_slop(d->set, op->lane, tb_duration_from_nanos(op->at));
    tb_oracle_set_slop(d->oracle, op->lane, op->at);
    return tb_drive_end_call(d, asked, false, "set_slop");
}
