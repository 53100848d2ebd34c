/* Buffers and their pool; shared bytes. */
#include <errno.h>
#include <pthread.h>

#include "loop/portable.h"
#include "rigs.h"

static void classes(void)
{
    static const size_t sizes[] = {4096, 16384, 65536, 262144, 1048576};
    int wrong = 0;
    for (unsigned i = 0; i < TB_SIZE_CLASSES; i++)
        wrong += tb_pool_class_size(i) != sizes[i];
    none_of(wrong, "BUF-02 size classes of 4, 16, 64, 256 KiB and 1 MiB");
    tb_pool *pool = tb_pool_make(NULL);
    static const struct {
        size_t asked, got;
    } all[] = {{0, 4096}, {100, 4096}, {4096, 4096}, {4097, 16384}, {65536, 65536}, {1048576, 1048576}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tb_buffer *b = tb_pool_take(pool, all[i].asked);
        is(tb_buffer_capacity(b), all[i].got, "BUF-02 take(%d) has a capacity of %d", (int)all[i].asked, (int)all[i].got);
        is(tb_buffer_len(b), 0, "BUF-02 and is empty");
        tb_buffer_release(b);
    }
    errno = 0;
    ok(!tb_pool_take(pool, 1048577) && errno == EINVAL, "BUF-02 more than a MiB: EINVAL");
    ok(tb_buffer_capacity(NULL) == 0 && tb_buffer_len(NULL) == 0 && !tb_buffer_data(NULL), "LOP-04 no buffer has capacity 0");
    tb_buffer_release(NULL);
    tb_pool_release(NULL);

    tb_buffer *b = tb_pool_must_take(pool, 1);
    ok(tb_buffer_append(b, "ab", 2) && tb_buffer_append(b, "c", 1) && tb_buffer_len(b) == 3 && memcmp(tb_buffer_data(b), "abc", 3) == 0,
       "BUF-01 bytes are appended");
    tb_buffer_set_len(b, 4095);
    ok(!tb_buffer_append(b, "ab", 2) && tb_buffer_len(b) == 4095, "BUF-01 what does not fit is not");
    ok(((uintptr_t)tb_buffer_data(b) & 63) == 0, "BUF-01 bytes begin on a cache line");
    tb_buffer_release(b);
    tb_pool_release(pool);
}

static void bounds(void)
{
    tb_pool *pool = tb_pool_make(&(tb_pool_options){.held = 2 << 20, .idle = 1 << 20});
    tb_buffer *a = tb_pool_take(pool, 1 << 20), *b = tb_pool_take(pool, 1 << 20);
    is(tb_pool_get_stats(pool).lent, 2, "CNT-13 taken: lent 2");
    errno = 0;
    ok(!tb_pool_take(pool, 1) && errno == ENOBUFS, "BUF-03 past the bound: ENOBUFS");
    is(tb_pool_get_stats(pool).refused, 1, "BUF-03 CNT-13 counted");
    tb_buffer_release(a);
    is(tb_pool_get_stats(pool).idle, 1 << 20, "BUF-03 one stays idle");
    is(tb_pool_get_stats(pool).lent, 1, "CNT-13 home: lent 1");
    tb_buffer *c = tb_pool_take(pool, 1);
    ok(c && tb_pool_get_stats(pool).idle == 0, "BUF-03 idle ones make room for other sizes");
    tb_buffer_release(b);
    tb_buffer_release(c);
    is(tb_pool_get_stats(pool).idle, 1 << 20, "BUF-03 more than the idle bound is given back");
    is(tb_pool_get_stats(pool).held, 1 << 20, "BUF-03 and not held");
    is(tb_pool_get_stats(pool).lent, 0, "CNT-13 BUF-04 all home: lent 0");
    b = tb_pool_take(pool, 1 << 20);
    tb_pool_release(pool);
    tb_buffer_set_len(b, 1 << 20);
    memset(tb_buffer_data(b), 1, 1 << 20);
    tb_buffer_release(b);
    ok(true, "BUF-04 a buffer outlives its pool's handle");

    pool = tb_pool_make(NULL);
    tb_buffer *many[100];
    int n = 0;
    while (n < 100 && (many[n] = tb_pool_take(pool, 1 << 20)))
        n++;
    is(n, 64, "BUF-03 64 MiB by default");
    while (n > 0)
        tb_buffer_release(many[--n]);
    is(tb_pool_get_stats(pool).idle, 8 << 20, "BUF-03 8 MiB of them kept idle");
    tb_pool_release(pool);
}

static void *take_and_give(void *pool)
{
    for (int i = 0; i < 20000; i++) {
        tb_buffer *b = tb_pool_take(pool, (size_t)(i % 5) * 5000);
        if (b)
            tb_buffer_append(b, "x", 1);
        tb_buffer_release(b);
    }
    return NULL;
}

static void *release(void *buffer)
{
    tb_buffer_release(buffer);
    return NULL;
}

static void threads(void)
{
    tb_pool *pool = tb_pool_make(NULL);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, take_and_give, pool);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    is(tb_pool_get_stats(pool).lent, 0, "BUF-04 four threads take and give: lent 0");
    tb_buffer *b = tb_pool_must_take(pool, 1);
    tb_pool_release(pool);
    pthread_create(&t[0], NULL, release, b);
    pthread_join(t[0], NULL);
    ok(true, "BUF-04 the last one comes home on another thread, after the pool's handle");
}

static tb_buffer *touched;
static void touch_lent(void *ctx)
{
    (void)ctx;
    /* Known to the test alone: the operation has it. */
    tb_buffer *b = touched;
    tb_op op = tb_op_recv(tb_handle_none(), &touched);
    tb_buffer_lend(op.buffer);
    tb_buffer_data(b)[0] = 1;
}
static void take_too_much(void *pool) { tb_pool_must_take(pool, 2 << 20); }
static void set_too_long(void *b) { tb_buffer_set_len(b, tb_buffer_capacity(b) + 1); }

static void promises(void)
{
    rig r;
    rig_open(&r, (tb_loop_options){.backend = TB_BACKEND_SIM});
    touched = take(&r);
    tb_buffer *b = touched;
#ifdef TB_DEBUG
    ok(aborts(touch_lent, NULL), "BUF-01 debug: touching a buffer that an operation has is told");
#else
    ok(!aborts(touch_lent, NULL), "BUF-01 release: only debug builds look");
#endif
    ok(aborts(take_too_much, r.pool), "OPS-03 must_take asserts");
    ok(aborts(set_too_long, b), "BUF-01 a length beyond the capacity asserts");
    tb_buffer_release(b);
    rig_close(&r);
}

static void shared(void)
{
    tb_bytes *b = tb_bytes_make("12345", 5), *none = tb_bytes_make(NULL, 0);
    ok(tb_bytes_len(b) == 5 && tb_bytes_len(none) == 0, "OPS-02 shared bytes");
    tb_bytes_release(b);
    tb_bytes_release(none);
    tb_bytes_release(NULL);
}

int main(void)
{
    classes();
    bounds();
    threads();
    promises();
    shared();
    return rigs_done();
}
