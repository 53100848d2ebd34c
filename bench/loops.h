/* loops.h: the loops of the workloads, always-inline over a driver; instantiated by TB_DEFINE_LOOPS(driver), which makes
   `const tb_loops driver_loops`. Nothing here but what a workload is made of: reading the script, calling the driver, counting. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include "bench/contender.h"

/* Reads a line in each 64 bytes of memory that has nothing to do with timers, so that it takes the caches' place. */
static inline void tb_loop_cool(const unsigned char *memory, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i += 64)
        sum += memory[i];
    __asm__ volatile("" : : "r"(sum));
}

/* Runs `operation` for i from .. to-1; with `spent`, each timed, and each after a walk through s->cold, if there is one. */
#define TB_EACH(from, to, spent, operation)                                          \
    do {                                                                             \
        if (spent) {                                                                 \
            for (uint32_t i = (from); i < (to); i++) {                               \
                if (s->cold)                                                         \
                    tb_loop_cool(s->cold, TB_COLD_BYTES);                            \
                uint64_t begin = tb_stopwatch();                                     \
                operation;                                                           \
                uint64_t took = tb_stopwatch() - begin;                              \
                (spent)[i] = took < (spent)[i] ? (uint32_t)took : (spent)[i];        \
            }                                                                        \
        } else {                                                                     \
            for (uint32_t i = (from); i < (to); i++) {                               \
                operation;                                                           \
            }                                                                        \
        }                                                                            \
    } while (0)

TB_OP void tb_loop_advance(const tb_driver *d, void *set, tb_progress *p)
{
    size_t n = d->advance(set, p->now, &p->sum);
    p->calls++;
    p->fired += n;
    p->idle += n == 0;
}

/* Time goes on by a step after each s->per_step operations. */
TB_OP void tb_loop_time(const tb_driver *d, void *set, const tb_script *s, tb_progress *p)
{
    if (--p->left == 0) {
        p->left = s->per_step;
        p->now += s->step;
        tb_loop_advance(d, set, p);
    }
}

TB_OP int64_t tb_loop_deadline(const tb_script *s, const tb_progress *p, uint32_t i)
{
    return p->now + (int64_t)s->delay[i] * s->unit;
}

TB_OP void tb_fill_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    if (s->fill[i] != TB_NOT_ARMED)
        p->refused += !d->arm(set, i, s->fill[i]);
}

TB_OP void tb_churn_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    uint32_t timer = s->timer[i];
    p->cancelled += d->cancel(set, timer);
    p->refused += !d->arm(set, timer, tb_loop_deadline(s, p, i));
    tb_loop_time(d, set, s, p);
}

/* A server has just read its connection when it moves the connection's timer: what the caller keeps of it is in the cache. */
TB_OP void tb_touched_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    enum { AHEAD = 12 }; /* operations: far enough for memory, near enough to stay in the first cache */
    if (i + AHEAD < s->count)
        d->touch(set, s->timer[i + AHEAD]);
    tb_churn_one(d, set, s, p, i);
}

TB_OP void tb_rearm_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    p->refused += !d->rearm(set, s->timer[i], tb_loop_deadline(s, p, i), 0);
    tb_loop_time(d, set, s, p);
}

TB_OP void tb_next_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    int64_t at;
    tb_churn_one(d, set, s, p, i);
    p->answered += d->next(set, &at);
}

TB_OP void tb_expire_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p)
{
    p->now += s->step;
    tb_loop_advance(d, set, p);
}

/* A part of the way to a line's time, at most TB_WALK_CALLS calls of advance; tb_replay_one goes on from there. What is measured
   is tb_replay_one alone, so that no step of it has to look at a limit. */
TB_OP void tb_walk_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    uint64_t end = p->calls + TB_WALK_CALLS;
    int64_t at;
    while (p->calls < end && d->next(set, &at) && at < s->lines[i].time && at > p->now) {
        p->now = at;
        tb_loop_advance(d, set, p);
    }
}

