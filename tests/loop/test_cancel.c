/* Cancelling: by id, by closing, by a request from another thread. */
#include <pthread.h>

#include "loop/portable.h"
#include "rigs.h"

static void asking(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_op_id id = tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(1));
    ok(tb_loop_cancel(r->loop, id) && tb_loop_cancel(r->loop, id), "IOC-02 IOC-03 %s: a receive: cancel is true, and true again", r->name);
    is(tb_loop_get_stats(r->loop).cancels_asked, 1, "IOC-03 CNT-07 %s: asked once", r->name);
    tb_loop_after(r->loop, now(r), tb_here(2));
    uint64_t passes = tb_loop_get_stats(r->loop).passes;
    is(rig_poll(r, now(r)), 2, "IOC-02 TRP-15 %s: the next poll has its answer, without waiting", r->name);
    is(tb_loop_get_stats(r->loop).passes - passes, 1, "IOC-02 %s: in one pass", r->name);
    ok(is_outcome(r, 1, TB_CANCELLED, true), "IOC-01 %s: Cancelled, buffer back", r->name);
    is(r->out.items[0].token, 2, "IOC-02 IOC-08 TRP-14 %s: decided in the next poll, after its timers", r->name);
    ok(!tb_loop_cancel(r->loop, id), "IOC-02 %s: after the answer: false", r->name);
    ok(!tb_loop_cancel(r->loop, tb_op_none()), "IOC-02 BUF-06 %s: no operation: false", r->name);
    ok(tb_op_is_none(tb_op_none()) && tb_op_none().bits == 0, "BUF-06 %s: none is all-zero", r->name);
    is(r->out.len, 2, "IOC-03 %s: one answer", r->name);
    rig_clear(r);

    tb_address at;
    tb_handle listener;
    tb_loop_error error = TB_EOK;
    tb_address_parse("tcp:127.0.0.1:0", &at);
    tb_loop_listen(r->loop, &at, 0, &listener, &error);
    id = tb_loop_submit(r->loop, tb_op_accept(listener), tb_here(3));
    ok(tb_loop_cancel(r->loop, id), "IOC-07 %s: an Accept: true", r->name);
    rig_wait(r, 1);
    ok(is_outcome(r, 3, TB_CANCELLED, false), "IOC-07 %s: Cancelled", r->name);
}

/* A finished operation that nobody has heard of yet is Done, whatever is asked. */
static void done_first(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(1));
    rig_wait(r, 1);
    rig_clear(r);
    tb_op_id id = tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(2));
    ok(tb_loop_cancel(r->loop, id), "IOC-02 %s: done, but not answered: true", r->name);
    rig_wait(r, 1);
    ok(is_outcome(r, 2, TB_DONE, true), "IOC-01 %s: Done all the same", r->name);
}

static void rounds(rig *r)
{
    enum { ROUNDS = 2000 };
    uint64_t done = 0, cancelled = 0, drained = 0, wrong = 0;
    tb_handle ab[2];
    rig_pair(r, ab);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        bool before = i % 2;
        tb_op_id id = tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(i));
        if (before)
            tb_loop_cancel(r->loop, id);
        tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(ROUNDS));
        if (!before && i % 4 == 2)
            rig_poll(r, now(r));
        if (!before)
            tb_loop_cancel(r->loop, id);
        rig_wait(r, 2);
        const tb_completion *c = answer(r, i);
        wrong += r->out.len != 2 || !c || !c->buffer;
        done += c && c->outcome == TB_DONE && c->n == 1;
        bool kept = c && c->outcome == TB_CANCELLED && c->n == 0;
        cancelled += kept;
        rig_clear(r);
        if (!kept)
            continue;
        tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(i));
        rig_wait(r, 1);
        drained += answer(r, i)->n;
        rig_clear(r);
    }
    is(done + cancelled, ROUNDS, "IOC-05 IOC-01 %s: 2000 rounds, cancel before or after the byte: Done or Cancelled, one answer each", r->name);
    is(drained, cancelled, "IOC-05 %s: a cancelled receive took no byte", r->name);
    ok(done > 0 && cancelled > 0, "IOC-05 %s: both occur", r->name);
    none_of(wrong, "IOC-01 %s: the buffer comes back either way", r->name);
}

