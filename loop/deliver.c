/* deliver.c: handing decided answers to their targets, in the order they were decided. */
#include <errno.h>
#include <stdlib.h>

#include "loop/portable.h"

/* ---- holding what a target names ----------------------------------------------------------------------------------- */

bool tb_target_accept(tb_record *r, tb_target to)
{
    if (to.kind == TB_TARGET_POST || to.kind == TB_TARGET_CHANNEL) {
        r->parcel = calloc(1, sizeof *r->parcel);
        if (!r->parcel)
            return false;
        r->parcel->message.kind = TB_MAIL_PARCEL;
    }
    r->to = to;
    switch (to.kind) {
    case TB_TARGET_HERE:
    case TB_TARGET_HOOK:
        break;
    case TB_TARGET_POST:
        tb_mailbox_hold(to.object);
        break;
    case TB_TARGET_CHANNEL:
        tb_channel_hold(to.object);
        break;
    case TB_TARGET_ONCE:
        tb_once_hold(to.object);
        break;
    case TB_TARGET_STATUS:
        tb_board_arm(to.object, to.slot);
        break;
    }
    return true;
}

void tb_target_refuse(tb_target to)
{
    if (to.kind == TB_TARGET_HOOK)
        tb_hook_destroy(to.object);
}

static void let_go(tb_target to)
{
    switch (to.kind) {
    case TB_TARGET_HERE:
    case TB_TARGET_HOOK:
        break;
    case TB_TARGET_POST:
        tb_waker_release(to.object);
        break;
    case TB_TARGET_CHANNEL:
        tb_channel_release(to.object);
        break;
    case TB_TARGET_ONCE:
        tb_once_release(to.object);
        break;
    case TB_TARGET_STATUS:
        tb_board_release(to.object);
        break;
    }
}

/* ---- one answer -------------------------------------------------------------------------------------------------- */

static tb_completion answer_of(const tb_loop *loop, const tb_record *r)
{
    return (tb_completion){
        .id = tb_record_id(r),
        .token = r->to.token,
        .outcome = r->result.outcome,
        .code = r->result.outcome == TB_FAILED ? r->result.code : TB_EOK,
        .os_error = r->result.outcome == TB_FAILED ? r->result.os_error : 0,
        .n = r->prompt ? 0 : r->result.n,
        .buffer = r->prompt ? NULL : r->op.buffer,
        .handle = r->prompt ? tb_handle_none() : r->result.handle,
        .submitted = r->submitted,
        .dequeued = r->dequeued,
        .delivered = loop->now,
    };
}

static void drop(tb_loop *loop, tb_completion *answer)
{
    loop->stats.dropped++;
    tb_buffer_release(answer->buffer);
    tb_loop_close(loop, answer->handle);
}

/* The record of an answer that has gone: free, or what its owner still has. */
static void close_record(tb_loop *loop, tb_record *r)
{
    let_go(r->to);
    r->to = tb_here(0);
    if (!r->prompt) {
        r->op.buffer = NULL;
        tb_record_give(loop, r);
        return;
    }
    r->prompt = false;
    r->state = TB_ABANDONED;
}

static void count(tb_loop *loop, const tb_record *r)
{
    loop->stats.delivered++;
    loop->stats.prompt_timeouts += r->prompt;
}

/* To any target but the loop's own poll. false: a channel is full. */
static bool hand_over(tb_loop *loop, tb_record *r)
{
    tb_completion answer = answer_of(loop, r);
    bool full = false, there = true;
    if (r->parcel)
        r->parcel->answer = answer;
    switch (r->to.kind) {
    case TB_TARGET_HERE:
        break;
    case TB_TARGET_POST:
        there = tb_mailbox_post(r->to.object, &r->parcel->message);
        break;
    case TB_TARGET_CHANNEL:
        there = tb_channel_put(r->to.object, r->parcel, &full);
        break;
    case TB_TARGET_ONCE:
        there = tb_once_put(r->to.object, &answer);
        break;
    case TB_TARGET_STATUS:
        there = tb_board_put(r->to.object, r->to.slot, &answer);
        break;
    case TB_TARGET_HOOK:
        tb_hook_deliver(r->to.object, &answer);
        break;
    }
    if (full)
        return false;
    if (!there)
        drop(loop, &answer);
    else
        r->parcel = NULL; /* the receiver's now */
    return true;
}

/* ---- full channels ------------------------------------------------------------------------------------------------- */

