/* Peers: the probe finds what a peer does, of real ones and of one that was made to err; the window in which a peer may fire is
   as wide as it is said to be; what a peer cannot do is refused with a reason. */
#include "bench/loops.h"
#include "bench/peers/describe.h"
#include "bench/workloads.h"
#include "tap.h"

/* ---- a peer that errs as it is told ------------------------------------------------------------------------------ */

typedef struct plain {
    uint32_t n;
    int64_t at[]; /* TB_NOT_ARMED: not */
} plain;

static int64_t shift;     /* ns: it fires so much later than it should; negative: earlier */
static bool backwards;    /* the order of a step */
static uint32_t losing;   /* each timer that this divides never fires; 0: none */

static void *plain_open(const tb_contender *c, const tb_script *s)
{
    plain *p = malloc(sizeof *p + s->n * sizeof *p->at);
    (void)c;
    p->n = s->n;
    for (uint32_t t = 0; t < s->n; t++)
        p->at[t] = TB_NOT_ARMED;
    return p;
}
static void plain_close(void *set) { free(set); }
TB_OP bool plain_arm(void *set, uint32_t timer, int64_t at)
{
    ((plain *)set)->at[timer] = at;
    return true;
}
TB_OP bool plain_arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane) { return lane < 9 && plain_arm(set, timer, at); }
TB_OP bool plain_cancel(void *set, uint32_t timer)
{
    bool was = ((plain *)set)->at[timer] != TB_NOT_ARMED;
    ((plain *)set)->at[timer] = TB_NOT_ARMED;
    return was;
}
static size_t plain_advance(void *set, int64_t now, uint64_t *sum)
{
    plain *p = set;
    size_t n = 0;
    for (;;) {
        uint32_t first = p->n;
        for (uint32_t t = 0; t < p->n; t++) {
            bool due = p->at[t] != TB_NOT_ARMED && p->at[t] + shift <= now && !(losing && t % losing == 0);
            if (due && (first == p->n || (backwards ? p->at[t] > p->at[first] : p->at[t] < p->at[first])))
                first = t;
        }
        if (first == p->n)
            return n;
        p->at[first] = TB_NOT_ARMED;
        *sum += first;
        n++;
        if (tb_peer_log)
            tb_fire_log_add(tb_peer_log, first);
    }
}
TB_OP bool plain_next(void *set, int64_t *at) { return set && (*at = 0) != 0; }
TB_OP void plain_touch(void *set, uint32_t timer) { (void)set, (void)timer; }

static const tb_driver plain_driver = {plain_open,   plain_close,   plain_arm,  plain_arm_in, plain_cancel,
                                       plain_arm_in, plain_advance, plain_next, plain_touch};
TB_DEFINE_LOOPS(plain_driver)

static void plain_version(char *out, size_t size) { snprintf(out, size, "1"); }

static tb_peer plain_peer = {.name = "plain", .api = "", .limits = "", .loops = &plain_driver_loops, .version = plain_version};

/* The probe remembers contenders: each question needs a new one. */
static const tb_contender *plain_contender(void)
{
    static tb_contender all[16];
    static size_t used;
    all[used] = (tb_contender){.name = "plain", .loops = &plain_driver_loops, .peer = &plain_peer};
    return &all[used++];
}

static void test_probe(void)
{
    char marks[TB_PEER_MARKS + 1], text[400];
    const tb_peer_traits *t = tb_peer_probe(plain_contender());
    ok(t->works && t->early == 0 && t->late == 0 && t->resolution == 0 && t->deadlines_in_order && !t->lost && !t->twice && !t->beyond,
       "an exact peer has no deviation but in its ties");
    ok(!t->ties_in_order, "ties by number are not ties in the order armed");
    shift = -1500000;
    t = tb_peer_probe(plain_contender());
    is(t->early, 1000000, "1.5 ms early is seen on the rung of 1 ms");
    shift = 150;
    const tb_contender *late = plain_contender();
    is(tb_peer_probe(late)->late, 1000, "150 ns late is seen on the rung of 1 us");
    tb_peer_marks(late, marks);
    is_text(marks, "lo", "its marks");
    tb_peer_describe(late, text, sizeof text);
    is_text(text, "1; fires up to 1 us late; ties not in the order armed", "in words");
    shift = 0;
    backwards = true;
    ok(!tb_peer_probe(plain_contender())->deadlines_in_order, "deadlines from the last to the first are seen");
    backwards = false;
    losing = 100;
    t = tb_peer_probe(plain_contender());
    ok(t->lost > 0 && t->lost <= 10 && t->twice == 0, "lost timers are counted: %u", t->lost);
    losing = 0;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static tb_workload_list list;
static tb_error_text error;

static const tb_workload *find(const char *name)
{
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.items[i].name, name) == 0)
            return &list.items[i];
    return NULL;
}

