/* Cancel groups: nesting, deadlines, shields, other threads. */
#include <pthread.h>
#include <sched.h>

#include "loop/portable.h"
#include "rigs.h"

static void silent(rig *r, tb_handle h, uint64_t token, tb_group *g, tb_instant deadline)
{
    tb_loop_submit_in(r->loop, recv_op(r, h), tb_here(token), g, deadline);
}

static void deadlines(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_instant t = now(r);
    tb_group *far = tb_group_until(tb_instant_add(t, ns(10 * SEC)));
    tb_group *near = tb_group_child_until(far, tb_instant_add(t, ns(30 * MS))), *later = tb_group_child_until(far, tb_instant_add(t, ns(20 * SEC)));
    tb_group *same = tb_group_child(near);
    ok(tb_instant_eq(tb_group_deadline(near), tb_instant_add(t, ns(30 * MS))) && tb_instant_eq(tb_group_deadline(later), tb_group_deadline(far)) &&
           tb_instant_eq(tb_group_deadline(same), tb_group_deadline(near)),
       "GRP-03 GRP-16 %s: a child's deadline is the tighter of its own and its parent's", r->name);
    silent(r, ab[0], 1, far, tb_instant_add(t, ns(30 * MS)));
    rig_wait(r, 1);
    ok(is_outcome(r, 1, TB_TIMED_OUT, true) && tb_instant_since(answer(r, 1)->dequeued, t).ns >= 30 * MS,
       "GRP-04 IOD-01 %s: own +30 ms in a +10 s group: TimedOut, not before", r->name);
    rig_clear(r);
    t = now(r);
    tb_group *forty = tb_group_until(tb_instant_add(t, ns(40 * MS)));
    silent(r, ab[0], 2, forty, tb_instant_forever());
    tb_loop_after_in(r->loop, tb_instant_add(t, ns(60 * MS)), tb_here(3), forty);
    rig_wait(r, 2);
    ok(is_outcome(r, 2, TB_TIMED_OUT, true) && tb_instant_since(answer(r, 2)->dequeued, t).ns >= 40 * MS,
       "GRP-02 GRP-04 %s: forever() in a +40 ms group: TimedOut, not before", r->name);
    ok(is_outcome(r, 3, TB_DONE, false) && tb_instant_since(answer(r, 3)->dequeued, t).ns >= 60 * MS,
       "GRP-05 IOT-02 %s: a timer in it is Done at its own time", r->name);
    rig_clear(r);

    tb_group *over = tb_group_until(now(r));
    silent(r, ab[0], 4, over, tb_instant_forever());
    is(tb_loop_get_stats(r->loop).at_submit, 1, "GRP-09 CNT-04 %s: the group's deadline has passed: decided at submit", r->name);
    tb_loop_after_in(r->loop, in(r, 20 * MS), tb_here(5), over);
    tb_completer *c = tb_loop_external_in(r->loop, tb_here(6), NULL, over, tb_instant_forever());
    ok(!tb_completer_is_live(c), "GRP-09 %s: an external operation in it is not live", r->name);
    rig_wait(r, 3);
    ok(is_outcome(r, 4, TB_TIMED_OUT, true) && is_outcome(r, 6, TB_TIMED_OUT, false), "GRP-09 %s: both TimedOut", r->name);
    ok(is_outcome(r, 5, TB_DONE, false), "GRP-20 %s: a timer in it: Done at its own time", r->name);
    tb_completer_destroy(c);
    tb_group *all[] = {far, near, later, same, forty, over};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tb_group_release(all[i]);
}

