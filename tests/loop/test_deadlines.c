/* Deadlines on operations: at submit, at their time, with and without grace. */
#include "loop/portable.h"
#include "rigs.h"

static void in_time(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_instant t = now(r);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(1), tb_instant_add(t, ns(50 * MS)));
    rig_wait(r, 1);
    tb_completion *c = answer(r, 1);
    ok(is_outcome(r, 1, TB_TIMED_OUT, true), "IOD-02 IOD-04 IOD-06 LOP-04 %s: silent until +50 ms: TimedOut, buffer back", r->name);
    int64_t at = tb_instant_since(c->dequeued, t).ns;
    ok(at >= 50 * MS && at < 5 * SEC, "IOD-02 IOD-13 %s: not before", r->name);
    if (r->sim)
        ok(at <= 52 * MS, "IOD-13 %s: within a tick and the grace", r->name);
    is(tb_loop_get_stats(r->loop).prompt_timeouts, 0, "IOD-06 CNT-05 %s: with the buffer, so not promptly", r->name);
    ok(!tb_loop_cancel(r->loop, c->id), "IOC-02 %s: its id names nothing", r->name);
    rig_clear(r);

    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(9));
    rig_wait(r, 1);
    rig_clear(r);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(2), in(r, 30 * MS));
    rig_wait(r, 1);
    ok(is_outcome(r, 2, TB_DONE, true) && answer(r, 2)->n == 1, "IOD-12 %s: a byte in time: Done(1)", r->name);
    rig_clear(r);
    is(rig_poll(r, in(r, 50 * MS)), 0, "IOD-12 %s: and nothing more at the deadline", r->name);
    is(tb_loop_timers_stats(r->loop).pending, 0, "IOD-12 %s: it was cancelled", r->name);

    /* Asked to end in a pass, decided in the next of the same poll, also when that does not wait. */
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(4), in(r, 2 * MS));
    tb_instant at_deadline = in(r, 5 * MS);
    while (!r->sim && tb_instant_lt(now(r), at_deadline))
        tb_thread_sleep(tb_duration_from_millis(1));
    is(rig_poll(r, r->sim ? at_deadline : now(r)), 1, "IOC-02 TRP-15 %s: one poll(now) after a deadline has the answer", r->name);
    ok(is_outcome(r, 4, TB_TIMED_OUT, true), "IOD-06 %s: TimedOut, with its buffer", r->name);
    rig_clear(r);

    /* A deadline far off the grid, on virtual time: acted on at the next tick. */
    if (r->sim) {
        t = now(r);
        tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(3), tb_instant_add(t, ns(4 * MS + 300 * US)));
        rig_wait(r, 1);
        at = tb_instant_since(answer(r, 3)->dequeued, t).ns;
        ok(at >= 4 * MS + 300 * US && at <= 6 * MS + 300 * US, "IOD-13 %s: never early, a tick and the grace late at most", r->name);
    }
}

static void passed(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(1), in(r, -MS));
    is(tb_loop_get_stats(r->loop).submitted, 1, "CNT-01 %s: counted as submitted before any poll", r->name);
    is(tb_loop_get_stats(r->loop).at_submit, 1, "IOD-03 CNT-04 %s: and as decided at submit", r->name);
    is(tb_loop_in_flight(r->loop), 1, "CNT-03 %s: in flight until delivered", r->name);
    is(rig_poll(r, now(r)), 1, "IOD-03 %s: answered by the next poll", r->name);
    ok(is_outcome(r, 1, TB_TIMED_OUT, true), "IOD-03 %s: TimedOut, buffer back", r->name);
    rig_clear(r);
    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(2));
    rig_wait(r, 1);
    rig_clear(r);
    tb_instant t = now(r);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(3), t);
    rig_wait(r, 1);
    ok(is_outcome(r, 3, TB_TIMED_OUT, true), "IOD-03 %s: a deadline that is now counts as passed", r->name);
    rig_clear(r);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(4));
    rig_wait(r, 1);
    ok(is_outcome(r, 4, TB_DONE, true) && answer(r, 4)->n == 1, "IOD-03 %s: it was never started: the byte is still there", r->name);
    rig_clear(r);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(5), TB_INSTANT_MIN);
    rig_wait(r, 1);
    ok(is_outcome(r, 5, TB_TIMED_OUT, true), "IOD-01 %s: the earliest instant there is", r->name);
}

