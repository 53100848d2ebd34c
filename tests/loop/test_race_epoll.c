/* IOC-09 on epoll: as test_race_sim.c, with another thread that sends bytes and cancels, in real time. RACE_SECONDS=N races for so long
   instead of 300 rounds of each. */
#include <pthread.h>
#include <unistd.h>

#include "race_tally.h"
#include "tests/calendar/random.h"

static int64_t around(uint64_t *random) { return (int64_t)(random_next(random) % (16 * (uint64_t)US)) - 8 * US; }

/* What the other thread does in a round, in the order of its instants. */
typedef struct deed {
    int64_t at;
    enum { SEND, CANCEL, CANCEL_GROUP } what;
    int racer;
} deed;

typedef struct round_plan {
    deed deeds[2 * RACERS + 1];
    int count;
    tb_request *requests[RACERS];
    tb_group *group;
    int sockets[RACERS];
} round_plan;

typedef struct racer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    round_plan *plan; /* given to the thread; NULL when it is done with it */
    bool over;
} racer;

static int by_instant(const void *a, const void *b)
{
    const deed *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void act(const round_plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        const deed *d = &plan->deeds[i];
        while (tb_instant_now().ns < d->at)
            ;
        if (d->what == SEND) {
            ssize_t n = write(plan->sockets[d->racer], "x", 1);
            tb_assert(n == 1);
        } else if (d->what == CANCEL) {
            tb_request_cancel(plan->requests[d->racer]);
        } else {
            tb_group_cancel(plan->group);
        }
    }
}

