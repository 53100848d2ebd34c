/* io_uring.c: io_uring's timeout requests, submitted in batches as the queue fills, answers taken when time goes on. A request
   is named by its timer and a number that tells it from those before; what is pending is known here, since the ring's answers
   come later. */
#include <errno.h>
#include <stdlib.h>

#include <liburing.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/real_time.h"

enum { MOST = 10000, ENTRIES = 256 };

typedef struct request {
    struct __kernel_timespec at;
    uint32_t number; /* of the request that is pending; 0: none */
    uint32_t last;
} request;

typedef struct ring {
    tb_real_time time;
    tb_fire_log *log;
    struct io_uring ring;
    size_t fired; /* answers that were taken early, when the queue was full */
    uint64_t sum;
    uint32_t n;
    request timers[];
} ring;

/* What answers are for that nobody waits for; and in place of a request's number, for the removals that are counted. */
#define NOBODY UINT64_MAX
#define TAKEN_BACK 0u

static inline uint64_t name_of(uint32_t timer, uint32_t number) { return (uint64_t)number << 32 | timer; }

static void *open_ring(const tb_contender *c, const tb_script *s)
{
    (void)c;
    ring *r = calloc(1, sizeof *r + s->n * sizeof *r->timers);
    if (!r)
        return NULL;
    struct io_uring_params best = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN}, plain = {0};
    int error = io_uring_queue_init_params(ENTRIES, &r->ring, &best);
    if (error == -EINVAL) /* Linux before 6.1 */
        error = io_uring_queue_init_params(ENTRIES, &r->ring, &plain);
    if (error < 0) {
        free(r);
        errno = -error;
        return NULL;
    }
    r->n = s->n;
    r->log = tb_peer_log;
    r->time = (tb_real_time){s->start, 0};
    tb_real_time_set(&r->time, s->start);
    return r;
}

static void close_ring(void *set)
{
    io_uring_queue_exit(&((ring *)set)->ring);
    free(set);
}

static void take_answers(ring *r)
{
    struct io_uring_cqe *answers[ENTRIES];
    unsigned count;
    do {
        count = io_uring_peek_batch_cqe(&r->ring, answers, ENTRIES);
        for (unsigned i = 0; i < count; i++) {
            uint64_t name = answers[i]->user_data;
            uint32_t timer = (uint32_t)name;
            bool expired = answers[i]->res == -ETIME && name != NOBODY && r->timers[timer].number == (uint32_t)(name >> 32);
            bool taken_back = answers[i]->res == 0 && name >> 32 == TAKEN_BACK;
            if (!expired && !taken_back)
                continue;
            r->timers[timer].number = 0;
            r->fired++;
            r->sum += timer;
            if (r->log)
                tb_fire_log_add(r->log, timer);
        }
        io_uring_cq_advance(&r->ring, count);
    } while (count == ENTRIES);
}

static void submit(ring *r)
{
    io_uring_submit_and_get_events(&r->ring);
    take_answers(r);
}

TB_OP struct io_uring_sqe *entry(ring *r)
{
    struct io_uring_sqe *e = io_uring_get_sqe(&r->ring);
    if (__builtin_expect(!e, 0)) {
        submit(r);
        e = io_uring_get_sqe(&r->ring);
    }
    return e;
}

TB_OP void set_time(ring *r, uint32_t timer, int64_t at)
{
    struct timespec t = tb_real_time_at(&r->time, at);
    r->timers[timer].at = (struct __kernel_timespec){t.tv_sec, t.tv_nsec};
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    ring *r = set;
    struct io_uring_sqe *e = entry(r);
    if (!e)
        return false;
    set_time(r, timer, at);
    request *q = &r->timers[timer];
    q->number = ++q->last ? q->last : ++q->last;
    io_uring_prep_timeout(e, &q->at, 0, IORING_TIMEOUT_ABS);
    io_uring_sqe_set_data64(e, name_of(timer, q->number));
    return true;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

/* Asks for a removal whose answer is named `name`. */
TB_OP bool take_back(ring *r, uint32_t timer, uint64_t name)
{
    if (io_uring_sq_space_left(&r->ring) == 0)
        submit(r); /* it may fire then */
    uint32_t number = r->timers[timer].number;
    struct io_uring_sqe *e = number ? entry(r) : NULL;
    if (!e)
        return false;
    io_uring_prep_timeout_remove(e, name_of(timer, number), 0);
    io_uring_sqe_set_data64(e, name);
    return true;
}

TB_OP bool cancel(void *set, uint32_t timer)
{
    bool asked = take_back(set, timer, NOBODY);
    ((ring *)set)->timers[timer].number = 0;
    return asked;
}

TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    ring *r = set;
    if (io_uring_sq_space_left(&r->ring) == 0)
        submit(r); /* it may fire then */
    if (r->timers[timer].number == 0)
        return arm_in(set, timer, at, lane);
    struct io_uring_sqe *e = entry(r);
    if (!e)
        return false;
    set_time(r, timer, at);
    io_uring_prep_timeout_update(e, &r->timers[timer].at, name_of(timer, r->timers[timer].number), IORING_TIMEOUT_ABS);
    io_uring_sqe_set_data64(e, NOBODY);
    return true;
}

/* What would fire, in a time that nobody waits for: what the ring can still take back, or answers in the meantime. */
static void count_armed(ring *r)
{
    for (uint32_t t = 0; t < r->n; t++)
        take_back(r, t, name_of(t, TAKEN_BACK));
    submit(r);
}

static size_t advance(void *set, int64_t now, uint64_t *sum)
{
    ring *r = set;
    bool jumped = tb_real_time_set(&r->time, now);
    submit(r);
    if (jumped)
        count_armed(r);
    size_t n = r->fired;
    *sum += r->sum;
    r->fired = r->sum = 0;
    return n;
}

TB_OP bool next(void *set, int64_t *at)
{
    (void)set, (void)at;
    return false;
}

TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((ring *)set)->timers[timer]); }

static const tb_driver tb_io_uring = {open_ring, close_ring, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS(tb_io_uring)

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
static void version(char *out, size_t size) { snprintf(out, size, "liburing %s", TEXT(TB_PEER_VERSION)); }

const tb_peer tb_peers_io_uring[] = {
    {"io_uring", "IORING_OP_TIMEOUT, _REMOVE, _UPDATE",
     "in batches of up to 256. The kernel's memory is not counted", &tb_io_uring_loops, version, TB_REAL_TIME_WINDOW,
     TB_REAL_TIME_WINDOW, TB_PEER_REAL_TIME, MOST, "a cancel looks through all timeouts", 4},
    {0},
};
