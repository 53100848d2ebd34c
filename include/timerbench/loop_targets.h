/* loop_targets.h: where an answer goes. The loop's own poll (tb_here) is the usual place; the others hand it to another loop,
   a channel, a thread that waits, a slot that is looked at, or a function.

   A loop keeps what a target names for as long as an answer may go there; the caller's own hold is let go by _release. All
   functions here but tb_hook_make may be called from any thread. Whoever takes a completion owns its buffer. */
#ifndef TIMERBENCH_LOOP_TARGETS_H
#define TIMERBENCH_LOOP_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_completion tb_completion;
typedef struct tb_waker tb_waker;
typedef struct tb_channel tb_channel;
typedef struct tb_once tb_once;
typedef struct tb_board tb_board;
typedef struct tb_hook tb_hook;

typedef enum tb_target_kind {
    TB_TARGET_HERE,
    TB_TARGET_POST,
    TB_TARGET_CHANNEL,
    TB_TARGET_ONCE,
    TB_TARGET_STATUS,
    TB_TARGET_HOOK
} tb_target_kind;

/* A value; make it with the functions below. */
typedef struct tb_target {
    tb_target_kind kind;
    uint32_t slot;
    uint64_t token; /* comes back in the completion */
    void *object;
} tb_target;

/* The poll of the loop that it is submitted to. */
static inline tb_target tb_here(uint64_t token)
{
    tb_target t = {TB_TARGET_HERE, 0, token, NULL};
    return t;
}

/* The poll of the loop that the waker belongs to, which is woken. When that loop is gone, the answer is dropped, counted in
   `dropped`, and its buffer goes home. */
static inline tb_target tb_post(uint64_t token, tb_waker *waker)
{
    tb_target t = {TB_TARGET_POST, 0, token, waker};
    return t;
}

/* A channel. While a bounded one is full the loop holds the answer and tries again each pass (its waits are then at most
   1 ms); when the receiver has closed it, the answer is dropped. */
static inline tb_target tb_to_channel(uint64_t token, tb_channel *channel)
{
    tb_target t = {TB_TARGET_CHANNEL, 0, token, channel};
    return t;
}

/* A thread that waits for this one answer. */
static inline tb_target tb_to_once(uint64_t token, tb_once *once)
{
    tb_target t = {TB_TARGET_ONCE, 0, token, once};
    return t;
}

/* A slot of a board. Submitting arms it; asserts that the slot exists and is empty. */
static inline tb_target tb_to_slot(uint64_t token, tb_board *board, uint32_t slot)
{
    tb_target t = {TB_TARGET_STATUS, slot, token, board};
    return t;
}

/* A function, called on the loop's thread inside poll. The hook is given away with this target, and serves once. */
static inline tb_target tb_to_hook(uint64_t token, tb_hook *hook)
{
    tb_target t = {TB_TARGET_HOOK, 0, token, hook};
    return t;
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

/* Room for `capacity` answers; 0: without a bound. NULL with errno ENOMEM. */
TB_API tb_channel *tb_channel_make(size_t capacity);
/* Waits for an answer until `until` on the steady clock (an instant now or earlier: does not wait). false: none came. */
TB_API bool tb_channel_receive(tb_channel *channel, tb_instant until, tb_completion *out);
/* The receiver takes no more: what is in it is dropped, and what comes later is, too. */
TB_API void tb_channel_close(tb_channel *channel);
/* Lets the caller's hold go, without closing it. NULL does nothing. */
TB_API void tb_channel_release(tb_channel *channel);

/* ---- one answer for a thread -------------------------------------------------------------------------------------- */

/* NULL with errno ENOMEM. */
TB_API tb_once *tb_once_make(void);
/* Waits as tb_channel_receive does; true once, with the answer. */
TB_API bool tb_once_wait(tb_once *once, tb_instant until, tb_completion *out);
/* NULL does nothing. */
TB_API void tb_once_release(tb_once *once);

/* ---- slots ------------------------------------------------------------------------------------------------------- */

typedef enum tb_slot_state { TB_SLOT_EMPTY, TB_SLOT_ARMED, TB_SLOT_READY } tb_slot_state;

/* A board of slots, each empty. NULL with errno ENOMEM. */
TB_API tb_board *tb_board_make(uint32_t slots);
TB_API tb_slot_state tb_board_state(tb_board *board, uint32_t slot);
/* Takes the answer of a ready slot, which is empty then. false: it is not ready. */
TB_API bool tb_board_take(tb_board *board, uint32_t slot, tb_completion *out);
/* NULL does nothing. */
TB_API void tb_board_release(tb_board *board);

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* deliver is called once with the answer, or drop once if it never will be; drop may be NULL. deliver may submit to the loop
   and cancel in it; it may not poll or destroy it. NULL with errno ENOMEM. */
TB_API tb_hook *tb_hook_make(void (*deliver)(void *ctx, const tb_completion *answer), void (*drop)(void *ctx), void *ctx);
/* Destroys a hook that was not given away: drop is called. NULL does nothing. */
TB_API void tb_hook_destroy(tb_hook *hook);

#ifdef __cplusplus
}
#endif
#endif