static void without_grace(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_set_grace(r->loop, tb_duration_zero());
    tb_instant t = now(r);
    tb_op_id id = tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(1), tb_instant_add(t, ns(20 * MS)));
    rig_wait(r, 1);
    ok(is_outcome(r, 1, TB_TIMED_OUT, false) && answer(r, 1)->n == 0, "IOD-05 IOD-07 %s: without grace: TimedOut, no buffer", r->name);
    int64_t at = tb_instant_since(answer(r, 1)->dequeued, t).ns;
    ok(r->sim ? at == 20 * MS : at >= 20 * MS, "IOD-05 %s: at the deadline itself", r->name);
    is(tb_loop_get_stats(r->loop).prompt_timeouts, 1, "IOD-07 CNT-05 %s: counted", r->name);
    is(tb_loop_in_flight(r->loop), 0, "IOD-07 CNT-03 %s: in flight no more", r->name);
    ok(!tb_loop_cancel(r->loop, id), "IOD-07 %s: its id names nothing", r->name);
    ok(rig_until(r, late_returns, 1), "IOD-07 CNT-06 %s: the kernel gives it back later", r->name);
    is(lent(r), 0, "IOD-07 BUF-01 BUF-04 %s: and the buffer goes home", r->name);
    is(r->out.len, 1, "IOD-07 LOP-02 %s: nothing is answered twice", r->name);
}

static int hook_shots;

/* On virtual time, with a kernel that takes long to cancel. */
static void overtaken(void)
{
    rig r;
    tb_sim_options sim = {.cancel = {ns(10 * MS), ns(10 * MS)}, .answer = {ns(0), ns(0)}};
    rig_open(&r, (tb_loop_options){.backend = TB_BACKEND_SIM, .sim = &sim});
    tb_handle ab[2];
    rig_pair(&r, ab);
    tb_loop_set_grace(r.loop, ns(MS));
    /* By itself: the byte arrives in the grace, and the kernel's cancel has not caught it yet. */
    tb_loop_submit_by(r.loop, recv_op(&r, ab[0]), tb_here(1), in(&r, 20 * MS));
    rig_poll(&r, in(&r, 20 * MS + 500 * US));
    is(r.out.len, 0, "IOD-05 %s: in its grace", r.name);
    tb_sim_feed(r.loop, ab[0], "x", 1);
    rig_wait(&r, 1);
    ok(is_outcome(&r, 1, TB_DONE, true) && answer(&r, 1)->n == 1, "IOD-09 %s: done in the grace: Done, with its buffer", r.name);
    rig_clear(&r);
    is(tb_loop_get_stats(r.loop).prompt_timeouts, 0, "IOD-09 %s: not a prompt timeout", r.name);

    /* A cancel that takes longer than the grace. */
    tb_loop_submit_by(r.loop, recv_op(&r, ab[0]), tb_here(2), in(&r, 20 * MS));
    rig_wait(&r, 1);
    ok(is_outcome(&r, 2, TB_TIMED_OUT, false), "IOD-07 %s: a cancel longer than the grace: TimedOut without buffer", r.name);
    rig_clear(&r);
    ok(rig_until(&r, late_returns, 1), "IOD-07 %s: which comes back when the kernel lets it go", r.name);
    rig_close(&r);
}

/* A job that returns between the decision and the delivery, on real threads. */
static atomic_int gate_open, job_started;
static tb_job_result gated(void *arg, tb_buffer *buffer)
{
    (void)arg;
    atomic_store(&job_started, 1);
    while (!atomic_load(&gate_open))
        tb_thread_sleep(tb_duration_from_micros(100));
    tb_buffer_append(buffer, "slept", 5);
    return tb_job_done(5);
}

static void open_gate(void *ctx)
{
    rig *r = ctx;
    if (!r->loop->first_answer || !r->loop->first_answer->prompt)
        return;
    atomic_store(&gate_open, 1);
    for (bool there = false; !there;) {
        tb_thread_sleep(tb_duration_from_millis(1));
        tb_mutex_lock(&r->loop->mailbox->lock);
        there = r->loop->mailbox->first != NULL;
        tb_mutex_unlock(&r->loop->mailbox->lock);
    }
    tb_mail mail = tb_mailbox_take(r->loop->mailbox);
    r->loop->backend->job_returned(r->loop, mail.first);
    hook_shots++;
}

