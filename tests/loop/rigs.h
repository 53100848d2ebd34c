/* rigs.h: loops under test. A rig is a loop on one backend and one structure, with a pool, a list of answers, and what every
   test must find at its end: each operation answered once, every buffer home.

   Tests run on the simulated and on the epoll backend, over five structures of different kinds; LOOP_IMPLS=all in the
   environment: over all of them. */
#ifndef TESTS_LOOP_RIGS_H
#define TESTS_LOOP_RIGS_H

#include <stdatomic.h>

#include <timerbench/impl.h>
#include <timerbench/loop.h>

#include "tap.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SEC INT64_C(1000000000)
#define HOUR (3600 * SEC)

typedef struct rig {
    tb_loop *loop;
    tb_pool *pool;
    tb_completions out;
    bool sim;
    char name[64]; /* "epoll, heap4" */
} rig;

static atomic_int rigs_broken, rigs_checked; /* a test may have loops on several threads */

static inline tb_duration ns(int64_t n) { return tb_duration_from_nanos(n); }
static inline tb_instant now(const rig *r) { return tb_loop_now(r->loop); }
static inline tb_instant in(const rig *r, int64_t n) { return tb_instant_add(now(r), ns(n)); }

static inline void rig_open(rig *r, tb_loop_options opt)
{
    *r = (rig){.sim = opt.backend == TB_BACKEND_SIM};
    if (!opt.impl)
        opt.impl = tb_impl_find("wheel_6x64");
    snprintf(r->name, sizeof r->name, "%s, %s", r->sim ? "sim" : "epoll", tb_impl_name(opt.impl));
    r->pool = tb_pool_make(NULL);
    r->loop = tb_loop_must_make(&opt);
}

/* submitted = delivered + in flight: looked at after every poll. */
static inline void rig_check(rig *r)
{
    tb_loop_stats s = tb_loop_get_stats(r->loop);
    rigs_checked++;
    rigs_broken += s.submitted != s.delivered + s.in_flight || s.in_flight != tb_loop_in_flight(r->loop);
    for (size_t i = 0; i < r->out.len; i++) {
        const tb_completion *c = &r->out.items[i];
        rigs_broken += tb_instant_lt(c->dequeued, c->submitted) || tb_instant_lt(c->delivered, c->dequeued);
    }
}

static inline size_t rig_poll(rig *r, tb_instant until)
{
    size_t n = tb_loop_poll(r->loop, until, &r->out);
    rig_check(r);
    return n;
}

/* Polls until `out` holds n answers, or for 5 s of the loop's time. */
static inline bool rig_wait(rig *r, size_t n)
{
    tb_instant end = in(r, 5 * SEC);
    while (r->out.len < n && tb_instant_lt(now(r), end))
        rig_poll(r, end);
    return r->out.len >= n;
}

/* Polls until a number has grown to `want`, or for 5 s. */
static inline bool rig_until(rig *r, uint64_t (*number)(rig *), uint64_t want)
{
    tb_instant end = in(r, 5 * SEC);
    while (number(r) < want && tb_instant_lt(now(r), end))
        rig_poll(r, in(r, MS));
    return number(r) == want;
}
static inline uint64_t late_returns(rig *r) { return tb_loop_get_stats(r->loop).late_returns; }

static inline void rig_clear(rig *r) { tb_completions_clear(&r->out); }
static inline tb_buffer *take(rig *r) { return tb_pool_must_take(r->pool, 100); }
static inline size_t lent(const rig *r) { return tb_pool_get_stats(r->pool).lent; }

/* A receive with a buffer of its own. */
static inline tb_op recv_op(rig *r, tb_handle h)
{
    tb_buffer *b = take(r);
    return tb_op_recv(h, &b);
}

static inline tb_op send_op(rig *r, tb_handle h, const void *bytes, size_t n)
{
    tb_buffer *b = tb_pool_must_take(r->pool, n ? n : 1);
    tb_buffer_append(b, bytes, n);
    return tb_op_send(h, &b);
}

static inline void rig_pair(rig *r, tb_handle two[2])
{
    tb_loop_error error;
    bool made = tb_loop_pair(r->loop, TB_UNIX, two, &error);
    tb_assert(made);
}

/* The answer with that token; NULL: none. */
static inline tb_completion *answer(rig *r, uint64_t token)
{
    for (size_t i = 0; i < r->out.len; i++)
        if (r->out.items[i].token == token)
            return &r->out.items[i];
    return NULL;
}

static inline bool is_outcome(rig *r, uint64_t token, tb_outcome outcome, bool buffer)
{
    const tb_completion *c = answer(r, token);
    bool same = c && c->outcome == outcome && (c->buffer != NULL) == buffer;
    if (c && !same)
        diag("%s, token %d: outcome %d, %s, buffer %s", r->name, (int)token, c->outcome, tb_loop_error_name(c->code),
             c->buffer ? "back" : "none");
    else if (!c)
        diag("%s, token %d: no answer", r->name, (int)token);
    return same;
}

static inline bool is_failed(rig *r, uint64_t token, tb_loop_error code)
{
    const tb_completion *c = answer(r, token);
    if (c && c->outcome == TB_FAILED && c->code != code)
        diag("%s, token %d: %s, OS %d", r->name, (int)token, tb_loop_error_name(c->code), c->os_error);
    return c && c->outcome == TB_FAILED && c->code == code;
}

static inline void rig_close(rig *r)
{
    rig_clear(r);
    tb_loop_destroy(r->loop);
    tb_completions_free(&r->out);
    if (lent(r) != 0) {
        diag("%s: %d buffers are not home", r->name, (int)lent(r));
        rigs_broken++;
    }
    tb_pool_release(r->pool);
}

/* Whether the structure is among those of this run. Relaxed ones are late by design; yardsticks store nothing. */
static inline bool rig_takes(const tb_impl *impl)
{
    static const char *const usual[] = {"wheel_6x64", "hashed_wheel_rounds", "binary_heap", "heap4", "sorted_list"};
    const char *all = getenv("LOOP_IMPLS");
    if (impl->structure->traits & (TB_YARDSTICK | TB_RELAXED))
        return false;
    if (all && strcmp(all, "all") == 0)
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i], tb_impl_name(impl)) == 0)
            return true;
    return false;
}

/* Runs a test on each backend and structure. */
static inline void each_rig(void (*test)(rig *))
{
    for (size_t i = 0; i < tb_impl_count(); i++)
        for (int sim = 1; sim >= 0 && rig_takes(tb_impl_at(i)); sim--) {
            rig r;
            rig_open(&r, (tb_loop_options){.impl = tb_impl_at(i), .backend = sim ? TB_BACKEND_SIM : TB_BACKEND_SYSTEM});
            test(&r);
            rig_close(&r);
        }
}

static inline int rigs_done(void)
{
    none_of(rigs_broken, "LOP-02 LOP-14 LOP-15 CNT-03 BUF-04 submitted = delivered + in flight, stamps in order, after each of %d polls; "
            "every buffer home at the end", atomic_load(&rigs_checked));
    return tap_done();
}

#endif
