/* Timers of a loop, on real and on virtual time. */
#include "rigs.h"

static bool tokens_are(const rig *r, const uint64_t *want, size_t n)
{
    bool same = r->out.len == n;
    for (size_t i = 0; same && i < n; i++)
        same = r->out.items[i].token == want[i];
    return same;
}

static void one(rig *r)
{
    tb_instant t = now(r);
    tb_loop_after(r->loop, tb_instant_add(t, ns(20 * MS)), tb_here(1));
    ok(rig_wait(r, 1) && is_outcome(r, 1, TB_DONE, false), "IOT-01 TGT-01 %s: +20 ms: Done, token 1", r->name);
    tb_completion *c = answer(r, 1);
    ok(tb_instant_since(c->dequeued, t).ns >= 20 * MS, "IOT-01 LOP-06 %s: not before its time", r->name);
    ok(c->n == 0 && tb_buffer_capacity(c->buffer) == 0, "IOT-04 LOP-04 %s: its count is 0, no buffer", r->name);
    if (r->sim)
        is(tb_instant_since(c->dequeued, t).ns, 20 * MS, "IOT-01 %s: at it", r->name);
    rig_clear(r);
    tb_loop_after(r->loop, in(r, -SEC), tb_here(2));
    is(rig_poll(r, now(r)), 1, "IOT-07 TRP-15 %s: a past instant: Done at the next poll, which does not wait", r->name);
    ok(is_outcome(r, 2, TB_DONE, false), "IOT-07 %s: Done", r->name);
}

static void cancelled(rig *r)
{
    tb_instant t = now(r);
    tb_loop_after(r->loop, tb_instant_add(t, ns(6 * MS)), tb_here(3));
    tb_loop_after(r->loop, tb_instant_add(t, ns(2 * MS)), tb_here(1));
    tb_loop_after(r->loop, tb_instant_add(t, ns(4 * MS)), tb_here(2));
    tb_op_id id = tb_loop_after(r->loop, tb_instant_add(t, ns(3 * MS)), tb_here(9));
    ok(tb_loop_cancel(r->loop, id), "IOT-05 %s: cancel: true", r->name);
    ok(!tb_loop_cancel(r->loop, id), "IOT-05 IOC-04 %s: it is answered there and then: a second says false", r->name);
    rig_wait(r, 4);
    ok(tokens_are(r, (uint64_t[]){9, 1, 2, 3}, 4), "IOT-06 %s: Cancelled first, then 2, 4 and 6 ms", r->name);
    ok(is_outcome(r, 9, TB_CANCELLED, false), "IOT-05 %s: Cancelled", r->name);
}

/* 200 timers 5 .. 204 ms off, armed out of order. */
static void many(rig *r)
{
    tb_instant t = now(r);
    for (uint64_t i = 0; i < 200; i++)
        tb_loop_after(r->loop, tb_instant_add(t, ns((5 + (int64_t)(i * 37 % 200)) * MS)), tb_here(5 + i * 37 % 200));
    rig_wait(r, 200);
    int early = 0, disorder = 0;
    for (size_t i = 0; i < r->out.len; i++) {
        const tb_completion *c = &r->out.items[i];
        early += tb_instant_since(c->dequeued, t).ns < (int64_t)c->token * MS;
        disorder += c->token != 5 + i;
    }
    is(r->out.len, 200, "LOP-09 %s: 200 timers armed out of order: each once", r->name);
    none_of(early, "LOP-09 IOD-13 %s: none early", r->name);
    none_of(disorder, "LOP-09 %s: in the order of their deadlines", r->name);
}

static void near_after_idling(rig *r)
{
    rig_poll(r, in(r, r->sim ? SEC : 50 * MS));
    tb_timers_stats before = tb_loop_timers_stats(r->loop);
    tb_instant t = now(r);
    tb_loop_after(r->loop, tb_instant_add(t, ns(300 * US)), tb_here(1));
    is(tb_loop_timers_stats(r->loop).armed_precise - before.armed_precise, 1, "LOP-09 %s: after a long idle, 300 us off is precise", r->name);
    rig_wait(r, 1);
    int64_t at = tb_instant_since(answer(r, 1)->dequeued, t).ns;
    ok(r->sim ? at == 300 * US : at >= 300 * US, "LOP-09 %s: answered at +300 us%s", r->name, r->sim ? " exactly" : " or later");
}

