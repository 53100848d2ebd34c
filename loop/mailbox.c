/* mailbox.c: posting to a loop from any thread, and waking it. */
#include "loop/mailbox.h"

#include <stdlib.h>

tb_waker *tb_mailbox_make(void (*ring)(void *), void *ctx)
{
    tb_waker *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    atomic_init(&box->holds, 1);
    tb_mutex_open(&box->lock);
    box->last = &box->first;
    box->ring = ring;
    box->ctx = ctx;
    return box;
}

void tb_waker_release(tb_waker *box)
{
    if (!box || atomic_fetch_sub_explicit(&box->holds, 1, memory_order_acq_rel) > 1)
        return;
    tb_mutex_close(&box->lock);
    free(box);
}

static void ring_locked(tb_waker *box)
{
    if (!box->signalled) {
        box->signalled = true;
        box->ring(box->ctx);
    }
}

bool tb_mailbox_post_locked(tb_waker *box, tb_message *message)
{
    if (box->closed)
        return false;
    message->next = NULL;
    *box->last = message;
    box->last = &message->next;
    ring_locked(box);
    return true;
}

bool tb_mailbox_post(tb_waker *box, tb_message *message)
{
    tb_mutex_lock(&box->lock);
    bool there = tb_mailbox_post_locked(box, message);
    tb_mutex_unlock(&box->lock);
    return there;
}

bool tb_mailbox_sweep(tb_waker *box)
{
    tb_mutex_lock(&box->lock);
    bool there = !box->closed;
    if (there) {
        box->sweep = true;
        ring_locked(box);
    }
    tb_mutex_unlock(&box->lock);
    return there;
}

bool tb_waker_wake(tb_waker *box)
{
    tb_mutex_lock(&box->lock);
    bool there = !box->closed;
    if (there) {
        box->wakes++;
        ring_locked(box);
    }
    tb_mutex_unlock(&box->lock);
    return there;
}

tb_mail tb_mailbox_take(tb_waker *box)
{
    tb_mutex_lock(&box->lock);
    tb_mail mail = {box->first, box->wakes, box->sweep};
    box->first = NULL;
    box->last = &box->first;
    box->wakes = 0;
    box->sweep = false;
    box->signalled = false;
    tb_mutex_unlock(&box->lock);
    return mail;
}

void tb_mailbox_close(tb_waker *box)
{
    tb_mutex_lock(&box->lock);
    box->closed = true;
    tb_mutex_unlock(&box->lock);
}

bool tb_mailbox_is_closed(tb_waker *box)
{
    tb_mutex_lock(&box->lock);
    bool closed = box->closed;
    tb_mutex_unlock(&box->lock);
    return closed;
}
