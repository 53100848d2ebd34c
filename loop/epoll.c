/* epoll.c: the Linux backend. epoll tells of readiness; operations are tried at once when submitted, and queue in order for
   their handle and direction when they would wait. Whatever ends is reported in wait alone, so that the portable part sees
   what it would see from a completion port.

   Descriptors are watched once, edge-triggered, for both directions: no call a wait beside epoll's own. */
#include "loop/epoll.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Names of what is no handle: generation 0. */
enum { NAME_WAKE, NAME_TIMER };

/* ---- queues ------------------------------------------------------------------------------------------------------ */

void epoll_enter(epoll_queue *q, tb_record *r)
{
    epoll_part *part = epoll_part_of(r);
    part->queue = q;
    part->previous = q->last;
    part->next = NULL;
    if (q->last)
        epoll_part_of(q->last)->next = r;
    else
        q->first = r;
    q->last = r;
}

void epoll_leave(tb_record *r)
{
    epoll_part *part = epoll_part_of(r);
    epoll_queue *q = part->queue;
    if (!q)
        return;
    if (part->previous)
        epoll_part_of(part->previous)->next = part->next;
    else
        q->first = part->next;
    if (part->next)
        epoll_part_of(part->next)->previous = part->previous;
    else
        q->last = part->previous;
    part->queue = NULL;
}

void epoll_done(tb_loop *loop, tb_record *r, tb_result result)
{
    epoll_world *w = epoll_of(loop);
    epoll_part *part = epoll_part_of(r);
    epoll_leave(r);
    part->result = result;
    part->next_done = NULL;
    *w->last_done = r;
    w->last_done = &part->next_done;
}

static void run(tb_loop *loop, epoll_queue *q)
{
    tb_result result;
    while (q->first && epoll_try(loop, q->first, &result))
        epoll_done(loop, q->first, result);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Through the system call: the C library has had the function only since glibc 2.35. */
static int pwait2(int epoll, struct epoll_event *events, int most, const struct timespec *timeout)
{
#ifdef SYS_epoll_pwait2
    return (int)syscall(SYS_epoll_pwait2, epoll, events, most, timeout, NULL, (size_t)0);
#else
    (void)epoll, (void)events, (void)most, (void)timeout;
    errno = ENOSYS;
    return -1;
#endif
}

static bool watch(const epoll_world *w, int fd, uint32_t events, uint64_t name)
{
    struct epoll_event e = {.events = events | EPOLLET, .data.u64 = name};
    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void close_world(epoll_world *w)
{
    int error = errno;
    if (w->timer >= 0)
        close(w->timer);
    if (w->wake >= 0)
        close(w->wake);
    if (w->epoll >= 0)
        close(w->epoll);
    free(w);
    errno = error;
}

static bool epoll_open(tb_loop *loop, const tb_loop_options *opt)
{
    epoll_world *w = calloc(1, sizeof *w);
    if (!w)
        return false;
    struct epoll_event none;
    w->last_done = &w->first_done;
    w->slack = opt->timer_slack.ns;
    w->timer = -1;
    w->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    bool done = w->wake >= 0 && w->epoll >= 0 && watch(w, w->wake, EPOLLIN, (uint64_t)NAME_WAKE << 32);
    bool has_pwait2 = done && pwait2(w->epoll, &none, 1, &(struct timespec){0}) >= 0;
    if (done && opt->wait == TB_WAIT_PWAIT2 && !has_pwait2) {
        errno = ENOSYS;
        done = false;
    }
    if (done && (opt->wait == TB_WAIT_TIMERFD || !has_pwait2)) {
        w->timer_at = tb_instant_forever();
        w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        done = w->timer >= 0 && watch(w, w->timer, EPOLLIN, (uint64_t)NAME_TIMER << 32);
    }
    if (!done) {
        close_world(w);
        return false;
    }
    loop->backend_state = w;
    return true;
}

static void epoll_close(tb_loop *loop) { close_world(epoll_of(loop)); }

static tb_instant epoll_now(const tb_loop *loop)
{
    (void)loop;
    return tb_instant_now();
}

/* From any thread. Edge-triggered: each write is an event of its own, and nobody has to read. */
static void epoll_wake(void *ctx)
{
    tb_loop *loop = ctx;
    static const uint64_t one = 1;
    ssize_t written = write(epoll_of(loop)->wake, &one, sizeof one);
    tb_assert(written == sizeof one);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* The queue an operation belongs to; NULL: the object cannot do it. */
static epoll_queue *queue_of(const tb_record *r, epoll_object *o)
{
    bool stream = o->kind == TB_HANDLE_SOCKET || o->kind == TB_HANDLE_PIPE;
    switch (r->op.kind) {
    case TB_OP_RECV:
    case TB_OP_RECV_READY:
        return stream && o->reads ? &o->in : NULL;
    case TB_OP_ACCEPT:
        return o->kind == TB_HANDLE_LISTENER ? &o->in : NULL;
    default:
        return stream && o->writes ? &o->out : NULL;
    }
}

static bool epoll_submit(tb_loop *loop, tb_record *r, tb_result *refused)
{
    epoll_part *part = epoll_part_of(r);
    epoll_object *o = part->object = r->object;
    if (r->op.kind == TB_OP_CALL)
        return tb_job_start(loop, r, NULL, refused);
    if (r->op.kind == TB_OP_CONNECT)
        return epoll_connect(loop, r, refused);
    *refused = tb_result_failed(TB_EINVAL, 0);
    if (r->op.kind == TB_OP_READ_AT || r->op.kind == TB_OP_WRITE_AT)
        return o->kind == TB_HANDLE_FILE && tb_job_start(loop, r, o->file, refused);
    epoll_queue *q = queue_of(r, o);
    if (!q)
        return false;
    bool first = !q->first;
    epoll_enter(q, r);
    if (first)
        run(loop, q);
    return true;
}

static bool epoll_cancel(tb_loop *loop, tb_record *r)
{
    epoll_part *part = epoll_part_of(r);
    if (r->job)
        return tb_job_cancel(loop, r);
    if (part->queue) {
        epoll_queue *q = part->queue;
        bool first = q->first == r;
        epoll_done(loop, r, tb_result_aborted(part->moved));
        if (first && !loop->going)
            run(loop, q); /* what waited behind it may have been able to go on */
    }
    return false;
}

/* A new socket that nobody will be told of is closed. */
static void report(tb_loop *loop)
{
    epoll_world *w = epoll_of(loop);
    int n = 0;
    for (tb_record *r; n < TB_KERNEL_BATCH && (r = w->first_done); n++) {
        epoll_part *part = epoll_part_of(r);
        w->first_done = part->next_done;
        if (!w->first_done)
            w->last_done = &w->first_done;
        if (part->result.aborted || part->result.outcome != TB_DONE)
            tb_loop_close(loop, part->made);
        tb_returned(loop, r, part->result);
    }
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void set_slack(const epoll_world *w)
{
    static _Thread_local int64_t slack;
    if (w->slack > 0 && slack != w->slack) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)w->slack);
        slack = w->slack;
    }
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / TB_NANOS_PER_SECOND), .tv_nsec = (long)(ns % TB_NANOS_PER_SECOND)};
}