static void closing(rig *r)
{
    tb_handle ab[2], cd[2];
    rig_pair(r, ab);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(1));
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(2));
    ok(tb_loop_close(r->loop, ab[0]), "IOC-06 %s: closed during two receives", r->name);
    ok(!tb_loop_is_open(r->loop, ab[0]) && !tb_loop_close(r->loop, ab[0]), "IOC-06 %s: it names nothing", r->name);
    rig_pair(r, cd);
    rig_wait(r, 2);
    ok(is_outcome(r, 1, TB_CANCELLED, true) && is_outcome(r, 2, TB_CANCELLED, true), "IOC-06 %s: both Cancelled, with their buffers", r->name);
    rig_clear(r);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(3));
    is(tb_loop_get_stats(r->loop).at_submit, 1, "CNT-04 %s: a receive on it is decided at submit", r->name);
    rig_wait(r, 1);
    ok(is_failed(r, 3, TB_EBADF) && is_outcome(r, 3, TB_FAILED, true), "IOC-06 BUF-05 OPS-05 %s: Failed(TB_EBADF), buffer back", r->name);
    rig_clear(r);
    tb_loop_submit(r->loop, recv_op(r, tb_handle_none()), tb_here(4));
    rig_wait(r, 1);
    ok(is_failed(r, 4, TB_EBADF), "OPS-05 OPS-03 %s: no handle at all: TB_EBADF", r->name);
    rig_clear(r);
    ok(tb_loop_is_open(r->loop, cd[0]) && tb_loop_is_open(r->loop, cd[1]), "BUF-05 %s: what has its number by now is untouched", r->name);
    tb_loop_error error = TB_EOK;
    ok(!tb_loop_end_sending(r->loop, ab[0], &error) && error == TB_EBADF, "BUF-05 %s: nor half-closed by it", r->name);

    /* Case 36: a handle serves one loop for life. */
    rig other;
    rig_open(&other, (tb_loop_options){.backend = r->sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM});
    tb_loop_submit(other.loop, recv_op(&other, cd[0]), tb_here(5));
    rig_wait(&other, 1);
    ok(is_failed(&other, 5, TB_EINVAL) && is_outcome(&other, 5, TB_FAILED, true), "BUF-05 case 36 %s: used by a second loop: Failed(TB_EINVAL)", r->name);
    rig_close(&other);
}

