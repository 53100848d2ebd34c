/* completers.c: operations that something outside the loop carries out, and ends from any thread.

   A completer is held by its operation's record and by the caller. Its state is under the lock of the loop's mailbox, so that
   an ending and the loop's going cannot pass each other. */
#include <stdlib.h>

#include "loop/portable.h"

struct tb_completer {
    tb_message message;
    atomic_size_t holds;
    tb_waker *box;
    tb_op_id id;
    uint32_t index; /* of the record */
    bool ended;
    atomic_bool cancel_requested;
    tb_buffer *buffer; /* until it ends */
    tb_result result;
};

static tb_completer *of(tb_message *message) { return (tb_completer *)(void *)message; }

void tb_completer_let_go(tb_completer *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->holds, 1, memory_order_acq_rel) > 1)
        return;
    tb_buffer_release(c->buffer);
    tb_waker_release(c->box);
    free(c);
}

static tb_completer *make(tb_loop *loop)
{
    tb_completer *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->message.kind = TB_MAIL_COMPLETER;
    atomic_init(&c->holds, 2);
    atomic_init(&c->cancel_requested, false);
    c->box = tb_mailbox_hold(loop->mailbox);
    return c;
}

tb_completer *tb_loop_external_in(tb_loop *loop, tb_target to, tb_buffer **buffer, tb_group *group, tb_instant deadline)
{
    tb_op op = tb_op_on(TB_OP_EXTERNAL, tb_handle_none(), buffer);
    tb_completer *c = make(loop);
    if (!c) {
        tb_buffer_release(op.buffer);
        tb_target_refuse(to);
        return NULL;
    }
    tb_instant shared = group ? tb_group_deadline(group) : tb_instant_forever();
    tb_instant at = tb_instant_lt(shared, deadline) ? shared : deadline;
    tb_record *r = tb_submit_record(loop, op, to, group, at, 0);
    if (!r) {
        tb_completer_let_go(c);
        tb_completer_let_go(c);
        return NULL;
    }
    c->id = tb_record_id(r);
    c->index = r->index;
    r->completer = c;
    tb_submit_external(loop, r, at);
    if (r->state == TB_STARTED) { /* the buffer goes with the completer */
        c->buffer = r->op.buffer;
        r->op.buffer = NULL;
    } else {
        c->ended = true;
    }
    return c;
}

tb_completer *tb_loop_external(tb_loop *loop, tb_target to, tb_buffer **buffer)
{
    return tb_loop_external_in(loop, to, buffer, NULL, tb_instant_forever());
}

tb_op_id tb_completer_id(const tb_completer *c) { return c->id; }

/* ---- ending, from any thread --------------------------------------------------------------------------------------- */

static bool end(tb_completer *c, tb_result result)
{
    tb_mutex_lock(&c->box->lock);
    bool first = !c->ended, there = false;
    tb_buffer *homeless = NULL;
    if (first) {
        c->ended = true;
        c->result = result;
        /* Before the post: the loop may have the message, and the buffer in it, as soon as the lock is let go. */
        there = tb_mailbox_post_locked(c->box, &c->message);
        if (there)
            atomic_fetch_add_explicit(&c->holds, 1, memory_order_relaxed);
        else {
            homeless = c->buffer;
            c->buffer = NULL;
        }
    }
    tb_mutex_unlock(&c->box->lock);
    tb_buffer_release(homeless);
    return there;
}

bool tb_completer_done(tb_completer *c, size_t n) { return end(c, tb_result_done(n)); }
bool tb_completer_fail(tb_completer *c, tb_loop_error code, int os_error) { return end(c, tb_result_failed(code, os_error)); }
bool tb_completer_cancelled(tb_completer *c) { return end(c, tb_result_aborted(0)); }

void tb_completer_destroy(tb_completer *c)
{
    if (!c)
        return;
    end(c, tb_result_failed(TB_ECANCELED, 0));
    tb_completer_let_go(c);
}

tb_buffer *tb_completer_buffer(tb_completer *c)
{
    tb_mutex_lock(&c->box->lock);
    tb_buffer *buffer = c->ended ? NULL : c->buffer;
    tb_mutex_unlock(&c->box->lock);
    return buffer;
}

bool tb_completer_is_live(tb_completer *c)
{
    tb_mutex_lock(&c->box->lock);
    bool live = !c->ended && !c->box->closed;
    tb_mutex_unlock(&c->box->lock);
    return live;
}

bool tb_completer_is_cancel_requested(tb_completer *c)
{
    return atomic_load_explicit(&c->cancel_requested, memory_order_acquire);
}

/* ---- on the loop's thread -------------------------------------------------------------------------------------------- */

void tb_completer_ask(tb_completer *c) { atomic_store_explicit(&c->cancel_requested, true, memory_order_release); }

void tb_completer_returned(tb_loop *loop, tb_message *message)
{
    tb_completer *c = of(message);
    tb_record *r = tb_record_at(loop, c->index);
    r->op.buffer = c->buffer;
    c->buffer = NULL;
    tb_result result = c->result;
    /* A completer that says cancelled without having been asked to ends as if it had been. */
    if (result.aborted && !r->asked) {
        result.aborted = false;
        result.outcome = TB_CANCELLED;
    }
    tb_returned(loop, r, result);
    tb_completer_let_go(c);
}