static void *racer_main(void *ctx)
{
    racer *it = ctx;
    pthread_mutex_lock(&it->lock);
    while (!it->over) {
        if (it->plan) {
            round_plan *plan = it->plan;
            pthread_mutex_unlock(&it->lock);
            act(plan);
            pthread_mutex_lock(&it->lock);
            it->plan = NULL;
            pthread_cond_broadcast(&it->changed);
        } else {
            pthread_cond_wait(&it->changed, &it->lock);
        }
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

static void hand_to(racer *it, round_plan *plan)
{
    pthread_mutex_lock(&it->lock);
    it->plan = plan;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

static void await(racer *it)
{
    pthread_mutex_lock(&it->lock);
    while (it->plan)
        pthread_cond_wait(&it->changed, &it->lock);
    pthread_mutex_unlock(&it->lock);
}

static _Atomic uint64_t works;
static tb_job_result work(void *arg, tb_buffer *buffer)
{
    const int64_t *at = arg;
    while (tb_instant_now().ns < *at)
        ;
    works++;
    tb_buffer_append(buffer, "x", 1);
    return tb_job_done(1);
}

static void race(rig *r, racer *other, tally *t, uint64_t *random, uint64_t round, bool waits,
                 const tb_handle (*pairs)[2])
{
    round_plan plan = {.group = tb_group_make()};
    int64_t ends[RACERS];
    int64_t moment = now(r).ns + 200 * US; /* past the submitting of 50 */
    tally_round(t);
    for (int i = 0; i < RACERS; i++) {
        int64_t at = moment + around(random);
        ends[i] = moment + around(random);
        tb_instant deadline = random_next(random) % 4 ? tb_instant_from_nanos(at) : tb_instant_forever();
        tb_buffer *buffer = take(r);
        tb_op op = pairs ? tb_op_recv(pairs[i][0], &buffer) : tb_op_call(TB_LANE_GENERAL, work, &ends[i], &buffer);
        tb_op_id id = tb_loop_submit_in(r->loop, op, tb_here(round * RACERS + (unsigned)i), plan.group, deadline);
        plan.requests[i] = tb_loop_request(r->loop, id);
        if (random_next(random) % 2)
            plan.deeds[plan.count++] = (deed){moment + around(random), CANCEL, i};
        if (pairs) {
            plan.sockets[i] = (int)tb_loop_os_handle(r->loop, pairs[i][1]);
            plan.deeds[plan.count++] = (deed){moment + around(random), SEND, i};
        }
    }
    if (round % 4 == 0)
        plan.deeds[plan.count++] = (deed){moment + around(random), CANCEL_GROUP, 0};
    qsort(plan.deeds, (size_t)plan.count, sizeof *plan.deeds, by_instant);
    hand_to(other, &plan);
    tb_instant end = in(r, 10 * SEC);
    while (!tally_full(t) && tb_instant_lt(now(r), end)) {
        rig_poll(r, waits ? end : now(r));
        tally_answers(t, r, round);
    }
    await(other);
    tally_missing(t);
    for (int i = 0; i < RACERS; i++) {
        tb_request_detach(plan.requests[i]);
        if (!pairs)
            continue;
        tb_loop_submit_by(r->loop, recv_op(r, pairs[i][0]), tb_here(0), in(r, t->byte[i] == THERE ? 5 * SEC : -1));
        rig_wait(r, 1);
        t->left_bytes += !is_outcome(r, 0, t->byte[i] == THERE ? TB_DONE : TB_TIMED_OUT, true);
        rig_clear(r);
    }
    rig_until(r, late_returns, tb_loop_get_stats(r->loop).prompt_timeouts); /* `ends` is theirs until then */
    tb_group_release(plan.group);
}

static void run(const tb_impl *impl, uint64_t rounds, int64_t until, tally *receives, tally *jobs, uint64_t *bad)
{
    static uint64_t random = 7;
    rig r;
    racer other = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread;
    tb_handle pairs[RACERS][2];
    tb_workers *workers = tb_workers_make();
    rig_open(&r, (tb_loop_options){.impl = impl, .workers = workers});
    pthread_create(&thread, NULL, racer_main, &other);
    for (int i = 0; i < RACERS; i++)
        rig_pair(&r, pairs[i]);
    for (uint64_t i = 0; i < rounds || tb_instant_now().ns < until; i++) {
        tb_loop_set_grace(r.loop, tb_duration_from_seconds(5));
        race(&r, &other, receives, &random, 2 * i, i % 2, (const tb_handle(*)[2])pairs);
        tb_loop_set_grace(r.loop, tb_duration_zero());
        race(&r, &other, jobs, &random, 2 * i + 1, i % 2, NULL);
    }
    rig_until(&r, late_returns, tb_loop_get_stats(r.loop).prompt_timeouts);
    tb_loop_stats s = tb_loop_get_stats(r.loop);
    *bad += (uint64_t)(s.late_returns != s.prompt_timeouts) + s.in_flight + lent(&r);
    pthread_mutex_lock(&other.lock);
    other.over = true;
    pthread_cond_broadcast(&other.changed);
    pthread_mutex_unlock(&other.lock);
    pthread_join(thread, NULL);
    rig_close(&r);
    tb_workers_destroy(workers);
}

static bool all_occur(const tally *t)
{
    return t->outcomes[TB_DONE] > 0 && t->outcomes[TB_CANCELLED] > 0 && t->outcomes[TB_TIMED_OUT] > 0;
}

int main(void)
{
    static tally receives, jobs;
    const char *seconds = getenv("RACE_SECONDS");
    int64_t length = seconds ? strtoll(seconds, NULL, 10) * SEC : 0;
    uint64_t bad = 0;
    for (size_t i = 0; i < tb_impl_count(); i++) {
        const tb_impl *impl = tb_impl_at(i);
        bool usual = strcmp(tb_impl_name(impl), "wheel_6x64") == 0;
        if (rig_takes(impl))
            run(impl, usual ? 300 : 40, usual ? tb_instant_now().ns + length : 0, &receives, &jobs, &bad);
    }
    /* Which outcomes a race has depends on how the machine is loaded: more of it, until each was seen. */
    for (int more = 0; more < 200 && !(all_occur(&receives) && all_occur(&jobs)); more++)
        run(tb_impl_find("wheel_6x64"), 40, 0, &receives, &jobs, &bad);
    tally_say(&receives, "receives");
    tally_say(&jobs, "jobs without grace");
    none_of(bad + tally_bad(&receives) + tally_bad(&jobs),
            "IOC-09 IOC-01 IOC-05 LOP-02 CNT-06 epoll: %d receives and %d jobs: each answered once, none twice, stale, missing or failed, "
            "every byte accounted for, every buffer home", (int)receives.answers, (int)jobs.answers);
    static const struct {
        tb_outcome outcome;
        const char *name;
    } all[] = {{TB_DONE, "Done"}, {TB_CANCELLED, "Cancelled"}, {TB_TIMED_OUT, "TimedOut"}};
    for (int o = 0; o < 3; o++) {
        ok(receives.outcomes[all[o].outcome] > 0, "IOC-09 epoll: %s occurs among receives", all[o].name);
        ok(jobs.outcomes[all[o].outcome] > 0, "IOC-09 epoll: %s occurs among jobs", all[o].name);
    }
    return rigs_done();
}
