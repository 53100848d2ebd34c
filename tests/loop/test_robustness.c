/* What goes wrong around a loop: descriptors that run out, peers that reset, vanish or stop reading, full disks, jobs that hang, a
   loop that dies with everything in flight, a group cancelled from four threads. Every operation is answered once, every buffer comes
   home; the sanitizers see to the rest. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rigs.h"

/* ---- many sockets ------------------------------------------------------------------------------------------------ */

/* Raises the limit of descriptors as far as it goes; what it is. */
static int descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 256;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 1 << 20 ? 1 << 20 : (int)limit.rlim_cur;
}

static int echo_on_many(int pairs)
{
    rig r;
    int good = 0;
    rig_open(&r, (tb_loop_options){0});
    tb_handle(*two)[2] = calloc((size_t)pairs, sizeof *two);
    tb_loop_error error;
    tb_bytes *hello = tb_bytes_make("hello", 5);
    for (int i = 0; i < pairs; i++)
        if (!tb_loop_pair(r.loop, TB_UNIX, two[i], &error))
            pairs = i;
    tb_pool *small = tb_pool_make(&(tb_pool_options){.held = (size_t)pairs * 4096});
    for (int i = 0; i < pairs; i++) {
        tb_buffer *b = tb_pool_must_take(small, 5);
        tb_loop_submit_by(r.loop, tb_op_recv(two[i][0], &b), tb_here((uint64_t)i), in(&r, 60 * SEC));
    }
    for (int i = 0; i < pairs; i++)
        tb_loop_submit(r.loop, tb_op_send_bytes(two[i][1], hello), tb_here(UINT64_MAX));
    tb_instant end = in(&r, 60 * SEC);
    for (int answers = 0; answers < 2 * pairs && tb_instant_lt(now(&r), end);) {
        tb_loop_poll(r.loop, end, &r.out);
        answers += (int)r.out.len;
        for (size_t i = 0; i < r.out.len; i++)
            good += r.out.items[i].outcome == TB_DONE && r.out.items[i].n == 5;
        rig_clear(&r);
    }
    bool home = tb_pool_get_stats(small).lent == 0 && tb_loop_in_flight(r.loop) == 0;
    tb_bytes_release(hello);
    rig_close(&r);
    tb_pool_release(small);
    free(two);
    return home && good == 2 * pairs ? pairs : -1;
}

