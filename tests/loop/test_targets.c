/* Where answers go: another loop, a channel, a waiting thread, a slot, a function. */
#include <pthread.h>
#include <stdatomic.h>

#include "rigs.h"

static tb_loop_options like(const rig *r) { return (tb_loop_options){.backend = r->sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM}; }

static void posting(rig *r)
{
    rig other;
    rig_open(&other, like(r));
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_waker *waker = tb_loop_waker(other.loop);
    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(9));
    tb_loop_after(r->loop, now(r), tb_post(1, waker));
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_post(2, waker));
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    is(r->out.len, 1, "TGT-02 %s: answers for another loop are not among the loop's own", r->name);
    rig_wait(&other, 2);
    ok(is_outcome(&other, 1, TB_DONE, false) && is_outcome(&other, 2, TB_DONE, true) && answer(&other, 2)->n == 1, "TGT-02 %s: two delivered to the other's poll", r->name);
    is(tb_loop_get_stats(other.loop).delivered, 0, "CNT-02 %s: counted by the loop they come from", r->name);
    rig_clear(&other);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_post(3, waker));
    rig_close(&other);
    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(9));
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    is(tb_loop_get_stats(r->loop).dropped, 1, "TGT-02 CNT-11 %s: the other is gone: dropped", r->name);
    rig_clear(r);
    is(lent(r), 0, "TGT-02 BUF-04 %s: its buffer is home", r->name);
    tb_waker_release(waker);
}

static void *poll_forever(void *ctx)
{
    rig *r = ctx;
    tb_loop_poll(r->loop, tb_instant_forever(), &r->out);
    return NULL;
}

static void posting_wakes(void)
{
    rig r, other;
    pthread_t thread;
    rig_open(&r, (tb_loop_options){0});
    rig_open(&other, (tb_loop_options){0});
    tb_waker *waker = tb_loop_waker(other.loop);
    pthread_create(&thread, NULL, poll_forever, &other);
    tb_loop_after(r.loop, in(&r, 20 * MS), tb_post(1, waker));
    is(rig_poll(&r, tb_instant_forever()), 0, "LOP-10 %s: after handing an answer elsewhere poll returns 0", r.name);
    pthread_join(thread, NULL);
    ok(is_outcome(&other, 1, TB_DONE, false), "TGT-02 %s: it wakes the other from poll(forever)", r.name);
    tb_waker_release(waker);
    rig_close(&r);
    rig_close(&other);
}

