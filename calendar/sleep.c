/* sleep.c: a thread's sleep, on the steady clock. It waits for an absolute instant, so that a wait which the system ends
   early (a signal, a coarse tick) goes on for what is left without drifting. */
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <errno.h>
#include <time.h>
#endif

#include <timerbench/time.h>

#ifdef _WIN32

void tb_thread_sleep(tb_duration d)
{
    tb_instant until = tb_instant_add(tb_instant_now(), d);
    for (;;) {
        int64_t left = tb_instant_since(until, tb_instant_now()).ns;
        if (left <= 0)
            return;
        /* Sleep may return up to a tick early, and takes INFINITE (the largest DWORD) for ever. */
        int64_t millis = (left - 1) / TB_NANOS_PER_MILLI + 1;
        Sleep(millis < (int64_t)INFINITE ? (DWORD)millis : INFINITE - 1);
    }
}

#else

void tb_thread_sleep(tb_duration d)
{
    if (d.ns <= 0)
        return;
    int64_t until = tb_instant_add(tb_instant_now(), d).ns;
    struct timespec at = {.tv_sec = (time_t)(until / TB_NANOS_PER_SECOND), .tv_nsec = (long)(until % TB_NANOS_PER_SECOND)};
    int error;
    do
        error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    while (error == EINTR);
    tb_assert(error == 0);
}

#endif
