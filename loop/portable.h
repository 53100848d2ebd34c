/* portable.h: what the parts of a loop share: the record of an operation, the loop, and what a backend must do.

   One part of the loop is the same everywhere: records, their states, deadlines and grace as timers of the set, groups,
   targets, the queue of decided answers. A backend does the rest behind five functions: submit, cancel, wait, wake, and
   what makes and closes handles. It reports the end of an operation with tb_returned, from within wait alone.

   A record goes through these states:

       TIMER    armed in the set                     -> DECIDED
       STARTED  an owner outside has it: the backend, a lane, a completer
                                                     -> DECIDED when the owner gives it back, or the grace ends
       DECIDED  in the queue of answers; how it ended is settled, but for a prompt timeout that the owner overtakes
                                                     -> free, or ABANDONED after a prompt timeout
       HELD     its answer waits for a full channel  -> free
       ABANDONED answered without its buffer; the owner still has it
                                                     -> free when it is given back */
#ifndef LOOP_PORTABLE_H
#define LOOP_PORTABLE_H

#include <timerbench/loop.h>

#include "loop/mailbox.h"

enum { TB_KERNEL_BATCH = 128 }; /* kernel answers taken in one wait */

typedef enum tb_state { TB_FREE, TB_TIMER, TB_STARTED, TB_DECIDED, TB_HELD, TB_ABANDONED } tb_state;

typedef struct tb_record tb_record;

/* Links of a record in a list that it can leave from the middle. */
typedef struct tb_links {
    tb_record *previous, *next;
} tb_links;

/* How an owner says that an operation ended. */
typedef struct tb_result {
    bool aborted; /* it was ended because it was asked to; n: bytes moved before */
    tb_outcome outcome; /* else */
    tb_loop_error code;
    int os_error;
    size_t n;
    tb_handle handle;
} tb_result;

static inline tb_result tb_result_done(size_t n) { return (tb_result){.outcome = TB_DONE, .n = n}; }
static inline tb_result tb_result_failed(tb_loop_error code, int os)
{
    return (tb_result){.outcome = TB_FAILED, .code = code, .os_error = os};
}
static inline tb_result tb_result_aborted(size_t n) { return (tb_result){.aborted = true, .n = n}; }

struct tb_record {
    uint32_t index, generation; /* generation 0: used up */
    uint8_t state;              /* tb_state */
    bool asked;                 /* the owner was told to end it */
    bool ask_counted;           /* by cancels_asked */
    bool expired;               /* its deadline was acted on: the timer, if any, is the grace */
    bool swept;                 /* counted by group_cancels */
    bool prompt;                /* decided without its owner */
    bool early;                 /* in the list of those returned before their pass */
    bool armed;                 /* `timer` is pending */
    uint8_t reason;             /* outcome when it ends because it was asked to */
    uint8_t transport;          /* of Connect, once submitted */
    tb_op op;
    tb_timer_id timer;
    tb_instant at;              /* of a timer; else the deadline */
    uint64_t asked_pass;        /* pass in which it was asked to end */
    tb_target to;
    tb_parcel *parcel;          /* for targets that need one */
    tb_group *group;
    tb_completer *completer;    /* of an external operation */
    struct tb_job *job;         /* of one that a lane works on */
    void *object;               /* of the handle: the backend's */
    tb_result result;
    tb_instant submitted, dequeued;
    tb_record *next_answer;     /* queue of answers; free list; held */
    tb_record *next_early;
    tb_links in_groups, on_handle;
};

/* The backend's own part of a record lies behind it. */
static inline void *tb_backend_part(tb_record *r) { return r + 1; }