static void channels(rig *r)
{
    tb_channel *c = tb_channel_make(1);
    tb_completion got;
    for (uint64_t i = 1; i <= 3; i++)
        tb_loop_after(r->loop, now(r), tb_to_channel(i, c));
    rig_poll(r, in(r, SEC));
    is(tb_loop_get_stats(r->loop).delivered, 3, "CNT-02 TGT-03 %s: a full channel: counted at the first try", r->name);
    tb_instant t = now(r);
    rig_poll(r, in(r, 2 * MS));
    ok(tb_instant_since(now(r), t).ns >= 2 * MS, "TGT-03 %s: polling goes on", r->name);
    int good = 0;
    for (uint64_t i = 1; i <= 3; i++) {
        good += tb_channel_receive(c, TB_INSTANT_MIN, &got) && got.token == i && got.outcome == TB_DONE;
        rig_poll(r, in(r, 2 * MS));
    }
    is(good, 3, "TGT-03 %s: capacity 1, three timers: all three arrive once, in order", r->name);
    ok(!tb_channel_receive(c, TB_INSTANT_MIN, &got), "TGT-03 %s: and no more", r->name);

    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_submit(r->loop, send_op(r, ab[1], "abc", 3), tb_to_channel(4, c));
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_to_channel(5, c));
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    tb_channel_close(c);
    rig_poll(r, in(r, 2 * MS));
    is(lent(r), 0, "TGT-03 CNT-11 %s: the receiver goes: one in it, one held back: buffers home", r->name);
    is(tb_loop_get_stats(r->loop).dropped, 1, "TGT-03 CNT-11 %s: the one held back is dropped", r->name);
    tb_channel_release(c);

    c = tb_channel_make(0);
    for (uint64_t i = 0; i < 100; i++)
        tb_loop_after(r->loop, now(r), tb_to_channel(i, c));
    rig_poll(r, in(r, SEC));
    good = 0;
    for (uint64_t i = 0; i < 60; i++)
        good += tb_channel_receive(c, TB_INSTANT_MIN, &got) && got.token == i;
    is(good, 60, "TGT-03 %s: without a bound", r->name);
    tb_channel_release(c); /* with 40 in it */

    /* A prompt timeout that waits for room, and comes back meanwhile. */
    c = tb_channel_make(1);
    tb_loop_set_grace(r->loop, tb_duration_zero());
    tb_loop_after(r->loop, now(r), tb_to_channel(1, c));
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_to_channel(2, c), in(r, 5 * MS));
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    ok(rig_until(r, late_returns, 1) && lent(r) == 0, "CNT-06 TGT-03 %s: a prompt timeout held back: its buffer goes home", r->name);
    tb_channel_receive(c, TB_INSTANT_MIN, &got);
    rig_poll(r, in(r, 2 * MS));
    ok(tb_channel_receive(c, TB_INSTANT_MIN, &got) && got.token == 2 && got.outcome == TB_TIMED_OUT && !got.buffer,
       "IOD-07 TGT-03 %s: and its answer comes, without", r->name);
    tb_channel_release(c);
    tb_channel_release(NULL);
}

typedef struct reader {
    rig r;
    atomic_bool over;
    tb_waker *waker;
} reader;

static void *serve(void *ctx)
{
    reader *s = ctx;
    while (!atomic_load(&s->over)) {
        rig_poll(&s->r, tb_instant_add(tb_instant_now(), ns(SEC)));
        rig_clear(&s->r);
    }
    return NULL;
}

/* A thread reads through another thread's loop, and blocks until it has it. */
static void once(void)
{
    reader s = {.over = false};
    pthread_t thread;
    tb_handle ab[2];
    tb_completion got;
    rig_open(&s.r, (tb_loop_options){0});
    rig_pair(&s.r, ab);
    tb_once *o = tb_once_make(), *never = tb_once_make();
    tb_loop_submit(s.r.loop, recv_op(&s.r, ab[0]), tb_to_once(1, o));
    tb_loop_submit_by(s.r.loop, send_op(&s.r, ab[1], "hello", 5), tb_here(2), in(&s.r, SEC));
    s.waker = tb_loop_waker(s.r.loop);
    pthread_create(&thread, NULL, serve, &s);
    ok(tb_once_wait(o, tb_instant_add(tb_instant_now(), ns(5 * SEC)), &got) && got.n == 5 && got.outcome == TB_DONE,
       "TGT-04 a synchronous read through another thread's loop");
    ok(memcmp(tb_buffer_data(got.buffer), "hello", 5) == 0, "TGT-04 with its bytes");
    tb_buffer_release(got.buffer);
    ok(!tb_once_wait(o, TB_INSTANT_MIN, &got), "TGT-04 it gives one answer");
    tb_instant t = tb_instant_now();
    ok(!tb_once_wait(never, tb_instant_add(t, ns(10 * MS)), &got) && tb_instant_elapsed(t).ns >= 10 * MS, "TGT-04 without an answer it waits until told");
    atomic_store(&s.over, true);
    tb_waker_wake(s.waker);
    pthread_join(thread, NULL);
    tb_waker_release(s.waker);
    tb_loop_submit(s.r.loop, recv_op(&s.r, ab[0]), tb_to_once(3, never));
    rig_clear(&s.r);
    tb_loop_destroy(s.r.loop);
    ok(tb_once_wait(never, TB_INSTANT_MIN, &got) && got.outcome == TB_CANCELLED, "LOP-12 TGT-04 the loop goes: Cancelled");
    tb_buffer_release(got.buffer);
    is(lent(&s.r), 0, "TGT-04 BUF-04 all buffers are home");
    tb_completions_free(&s.r.out);
    tb_pool_release(s.r.pool);
    tb_once_release(o);
    tb_once_release(never);
    tb_once_release(NULL);
}

