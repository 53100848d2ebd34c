/* threads.h: mutexes, condition variables and threads of the operating system, as far as the loop needs them. */
#ifndef LOOP_THREADS_H
#define LOOP_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <timerbench/time.h>

typedef pthread_mutex_t tb_mutex;
typedef pthread_cond_t tb_condition;

static inline void tb_mutex_open(tb_mutex *m)
{
    int failed = pthread_mutex_init(m, NULL);
    tb_assert(!failed);
}
static inline void tb_mutex_close(tb_mutex *m) { pthread_mutex_destroy(m); }
static inline void tb_mutex_lock(tb_mutex *m) { pthread_mutex_lock(m); }
static inline void tb_mutex_unlock(tb_mutex *m) { pthread_mutex_unlock(m); }

/* Its waits are on the steady clock: setting the calendar's moves none. */
static inline void tb_condition_open(tb_condition *c)
{
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes) || pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) ||
                 pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
    tb_assert(!failed);
}
static inline void tb_condition_close(tb_condition *c) { pthread_cond_destroy(c); }
static inline void tb_condition_one(tb_condition *c) { pthread_cond_signal(c); }
static inline void tb_condition_all(tb_condition *c) { pthread_cond_broadcast(c); }

/* Waits until signalled or `until`, or for no reason; the caller looks again. */
static inline void tb_condition_wait(tb_condition *c, tb_mutex *m, tb_instant until)
{
    if (tb_instant_eq(until, tb_instant_forever())) {
        pthread_cond_wait(c, m);
        return;
    }
    int64_t ns = until.ns < 0 ? 0 : until.ns;
    struct timespec at = {.tv_sec = (time_t)(ns / TB_NANOS_PER_SECOND), .tv_nsec = (long)(ns % TB_NANOS_PER_SECOND)};
    pthread_cond_timedwait(c, m, &at);
}

/* Starts a thread that nobody joins. */
static inline bool tb_thread_start(void *(*run)(void *), void *ctx)
{
    pthread_t thread;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    bool done = !pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) &&
                !pthread_create(&thread, &attributes, run, ctx);
    pthread_attr_destroy(&attributes);
    return done;
}

#endif