static void nesting(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_group *parent = tb_group_make(), *child = tb_group_child(parent);
    ok(tb_group_id(child) > tb_group_id(parent) && tb_group_id(parent) > 0, "GRP-16 %s: ids are unique", r->name);
    ok(!tb_group_is_cancelled(child) && !tb_group_is_shield(child), "GRP-16 %s: getters", r->name);
    silent(r, ab[0], 1, child, tb_instant_forever());
    ok(tb_group_cancel(parent) && !tb_group_cancel(parent), "GRP-08 %s: cancel: true, then false", r->name);
    ok(tb_group_is_cancelled(child), "GRP-06 GRP-07 %s: the child is cancelled with it", r->name);
    rig_wait(r, 1);
    ok(is_outcome(r, 1, TB_CANCELLED, true), "GRP-06 GRP-01 %s: and its receive", r->name);
    rig_clear(r);

    tb_buffer *b = take(r);
    tb_loop_submit_in(r->loop, tb_op_recv(ab[0], &b), tb_here(2), child, in(r, -MS));
    tb_loop_after_in(r->loop, in(r, HOUR), tb_here(3), child);
    is(tb_loop_get_stats(r->loop).at_submit, 2, "GRP-07 CNT-04 %s: what comes later is decided at submit", r->name);
    rig_wait(r, 2);
    ok(is_outcome(r, 2, TB_CANCELLED, true) && tb_buffer_capacity(answer(r, 2)->buffer) == 4096,
       "GRP-07 BUF-02 %s: Cancelled, tested before the deadline; a buffer of 4096 back for 100", r->name);
    ok(is_outcome(r, 3, TB_CANCELLED, false), "GRP-07 %s: a timer, too", r->name);
    rig_clear(r);

    tb_group *parent2 = tb_group_make(), *child2 = tb_group_child(parent2);
    silent(r, ab[0], 4, parent2, tb_instant_forever());
    tb_group_cancel(child2);
    rig_poll(r, in(r, 20 * MS));
    ok(!tb_group_is_cancelled(parent2) && tb_group_is_cancelled(child2) && r->out.len == 0, "GRP-06 %s: a child's cancel does not reach its parent", r->name);
    tb_group_release(parent2); /* its handle first: the child keeps it */
    tb_group *grandchild = tb_group_child(child2);
    ok(tb_group_is_cancelled(grandchild), "GRP-17 %s: a group keeps its parent alive", r->name);
    tb_group *all[] = {parent, child, child2, grandchild};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tb_group_release(all[i]);
}

/* What does not end at once is asked once, however many of its groups are cancelled. */
static void asked_once(rig *r)
{
    tb_group *parent = tb_group_make(), *child = tb_group_child(parent);
    tb_completer *c = tb_loop_external_in(r->loop, tb_here(1), NULL, child, tb_instant_forever());
    tb_group_cancel(child);
    rig_poll(r, in(r, MS));
    tb_group_cancel(parent);
    rig_poll(r, in(r, MS));
    is(tb_loop_get_stats(r->loop).group_cancels, 1, "CNT-09 %s: an operation in two cancelled groups is asked to end once", r->name);
    ok(tb_completer_is_cancel_requested(c), "GRP-01 EXT-01 %s: and told", r->name);
    tb_completer_cancelled(c);
    ok(rig_wait(r, 1) && is_outcome(r, 1, TB_CANCELLED, false), "GRP-01 %s: Cancelled", r->name);
    tb_completer_destroy(c);
    tb_handle ab[2];
    rig_pair(r, ab);
    silent(r, ab[0], 2, NULL, in(r, 5 * MS));
    ok(rig_wait(r, 2) && is_outcome(r, 2, TB_TIMED_OUT, true), "GRP-04 %s: no group: its own deadline alone", r->name);
    tb_group_release(parent);
    tb_group_release(child);
}

