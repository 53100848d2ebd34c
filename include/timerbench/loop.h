/* loop.h: a completion loop. Operations are submitted; each answers exactly once, with Done, Failed, Cancelled or TimedOut,
   and the buffer that it was given comes back in the answer.

   A loop belongs to one thread: its own. What other threads may use is this, and nothing else: tb_waker_*, tb_request_* (but
   not tb_loop_request), tb_group_*, tb_completer_*, and what is said of buffers, targets and workers in their headers.

   All times are instants of the loop's clock: CLOCK_MONOTONIC (tb_instant_now) with the epoll backend, a synthetic clock
   with the simulated one. Timers and deadlines are kept by the implementation of a timer set that the options name, and
   have its meaning: never early; up to a tick (1 ms) late when a tick or more away, else on time.

   An answer is delivered in the order it was decided. docs/loop.md says what each outcome means for the caller. */
#ifndef TIMERBENCH_LOOP_H
#define TIMERBENCH_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/loop_buffers.h>
#include <timerbench/loop_errors.h>
#include <timerbench/loop_groups.h>
#include <timerbench/loop_handles.h>
#include <timerbench/loop_lateness.h>
#include <timerbench/loop_sim.h>
#include <timerbench/loop_targets.h>
#include <timerbench/loop_workers.h>
#include <timerbench/time.h>
#include <timerbench/timers.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* The name of an operation or timer: index and generation. It never names a later one. */
typedef struct tb_op_id {
    uint64_t bits;
} tb_op_id;

static inline tb_op_id tb_op_none(void)
{
    tb_op_id id = {0};
    return id;
}
static inline bool tb_op_is_none(tb_op_id id) { return id.bits == 0; }
static inline bool tb_op_same(tb_op_id a, tb_op_id b) { return a.bits == b.bits; }

typedef enum tb_outcome {
    TB_DONE = 0,
    TB_FAILED = 1,    /* see code */
    TB_CANCELLED = 2, /* a cancel caught it */
    TB_TIMED_OUT = 3  /* it was not finished by its deadline */
} tb_outcome;

/* An answer. Who takes it owns its buffer and its new handle. */
struct tb_completion {
    tb_op_id id; /* names nothing any more */
    uint64_t token;
    tb_outcome outcome;
    tb_loop_error code; /* TB_EOK but when Failed */
    int os_error;       /* the operating system's own number, or 0 */
    size_t n;           /* bytes moved; of a send that was cancelled or timed out: bytes sent before */
    tb_buffer *buffer;  /* what was lent; NULL: nothing was, or it goes home later */
    tb_handle handle;   /* the new socket of Accept and Connect */
    tb_instant submitted, dequeued, delivered; /* when it was submitted, decided, handed over; in this order */
};

/* A growing list of answers, the caller's own. All zero is an empty one. */
typedef struct tb_completions {
    tb_completion *items;
    size_t len, cap;
} tb_completions;

/* Empties the list; buffers in it go home. */
TB_API void tb_completions_clear(tb_completions *list);
/* The same, and frees it. */
TB_API void tb_completions_free(tb_completions *list);

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

typedef enum tb_loop_backend {
    TB_BACKEND_SYSTEM, /* epoll; clock: CLOCK_MONOTONIC */
    TB_BACKEND_SIM     /* simulated; clock: synthetic, moved by poll alone */
} tb_loop_backend;

/* How the system backend waits for an instant. */
typedef enum tb_loop_wait {
    TB_WAIT_BEST,    /* the first of those below that the kernel has */
    TB_WAIT_PWAIT2,  /* epoll_pwait2 (Linux 5.11) */
    TB_WAIT_TIMERFD
} tb_loop_wait;

