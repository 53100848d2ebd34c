/* epoll_handles.c: descriptors: sockets, pipes and files; and the reading and writing of files on a lane's thread. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/epoll.h"

static bool failed(tb_loop_error *error)
{
    *error = tb_loop_error_from_os(errno);
    return false;
}

epoll_object *epoll_object_make(int fd, tb_handle_kind kind, tb_transport transport)
{
    epoll_object *o = calloc(1, sizeof *o);
    if (!o) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    *o = (epoll_object){.fd = fd, .kind = kind, .transport = transport, .reads = true, .writes = true};
    return o;
}

bool epoll_named(tb_loop *loop, void *object, tb_handle handle)
{
    const epoll_object *o = object;
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                            .data.u64 = (uint64_t)handle.index << 32 | handle.generation};
    return o->kind == TB_HANDLE_FILE || epoll_ctl(epoll_of(loop)->epoll, EPOLL_CTL_ADD, o->fd, &e) == 0;
}

/* Nothing waits on it any more: everything was asked to end. Closing takes it out of epoll. */
void epoll_close_object(tb_loop *loop, void *object)
{
    epoll_object *o = object;
    (void)loop;
    if (o->file)
        tb_shared_file_release(o->file);
    else
        close(o->fd);
    free(o);
}

intptr_t epoll_os_handle(const tb_loop *loop, const void *object)
{
    (void)loop;
    return ((const epoll_object *)object)->fd;
}

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

static int type_of(tb_transport transport) { return transport == TB_UDP ? SOCK_DGRAM : SOCK_STREAM; }

bool epoll_listen(tb_loop *loop, const tb_address *address, int backlog, void **object, tb_loop_error *error)
{
    (void)loop;
    struct sockaddr_storage at = {0};
    memcpy(&at, address->os.bytes, sizeof address->os.bytes);
    int fd = socket(at.ss_family, type_of(address->transport) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0)
        return failed(error);
    bool datagrams = address->transport == TB_UDP;
    if ((address->transport == TB_TCP && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0) ||
        bind(fd, (struct sockaddr *)&at, address->len) < 0 ||
        (!datagrams && listen(fd, backlog > 0 ? backlog : SOMAXCONN) < 0)) {
        failed(error);
        close(fd);
        return false;
    }
    *object = epoll_object_make(fd, datagrams ? TB_HANDLE_SOCKET : TB_HANDLE_LISTENER, address->transport);
    return *object || failed(error);
}

bool epoll_local_address(tb_loop *loop, void *object, tb_address *out, tb_loop_error *error)
{
    const epoll_object *o = object;
    struct sockaddr_storage at = {0};
    socklen_t size = sizeof at;
    (void)loop;
    if (getsockname(o->fd, (struct sockaddr *)&at, &size) < 0)
        return failed(error);
    *out = (tb_address){.transport = o->transport, .len = size};
    memcpy(out->os.bytes, &at, sizeof out->os.bytes);
    return true;
}

static bool make_two(const int fds[2], tb_handle_kind kind, tb_transport transport, void *objects[2], tb_loop_error *error)
{
    objects[0] = epoll_object_make(fds[0], kind, transport);
    objects[1] = epoll_object_make(fds[1], kind, transport);
    if (objects[0] && objects[1])
        return true;
    *error = TB_ENOMEM;
    for (int i = 0; i < 2; i++)
        if (objects[i])
            epoll_close_object(NULL, objects[i]);
    return false;
}

