/* mailbox.h: the one way into a loop from other threads. It outlives its loop: whoever holds it learns that the loop is gone.

   A tb_waker is a hold on a mailbox. Messages are part of what they are about (a job, a completer, a request, an answer of
   another loop), so that posting needs no memory. */
#ifndef LOOP_MAILBOX_H
#define LOOP_MAILBOX_H

#include <stdatomic.h>

#include <timerbench/loop.h>

#include "loop/threads.h"

typedef enum tb_mail_kind { TB_MAIL_JOB, TB_MAIL_COMPLETER, TB_MAIL_REQUEST, TB_MAIL_PARCEL } tb_mail_kind;

typedef struct tb_message tb_message;
struct tb_message {
    tb_message *next;
    tb_mail_kind kind;
};

struct tb_waker {
    atomic_size_t holds;
    tb_mutex lock;
    bool closed;    /* the loop is gone */
    bool signalled; /* the backend has been woken since the loop last looked */
    bool sweep;     /* a group was cancelled */
    uint64_t wakes; /* by tb_waker_wake */
    tb_message *first, **last;
    void (*ring)(void *ctx); /* wakes the backend; under the lock, so never after closing */
    void *ctx;
};

/* What a loop takes out at once. */
typedef struct tb_mail {
    tb_message *first;
    uint64_t wakes;
    bool sweep;
} tb_mail;

tb_waker *tb_mailbox_make(void (*ring)(void *), void *ctx);
static inline tb_waker *tb_mailbox_hold(tb_waker *box)
{
    atomic_fetch_add_explicit(&box->holds, 1, memory_order_relaxed);
    return box;
}

/* With the lock held; post says whether the loop still is. */
bool tb_mailbox_post_locked(tb_waker *box, tb_message *message);
bool tb_mailbox_post(tb_waker *box, tb_message *message);
bool tb_mailbox_sweep(tb_waker *box);

tb_mail tb_mailbox_take(tb_waker *box);
/* The loop goes: nothing is posted from now on. */
void tb_mailbox_close(tb_waker *box);
bool tb_mailbox_is_closed(tb_waker *box);

/* An answer on its way out of its loop. Made when the operation is submitted, so that delivering cannot fail. */
typedef struct tb_parcel {
    tb_message message;
    tb_completion answer;
} tb_parcel;

#endif
