/* sim_sockets.c: streams, pipes and listeners of the simulation. A stream's bytes on their way are a ring at the reader's end. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "loop/sim.h"

static sim_object *make(sim_kind kind, tb_loop_error *error)
{
    sim_object *o = calloc(1, sizeof *o);
    if (!o)
        *error = TB_ENOMEM;
    else
        o->kind = kind;
    return o;
}

/* Two ends of a stream; with one_way the first only reads, the second only writes. */
static bool make_two(bool one_way, sim_object *two[2], tb_loop_error *error)
{
    two[0] = make(SIM_STREAM, error);
    two[1] = two[0] ? make(SIM_STREAM, error) : NULL;
    if (!two[1]) {
        free(two[0]);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        two[i]->peer = two[1 - i];
        two[i]->reads = !one_way || i == 0;
        two[i]->writes = !one_way || i == 1;
    }
    return true;
}

/* ---- bytes on their way -------------------------------------------------------------------------------------------- */

static bool has_ring(const sim_world *w, sim_object *o)
{
    if (!o->bytes)
        o->bytes = malloc(w->opt.room);
    return o->bytes != NULL;
}

static size_t put(sim_world *w, sim_object *o, const unsigned char *bytes, size_t n)
{
    size_t room = w->opt.room - o->len;
    n = n < room ? n : room;
    for (size_t i = 0, at = (o->head + o->len) % w->opt.room; i < n;) {
        size_t run = w->opt.room - at < n - i ? w->opt.room - at : n - i;
        memcpy(o->bytes + at, bytes + i, run);
        i += run;
        at = 0;
    }
    o->len += n;
    return n;
}

static void get(sim_world *w, sim_object *o, unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t run = w->opt.room - o->head < n - i ? w->opt.room - o->head : n - i;
        memcpy(bytes + i, o->bytes + o->head, run);
        i += run;
        o->head = (o->head + run) % w->opt.room;
    }
    o->len -= n;
}

static size_t shortened(sim_world *w, size_t n)
{
    return n > 1 && sim_chance(w, w->opt.short_in_million) ? 1 + (size_t)(sim_random(w) % (n - 1)) : n;
}

/* ---- what can be done ---------------------------------------------------------------------------------------------- */

static bool can_read(const sim_object *o)
{
    return o->kind == SIM_LISTENER ? o->backlog > 0 : o->len > 0 || o->ended || o->reset;
}

static bool can_write(const sim_world *w, const sim_object *o)
{
    return o->reset || o->sending_ended || !o->peer || o->peer->len < w->opt.room;
}

void sim_look(tb_loop *loop, sim_object *o)
{
    sim_world *w = sim_of(loop);
    if (o->in.first && can_read(o))
        sim_schedule_answer(loop, o->in.first, w->opt.answer);
    if (o->out.first && can_write(w, o))
        sim_schedule_answer(loop, o->out.first, w->opt.answer);
}

/* ---- doing it ---------------------------------------------------------------------------------------------------- */

static void receive(tb_loop *loop, tb_record *r, sim_object *o)
{
    sim_world *w = sim_of(loop);
    if (o->reset) {
        sim_done(loop, r, tb_result_failed(TB_ECONNRESET, 0));
        return;
    }
    if (r->op.kind == TB_OP_RECV_READY) {
        sim_done(loop, r, tb_result_done(0));
        return;
    }
    tb_buffer *b = r->op.buffer;
    size_t n = b->capacity - b->len < o->len ? b->capacity - b->len : o->len;
    n = shortened(w, n);
    tb_buffer_regain(b);
    get(w, o, b->data + b->len, n);
    b->len += n;
    tb_buffer_lend(b);
    sim_done(loop, r, tb_result_done(n));
    if (o->peer)
        sim_look(loop, o->peer);
}

