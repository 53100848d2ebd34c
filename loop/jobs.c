/* jobs.c: operations of a loop that a lane's thread works on. */
#include <stdlib.h>

#include "loop/workers.h"

tb_workers *tb_loop_workers(tb_loop *loop)
{
    if (!loop->workers) {
        loop->workers = tb_workers_make();
        loop->own_workers = loop->workers != NULL;
    }
    return loop->workers;
}

void tb_job_drop(tb_job *job)
{
    tb_buffer_regain(job->buffer);
    tb_buffer_release(job->buffer);
    tb_shared_file_release(job->file);
    tb_waker_release(job->box);
    free(job);
}

/* Its buffer is the record's. */
static void free_job(tb_job *job)
{
    job->buffer = NULL;
    tb_job_drop(job);
}

bool tb_job_start(tb_loop *loop, tb_record *r, tb_shared_file *file, tb_result *refused)
{
    tb_workers *workers = tb_loop_workers(loop);
    tb_job *job = workers ? calloc(1, sizeof *job) : NULL;
    *refused = tb_result_failed(TB_ENOMEM, 0);
    if (!job)
        return false;
    job->message.kind = TB_MAIL_JOB;
    job->box = tb_mailbox_hold(loop->mailbox);
    job->index = r->index;
    job->kind = r->op.kind;
    job->buffer = r->op.buffer;
    job->lane = TB_LANE_GENERAL;
    if (file) {
        atomic_fetch_add_explicit(&file->holds, 1, memory_order_relaxed);
        job->file = file;
        job->offset = r->op.with.offset;
    } else {
        job->lane = r->op.with.call.lane;
        job->work = r->op.with.call.work;
        job->arg = r->op.with.call.arg;
    }
    r->job = job;
    if (tb_workers_submit(workers, job, &refused->code))
        return true;
    r->job = NULL;
    free_job(job);
    return false;
}

bool tb_job_cancel(tb_loop *loop, tb_record *r)
{
    if (!tb_workers_take_out(loop->workers, r->job))
        return false;
    free_job(r->job);
    r->job = NULL;
    return true;
}

/* The mailbox is closed: when the job returns, it is dropped with its buffer. */
bool tb_job_detach(tb_loop *loop, tb_record *r)
{
    (void)loop;
    bool there = r->job != NULL;
    r->job = NULL;
    return there;
}

void tb_job_returned(tb_loop *loop, tb_message *message)
{
    tb_job *job = (tb_job *)(void *)message;
    tb_record *r = tb_record_at(loop, job->index);
    tb_job_result did = job->result;
    free_job(job);
    r->job = NULL;
    tb_returned(loop, r, did.code == TB_EOK ? tb_result_done(did.n) : tb_result_failed(did.code, did.os_error));
}