static void used_up(rig *r)
{
    tb_handle ab[2], next[2];
    rig_pair(r, ab);
    uint32_t index = ab[0].index;
    r->loop->handles[index].generation = ab[0].generation = UINT32_MAX;
    tb_loop_close(r->loop, ab[0]);
    rig_pair(r, next);
    ok(next[0].index != index && next[1].index != index, "BUF-05 %s: an entry whose generation is used up is never reused", r->name);
    ok(!tb_loop_is_open(r->loop, ab[0]) && !tb_handle_is_none(ab[0]) && tb_handle_is_none(tb_handle_none()),
       "BUF-05 %s: the old handle names nothing", r->name);

    tb_op_id id = tb_loop_after(r->loop, in(r, HOUR), tb_here(1));
    uint32_t record = (uint32_t)id.bits;
    tb_record_at(r->loop, record)->generation = UINT32_MAX;
    id.bits = (uint64_t)UINT32_MAX << 32 | record;
    ok(tb_loop_cancel(r->loop, id), "BUF-06 %s: the last generation of a record", r->name);
    rig_wait(r, 1);
    int again = 0;
    for (uint64_t i = 0; i < 1000; i++)
        again += (uint32_t)tb_loop_after(r->loop, in(r, HOUR), tb_here(i)).bits == record;
    none_of(again, "BUF-06 %s: a record whose generation is used up is never reused", r->name);
    ok(!tb_loop_cancel(r->loop, id), "BUF-06 %s: the old id names nothing", r->name);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void *cancel_later(void *request)
{
    tb_thread_sleep(tb_duration_from_millis(20));
    tb_request_cancel(request);
    return NULL;
}

static void requests(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_op_id id = tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(1));
    tb_request *q = tb_loop_request(r->loop, id);
    ok(tb_op_same(tb_request_id(q), id), "REQ-01 %s: a request knows its operation", r->name);
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_later, q);
    if (r->sim) { /* which never waits: the other thread first */
        pthread_join(thread, NULL);
        rig_wait(r, 1);
    } else {
        rig_poll(r, tb_instant_forever());
        rig_wait(r, 1);
        pthread_join(thread, NULL);
    }
    ok(r->out.len == 1 && is_outcome(r, 1, TB_CANCELLED, true), "REQ-01 REQ-02 %s: cancelled from another thread: one Cancelled", r->name);
    is(tb_loop_get_stats(r->loop).remote_cancels, 1, "CNT-08 %s: counted", r->name);
    tb_request_destroy(q);
    is(rig_poll(r, in(r, 10 * MS)), 0, "REQ-06 %s: its death after the answer does nothing", r->name);
    rig_clear(r);

    tb_loop_stats before = tb_loop_get_stats(r->loop);
    tb_request_destroy(tb_loop_request(r->loop, tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(2))));
    rig_wait(r, 1);
    ok(is_outcome(r, 2, TB_CANCELLED, true), "REQ-03 REQ-07 %s: its death: Cancelled, with buffer", r->name);
    tb_loop_stats after = tb_loop_get_stats(r->loop);
    ok(after.remote_cancels - before.remote_cancels == 1 && after.cancels_asked - before.cancels_asked == 1,
       "REQ-03 CNT-08 CNT-07 %s: a remote cancel, and a cancel asked", r->name);
    rig_clear(r);

    q = tb_loop_request(r->loop, tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(3)));
    tb_request_detach(q);
    rig_poll(r, in(r, 5 * MS));
    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(9));
    rig_wait(r, 2);
    ok(is_outcome(r, 3, TB_DONE, true) && answer(r, 3)->n == 1, "REQ-04 %s: detached: it goes on, Done(1)", r->name);
    rig_clear(r);

    q = tb_loop_request(r->loop, tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(4)));
    ok(tb_request_cancel(q) && tb_request_cancel(q), "REQ-05 %s: cancelled twice: both reach the loop", r->name);
    rig_wait(r, 1);
    rig_poll(r, in(r, 5 * MS));
    ok(r->out.len == 1 && is_outcome(r, 4, TB_CANCELLED, true), "REQ-05 %s: one answer", r->name);
    tb_request_destroy(q);
    rig_clear(r);

    tb_request *timer = tb_loop_request(r->loop, tb_loop_after(r->loop, in(r, HOUR), tb_here(5)));
    tb_request_cancel(timer);
    rig_wait(r, 1);
    ok(is_outcome(r, 5, TB_CANCELLED, false), "REQ-02 %s: a timer, too", r->name);
    tb_request_detach(timer);
    tb_request_destroy(NULL);
    tb_request_detach(NULL);
}

static void requests_outlive(bool sim)
{
    rig r;
    rig_open(&r, (tb_loop_options){.backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM});
    tb_request *q[3];
    for (int i = 0; i < 3; i++)
        q[i] = tb_loop_request(r.loop, tb_loop_after(r.loop, in(&r, HOUR), tb_here(1)));
    tb_request_cancel(q[0]); /* posted, never taken up */
    rig_close(&r);
    ok(!tb_request_cancel(q[1]), "REQ-02 REQ-07 the loop is gone: cancel says false");
    for (int i = 0; i < 2; i++)
        tb_request_destroy(q[i]);
    tb_request_detach(q[2]);
}

int main(void)
{
    each_rig(asking);
    each_rig(done_first);
    each_rig(rounds);
    each_rig(closing);
    each_rig(used_up);
    each_rig(requests);
    requests_outlive(true);
    requests_outlive(false);
    return rigs_done();
}