typedef struct tb_backend {
    const char *clock_name;
    size_t part_size; /* of the backend's part of a record */

    bool (*open)(tb_loop *, const tb_loop_options *); /* sets loop->backend_state; false: errno */
    void (*close)(tb_loop *);                          /* every handle is closed, every operation returned or detached */
    tb_instant (*now)(const tb_loop *);

    /* Starts an operation; the record's buffer is lent. What can be refused at once is: *refused is filled, false. */
    bool (*submit)(tb_loop *, tb_record *, tb_result *refused);
    /* Asks it to end. true: it is taken back, and tb_returned will not be called; false: tb_returned will tell. */
    bool (*cancel)(tb_loop *, tb_record *);
    /* The loop is going, and will not wait for what cannot end by itself: true when the record's buffer now belongs to that. */
    bool (*detach)(tb_loop *, tb_record *);
    /* Calls tb_returned for what has ended, TB_KERNEL_BATCH at most; when there is nothing, waits for it until `until` or a
       wake. May return early for no reason. false: nothing will happen by itself before `until` is past (a simulation that
       does not move on to the end of time). */
    bool (*wait)(tb_loop *, tb_instant until);
    void (*wake)(void *loop); /* from any thread, under the mailbox's lock */
    /* A message of this kind has been taken from the mailbox. */
    void (*job_returned)(tb_loop *, tb_message *);

    /* Handles: objects are the backend's, entries the portable part's. */
    bool (*listen)(tb_loop *, const tb_address *, int backlog, void **object, tb_loop_error *);
    bool (*local_address)(tb_loop *, void *object, tb_address *, tb_loop_error *);
    bool (*pair)(tb_loop *, tb_transport, void *objects[2], tb_loop_error *);
    bool (*pipe)(tb_loop *, void *objects[2], tb_loop_error *);
    bool (*open_file)(tb_loop *, const char *path, unsigned mode, void **object, tb_loop_error *);
    bool (*adopt)(tb_loop *, intptr_t, tb_handle_kind, void **object, tb_loop_error *);
    bool (*end_sending)(tb_loop *, void *object, tb_loop_error *);
    intptr_t (*os_handle)(const tb_loop *, const void *object);
    /* Everything on it was asked to end. */
    void (*close_object)(tb_loop *, void *object);
    /* The object has a name, by which events for it may come from now on. false with errno: it cannot be watched. */
    bool (*named)(tb_loop *, void *object, tb_handle);
} tb_backend;

/* An entry of a loop's handles. */
typedef struct tb_handle_entry {
    uint32_t generation; /* of the handle that names it, or named it last */
    bool open;
    uint32_t next_free;
    void *object;
    tb_record *first; /* operations in flight on it */
} tb_handle_entry;

typedef struct tb_held_channel {
    struct tb_held_channel *next;
    tb_channel *channel;
    tb_record *first, **last;
} tb_held_channel;

struct tb_loop {
    const tb_backend *backend;
    void *backend_state;
    uint32_t number;
    tb_waker *mailbox;
    tb_instant now; /* the clock, as this pass read it last */
    uint64_t pass;
    bool polling, going;
    tb_duration grace, spin;
    size_t timers_per_pass;

    tb_timers *timers;
    tb_expiries due;

    char **chunks; /* of records */
    size_t chunk_count, stride;
    uint32_t records; /* made so far */
    tb_record *free_records;
    size_t outside; /* records that the backend has: STARTED or ABANDONED, no completer's */

    tb_record *first_answer, *last_answer;
    tb_record *first_early, **last_early;
    tb_record *first_grouped, *last_grouped;
    tb_held_channel *held;
    tb_message *parcels, **last_parcel; /* answers of other loops for this one's poll */

    tb_handle_entry *handles;
    uint32_t handle_count, handle_cap, free_handle; /* free_handle: index + 1 */

    tb_workers *workers;
    bool own_workers;

    tb_loop_stats stats;
    tb_lateness lateness;
    /* For tests: called between deciding and delivering. */
    void (*before_flush)(void *ctx);
    void *before_flush_ctx;
};

/* ---- records.c ---------------------------------------------------------------------------------------------------- */
tb_record *tb_record_take(tb_loop *); /* NULL with errno ENOMEM */
void tb_record_give(tb_loop *, tb_record *);
tb_record *tb_record_at(const tb_loop *, uint32_t index);
tb_record *tb_record_find(const tb_loop *, tb_op_id); /* undecided ones alone */
static inline tb_op_id tb_record_id(const tb_record *r) { return (tb_op_id){(uint64_t)r->generation << 32 | r->index}; }
void tb_records_free(tb_loop *);