static tb_held_channel *held_of(tb_loop *loop, const tb_channel *channel)
{
    tb_held_channel *held = loop->held;
    while (held && held->channel != channel)
        held = held->next;
    return held;
}

/* false: out of memory. */
static bool hold_back(tb_loop *loop, tb_record *r)
{
    tb_held_channel *held = held_of(loop, r->to.object);
    if (!held) {
        held = calloc(1, sizeof *held);
        if (!held)
            return false;
        held->channel = r->to.object;
        held->last = &held->first;
        held->next = loop->held;
        loop->held = held;
    }
    r->state = TB_HELD;
    r->next_answer = NULL;
    *held->last = r;
    held->last = &r->next_answer;
    return true;
}

void tb_retry_held(tb_loop *loop)
{
    for (tb_held_channel **at = &loop->held, *held; (held = *at);) {
        while (held->first && hand_over(loop, held->first)) {
            tb_record *r = held->first;
            held->first = r->next_answer;
            close_record(loop, r);
        }
        if (held->first) {
            at = &held->next;
        } else {
            *at = held->next;
            free(held);
        }
    }
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static tb_completion *room(tb_completions *out)
{
    if (out->len == out->cap) {
        size_t cap = out->cap ? 2 * out->cap : 16;
        tb_completion *items = realloc(out->items, cap * sizeof *items);
        if (!items) {
            errno = ENOMEM;
            return NULL;
        }
        out->items = items;
        out->cap = cap;
    }
    return &out->items[out->len];
}

static size_t flush_parcels(tb_loop *loop, tb_completions *out)
{
    size_t n = 0;
    for (tb_completion *place; loop->parcels && (place = room(out)); n++) {
        tb_parcel *parcel = (tb_parcel *)(void *)loop->parcels;
        loop->parcels = parcel->message.next;
        *place = parcel->answer;
        out->len++;
        free(parcel);
    }
    if (!loop->parcels)
        loop->last_parcel = &loop->parcels;
    return n;
}

static void pop(tb_loop *loop)
{
    loop->first_answer = loop->first_answer->next_answer;
    if (!loop->first_answer)
        loop->last_answer = NULL;
}

/* Only what is decided by now: a hook may decide more, which is for the next pass. */
size_t tb_flush(tb_loop *loop, tb_completions *out)
{
    size_t n = flush_parcels(loop, out);
    const tb_record *last = loop->last_answer;
    for (tb_record *r = loop->first_answer; r; n++) {
        bool is_last = r == last;
        if (r->to.kind == TB_TARGET_HERE) {
            tb_completion *place = room(out);
            if (!place)
                break;
            pop(loop);
            *place = answer_of(loop, r);
            out->len++;
            count(loop, r);
            close_record(loop, r);
        } else if (r->to.kind == TB_TARGET_CHANNEL && held_of(loop, r->to.object)) {
            pop(loop);
            hold_back(loop, r); /* finds its place: no memory is needed */
            count(loop, r);
        } else {
            pop(loop);
            count(loop, r);
            if (hand_over(loop, r)) {
                close_record(loop, r);
            } else if (!hold_back(loop, r)) {
                tb_completion answer = answer_of(loop, r);
                drop(loop, &answer);
                close_record(loop, r);
            }
        }
        if (is_last) {
            n++;
            break;
        }
        r = loop->first_answer;
    }
    return n;
}

/* The loop goes: answers for its own poll have no taker. */
void tb_deliver_last(tb_loop *loop)
{
    tb_retry_held(loop);
    for (tb_record *r; (r = loop->first_answer);) {
        pop(loop);
        count(loop, r);
        bool waits = r->to.kind == TB_TARGET_CHANNEL && held_of(loop, r->to.object);
        if (r->to.kind == TB_TARGET_HERE || waits || !hand_over(loop, r)) {
            tb_completion answer = answer_of(loop, r);
            drop(loop, &answer);
        }
        close_record(loop, r);
    }
    for (tb_held_channel *held; (held = loop->held);) {
        loop->held = held->next;
        for (tb_record *r; (r = held->first);) {
            held->first = r->next_answer;
            tb_completion answer = answer_of(loop, r);
            drop(loop, &answer);
            close_record(loop, r);
        }
        free(held);
    }
}

void tb_completions_clear(tb_completions *list)
{
    for (size_t i = 0; i < list->len; i++)
        tb_buffer_release(list->items[i].buffer);
    list->len = 0;
}

void tb_completions_free(tb_completions *list)
{
    tb_completions_clear(list);
    free(list->items);
    *list = (tb_completions){0};
}