static void shields(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_group *g = tb_group_until(in(r, 50 * MS)), *s = tb_group_shield(g, in(r, 5 * SEC)), *inner = tb_group_child(s);
    tb_group_cancel(g);
    ok(!tb_group_is_cancelled(s) && tb_group_is_shield(s) && tb_group_is_cancelled(g), "GRP-10 GRP-16 %s: a shield is not cancelled with its parent", r->name);
    ok(!tb_group_is_cancelled(inner), "GRP-11 %s: nor is a child of it", r->name);
    ok(tb_instant_lt(tb_group_deadline(g), tb_group_deadline(s)), "GRP-10 %s: nor does the parent's deadline bind it", r->name);
    silent(r, ab[0], 1, s, tb_instant_forever());
    tb_loop_submit_in(r->loop, send_op(r, ab[1], "x", 1), tb_here(2), s, tb_instant_forever());
    rig_wait(r, 2);
    ok(is_outcome(r, 1, TB_DONE, true) && is_outcome(r, 2, TB_DONE, true), "GRP-10 %s: Recv and Send in it are Done", r->name);
    rig_clear(r);
    silent(r, ab[0], 3, inner, tb_instant_forever());
    tb_group_cancel(s);
    ok(tb_group_is_cancelled(inner), "GRP-11 %s: its own cancel reaches its child", r->name);
    rig_wait(r, 1);
    ok(is_outcome(r, 3, TB_CANCELLED, true), "GRP-10 %s: and ends what is in it", r->name);
    rig_clear(r);
    tb_instant t = now(r);
    tb_group *s2 = tb_group_shield(g, tb_instant_add(t, ns(20 * MS)));
    silent(r, ab[0], 4, s2, tb_instant_forever());
    rig_wait(r, 1);
    ok(is_outcome(r, 4, TB_TIMED_OUT, true) && tb_instant_since(answer(r, 4)->dequeued, t).ns >= 20 * MS, "GRP-10 %s: its own bound times out", r->name);
    tb_group *all[] = {g, s, inner, s2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tb_group_release(all[i]);
}

static tb_job_result slow(void *arg, tb_buffer *buffer)
{
    (void)buffer;
    if (arg)
        tb_thread_sleep(tb_duration_from_millis(100));
    return tb_job_done(3);
}

static void mixed(bool sim)
{
    rig r;
    tb_workers *workers = tb_workers_make();
    int lane = tb_workers_add_lane(workers, &(tb_lane_options){.max = 1, .queued = 8});
    tb_sim_options opt = {.job = {ns(100 * MS), ns(100 * MS)}};
    rig_open(&r, (tb_loop_options){.workers = workers, .backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM, .sim = &opt});
    tb_handle ab[2];
    rig_pair(&r, ab);
    tb_group *g = tb_group_make();
    silent(&r, ab[0], 1, g, tb_instant_forever());
    silent(&r, ab[0], 2, g, tb_instant_forever());
    tb_loop_after_in(r.loop, in(&r, 10 * SEC), tb_here(3), g);
    for (uint64_t i = 4; i <= 5; i++) {
        tb_buffer *b = take(&r);
        tb_loop_submit_in(r.loop, tb_op_call(lane, slow, sim ? NULL : &r, &b), tb_here(i), g, tb_instant_forever());
        while (!sim && i == 4 && tb_workers_stats(workers, lane).running == 0)
            tb_thread_sleep(tb_duration_from_micros(100));
    }
    tb_group_cancel(g);
    tb_instant t = now(&r);
    rig_wait(&r, 4);
    ok(is_outcome(&r, 1, TB_CANCELLED, true) && is_outcome(&r, 2, TB_CANCELLED, true) && is_outcome(&r, 3, TB_CANCELLED, false) &&
           is_outcome(&r, 5, TB_CANCELLED, true),
       "GRP-12 BPL-03 %s: two receives, a timer, a queued job: Cancelled, buffers back", r.name);
    if (sim)
        is(tb_instant_since(now(&r), t).ns, 0, "GRP-12 %s: at once", r.name);
    rig_wait(&r, 5);
    ok(is_outcome(&r, 4, TB_DONE, true) && answer(&r, 4)->n == 3, "GRP-12 BPL-03 %s: the running job is Done when it returns", r.name);
    is(tb_loop_get_stats(r.loop).group_cancels, 5, "GRP-12 CNT-09 %s: five asked to end", r.name);
    tb_lane_stats s = tb_workers_stats(workers, lane);
    ok(s.ran == 1 && s.cancelled == 1, "GRP-12 CNT-12 %s: ran 1, cancelled 1", r.name);
    tb_group_release(g);
    rig_close(&r);
    tb_workers_destroy(workers);
}

static void *cancel_later(void *group)
{
    tb_thread_sleep(tb_duration_from_millis(20));
    tb_group_cancel(group);
    return NULL;
}

typedef struct side {
    rig r;
    tb_group *group;
    pthread_t thread;
    uint64_t cancels;
    size_t answers;
} side;

static void *side_main(void *ctx)
{
    side *s = ctx;
    rig_poll(&s->r, tb_instant_forever());
    rig_wait(&s->r, 1);
    s->answers = s->r.out.len;
    s->cancels = tb_loop_get_stats(s->r.loop).group_cancels;
    return NULL;
}

static void from_another_thread(void)
{
    side sides[2];
    tb_group *g = tb_group_make();
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        tb_handle ab[2];
        rig_open(&sides[i].r, (tb_loop_options){0});
        rig_pair(&sides[i].r, ab);
        silent(&sides[i].r, ab[0], 1, g, tb_instant_forever());
        sides[i].group = g;
        /* Whoever runs the loop after this line is its thread. */
        pthread_create(&sides[i].thread, NULL, side_main, &sides[i]);
    }
    pthread_create(&thread, NULL, cancel_later, g);
    pthread_join(thread, NULL);
    int good = 0;
    for (int i = 0; i < 2; i++) {
        pthread_join(sides[i].thread, NULL);
        good += sides[i].answers == 1 && is_outcome(&sides[i].r, 1, TB_CANCELLED, true);
    }
    is(good, 2, "GRP-13 GRP-14 epoll: a group over two loops asleep in poll(forever), cancelled by a third thread: both answer Cancelled");
    ok(sides[0].cancels == 1 && sides[1].cancels == 1, "GRP-14 CNT-09 epoll: one on each loop");
    tb_group_release(g);
    for (int i = 0; i < 2; i++)
        rig_close(&sides[i].r);
}

