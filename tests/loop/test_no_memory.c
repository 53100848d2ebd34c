/* Each allocation of a loop's life fails in turn: what was accepted is answered once, what was not says so, every buffer comes home. */
#include <malloc.h>
#include <unistd.h>

#include "rigs.h"
#include "tests/bench/failing_malloc.h"

static int dropped_hooks, delivered_hooks;
static void deliver(void *ctx, const tb_completion *c)
{
    (void)ctx;
    tb_buffer_release(c->buffer);
    delivered_hooks++;
}
static void drop(void *ctx)
{
    (void)ctx;
    dropped_hooks++;
}
static tb_job_result work(void *arg, tb_buffer *buffer)
{
    (void)arg;
    (void)buffer;
    return tb_job_done(0);
}

typedef struct life {
    tb_loop *loop, *other;
    tb_pool *pool;
    tb_group *group;
    tb_channel *channel;
    tb_board *board;
    tb_waker *waker;
    tb_handle ab[2];
    uint64_t accepted; /* for the loop's own poll */
    int hooks;
} life;

static tb_op receive(life *l)
{
    tb_buffer *b = tb_pool_take(l->pool, 100);
    return tb_op_recv(l->ab[0], &b);
}

static void count(life *l, tb_op_id id) { l->accepted += !tb_op_is_none(id); }

static void submit_all(life *l, bool jobs)
{
    tb_instant far = tb_instant_add(tb_loop_now(l->loop), ns(HOUR));
    for (int i = 0; i < 70; i++) /* more than a chunk of records */
        count(l, tb_loop_after(l->loop, far, tb_here(1)));
    count(l, tb_loop_submit_in(l->loop, receive(l), tb_here(2), l->group, far));
    count(l, tb_loop_after_in(l->loop, far, tb_here(3), l->group));
    tb_loop_submit(l->loop, receive(l), tb_post(4, l->waker));
    tb_loop_submit(l->loop, receive(l), tb_to_channel(5, l->channel));
    tb_loop_submit(l->loop, receive(l), tb_to_channel(6, l->channel));
    tb_loop_submit(l->loop, receive(l), tb_to_slot(7, l->board, 0));
    tb_hook *hook = tb_hook_make(deliver, drop, NULL);
    if (hook) {
        l->hooks++;
        tb_loop_submit(l->loop, receive(l), tb_to_hook(8, hook));
    }
    tb_buffer *b = tb_pool_take(l->pool, 100);
    tb_completer *c = tb_loop_external_in(l->loop, tb_here(9), &b, l->group, far);
    l->accepted += c != NULL;
    tb_completer_destroy(c);
    tb_bytes *bytes = tb_bytes_make("shared", 6);
    if (bytes)
        count(l, tb_loop_submit(l->loop, tb_op_send_bytes(l->ab[1], bytes), tb_here(10)));
    tb_bytes_release(bytes);
    if (jobs) {
        b = tb_pool_take(l->pool, 100);
        count(l, tb_loop_submit(l->loop, tb_op_call(TB_LANE_GENERAL, work, NULL, &b), tb_here(11)));
    }
    tb_op_id timer = tb_loop_after(l->loop, far, tb_here(12));
    count(l, timer);
    tb_request *request = tb_loop_request(l->loop, timer);
    if (request)
        tb_request_destroy(request);
}

static void connect_and_open(life *l)
{
    tb_address at;
    tb_handle h;
    tb_loop_error error = TB_EOK;
    tb_address_parse("tcp:127.0.0.1:0", &at);
    if (!tb_loop_listen(l->loop, &at, 0, &h, &error) || !tb_loop_local_address(l->loop, h, &at, &error))
        return;
    count(l, tb_loop_submit(l->loop, tb_op_accept(h), tb_here(13)));
    count(l, tb_loop_submit(l->loop, tb_op_connect(&at), tb_here(14)));
    tb_loop_pipe(l->loop, (tb_handle[2]){{0, 0, 0}}, &error);
}

/* How many answers its own poll gave, all cancelled that had not ended. */
static uint64_t drain(life *l)
{
    tb_completions out = {0};
    uint64_t answers = 0;
    tb_group_cancel(l->group);
    for (int i = 0; i < 20; i++) {
        tb_loop_poll(l->loop, tb_loop_now(l->loop), &out);
        answers += out.len;
        tb_completions_clear(&out);
    }
    tb_completions_free(&out);
    return answers;
}

/* false: something promised was not kept. */
static bool live(bool sim)
{
    life l = {0};
    tb_loop_error error;
    bool kept = true;
    dropped_hooks = delivered_hooks = 0;
    tb_loop_options opt = {.backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM};
    l.pool = tb_pool_make(NULL);
    l.loop = l.pool ? tb_loop_make(&opt) : NULL;
    l.other = l.loop ? tb_loop_make(&opt) : NULL;
    l.group = l.other ? tb_group_make() : NULL;
    l.channel = l.group ? tb_channel_make(1) : NULL;
    l.board = l.channel ? tb_board_make(1) : NULL;
    if (l.board && tb_loop_pair(l.loop, TB_UNIX, l.ab, &error)) {
        l.waker = tb_loop_waker(l.other);
        connect_and_open(&l);
        submit_all(&l, sim);
        tb_loop_stats s = tb_loop_get_stats(l.loop);
        kept = s.submitted == s.delivered + s.in_flight;
        uint64_t answers = drain(&l);
        s = tb_loop_get_stats(l.loop);
        kept = kept && s.submitted == s.delivered + s.in_flight && answers <= l.accepted;
        tb_waker_release(l.waker);
    }
    tb_loop_destroy(l.loop);
    tb_loop_destroy(l.other);
    if (l.channel)
        tb_channel_close(l.channel);
    tb_channel_release(l.channel);
    tb_board_release(l.board);
    tb_group_release(l.group);
    kept = kept && dropped_hooks + delivered_hooks == l.hooks;
    kept = kept && (!l.pool || tb_pool_get_stats(l.pool).lent == 0);
    tb_pool_release(l.pool);
    return kept;
}

/* Bytes in use, as the C library's malloc counts them. */
static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

int main(int argc, char **argv)
{
    /* malloc counts what its threads' caches hold as in use; without caches its count is exact. */
    if (argc == 1 && setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1) == 0)
        execv("/proc/self/exe", (char *[]){argv[0], (char[]){"again"}, NULL});
    for (int sim = 0; sim < 2; sim++) {
        int broken = !live(sim), leaks = 0; /* once first: what the C library keeps for itself is there then */
        long k = 1;
        size_t before = held();
        for (;; k++) {
            fail_allocation(k);
            broken += !live(sim);
            bool failed = allocation_failed();
            leaks += held() != before;
            if (!failed)
                break;
        }
        none_of(leaks, "LOP-12 %s: and all memory is given back", sim ? "sim" : "epoll");
        none_of(broken, "LOP-02 BUF-04 TGT-06 %s: each of %d allocations fails in turn: answered once or refused, every buffer home",
                sim ? "sim" : "epoll", (int)k - 1);
    }
    return rigs_done();
}
