/* A set may be made on one thread, filled and driven on others, and destroyed on yet another, one after the other.
   Under the thread sanitizer this shows that a set has no hidden shared state: two sets of one implementation run side
   by side. */
#include <pthread.h>

#include "sets.h"

typedef struct stage {
    subject *s;
    const kind *k;
    void (*work)(struct stage *);
    uint64_t digest;
} stage;

static void *on_its_thread(void *arg)
{
    stage *t = arg;
    t->work(t);
    return NULL;
}

/* Runs the work of n stages, each on a new thread, at once, and waits for them. */
static void run(stage *stages, int n, void (*work)(stage *))
{
    pthread_t threads[4];
    for (int i = 0; i < n; i++) {
        stages[i].work = work;
        if (pthread_create(&threads[i], NULL, on_its_thread, &stages[i]) != 0) {
            printf("Bail out! no thread\n");
            exit(1);
        }
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static void make_it(stage *t)
{
    *t->s = make(t->k, 0);
    set_slop(t->s, 1, 10 * MS);
}

static void fill_it(stage *t)
{
    for (uint64_t i = 0; i < 1000; i++)
        arm_in(t->s, i % 2, (int64_t)(i * 7919 % 1000) * 300 * US, i);
    for (uint64_t i = 0; i < 1000; i += 3)
        cancel(t->s, i);
    for (uint64_t i = 1; i < 1000; i += 3)
        rearm(t->s, i, (int64_t)i * MS);
}

/* Without inspect(): its counters are the program's. */
static void drive_it(stage *t)
{
    tb_instant next;
    while (tb_timers_next_expiry(t->s->set, &next)) {
        tb_expiries_clear(&t->s->out);
        tb_timers_expired(t->s->set, next, &t->s->out);
        for (size_t i = 0; i < t->s->out.len; i++)
            t->digest = (t->digest ^ t->s->out.items[i].token ^ (uint64_t)next.ns) * UINT64_C(0x100000001b3);
    }
}

static void destroy_it(stage *t)
{
    tb_timers_destroy(t->s->set);
    tb_expiries_free(&t->s->out);
}

static subject sets[3];

static void handed_on(const kind *k)
{
    stage stages[3] = {{.s = &sets[0], .k = k}, {.s = &sets[1], .k = k}, {.s = &sets[2], .k = k}};
    run(stages, 2, make_it);
    run(stages, 2, fill_it);
    run(stages, 2, drive_it);
    ok(tb_timers_get_stats(sets[0].set).fired == 666, "WHL-02 %s: made, filled and driven on three threads: 666 fire",
       k->name);
    ok(tb_timers_check(sets[0].set) == NULL, "WHL-02 %s: and it is sound", k->name);
    make_it(&stages[2]);
    fill_it(&stages[2]);
    drive_it(&stages[2]);
    ok(stages[0].digest == stages[2].digest && stages[1].digest == stages[2].digest,
       "WHL-02 WHL-01 %s: in the order and at the instants of a set that one thread keeps", k->name);
    run(stages, 2, destroy_it);
    destroy_it(&stages[2]);
}

int main(void)
{
    each_kind(handed_on);
    return sets_done();
}