static void overtaken_by_a_job(void)
{
    rig r;
    rig_open(&r, (tb_loop_options){0});
    tb_loop_set_grace(r.loop, tb_duration_zero());
    r.loop->before_flush = open_gate;
    r.loop->before_flush_ctx = &r;
    hook_shots = 0;
    atomic_store(&gate_open, 0);
    tb_buffer *b = take(&r);
    /* Long enough for a worker to begin on any machine: what has not begun is answered otherwise. */
    tb_loop_submit_by(r.loop, tb_op_call(TB_LANE_GENERAL, gated, NULL, &b), tb_here(1), in(&r, 500 * MS));
    rig_wait(&r, 1);
    is(hook_shots, 1, "IOD-09 %s: the job returned between the loop's decision and its delivery", r.name);
    ok(is_outcome(&r, 1, TB_DONE, true) && answer(&r, 1)->n == 5, "IOD-09 %s: its own outcome is the answer: Done(5), with the buffer", r.name);
    rig_poll(&r, in(&r, 5 * MS));
    tb_loop_stats s = tb_loop_get_stats(r.loop);
    ok(r.out.len == 1 && s.prompt_timeouts == 0 && s.late_returns == 0, "IOD-09 LOP-02 %s: once", r.name);
    rig_close(&r);
}

static void running_job(void)
{
    rig r;
    tb_workers *workers = tb_workers_make();
    rig_open(&r, (tb_loop_options){.workers = workers});
    atomic_store(&gate_open, 0);
    tb_buffer *b = take(&r);
    tb_instant t = now(&r);
    tb_loop_submit_by(r.loop, tb_op_call(TB_LANE_GENERAL, gated, NULL, &b), tb_here(1), tb_instant_add(t, ns(20 * MS)));
    rig_wait(&r, 1);
    ok(is_outcome(&r, 1, TB_TIMED_OUT, false), "IOD-11 BPL-01 %s: a job that runs at its deadline: TimedOut, without buffer", r.name);
    ok(tb_instant_since(answer(&r, 1)->dequeued, t).ns >= 21 * MS, "IOD-11 IOD-05 %s: after the grace", r.name);
    is(lent(&r), 1, "IOD-11 CNT-13 %s: its buffer is still lent", r.name);
    atomic_store(&gate_open, 1);
    ok(rig_until(&r, late_returns, 1), "IOD-11 CNT-06 %s: the gate opens: it comes back", r.name);
    is(lent(&r), 0, "IOD-11 BUF-04 %s: its buffer goes home", r.name);
    is(r.out.len, 1, "IOD-11 LOP-02 %s: no second answer", r.name);
    is(tb_workers_stats(workers, TB_LANE_GENERAL).ran, 1, "CNT-12 %s: it ran", r.name);
    rig_close(&r);
    tb_workers_destroy(workers);
}

static tb_job_result slow(void *arg, tb_buffer *buffer)
{
    (void)arg;
    (void)buffer;
    tb_thread_sleep(tb_duration_from_millis(100));
    return tb_job_done(0);
}

static void queued_job(bool sim)
{
    rig r;
    tb_workers *workers = tb_workers_make();
    int lane = tb_workers_add_lane(workers, &(tb_lane_options){.max = 1, .queued = 8});
    tb_sim_options opt = {.job = {ns(100 * MS), ns(100 * MS)}};
    rig_open(&r, (tb_loop_options){.workers = workers, .backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM, .sim = &opt});
    tb_buffer *b = take(&r);
    tb_loop_submit(r.loop, tb_op_call(lane, slow, NULL, &b), tb_here(1));
    b = take(&r);
    tb_loop_submit_by(r.loop, tb_op_call(lane, slow, NULL, &b), tb_here(2), in(&r, 20 * MS));
    rig_wait(&r, 2);
    ok(r.out.items[0].token == 2 && is_outcome(&r, 2, TB_TIMED_OUT, true), "IOD-10 BPL-01 %s: a queued job at its deadline: first, TimedOut, buffer back", r.name);
    ok(is_outcome(&r, 1, TB_DONE, true), "IOD-10 %s: the one before it is Done", r.name);
    tb_lane_stats s = tb_workers_stats(workers, lane);
    ok(s.ran == 1 && s.cancelled == 1, "IOD-10 CNT-12 %s: ran 1, cancelled 1", r.name);
    rig_clear(&r);
    b = take(&r);
    tb_loop_submit_by(r.loop, tb_op_call(lane, slow, NULL, &b), tb_here(3), in(&r, -MS));
    rig_wait(&r, 1);
    ok(is_outcome(&r, 3, TB_TIMED_OUT, true), "BPL-08 %s: a job whose deadline has passed: TimedOut, buffer back", r.name);
    is(tb_workers_stats(workers, lane).ran, 1, "BPL-08 %s: never run", r.name);
    rig_close(&r);
    tb_workers_destroy(workers);
}

int main(void)
{
    each_rig(in_time);
    each_rig(passed);
    each_rig(without_grace);
    overtaken();
    overtaken_by_a_job();
    running_job();
    queued_job(true);
    queued_job(false);
    return rigs_done();
}
