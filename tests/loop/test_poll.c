/* poll: how long it waits, what it returns, who wakes it; and the end of a loop. */
#include <pthread.h>

#include "rigs.h"

static void waiting(rig *r)
{
    ok(tb_instant_eq(tb_instant_forever(), TB_INSTANT_MAX), "LOP-01 %s: the instant that never comes", r->name);
    tb_instant t = now(r);
    is(rig_poll(r, tb_instant_add(t, ns(50 * MS))), 0, "LOP-06 %s: 50 ms with nothing: 0", r->name);
    int64_t took = tb_instant_since(now(r), t).ns;
    ok(took >= 50 * MS && took < 5 * SEC, "LOP-06 %s: after 50 ms", r->name);
    t = now(r);
    tb_loop_after(r->loop, tb_instant_add(t, ns(20 * MS)), tb_here(1));
    is(rig_poll(r, tb_instant_add(t, ns(5 * SEC))), 1, "LOP-06 %s: or until a timer", r->name);
    took = tb_instant_since(now(r), t).ns;
    ok(took >= 20 * MS && took < 5 * SEC, "LOP-06 %s: after its 20 ms", r->name);
    rig_clear(r);
    t = now(r);
    is(rig_poll(r, t), 0, "LOP-07 %s: poll(now) with nothing: 0", r->name);
    is(rig_poll(r, TB_INSTANT_MIN), 0, "LOP-07 %s: and at any earlier instant", r->name);
    if (r->sim) {
        is(tb_instant_since(now(r), t).ns, 0, "LOP-07 %s: the clock has not moved", r->name);
        is(rig_poll(r, tb_instant_forever()), 0, "LOP-07 %s: poll(forever) with nothing: 0 at once", r->name);
        is(tb_instant_since(now(r), t).ns, 0, "LOP-07 %s: the clock has not moved either", r->name);
    }
}

static void appending(rig *r)
{
    for (uint64_t i = 0; i < 2; i++)
        tb_loop_after(r->loop, now(r), tb_here(i));
    rig_wait(r, 2);
    for (uint64_t i = 2; i < 5; i++)
        tb_loop_after(r->loop, now(r), tb_here(i));
    is(rig_poll(r, in(r, SEC)), 3, "LOP-16 %s: out holds 2 answers, 3 are ready: 3", r->name);
    is(r->out.len, 5, "LOP-16 %s: length 5", r->name);
    ok(r->out.items[0].token == 0 && r->out.items[1].token == 1, "LOP-16 %s: the first two untouched", r->name);
    rig_clear(r);
    for (uint64_t i = 0; i < 300; i++)
        tb_loop_after(r->loop, now(r), tb_here(i));
    is(rig_poll(r, now(r)), 300, "LOP-10 %s: 300 timers due: one poll returns 300", r->name);
    rig_clear(r);
    tb_op_id ids[200];
    for (uint64_t i = 0; i < 200; i++)
        ids[i] = tb_loop_after(r->loop, in(r, HOUR), tb_here(i));
    for (int i = 0; i < 200; i++)
        tb_loop_cancel(r->loop, ids[i]);
    is(rig_poll(r, now(r)), 200, "LOP-10 %s: 200 decided answers: one poll", r->name);
    rig_clear(r);
    tb_loop_after(r->loop, now(r), tb_here(1));
    tb_loop_after(r->loop, now(r), tb_here(2));
    rig_wait(r, 2);
    is(tb_loop_get_stats(r->loop).submitted, tb_loop_get_stats(r->loop).delivered, "CNT-01 CNT-02 %s: all submitted is delivered", r->name);
}

static void batches(rig *r)
{
    enum { SOCKETS = 200 };
    for (uint64_t i = 0; i < SOCKETS; i++) {
        tb_handle ab[2];
        rig_pair(r, ab);
        tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(1000));
        tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(i));
    }
    size_t most = 0;
    while (r->out.len < 2 * (size_t)SOCKETS) {
        size_t n = rig_poll(r, in(r, SEC));
        most = n > most ? n : most;
    }
    is(most, 128, "LOP-10 %s: of 400 kernel answers a poll takes 128 at most", r->name);
}

static void few_timers_a_pass(bool sim)
{
    rig r;
    rig_open(&r, (tb_loop_options){.backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM, .timers_per_pass = 100});
    for (uint64_t i = 0; i < 250; i++)
        tb_loop_after(r.loop, now(&r), tb_here(i));
    tb_instant t = now(&r);
    size_t first = rig_poll(&r, tb_instant_forever()), second = rig_poll(&r, tb_instant_forever()), third = rig_poll(&r, tb_instant_forever());
    ok(first == 100 && second == 100 && third == 50, "LOP-10 %s, timers_per_pass 100: 250 due come as 100, 100, 50", r.name);
    int disorder = 0;
    for (uint64_t i = 0; i < r.out.len; i++)
        disorder += r.out.items[i].token != i;
    none_of(disorder, "LOP-10 %s: in order", r.name);
    ok(tb_instant_since(now(&r), t).ns < 5 * SEC, "LOP-10 %s: without waiting", r.name);
    rig_close(&r);
}

typedef struct waking {
    tb_waker *waker;
    bool told;
} waking;

static void *wake_later(void *ctx)
{
    waking *w = ctx;
    tb_thread_sleep(tb_duration_from_millis(20));
    w->told = tb_waker_wake(w->waker);
    return NULL;
}

