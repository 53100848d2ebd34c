/* workers.h: the workers' inside, for the loops that use them. */
#ifndef LOOP_WORKERS_H
#define LOOP_WORKERS_H

#include "loop/portable.h"

typedef enum tb_job_state { TB_JOB_QUEUED, TB_JOB_RUNNING, TB_JOB_RETURNED } tb_job_state;

/* A file's descriptor, which jobs may still use when its handle is closed. */
typedef struct tb_shared_file {
    atomic_size_t holds;
    int fd;
} tb_shared_file;

tb_shared_file *tb_shared_file_make(int fd); /* NULL: out of memory, and the descriptor is still the caller's */
void tb_shared_file_release(tb_shared_file *); /* the last one closes it; NULL does nothing */

/* A job outlives its loop when it must: its message finds the mailbox closed then, and it is dropped. */
typedef struct tb_job {
    tb_message message;
    struct tb_job *previous, *next; /* in the lane's queue */
    tb_waker *box;
    uint32_t index; /* of the record */
    int lane;
    tb_job_state state; /* under the workers' lock */
    tb_job_work work;
    void *arg;
    tb_buffer *buffer;
    tb_shared_file *file; /* of ReadAt and WriteAt */
    tb_op_kind kind;
    uint64_t offset;
    tb_job_result result;
} tb_job;

tb_job_result tb_file_work(tb_job *); /* ReadAt or WriteAt, with the descriptor of its file */
void tb_job_drop(tb_job *);           /* frees it, and its buffer if it has one */

/* A backend's functions for operations that lanes work on. */
bool tb_job_start(tb_loop *, tb_record *, tb_shared_file *, tb_result *refused);
bool tb_job_cancel(tb_loop *, tb_record *);
bool tb_job_detach(tb_loop *, tb_record *);
void tb_job_returned(tb_loop *, tb_message *);

/* false: the lane's queue is full (counted), there is no such lane, or no thread could be had: *error. */
bool tb_workers_submit(tb_workers *, tb_job *, tb_loop_error *error);
/* Takes a queued job out. false: it runs or has returned. */
bool tb_workers_take_out(tb_workers *, tb_job *);
/* Lets the workers go without waiting for what runs. */
void tb_workers_release(tb_workers *);
/* For pretended lanes: the bounds of a lane, false when there is none, and counting. */
bool tb_workers_bounds(tb_workers *, int lane, size_t *most_running, size_t *most_queued);
void tb_workers_count(tb_workers *, int lane, tb_lane_stats more);

/* The workers of a loop, made when it has none. NULL: out of memory. */
tb_workers *tb_loop_workers(tb_loop *);

#endif