static void send_some(tb_loop *loop, tb_record *r, sim_object *o)
{
    sim_world *w = sim_of(loop);
    sim_part *part = sim_part_of(r);
    tb_buffer *b = r->op.buffer;
    const unsigned char *bytes = b ? b->data : r->op.with.bytes->data;
    size_t len = b ? b->len : r->op.with.bytes->len;
    if (o->reset || o->sending_ended || !o->peer) {
        sim_done(loop, r, tb_result_failed(o->reset ? TB_ECONNRESET : TB_EPIPE, 0));
        return;
    }
    if (!has_ring(w, o->peer)) {
        sim_done(loop, r, tb_result_failed(TB_ENOMEM, 0));
        return;
    }
    tb_buffer_regain(b);
    if (len > part->moved)
        part->moved += put(w, o->peer, bytes + part->moved, shortened(w, len - part->moved));
    tb_buffer_lend(b);
    if (part->moved == len)
        sim_done(loop, r, tb_result_done(len));
    sim_look(loop, o->peer);
}

static void accept_one(tb_loop *loop, tb_record *r, sim_object *listener)
{
    sim_object *o = listener->next; /* the oldest of its backlog */
    listener->next = o->next;
    listener->backlog--;
    o->next = NULL;
    tb_result result = tb_result_done(0);
    if (!tb_handle_make(loop, o, &result.handle)) {
        sim_close_object(loop, o);
        result = tb_result_failed(TB_ENOMEM, 0);
    }
    sim_done(loop, r, result);
}

void sim_stream_answer(tb_loop *loop, tb_record *r)
{
    sim_world *w = sim_of(loop);
    sim_object *o = r->object;
    bool reads = r->op.kind == TB_OP_RECV || r->op.kind == TB_OP_RECV_READY || r->op.kind == TB_OP_ACCEPT;
    if (!(reads ? can_read(o) : can_write(w, o)))
        return; /* not any more: the next look schedules it again */
    if (sim_chance(w, w->opt.fail_in_million))
        sim_done(loop, r, tb_result_failed(TB_ECONNRESET, 0));
    else if (r->op.kind == TB_OP_ACCEPT)
        accept_one(loop, r, o);
    else if (reads)
        receive(loop, r, o);
    else
        send_some(loop, r, o);
    sim_look(loop, o);
}

/* ---- connecting -------------------------------------------------------------------------------------------------- */

static bool same_address(const tb_address *a, const tb_address *b)
{
    return a->transport == b->transport && a->len == b->len && memcmp(a->os.bytes, b->os.bytes, a->len) == 0;
}

/* A listener's backlog hangs on its `next`; the world's listeners are linked by `previous`. */
static sim_object *listener_at(sim_world *w, const tb_address *address)
{
    sim_object *l = w->listeners;
    while (l && !same_address(&l->address, address))
        l = l->previous;
    return l;
}

void sim_connect_answer(tb_loop *loop, tb_record *r)
{
    sim_world *w = sim_of(loop);
    sim_object *listener = listener_at(w, &sim_part_of(r)->address), *two[2];
    tb_loop_error error = TB_ECONNREFUSED;
    tb_result result = tb_result_done(0);
    if (!listener || listener->backlog == listener->most_backlog || sim_chance(w, w->opt.fail_in_million) ||
        !make_two(false, two, &error)) {
        sim_done(loop, r, tb_result_failed(error, 0));
        return;
    }
    if (!tb_handle_make(loop, two[0], &result.handle)) {
        free(two[0]);
        free(two[1]);
        sim_done(loop, r, tb_result_failed(TB_ENOMEM, 0));
        return;
    }
    sim_object **last = &listener->next;
    while (*last)
        last = &(*last)->next;
    *last = two[1];
    listener->backlog++;
    sim_done(loop, r, result);
    sim_look(loop, listener);
}

bool sim_listen(tb_loop *loop, const tb_address *address, int backlog, void **object, tb_loop_error *error)
{
    sim_world *w = sim_of(loop);
    tb_address at = *address;
    *object = NULL;
    *error = at.transport == TB_UDP ? TB_EINVAL : TB_EADDRINUSE;
    if (at.transport == TB_TCP) { /* sin_port and sin6_port lie at the same place */
        uint16_t port;
        memcpy(&port, at.os.bytes + offsetof(struct sockaddr_in, sin_port), sizeof port);
        if (port == 0)
            port = htons((uint16_t)w->next_port++);
        memcpy(at.os.bytes + offsetof(struct sockaddr_in, sin_port), &port, sizeof port);
    }
    if (at.transport == TB_UDP || listener_at(w, &at))
        return false;
    sim_object *o = make(SIM_LISTENER, error);
    if (!o)
        return false;
    o->address = at;
    o->most_backlog = backlog > 0 ? (size_t)backlog : SIZE_MAX;
    o->previous = w->listeners;
    w->listeners = o;
    *object = o;
    return true;
}