/* ---- decide.c ------------------------------------------------------------------------------------------------------ */
bool tb_arm_record(tb_loop *, tb_record *, tb_instant at, uint32_t lane, tb_instant now); /* cannot fail after tb_record_take */
void tb_disarm(tb_loop *, tb_record *);
void tb_record_decide(tb_loop *, tb_record *, tb_outcome);
void tb_ask(tb_loop *, tb_record *, tb_outcome reason);
bool tb_cancel_record(tb_loop *, tb_record *);
void tb_timer_fired(tb_loop *, tb_record *);
void tb_returned(tb_loop *, tb_record *, tb_result);
void tb_return_early_ones(tb_loop *);
void tb_sweep_groups(tb_loop *);

/* ---- deliver.c ----------------------------------------------------------------------------------------------------- */
bool tb_target_accept(tb_record *, tb_target); /* takes hold; false with errno ENOMEM */
void tb_target_refuse(tb_target);              /* of a submit that failed */
size_t tb_flush(tb_loop *, tb_completions *out); /* answers handed over or held, dropped ones included */
void tb_retry_held(tb_loop *);
void tb_deliver_last(tb_loop *);

/* What loops and targets do with one another. Each takes the completion; false: it is gone (or, full: *full is set). */
bool tb_channel_put(tb_channel *, tb_parcel *, bool *full);
void tb_channel_hold(tb_channel *);
bool tb_once_put(tb_once *, const tb_completion *);
void tb_once_hold(tb_once *);
void tb_board_arm(tb_board *, uint32_t slot);
bool tb_board_put(tb_board *, uint32_t slot, const tb_completion *);
void tb_hook_deliver(tb_hook *, const tb_completion *);

/* ---- groups.c ------------------------------------------------------------------------------------------------------ */
tb_group *tb_group_hold(tb_group *);
bool tb_group_register(tb_group *, tb_waker *); /* with it and its ancestors; false with errno ENOMEM */
size_t tb_group_loops(tb_group *); /* on its list: for tests */

/* ---- handles.c ----------------------------------------------------------------------------------------------------- */
bool tb_handle_make(tb_loop *, void *object, tb_handle *out); /* false with errno; the object is still the caller's */
void *tb_handle_object_at(const tb_loop *, uint32_t index, uint32_t generation); /* NULL: names nothing */
void *tb_handle_object(const tb_loop *, tb_handle, tb_loop_error *);
void tb_handle_enter(tb_loop *, tb_record *);
void tb_handle_leave(tb_loop *, tb_record *);
void tb_handles_close_all(tb_loop *);

/* ---- buffers.c ------------------------------------------------------------------------------------------------------ */
struct tb_buffer {
    tb_pool *pool;
    tb_buffer *next; /* of idle ones */
    size_t len, capacity;
    unsigned size_class;
    bool lent; /* to an operation */
    unsigned char *data;
};
void tb_buffer_lend(tb_buffer *);   /* NULL does nothing */
void tb_buffer_regain(tb_buffer *);
struct tb_bytes {
    atomic_size_t holds;
    size_t len;
    unsigned char data[];
};
tb_bytes *tb_bytes_hold(tb_bytes *);

/* ---- completers.c, requests.c: their messages ------------------------------------------------------------------------ */
void tb_completer_returned(tb_loop *, tb_message *);
void tb_completer_ask(tb_completer *);
void tb_completer_let_go(tb_completer *); /* the record is gone */
void tb_request_arrived(tb_loop *, tb_message *);
void tb_request_drop_message(tb_message *);

/* ---- submit.c -------------------------------------------------------------------------------------------------------- */
tb_record *tb_submit_record(tb_loop *, tb_op, tb_target, tb_group *, tb_instant at, uint32_t lane);
void tb_submit_external(tb_loop *, tb_record *, tb_instant at); /* once it has its completer */

extern const tb_backend tb_backend_epoll, tb_backend_sim;

#endif
