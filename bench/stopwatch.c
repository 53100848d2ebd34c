#include "bench/stopwatch.h"

double tb_stopwatch_ns_per_tick(void)
{
    enum { SPAN = 5000000, TRIES = 5 };
    static double measured;
    if (measured > 0)
        return measured;
    /* The try with the shortest span was interrupted least. */
    int64_t best = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t begin = tb_stopwatch_ns(), end;
        uint64_t ticks = tb_stopwatch();
        do
            end = tb_stopwatch_ns();
        while (end - begin < SPAN);
        ticks = tb_stopwatch() - ticks;
        if (end - begin < best && ticks > 0) {
            best = end - begin;
            measured = (double)best / (double)ticks;
        }
    }
    return measured;
}

uint32_t tb_stopwatch_empty(void)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t begin = tb_stopwatch(), spent = tb_stopwatch() - begin;
        least = spent < least ? (uint32_t)spent : least;
    }
    return least;
}
