/* Operations: what each takes and answers, and the codes of failures. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rigs.h"

static void ids(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_group *g = tb_group_make();
    tb_op_id id[5] = {tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(1)),
                      tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(2), in(r, 10 * SEC)),
                      tb_loop_submit_in(r->loop, recv_op(r, ab[0]), tb_here(3), g, tb_instant_forever()),
                      tb_loop_after(r->loop, in(r, 10 * SEC), tb_here(4)), tb_loop_after_in(r->loop, in(r, 10 * SEC), tb_here(5), g)};
    int none = 0, deaf = 0, same = 0;
    for (int i = 0; i < 5; i++) {
        none += tb_op_is_none(id[i]);
        deaf += !tb_loop_cancel(r->loop, id[i]);
        for (int k = 0; k < i; k++)
            same += tb_op_same(id[i], id[k]);
    }
    none_of(none + same, "OPS-01 %s: submit, submit_by, submit_in, after, after_in each give an id of their own", r->name);
    none_of(deaf, "OPS-01 IOC-02 %s: and each is known to cancel", r->name);
    ok(rig_wait(r, 5), "OPS-01 LOP-02 %s: five answers", r->name);
    tb_group_release(g);
}

static void receiving(rig *r)
{
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_buffer *b = take(r);
    tb_buffer_append(b, "abc", 3);
    tb_loop_submit(r->loop, send_op(r, ab[1], "12345", 5), tb_here(1));
    tb_loop_submit(r->loop, tb_op_recv(ab[0], &b), tb_here(2));
    ok(!b, "BUF-01 %s: the operation took the buffer over", r->name);
    rig_wait(r, 2);
    ok(is_outcome(r, 1, TB_DONE, true) && answer(r, 1)->n == 5, "OPS-02 LOP-04 %s: Send: Done(5), buffer back", r->name);
    tb_completion *c = answer(r, 2);
    ok(is_outcome(r, 2, TB_DONE, true) && c->n == 5 && tb_buffer_len(c->buffer) == 8 && memcmp(tb_buffer_data(c->buffer), "abc12345", 8) == 0,
       "OPS-02 %s: Recv behind 3 bytes: Done(5), length 8", r->name);
    rig_clear(r);

    b = take(r);
    tb_buffer_set_len(b, tb_buffer_capacity(b));
    tb_loop_submit(r->loop, tb_op_recv(ab[0], &b), tb_here(3));
    rig_wait(r, 1);
    ok(is_failed(r, 3, TB_ENOBUFS) && is_outcome(r, 3, TB_FAILED, true), "OPS-02 CNT-04 %s: no room: Failed(TB_ENOBUFS), buffer back", r->name);
    rig_clear(r);

    tb_loop_submit(r->loop, tb_op_recv_ready(ab[0]), tb_here(4));
    rig_poll(r, in(r, 5 * MS));
    is(r->out.len, 0, "OPS-02 %s: RecvReady on a silent socket waits", r->name);
    tb_loop_submit(r->loop, send_op(r, ab[1], "x", 1), tb_here(5));
    rig_wait(r, 2);
    ok(is_outcome(r, 4, TB_DONE, false) && answer(r, 4)->n == 0, "OPS-02 %s: RecvReady: Done(0), no buffer", r->name);
    rig_clear(r);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(6));
    rig_wait(r, 1);
    ok(is_outcome(r, 6, TB_DONE, true) && answer(r, 6)->n == 1, "OPS-02 %s: the byte is still there: Done(1)", r->name);
    rig_clear(r);

    tb_loop_close(r->loop, ab[1]);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(7));
    rig_wait(r, 1);
    ok(is_outcome(r, 7, TB_DONE, true) && answer(r, 7)->n == 0, "OPS-02 %s: the peer has closed: Done(0)", r->name);
    rig_clear(r);
    tb_loop_submit(r->loop, send_op(r, ab[0], "x", 1), tb_here(8));
    rig_wait(r, 1);
    ok(is_failed(r, 8, TB_EPIPE) && is_outcome(r, 8, TB_FAILED, true), "OPS-05 %s: sending to it: Failed(TB_EPIPE), and no signal", r->name);
}

static void sending_much(rig *r)
{
    enum { MUCH = 1 << 20 };
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_buffer *big = tb_pool_must_take(r->pool, MUCH);
    memset(tb_buffer_data(big), 7, MUCH);
    tb_buffer_set_len(big, MUCH);
    tb_loop_submit(r->loop, tb_op_send(ab[1], &big), tb_here(1));
    size_t got = 0;
    int wrong = 0;
    bool sent = false;
    while (got < MUCH || !sent) {
        tb_loop_submit_by(r->loop, recv_op(r, ab[0]), tb_here(2), in(r, got < MUCH ? 5 * SEC : 0));
        rig_poll(r, in(r, 5 * SEC));
        rig_wait(r, 1);
        for (size_t i = 0; i < r->out.len; i++) {
            tb_completion *c = &r->out.items[i];
            if (c->token == 1) {
                sent = true;
                wrong += c->outcome != TB_DONE || c->n != MUCH || !c->buffer;
                continue;
            }
            got += c->n;
            for (size_t k = 0; k < c->n; k++)
                wrong += tb_buffer_data(c->buffer)[k] != 7;
        }
        rig_clear(r);
    }
    is(got, MUCH, "OPS-02 %s: a MiB arrives at a slow reader", r->name);
    none_of(wrong, "OPS-02 %s: and its Send is Done(1048576)", r->name);
    while (tb_loop_in_flight(r->loop) && rig_poll(r, in(r, SEC)))
        rig_clear(r);

    tb_handle cd[2];
    rig_pair(r, cd);
    tb_bytes *five = tb_bytes_make("hello", 5);
    tb_loop_submit(r->loop, tb_op_send_bytes(ab[1], five), tb_here(3));
    tb_loop_submit(r->loop, tb_op_send_bytes(cd[1], five), tb_here(4));
    tb_bytes_release(five);
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(5));
    tb_loop_submit(r->loop, recv_op(r, cd[0]), tb_here(6));
    rig_wait(r, 4);
    int good = 0;
    for (uint64_t t = 3; t <= 6; t++)
        good += is_outcome(r, t, TB_DONE, t > 4) && answer(r, t)->n == 5;
    is(good, 4, "OPS-02 %s: shared bytes sent on two sockets: Done(5) twice, and both arrive", r->name);
    rig_clear(r);

    tb_handle silent[2];
    rig_pair(r, silent);
    int order = 0;
    for (uint64_t i = 0; i < 3; i++)
        tb_loop_submit(r->loop, recv_op(r, silent[0]), tb_here(10 + i));
    for (int i = 0; i < 3; i++) {
        char byte = (char)('a' + i);
        tb_loop_submit(r->loop, send_op(r, silent[1], &byte, 1), tb_here(20));
        rig_wait(r, 2);
        tb_completion *c = answer(r, 10 + (uint64_t)i);
        order += c && c->n == 1 && tb_buffer_data(c->buffer)[0] == (unsigned char)byte;
        rig_clear(r);
    }
    is(order, 3, "OPS-02 %s: receives queued on one socket are served in the order submitted", r->name);
}

static void files(rig *r)
{
    char path[] = "/tmp/timerbench-loop-XXXXXX";
    tb_handle f;
    tb_loop_error error = TB_EOK;
    if (!r->sim) {
        int fd = mkstemp(path);
        if (fd >= 0)
            close(fd);
    }
    bool opened = tb_loop_open_file(r->loop, path, TB_OPEN_READ | TB_OPEN_WRITE | TB_OPEN_CREATE | TB_OPEN_TRUNCATE, &f, &error);
    ok(opened, "OPS-02 %s: a file opens", r->name);
    tb_buffer *b = take(r);
    tb_buffer_append(b, "abc", 3);
    tb_loop_submit(r->loop, tb_op_write_at(f, 10, &b), tb_here(1));
    rig_wait(r, 1);
    ok(is_outcome(r, 1, TB_DONE, true) && answer(r, 1)->n == 3, "OPS-02 %s: WriteAt(f, 10, \"abc\") is Done(3)", r->name);
    b = take(r);
    tb_loop_submit(r->loop, tb_op_read_at(f, 10, &b), tb_here(2));
    b = take(r);
    tb_loop_submit(r->loop, tb_op_read_at(f, 13, &b), tb_here(3));
    b = take(r);
    tb_loop_submit(r->loop, tb_op_recv(f, &b), tb_here(4));
    rig_wait(r, 4);
    tb_completion *c = answer(r, 2);
    ok(is_outcome(r, 2, TB_DONE, true) && c->n == 3 && memcmp(tb_buffer_data(c->buffer), "abc", 3) == 0,
       "OPS-02 %s: ReadAt(f, 10) is Done(3) \"abc\"", r->name);
    ok(is_outcome(r, 3, TB_DONE, true) && answer(r, 3)->n == 0, "OPS-02 %s: ReadAt(f, 13), the end, is Done(0)", r->name);
    ok(is_failed(r, 4, TB_EINVAL), "OPS-05 %s: Recv on a file is Failed(TB_EINVAL)", r->name);
    tb_loop_close(r->loop, f);
    if (!r->sim)
        unlink(path);
    ok(!tb_loop_open_file(r->loop, "/nowhere/at/all", TB_OPEN_READ, &f, &error) && error == TB_EOTHER,
       "OPS-05 %s: no such file: TB_EOTHER", r->name);
}

static void connecting(rig *r)
{
    char path[64];
    snprintf(path, sizeof path, "unix:/tmp/timerbench-loop-%d.sock", (int)getpid());
    const char *const places[] = {"tcp:127.0.0.1:0", "tcp:[::1]:0", path};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *place = i < 2 ? places[i] : "unix";
        tb_address at;
        tb_handle listener, other;
        tb_loop_error error = TB_EOK;
        unlink(path + 5);
        ok(tb_address_parse(places[i], &at), "OPS-02 %s: %s is an address", r->name, place);
        if (!tb_loop_listen(r->loop, &at, 0, &listener, &error)) {
            ok(i == 1 && error == TB_EOTHER, "OPS-02 %s: no IPv6 here", r->name);
            continue;
        }
        tb_loop_local_address(r->loop, listener, &at, &error);
        ok(!tb_loop_listen(r->loop, &at, 0, &other, &error) && error == TB_EADDRINUSE, "OPS-05 %s, %s: taken: TB_EADDRINUSE", r->name, place);
        tb_loop_submit(r->loop, tb_op_accept(listener), tb_here(1));
        tb_loop_submit(r->loop, tb_op_connect(&at), tb_here(2));
        rig_wait(r, 2);
        bool both = is_outcome(r, 1, TB_DONE, false) && is_outcome(r, 2, TB_DONE, false);
        ok(both && tb_loop_is_open(r->loop, answer(r, 1)->handle) && tb_loop_is_open(r->loop, answer(r, 2)->handle),
           "OPS-02 %s, %s: Accept and Connect are Done, both handles open", r->name, place);
        tb_handle a = answer(r, 1)->handle, b = answer(r, 2)->handle;
        rig_clear(r);
        tb_loop_submit(r->loop, send_op(r, a, "hi", 2), tb_here(3));
        tb_loop_submit(r->loop, recv_op(r, b), tb_here(4));
        rig_wait(r, 2);
        ok(is_outcome(r, 4, TB_DONE, true) && answer(r, 4)->n == 2, "OPS-02 %s, %s: and connected to each other", r->name, place);
        tb_loop_close(r->loop, listener);
        rig_clear(r);
        if (at.transport == TB_UNIX)
            continue;
        tb_loop_submit(r->loop, tb_op_connect(&at), tb_here(5));
        rig_wait(r, 1);
        ok(is_failed(r, 5, TB_ECONNREFUSED), "OPS-04 IOC-07 %s, %s: Connect to a closed port: TB_ECONNREFUSED", r->name, place);
        is(answer(r, 5)->os_error, r->sim ? 0 : ECONNREFUSED, "OPS-04 %s, %s: the OS number beside it", r->name, place);
        rig_clear(r);
    }
    unlink(path + 5);
}

static void datagrams_and_pipes(rig *r)
{
    tb_handle two[2];
    tb_loop_error error = TB_EOK;
    bool pipe_made = tb_loop_pipe(r->loop, two, &error);
    tb_loop_submit(r->loop, send_op(r, two[1], "pipe", 4), tb_here(1));
    tb_loop_submit(r->loop, recv_op(r, two[0]), tb_here(2));
    tb_loop_submit(r->loop, recv_op(r, two[1]), tb_here(3));
    rig_wait(r, 3);
    ok(pipe_made && is_outcome(r, 2, TB_DONE, true) && answer(r, 2)->n == 4, "OPS-02 %s: a pipe carries bytes", r->name);
    ok(is_failed(r, 3, TB_EINVAL), "OPS-05 %s: receiving at its sending end: TB_EINVAL", r->name);
    rig_clear(r);
    tb_loop_close(r->loop, two[0]);
    tb_loop_submit(r->loop, send_op(r, two[1], "x", 1), tb_here(4));
    rig_wait(r, 1);
    ok(is_failed(r, 4, TB_EPIPE), "OPS-05 %s: nobody reads the pipe: TB_EPIPE, and no signal", r->name);
    rig_clear(r);
    if (r->sim) {
        ok(!tb_loop_pair(r->loop, TB_UDP, two, &error) && error == TB_EINVAL, "OPS-05 %s: no datagrams in the simulation: TB_EINVAL", r->name);
        return;
    }
    bool pair_made = tb_loop_pair(r->loop, TB_UDP, two, &error);
    tb_loop_submit(r->loop, send_op(r, two[1], "one", 3), tb_here(5));
    tb_loop_submit(r->loop, send_op(r, two[1], "three", 5), tb_here(6));
    tb_loop_submit(r->loop, recv_op(r, two[0]), tb_here(7));
    tb_loop_submit(r->loop, recv_op(r, two[0]), tb_here(8));
    rig_wait(r, 4);
    ok(pair_made && is_outcome(r, 7, TB_DONE, true) && answer(r, 7)->n == 3 && is_outcome(r, 8, TB_DONE, true) && answer(r, 8)->n == 5,
       "OPS-02 %s: UDP keeps its datagrams apart", r->name);
    rig_clear(r);
    tb_loop_pair(r->loop, TB_TCP, two, &error);
    tb_loop_submit(r->loop, send_op(r, two[1], "tcp", 3), tb_here(9));
    tb_loop_submit(r->loop, recv_op(r, two[0]), tb_here(10));
    rig_wait(r, 2);
    ok(is_outcome(r, 10, TB_DONE, true) && answer(r, 10)->n == 3, "OPS-02 %s: a pair of TCP sockets", r->name);
}

/* Descriptors that were made elsewhere; and a datagram socket with an address. */
static void adopting(rig *r)
{
    tb_handle a = tb_handle_none(), b = a, again;
    tb_loop_error error = TB_EOK;
    if (r->sim) {
        ok(!tb_loop_adopt(r->loop, 0, TB_HANDLE_PIPE, &a, &error) && error == TB_EINVAL, "OPS-05 %s: nothing to adopt: TB_EINVAL", r->name);
        return;
    }
    int fds[2] = {-1, -1};
    bool made = socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0;
    ok(made && tb_loop_adopt(r->loop, fds[0], TB_HANDLE_SOCKET, &a, &error) && tb_loop_adopt(r->loop, fds[1], TB_HANDLE_SOCKET, &b, &error),
       "OPS-02 %s: two sockets made elsewhere", r->name);
    is(tb_loop_os_handle(r->loop, a), fds[0], "OPS-02 %s: the system's own handle", r->name);
    tb_loop_submit(r->loop, send_op(r, a, "mine", 4), tb_here(1));
    tb_loop_submit(r->loop, recv_op(r, b), tb_here(2));
    rig_wait(r, 2);
    ok(is_outcome(r, 2, TB_DONE, true) && answer(r, 2)->n == 4, "OPS-02 %s: which work", r->name);
    rig_clear(r);
    int copy = dup(fds[0]);
    ok(!tb_loop_adopt(r->loop, 1 << 20, TB_HANDLE_SOCKET, &again, &error) && error == TB_EBADF, "OPS-05 %s: no descriptor: TB_EBADF", r->name);
    tb_loop_close(r->loop, a);
    ok(write(copy, "x", 1) == 1 && write(fds[0], "x", 1) < 0, "OPS-02 %s: closing the handle closes the descriptor", r->name);
    close(copy);
    is(tb_loop_os_handle(r->loop, a), -1, "BUF-05 %s: a closed handle has none", r->name);
    int ends[2];
    made = pipe(ends) == 0 && tb_loop_adopt(r->loop, ends[0], TB_HANDLE_PIPE, &a, &error);
    tb_loop_submit(r->loop, send_op(r, a, "x", 1), tb_here(3));
    rig_wait(r, 1);
    ok(made && is_failed(r, 3, TB_EINVAL), "OPS-05 %s: sending to the reading end of a pipe: TB_EINVAL", r->name);
    close(ends[1]);
    rig_clear(r);

    tb_address at;
    tb_address_parse("udp:127.0.0.1:0", &at);
    made = tb_loop_listen(r->loop, &at, 0, &a, &error) && tb_loop_local_address(r->loop, a, &at, &error);
    tb_loop_submit(r->loop, tb_op_connect(&at), tb_here(4));
    rig_wait(r, 1);
    ok(made && is_outcome(r, 4, TB_DONE, false), "OPS-02 %s: Connect to a UDP address", r->name);
    tb_handle to = answer(r, 4)->handle;
    rig_clear(r);
    tb_loop_submit(r->loop, send_op(r, to, "", 0), tb_here(5));
    tb_loop_submit(r->loop, recv_op(r, a), tb_here(6));
    rig_wait(r, 2);
    ok(is_outcome(r, 5, TB_DONE, true) && is_outcome(r, 6, TB_DONE, true) && answer(r, 6)->n == 0, "OPS-02 %s: an empty datagram arrives", r->name);
}