static void lanes(rig *r)
{
    if (!r->sim)
        return;
    tb_instant t = now(r);
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_set_slop(r->loop, 1, ns(10 * MS));
    tb_loop_after_lane(r->loop, tb_instant_add(t, ns(1 * MS)), tb_here(1), 1);
    tb_loop_after_lane(r->loop, tb_instant_add(t, ns(3 * MS)), tb_here(2), 1);
    tb_loop_after_lane(r->loop, tb_instant_add(t, ns(9900 * US)), tb_here(3), 1);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(4), tb_instant_add(t, ns(4 * MS)));
    rig_wait(r, 1);
    ok(is_outcome(r, 4, TB_TIMED_OUT, true), "SLP-10 %s: a deadline is in lane 0, without slop", r->name);
    is(tb_instant_since(answer(r, 4)->dequeued, t).ns, 4 * MS, "SLP-10 IOD-13 %s: acted on at +4 ms", r->name);
    rig_clear(r);
    is(rig_poll(r, in(r, SEC)), 3, "SLP-10 %s: three timers of lane 1 in one poll", r->name);
    ok(tokens_are(r, (uint64_t[]){1, 2, 3}, 3), "SLP-10 %s: in their order", r->name);
    is(tb_instant_since(now(r), t).ns, 10 * MS, "SLP-10 %s: at +10 ms", r->name);
}

/* A tick of 1 ms, 500 times. */
static void ticking(rig *r)
{
    enum { TICKS = 500 };
    int early = 0;
    tb_instant next = in(r, MS);
    for (uint64_t i = 0; i < TICKS; i++, next = tb_instant_add(next, ns(MS))) {
        tb_loop_after(r->loop, next, tb_here(i));
        rig_wait(r, 1);
        early += !answer(r, i) || tb_instant_lt(answer(r, i)->dequeued, next);
        rig_clear(r);
    }
    none_of(early, "LOP-08 GB-01 %s: 500 ticks of 1 ms: each once, none early", r->name);
    is(tb_loop_lateness(r->loop)->count, TICKS, "LOP-08 %s: the loop's histogram has them", r->name);
    diag("%s: lateness p50 %d us, p99 %d us", r->name, (int)(tb_lateness_quantile(tb_loop_lateness(r->loop), 0.5) / 1000),
         (int)(tb_lateness_quantile(tb_loop_lateness(r->loop), 0.99) / 1000));
}

/* Case 14: two due at once; whoever handles the first cancels the second, which is out already. Case 15: arms into the slot just
   freed. */
static void cancel_while_expiring(rig *r)
{
    tb_instant t = in(r, 5 * MS);
    tb_op_id a = tb_loop_after(r->loop, t, tb_here(1)), b = tb_loop_after(r->loop, t, tb_here(2));
    rig_wait(r, 2);
    ok(tokens_are(r, (uint64_t[]){1, 2}, 2) && !tb_loop_cancel(r->loop, b) && !tb_loop_cancel(r->loop, a),
       "LOP-02 case 14 %s: both are delivered; cancelling either finds nothing", r->name);
    rig_clear(r);
    tb_op_id c = tb_loop_after(r->loop, in(r, 5 * MS), tb_here(3));
    ok(!tb_loop_cancel(r->loop, a) && !tb_loop_cancel(r->loop, b) && !tb_op_same(c, a) && !tb_op_same(c, b),
       "BUF-06 case 15 %s: an id of before does not name the one armed in its place", r->name);
    ok(rig_wait(r, 1) && is_outcome(r, 3, TB_DONE, false), "LOP-02 case 15 %s: which fires later, once", r->name);
}

static tb_loop *hook_loop;
static tb_op_id hook_victim;
static bool hook_found;
static void cancel_other(void *ctx, const tb_completion *c)
{
    (void)ctx;
    (void)c;
    hook_found = tb_loop_cancel(hook_loop, hook_victim);
    tb_loop_after(hook_loop, tb_loop_now(hook_loop), tb_here(7));
    tb_loop_submit(hook_loop, tb_op_recv_ready(tb_handle_none()), tb_here(8)); /* decided there and then */
}

