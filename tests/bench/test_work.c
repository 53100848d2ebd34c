/* Workloads and the harness: every workload on every contender comes to what the model expects; a contender that cheats is
   found; the same seed gives the same work. */
#include "bench/cell.h"
#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/workloads.h"
#include "tap.h"

#include <errno.h>

static tb_error_text error;

static const tb_workload *find(const tb_workload_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

/* Runs a workload's blocks on a contender as a cell does; NULL, or what is wrong. */
static const char *run(const tb_workload *w, const tb_contender *c, uint32_t n)
{
    enum { BLOCKS = 3 };
    tb_work *work = tb_work_make(w, c->keyed, n, 20000, 1, &error);
    const char *wrong = NULL;
    if (!work)
        return error.text;
    char reason[200];
    bool refused = c->peer && tb_peer_refuses(c->peer, work, reason, sizeof reason);
    if (refused || (c->peer && !tb_work_permit(work, c->peer->early, c->peer->late))) {
        tb_work_free(work);
        return refused ? NULL : "out of memory";
    }
    void *set = NULL;
    tb_progress did = tb_progress_at(&work->script);
    for (int block = 0; block < BLOCKS && !wrong; block++) {
        if (!set || w->fresh) {
            set = c->loops->open(c, &work->script);
            if (!set)
                return c->peer && errno == EPERM ? NULL : "cannot open";
            did = tb_progress_at(&work->script);
            if (work->script.fill && w->loop != TB_LOOP_FILL)
                c->loops->fill(set, &work->script, &did, 0, work->script.n, NULL);
        }
        tb_work_refresh(work);
        tb_work_loop(work, c->loops)(set, &work->script, &did, 0, work->script.count, NULL);
        if (w->loop == TB_LOOP_CANCEL)
            did.cancelled *= work->sets; /* here one set stands for all */
        wrong = tb_work_verify(work, &did, &error);
        if (w->fresh) {
            c->loops->close(set);
            set = NULL;
        }
    }
    if (set && !wrong) {
        tb_work_drain(work);
        c->loops->expire(set, &work->script, &did, 0, 1, NULL);
        wrong = tb_work_verify(work, &did, &error);
    }
    if (set)
        c->loops->close(set);
    tb_work_free(work);
    return wrong;
}

/* Minutes for a trace. */
static bool is_slow(const char *name)
{
    static const char *const slow[] = {"sorted_list", "glib", "ace_hash"};
    bool found = false;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        found |= strcmp(slow[i], name) == 0;
    return found;
}

static void test_all(const tb_workload_list *list)
{
    for (size_t w = 0; w < list->count; w++) {
        int wrong = 0;
        for (size_t i = 0; i < tb_contender_count(); i++) {
            const tb_contender *c = tb_contender_at(i);
            bool steps = list->items[w].trace || (list->items[w].loop == TB_LOOP_EXPIRE && c->peer);
            bool slow = steps && is_slow(c->name);
            const char *text = c->hidden || slow ? NULL : run(&list->items[w], c, 3000);
            wrong += text != NULL;
            if (text)
                diag("%s%s: %s", c->name, c->keyed ? " by key" : "", text);
        }
        none_of(wrong, "%s: what fires and what is cancelled is what the model expects, on every contender", list->items[w].name);
    }
}

/* ---- contenders that cheat --------------------------------------------------------------------------------------- */

static const tb_contender *honest; /* heap4 by id */

static void *cheat_open(const tb_contender *c, const tb_script *s)
{
    (void)c;
    return honest->loops->open(honest, s);
}
static void cheat_close(void *set) { honest->loops->close(set); }

/* The driver of ours, through its own loops, one operation at a time. */
static bool do_arm(void *set, uint32_t timer, int64_t at)
{
    tb_script s = {0};
    tb_progress p = {0};
    int64_t fill[1] = {at};
    s.fill = fill - timer;
    honest->loops->fill(set, &s, &p, timer, timer + 1, NULL);
    return p.refused == 0;
}
static bool do_cancel(void *set, uint32_t timer)
{
    tb_script s = {0};
    tb_progress p = {0};
    s.timer = &timer;
    honest->loops->cancel(set, &s, &p, 0, 1, NULL);
    return p.cancelled == 1;
}
static size_t do_advance(void *set, int64_t now, uint64_t *sum)
{
    tb_script s = {0};
    tb_progress p = {0};
    p.now = now;
    honest->loops->expire(set, &s, &p, 0, 1, NULL);
    *sum += p.sum;
    return p.fired;
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at) { return do_arm(set, timer, at); }
TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane) { return lane < 8 && do_arm(set, timer, at); }
TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    do_cancel(set, timer);
    return lane < 8 && do_arm(set, timer, at);
}
TB_OP bool next(void *set, int64_t *at)
{
    (void)set;
    *at = 0;
    return true;
}
TB_OP bool cancel(void *set, uint32_t timer) { return do_cancel(set, timer); }
TB_OP size_t advance(void *set, int64_t now, uint64_t *sum) { return do_advance(set, now, sum); }

