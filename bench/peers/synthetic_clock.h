/* synthetic_clock.h: time for libraries that ask the system for it. While the clock is on, clock_gettime and gettimeofday, as
   every library in this process calls them, tell its time, and epoll_wait, poll and their kin return at once with nothing.
   Otherwise they do what they always do.

   It works because the executable defines these names, and the linker exports what shared libraries ask for: no preloading. */
#ifndef BENCH_PEERS_SYNTHETIC_CLOCK_H
#define BENCH_PEERS_SYNTHETIC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct tb_synthetic_clock {
    bool on;
    struct timespec monotonic, realtime;
    int64_t wait_ns;    /* the timeout of the last wait; negative: for ever */
    int64_t timerfd_ns; /* the absolute time that a timerfd was last set to, on the scale of scripts; 0: disarmed */
    int64_t waits;      /* calls that would have waited or looked for events */
    void (*in_wait)(void *); /* called in each wait, if set */
    void *in_wait_of;
} tb_synthetic_clock;
extern tb_synthetic_clock tb_synthetic;

enum { TB_SYNTHETIC_EPOCH = 100000 }; /* s: what the monotonic clock shows at a script's time 0, so that it can start before */

/* The time becomes `now`, ns on the scale of scripts. */
static inline void tb_synthetic_set(int64_t now)
{
    int64_t t = now + TB_SYNTHETIC_EPOCH * INT64_C(1000000000);
    tb_synthetic.monotonic.tv_sec = (time_t)(t / 1000000000);
    tb_synthetic.monotonic.tv_nsec = (long)(t % 1000000000);
    tb_synthetic.realtime = tb_synthetic.monotonic;
    tb_synthetic.realtime.tv_sec += 1600000000;
}

static inline int64_t tb_synthetic_now(void)
{
    return (tb_synthetic.monotonic.tv_sec - TB_SYNTHETIC_EPOCH) * INT64_C(1000000000) + tb_synthetic.monotonic.tv_nsec;
}

/* Before and after a loop of a peer. */
static inline void tb_synthetic_enter(int64_t now)
{
    tb_synthetic_set(now);
    tb_synthetic.on = true;
}
static inline void tb_synthetic_leave(void) { tb_synthetic.on = false; }

#endif
