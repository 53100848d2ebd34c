/* sim.c: the simulated backend: a clock that moves to the next event, and events in the order of their instants. What the
   pretended kernel does for an operation happens at an event; the loop hears of it in wait, as from a real one. */
#include "loop/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/workers.h"

enum { EVENT_ANSWER, EVENT_CANCEL, EVENT_ACT };

/* ---- chance ------------------------------------------------------------------------------------------------------ */

/* splitmix64 (Sebastiano Vigna, public domain). */
uint64_t sim_random(sim_world *w)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

bool sim_chance(sim_world *w, uint32_t in_million) { return in_million && sim_random(w) % 1000000 < in_million; }

static tb_instant after_span(sim_world *w, tb_span span)
{
    uint64_t width = (uint64_t)(span.most.ns - span.least.ns);
    uint64_t extra = width ? sim_random(w) % (width + 1) : 0;
    return tb_instant_add(w->now, tb_duration_from_nanos(span.least.ns + (int64_t)extra));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static tb_timer_id schedule(sim_world *w, tb_instant at, uint64_t index, unsigned kind)
{
    return tb_timers_insert_precise(w->events, at, index << 2 | kind);
}

/* Memory for all events that there can be at once: an operation has two at most. */
static bool reserve_events(tb_loop *loop)
{
    sim_world *w = sim_of(loop);
    size_t most = 2 * (size_t)loop->records + w->act_cap;
    if (most <= w->reserved)
        return true;
    if (!tb_timers_reserve(w->events, most))
        return false;
    w->reserved = most;
    return true;
}

void sim_schedule_answer(tb_loop *loop, tb_record *r, tb_span span)
{
    sim_world *w = sim_of(loop);
    sim_part *part = sim_part_of(r);
    if (tb_timer_is_none(part->answer))
        part->answer = schedule(w, after_span(w, span), r->index, EVENT_ANSWER);
}

void sim_unschedule(sim_world *w, tb_timer_id *event)
{
    tb_timers_cancel(w->events, *event);
    *event = TB_TIMER_NONE;
}

void sim_enter(sim_queue *q, tb_record *r)
{
    sim_part *part = sim_part_of(r);
    part->queue = q;
    part->previous = q->last;
    part->next = NULL;
    if (q->last)
        sim_part_of(q->last)->next = r;
    else
        q->first = r;
    q->last = r;
}

void sim_leave(tb_record *r)
{
    sim_part *part = sim_part_of(r);
    sim_queue *q = part->queue;
    if (!q)
        return;
    if (part->previous)
        sim_part_of(part->previous)->next = part->next;
    else
        q->first = part->next;
    if (part->next)
        sim_part_of(part->next)->previous = part->previous;
    else
        q->last = part->previous;
    part->queue = NULL;
}

void sim_done(tb_loop *loop, tb_record *r, tb_result result)
{
    sim_world *w = sim_of(loop);
    sim_part *part = sim_part_of(r);
    sim_unschedule(w, &part->answer);
    sim_unschedule(w, &part->cancel);
    sim_leave(r);
    part->result = result;
    part->next_done = NULL;
    *w->last_done = r;
    w->last_done = &part->next_done;
}

static void answer_event(tb_loop *loop, tb_record *r)
{
    sim_part_of(r)->answer = TB_TIMER_NONE;
    switch (r->op.kind) {
    case TB_OP_CALL:
        sim_call_answer(loop, r);
        break;
    case TB_OP_READ_AT:
    case TB_OP_WRITE_AT:
        sim_file_answer(loop, r);
        break;
    case TB_OP_CONNECT:
        sim_connect_answer(loop, r);
        break;
    default:
        sim_stream_answer(loop, r);
        break;
    }
}

static void cancel_event(tb_loop *loop, tb_record *r)
{
    sim_object *object = r->object;
    sim_part_of(r)->cancel = TB_TIMER_NONE;
    sim_done(loop, r, tb_result_aborted(sim_part_of(r)->moved));
    if (object)
        sim_look(loop, object);
}

static void act_event(tb_loop *loop, uint32_t index)
{
    sim_world *w = sim_of(loop);
    sim_act act = w->acts[index];
    w->acts[index].next_free = w->free_act;
    w->free_act = index + 1;
    if (!loop->going)
        act.act(act.ctx);
}

/* One at a time: what an event does may cancel the next. */
static void run_due(tb_loop *loop)
{
    sim_world *w = sim_of(loop);
    while (tb_expiries_clear(&w->due), tb_timers_expired_max(w->events, w->now, &w->due, 1) == 1) {
        uint64_t token = w->due.items[0].token;
        uint32_t index = (uint32_t)(token >> 2);
        if ((token & 3) == EVENT_ACT)
            act_event(loop, index);
        else if ((token & 3) == EVENT_CANCEL)
            cancel_event(loop, tb_record_at(loop, index));
        else
            answer_event(loop, tb_record_at(loop, index));
    }
}

bool tb_sim_at(tb_loop *loop, tb_instant at, void (*act)(void *), void *ctx)
{
    sim_world *w = sim_of(loop);
    tb_assert(loop->backend == &tb_backend_sim);
    if (!w->free_act) {
        if (w->act_count == w->act_cap) {
            uint32_t cap = w->act_cap ? 2 * w->act_cap : 64;
            sim_act *acts = realloc(w->acts, cap * sizeof *acts);
            if (!acts)
                return false;
            w->acts = acts;
            w->act_cap = cap;
        }
        w->acts[w->act_count].next_free = 0;
        w->free_act = ++w->act_count;
    }
    if (!reserve_events(loop))
        return false;
    uint32_t index = w->free_act - 1;
    schedule(w, at, index, EVENT_ACT);
    w->free_act = w->acts[index].next_free;
    w->acts[index] = (sim_act){act, ctx, 0};
    return true;
}

/* ---- the backend ------------------------------------------------------------------------------------------------- */

static bool is_span(tb_span s) { return s.least.ns >= 0 && s.most.ns >= s.least.ns; }

static bool sim_open(tb_loop *loop, const tb_loop_options *opt)
{
    static const tb_sim_options defaults = {0};
    const tb_sim_options *sim = opt->sim ? opt->sim : &defaults;
    if (!is_span(sim->answer) || !is_span(sim->cancel) || !is_span(sim->job)) {
        errno = EINVAL;
        return false;
    }
    sim_world *w = calloc(1, sizeof *w);
    if (!w)
        return false;
    w->opt = *sim;
    if (!w->opt.room)
        w->opt.room = 65536;
    w->now = sim->start;
    w->random = sim->seed;
    w->last_done = &w->first_done;
    w->next_port = 49152; /* the first of the dynamic ports, RFC 6335 */
    w->events = tb_timers_make(tb_impl_find("binary_heap"), w->now, NULL);
    if (!w->events || !tb_expiries_reserve(&w->due, 1)) {
        tb_timers_destroy(w->events);
        free(w);
        return false;
    }
    loop->backend_state = w;
    return true;
}

static void sim_close(tb_loop *loop)
{
    sim_world *w = sim_of(loop);
    tb_timers_destroy(w->events);
    tb_expiries_free(&w->due);
    sim_files_free(w);
    free(w->acts);
    free(w);
}

static tb_instant sim_now(const tb_loop *loop) { return sim_of(loop)->now; }

static bool sim_submit(tb_loop *loop, tb_record *r, tb_result *refused)
{
    sim_world *w = sim_of(loop);
    sim_object *o = r->object;
    sim_part *part = sim_part_of(r);
    *refused = tb_result_failed(TB_ENOMEM, 0);
    if (!reserve_events(loop))
        return false;
    *refused = tb_result_failed(TB_EINVAL, 0);
    switch (r->op.kind) {
    case TB_OP_CALL:
        return sim_call(loop, r, refused);
    case TB_OP_CONNECT:
        part->address = *r->op.with.address;
        sim_schedule_answer(loop, r, w->opt.answer);
        return true;
    case TB_OP_READ_AT:
    case TB_OP_WRITE_AT:
        if (o->kind != SIM_FILE || !(r->op.kind == TB_OP_READ_AT ? o->reads : o->writes))
            return false;
        sim_enter(&o->any, r);
        sim_schedule_answer(loop, r, w->opt.answer);
        return true;
    case TB_OP_ACCEPT:
        if (o->kind != SIM_LISTENER)
            return false;
        sim_enter(&o->in, r);
        break;
    case TB_OP_RECV:
    case TB_OP_RECV_READY:
        if (o->kind != SIM_STREAM || !o->reads)
            return false;
        sim_enter(&o->in, r);
        break;
    default:
        if (o->kind != SIM_STREAM || !o->writes)
            return false;
        sim_enter(&o->out, r);
        break;
    }
    sim_look(loop, o);
    return true;
}

static bool sim_cancel(tb_loop *loop, tb_record *r)
{
    sim_world *w = sim_of(loop);
    sim_part *part = sim_part_of(r);
    if (r->op.kind == TB_OP_CALL)
        return sim_call_cancel(loop, r);
    bool in_flight = part->queue || !tb_timer_is_none(part->answer); /* else it is done, and about to be reported */
    if (in_flight && tb_timer_is_none(part->cancel))
        part->cancel = schedule(w, after_span(w, w->opt.cancel), r->index, EVENT_CANCEL);
    return false;
}

/* All that is asked to end does in virtual time, jobs included. */
static bool sim_detach(tb_loop *loop, tb_record *r)
{
    (void)loop;
    (void)r;
    return false;
}

static bool report(tb_loop *loop)
{
    sim_world *w = sim_of(loop);
    int n = 0;
    for (tb_record *r; n < TB_KERNEL_BATCH && (r = w->first_done); n++) {
        w->first_done = sim_part_of(r)->next_done;
        if (!w->first_done)
            w->last_done = &w->first_done;
        tb_returned(loop, r, sim_part_of(r)->result);
    }
    return n > 0;
}

static bool sim_wait(tb_loop *loop, tb_instant until)
{
    sim_world *w = sim_of(loop);
    for (;;) {
        run_due(loop);
        bool rung = atomic_exchange(&w->rung, false);
        if (report(loop) || rung || tb_instant_le(until, w->now))
            return true;
        tb_instant next;
        if (!tb_timers_next_expiry(w->events, &next) || tb_instant_lt(until, next))
            next = until;
        if (tb_instant_eq(next, tb_instant_forever()))
            return false;
        w->now = next;
    }
}

static void sim_wake(void *loop)
{
    const tb_loop *l = loop;
    atomic_store(&sim_of(l)->rung, true);
}

static void sim_job_returned(tb_loop *loop, tb_message *message)
{
    (void)loop;
    (void)message;
}

static bool sim_adopt(tb_loop *loop, intptr_t os_handle, tb_handle_kind kind, void **object, tb_loop_error *error)
{
    (void)loop;
    (void)os_handle;
    (void)kind;
    *object = NULL;
    *error = TB_EINVAL;
    return false;
}

static intptr_t sim_os_handle(const tb_loop *loop, const void *object)
{
    (void)loop;
    (void)object;
    return -1;
}

static bool sim_named(tb_loop *loop, void *object, tb_handle handle)
{
    (void)loop;
    (void)object;
    (void)handle;
    return true;
}

const tb_backend tb_backend_sim = {
    .clock_name = "synthetic",
    .part_size = sizeof(sim_part),
    .open = sim_open,
    .close = sim_close,
    .now = sim_now,
    .submit = sim_submit,
    .cancel = sim_cancel,
    .detach = sim_detach,
    .wait = sim_wait,
    .wake = sim_wake,
    .job_returned = sim_job_returned,
    .listen = sim_listen,
    .local_address = sim_local_address,
    .pair = sim_pair,
    .pipe = sim_pipe,
    .open_file = sim_open_file,
    .adopt = sim_adopt,
    .end_sending = sim_end_sending,
    .os_handle = sim_os_handle,
    .close_object = sim_close_object,
    .named = sim_named,
};
