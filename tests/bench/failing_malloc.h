/* failing_malloc.h: makes the k-th allocation from now fail, in a test program that includes this (once). The program's
   own malloc, calloc and realloc take the place of the C library's, and pass on to whichever comes next: jemalloc's or the
   C library's. Under AddressSanitizer and ThreadSanitizer, which must have these functions to themselves, no allocation
   fails, and such a loop makes one round.

       for (long k = 1; ; k++) {
           fail_allocation(k);
           ... do it, and see that it fails in order ...
           if (!allocation_failed())
               break;      k was past the last one: everything before has failed once
       } */
#ifndef TESTS_BENCH_FAILING_MALLOC_H
#define TESTS_BENCH_FAILING_MALLOC_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static long allocations_left; /* until the one that fails; 0: none will */
static bool allocation_has_failed;

static void fail_allocation(long k)
{
    allocations_left = k;
    allocation_has_failed = false;
}

/* Whether it has come to that; no further allocation will fail. */
static bool allocation_failed(void)
{
    allocations_left = 0;
    return allocation_has_failed;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER_HAS_MALLOC 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER_HAS_MALLOC 1
#endif

#ifndef SANITIZER_HAS_MALLOC

static bool fails_now(void)
{
    if (allocations_left == 0 || --allocations_left > 0)
        return false;
    allocation_has_failed = true;
    errno = ENOMEM;
    return true;
}

/* ISO C has no cast from dlsym's object pointer to a function pointer; POSIX has this. */
#define FIND_NEXT(name)                                        \
    do {                                                       \
        if (!next)                                             \
            *(void **)(&next) = dlsym(RTLD_NEXT, name);        \
    } while (0)

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    static void *(*next)(size_t);
    FIND_NEXT("malloc");
    return fails_now() ? NULL : next(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);
    FIND_NEXT("calloc");
    return fails_now() ? NULL : next(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    static void *(*next)(void *, size_t);
    FIND_NEXT("realloc");
    return fails_now() ? NULL : next(old, size);
}

#endif

#endif
