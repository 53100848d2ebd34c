/* targets.c: what a thread takes one answer from: a once, the slots of a board; and hooks. */
#include <stdlib.h>

#include "loop/portable.h"

/* ---- once -------------------------------------------------------------------------------------------------------- */

struct tb_once {
    atomic_size_t holds;
    tb_mutex lock;
    tb_condition changed;
    bool ready, taken;
    tb_completion answer;
};

tb_once *tb_once_make(void)
{
    tb_once *once = calloc(1, sizeof *once);
    if (!once)
        return NULL;
    atomic_init(&once->holds, 1);
    tb_mutex_open(&once->lock);
    tb_condition_open(&once->changed);
    return once;
}

void tb_once_hold(tb_once *once) { atomic_fetch_add_explicit(&once->holds, 1, memory_order_relaxed); }

void tb_once_release(tb_once *once)
{
    if (!once || atomic_fetch_sub_explicit(&once->holds, 1, memory_order_acq_rel) > 1)
        return;
    if (once->ready && !once->taken)
        tb_buffer_release(once->answer.buffer);
    tb_condition_close(&once->changed);
    tb_mutex_close(&once->lock);
    free(once);
}

/* A second answer finds it full: the first stays. */
bool tb_once_put(tb_once *once, const tb_completion *answer)
{
    tb_mutex_lock(&once->lock);
    bool first = !once->ready;
    if (first) {
        once->ready = true;
        once->answer = *answer;
        tb_condition_all(&once->changed);
    }
    tb_mutex_unlock(&once->lock);
    return first;
}

bool tb_once_wait(tb_once *once, tb_instant until, tb_completion *out)
{
    tb_mutex_lock(&once->lock);
    while (!once->ready && tb_instant_lt(tb_instant_now(), until))
        tb_condition_wait(&once->changed, &once->lock, until);
    bool got = once->ready && !once->taken;
    if (got) {
        once->taken = true;
        *out = once->answer;
    }
    tb_mutex_unlock(&once->lock);
    return got;
}

/* ---- board ------------------------------------------------------------------------------------------------------- */

typedef struct tb_slot {
    tb_slot_state state;
    tb_completion answer;
} tb_slot;

struct tb_board {
    atomic_size_t holds;
    tb_mutex lock;
    uint32_t count;
    tb_slot slots[];
};

tb_board *tb_board_make(uint32_t slots)
{
    tb_board *board = calloc(1, sizeof *board + slots * sizeof(tb_slot));
    if (!board)
        return NULL;
    atomic_init(&board->holds, 1);
    tb_mutex_open(&board->lock);
    board->count = slots;
    return board;
}

void tb_board_release(tb_board *board)
{
    if (!board || atomic_fetch_sub_explicit(&board->holds, 1, memory_order_acq_rel) > 1)
        return;
    for (uint32_t i = 0; i < board->count; i++)
        if (board->slots[i].state == TB_SLOT_READY)
            tb_buffer_release(board->slots[i].answer.buffer);
    tb_mutex_close(&board->lock);
    free(board);
}

/* Arms a slot, and takes hold of the board. */
void tb_board_arm(tb_board *board, uint32_t slot)
{
    tb_assert(slot < board->count);
    tb_mutex_lock(&board->lock);
    tb_assert(board->slots[slot].state == TB_SLOT_EMPTY);
    board->slots[slot].state = TB_SLOT_ARMED;
    tb_mutex_unlock(&board->lock);
    atomic_fetch_add_explicit(&board->holds, 1, memory_order_relaxed);
}

bool tb_board_put(tb_board *board, uint32_t slot, const tb_completion *answer)
{
    tb_mutex_lock(&board->lock);
    board->slots[slot].state = TB_SLOT_READY;
    board->slots[slot].answer = *answer;
    tb_mutex_unlock(&board->lock);
    return true;
}

tb_slot_state tb_board_state(tb_board *board, uint32_t slot)
{
    tb_assert(slot < board->count);
    tb_mutex_lock(&board->lock);
    tb_slot_state state = board->slots[slot].state;
    tb_mutex_unlock(&board->lock);
    return state;
}

bool tb_board_take(tb_board *board, uint32_t slot, tb_completion *out)
{
    tb_assert(slot < board->count);
    tb_mutex_lock(&board->lock);
    bool ready = board->slots[slot].state == TB_SLOT_READY;
    if (ready) {
        *out = board->slots[slot].answer;
        board->slots[slot].state = TB_SLOT_EMPTY;
    }
    tb_mutex_unlock(&board->lock);
    return ready;
}

/* ---- hook -------------------------------------------------------------------------------------------------------- */

struct tb_hook {
    void (*deliver)(void *, const tb_completion *);
    void (*drop)(void *);
    void *ctx;
};

tb_hook *tb_hook_make(void (*deliver)(void *, const tb_completion *), void (*drop)(void *), void *ctx)
{
    tb_hook *hook = malloc(sizeof *hook);
    if (hook)
        *hook = (tb_hook){deliver, drop, ctx};
    return hook;
}

void tb_hook_destroy(tb_hook *hook)
{
    if (hook && hook->drop)
        hook->drop(hook->ctx);
    free(hook);
}

void tb_hook_deliver(tb_hook *hook, const tb_completion *answer)
{
    tb_hook once = *hook;
    free(hook);
    once.deliver(once.ctx, answer);
}
