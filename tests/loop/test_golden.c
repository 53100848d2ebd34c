/* The golden transcript G6: timers, deadlines, cancel and groups of a loop, on each backend and structure. */
#include "rigs.h"
#include "tests/calendar/transcript.h"

static const char *const outcomes[] = {"Done", "Failed", "Cancelled", "TimedOut"};

static void say_all(transcript *t, rig *r)
{
    for (size_t i = 0; i < r->out.len; i++) {
        const tb_completion *c = &r->out.items[i];
        say(t, "token %d: %s, buffer %s", (int)c->token, outcomes[c->outcome], tb_buffer_capacity(c->buffer) ? "back" : "none");
    }
    rig_clear(r);
}

static void g6(rig *r)
{
    transcript t = {.length = 0};
    tb_loop *loop = r->loop;
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_loop_after(loop, in(r, 20 * MS), tb_here(1));
    tb_op_id hour = tb_loop_after(loop, in(r, HOUR), tb_here(2));
    say(&t, "cancel: %s", tb_loop_cancel(loop, hour) ? "true" : "false");
    say(&t, "cancel again: %s", tb_loop_cancel(loop, hour) ? "true" : "false");
    rig_wait(r, 2);
    say_all(&t, r);

    tb_instant t0 = now(r);
    tb_loop_submit_by(loop, recv_op(r, ab[0]), tb_here(3), tb_instant_add(t0, ns(50 * MS)));
    rig_wait(r, 1);
    say_all(&t, r);
    say(&t, tb_instant_since(now(r), t0).ns >= 50 * MS ? "not before the deadline" : "EARLY");

    tb_loop_submit_by(loop, recv_op(r, ab[0]), tb_here(4), in(r, -MS));
    rig_wait(r, 1);
    say_all(&t, r);

    tb_instant t1 = now(r);
    tb_group *g = tb_group_until(tb_instant_add(t1, ns(40 * MS)));
    tb_loop_submit_in(loop, recv_op(r, ab[0]), tb_here(5), g, tb_instant_forever());
    tb_loop_after_in(loop, tb_instant_add(t1, ns(200 * MS)), tb_here(6), g);
    rig_wait(r, 2);
    say_all(&t, r);
    say(&t, tb_instant_since(now(r), t1).ns >= 200 * MS ? "the timer waited for its own 200 ms" : "the timer ended early");
    tb_group_release(g);

    tb_group *h = tb_group_make();
    tb_loop_submit_in(loop, recv_op(r, ab[0]), tb_here(7), h, tb_instant_forever());
    tb_loop_after_in(loop, in(r, HOUR), tb_here(8), h);
    tb_group_cancel(h);
    rig_wait(r, 2);
    say_all(&t, r);
    tb_group_release(h);
    say(&t, "%d in flight", (int)tb_loop_in_flight(loop));

    ok(same_as_file(&t, "tests/golden/G6.txt"),
       "LOP-13 LOP-15 IOT-05 IOD-02 IOD-03 IOD-04 GRP-01 GRP-02 GRP-05 IOC-08 GB-01 %s: golden G6", r->name);
    tb_loop_stats s = tb_loop_get_stats(loop);
    is(s.cancels_asked, 1, "CNT-07 %s: in G6 one cancel was asked for", r->name);
    is(s.remote_cancels, 0, "CNT-08 %s: none by a request", r->name);
    is(s.group_cancels, 2, "CNT-09 %s: two by a group", r->name);
    is(s.prompt_timeouts, 0, "IOD-06 CNT-05 %s: each receive that timed out brought its buffer", r->name);
}

int main(void)
{
    each_rig(g6);
    return rigs_done();
}