/* All zero: the system's backend, wheel_6x64, and everything else off. */
typedef struct tb_loop_options {
    const tb_impl *impl; /* who keeps timers and deadlines; NULL: wheel_6x64 */
    tb_loop_backend backend;
    const tb_sim_options *sim; /* NULL: all zero */
    tb_workers *workers;       /* for jobs and files; NULL: the loop's own, made at the first job. It must outlive the loop */
    tb_loop_wait wait;
    size_t timers_per_pass;    /* most timers and deadlines acted on in one pass, so that a burst of them does not keep I/O
                                  waiting; the rest comes in the next poll, which does not wait. 0: no limit */
    tb_duration timer_slack;   /* > 0: the polling thread's timer slack (prctl PR_SET_TIMERSLACK) is set to this. 1 ns takes
                                  some 30 to 75 us of lateness off epoll_pwait2's waits and costs wakes that the kernel would
                                  have joined; it stays with the thread. Linux's default is 50 us. 0: left alone */
    tb_duration spin;          /* > 0: the last part of each wait for a timer is spent polling without sleeping, which takes
                                  away the kernel's wake-up latency (40 to 90 us are usual) and burns that much CPU a wake.
                                  0: never */
} tb_loop_options;

/* A loop, whose timer set starts now. opt may be NULL. NULL with errno EINVAL, ENOMEM, or the operating system's. */
TB_API tb_loop *tb_loop_make(const tb_loop_options *opt);
/* The same, asserting that it succeeds. */
TB_API tb_loop *tb_loop_must_make(const tb_loop_options *opt);
/* Cancels everything in flight, waits for the kernel to give every buffer back, and frees the loop. Answers owed to its own
   poll are dropped, those owed elsewhere are delivered. Jobs that run and completers are not waited for: their buffers go home
   when they end. NULL does nothing. */
TB_API void tb_loop_destroy(tb_loop *loop);

/* Its clock's time. */
TB_API tb_instant tb_loop_now(const tb_loop *loop);
/* "CLOCK_MONOTONIC", "synthetic". */
TB_API const char *tb_loop_clock_name(const tb_loop *loop);

/* Operations and timers not yet answered. */
TB_API size_t tb_loop_in_flight(const tb_loop *loop);

/* Appends to `out` every answer that is ready, waiting for one until `until` at most (an instant now or earlier: it never
   waits; tb_instant_forever(): as long as it takes); how many were appended. Returns 0 early when woken, or after it handed
   answers to other targets. This is the only call in which the loop waits. When out cannot grow, errno says ENOMEM and the rest
   stays for the next poll. At most 128 kernel answers a wait are taken; timers and decided answers are not limited by that. */
TB_API size_t tb_loop_poll(tb_loop *loop, tb_instant until, tb_completions *out);

/* How long past its deadline an operation may take to give its buffer back before it is answered TimedOut without it. 1 ms at
   first; zero or less: not at all. */
TB_API void tb_loop_set_grace(tb_loop *loop, tb_duration grace);

/* ---- timers ------------------------------------------------------------------------------------------------------ */

/* A timer: Done at `at` (a past instant: in the next poll), unless cancelled first. None with errno ENOMEM; then the target
   was not used. This is so for every submitting call below. */
TB_API tb_op_id tb_loop_after(tb_loop *loop, tb_instant at, tb_target to);
/* The same in a group, for its cancel alone: the group's deadline does not reach timers. */
TB_API tb_op_id tb_loop_after_in(tb_loop *loop, tb_instant at, tb_target to, tb_group *group);
/* The same in a lane of the timer set, 0 .. 7 (asserted); all others are in lane 0. */
TB_API tb_op_id tb_loop_after_lane(tb_loop *loop, tb_instant at, tb_target to, uint32_t lane);
/* tb_timers_set_slop on the loop's set. */
TB_API void tb_loop_set_slop(tb_loop *loop, uint32_t lane, tb_duration slop);

/* ---- operations -------------------------------------------------------------------------------------------------- */

typedef enum tb_op_kind {
    TB_OP_TIMER,
    TB_OP_EXTERNAL,
    TB_OP_RECV,
    TB_OP_RECV_READY,
    TB_OP_SEND,
    TB_OP_SEND_BYTES,
    TB_OP_READ_AT,
    TB_OP_WRITE_AT,
    TB_OP_ACCEPT,
    TB_OP_CONNECT,
    TB_OP_CALL
} tb_op_kind;

/* What to do: a value; make it with the functions below. Those that take a buffer take it over and set *buffer to NULL. */
typedef struct tb_op {
    tb_op_kind kind;
    tb_handle handle;
    tb_buffer *buffer;
    union {
        uint64_t offset;           /* ReadAt, WriteAt */
        tb_bytes *bytes;           /* SendBytes */
        const tb_address *address; /* Connect; read by the submitting call */
        struct {
            tb_job_work work;
            void *arg;
            int lane;
        } call;
    } with;
} tb_op;