TB_OP bool cancel_nothing(void *set, uint32_t timer) { return set && timer % 1000 != 7 ? do_cancel(set, timer) : true; }
TB_OP size_t fire_late(void *set, int64_t now, uint64_t *sum) { return do_advance(set, now - 5000000000, sum); }
TB_OP size_t miscount(void *set, int64_t now, uint64_t *sum)
{
    size_t n = do_advance(set, now, sum);
    return n + (n > 0 && now % 64000000 == 0);
}
TB_OP bool refuse(void *set, uint32_t timer, int64_t at) { return timer != 11 && do_arm(set, timer, at); }

TB_OP void touch(void *set, uint32_t timer) { (void)set, (void)timer; }

static const tb_driver fair = {cheat_open, cheat_close, arm, arm_in, cancel, rearm, advance, next, touch};
static const tb_driver lazy_cancel = {cheat_open, cheat_close, arm, arm_in, cancel_nothing, rearm, advance, next, touch};
static const tb_driver late = {cheat_open, cheat_close, arm, arm_in, cancel, rearm, fire_late, next, touch};
static const tb_driver miscounting = {cheat_open, cheat_close, arm, arm_in, cancel, rearm, miscount, next, touch};
static const tb_driver refusing = {cheat_open, cheat_close, refuse, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS(fair)
TB_DEFINE_LOOPS(lazy_cancel)
TB_DEFINE_LOOPS(late)
TB_DEFINE_LOOPS(miscounting)
TB_DEFINE_LOOPS(refusing)

static void test_cheats(const tb_workload_list *list)
{
    const tb_workload *churn = find(list, "churn-random"), *expire = find(list, "expire");
    const tb_contender fair_one = {"fair", &fair_loops, NULL, false, false, false, NULL};
    const tb_contender lazy_one = {"lazy_cancel", &lazy_cancel_loops, NULL, false, false, false, NULL};
    const tb_contender late_one = {"late", &late_loops, NULL, false, false, false, NULL};
    const tb_contender miscounting_one = {"miscounting", &miscounting_loops, NULL, false, false, false, NULL};
    const tb_contender refusing_one = {"refusing", &refusing_loops, NULL, false, false, false, NULL};
    ok(!run(churn, &fair_one, 3000) && !run(expire, &fair_one, 3000), "a fair contender is right");
    ok(run(churn, &lazy_one, 3000) != NULL, "one that says it cancelled what had gone is WRONG: %s", error.text);
    ok(run(expire, &late_one, 3000) != NULL, "one whose last timers have not fired is WRONG: %s", error.text);
    ok(run(expire, &miscounting_one, 3000) != NULL, "one that counts too many is WRONG: %s", error.text);
    ok(run(churn, &refusing_one, 3000) != NULL, "one that refuses an arm is WRONG: %s", error.text);
}

/* A whole cell says WRONG, has no figure, and is marked as an error in the document. */
static void test_wrong_cell(const tb_workload_list *list)
{
    const tb_contender late_one = {"late", &late_loops, NULL, false, false, false, NULL};
    const tb_measuring how = {.seed = 1, .repetitions = 2, .operations = 4096, .limit = 10};
    json_t *document = json_pack("{s{} s[]}", "context", "benchmarks");
    tb_cell cell = {.workload = find(list, "expire"), .contender = &late_one, .population = 500};
    ok(tb_cell_set_name(&cell) && tb_cell_measure(&cell, &how, document, &error), "a wrong cell is no failure of the run");
    is(cell.state, TB_CELL_WRONG, "it is WRONG: %s", cell.reason);
    is(cell.repetitions, 0, "it has no figure");
    is_text(cell.name, "timers/expire/late/500", "its name is the promised one");
    json_t *entry = json_array_get(json_object_get(document, "benchmarks"), 0);
    ok(json_is_true(json_object_get(entry, "error_occurred")), "Google Benchmark's entry says so, too");
    tb_cell_clear(&cell);
    json_decref(document);
}

static void test_same_work(const tb_workload_list *list)
{
    const tb_workload *churn = find(list, "churn-random");
    tb_work *a = tb_work_make(churn, false, 1000, 5000, 7, &error), *b = tb_work_make(churn, true, 1000, 5000, 7, &error);
    tb_work *c = tb_work_make(churn, false, 1000, 5000, 8, &error);
    for (int i = 0; i < 3; i++) {
        tb_work_refresh(a);
        tb_work_refresh(b);
        tb_work_refresh(c);
    }
    size_t size = 5000 * sizeof *a->timer;
    ok(!memcmp(a->timer, b->timer, size) && !memcmp(a->delay, b->delay, size) && !memcmp(a->fill, b->fill, 8000),
       "the same seed gives every contender the same operations");
    ok(memcmp(a->timer, c->timer, size) != 0, "another seed gives others");
    is(a->expected.cancelled, 15000 - a->expected.fired + 0, "a timer is pending when it is cancelled, unless it fired before");
    tb_work_free(a);
    tb_work_free(b);
    tb_work_free(c);
}

/* The stationary fill: as many timers fire in the first block of operations as in later ones. Of 4 million timers, touched
   once in 4 s on average, a good part fires before it is touched again. */
static void test_stationary(const tb_workload_list *list)
{
    enum { N = 4000000, COUNT = 400000, LATER = 3 };
    tb_work *w = tb_work_make(find(list, "churn-random"), false, N, COUNT, 3, &error);
    uint32_t armed = 0;
    for (uint32_t t = 0; t < N; t++)
        armed += w->fill[t] != TB_NOT_ARMED;
    tb_work_refresh(w);
    double first = (double)w->expected.fired;
    for (int i = 0; i < LATER; i++)
        tb_work_refresh(w);
    double later = ((double)w->expected.fired - first) / LATER;
    diag("%u of %u armed at first; fired in the first block %.0f, later %.1f a block", armed, N, first, later);
    ok(first > 5000 && first > 0.95 * later && first < 1.05 * later, "the first operations meet the steady state already");
    tb_work_free(w);
}

int main(void)
{
    tb_workload_list list;
    ok(tb_workloads_load(&list, &error) && find(&list, "replay-n1-node-http"), "the workloads are there, and the traces");
    for (size_t i = 0; i < tb_contender_count(); i++)
        if (strcmp(tb_contender_at(i)->name, "heap4") == 0 && !tb_contender_at(i)->keyed)
            honest = tb_contender_at(i);
    test_all(&list);
    test_cheats(&list);
    test_wrong_cell(&list);
    test_same_work(&list);
    test_stationary(&list);
    tb_workloads_free(&list);
    return tap_done();
}