/* 10,000 sockets; in two processes where one may not have so many descriptors. */
static void many_sockets(void)
{
    enum { SOCKETS = 10000 };
    int limit = descriptors(), processes = limit > SOCKETS + 100 ? 1 : 2, each = SOCKETS / 2 / processes;
    if (2 * each + 100 > limit) {
        skip(1, "10,000 sockets need a limit of %d descriptors; it is %d", 2 * each + 100, limit);
        return;
    }
    int good = 0;
    for (int i = 0; i < processes; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(echo_on_many(each) == each ? 0 : 1);
        int status = 0;
        good += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    is(good, processes, "LOP-02 BUF-04 10,000 sockets in %d process(es): each receives, with a deadline, and is answered once", processes);
}

static void no_descriptors(void)
{
    rig r;
    tb_address at;
    tb_handle listener, h[2], more[64][2];
    tb_loop_error error = TB_EOK;
    struct rlimit before, few;
    rig_open(&r, (tb_loop_options){0});
    tb_address_parse("tcp:127.0.0.1:0", &at);
    tb_loop_listen(r.loop, &at, 0, &listener, &error);
    tb_loop_local_address(r.loop, listener, &at, &error);
    tb_loop_submit(r.loop, tb_op_connect(&at), tb_here(1));
    rig_wait(&r, 1);
    h[0] = answer(&r, 1)->handle;
    rig_clear(&r);
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    int lowest = dup(0); /* free; whatever else is open in this process is below */
    close(lowest);
    few.rlim_cur = (rlim_t)lowest + 20;
    setrlimit(RLIMIT_NOFILE, &few);
    int made = 0;
    while (made < 64 && tb_loop_pair(r.loop, TB_UNIX, more[made], &error))
        made++;
    ok(made > 0 && error == TB_EMFILE, "OPS-05 no descriptor is left: TB_EMFILE");
    if (made == 0)
        return;
    int last = dup(0); /* the odd one */
    tb_loop_submit(r.loop, tb_op_accept(listener), tb_here(2));
    tb_loop_submit(r.loop, tb_op_connect(&at), tb_here(3));
    rig_wait(&r, 2);
    ok(is_failed(&r, 2, TB_EMFILE) && answer(&r, 2)->os_error == EMFILE, "OPS-05 Accept without descriptors: Failed(TB_EMFILE)");
    ok(is_failed(&r, 3, TB_EMFILE), "OPS-05 Connect, too");
    rig_clear(&r);
    tb_loop_close(r.loop, more[0][0]);
    tb_loop_close(r.loop, more[0][1]);
    tb_loop_submit(r.loop, tb_op_accept(listener), tb_here(4));
    rig_wait(&r, 1);
    ok(is_outcome(&r, 4, TB_DONE, false) && tb_loop_is_open(r.loop, answer(&r, 4)->handle), "OPS-05 with one given back, the connection is still there to accept");
    setrlimit(RLIMIT_NOFILE, &before);
    if (last >= 0)
        close(last);
    tb_loop_close(r.loop, h[0]);
    rig_close(&r);
}

/* ---- peers ------------------------------------------------------------------------------------------------------- */

static void reset_by_peer(bool sim)
{
    rig r;
    tb_handle ab[2];
    tb_loop_error error;
    rig_open(&r, (tb_loop_options){.backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM});
    tb_loop_pair(r.loop, TB_TCP, ab, &error);
    tb_loop_submit(r.loop, recv_op(&r, ab[0]), tb_here(1));
    rig_poll(&r, now(&r));
    if (sim) {
        tb_sim_reset(r.loop, ab[1]);
    } else {
        struct linger hard = {1, 0};
        setsockopt((int)tb_loop_os_handle(r.loop, ab[1]), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        tb_loop_close(r.loop, ab[1]);
    }
    rig_wait(&r, 1);
    ok(is_failed(&r, 1, TB_ECONNRESET) && is_outcome(&r, 1, TB_FAILED, true), "OPS-05 %s: the peer resets: Failed(TB_ECONNRESET), buffer back", r.name);
    rig_clear(&r);
    tb_loop_submit(r.loop, send_op(&r, ab[0], "x", 1), tb_here(2));
    rig_wait(&r, 1);
    ok(answer(&r, 2)->outcome == TB_FAILED && (is_failed(&r, 2, TB_EPIPE) || is_failed(&r, 2, TB_ECONNRESET)), "OPS-05 %s: sending after it fails", r.name);
    rig_close(&r);
}

static void peer_stops_reading(rig *r)
{
    enum { MUCH = 1 << 20 };
    tb_handle ab[2];
    rig_pair(r, ab);
    tb_instant t = now(r);
    for (uint64_t i = 0; i < 3; i++) {
        tb_buffer *b = tb_pool_must_take(r->pool, MUCH);
        tb_buffer_set_len(b, MUCH);
        memset(tb_buffer_data(b), 1, MUCH);
        tb_loop_submit_by(r->loop, tb_op_send(ab[0], &b), tb_here(i), tb_instant_add(t, ns(50 * MS)));
    }
    rig_wait(r, 3);
    int good = 0;
    for (uint64_t i = 0; i < 3; i++)
        good += is_outcome(r, i, TB_TIMED_OUT, true);
    is(good, 3, "IOD-02 %s: a peer that stops reading: three sends of a MiB time out, buffers back", r->name);
    ok(answer(r, 0)->n > 0 && answer(r, 0)->n < MUCH && answer(r, 1)->n == 0, "IOD-02 %s: the first says how much it had sent: %d", r->name, (int)answer(r, 0)->n);
    rig_clear(r);
    /* What it had sent arrives, and nothing of the others. */
    tb_loop_end_sending(r->loop, ab[0], &(tb_loop_error){TB_EOK});
    size_t got = 0;
    for (size_t n = 1; n > 0; got += n) {
        tb_loop_submit(r->loop, recv_op(r, ab[1]), tb_here(9));
        rig_wait(r, 1);
        n = answer(r, 9)->n;
        rig_clear(r);
    }
    ok(got > 0 && got < MUCH, "IOD-02 %s: which arrives: %d", r->name, (int)got);
}

static void full_disk(void)
{
    rig r;
    tb_handle f;
    tb_loop_error error = TB_EOK;
    tb_sim_options sim = {.disk = 10};
    for (int i = 0; i < 2; i++) {
        rig_open(&r, (tb_loop_options){.backend = i ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM, .sim = &sim});
        bool opened = tb_loop_open_file(r.loop, i ? "file" : "/dev/full", TB_OPEN_WRITE | TB_OPEN_CREATE, &f, &error);
        tb_buffer *b = take(&r);
        tb_buffer_append(b, "twelve bytes", 12);
        tb_loop_submit(r.loop, tb_op_write_at(f, 0, &b), tb_here(1));
        rig_wait(&r, 1);
        ok(opened && is_failed(&r, 1, TB_ENOSPC) && is_outcome(&r, 1, TB_FAILED, true), "OPS-05 %s: the disk is full: Failed(TB_ENOSPC), buffer back", r.name);
        rig_close(&r);
    }
}

static void failing_kernel(void)
{
    rig r;
    tb_sim_options sim = {.seed = 5, .answer = {ns(0), ns(MS)}, .cancel = {ns(0), ns(MS)}, .short_in_million = 300000, .fail_in_million = 50000};
    uint64_t failed = 0, answers = 0;
    size_t got = 0, sent = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        tb_handle ab[2];
        sim.seed = seed;
        rig_open(&r, (tb_loop_options){.backend = TB_BACKEND_SIM, .sim = &sim});
        rig_pair(&r, ab);
        for (uint64_t i = 0; i < 50; i++) {
            tb_loop_submit_by(r.loop, send_op(&r, ab[1], "0123456789", 10), tb_here(0), in(&r, 30 * MS));
            tb_loop_submit_by(r.loop, recv_op(&r, ab[0]), tb_here(1), in(&r, 20 * MS));
        }
        rig_wait(&r, 100);
        answers += r.out.len;
        for (size_t i = 0; i < r.out.len; i++) {
            const tb_completion *c = &r.out.items[i];
            failed += c->outcome == TB_FAILED && c->code == TB_ECONNRESET;
            got += c->token == 1 && c->outcome == TB_DONE ? c->n : 0;
            sent += c->token == 0 ? c->outcome == TB_DONE ? 10 : c->outcome == TB_TIMED_OUT ? c->n : 0 : 0;
        }
        rig_clear(&r);
        got += tb_sim_waiting(r.loop, ab[0]);
        rig_close(&r);
    }
    is(answers, 5000, "LOP-02 OPS-05 sim: a kernel that moves parts and fails at times: all answered over 50 seeds");
    ok(failed > 0 && got >= sent, "LOP-02 OPS-05 sim: %d failures; of %d bytes sent, and parts of failed sends, %d arrived", (int)failed, (int)sent, (int)got);
}

/* ---- hanging, dying ---------------------------------------------------------------------------------------------- */

static atomic_int gate_open, running;
static tb_job_result gated(void *arg, tb_buffer *buffer)
{
    (void)arg;
    (void)buffer;
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&gate_open))
        tb_thread_sleep(tb_duration_from_micros(200));
    atomic_fetch_sub(&running, 1);
    return tb_job_done(0);
}