static inline tb_op tb_op_on(tb_op_kind kind, tb_handle handle, tb_buffer **buffer)
{
    tb_op op = {kind, handle, NULL, {0}};
    if (buffer) {
        op.buffer = *buffer;
        *buffer = NULL;
    }
    return op;
}

/* Receives what there is, at least a byte, behind what the buffer holds: Done(n); Done(0) at the end of the stream;
   Failed(TB_ENOBUFS) when the buffer has no room. */
static inline tb_op tb_op_recv(tb_handle socket, tb_buffer **buffer) { return tb_op_on(TB_OP_RECV, socket, buffer); }
/* Done(0) when a receive would not wait; takes nothing. */
static inline tb_op tb_op_recv_ready(tb_handle socket) { return tb_op_on(TB_OP_RECV_READY, socket, NULL); }
/* Sends all of the buffer: Done(n). */
static inline tb_op tb_op_send(tb_handle socket, tb_buffer **buffer) { return tb_op_on(TB_OP_SEND, socket, buffer); }
/* Sends shared bytes: Done(n), no buffer. */
static inline tb_op tb_op_send_bytes(tb_handle socket, tb_bytes *bytes)
{
    tb_op op = tb_op_on(TB_OP_SEND_BYTES, socket, NULL);
    op.with.bytes = bytes;
    return op;
}
/* Reads from byte `offset` behind what the buffer holds: Done(n); past the end Done(0). */
static inline tb_op tb_op_read_at(tb_handle file, uint64_t offset, tb_buffer **buffer)
{
    tb_op op = tb_op_on(TB_OP_READ_AT, file, buffer);
    op.with.offset = offset;
    return op;
}
/* Writes all of the buffer at byte `offset`: Done(n). */
static inline tb_op tb_op_write_at(tb_handle file, uint64_t offset, tb_buffer **buffer)
{
    tb_op op = tb_op_on(TB_OP_WRITE_AT, file, buffer);
    op.with.offset = offset;
    return op;
}
/* The next connection of a listener: Done(0), its socket in the answer's handle. */
static inline tb_op tb_op_accept(tb_handle listener) { return tb_op_on(TB_OP_ACCEPT, listener, NULL); }
/* A new socket connected to an address: Done(0), the socket in the answer's handle. */
static inline tb_op tb_op_connect(const tb_address *address)
{
    tb_op op = tb_op_on(TB_OP_CONNECT, tb_handle_none(), NULL);
    op.with.address = address;
    return op;
}
/* Runs work(arg, buffer) on a thread of a lane: its result is the answer. buffer may be NULL. */
static inline tb_op tb_op_call(int lane, tb_job_work work, void *arg, tb_buffer **buffer)
{
    tb_op op = tb_op_on(TB_OP_CALL, tb_handle_none(), buffer);
    op.with.call.work = work;
    op.with.call.arg = arg;
    op.with.call.lane = lane;
    return op;
}

/* Starts an operation; its answer goes to `to`. With a deadline it answers TimedOut when it has not finished by then (an
   instant now or earlier: it is never started); in a group it is cancelled with it, and the deadline is the tighter of its own
   and the group's (NULL: no group). None with errno ENOMEM: nothing was started, the buffer has gone home, a hook was dropped. */
TB_API tb_op_id tb_loop_submit(tb_loop *loop, tb_op op, tb_target to);
TB_API tb_op_id tb_loop_submit_by(tb_loop *loop, tb_op op, tb_target to, tb_instant deadline);
TB_API tb_op_id tb_loop_submit_in(tb_loop *loop, tb_op op, tb_target to, tb_group *group, tb_instant deadline);

/* Asks an operation or timer to end; it is answered once, Cancelled if this caught it. true while its answer is still to come,
   however often asked; false once that is decided, or for an id that names nothing. A timer, or a job that still waits in its
   queue, is decided by this call, anything else in the next poll, after its timers. */
TB_API bool tb_loop_cancel(tb_loop *loop, tb_op_id id);