static tb_board *board;
static rig *board_rig;
static void arm_again(void *ctx)
{
    (void)ctx;
    tb_loop_after(board_rig->loop, now(board_rig), tb_to_slot(1, board, 1));
}
static void out_of_range(void *ctx)
{
    (void)ctx;
    tb_loop_after(board_rig->loop, now(board_rig), tb_to_slot(1, board, 3));
}

static void boards(rig *r)
{
    tb_completion got;
    board = tb_board_make(3);
    board_rig = r;
    is(tb_board_state(board, 1), TB_SLOT_EMPTY, "TGT-05 %s: a slot is empty", r->name);
    tb_loop_after(r->loop, in(r, 5 * MS), tb_to_slot(7, board, 1));
    is(tb_board_state(board, 1), TB_SLOT_ARMED, "TGT-05 %s: armed at submit", r->name);
    ok(!tb_board_take(board, 1, &got), "TGT-05 %s: nothing to take", r->name);
    ok(aborts(arm_again, NULL), "TGT-05 %s: a second arm is refused", r->name);
    ok(aborts(out_of_range, NULL), "TGT-05 %s: so is a slot that is not there", r->name);
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    is(tb_board_state(board, 1), TB_SLOT_READY, "TGT-05 %s: ready", r->name);
    ok(tb_board_take(board, 1, &got) && got.token == 7 && got.outcome == TB_DONE, "TGT-05 %s: take: true", r->name);
    ok(!tb_board_take(board, 1, &got), "TGT-05 %s: then false", r->name);
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_to_slot(8, board, 1), in(r, -1));
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    tb_board_release(board); /* with a buffer in it */
    is(lent(r), 0, "TGT-05 BUF-04 %s: a board's buffers go home with it", r->name);
    tb_board_release(NULL);
}

typedef struct seen {
    int delivered, dropped;
    tb_outcome outcome;
} seen;
static void deliver(void *ctx, const tb_completion *c)
{
    seen *s = ctx;
    s->delivered++;
    s->outcome = c->outcome;
    tb_buffer_release(c->buffer);
}
static void drop(void *ctx) { ((seen *)ctx)->dropped++; }

static void hooks(rig *r)
{
    seen s[3] = {{0, 0, TB_DONE}};
    rig other;
    rig_open(&other, like(r));
    tb_loop_after(r->loop, in(r, MS), tb_to_hook(1, tb_hook_make(deliver, drop, &s[0])));
    while (tb_loop_in_flight(r->loop))
        rig_poll(r, in(r, SEC));
    ok(s[0].delivered == 1 && s[0].dropped == 0 && s[0].outcome == TB_DONE, "TGT-06 %s: a hook is called once, in poll", r->name);
    tb_handle ab[2];
    rig_pair(&other, ab);
    tb_loop_submit(other.loop, recv_op(&other, ab[0]), tb_to_hook(2, tb_hook_make(deliver, drop, &s[1])));
    rig_close(&other);
    ok(s[1].delivered == 1 && s[1].dropped == 0 && s[1].outcome == TB_CANCELLED, "TGT-06 LOP-12 %s: the loop's death delivers Cancelled", r->name);
    tb_hook_destroy(tb_hook_make(deliver, drop, &s[2]));
    ok(s[2].delivered == 0 && s[2].dropped == 1, "TGT-06 %s: an unused one is dropped once", r->name);
    tb_hook_destroy(NULL);
}

int main(void)
{
    each_rig(posting);
    posting_wakes();
    each_rig(channels);
    once();
    each_rig(boards);
    each_rig(hooks);
    return rigs_done();
}