static void die_with_everything(bool sim)
{
    rig r;
    tb_workers *workers = tb_workers_make();
    tb_sim_options opt = {.job = {ns(SEC), ns(SEC)}, .cancel = {ns(0), ns(10 * MS)}};
    rig_open(&r, (tb_loop_options){.workers = workers, .backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM, .sim = &opt});
    tb_handle ab[2], cd[2], listener, f;
    tb_address at;
    tb_loop_error error = TB_EOK;
    rig_pair(&r, ab);
    rig_pair(&r, cd);
    tb_address_parse("tcp:127.0.0.1:0", &at);
    tb_loop_listen(r.loop, &at, 0, &listener, &error);
    bool file = tb_loop_open_file(r.loop, sim ? "file" : "/dev/zero", TB_OPEN_READ | TB_OPEN_CREATE, &f, &error);
    atomic_store(&gate_open, sim);
    tb_group *g = tb_group_until(in(&r, HOUR));
    tb_loop_set_grace(r.loop, tb_duration_zero());
    tb_loop_submit_by(r.loop, recv_op(&r, cd[0]), tb_here(1), in(&r, MS)); /* answered promptly, given back at the end */
    for (uint64_t i = 0; i < 4; i++) {
        tb_buffer *b = take(&r);
        tb_loop_submit_in(r.loop, tb_op_call(TB_LANE_DNS, gated, NULL, &b), tb_here(2), g, tb_instant_forever());
        tb_loop_submit_in(r.loop, recv_op(&r, ab[0]), tb_here(3), g, tb_instant_forever());
        tb_loop_after_in(r.loop, in(&r, HOUR), tb_here(4), g);
        tb_loop_submit(r.loop, tb_op_accept(listener), tb_here(5));
        tb_loop_submit(r.loop, tb_op_recv_ready(ab[1]), tb_here(6));
        if (i == 0 && file) {
            b = take(&r);
            tb_loop_submit(r.loop, tb_op_read_at(f, 0, &b), tb_here(7));
        }
    }
    tb_buffer *mine = take(&r);
    tb_completer *c = tb_loop_external(r.loop, tb_here(8), &mine);
    tb_request *q = tb_loop_request(r.loop, tb_loop_after(r.loop, in(&r, HOUR), tb_here(9)));
    while (!sim && atomic_load(&running) < 2)
        tb_thread_sleep(tb_duration_from_micros(200));
    while (!answer(&r, 1))
        rig_poll(&r, in(&r, 2 * MS));
    rig_clear(&r);
    tb_buffer *big = tb_pool_must_take(r.pool, 1 << 20);
    tb_buffer_set_len(big, 1 << 20);
    memset(tb_buffer_data(big), 0, 1 << 20);
    tb_loop_submit(r.loop, tb_op_send(ab[1], &big), tb_here(10));
    tb_loop_cancel(r.loop, tb_loop_after(r.loop, in(&r, HOUR), tb_here(11))); /* decided, not delivered */
    tb_group_cancel(g);
    tb_loop_destroy(r.loop);
    is(lent(&r), sim ? 1 : 3, "LOP-12 BPL-07 %s: a loop dies with everything in flight: what the kernel had is home", r.name);
    atomic_store(&gate_open, 1);
    tb_completer_destroy(c);
    tb_request_destroy(q);
    tb_instant t = tb_instant_now();
    while (lent(&r) && tb_instant_elapsed(t).ns < 5 * SEC)
        tb_thread_sleep(tb_duration_from_millis(1));
    is(lent(&r), 0, "LOP-12 BPL-07 EXT-06 %s: the rest when the jobs return and the completer ends", r.name);
    tb_group_release(g);
    tb_completions_free(&r.out);
    tb_pool_release(r.pool);
    tb_workers_destroy(workers);
}