/* ---- from other threads: wake, cancel, end ------------------------------------------------------------------------- */

/* A hold on the loop that any thread may use, also when the loop is gone; it always succeeds. Release each that was asked for. */
TB_API tb_waker *tb_loop_waker(tb_loop *loop);
/* Ends the loop's poll, the running one or the next. false: the loop is gone. */
TB_API bool tb_waker_wake(tb_waker *waker);
TB_API void tb_waker_release(tb_waker *waker);

/* A hold on one operation or timer. NULL with errno ENOMEM. Made on the loop's thread; then any one thread's. */
typedef struct tb_request tb_request;
TB_API tb_request *tb_loop_request(tb_loop *loop, tb_op_id id);
TB_API tb_op_id tb_request_id(const tb_request *request);
/* Has the loop do tb_loop_cancel(id) in its next poll, and wakes it. false: the loop is gone. */
TB_API bool tb_request_cancel(tb_request *request);
/* The same, and frees the request. NULL does nothing. */
TB_API void tb_request_destroy(tb_request *request);
/* Frees the request; the operation goes on. NULL does nothing. */
TB_API void tb_request_detach(tb_request *request);

/* An operation that something outside the loop carries out: a completer ends it, once, from any thread. */
typedef struct tb_completer tb_completer;
/* NULL with errno ENOMEM, as tb_loop_submit. The buffer (*buffer or buffer may be NULL) is taken over; the completer may write
   to it until it ends. When the operation was answered at once (a cancelled group, a passed deadline) the completer is not
   live. Destroy it in any case. */
TB_API tb_completer *tb_loop_external(tb_loop *loop, tb_target to, tb_buffer **buffer);
TB_API tb_completer *tb_loop_external_in(tb_loop *loop, tb_target to, tb_buffer **buffer, tb_group *group, tb_instant deadline);
TB_API tb_op_id tb_completer_id(const tb_completer *completer);
/* The buffer, NULL when there is none or it has ended. */
TB_API tb_buffer *tb_completer_buffer(tb_completer *completer);
/* End it. true: the loop takes it (an operation that timed out meanwhile is not answered again); false: it has ended before, or
   the loop is gone. */
TB_API bool tb_completer_done(tb_completer *completer, size_t n);
TB_API bool tb_completer_fail(tb_completer *completer, tb_loop_error code, int os_error);
TB_API bool tb_completer_cancelled(tb_completer *completer);
/* Not ended yet. */
TB_API bool tb_completer_is_live(tb_completer *completer);
/* A cancel or the deadline asks it to end; when and how is the completer's. */
TB_API bool tb_completer_is_cancel_requested(tb_completer *completer);
/* Unended: it ends with Failed(TB_ECANCELED). NULL does nothing. */
TB_API void tb_completer_destroy(tb_completer *completer);

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* All but in_flight only grow. submitted = delivered + in_flight after every call. */
typedef struct tb_loop_stats {
    uint64_t submitted;       /* operations and timers given to the loop */
    uint64_t delivered;       /* answers handed to their targets, dropped ones included */
    uint64_t in_flight;
    uint64_t at_submit;       /* decided by the call that submitted them */
    uint64_t prompt_timeouts; /* TimedOut delivered without the buffer */
    uint64_t late_returns;    /* operations given back after their answer */
    uint64_t cancels_asked;   /* by tb_loop_cancel, once an operation */
    uint64_t remote_cancels;  /* cancels posted by requests */
    uint64_t group_cancels;   /* operations and timers that a group's cancel asked to end */
    uint64_t woken;           /* wakes taken up */
    uint64_t dropped;         /* answers whose target was gone */
    uint64_t passes;          /* looks at timers and kernel */
    uint64_t empty_passes;    /* of those, the ones that delivered nothing */
} tb_loop_stats;

TB_API tb_loop_stats tb_loop_get_stats(const tb_loop *loop);
/* How late the loop acted on timers (tb_loop_after...), against what was asked for. The loop's own; it grows with each poll. */
TB_API const tb_lateness *tb_loop_lateness(const tb_loop *loop);
/* The counters of the loop's timer set. */
TB_API tb_timers_stats tb_loop_timers_stats(const tb_loop *loop);

#ifdef __cplusplus
}
#endif
#endif