/* A set is driven as a loop drives it: following next up to the line's time, then once at that time. */
TB_OP void tb_replay_one(const tb_driver *d, void *set, const tb_script *s, tb_progress *p, uint32_t i)
{
    const tb_line *line = &s->lines[i];
    int64_t at;
    while (d->next(set, &at) && at < line->time && at > p->now) {
        p->now = at;
        tb_loop_advance(d, set, p);
    }
    p->now = line->time;
    tb_loop_advance(d, set, p);
    switch (line->op) {
    case TB_LINE_CANCEL:
        p->cancelled += d->cancel(set, line->timer);
        break;
    case TB_LINE_REARM:
        p->refused += !d->rearm(set, line->timer, line->deadline, line->lane);
        break;
    case TB_LINE_ARM:
        p->refused += !d->arm_in(set, line->timer, line->deadline, line->lane);
        break;
    default:
        break;
    }
}

#define TB_DEFINE_LOOP(driver, name, one, enter, leave)                                                                     \
    static void driver##_##name(void *set, const tb_script *s, tb_progress *p, uint32_t from, uint32_t to, uint32_t *spent) \
    {                                                                                                                       \
        tb_progress here = *p;                                                                                              \
        enter(here.now);                                                                                                    \
        TB_EACH(from, to, spent, one);                                                                                      \
        leave();                                                                                                            \
        *p = here;                                                                                                          \
    }

#define TB_DEFINE_LOOPS(driver) TB_DEFINE_LOOPS_WITHIN(driver, tb_loop_enter, tb_loop_leave)
#define tb_loop_enter(now) ((void)(now))
#define tb_loop_leave() ((void)0)

/* The same; enter(present) comes before a loop, an open or a close, and leave() after it. */
#define TB_DEFINE_LOOPS_WITHIN(driver, enter, leave)                                                     \
    TB_DEFINE_LOOP(driver, fill, tb_fill_one(&driver, set, s, &here, i), enter, leave)                   \
    TB_DEFINE_LOOP(driver, cancel, here.cancelled += driver.cancel(set, s->timer[i]), enter, leave)      \
    TB_DEFINE_LOOP(driver, churn, tb_churn_one(&driver, set, s, &here, i), enter, leave)                 \
    TB_DEFINE_LOOP(driver, churn_touched, tb_touched_one(&driver, set, s, &here, i), enter, leave)       \
    TB_DEFINE_LOOP(driver, rearm, tb_rearm_one(&driver, set, s, &here, i), enter, leave)                 \
    TB_DEFINE_LOOP(driver, next, tb_next_one(&driver, set, s, &here, i), enter, leave)                   \
    TB_DEFINE_LOOP(driver, expire, tb_expire_one(&driver, set, s, &here), enter, leave)                  \
    TB_DEFINE_LOOP(driver, replay, tb_replay_one(&driver, set, s, &here, i), enter, leave)               \
    TB_DEFINE_LOOP(driver, walk, tb_walk_one(&driver, set, s, &here, i), enter, leave)                   \
    static void *driver##_open(const tb_contender *c, const tb_script *s)                                \
    {                                                                                                    \
        enter(s->start);                                                                                 \
        void *set = driver.open(c, s);                                                                   \
        leave();                                                                                         \
        return set;                                                                                      \
    }                                                                                                    \
    static void driver##_close(void *set)                                                                \
    {                                                                                                    \
        enter(0);                                                                                        \
        driver.close(set);                                                                               \
        leave();                                                                                         \
    }                                                                                                    \
    extern const tb_loops driver##_loops;                                                                \
    const tb_loops driver##_loops = {driver##_open,          driver##_close, driver##_fill, driver##_cancel, driver##_churn, \
                                     driver##_churn_touched, driver##_rearm, driver##_next, driver##_expire, driver##_replay, \
                                     driver##_walk};

#endif
