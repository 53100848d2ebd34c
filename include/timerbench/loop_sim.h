/* loop_sim.h: the simulated backend: a synthetic clock, sockets and files in memory, and a seed that decides when and in
   which order the pretended kernel answers. Its poll never waits: it moves the clock to the next thing due. One program with
   one seed does the same each time, so a failure is replayed exactly.

   Jobs (tb_op_call) run on pretended threads with the bounds of the loop's workers: the work is called when its time in the
   simulation is over. Everything runs on the thread that polls. */
#ifndef TIMERBENCH_LOOP_SIM_H
#define TIMERBENCH_LOOP_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/loop_handles.h>
#include <timerbench/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A span that the seed chooses from, both ends included; at least 0. All zero: at once. */
typedef struct tb_span {
    tb_duration least, most;
} tb_span;

/* All zero: the kernel answers at once, in full, in the order asked, and never fails. */
typedef struct tb_sim_options {
    uint64_t seed;
    tb_instant start;          /* where the clock stands at first */
    tb_span answer;            /* from when an operation can be done until it is */
    tb_span cancel;            /* from when an operation is asked to end until it has; it may be done meanwhile */
    tb_span job;               /* how long a job's work takes */
    uint32_t short_in_million; /* receives that get, and sends that move, only a part at a time */
    uint32_t fail_in_million;  /* operations that fail with TB_ECONNRESET (files: TB_EIO) instead of being done */
    size_t room;               /* bytes that a socket or pipe holds on their way; 0: 65536 */
    size_t disk;               /* bytes that all files may hold; 0: no bound */
} tb_sim_options;

/* Calls act(ctx) when the loop's clock reaches `at`, inside poll, as if from outside the loop: it may use what other threads
   may use (requests, groups, wakers, completers), and tb_sim_feed. false with errno ENOMEM. */
TB_API bool tb_sim_at(tb_loop *loop, tb_instant at, void (*act)(void *ctx), void *ctx);
/* Puts n bytes before the reader of a socket or pipe, as if its peer had sent them; how many there was room for. */
TB_API size_t tb_sim_feed(tb_loop *loop, tb_handle handle, const void *bytes, size_t n);
/* How many bytes wait to be received. */
TB_API size_t tb_sim_waiting(const tb_loop *loop, tb_handle handle);
/* Breaks a socket, as a reset from its peer does. */
TB_API void tb_sim_reset(tb_loop *loop, tb_handle handle);

#ifdef __cplusplus
}
#endif
#endif