/* ---- the race of registering and cancelling -------------------------------------------------------------------------- */

enum { BATCH = 250 };

typedef struct canceller {
    tb_group *groups[BATCH]; /* to be cancelled, in order */
    atomic_int state;        /* 0: the loop's turn, 1: go, 2: over */
} canceller;

static void *canceller_main(void *ctx)
{
    canceller *c = ctx;
    for (int state; (state = atomic_load(&c->state)) != 2;) {
        if (state == 0) {
            sched_yield();
            continue;
        }
        for (int i = 0; i < BATCH; i++)
            tb_group_cancel(c->groups[i]);
        atomic_store(&c->state, 0);
    }
    return NULL;
}

/* Submits in fresh groups while another thread cancels them in the same order: each is seen at submit, or swept; never missed. */
static void registering(uint64_t races)
{
    rig r;
    static canceller c;
    pthread_t thread;
    uint64_t missed = 0;
    rig_open(&r, (tb_loop_options){0});
    pthread_create(&thread, NULL, canceller_main, &c);
    for (uint64_t done = 0; done < races; done += BATCH) {
        tb_group *children[BATCH];
        for (int i = 0; i < BATCH; i++) {
            c.groups[i] = tb_group_make();
            children[i] = i % 2 ? tb_group_child(c.groups[i]) : NULL;
        }
        atomic_store(&c.state, 1);
        for (uint64_t i = 0; i < BATCH; i++)
            tb_loop_after_in(r.loop, tb_instant_forever(), tb_here(i), children[i] ? children[i] : c.groups[i]);
        while (atomic_load(&c.state))
            sched_yield();
        tb_loop_poll(r.loop, now(&r), &r.out);
        uint64_t cancelled = 0;
        for (size_t i = 0; i < r.out.len; i++)
            cancelled += r.out.items[i].outcome == TB_CANCELLED;
        missed += BATCH - cancelled;
        tb_completions_clear(&r.out);
        for (int i = 0; i < BATCH; i++) {
            tb_group_release(children[i]);
            tb_group_release(c.groups[i]);
        }
    }
    uint64_t at_submit = tb_loop_get_stats(r.loop).at_submit;
    atomic_store(&c.state, 2);
    pthread_join(thread, NULL);
    none_of(missed, "GRP-15 epoll: %d races of a submit with its group's cancel: none missed", (int)races);
    diag("%d of them were seen at submit, the others swept", (int)at_submit);
    rig_close(&r);
}

static void short_lives(void)
{
    tb_group *g = tb_group_make();
    size_t most = 0;
    for (int i = 0; i < 10000; i++) {
        rig r;
        rig_open(&r, (tb_loop_options){.backend = TB_BACKEND_SIM});
        tb_loop_after_in(r.loop, in(&r, HOUR), tb_here(1), g);
        most = tb_group_loops(g) > most ? tb_group_loops(g) : most;
        rig_close(&r);
    }
    ok(most <= 2, "GRP-17 10^4 short-lived loops on one group: its list stays bounded, at most %d", (int)most);
    tb_group_release(g);
}

static void cost_of_a_sweep(rig *r)
{
    tb_group *g = tb_group_make();
    for (uint64_t i = 0; i < 1000; i++) {
        tb_handle ab[2];
        rig_pair(r, ab);
        silent(r, ab[0], i, g, tb_instant_forever());
    }
    tb_instant t = tb_instant_now();
    tb_group_cancel(g);
    int64_t told = tb_instant_elapsed(t).ns;
    rig_wait(r, 1000);
    diag("%s: 1000 receives: cancel() %d ns, all answered in %d us", r->name, (int)told, (int)(tb_instant_elapsed(t).ns / 1000));
    is(tb_loop_get_stats(r->loop).group_cancels, 1000, "GRP-18 %s: 1000 receives in one group: all swept", r->name);
    is(r->out.len, 1000, "GRP-18 %s: all answered", r->name);
    tb_group_release(g);
}

#ifdef TB_DEBUG
enum { RACES = 200000 }; /* sanitizers are slow */
#else
enum { RACES = 1000000 };
#endif

int main(void)
{
    each_rig(deadlines);
    each_rig(nesting);
    each_rig(asked_once);
    each_rig(shields);
    mixed(true);
    mixed(false);
    from_another_thread();
    const char *races = getenv("GROUP_RACES");
    registering(races ? strtoull(races, NULL, 10) : RACES);
    short_lives();
    each_rig(cost_of_a_sweep);
    return rigs_done();
}
