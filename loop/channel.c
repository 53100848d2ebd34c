/* channel.c: a queue of answers between loops and threads that receive. Its nodes are the answers' own parcels. */
#include <stdlib.h>

#include "loop/portable.h"

struct tb_channel {
    atomic_size_t holds;
    tb_mutex lock;
    tb_condition changed;
    size_t len, capacity; /* capacity 0: no bound */
    bool closed;
    tb_message *first, **last;
};

tb_channel *tb_channel_make(size_t capacity)
{
    tb_channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    atomic_init(&c->holds, 1);
    tb_mutex_open(&c->lock);
    tb_condition_open(&c->changed);
    c->capacity = capacity;
    c->last = &c->first;
    return c;
}

void tb_channel_hold(tb_channel *c) { atomic_fetch_add_explicit(&c->holds, 1, memory_order_relaxed); }

static void drop_all(tb_message *first)
{
    for (tb_message *m = first, *next; m; m = next) {
        next = m->next;
        tb_parcel *parcel = (tb_parcel *)(void *)m;
        tb_buffer_release(parcel->answer.buffer);
        free(parcel);
    }
}

void tb_channel_release(tb_channel *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->holds, 1, memory_order_acq_rel) > 1)
        return;
    drop_all(c->first);
    tb_condition_close(&c->changed);
    tb_mutex_close(&c->lock);
    free(c);
}

bool tb_channel_put(tb_channel *c, tb_parcel *parcel, bool *full)
{
    tb_mutex_lock(&c->lock);
    bool open = !c->closed;
    *full = open && c->capacity && c->len == c->capacity;
    if (open && !*full) {
        parcel->message.next = NULL;
        *c->last = &parcel->message;
        c->last = &parcel->message.next;
        c->len++;
        tb_condition_one(&c->changed);
    }
    tb_mutex_unlock(&c->lock);
    return open;
}

bool tb_channel_receive(tb_channel *c, tb_instant until, tb_completion *out)
{
    tb_mutex_lock(&c->lock);
    while (!c->first && !c->closed && tb_instant_lt(tb_instant_now(), until))
        tb_condition_wait(&c->changed, &c->lock, until);
    tb_parcel *parcel = (tb_parcel *)(void *)c->first;
    if (parcel) {
        c->first = parcel->message.next;
        if (!c->first)
            c->last = &c->first;
        c->len--;
    }
    tb_mutex_unlock(&c->lock);
    if (!parcel)
        return false;
    *out = parcel->answer;
    free(parcel);
    return true;
}

void tb_channel_close(tb_channel *c)
{
    tb_mutex_lock(&c->lock);
    c->closed = true;
    tb_message *first = c->first;
    c->first = NULL;
    c->last = &c->first;
    c->len = 0;
    tb_condition_all(&c->changed);
    tb_mutex_unlock(&c->lock);
    drop_all(first);
}