/* Several wait on one handle and the kernel tells once: all that can be served are. */
static void many_at_one_event(rig *r)
{
    tb_handle two[2];
    tb_loop_error error = TB_EOK;
    if (r->sim)
        return;
    bool made = tb_loop_pair(r->loop, TB_UDP, two, &error);
    for (uint64_t i = 0; i < 5; i++)
        tb_loop_submit(r->loop, recv_op(r, two[0]), tb_here(i));
    rig_poll(r, now(r));
    int other = (int)tb_loop_os_handle(r->loop, two[1]), sent = 0, good = 0;
    for (int i = 0; i < 5; i++)
        sent += send(other, "12345", (size_t)i + 1, 0) == i + 1;
    rig_wait(r, 5);
    for (uint64_t i = 0; i < 5; i++)
        good += answer(r, i) && answer(r, i)->n == i + 1;
    ok(made && sent == 5 && good == 5, "OPS-02 %s: five receives wait, five datagrams come between two polls: each gets its own", r->name);
}

static void half_close(rig *r)
{
    tb_handle ab[2];
    tb_loop_error error = TB_EOK;
    rig_pair(r, ab);
    tb_loop_submit(r->loop, send_op(r, ab[0], "last", 4), tb_here(1));
    rig_wait(r, 1);
    rig_clear(r);
    ok(tb_loop_end_sending(r->loop, ab[0], &error), "OPS-02 %s: half-close", r->name);
    tb_loop_submit(r->loop, recv_op(r, ab[1]), tb_here(2));
    tb_loop_submit(r->loop, recv_op(r, ab[1]), tb_here(3));
    tb_loop_submit(r->loop, send_op(r, ab[1], "answer", 6), tb_here(4));
    tb_loop_submit(r->loop, recv_op(r, ab[0]), tb_here(5));
    rig_wait(r, 4);
    ok(is_outcome(r, 2, TB_DONE, true) && answer(r, 2)->n == 4 && is_outcome(r, 3, TB_DONE, true) && answer(r, 3)->n == 0,
       "OPS-02 %s: its peer reads what was sent, then the end", r->name);
    ok(is_outcome(r, 5, TB_DONE, true) && answer(r, 5)->n == 6, "OPS-02 %s: and can still answer", r->name);
}

