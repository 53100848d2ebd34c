/* buffers.c: buffers in size classes, from a bounded pool; and shared bytes.

   An idle buffer, and one that an operation has, is poisoned under AddressSanitizer: whoever touches it is told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/portable.h"

#if defined(__SANITIZE_ADDRESS__)
#define TB_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TB_POISONS 1
#endif
#endif
#ifdef TB_POISONS
#include <sanitizer/asan_interface.h>
static void poison(const tb_buffer *b) { __asan_poison_memory_region(b->data, b->capacity); }
static void unpoison(const tb_buffer *b) { __asan_unpoison_memory_region(b->data, b->capacity); }
#else
static void poison(const tb_buffer *b) { (void)b; }
static void unpoison(const tb_buffer *b) { (void)b; }
#endif

struct tb_pool {
    tb_mutex lock;
    bool released;
    size_t most_held, most_idle;
    tb_pool_stats stats;
    tb_buffer *idle[TB_SIZE_CLASSES];
};

size_t tb_pool_class_size(unsigned size_class)
{
    tb_assert(size_class < TB_SIZE_CLASSES);
    return (size_t)4096 << (2 * size_class);
}

tb_pool *tb_pool_make(const tb_pool_options *opt)
{
    tb_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    tb_mutex_open(&pool->lock);
    pool->most_held = opt && opt->held ? opt->held : (size_t)64 << 20;
    pool->most_idle = opt && opt->idle ? opt->idle : (size_t)8 << 20;
    return pool;
}

static void free_buffer(tb_buffer *b)
{
    unpoison(b);
    free(b);
}

/* With the lock held: the pool's share of a buffer that is freed. */
static void forget(tb_pool *pool, const tb_buffer *b) { pool->stats.held -= b->capacity; }

static void free_idle(tb_pool *pool)
{
    for (unsigned c = 0; c < TB_SIZE_CLASSES; c++)
        for (tb_buffer *b; (b = pool->idle[c]);) {
            pool->idle[c] = b->next;
            pool->stats.idle -= b->capacity;
            forget(pool, b);
            free_buffer(b);
        }
}

static void free_pool(tb_pool *pool)
{
    tb_mutex_close(&pool->lock);
    free(pool);
}

void tb_pool_release(tb_pool *pool)
{
    if (!pool)
        return;
    tb_mutex_lock(&pool->lock);
    pool->released = true;
    free_idle(pool);
    bool last = pool->stats.lent == 0;
    tb_mutex_unlock(&pool->lock);
    if (last)
        free_pool(pool);
}

tb_pool_stats tb_pool_get_stats(tb_pool *pool)
{
    tb_mutex_lock(&pool->lock);
    tb_pool_stats stats = pool->stats;
    tb_mutex_unlock(&pool->lock);
    return stats;
}

/* Header and bytes in one block, the bytes on a cache line. */
static tb_buffer *new_buffer(tb_pool *pool, unsigned size_class)
{
    enum { LINE = 64, HEAD = (sizeof(tb_buffer) + LINE - 1) / LINE * LINE };
    size_t capacity = tb_pool_class_size(size_class);
    tb_buffer *b = aligned_alloc(LINE, HEAD + capacity);
    if (b)
        *b = (tb_buffer){.pool = pool, .capacity = capacity, .size_class = size_class, .data = (unsigned char *)b + HEAD};
    return b;
}

static tb_buffer *take_idle(tb_pool *pool, unsigned size_class)
{
    tb_buffer *b = pool->idle[size_class];
    if (b) {
        pool->idle[size_class] = b->next;
        pool->stats.idle -= b->capacity;
        unpoison(b);
    }
    return b;
}

tb_buffer *tb_pool_take(tb_pool *pool, size_t n)
{
    unsigned size_class = 0;
    while (size_class < TB_SIZE_CLASSES && tb_pool_class_size(size_class) < n)
        size_class++;
    if (size_class == TB_SIZE_CLASSES) {
        errno = EINVAL;
        return NULL;
    }
    size_t size = tb_pool_class_size(size_class);
    int error = 0;
    tb_mutex_lock(&pool->lock);
    tb_buffer *b = take_idle(pool, size_class);
    if (!b && pool->stats.held + size > pool->most_held)
        free_idle(pool); /* of other sizes, to make room */
    if (!b && pool->stats.held + size > pool->most_held) {
        pool->stats.refused++;
        error = ENOBUFS;
    } else if (!b) {
        b = new_buffer(pool, size_class);
        error = b ? 0 : ENOMEM;
        pool->stats.held += b ? size : 0;
    }
    if (b) {
        b->len = 0;
        b->next = NULL;
        pool->stats.taken++;
        pool->stats.lent++;
    }
    tb_mutex_unlock(&pool->lock);
    if (error)
        errno = error;
    return b;
}

tb_buffer *tb_pool_must_take(tb_pool *pool, size_t n)
{
    tb_buffer *b = tb_pool_take(pool, n);
    tb_assert(b);
    return b;
}

void tb_buffer_release(tb_buffer *b)
{
    if (!b)
        return;
    tb_pool *pool = b->pool;
    tb_debug_assert(!b->lent);
    tb_mutex_lock(&pool->lock);
    pool->stats.lent--;
    bool keep = !pool->released && pool->stats.idle + b->capacity <= pool->most_idle;
    if (keep) {
        b->next = pool->idle[b->size_class];
        pool->idle[b->size_class] = b;
        pool->stats.idle += b->capacity;
        poison(b);
    } else {
        forget(pool, b);
    }
    bool last = pool->released && pool->stats.lent == 0;
    tb_mutex_unlock(&pool->lock);
    if (!keep)
        free_buffer(b);
    if (last)
        free_pool(pool);
}

void tb_buffer_lend(tb_buffer *b)
{
    if (b && !b->lent) {
        b->lent = true;
        poison(b);
    }
}

void tb_buffer_regain(tb_buffer *b)
{
    if (b && b->lent) {
        b->lent = false;
        unpoison(b);
    }
}

unsigned char *tb_buffer_data(tb_buffer *b)
{
    tb_debug_assert(!b || !b->lent);
    return b ? b->data : NULL;
}

size_t tb_buffer_len(const tb_buffer *b)
{
    tb_debug_assert(!b || !b->lent);
    return b ? b->len : 0;
}

size_t tb_buffer_capacity(const tb_buffer *b) { return b ? b->capacity : 0; }

void tb_buffer_set_len(tb_buffer *b, size_t len)
{
    tb_debug_assert(!b->lent);
    tb_assert(len <= b->capacity);
    b->len = len;
}

bool tb_buffer_append(tb_buffer *b, const void *bytes, size_t n)
{
    tb_debug_assert(!b->lent);
    if (n > b->capacity - b->len)
        return false;
    if (n)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    return true;
}

/* ---- shared bytes ------------------------------------------------------------------------------------------------ */

tb_bytes *tb_bytes_make(const void *bytes, size_t n)
{
    tb_bytes *b = n <= SIZE_MAX - sizeof *b ? malloc(sizeof *b + n) : NULL;
    if (!b) {
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&b->holds, 1);
    b->len = n;
    if (n)
        memcpy(b->data, bytes, n);
    return b;
}

tb_bytes *tb_bytes_hold(tb_bytes *b)
{
    atomic_fetch_add_explicit(&b->holds, 1, memory_order_relaxed);
    return b;
}

void tb_bytes_release(tb_bytes *b)
{
    if (b && atomic_fetch_sub_explicit(&b->holds, 1, memory_order_acq_rel) == 1)
        free(b);
}

size_t tb_bytes_len(const tb_bytes *b) { return b->len; }
