/* loop_buffers.h: memory that operations read into and send from.

   A buffer is owned by one party at a time: by the caller, or, while an operation has it, by the loop. It comes back in the
   operation's answer; after a timeout that could not wait for it, it goes home to its pool by itself. Every function here
   may be called from any thread; one buffer by one thread at a time. */
#ifndef TIMERBENCH_LOOP_BUFFERS_H
#define TIMERBENCH_LOOP_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/assert.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_pool tb_pool;
typedef struct tb_buffer tb_buffer;

enum { TB_SIZE_CLASSES = 5 };

/* Bytes of a size class, 0 .. 4: 4 KiB, 16 KiB, 64 KiB, 256 KiB, 1 MiB. Asserts the range. */
TB_API size_t tb_pool_class_size(unsigned size_class);

/* All zero: 64 MiB held at most, 8 MiB of them kept while idle. */
typedef struct tb_pool_options {
    size_t held; /* most bytes of buffers at once, taken and idle; 0: 64 MiB */
    size_t idle; /* most bytes kept for the next take; more is given back to malloc; 0: 8 MiB */
} tb_pool_options;

typedef struct tb_pool_stats {
    uint64_t taken;   /* takes that succeeded */
    uint64_t refused; /* takes that failed because the pool was at its bound */
    size_t lent;      /* a level: buffers taken and not yet home */
    size_t held;      /* a level: bytes of all buffers, idle ones included */
    size_t idle;      /* a level: bytes of idle ones */
} tb_pool_stats;

/* A pool. opt may be NULL. NULL with errno ENOMEM. */
TB_API tb_pool *tb_pool_make(const tb_pool_options *opt);
/* Lets the pool go. Buffers may outlive it: the last one home frees what is left. NULL does nothing. */
TB_API void tb_pool_release(tb_pool *pool);
TB_API tb_pool_stats tb_pool_get_stats(tb_pool *pool);

/* An empty buffer of the smallest class that holds n bytes: 100 gives a capacity of 4096. NULL with errno EINVAL (more than
   1 MiB), ENOBUFS (the pool is at its bound; counted in `refused`) or ENOMEM. Idle ones are reused: O(1). */
TB_API tb_buffer *tb_pool_take(tb_pool *pool, size_t n);
/* The same, asserting that it succeeds. */
TB_API tb_buffer *tb_pool_must_take(tb_pool *pool, size_t n);

/* Sends a buffer home. NULL does nothing. */
TB_API void tb_buffer_release(tb_buffer *buffer);

/* Its bytes, how many of them are filled, and how many there is room for in all; NULL, 0 and 0 for NULL. While an operation
   has the buffer none of these may be called: debug builds assert it, and under AddressSanitizer its bytes are poisoned. */
TB_API unsigned char *tb_buffer_data(tb_buffer *buffer);
TB_API size_t tb_buffer_len(const tb_buffer *buffer);
TB_API size_t tb_buffer_capacity(const tb_buffer *buffer);
/* Sets how many bytes are filled; at most the capacity (asserted). */
TB_API void tb_buffer_set_len(tb_buffer *buffer, size_t len);
/* Copies n bytes behind what is filled. false, and nothing copied, when they do not fit. */
TB_API bool tb_buffer_append(tb_buffer *buffer, const void *bytes, size_t n);

/* ---- shared bytes ------------------------------------------------------------------------------------------------ */

/* Bytes that never change and may be in several sends at once. */
typedef struct tb_bytes tb_bytes;

/* A copy of n bytes. NULL with errno ENOMEM. */
TB_API tb_bytes *tb_bytes_make(const void *bytes, size_t n);
/* Lets go; each send in flight keeps them by itself. NULL does nothing. */
TB_API void tb_bytes_release(tb_bytes *bytes);
TB_API size_t tb_bytes_len(const tb_bytes *bytes);

#ifdef __cplusplus
}
#endif
#endif