/* ---- four threads cancel, one submits ----------------------------------------------------------------------------- */

typedef struct shared_group {
    _Atomic(tb_group *) group;
    pthread_mutex_t lock;
    atomic_bool over;
} shared_group;

static void *cancel_often(void *ctx)
{
    shared_group *s = ctx;
    while (!atomic_load(&s->over)) {
        pthread_mutex_lock(&s->lock);
        tb_group *g = atomic_load(&s->group);
        tb_group *child = g ? tb_group_child(g) : NULL;
        pthread_mutex_unlock(&s->lock);
        if (g)
            tb_group_cancel(child);
        pthread_mutex_lock(&s->lock);
        if (atomic_load(&s->group))
            tb_group_cancel(atomic_load(&s->group));
        pthread_mutex_unlock(&s->lock);
        tb_group_release(child);
        tb_thread_sleep(tb_duration_from_micros(20));
    }
    return NULL;
}

static void four_cancellers(void)
{
    enum { ROUNDS = 300, EACH = 20 };
    rig r;
    shared_group s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[4];
    tb_handle ab[2];
    uint64_t answers = 0, cancelled = 0;
    rig_open(&r, (tb_loop_options){0});
    rig_pair(&r, ab);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, cancel_often, &s);
    for (int round = 0; round < ROUNDS; round++) {
        tb_group *g = tb_group_make();
        pthread_mutex_lock(&s.lock);
        atomic_store(&s.group, g);
        pthread_mutex_unlock(&s.lock);
        for (uint64_t i = 0; i < EACH; i++) {
            tb_loop_submit_in(r.loop, recv_op(&r, ab[0]), tb_here(i), g, tb_instant_forever());
            tb_loop_after_in(r.loop, in(&r, HOUR), tb_here(i), g);
        }
        rig_wait(&r, 2 * (size_t)EACH);
        answers += r.out.len;
        for (size_t i = 0; i < r.out.len; i++)
            cancelled += r.out.items[i].outcome == TB_CANCELLED;
        rig_clear(&r);
        pthread_mutex_lock(&s.lock);
        atomic_store(&s.group, NULL);
        pthread_mutex_unlock(&s.lock);
        tb_group_release(g);
    }
    atomic_store(&s.over, true);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    is(answers, 2 * ROUNDS * EACH, "GRP-01 GRP-15 epoll: a group cancelled from four threads while another submits: each answered once");
    is(cancelled, answers, "GRP-01 epoll: all Cancelled");
    rig_close(&r);
}

int main(void)
{
    no_descriptors();
    many_sockets();
    reset_by_peer(false);
    reset_by_peer(true);
    each_rig(peer_stops_reading);
    full_disk();
    failing_kernel();
    die_with_everything(true);
    die_with_everything(false);
    four_cancellers();
    return rigs_done();
}