/* The same from inside the pass, by a hook. */
static void cancel_in_a_hook(rig *r)
{
    tb_instant t = in(r, 5 * MS);
    hook_loop = r->loop;
    tb_loop_after(r->loop, t, tb_to_hook(1, tb_hook_make(cancel_other, NULL, NULL)));
    hook_victim = tb_loop_after(r->loop, t, tb_here(2));
    rig_wait(r, 1);
    ok(!hook_found && is_outcome(r, 2, TB_DONE, false), "LOP-02 case 14 %s: a hook cancels a timer of its own batch: false, and that one is Done", r->name);
    rig_wait(r, 3);
    ok(r->out.len == 3 && is_outcome(r, 7, TB_DONE, false) && is_failed(r, 8, TB_EBADF),
       "LOP-02 LOP-14 case 15 %s: what it arms for now, and what is refused at once, comes in the next pass", r->name);
}

/* Case 34: a sleep of 50 ms takes at least 50 ms, and a few passes. */
static void sleeping(rig *r)
{
    tb_instant t = now(r);
    uint64_t before = tb_loop_get_stats(r->loop).passes;
    tb_loop_after(r->loop, tb_instant_add(t, ns(50 * MS)), tb_here(1));
    rig_wait(r, 1);
    uint64_t passes = tb_loop_get_stats(r->loop).passes - before;
    ok(tb_instant_since(now(r), t).ns >= 50 * MS, "LOP-06 case 34 %s: not before 50 ms", r->name);
    ok(passes <= 5, "LOP-06 case 34 %s: in at most 5 passes, %d", r->name, (int)passes);
}

/* What is due already, or in less than a millisecond, with either way of waiting: nothing is rounded to milliseconds, and a past
   instant does not disarm. */
static void small_waits(tb_loop_wait wait)
{
    rig r;
    rig_open(&r, (tb_loop_options){.wait = wait});
    const char *name = wait == TB_WAIT_TIMERFD ? "epoll, timerfd" : "epoll, epoll_pwait2";
    tb_loop_after(r.loop, TB_INSTANT_MIN, tb_here(1));
    ok(rig_poll(&r, tb_instant_forever()) == 1, "TRP-10 IOT-07 %s: the earliest instant there is: Done at once", name);
    tb_loop_after(r.loop, tb_instant_from_nanos(0), tb_here(2));
    ok(rig_poll(&r, tb_instant_forever()) == 1, "TRP-10 %s: instant 0, too", name);
    int early = 0, passes = 0;
    for (uint64_t i = 0; i < 100; i++) {
        tb_instant at = in(&r, 150 * US);
        uint64_t before = tb_loop_get_stats(r.loop).passes;
        tb_loop_after(r.loop, at, tb_here(3));
        rig_clear(&r);
        rig_wait(&r, 1);
        early += tb_instant_lt(answer(&r, 3)->dequeued, at);
        passes += (int)(tb_loop_get_stats(r.loop).passes - before);
    }
    none_of(early, "TRP-10 TRP-11 %s: 100 waits of 150 us: none early", name);
    ok(passes <= 500, "TRP-11 %s: each waited for, not polled for: %d passes", name, passes);
    rig_close(&r);
}

int main(void)
{
    small_waits(TB_WAIT_PWAIT2);
    small_waits(TB_WAIT_TIMERFD);
    each_rig(one);
    each_rig(cancelled);
    each_rig(many);
    each_rig(near_after_idling);
    each_rig(lanes);
    each_rig(cancel_while_expiring);
    each_rig(cancel_in_a_hook);
    each_rig(sleeping);
    for (int timerfd = 0; timerfd < 2; timerfd++) {
        rig r;
        rig_open(&r, (tb_loop_options){.wait = timerfd ? TB_WAIT_TIMERFD : TB_WAIT_BEST});
        snprintf(r.name, sizeof r.name, "epoll, %s", timerfd ? "timerfd" : "epoll_pwait2");
        ticking(&r);
        rig_close(&r);
        rig_open(&r, (tb_loop_options){.wait = timerfd ? TB_WAIT_TIMERFD : TB_WAIT_BEST, .timer_slack = ns(1), .spin = ns(100 * US)});
        snprintf(r.name, sizeof r.name, "epoll, %s, slack and spin", timerfd ? "timerfd" : "epoll_pwait2");
        ticking(&r);
        rig_close(&r);
    }
    return rigs_done();
}
