/* loops.h: the loops of the workloads, always-inline over a driver; instantiated by TB_DEFINE_LOOPS(driver), which makes
   `const tb_loops driver_loops`. Nothing here but what a workload is made of: reading the script, calling the driver, counting. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include "bench/contender.h"

/* Runs `operation` for i from .. to-1; with `spent`, each timed. */
#define TB_EACH(from, to, spent, operation)                                          \
    do {                                                                             \
        if (spent) {                                                                 \
            for (uint32_t i = (from); i < (to); i++) {                               \
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

#define TB_DEFINE_LOOP(driver, name, one)                                                                          \
    static void driver##_##name(void *set, const tb_script *s, tb_progress *p, uint32_t from, uint32_t to, uint32_t *spent) \
    {                                                                                                              \
        tb_progress here = *p;                                                                                     \
        TB_EACH(from, to, spent, one);                                                                             \
        *p = here;                                                                                                 \
    }

#define TB_DEFINE_LOOPS(driver)                                                        \
    TB_DEFINE_LOOP(driver, fill, tb_fill_one(&driver, set, s, &here, i))               \
    TB_DEFINE_LOOP(driver, cancel, here.cancelled += driver.cancel(set, s->timer[i]))  \
    TB_DEFINE_LOOP(driver, churn, tb_churn_one(&driver, set, s, &here, i))             \
    TB_DEFINE_LOOP(driver, rearm, tb_rearm_one(&driver, set, s, &here, i))             \
    TB_DEFINE_LOOP(driver, next, tb_next_one(&driver, set, s, &here, i))               \
    TB_DEFINE_LOOP(driver, expire, tb_expire_one(&driver, set, s, &here))              \
    TB_DEFINE_LOOP(driver, replay, tb_replay_one(&driver, set, s, &here, i))           \
    static void *driver##_open(const tb_contender *c, const tb_script *s) { return driver.open(c, s); } \
    static void driver##_close(void *set) { driver.close(set); }                       \
    extern const tb_loops driver##_loops;                                              \
    const tb_loops driver##_loops = {driver##_open, driver##_close, driver##_fill,   driver##_cancel, driver##_churn, \
                                     driver##_rearm, driver##_next,  driver##_expire, driver##_replay};

#endif
