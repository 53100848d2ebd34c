/* memory_count.h: bytes that this thread has from the allocator, by jemalloc's own counters: exact, and free to read. */
#ifndef BENCH_MEMORY_COUNT_H
#define BENCH_MEMORY_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes allocated and not freed by this thread so far. false: the allocator does not tell (a sanitizer build). */
bool tb_memory_count(int64_t *bytes);

/* "jemalloc 5.3.0-...", or "malloc of the C library". */
const char *tb_memory_allocator(void);

#endif