static void codes(void)
{
    static const struct {
        int os;
        tb_loop_error code;
        const char *name;
    } all[] = {{0, TB_EOK, "TB_EOK"},
               {EADDRINUSE, TB_EADDRINUSE, "TB_EADDRINUSE"},
               {EBADF, TB_EBADF, "TB_EBADF"},
               {EBUSY, TB_EBUSY, "TB_EBUSY"},
               {ECANCELED, TB_ECANCELED, "TB_ECANCELED"},
               {ECONNABORTED, TB_ECONNABORTED, "TB_ECONNABORTED"},
               {ECONNREFUSED, TB_ECONNREFUSED, "TB_ECONNREFUSED"},
               {ECONNRESET, TB_ECONNRESET, "TB_ECONNRESET"},
               {EHOSTUNREACH, TB_EHOSTUNREACH, "TB_EHOSTUNREACH"},
               {EINVAL, TB_EINVAL, "TB_EINVAL"},
               {EIO, TB_EIO, "TB_EIO"},
               {EMFILE, TB_EMFILE, "TB_EMFILE"},
               {ENFILE, TB_EMFILE, "TB_EMFILE"},
               {ENOBUFS, TB_ENOBUFS, "TB_ENOBUFS"},
               {ENOMEM, TB_ENOMEM, "TB_ENOMEM"},
               {ENOSPC, TB_ENOSPC, "TB_ENOSPC"},
               {EPIPE, TB_EPIPE, "TB_EPIPE"},
               {ETIMEDOUT, TB_ETIMEDOUT, "TB_ETIMEDOUT"},
               {EXDEV, TB_EOTHER, "TB_EOTHER"}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wrong += tb_loop_error_from_os(all[i].os) != all[i].code || strcmp(tb_loop_error_name(all[i].code), all[i].name) != 0;
    none_of(wrong, "OPS-05 the system's numbers and the portable codes");
}

static void addresses(void)
{
    static const char *const good[] = {"tcp:127.0.0.1:80", "udp:[::1]:65535", "unix:/tmp/x", "tcp:0.0.0.0:0"};
    static const char *const bad[] = {"", "tcp:", "tcp:127.0.0.1", "tcp:127.0.0.1:", "tcp:127.0.0.1:65536", "tcp:127.0.0.1:8x", "tcp::80",
                                      "tcp:[::1:80", "tcp:[]:80", "tcp:localhost:80", "unix:", "sctp:127.0.0.1:80", "tcp:127.0.0.1:99999999999999999999"};
    char text[160];
    tb_address a;
    int wrong = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        wrong += !tb_address_parse(good[i], &a) || !tb_address_format(&a, text, sizeof text) || strcmp(text, good[i]) != 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        wrong += tb_address_parse(bad[i], &a);
    none_of(wrong, "OPS-02 addresses are read and written, and what is none is refused");
    tb_address_parse("tcp:127.0.0.1:80", &a);
    ok(!tb_address_format(&a, text, 5), "OPS-02 an address does not fit 5 bytes");
}

int main(void)
{
    codes();
    addresses();
    each_rig(ids);
    each_rig(receiving);
    each_rig(sending_much);
    each_rig(files);
    each_rig(connecting);
    each_rig(datagrams_and_pipes);
    each_rig(adopting);
    each_rig(many_at_one_event);
    each_rig(half_close);
    return rigs_done();
}
