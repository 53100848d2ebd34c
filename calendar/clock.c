/* clock.c: reading the machine's two clocks. These are the only clock reads there are: everything else takes its time
   from here, or from a clock it is handed. */
#ifdef _WIN32
/* Windows 8, for GetSystemTimePreciseAsFileTime. */
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0602
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#endif

#include "calendar/os_counts.h"

#ifdef _WIN32

tb_instant tb_instant_now(void)
{
    LARGE_INTEGER count, frequency;
    /* Neither call fails on a system that has the other clock below (Microsoft, "Acquiring high-resolution time stamps").
       The frequency never changes; asking each time spares a copy that threads would have to agree on. */
    bool answered = QueryPerformanceFrequency(&frequency) && QueryPerformanceCounter(&count);
    tb_assert(answered);
    return tb_instant_from_nanos(tb_counter_nanos((uint64_t)count.QuadPart, (uint64_t)frequency.QuadPart));
}

tb_timestamp tb_timestamp_now(void)
{
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    return tb_filetime_timestamp((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
}

#else

/* The kernel keeps both clocks as 64-bit nanoseconds itself, so the sum fits. */
static int64_t clock_nanos(clockid_t clock)
{
    struct timespec now;
    int failed = clock_gettime(clock, &now);
    tb_assert(!failed);
    return (int64_t)now.tv_sec * TB_NANOS_PER_SECOND + now.tv_nsec;
}

tb_instant tb_instant_now(void)
{
    return tb_instant_from_nanos(clock_nanos(CLOCK_MONOTONIC));
}

tb_timestamp tb_timestamp_now(void)
{
    return tb_timestamp_from_unix_nanos(clock_nanos(CLOCK_REALTIME));
}

#endif