static void close_two(const int fds[2])
{
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Two sockets of the internet have no socketpair: a listener for one connection, or two that are bound and connected. */
static bool pair_of_tcp(int fds[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool done = listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0 &&
                getsockname(listener, (struct sockaddr *)&at, &size) == 0;
    fds[0] = done ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    /* The kernel completes a connection of the loopback by itself: neither call waits. */
    done = fds[0] >= 0 && connect(fds[0], (struct sockaddr *)&at, sizeof at) == 0;
    fds[1] = done ? accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
    done = fds[1] >= 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0;
    int error = errno;
    if (listener >= 0)
        close(listener);
    errno = error;
    return done;
}

static bool pair_of_udp(int fds[2])
{
    struct sockaddr_in at[2];
    bool done = true;
    for (int i = 0; i < 2 && done; i++) {
        socklen_t size = sizeof at[i];
        at[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        fds[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        done = fds[i] >= 0 && bind(fds[i], (struct sockaddr *)&at[i], size) == 0 &&
               getsockname(fds[i], (struct sockaddr *)&at[i], &size) == 0;
    }
    for (int i = 0; i < 2 && done; i++)
        done = connect(fds[i], (struct sockaddr *)&at[1 - i], sizeof at[i]) == 0;
    return done;
}

bool epoll_pair(tb_loop *loop, tb_transport transport, void *objects[2], tb_loop_error *error)
{
    int fds[2] = {-1, -1};
    (void)loop;
    bool done = transport == TB_TCP   ? pair_of_tcp(fds)
                : transport == TB_UDP ? pair_of_udp(fds)
                                      : socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0;
    if (!done) {
        failed(error);
        close_two(fds);
        return false;
    }
    return make_two(fds, TB_HANDLE_SOCKET, transport, objects, error);
}

bool epoll_end_sending(tb_loop *loop, void *object, tb_loop_error *error)
{
    const epoll_object *o = object;
    (void)loop;
    *error = TB_EINVAL;
    return o->kind == TB_HANDLE_SOCKET && (shutdown(o->fd, SHUT_WR) == 0 || failed(error));
}

/* ---- pipes, files, others' ----------------------------------------------------------------------------------------- */

bool epoll_pipe(tb_loop *loop, void *objects[2], tb_loop_error *error)
{
    int fds[2];
    (void)loop;
    if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0)
        return failed(error);
    if (!make_two(fds, TB_HANDLE_PIPE, TB_UNIX, objects, error))
        return false;
    ((epoll_object *)objects[0])->writes = false;
    ((epoll_object *)objects[1])->reads = false;
    return true;
}

static bool file_object(int fd, void **object, tb_loop_error *error)
{
    epoll_object *o = epoll_object_make(fd, TB_HANDLE_FILE, TB_UNIX);
    if (!o)
        return failed(error);
    o->file = tb_shared_file_make(fd);
    if (!o->file) {
        epoll_close_object(NULL, o);
        *error = TB_ENOMEM;
        return false;
    }
    *object = o;
    return true;
}

bool epoll_open_file(tb_loop *loop, const char *path, unsigned mode, void **object, tb_loop_error *error)
{
    (void)loop;
    bool reads = mode & TB_OPEN_READ, writes = mode & TB_OPEN_WRITE;
    int flags = (reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY) | (mode & TB_OPEN_CREATE ? O_CREAT : 0) |
                (mode & TB_OPEN_TRUNCATE ? O_TRUNC : 0) | O_CLOEXEC;
    int fd = open(path, flags, 0666);
    return fd >= 0 ? file_object(fd, object, error) : failed(error);
}

bool epoll_adopt(tb_loop *loop, intptr_t os_handle, tb_handle_kind kind, void **object, tb_loop_error *error)
{
    int fd = (int)os_handle, flags = fcntl(fd, F_GETFL);
    struct sockaddr_storage at = {0};
    socklen_t size = sizeof at;
    tb_transport transport = TB_UNIX;
    (void)loop;
    if (flags < 0)
        return failed(error);
    if (kind == TB_HANDLE_FILE)
        return file_object(fd, object, error);
    if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return failed(error);
    if (kind != TB_HANDLE_PIPE) {
        int type = SOCK_STREAM;
        socklen_t type_size = sizeof type;
        if (getsockname(fd, (struct sockaddr *)&at, &size) < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) < 0)
            return failed(error);
        transport = at.ss_family == AF_UNIX ? TB_UNIX : type == SOCK_DGRAM ? TB_UDP : TB_TCP;
    }
    *object = epoll_object_make(fd, kind, transport);
    if (!*object)
        return failed(error);
    ((epoll_object *)*object)->reads = (flags & O_ACCMODE) != O_WRONLY;
    ((epoll_object *)*object)->writes = (flags & O_ACCMODE) != O_RDONLY;
    return true;
}

tb_shared_file *tb_shared_file_make(int fd)
{
    tb_shared_file *file = malloc(sizeof *file);
    if (file) {
        atomic_init(&file->holds, 1);
        file->fd = fd;
    }
    return file;
}

void tb_shared_file_release(tb_shared_file *file)
{
    if (!file || atomic_fetch_sub_explicit(&file->holds, 1, memory_order_acq_rel) > 1)
        return;
    close(file->fd);
    free(file);
}

/* A read takes what one call gives; a write goes on until all is written. */
tb_job_result tb_file_work(tb_job *job)
{
    tb_buffer *b = job->buffer;
    bool reads = job->kind == TB_OP_READ_AT;
    size_t len = reads ? b->capacity - b->len : b->len, done = 0;
    ssize_t n = 1;
    while (done < len && n != 0) {
        n = reads ? pread(job->file->fd, b->data + b->len, len, (off_t)job->offset)
                  : pwrite(job->file->fd, b->data + done, len - done, (off_t)(job->offset + done));
        if (n < 0 && errno != EINTR)
            return tb_job_failed(tb_loop_error_from_os(errno), errno);
        done += n > 0 ? (size_t)n : 0;
        if (reads && n > 0)
            break;
    }
    if (reads)
        b->len += done;
    return tb_job_done(done);
}
