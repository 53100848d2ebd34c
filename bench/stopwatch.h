/* stopwatch.h: the cheapest clock there is for single operations: the time-stamp counter on x86-64, the virtual counter on
   aarch64, else clock_gettime. Its ticks are turned into ns by tb_stopwatch_ns_per_tick(). */
#ifndef BENCH_STOPWATCH_H
#define BENCH_STOPWATCH_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline int64_t tb_stopwatch_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Earlier work is done before it reads: lfence waits for loads, so a miss is charged to the operation that had it. */
static inline uint64_t tb_stopwatch(void)
{
#if defined(__x86_64__)
    _mm_lfence();
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return (uint64_t)tb_stopwatch_ns();
#endif
}

/* Measured once, over some ms, against CLOCK_MONOTONIC. */
double tb_stopwatch_ns_per_tick(void);

/* What timing an empty operation shows, in ticks: the least of many. */
uint32_t tb_stopwatch_empty(void);

#endif
