#include "bench/peers/synthetic_clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

tb_synthetic_clock tb_synthetic;

/* The C library's own, which reads the clock without a system call. */
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find_real(void)
{
    *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!tb_synthetic.on)
        return real_clock_gettime ? real_clock_gettime(clock, t) : (int)syscall(SYS_clock_gettime, clock, t);
    *t = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? tb_synthetic.realtime : tb_synthetic.monotonic;
    return 0;
}

EXPORTED int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    int error = clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return error;
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

static int nothing_came(int64_t ns)
{
    tb_synthetic.wait_ns = ns;
    tb_synthetic.waits++;
    if (tb_synthetic.in_wait)
        tb_synthetic.in_wait(tb_synthetic.in_wait_of);
    return 0;
}

static int64_t of_ms(int ms) { return ms < 0 ? -1 : ms * INT64_C(1000000); }

static int64_t of_timespec(const struct timespec *t)
{
    return t ? t->tv_sec * INT64_C(1000000000) + t->tv_nsec : -1;
}

EXPORTED int epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
    return epoll_pwait(fd, events, most, ms, NULL);
}

EXPORTED int epoll_pwait(int fd, struct epoll_event *events, int most, int ms, const sigset_t *mask)
{
    return tb_synthetic.on ? nothing_came(of_ms(ms)) : (int)syscall(SYS_epoll_pwait, fd, events, most, ms, mask, _NSIG / 8);
}

EXPORTED int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask)
{
    if (tb_synthetic.on)
        return nothing_came(of_timespec(timeout));
    return (int)syscall(SYS_epoll_pwait2, fd, events, most, timeout, mask, _NSIG / 8);
}

EXPORTED int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    if (tb_synthetic.on)
        return nothing_came(of_timespec(timeout));
    struct timespec left; /* the system call writes what is left of it */
    if (timeout)
        left = *timeout;
    return (int)syscall(SYS_ppoll, fds, count, timeout ? &left : NULL, mask, _NSIG / 8);
}

EXPORTED int poll(struct pollfd *fds, nfds_t count, int ms)
{
    struct timespec timeout = {ms / 1000, ms % 1000 * 1000000L};
    return ppoll(fds, count, ms < 0 ? NULL : &timeout, NULL);
}

EXPORTED int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    if (!tb_synthetic.on)
        return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
    int64_t at = of_timespec(&new->it_value);
    if (at == 0)
        tb_synthetic.timerfd_ns = 0;
    else
        tb_synthetic.timerfd_ns = flags & TFD_TIMER_ABSTIME ? at - TB_SYNTHETIC_EPOCH * INT64_C(1000000000)
                                                            : at + tb_synthetic_now();
    return 0;
}
