/* decide.c: the states of an operation: how it comes to be decided, and what a deadline, a cancel and its owner's return do. */
#include "loop/portable.h"

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void leave_groups(tb_loop *loop, tb_record *r)
{
    if (!r->group || r->state == TB_FREE)
        return;
    tb_record **from_before = r->in_groups.previous ? &r->in_groups.previous->in_groups.next : &loop->first_grouped;
    if (*from_before != r)
        return; /* it is in no list: refused at submit, or left already */
    *from_before = r->in_groups.next;
    if (r->in_groups.next)
        r->in_groups.next->in_groups.previous = r->in_groups.previous;
    else
        loop->last_grouped = r->in_groups.previous;
    r->in_groups = (tb_links){0};
}

static void enqueue_answer(tb_loop *loop, tb_record *r)
{
    r->next_answer = NULL;
    if (loop->last_answer)
        loop->last_answer->next_answer = r;
    else
        loop->first_answer = r;
    loop->last_answer = r;
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */

/* A tick or more away by the clock, which may be ahead of the set's time, it goes to the structure; else it is precise. */
bool tb_arm_record(tb_loop *loop, tb_record *r, tb_instant at, uint32_t lane, tb_instant now)
{
    tb_assert(lane < TB_LANES);
    if (tb_instant_lt(at, tb_instant_add(now, tb_tick())))
        r->timer = tb_timers_insert_precise(loop->timers, at, r->index);
    else
        r->timer = tb_timers_insert_in(loop->timers, lane, at, r->index);
    r->armed = !tb_timer_is_none(r->timer);
    return r->armed;
}

void tb_disarm(tb_loop *loop, tb_record *r)
{
    if (r->armed)
        tb_timers_cancel(loop->timers, r->timer);
    r->armed = false;
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

void tb_record_decide(tb_loop *loop, tb_record *r, tb_outcome outcome)
{
    tb_disarm(loop, r);
    leave_groups(loop, r);
    tb_handle_leave(loop, r);
    r->state = TB_DECIDED;
    r->result.outcome = outcome;
    r->dequeued = loop->now;
    enqueue_answer(loop, r);
}

static void decide_ended(tb_loop *loop, tb_record *r, tb_outcome outcome)
{
    r->result = (tb_result){.n = r->result.n};
    tb_record_decide(loop, r, outcome);
}

/* The grace is over: the answer goes without the buffer, unless the owner still comes before it is delivered. */
static void decide_promptly(tb_loop *loop, tb_record *r)
{
    r->prompt = true;
    decide_ended(loop, r, TB_TIMED_OUT);
}

void tb_ask(tb_loop *loop, tb_record *r, tb_outcome reason)
{
    if (r->asked)
        return;
    r->asked = true;
    r->asked_pass = loop->pass;
    r->reason = (uint8_t)reason;
    if (r->completer) {
        tb_completer_ask(r->completer);
    } else if (loop->backend->cancel(loop, r)) {
        loop->outside--;
        tb_buffer_regain(r->op.buffer);
        decide_ended(loop, r, reason);
    }
}

bool tb_cancel_record(tb_loop *loop, tb_record *r)
{
    if (r->state == TB_TIMER)
        decide_ended(loop, r, TB_CANCELLED);
    else
        tb_ask(loop, r, TB_CANCELLED);
    return true;
}

bool tb_loop_cancel(tb_loop *loop, tb_op_id id)
{
    tb_record *r = tb_record_find(loop, id);
    if (!r)
        return false;
    if (!r->ask_counted) {
        r->ask_counted = true;
        loop->stats.cancels_asked++;
    }
    if (!loop->polling)
        loop->now = loop->backend->now(loop);
    return tb_cancel_record(loop, r);
}

void tb_timer_fired(tb_loop *loop, tb_record *r)
{
    r->armed = false;
    if (r->state == TB_TIMER) {
        tb_lateness_add(&loop->lateness, tb_instant_since(loop->now, r->at).ns);
        decide_ended(loop, r, TB_DONE);
        return;
    }
    if (r->expired) {
        decide_promptly(loop, r);
        return;
    }
    r->expired = true;
    tb_ask(loop, r, TB_TIMED_OUT);
    if (r->state != TB_STARTED)
        return;
    if (loop->grace.ns <= 0) {
        decide_promptly(loop, r);
        return;
    }
    /* The grace counts from the asking, and is precise: a deadline is answered within a tick and the grace. */
    r->timer = tb_timers_insert_precise(loop->timers, tb_instant_add(loop->now, loop->grace), r->index);
    r->armed = !tb_timer_is_none(r->timer);
}

/* ---- returning --------------------------------------------------------------------------------------------------- */

/* Given back after its answer, or while that, without the buffer, waits for a full channel. */
static void finish_late(tb_loop *loop, tb_record *r, tb_result result)
{
    loop->stats.late_returns++;
    tb_buffer_release(r->op.buffer);
    r->op.buffer = NULL;
    r->prompt = false;
    tb_loop_close(loop, result.handle);
    if (r->state == TB_ABANDONED)
        tb_record_give(loop, r);
}

static void finish(tb_loop *loop, tb_record *r, tb_result result)
{
    if (!r->completer)
        loop->outside--;
    tb_buffer_regain(r->op.buffer);
    if (r->state == TB_ABANDONED || r->state == TB_HELD) {
        finish_late(loop, r, result);
        return;
    }
    tb_outcome outcome = result.outcome;
    if (result.aborted && r->asked) {
        outcome = (tb_outcome)r->reason;
    } else if (result.aborted) {
        outcome = TB_FAILED;
        result.code = TB_ECANCELED;
    }
    r->result = result;
    if (r->state == TB_DECIDED) { /* promptly, and not delivered yet: it keeps its place */
        r->prompt = false;
        r->result.outcome = outcome;
        r->dequeued = loop->now;
    } else {
        tb_record_decide(loop, r, outcome);
    }
}

/* What was asked to end in this pass is decided in the next, after its timers, however fast the backend is: so a completion
   port, which cannot know at once, and epoll, which could, answer in the same order. */
void tb_returned(tb_loop *loop, tb_record *r, tb_result result)
{
    if (!result.aborted || !r->asked || r->asked_pass != loop->pass || !loop->polling) {
        finish(loop, r, result);
        return;
    }
    r->result.n = result.n;
    r->early = true;
    r->next_early = NULL;
    *loop->last_early = r;
    loop->last_early = &r->next_early;
}

void tb_return_early_ones(tb_loop *loop)
{
    tb_record *r = loop->first_early;
    loop->first_early = NULL;
    loop->last_early = &loop->first_early;
    while (r) {
        tb_record *next = r->next_early;
        r->early = false;
        finish(loop, r, tb_result_aborted(r->result.n));
        r = next;
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

void tb_sweep_groups(tb_loop *loop)
{
    for (tb_record *r = loop->first_grouped, *next; r; r = next) {
        next = r->in_groups.next;
        if (r->swept || !tb_group_is_cancelled(r->group))
            continue;
        r->swept = true;
        loop->stats.group_cancels++;
        tb_cancel_record(loop, r);
    }
}
