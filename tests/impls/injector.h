/* injector.h: an allocator that fails when told to, and that makes memory as unfriendly as an allocator may: what it
   gives is dirty (0xA5), what it takes back is overwritten, and a block that is resized always moves. It also checks
   that a block's old size is told as it is. */
#ifndef TESTS_IMPLS_INJECTOR_H
#define TESTS_IMPLS_INJECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <timerbench/timers.h>

typedef struct injector {
    tb_allocator allocator;
    uint64_t asked;   /* blocks asked for or resized, so far */
    uint64_t fail_at; /* the one of them that fails, counted from 1; 0: none does */
    bool and_after;   /* and all that follow it */
    uint64_t failed;
    size_t held;     /* bytes in blocks now */
    uint64_t blocks; /* how many those are */
    int mistold;     /* old sizes that were not the block's */
} injector;

enum {
    INJECTOR_HEAD = 64,               /* before each block, its size; keeps malloc's alignment */
    INJECTOR_MOST = 256 * 1024 * 1024 /* bytes in all; what grows without end fails before the machine does */
};

static inline size_t *injector_size(void *p) { return (size_t *)(void *)((char *)p - INJECTOR_HEAD); }

static inline void injector_free(injector *in, void *p, size_t old_size)
{
    in->mistold += *injector_size(p) != old_size;
    in->held -= *injector_size(p);
    in->blocks--;
    memset(p, 0x5A, *injector_size(p));
    free((char *)p - INJECTOR_HEAD);
}

static inline void *injector_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
    injector *in = ctx;
    if (new_size == 0) {
        if (p)
            injector_free(in, p, old_size);
        return NULL;
    }
    in->asked++;
    if (in->held + new_size > INJECTOR_MOST ||
        (in->fail_at && (in->asked == in->fail_at || (in->and_after && in->asked > in->fail_at)))) {
        in->failed++;
        return NULL;
    }
    char *raw = malloc(INJECTOR_HEAD + new_size);
    if (!raw)
        return NULL;
    char *moved = raw + INJECTOR_HEAD;
    *injector_size(moved) = new_size;
    memset(moved, 0xA5, new_size);
    in->held += new_size;
    in->blocks++;
    if (p) {
        memcpy(moved, p, *injector_size(p) < new_size ? *injector_size(p) : new_size);
        injector_free(in, p, old_size);
    }
    return moved;
}

static inline void injector_init(injector *in)
{
    memset(in, 0, sizeof *in);
    in->allocator.resize = injector_resize;
    in->allocator.ctx = in;
}

/* The k-th block asked for from now on fails; 0: none. */
static inline void injector_fail(injector *in, uint64_t k, bool and_after)
{
    in->fail_at = k ? in->asked + k : 0;
    in->and_after = and_after;
    in->failed = 0;
}

#endif
