/* The blocking pool: lanes, their bounds, threads that come and go. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "rigs.h"

static atomic_int gate_open, running;

static tb_job_result gated(void *arg, tb_buffer *buffer)
{
    (void)arg;
    (void)buffer;
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&gate_open))
        tb_thread_sleep(tb_duration_from_micros(200));
    atomic_fetch_sub(&running, 1);
    return tb_job_done(0);
}

static tb_job_result sleeping(void *arg, tb_buffer *buffer)
{
    tb_thread_sleep(tb_duration_from_millis(*(const int *)arg));
    if (buffer)
        tb_buffer_append(buffer, "slept", 5);
    return tb_job_done(5);
}

static tb_job_result quick(void *arg, tb_buffer *buffer)
{
    (void)arg;
    if (buffer)
        tb_buffer_append(buffer, "slept", 5);
    return tb_job_done(5);
}

static tb_job_result failing(void *arg, tb_buffer *buffer)
{
    (void)arg;
    (void)buffer;
    return tb_job_failed(TB_EIO, 5);
}

static tb_op call(rig *r, int lane, tb_job_work work, void *arg)
{
    tb_buffer *b = take(r);
    return tb_op_call(lane, work, arg, &b);
}

static void results(rig *r)
{
    tb_loop_submit(r->loop, call(r, TB_LANE_GENERAL, quick, NULL), tb_here(1));
    tb_loop_submit(r->loop, call(r, TB_LANE_DNS, failing, NULL), tb_here(2));
    tb_loop_submit(r->loop, tb_op_call(TB_LANE_DNS, quick, NULL, NULL), tb_here(3));
    tb_loop_submit(r->loop, call(r, 63, quick, NULL), tb_here(4));
    tb_loop_submit(r->loop, call(r, TB_LANE_DNS, NULL, NULL), tb_here(5));
    rig_wait(r, 5);
    ok(is_outcome(r, 1, TB_DONE, true) && answer(r, 1)->n == 5 && memcmp(tb_buffer_data(answer(r, 1)->buffer), "slept", 5) == 0,
       "BPL-02 %s: Call: Done(5), the buffer holds \"slept\"", r->name);
    ok(is_failed(r, 2, TB_EIO) && is_outcome(r, 2, TB_FAILED, true) && answer(r, 2)->os_error == 5, "BPL-02 %s: its failure is the answer", r->name);
    ok(is_outcome(r, 3, TB_DONE, false), "BPL-02 %s: without a buffer", r->name);
    ok(is_failed(r, 4, TB_EINVAL) && is_outcome(r, 4, TB_FAILED, true), "BPL-04 OPS-05 %s: no such lane: TB_EINVAL, buffer back", r->name);
    ok(is_failed(r, 5, TB_EINVAL), "BPL-02 %s: no work: TB_EINVAL", r->name);
}

static void bounds(bool sim)
{
    rig r;
    tb_workers *workers = tb_workers_make();
    int lane = tb_workers_add_lane(workers, &(tb_lane_options){.min = 1, .max = 1, .queued = 2});
    tb_sim_options opt = {.job = {ns(MS), ns(MS)}};
    rig_open(&r, (tb_loop_options){.workers = workers, .backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM, .sim = &opt});
    atomic_store(&gate_open, sim);
    tb_loop_submit(r.loop, call(&r, lane, gated, NULL), tb_here(1));
    while (!sim && !atomic_load(&running))
        tb_thread_sleep(tb_duration_from_micros(200));
    for (uint64_t i = 2; i <= 4; i++)
        tb_loop_submit(r.loop, call(&r, lane, gated, NULL), tb_here(i));
    is(tb_loop_get_stats(r.loop).at_submit, 1, "BPL-04 CNT-04 %s: the third that waits is decided at submit", r.name);
    rig_poll(&r, now(&r));
    ok(is_failed(&r, 4, TB_EBUSY) && is_outcome(&r, 4, TB_FAILED, true), "BPL-04 OPS-05 %s: Failed(TB_EBUSY), buffer back", r.name);
    atomic_store(&gate_open, 1);
    rig_wait(&r, 4);
    ok(is_outcome(&r, 1, TB_DONE, true) && is_outcome(&r, 2, TB_DONE, true) && is_outcome(&r, 3, TB_DONE, true), "BPL-04 %s: three run", r.name);
    tb_lane_stats s = tb_workers_stats(workers, lane);
    ok(s.ran == 3 && s.busy == 1, "BPL-04 CNT-12 %s: ran 3, busy 1", r.name);
    rig_close(&r);
    tb_workers_destroy(workers);
}

/* A lane without a queue takes what its threads can begin at once. */
static void no_queue(void)
{
    rig r;
    tb_workers *workers = tb_workers_make();
    int lane = tb_workers_add_lane(workers, &(tb_lane_options){.max = 2, .queued = 0});
    rig_open(&r, (tb_loop_options){.workers = workers});
    atomic_store(&gate_open, 0);
    for (uint64_t i = 1; i <= 3; i++)
        tb_loop_submit(r.loop, call(&r, lane, gated, NULL), tb_here(i));
    rig_poll(&r, now(&r));
    ok(r.out.len == 1 && is_failed(&r, 3, TB_EBUSY), "BPL-04 %s: two threads, no queue: the third job is refused", r.name);
    atomic_store(&gate_open, 1);
    rig_wait(&r, 3);
    ok(is_outcome(&r, 1, TB_DONE, true) && is_outcome(&r, 2, TB_DONE, true), "BPL-04 %s: two run", r.name);
    rig_close(&r);
    tb_workers_destroy(workers);
}

