/* groups.c: cancel groups.

   Cancelling sets a flag, and then tells the loops on the group's list; a loop that submits enters the list first, of the
   group and of each ancestor up to a shield, and then reads the flags. Both go through the group's lock, so a cancel that
   races with a submit is either seen by it or told to its loop. Nothing is told to children: each loop walks its own records
   and asks the groups that those are in. */
#include <errno.h>
#include <stdlib.h>

#include "loop/portable.h"

struct tb_group {
    atomic_size_t holds;
    atomic_bool cancelled;
    tb_group *parent;
    bool shield;
    tb_instant deadline;
    uint64_t id;
    tb_mutex lock; /* of the list */
    tb_waker **loops;
    size_t count, cap;
};

static tb_group *make(tb_group *parent, bool shield, tb_instant deadline)
{
    static atomic_ullong last_id;
    tb_group *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    atomic_init(&g->holds, 1);
    atomic_init(&g->cancelled, false);
    tb_mutex_open(&g->lock);
    g->parent = parent ? tb_group_hold(parent) : NULL;
    g->shield = shield;
    g->deadline = parent && !shield && tb_instant_lt(parent->deadline, deadline) ? parent->deadline : deadline;
    g->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    return g;
}

tb_group *tb_group_make(void) { return make(NULL, false, tb_instant_forever()); }
tb_group *tb_group_until(tb_instant deadline) { return make(NULL, false, deadline); }
tb_group *tb_group_child(tb_group *parent) { return make(parent, false, tb_instant_forever()); }
tb_group *tb_group_child_until(tb_group *parent, tb_instant deadline) { return make(parent, false, deadline); }
tb_group *tb_group_shield(tb_group *parent, tb_instant deadline) { return make(parent, true, deadline); }

tb_group *tb_group_hold(tb_group *g)
{
    atomic_fetch_add_explicit(&g->holds, 1, memory_order_relaxed);
    return g;
}

void tb_group_release(tb_group *g)
{
    while (g && atomic_fetch_sub_explicit(&g->holds, 1, memory_order_acq_rel) == 1) {
        tb_group *parent = g->parent;
        for (size_t i = 0; i < g->count; i++)
            tb_waker_release(g->loops[i]);
        free(g->loops);
        tb_mutex_close(&g->lock);
        free(g);
        g = parent;
    }
}

/* ---- loops that it is used on ---------------------------------------------------------------------------------------- */

/* Loops that are gone leave the list when another comes, so it is no longer than the loops alive at once. */
static bool enter_one(tb_group *g, tb_waker *box)
{
    tb_mutex_lock(&g->lock);
    bool there = false;
    for (size_t i = 0; i < g->count && !there; i++)
        there = g->loops[i] == box;
    if (!there) {
        for (size_t i = 0; i < g->count;)
            if (tb_mailbox_is_closed(g->loops[i])) {
                tb_waker_release(g->loops[i]);
                g->loops[i] = g->loops[--g->count];
            } else {
                i++;
            }
        if (g->count == g->cap) {
            size_t cap = g->cap ? 2 * g->cap : 2;
            tb_waker **loops = realloc(g->loops, cap * sizeof(tb_waker *));
            if (loops) {
                g->loops = loops;
                g->cap = cap;
            }
        }
        if (g->count < g->cap) {
            g->loops[g->count++] = tb_mailbox_hold(box);
            there = true;
        }
    }
    tb_mutex_unlock(&g->lock);
    return there;
}

bool tb_group_register(tb_group *group, tb_waker *box)
{
    for (tb_group *g = group; g; g = g->shield ? NULL : g->parent)
        if (!enter_one(g, box)) {
            errno = ENOMEM;
            return false;
        }
    return true;
}

size_t tb_group_loops(tb_group *g)
{
    tb_mutex_lock(&g->lock);
    size_t count = g->count;
    tb_mutex_unlock(&g->lock);
    return count;
}

/* ---- cancelling ---------------------------------------------------------------------------------------------------- */

bool tb_group_cancel(tb_group *g)
{
    if (atomic_exchange_explicit(&g->cancelled, true, memory_order_acq_rel))
        return false;
    tb_mutex_lock(&g->lock);
    for (size_t i = 0; i < g->count; i++)
        tb_mailbox_sweep(g->loops[i]);
    tb_mutex_unlock(&g->lock);
    return true;
}

bool tb_group_is_cancelled(const tb_group *group)
{
    for (const tb_group *g = group; g; g = g->shield ? NULL : g->parent)
        if (atomic_load_explicit(&g->cancelled, memory_order_acquire))
            return true;
    return false;
}

bool tb_group_is_shield(const tb_group *g) { return g->shield; }
tb_instant tb_group_deadline(const tb_group *g) { return g->deadline; }
uint64_t tb_group_id(const tb_group *g) { return g->id; }
