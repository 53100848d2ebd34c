/* counted_memory.h: an allocator for tests of timer sets: it counts what it is asked for, fails where told to, and notices
   what a set does wrong with its memory. New memory is dirty, and a block moves whenever it is resized, so that whoever
   counts on zeroes or keeps an old pointer is seen. */
#ifndef BENCH_COUNTED_MEMORY_H
#define BENCH_COUNTED_MEMORY_H

#include <timerbench/timers.h>

typedef struct {
    uint64_t asked;   /* allocations so far: every resize but to nothing */
    uint64_t fail_at; /* the allocation that fails, counted like `asked`; 0: none */
    bool onward;      /* all after it fail, too */
    bool failed;      /* one has failed since tb_counted_memory_fail */
    bool short_of;    /* malloc itself had none to give, since the beginning */
    size_t blocks;    /* in use */
    size_t bytes;
    size_t most;      /* bytes that may be in use; more is refused, and not as a failure that was asked for; 0: no bound */
    const char *wrong; /* the first misuse seen, or NULL */
} tb_counted_memory;

/* The allocator that counts in `memory`, which {0} makes ready and which must stay where it is. */
tb_allocator tb_counted_allocator(tb_counted_memory *memory);

/* The k-th allocation from now on fails; `onward`: and all after it. k 0: none. */
void tb_counted_memory_fail(tb_counted_memory *memory, uint64_t k, bool onward);

#endif