static void many_lanes(void)
{
    tb_workers *w = tb_workers_make();
    tb_lane_options one = {.max = 1};
    int made = 2;
    for (int n; (n = tb_workers_add_lane(w, &one)) >= 0; made++)
        if (n != made)
            break;
    is(made, TB_WORKER_LANES, "BPL-04 64 lanes in all");
    ok(tb_workers_add_lane(w, &(tb_lane_options){.max = 0}) < 0 && tb_workers_add_lane(w, &(tb_lane_options){.min = 2, .max = 1}) < 0,
       "BPL-04 a lane without threads, or with more at least than at most, is refused");
    tb_workers_destroy(w);
    tb_workers_destroy(NULL);
}

/* Six slow jobs on one lane, 200 reads on another. */
static void apart(void)
{
    rig r;
    char path[] = "/tmp/timerbench-loop-XXXXXX";
    static int long_time = 500;
    int fd = mkstemp(path);
    bool written = write(fd, "file", 4) == 4;
    close(fd);
    tb_handle f;
    tb_loop_error error = TB_EOK;
    rig_open(&r, (tb_loop_options){0});
    bool opened = tb_loop_open_file(r.loop, path, TB_OPEN_READ, &f, &error);
    for (uint64_t i = 0; i < 6; i++)
        tb_loop_submit(r.loop, tb_op_call(TB_LANE_DNS, sleeping, &long_time, NULL), tb_here(1000 + i));
    for (uint64_t i = 0; i < 200; i++) {
        tb_buffer *b = take(&r);
        tb_loop_submit(r.loop, tb_op_read_at(f, 0, &b), tb_here(i));
    }
    rig_wait(&r, 206);
    int slow_first = 0, wrong = !written || !opened;
    for (size_t i = 0; i < 200; i++)
        slow_first += r.out.items[i].token >= 1000;
    for (size_t i = 0; i < r.out.len; i++)
        wrong += r.out.items[i].outcome != TB_DONE || (r.out.items[i].token < 1000 && r.out.items[i].n != 4);
    none_of(slow_first, "BPL-05 %s: 200 reads are answered before the first of six slow jobs of another lane", r.name);
    none_of(wrong, "BPL-05 %s: all Done", r.name);
    tb_loop_close(r.loop, f);
    rig_close(&r);
    unlink(path);
}

static void growing(void)
{
    rig r;
    static int sixty = 60;
    tb_workers *workers = tb_workers_make();
    int lane = tb_workers_add_lane(workers, &(tb_lane_options){.min = 1, .max = 3, .queued = 8, .idle = ns(50 * MS)});
    rig_open(&r, (tb_loop_options){.workers = workers});
    for (uint64_t i = 0; i < 3; i++)
        tb_loop_submit(r.loop, tb_op_call(lane, sleeping, &sixty, NULL), tb_here(i));
    is(tb_workers_stats(workers, lane).threads, 3, "BPL-06 %s: three threads for three jobs", r.name);
    rig_wait(&r, 3);
    tb_instant t = now(&r);
    while (tb_workers_stats(workers, lane).threads > 1 && tb_instant_elapsed(t).ns < 5 * SEC)
        tb_thread_sleep(tb_duration_from_millis(5));
    is(tb_workers_stats(workers, lane).threads, 1, "BPL-06 %s: and one when idle", r.name);
    diag("%s: back to one thread after %d ms", r.name, (int)(tb_instant_elapsed(t).ns / MS));
    rig_clear(&r);
    tb_loop_submit(r.loop, tb_op_call(lane, sleeping, &sixty, NULL), tb_here(9));
    ok(rig_wait(&r, 1) && is_outcome(&r, 9, TB_DONE, false), "BPL-06 %s: which goes on working", r.name);
    rig_close(&r);
    tb_workers_destroy(workers);
}

/* The loop dies while one job runs and one waits. */
static void orphans(bool own)
{
    rig r;
    tb_workers *workers = own ? NULL : tb_workers_make();
    int lane = own ? TB_LANE_DNS : tb_workers_add_lane(workers, &(tb_lane_options){.max = 1, .queued = 8});
    rig_open(&r, (tb_loop_options){.workers = workers});
    atomic_store(&gate_open, 0);
    int count = own ? 3 : 2; /* one more than the lane has threads */
    for (int i = 0; i < count; i++)
        tb_loop_submit(r.loop, call(&r, lane, gated, NULL), tb_here(1));
    while (atomic_load(&running) < count - 1)
        tb_thread_sleep(tb_duration_from_micros(200));
    tb_loop_destroy(r.loop);
    is(lent(&r), count - 1, "BPL-07 LOP-12 %s: the loop is gone; the queued job's buffer is home, those that run keep theirs", r.name);
    atomic_store(&gate_open, 1);
    tb_instant t = tb_instant_now();
    while (lent(&r) && tb_instant_elapsed(t).ns < 5 * SEC)
        tb_thread_sleep(tb_duration_from_millis(1));
    is(lent(&r), 0, "BPL-07 BUF-04 %s: until they return: dropped, buffers home", r.name);
    while (atomic_load(&running))
        tb_thread_sleep(tb_duration_from_millis(1));
    tb_completions_free(&r.out);
    tb_pool_release(r.pool);
    tb_workers_destroy(workers);
}

int main(void)
{
    each_rig(results);
    bounds(true);
    bounds(false);
    no_queue();
    many_lanes();
    apart();
    growing();
    orphans(false);
    orphans(true);
    return rigs_done();
}
