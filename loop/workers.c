/* workers.c: lanes of threads for work that blocks.

   One lock for all lanes: it is held for a few instructions a job. Threads are detached; the workers are freed when the owner
   has let go and the last thread has ended. */
#include "loop/workers.h"

#include <errno.h>
#include <stdlib.h>

typedef struct lane {
    tb_workers *workers;
    tb_lane_options opt;
    tb_lane_stats stats;
    tb_job *first, *last;
    tb_condition changed;
} lane;

struct tb_workers {
    tb_mutex lock;
    tb_condition gone; /* a thread has ended */
    bool closing, awaited;
    unsigned threads;
    int lane_count;
    lane lanes[TB_WORKER_LANES];
};

/* ---- the queue of a lane -------------------------------------------------------------------------------------------- */

static void enqueue(lane *l, tb_job *job)
{
    job->state = TB_JOB_QUEUED;
    job->previous = l->last;
    job->next = NULL;
    if (l->last)
        l->last->next = job;
    else
        l->first = job;
    l->last = job;
    l->stats.queued++;
}

static void dequeue(lane *l, tb_job *job)
{
    if (job->previous)
        job->previous->next = job->next;
    else
        l->first = job->next;
    if (job->next)
        job->next->previous = job->previous;
    else
        l->last = job->previous;
    l->stats.queued--;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void run(tb_workers *w, lane *l, tb_job *job)
{
    dequeue(l, job);
    job->state = TB_JOB_RUNNING;
    l->stats.running++;
    tb_mutex_unlock(&w->lock);
    tb_buffer_regain(job->buffer);
    tb_job_result result = job->file ? tb_file_work(job) : job->work(job->arg, job->buffer);
    tb_mutex_lock(&w->lock);
    job->result = result;
    job->state = TB_JOB_RETURNED;
    l->stats.running--;
    l->stats.ran++;
    tb_mutex_unlock(&w->lock);
    if (!tb_mailbox_post(job->box, &job->message))
        tb_job_drop(job);
    tb_mutex_lock(&w->lock);
}

/* Waits for a job. false: this thread is no longer wanted. */
static bool await(tb_workers *w, lane *l)
{
    tb_instant until = tb_instant_add(tb_instant_now(), l->opt.idle);
    bool wanted = true;
    while (!l->first && wanted) {
        bool spare = l->stats.threads > l->opt.min;
        if (w->closing || (spare && tb_instant_le(until, tb_instant_now())))
            wanted = false;
        else
            tb_condition_wait(&l->changed, &w->lock, spare ? until : tb_instant_forever());
    }
    return wanted;
}

static void free_workers(tb_workers *w)
{
    for (int i = 0; i < w->lane_count; i++)
        tb_condition_close(&w->lanes[i].changed);
    tb_condition_close(&w->gone);
    tb_mutex_close(&w->lock);
    free(w);
}

static void *thread_main(void *ctx)
{
    lane *l = ctx;
    tb_workers *w = l->workers;
    tb_mutex_lock(&w->lock);
    while (await(w, l))
        run(w, l, l->first);
    l->stats.threads--;
    w->threads--;
    bool last = w->closing && w->threads == 0 && !w->awaited;
    tb_condition_all(&w->gone);
    tb_mutex_unlock(&w->lock);
    if (last)
        free_workers(w);
    return NULL;
}

static bool add_thread(lane *l)
{
    if (!tb_thread_start(thread_main, l))
        return false;
    l->stats.threads++;
    l->workers->threads++;
    return true;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

bool tb_workers_submit(tb_workers *w, tb_job *job, tb_loop_error *error)
{
    *error = TB_EINVAL;
    tb_mutex_lock(&w->lock);
    lane *l = job->lane >= 0 && job->lane < w->lane_count ? &w->lanes[job->lane] : NULL;
    bool taken = l != NULL;
    /* Jobs that threads, those still to be started included, will take at once do not wait. */
    if (l && l->stats.queued >= l->opt.queued + l->opt.max - l->stats.running) {
        l->stats.busy++;
        *error = TB_EBUSY;
        taken = false;
    } else if (l) {
        bool more = l->stats.queued >= l->stats.threads - l->stats.running && l->stats.threads < l->opt.max;
        if (more && !add_thread(l) && l->stats.threads == 0) {
            *error = TB_ENOMEM;
            taken = false;
        } else {
            enqueue(l, job);
            tb_condition_one(&l->changed);
        }
    }
    tb_mutex_unlock(&w->lock);
    return taken;
}

bool tb_workers_take_out(tb_workers *w, tb_job *job)
{
    tb_mutex_lock(&w->lock);
    bool queued = job->state == TB_JOB_QUEUED;
    if (queued) {
        dequeue(&w->lanes[job->lane], job);
        w->lanes[job->lane].stats.cancelled++;
    }
    tb_mutex_unlock(&w->lock);
    return queued;
}

/* ---- making and ending --------------------------------------------------------------------------------------------- */

tb_workers *tb_workers_make(void)
{
    static const tb_lane_options general = {.min = 0, .max = 4, .queued = 1024}, dns = {.min = 0, .max = 2, .queued = 256};
    tb_workers *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    tb_mutex_open(&w->lock);
    tb_condition_open(&w->gone);
    tb_workers_add_lane(w, &general);
    tb_workers_add_lane(w, &dns);
    return w;
}

int tb_workers_add_lane(tb_workers *w, const tb_lane_options *opt)
{
    if (opt->max < 1 || opt->min > opt->max) {
        errno = EINVAL;
        return -1;
    }
    tb_mutex_lock(&w->lock);
    int number = w->lane_count < TB_WORKER_LANES ? w->lane_count : -1;
    if (number >= 0) {
        lane *l = &w->lanes[number];
        l->workers = w;
        l->opt = *opt;
        if (l->opt.idle.ns <= 0)
            l->opt.idle = tb_duration_from_seconds(10);
        tb_condition_open(&l->changed);
        w->lane_count++;
    }
    tb_mutex_unlock(&w->lock);
    if (number < 0)
        errno = ENOSPC;
    return number;
}

/* Nothing more is begun; what waits is dropped. With the lock held. */
static void close_lanes(tb_workers *w)
{
    w->closing = true;
    for (int i = 0; i < w->lane_count; i++) {
        lane *l = &w->lanes[i];
        for (tb_job *job; (job = l->first);) {
            dequeue(l, job);
            l->stats.cancelled++;
            tb_job_drop(job);
        }
        tb_condition_all(&l->changed);
    }
}

void tb_workers_destroy(tb_workers *w)
{
    if (!w)
        return;
    tb_mutex_lock(&w->lock);
    w->awaited = true;
    close_lanes(w);
    while (w->threads > 0)
        tb_condition_wait(&w->gone, &w->lock, tb_instant_forever());
    tb_mutex_unlock(&w->lock);
    free_workers(w);
}

void tb_workers_release(tb_workers *w)
{
    tb_mutex_lock(&w->lock);
    close_lanes(w);
    bool last = w->threads == 0;
    tb_mutex_unlock(&w->lock);
    if (last)
        free_workers(w);
}

tb_lane_stats tb_workers_stats(tb_workers *w, int number)
{
    tb_mutex_lock(&w->lock);
    tb_assert(number >= 0 && number < w->lane_count);
    tb_lane_stats stats = w->lanes[number].stats;
    tb_mutex_unlock(&w->lock);
    return stats;
}

bool tb_workers_bounds(tb_workers *w, int number, size_t *most_running, size_t *most_queued)
{
    tb_mutex_lock(&w->lock);
    bool there = number >= 0 && number < w->lane_count;
    if (there) {
        *most_running = w->lanes[number].opt.max;
        *most_queued = w->lanes[number].opt.queued;
    }
    tb_mutex_unlock(&w->lock);
    return there;
}

void tb_workers_count(tb_workers *w, int number, tb_lane_stats more)
{
    tb_mutex_lock(&w->lock);
    w->lanes[number].stats.ran += more.ran;
    w->lanes[number].stats.cancelled += more.cancelled;
    w->lanes[number].stats.busy += more.busy;
    tb_mutex_unlock(&w->lock);
}
