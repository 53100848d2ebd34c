/* epoll_try.c: operations on descriptors that do not wait: done at once, or not yet (EAGAIN). */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "loop/epoll.h"

static bool failed(tb_result *result, int error)
{
    *result = tb_result_failed(tb_loop_error_from_os(error), error);
    return true;
}

static bool is_ready(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return poll(&p, 1, 0) > 0;
}

static bool receive(tb_record *r, const epoll_object *o, tb_result *result)
{
    tb_buffer *b = r->op.buffer;
    ssize_t n;
    tb_buffer_regain(b);
    do
        n = read(o->fd, b->data + b->len, b->capacity - b->len);
    while (n < 0 && errno == EINTR);
    int error = errno;
    b->len += n > 0 ? (size_t)n : 0;
    tb_buffer_lend(b);
    if (n < 0)
        return error != EAGAIN && failed(result, error);
    *result = tb_result_done((size_t)n);
    return true;
}

/* A pipe has no MSG_NOSIGNAL: SIGPIPE is blocked meanwhile, and taken back if this write raised it. */
static ssize_t write_pipe(int fd, const void *bytes, size_t n)
{
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written = write(fd, bytes, n);
    int error = errno;
    if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&pipe_signal, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

/* All of it, however often the socket is full meanwhile; a datagram in one. */
static bool send_all(tb_record *r, const epoll_object *o, tb_result *result)
{
    epoll_part *part = epoll_part_of(r);
    tb_buffer *b = r->op.buffer;
    const unsigned char *bytes = b ? b->data : r->op.with.bytes->data;
    size_t len = b ? b->len : r->op.with.bytes->len;
    bool once = len == 0 && o->transport == TB_UDP;
    int error = 0;
    tb_buffer_regain(b);
    while (!error && (part->moved < len || once)) {
        ssize_t n = o->kind == TB_HANDLE_PIPE ? write_pipe(o->fd, bytes + part->moved, len - part->moved)
                                              : send(o->fd, bytes + part->moved, len - part->moved, MSG_NOSIGNAL);
        once = false;
        if (n >= 0)
            part->moved += (size_t)n;
        else if (errno != EINTR)
            error = errno;
    }
    tb_buffer_lend(b);
    if (error)
        return error != EAGAIN && failed(result, error);
    *result = tb_result_done(len);
    return true;
}

static bool accept_one(tb_loop *loop, const epoll_object *listener, tb_result *result)
{
    int fd;
    do
        fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno != EAGAIN && failed(result, errno);
    epoll_object *o = epoll_object_make(fd, TB_HANDLE_SOCKET, listener->transport);
    if (!o)
        return failed(result, errno);
    *result = tb_result_done(0);
    if (!tb_handle_make(loop, o, &result->handle)) {
        int error = errno;
        epoll_close_object(loop, o);
        return failed(result, error);
    }
    return true;
}

/* ---- connecting -------------------------------------------------------------------------------------------------- */

bool epoll_connect(tb_loop *loop, tb_record *r, tb_result *refused)
{
    const tb_address *address = r->op.with.address;
    epoll_part *part = epoll_part_of(r);
    struct sockaddr_storage to = {0};
    memcpy(&to, address->os.bytes, sizeof address->os.bytes < sizeof to ? sizeof address->os.bytes : sizeof to);
    int type = address->transport == TB_UDP ? SOCK_DGRAM : SOCK_STREAM;
    int fd = socket(to.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return !failed(refused, errno);
    int connected = connect(fd, (struct sockaddr *)&to, address->len), error = errno;
    if (connected < 0 && error != EINPROGRESS && error != EINTR) {
        /* Refused there and then, as a Unix socket is: an answer like any other, in the next poll. */
        close(fd);
        part->made = tb_handle_none();
        epoll_done(loop, r, tb_result_failed(tb_loop_error_from_os(error), error));
        return true;
    }
    epoll_object *o = epoll_object_make(fd, TB_HANDLE_SOCKET, address->transport);
    if (!o)
        return !failed(refused, errno);
    if (!tb_handle_make(loop, o, &part->made)) {
        error = errno;
        epoll_close_object(loop, o);
        return !failed(refused, error);
    }
    part->object = o;
    epoll_enter(&o->out, r);
    tb_result result;
    if (epoll_try(loop, r, &result))
        epoll_done(loop, r, result);
    return true;
}

static bool is_connected(tb_record *r, const epoll_object *o, tb_result *result)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (!is_ready(o->fd, POLLOUT))
        return false;
    if (getsockopt(o->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    if (error)
        return failed(result, error);
    *result = tb_result_done(0);
    result->handle = epoll_part_of(r)->made;
    return true;
}

bool epoll_try(tb_loop *loop, tb_record *r, tb_result *result)
{
    const epoll_object *o = epoll_part_of(r)->object;
    switch (r->op.kind) {
    case TB_OP_RECV:
        return receive(r, o, result);
    case TB_OP_RECV_READY:
        *result = tb_result_done(0);
        return is_ready(o->fd, POLLIN);
    case TB_OP_ACCEPT:
        return accept_one(loop, o, result);
    case TB_OP_CONNECT:
        return is_connected(r, o, result);
    default:
        return send_all(r, o, result);
    }
}