static void arm_timer(epoll_world *w, tb_instant until)
{
    if (tb_instant_eq(until, w->timer_at))
        return;
    /* An all-zero time would disarm it. */
    int64_t ns = until.ns > 0 ? until.ns : 1;
    struct itimerspec at = {.it_value = timespec_of(ns)};
    int failed = timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &at, NULL);
    tb_assert(!failed);
    w->timer_at = until;
}

static int wait_for(epoll_world *w, struct epoll_event *events, tb_instant until)
{
    bool endless = tb_instant_eq(until, tb_instant_forever());
    tb_duration left = endless ? tb_duration_zero() : tb_instant_since(until, tb_instant_now());
    if (w->first_done || (!endless && tb_instant_le(until, tb_instant_now())))
        return epoll_wait(w->epoll, events, TB_KERNEL_BATCH, 0);
    set_slack(w);
    if (w->timer < 0) {
        struct timespec timeout = timespec_of(left.ns > 0 ? left.ns : 0);
        return pwait2(w->epoll, events, TB_KERNEL_BATCH, endless ? NULL : &timeout);
    }
    if (!endless)
        arm_timer(w, until);
    return epoll_wait(w->epoll, events, TB_KERNEL_BATCH, -1);
}

static void take_event(tb_loop *loop, const struct epoll_event *e)
{
    uint32_t index = (uint32_t)(e->data.u64 >> 32), generation = (uint32_t)e->data.u64;
    if (generation == 0) {
        epoll_world *w = epoll_of(loop);
        if (index == NAME_TIMER)
            w->timer_at = tb_instant_forever(); /* it has gone off */
        return;
    }
    /* Closed in this batch already: the name tells. */
    epoll_object *o = tb_handle_object_at(loop, index, generation);
    if (o && e->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        run(loop, &o->in);
    if (o && e->events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        run(loop, &o->out);
}

static bool epoll_wait_for(tb_loop *loop, tb_instant until)
{
    epoll_world *w = epoll_of(loop);
    struct epoll_event events[TB_KERNEL_BATCH];
    int n = wait_for(w, events, until);
    tb_assert(n >= 0 || errno == EINTR);
    for (int i = 0; i < n; i++)
        take_event(loop, &events[i]);
    report(loop);
    return true;
}

const tb_backend tb_backend_epoll = {
    .clock_name = "CLOCK_MONOTONIC",
    .part_size = sizeof(epoll_part),
    .open = epoll_open,
    .close = epoll_close,
    .now = epoll_now,
    .submit = epoll_submit,
    .cancel = epoll_cancel,
    .detach = tb_job_detach,
    .wait = epoll_wait_for,
    .wake = epoll_wake,
    .job_returned = tb_job_returned,
    .listen = epoll_listen,
    .local_address = epoll_local_address,
    .pair = epoll_pair,
    .pipe = epoll_pipe,
    .open_file = epoll_open_file,
    .adopt = epoll_adopt,
    .end_sending = epoll_end_sending,
    .os_handle = epoll_os_handle,
    .close_object = epoll_close_object,
    .named = epoll_named,
};