static void wakers(rig *r)
{
    waking w = {tb_loop_waker(r->loop), false};
    if (!r->sim) {
        pthread_t thread;
        pthread_create(&thread, NULL, wake_later, &w);
        is(rig_poll(r, tb_instant_forever()), 0, "LOP-10 %s: a wake from another thread ends poll(forever) with 0", r->name);
        pthread_join(thread, NULL);
        ok(w.told, "LOP-11 %s: wake: true", r->name);
    } else {
        tb_waker_wake(w.waker);
        rig_poll(r, in(r, SEC));
    }
    is(tb_loop_get_stats(r->loop).woken, 1, "LOP-10 CNT-10 %s: counted once", r->name);
    tb_waker_wake(w.waker);
    tb_instant t = now(r);
    rig_poll(r, in(r, 10 * SEC));
    ok(tb_instant_since(now(r), t).ns < 5 * SEC, "LOP-10 %s: a wake of before ends the next poll", r->name);
    tb_waker_release(w.waker);
}

static void death(bool sim)
{
    rig r, other;
    tb_loop_options opt = {.backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM};
    rig_open(&r, opt);
    rig_open(&other, opt);
    tb_handle ab[2], listener;
    tb_address at;
    tb_loop_error error;
    rig_pair(&r, ab);
    tb_address_parse("tcp:127.0.0.1:0", &at);
    tb_loop_listen(r.loop, &at, 0, &listener, &error);
    tb_waker *waker = tb_loop_waker(other.loop), *own = tb_loop_waker(r.loop);
    tb_loop_submit(r.loop, recv_op(&r, ab[0]), tb_here(1));
    tb_loop_submit(r.loop, recv_op(&r, ab[0]), tb_post(2, waker));
    tb_loop_submit(r.loop, tb_op_accept(listener), tb_here(3));
    tb_loop_after(r.loop, in(&r, HOUR), tb_here(4));
    tb_loop_after(r.loop, in(&r, HOUR), tb_post(5, waker));
    is(tb_loop_in_flight(r.loop), 5, "LOP-12 LOP-15 %s: 5 in flight", r.name);
    tb_loop_destroy(r.loop);
    is(lent(&r), 1, "LOP-12 %s: the loop is gone; the buffer posted elsewhere alone is not home", r.name);
    ok(!tb_waker_wake(own), "LOP-11 %s: a waker of a loop that is gone: false", r.name);
    ok(rig_wait(&other, 2) && other.out.len == 2, "LOP-12 %s: the other loop receives two", r.name);
    ok(is_outcome(&other, 2, TB_CANCELLED, true) && is_outcome(&other, 5, TB_CANCELLED, false), "LOP-12 TGT-02 %s: both Cancelled", r.name);
    rig_clear(&other);
    is(lent(&r), 0, "LOP-12 BUF-04 %s: all buffers are home", r.name);
    tb_waker_release(own);
    tb_waker_release(waker);
    tb_completions_free(&r.out);
    tb_pool_release(r.pool);
    rig_close(&other);
}

static void making(void)
{
    tb_loop_options wrong[] = {{.timer_slack = ns(-1)}, {.spin = ns(-1)}};
    for (size_t i = 0; i < 2; i++)
        ok(!tb_loop_make(&wrong[i]), "OPS-03 options out of range are refused");
    tb_sim_options span = {.answer = {ns(2), ns(1)}};
    ok(!tb_loop_make(&(tb_loop_options){.backend = TB_BACKEND_SIM, .sim = &span}), "OPS-03 as is a span that ends before it begins");
    tb_loop *real = tb_loop_must_make(NULL), *sim = tb_loop_must_make(&(tb_loop_options){.backend = TB_BACKEND_SIM});
    ok(strcmp(tb_loop_clock_name(real), "CLOCK_MONOTONIC") == 0 && strcmp(tb_loop_clock_name(sim), "synthetic") == 0,
       "LOP-01 case 37 a loop says which clock it has");
    tb_instant before = tb_instant_now(), at = tb_loop_now(real), after = tb_instant_now();
    ok(tb_instant_le(before, at) && tb_instant_le(at, after), "LOP-01 case 37 and the real one is the steady clock");
    is(tb_loop_now(sim).ns, 0, "LOP-01 case 37 a simulation starts where it is told: at 0");
    ok(TB_DONE == 0 && TB_FAILED == 1 && TB_CANCELLED == 2 && TB_TIMED_OUT == 3, "LOP-03 outcomes are numbered 0 to 3");
    tb_loop_destroy(real);
    tb_loop_destroy(sim);
    tb_loop_destroy(NULL);
}

static void poll_in_hook(void *ctx, const tb_completion *c)
{
    tb_completions out = {0};
    (void)c;
    tb_loop_poll(ctx, TB_INSTANT_MIN, &out);
}

static void nested(void *ctx)
{
    rig *r = ctx;
    tb_loop_after(r->loop, now(r), tb_to_hook(1, tb_hook_make(poll_in_hook, NULL, r->loop)));
    rig_poll(r, now(r));
}

static void broken_promises(rig *r)
{
    ok(aborts(nested, r), "LOP-05 %s: polling inside poll is refused", r->name);
}

int main(void)
{
    making();
    each_rig(waiting);
    each_rig(appending);
    each_rig(batches);
    each_rig(wakers);
    each_rig(broken_promises);
    for (int sim = 0; sim < 2; sim++) {
        few_timers_a_pass(sim);
        death(sim);
    }
    return rigs_done();
}
