#include "bench/memory_count.h"

#include <stddef.h>

/* Weak: sanitizer builds bring an allocator of their own and are linked without jemalloc. */
extern int mallctl(const char *name, void *old, size_t *old_size, void *new_value, size_t new_size) __attribute__((weak));

static bool read_counter(const char *name, uint64_t *value)
{
    size_t size = sizeof *value;
    return mallctl && mallctl(name, value, &size, NULL, 0) == 0;
}

bool tb_memory_count(int64_t *bytes)
{
    uint64_t allocated, freed;
    if (!read_counter("thread.allocated", &allocated) || !read_counter("thread.deallocated", &freed))
        return false;
    *bytes = (int64_t)(allocated - freed);
    return true;
}

const char *tb_memory_allocator(void)
{
    static const char *version;
    size_t size = sizeof version;
    if (!mallctl || mallctl("version", &version, &size, NULL, 0) != 0)
        return "malloc of the C library";
    return version;
}
