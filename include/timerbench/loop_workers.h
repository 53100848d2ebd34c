/* loop_workers.h: threads for work that blocks, in lanes, so that a slow kind of work does not delay another.

   A lane has a bounded queue and its own threads, which grow to a maximum while jobs wait and shrink to a minimum when idle.
   A job is submitted to a loop as an operation (tb_op_call). Workers may serve several loops. Every function here may be
   called from any thread. */
#ifndef TIMERBENCH_LOOP_WORKERS_H
#define TIMERBENCH_LOOP_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/loop_buffers.h>
#include <timerbench/loop_errors.h>
#include <timerbench/time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_workers tb_workers;

enum {
    TB_WORKER_LANES = 64,   /* lanes at most */
    TB_LANE_GENERAL = 0,    /* at most 4 threads, 1024 jobs queued; file operations of the epoll backend run here */
    TB_LANE_DNS = 1         /* at most 2 threads, 256 jobs queued */
};

typedef struct tb_lane_options {
    unsigned min, max; /* threads: kept when idle (0 is allowed), and at most; max >= 1, max >= min */
    size_t queued;     /* jobs waiting at most; one more is answered Failed(TB_EBUSY) at once */
    tb_duration idle;  /* how long a thread above min waits for a job before it ends; zero or less: 10 s */
} tb_lane_options;

typedef struct tb_lane_stats {
    uint64_t ran;       /* jobs whose work has returned */
    uint64_t cancelled; /* jobs taken out of the queue, never run: by a cancel or a deadline */
    uint64_t busy;      /* jobs refused because the queue was full */
    size_t queued;      /* levels: jobs waiting, */
    size_t running;     /* jobs being worked on, */
    unsigned threads;   /* threads */
} tb_lane_stats;

/* Workers with the lanes general and dns; threads start with the first job. NULL with errno ENOMEM. */
TB_API tb_workers *tb_workers_make(void);
/* Takes the queued jobs out, and waits for the threads to finish what they run. Loops that use it must be gone. */
TB_API void tb_workers_destroy(tb_workers *workers);
/* Another lane; its number, or -1 with errno EINVAL (the options), ENOSPC (64 lanes) or ENOMEM. */
TB_API int tb_workers_add_lane(tb_workers *workers, const tb_lane_options *opt);
/* Asserts that there is such a lane. */
TB_API tb_lane_stats tb_workers_stats(tb_workers *workers, int lane);

/* How work ended. */
typedef struct tb_job_result {
    size_t n;           /* of Done */
    tb_loop_error code; /* TB_EOK: Done; else Failed */
    int os_error;       /* the operating system's number, or 0 */
} tb_job_result;

static inline tb_job_result tb_job_done(size_t n)
{
    tb_job_result r = {n, TB_EOK, 0};
    return r;
}
static inline tb_job_result tb_job_failed(tb_loop_error code, int os_error)
{
    tb_job_result r = {0, code, os_error};
    return r;
}

/* Runs on a thread of the lane, with the buffer submitted (or NULL), which is its own until it returns. */
typedef tb_job_result (*tb_job_work)(void *arg, tb_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
