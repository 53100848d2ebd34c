/* Operations that something outside the loop carries out and ends. */
#include <pthread.h>

#include "rigs.h"

static void *end_twice(void *ctx)
{
    tb_completer *c = ctx;
    tb_thread_sleep(tb_duration_from_millis(20));
    tb_buffer_append(tb_completer_buffer(c), "from outside", 12);
    intptr_t first = tb_completer_done(c, 42), second = tb_completer_done(c, 43);
    return (void *)(first * 2 + second);
}

static void ending(rig *r)
{
    tb_buffer *b = take(r);
    tb_completer *c = tb_loop_external(r->loop, tb_here(1), &b);
    ok(!b && tb_completer_is_live(c) && !tb_op_is_none(tb_completer_id(c)), "EXT-02 BUF-01 %s: a completer, with the buffer", r->name);
    pthread_t thread;
    void *said;
    pthread_create(&thread, NULL, end_twice, c);
    if (r->sim)
        pthread_join(thread, &said);
    rig_poll(r, tb_instant_forever());
    rig_wait(r, 1);
    if (!r->sim)
        pthread_join(thread, &said);
    is((intptr_t)said, 2, "EXT-02 %s: ended from another thread: true, a second time: false", r->name);
    ok(r->out.len == 1 && is_outcome(r, 1, TB_DONE, true) && answer(r, 1)->n == 42, "EXT-02 %s: one answer, Done(42), which woke the poll", r->name);
    ok(memcmp(tb_buffer_data(answer(r, 1)->buffer), "from outside", 12) == 0, "EXT-02 %s: the buffer as written", r->name);
    ok(!tb_completer_is_live(c) && !tb_completer_buffer(c), "EXT-02 %s: it is not live any more", r->name);
    tb_completer_destroy(c);
    rig_clear(r);

    b = take(r);
    tb_completer_destroy(tb_loop_external(r->loop, tb_here(2), &b));
    rig_wait(r, 1);
    ok(is_failed(r, 2, TB_ECANCELED) && is_outcome(r, 2, TB_FAILED, true), "EXT-03 OPS-05 %s: destroyed unended: Failed(TB_ECANCELED)", r->name);
    rig_clear(r);

    c = tb_loop_external(r->loop, tb_here(3), NULL);
    tb_completer_fail(c, TB_EIO, 7);
    rig_wait(r, 1);
    ok(is_failed(r, 3, TB_EIO) && answer(r, 3)->os_error == 7, "EXT-02 %s: fail", r->name);
    tb_completer_destroy(c);
    rig_clear(r);

    b = take(r);
    c = tb_loop_external(r->loop, tb_here(4), &b);
    ok(tb_loop_cancel(r->loop, tb_completer_id(c)), "EXT-04 %s: cancel: true", r->name);
    rig_poll(r, in(r, 5 * MS));
    ok(tb_completer_is_cancel_requested(c) && r->out.len == 0, "EXT-04 %s: it is only told to the completer", r->name);
    ok(tb_completer_cancelled(c), "EXT-04 %s: whose answer it is", r->name);
    rig_wait(r, 1);
    ok(is_outcome(r, 4, TB_CANCELLED, true), "EXT-04 %s: Cancelled, with buffer", r->name);
    tb_completer_destroy(c);
    tb_completer_destroy(NULL);
    rig_clear(r);

    c = tb_loop_external(r->loop, tb_here(5), NULL);
    tb_completer_cancelled(c);
    rig_wait(r, 1);
    ok(is_outcome(r, 5, TB_CANCELLED, false), "EXT-02 %s: it may say cancelled unasked", r->name);
    tb_completer_destroy(c);
}

