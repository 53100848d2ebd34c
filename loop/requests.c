/* requests.c: a hold on one operation that another thread may have: it posts a cancel to the loop. */
#include <stdlib.h>

#include "loop/portable.h"

/* The message may be in the mailbox while the request is used or destroyed; `posted` and `dead` are under the mailbox's lock. */
struct tb_request {
    tb_message message;
    tb_waker *box;
    tb_op_id id;
    bool posted, arrived, dead;
};

static tb_request *of(tb_message *message) { return (tb_request *)(void *)message; }

tb_request *tb_loop_request(tb_loop *loop, tb_op_id id)
{
    tb_request *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->message.kind = TB_MAIL_REQUEST;
    q->box = tb_mailbox_hold(loop->mailbox);
    q->id = id;
    return q;
}

tb_op_id tb_request_id(const tb_request *q) { return q->id; }

static void free_request(tb_request *q)
{
    tb_waker_release(q->box);
    free(q);
}

/* One message carries every cancel that is asked for before the loop takes it up, and after that the id names nothing. */
static bool post_locked(tb_request *q)
{
    if (q->box->closed)
        return false;
    if (!q->posted)
        q->posted = tb_mailbox_post_locked(q->box, &q->message);
    return true;
}

bool tb_request_cancel(tb_request *q)
{
    tb_mutex_lock(&q->box->lock);
    bool there = post_locked(q);
    tb_mutex_unlock(&q->box->lock);
    return there;
}

static void end(tb_request *q, bool cancel)
{
    if (!q)
        return;
    tb_mutex_lock(&q->box->lock);
    if (cancel)
        post_locked(q);
    q->dead = true;
    bool on_its_way = q->posted && !q->arrived;
    tb_mutex_unlock(&q->box->lock);
    if (!on_its_way)
        free_request(q);
}

void tb_request_destroy(tb_request *q) { end(q, true); }
void tb_request_detach(tb_request *q) { end(q, false); }

static void arrive(tb_request *q)
{
    tb_mutex_lock(&q->box->lock);
    q->arrived = true;
    bool dead = q->dead;
    tb_mutex_unlock(&q->box->lock);
    if (dead)
        free_request(q);
}

void tb_request_arrived(tb_loop *loop, tb_message *message)
{
    tb_request *q = of(message);
    loop->stats.remote_cancels++;
    tb_loop_cancel(loop, q->id);
    arrive(q);
}

void tb_request_drop_message(tb_message *message) { arrive(of(message)); }