/* NULL, or what is wrong with the plain peer, on a workload with that much leave. */
static const char *judge(const char *workload, int64_t early, int64_t late)
{
    tb_work *work = tb_work_make(find(workload), false, 300, 4000000, 1, &error);
    if (!work || !tb_work_permit(work, early, late))
        return "out of memory";
    tb_work_limit(work, 300000);
    void *set = plain_open(NULL, &work->script);
    tb_progress did = tb_progress_at(&work->script);
    plain_driver_loops.fill(set, &work->script, &did, 0, work->script.n, NULL);
    tb_work_refresh(work);
    uint32_t count = work->workload->refresh ? work->script.count : 60001;
    tb_work_loop(work, &plain_driver_loops)(set, &work->script, &did, 0, count, NULL);
    const char *wrong = tb_work_verify(work, &did, &error);
    if (!wrong && work->workload->refresh) {
        tb_work_drain(work);
        plain_driver_loops.expire(set, &work->script, &did, 0, 1, NULL);
        wrong = tb_work_verify(work, &did, &error);
    }
    plain_close(set);
    tb_work_free(work);
    return wrong;
}

static void test_windows(void)
{
    shift = 0;
    ok(!judge("expire", 0, 0) && !judge("churn-random", 0, 0), "an exact peer needs no leave");
    shift = 2000 * INT64_C(1000000);
    ok(judge("expire", 0, 1000) != NULL, "2 s late with leave of 1 us is WRONG: %s", error.text);
    ok(!judge("expire", 0, shift), "with leave of 2 s it is right");
    shift = 0;
    losing = 7;
    ok(judge("churn-random", 1000000, 1000000) != NULL, "a peer that loses timers is WRONG whatever leave it has: %s", error.text);
    losing = 0;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static bool refuses(const char *workload, uint32_t n, unsigned lacks, char *reason, size_t size)
{
    tb_work *work = tb_work_make(find(workload), false, n, 1000, 1, &error);
    plain_peer.lacks = lacks;
    plain_peer.most = 1000;
    plain_peer.most_why = "so it is";
    bool refused = tb_peer_refuses(&plain_peer, work, reason, size);
    plain_peer.lacks = plain_peer.most = 0;
    tb_work_free(work);
    return refused;
}

static void test_limits(void)
{
    char reason[200] = "";
    ok(!refuses("churn-random", 1000, 0, reason, sizeof reason), "what it can take is not refused");
    ok(refuses("churn-random", 1001, 0, reason, sizeof reason), "a larger population is");
    is_text(reason, "at most 1000 timers: so it is", "with the reason");
    ok(refuses("churn-random", 10, TB_PEER_CONSTANT_ONLY, reason, sizeof reason) &&
           !refuses("churn-fifo", 10, TB_PEER_CONSTANT_ONLY, reason, sizeof reason),
       "constant durations are in churn-fifo alone");
    ok(refuses("expire", 10, TB_PEER_REAL_TIME, reason, sizeof reason) && refuses("next", 10, TB_PEER_REAL_TIME, reason, sizeof reason) &&
           !refuses("cancel", 10, TB_PEER_REAL_TIME, reason, sizeof reason),
       "a real clock cannot be driven");
    ok(refuses("next", 10, TB_PEER_NO_NEXT, reason, sizeof reason), "who cannot tell what is next is not asked");
}

/* ---- those of this build ----------------------------------------------------------------------------------------- */

static void test_built(void)
{
    size_t entries = 0;
    for (size_t i = 0; i < tb_contender_count(); i++) {
        const tb_contender *c = tb_contender_at(i);
        char text[400];
        if (!c->peer)
            continue;
        entries++;
        const tb_peer_traits *t = tb_peer_probe(c);
        tb_peer_describe(c, text, sizeof text);
        diag("%s %s", c->name, text);
        if (!t->works) {
            diag("%s cannot be set up here", c->name);
            continue;
        }
        bool real = c->peer->lacks & TB_PEER_REAL_TIME;
        ok(t->lost == 0 && t->twice == 0, "%s loses no timer and fires none twice", c->name);
        ok(real || (t->early <= c->peer->early && t->late <= c->peer->late + c->peer->late / 2 + 1000),
           "%s fires within the window that it has leave for", c->name);
        if (strncmp(c->name, "std_", 4) == 0)
            ok(!strpbrk(text, ";"), "%s has no deviation at all", c->name);
        if (strcmp(c->name, "libuv") == 0)
            ok(t->resolution == 1000000 && t->early > 0, "libuv counts whole milliseconds and cuts its time off");
        if (strcmp(c->name, "libev") == 0)
            ok(t->late > 0 && t->early == 0, "libev fires when its deadline is past, not at it");
    }
    size_t named = 0;
    for (size_t i = 0; i < tb_peer_library_count(); i++) {
        const tb_peer_library *library = tb_peer_library_at(i);
        for (const tb_peer *peer = library->entries; peer && peer->name; peer++)
            named += strstr(library->names, peer->name) != NULL;
    }
    is(named, entries, "each entry is named in the catalogue: it can be told of where it is absent");
}

int main(void)
{
    if (!tb_workloads_load(&list, &error))
        return 1;
    test_probe();
    test_windows();
    test_limits();
    test_built();
    tb_workloads_free(&list);
    return tap_done();
}