static void groups(rig *r)
{
    tb_group *g = tb_group_make();
    tb_group_cancel(g);
    tb_buffer *b = take(r);
    tb_completer *c = tb_loop_external_in(r->loop, tb_here(1), &b, g, tb_instant_forever());
    ok(!tb_completer_is_live(c) && !tb_completer_done(c, 1), "EXT-05 %s: in a cancelled group: not live, done: false", r->name);
    rig_wait(r, 1);
    ok(is_outcome(r, 1, TB_CANCELLED, true), "EXT-05 %s: Cancelled at submit, buffer back", r->name);
    tb_completer_destroy(c);
    tb_group_release(g);
    rig_clear(r);

    tb_instant t = now(r);
    g = tb_group_until(tb_instant_add(t, ns(20 * MS)));
    b = take(r);
    c = tb_loop_external_in(r->loop, tb_here(2), &b, g, tb_instant_forever());
    rig_wait(r, 1);
    ok(is_outcome(r, 2, TB_TIMED_OUT, false) && tb_instant_since(answer(r, 2)->dequeued, t).ns >= 20 * MS,
       "EXT-01 EXT-08 %s: silent until the group's deadline: TimedOut without buffer, not before", r->name);
    ok(tb_completer_is_cancel_requested(c), "EXT-01 %s: it was asked to end", r->name);
    is(lent(r), 1, "EXT-01 CNT-13 %s: it has the buffer", r->name);
    tb_completer_done(c, 5);
    ok(rig_until(r, late_returns, 1), "EXT-01 CNT-06 %s: ended late: it comes back", r->name);
    ok(r->out.len == 1 && lent(r) == 0, "EXT-01 BUF-04 %s: no second answer, buffer home", r->name);
    tb_completer_destroy(c);
    tb_group_release(g);
    rig_clear(r);

    t = now(r);
    g = tb_group_until(tb_instant_add(t, ns(10 * SEC)));
    c = tb_loop_external_in(r->loop, tb_here(3), NULL, g, tb_instant_add(t, ns(10 * MS)));
    rig_wait(r, 1);
    int64_t at = tb_instant_since(answer(r, 3)->dequeued, t).ns;
    ok(is_outcome(r, 3, TB_TIMED_OUT, false) && at >= 10 * MS && at < 5 * SEC, "EXT-08 %s: its own deadline, the tighter one", r->name);
    tb_completer_destroy(c);
    tb_group_release(g);
    rig_clear(r);

    c = tb_loop_external_in(r->loop, tb_here(4), NULL, NULL, in(r, -MS));
    rig_wait(r, 1);
    ok(is_outcome(r, 4, TB_TIMED_OUT, false) && !tb_completer_is_live(c), "BPL-08 %s: a deadline that has passed: TimedOut, not live", r->name);
    tb_completer_destroy(c);
    rig_clear(r);

    /* It ends in its grace. */
    tb_loop_set_grace(r->loop, ns(4 * SEC));
    b = take(r);
    c = tb_loop_external_in(r->loop, tb_here(5), &b, NULL, in(r, 5 * MS));
    while (!tb_completer_is_cancel_requested(c))
        rig_poll(r, in(r, MS));
    tb_completer_cancelled(c);
    rig_wait(r, 1);
    ok(is_outcome(r, 5, TB_TIMED_OUT, true), "EXT-01 IOD-06 %s: it gives up in its grace: TimedOut, with buffer", r->name);
    tb_completer_destroy(c);
}

static void dead_loop(bool sim)
{
    rig r;
    rig_open(&r, (tb_loop_options){.backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM});
    tb_buffer *b = take(&r), *b2 = take(&r);
    tb_completer *c = tb_loop_external(r.loop, tb_here(1), &b), *c2 = tb_loop_external(r.loop, tb_here(2), &b2);
    tb_completer_done(c2, 1); /* on its way when the loop goes */
    tb_loop_destroy(r.loop);
    ok(!tb_completer_is_live(c), "EXT-06 %s: the loop is gone", r.name);
    ok(!tb_completer_done(c, 1), "EXT-06 %s: ending says false", r.name);
    is(lent(&r), 0, "EXT-06 BUF-04 %s: the buffers are home", r.name);
    tb_completer_destroy(c);
    tb_completer_destroy(c2);
    tb_completions_free(&r.out);
    tb_pool_release(r.pool);
}

enum { MANY = 20000 };
static tb_completer *completers[MANY];

static void *end_all(void *ctx)
{
    (void)ctx;
    for (int i = 0; i < MANY; i++)
        tb_completer_done(completers[i], (size_t)i);
    return NULL;
}

static void many(rig *r)
{
    static uint8_t seen[MANY];
    int twice = 0, wrong = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < MANY; i++)
        completers[i] = tb_loop_external(r->loop, tb_here(i), NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, end_all, NULL);
    size_t answers = 0;
    tb_instant begin = tb_instant_now();
    while (answers < MANY && tb_instant_elapsed(begin).ns < 60 * SEC) {
        rig_poll(r, in(r, SEC));
        answers += r->out.len;
        for (size_t i = 0; i < r->out.len; i++) {
            twice += seen[r->out.items[i].token]++ > 0;
            wrong += r->out.items[i].outcome != TB_DONE || r->out.items[i].n != r->out.items[i].token;
        }
        rig_clear(r);
    }
    pthread_join(thread, NULL);
    is(answers, MANY, "EXT-07 %s: 20000 ended by another thread: all answered", r->name);
    none_of(twice + wrong, "EXT-07 %s: each once", r->name);
    for (int i = 0; i < MANY; i++)
        tb_completer_destroy(completers[i]);
}

int main(void)
{
    each_rig(ending);
    each_rig(groups);
    each_rig(many);
    dead_loop(true);
    dead_loop(false);
    return rigs_done();
}