bool sim_local_address(tb_loop *loop, void *object, tb_address *out, tb_loop_error *error)
{
    const sim_object *o = object;
    (void)loop;
    *error = TB_EINVAL;
    if (o->kind != SIM_LISTENER)
        return false;
    *out = o->address;
    return true;
}

bool sim_pair(tb_loop *loop, tb_transport transport, void *objects[2], tb_loop_error *error)
{
    sim_object *two[2];
    (void)loop;
    *error = TB_EINVAL;
    if (transport == TB_UDP || !make_two(false, two, error))
        return false;
    objects[0] = two[0];
    objects[1] = two[1];
    return true;
}

bool sim_pipe(tb_loop *loop, void *objects[2], tb_loop_error *error)
{
    sim_object *two[2];
    (void)loop;
    if (!make_two(true, two, error))
        return false;
    objects[0] = two[0];
    objects[1] = two[1];
    return true;
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

bool sim_end_sending(tb_loop *loop, void *object, tb_loop_error *error)
{
    sim_object *o = object;
    *error = TB_EINVAL;
    if (o->kind != SIM_STREAM || !o->writes)
        return false;
    o->sending_ended = true;
    sim_look(loop, o);
    if (o->peer) {
        o->peer->ended = true;
        sim_look(loop, o->peer);
    }
    return true;
}

static void abort_all(tb_loop *loop, sim_queue *q)
{
    for (tb_record *r; (r = q->first);) {
        r->object = NULL;
        sim_done(loop, r, tb_result_aborted(sim_part_of(r)->moved));
    }
}

void sim_close_object(tb_loop *loop, void *object)
{
    sim_world *w = sim_of(loop);
    sim_object *o = object;
    abort_all(loop, &o->in);
    abort_all(loop, &o->out);
    abort_all(loop, &o->any);
    if (o->kind == SIM_LISTENER) {
        for (sim_object *waiting; (waiting = o->next);) {
            o->next = waiting->next;
            sim_close_object(loop, waiting);
        }
        for (sim_object **at = &w->listeners; *at; at = &(*at)->previous)
            if (*at == o) {
                *at = o->previous;
                break;
            }
    }
    if (o->peer) {
        o->peer->peer = NULL;
        o->peer->ended = true;
        sim_look(loop, o->peer);
    }
    free(o->bytes);
    free(o);
}

/* ---- from outside ------------------------------------------------------------------------------------------------ */

static sim_object *stream_of(const tb_loop *loop, tb_handle handle)
{
    tb_loop_error error;
    tb_assert(loop->backend == &tb_backend_sim);
    sim_object *o = tb_handle_object(loop, handle, &error);
    return o && o->kind == SIM_STREAM ? o : NULL;
}

size_t tb_sim_feed(tb_loop *loop, tb_handle handle, const void *bytes, size_t n)
{
    sim_object *o = stream_of(loop, handle);
    if (!o || !has_ring(sim_of(loop), o))
        return 0;
    size_t taken = put(sim_of(loop), o, bytes, n);
    sim_look(loop, o);
    return taken;
}

size_t tb_sim_waiting(const tb_loop *loop, tb_handle handle)
{
    const sim_object *o = stream_of(loop, handle);
    return o ? o->len : 0;
}

void tb_sim_reset(tb_loop *loop, tb_handle handle)
{
    sim_object *o = stream_of(loop, handle);
    if (!o)
        return;
    o->reset = true;
    sim_look(loop, o);
    if (o->peer) {
        o->peer->reset = true;
        sim_look(loop, o->peer);
    }
}
