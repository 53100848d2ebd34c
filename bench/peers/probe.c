#include "bench/peers/probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "bench/random.h"

#define MS INT64_C(1000000)
#define DAY (INT64_C(86400) * 1000 * MS)

enum { TRIES = 24, MOST = 1000 };

/* A small set under probe, driven through the same loops as in a measurement. */
typedef struct probe {
    const tb_contender *contender;
    tb_peer_traits found;
    tb_random random;
    tb_fire_log log;
    void *set;
    tb_script script;
    tb_progress did;
    int64_t deadline[MOST];
} probe;

static bool begin(probe *p, uint32_t n, int64_t start)
{
    p->script = (tb_script){.n = n, .start = start, .fill = p->deadline, .per_step = 1, .constant = 30000 * MS};
    p->did = tb_progress_at(&p->script);
    p->log.count = 0;
    tb_peer_log = &p->log;
    p->set = p->contender->loops->open(p->contender, &p->script);
    tb_peer_log = NULL;
    return p->set != NULL;
}

static void end(probe *p) { p->contender->loops->close(p->set); }

/* The log is asked for by sets while they fire, too: those without callbacks of their own. */
static void advance(probe *p, int64_t now)
{
    p->script.step = now - p->did.now;
    tb_peer_log = &p->log;
    p->contender->loops->expire(p->set, &p->script, &p->did, 0, 1, NULL);
    tb_peer_log = NULL;
}

static void arm(probe *p, uint32_t timer, int64_t at)
{
    p->deadline[timer] = at;
    p->contender->loops->fill(p->set, &p->script, &p->did, timer, timer + 1, NULL);
}

static void cancel(probe *p, uint32_t timer)
{
    p->script.timer = &timer;
    p->contender->loops->cancel(p->set, &p->script, &p->did, 0, 1, NULL);
}

/* What is constant for this peer is what it is given: it knows no other durations. */
static int64_t duration(const probe *p, int64_t wanted)
{
    return p->contender->peer->lacks & TB_PEER_CONSTANT_ONLY ? p->script.constant : wanted;
}

/* ---- when -------------------------------------------------------------------------------------------------------- */

/* Instants around a deadline at which the set is driven. */
static const int64_t ladder[] = {-20 * MS, -10 * MS, -5 * MS, -2 * MS, -MS,  -MS / 2, -MS / 5, -100000, -10000, -1000, -100, -10, 0,
                                 10,       100,      1000,    10000,   100000, MS / 5, MS / 2,  MS,      2 * MS, 5 * MS, 10 * MS, 20 * MS};
enum { RUNGS = sizeof ladder / sizeof *ladder };

/* One timer, from an instant that is no multiple of anything, to a deadline that is none either, on a fine and on a coarse grid. */
static bool find_when(probe *p)
{
    for (int i = 0; i < TRIES; i++) {
        int64_t grid = i % 2 ? 1 : MS;
        int64_t armed = 1000 * MS + (int64_t)tb_random_below(&p->random, 40 * MS) / grid * grid;
        if (!begin(p, 1, 1000 * MS))
            return false;
        advance(p, armed);
        int64_t at = armed + duration(p, 50 * MS + (int64_t)tb_random_below(&p->random, 50 * MS) / grid * grid);
        arm(p, 0, at);
        int rung = 0;
        for (; rung < RUNGS && p->did.fired == 0; rung++)
            advance(p, at + ladder[rung]);
        int64_t seen = ladder[rung - 1];
        if (p->did.fired && -seen > p->found.early)
            p->found.early = -seen;
        if (seen > p->found.late)
            p->found.late = seen;
        end(p);
    }
    return true;
}

/* Two timers `apart`: whether an instant is found at which only the first has fired. */
static bool tells_apart(probe *p, int64_t apart)
{
    enum { STEPS = 8 };
    if (!begin(p, 2, 1000 * MS))
        return false;
    int64_t armed = 1000 * MS + (int64_t)tb_random_below(&p->random, 40 * MS);
    advance(p, armed);
    int64_t first = armed + duration(p, 50 * MS + 8 * apart);
    arm(p, 0, first);
    advance(p, armed + (p->contender->peer->lacks & TB_PEER_CONSTANT_ONLY ? apart : 0));
    arm(p, 1, first + apart);
    int64_t now = first - 4 * apart - 2 * MS;
    bool apart_seen = false;
    advance(p, now);
    for (now = first - 4 * apart; now < first + 4 * apart && p->did.fired < 2; now += apart > STEPS ? apart / STEPS : 1) {
        advance(p, now);
        apart_seen |= p->did.fired == 1;
    }
    end(p);
    return apart_seen;
}

static void find_resolution(probe *p)
{
    static const int64_t steps[] = {10, 100, 1000, 10000, 100000, MS, 10 * MS, 100 * MS};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bool all = true;
        for (int t = 0; t < TRIES && all; t++)
            all = tells_apart(p, steps[i]);
        p->found.resolution = i ? steps[i] : 0;
        if (all)
            return;
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Timers of one deadline, in a random order of numbers, some cancelled and armed again: the last arming counts. */
static bool find_ties(probe *p)
{
    enum { N = 64, AGAIN = 16 };
    uint32_t order[N], rank[N], next = 0;
    if (!begin(p, N, 1000 * MS))
        return false;
    int64_t at = p->did.now + duration(p, 50 * MS);
    tb_random_permutation(&p->random, order, N);
    for (uint32_t i = 0; i < N; i++) {
        arm(p, order[i], at);
        rank[order[i]] = next++;
    }
    for (uint32_t i = 0; i < AGAIN; i++) {
        uint32_t timer = tb_random_below(&p->random, N);
        cancel(p, timer);
        arm(p, timer, at);
        rank[timer] = next++;
    }
    advance(p, at + 20 * MS);
    p->found.ties_in_order = p->log.count == N;
    for (uint32_t i = 1; i < p->log.count; i++)
        p->found.ties_in_order &= rank[p->log.timers[i - 1]] < rank[p->log.timers[i]];
    end(p);
    return true;
}

/* Timers with deadlines 2 ms apart, all due in one step. */
static bool find_order(probe *p)
{
    enum { N = 64 };
    uint32_t order[N];
    if (!begin(p, N, 1000 * MS))
        return false;
    bool constant = duration(p, 1) != 1;
    int64_t base = p->did.now + duration(p, 50 * MS);
    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    if (!constant)
        tb_random_permutation(&p->random, order, N);
    for (uint32_t i = 0; i < N; i++) {
        if (constant)
            advance(p, 1000 * MS + 2 * MS * order[i]);
        arm(p, order[i], base + 2 * MS * order[i]);
    }
    advance(p, base + 2 * MS * N + 20 * MS);
    p->found.deadlines_in_order = p->log.count == N;
    for (uint32_t i = 1; i < p->log.count; i++)
        p->found.deadlines_in_order &= p->log.timers[i - 1] < p->log.timers[i];
    end(p);
    return true;
}

/* ---- loss, horizon ----------------------------------------------------------------------------------------------- */

static bool find_lost(probe *p)
{
    uint64_t armed_sum = 0;
    if (!begin(p, MOST, 1000 * MS))
        return false;
    int64_t now = p->did.now;
    for (uint32_t t = 0; t < MOST; t++)
        arm(p, t, now + duration(p, 50 * MS + (int64_t)tb_random_below(&p->random, 1000) * MS));
    uint64_t gone = 0, gone_sum = 0;
    for (uint32_t t = 0; t < MOST; t += 2) {
        uint64_t before = p->did.cancelled;
        cancel(p, t);
        gone += p->did.cancelled - before;
        gone_sum += p->did.cancelled > before ? t : 0;
        if (t % 4 == 0) {
            arm(p, t, now + duration(p, 50 * MS + (int64_t)tb_random_below(&p->random, 1000) * MS));
            gone--;
            gone_sum -= t;
        }
    }
    for (uint32_t t = 0; t < MOST; t++)
        armed_sum += t;
    for (int64_t step = 10 * MS; now < 40000 * MS + 1000 * MS; step = now < 3000 * MS ? 10 * MS : 5000 * MS)
        advance(p, now += step);
    advance(p, now + 2 * 3600 * 1000 * MS); /* where nothing can be waited for, this asks what is armed */
    p->found.lost = p->did.fired + gone < MOST ? (unsigned)(MOST - gone - p->did.fired) : 0;
    p->found.twice = p->did.fired + gone > MOST ? (unsigned)(p->did.fired + gone - MOST) : 0;
    if (!p->found.lost && !p->found.twice && p->did.sum + gone_sum != armed_sum)
        p->found.lost = 1;
    end(p);
    return true;
}

static bool find_horizon(probe *p)
{
    static const int64_t days[] = {1, 50, 400, 3650};
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        if (!begin(p, 1, 1000 * MS))
            return false;
        arm(p, 0, p->did.now + days[i] * DAY);
        for (int64_t left = days[i] * DAY; left > DAY / 24; left /= 2)
            advance(p, 1000 * MS + days[i] * DAY - left / 2 - MS);
        bool early = p->did.fired > 0;
        end(p);
        if (early) {
            p->found.beyond = days[i] * DAY;
            return true;
        }
    }
    return true;
}

/* ---- real time --------------------------------------------------------------------------------------------------- */

static int64_t real_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 * MS + t.tv_nsec;
}

/* Eight timers of one deadline 3 ms ahead, looked for all the time until they have fired or a second is over. How late they are
   seen is this machine's affair; never early, and in which order, is the kernel's. */
static bool find_real(probe *p)
{
    enum { N = 8 };
    if (!begin(p, N, 0))
        return false;
    for (uint32_t t = 0; t < N; t++)
        arm(p, N - 1 - t, 3 * MS);
    int64_t armed = real_now(), first = 0, now;
    do {
        advance(p, p->did.now + 1);
        now = real_now() - armed;
        if (p->did.fired && !first)
            first = now;
    } while (p->did.fired < N && now < 1000 * MS);
    p->found.early = first < 3 * MS - 100000 ? 3 * MS - first : 0; /* the script's time began a little before */
    p->found.late = 0;
    p->found.lost = (unsigned)(N - p->did.fired);
    p->found.ties_in_order = p->log.count == N;
    for (uint32_t i = 1; i < p->log.count; i++)
        p->found.ties_in_order &= p->log.timers[i - 1] > p->log.timers[i];
    p->found.deadlines_in_order = true;
    end(p);
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

const tb_peer_traits *tb_peer_probe(const tb_contender *contender)
{
    enum { PEERS = 64 };
    static struct {
        const tb_contender *contender;
        tb_peer_traits traits;
    } known[PEERS];
    size_t at = 0;
    while (at + 1 < PEERS && known[at].contender && known[at].contender != contender)
        at++;
    if (known[at].contender == contender)
        return &known[at].traits;
    probe *p = calloc(1, sizeof *p);
    known[at].contender = contender;
    if (!p)
        return &known[at].traits;
    p->contender = contender;
    p->random = tb_random_make(1, 0x70726f6265 /* "probe" */);
    bool constant = contender->peer->lacks & TB_PEER_CONSTANT_ONLY;
    if (contender->peer->lacks & TB_PEER_REAL_TIME) {
        p->found.works = find_real(p);
    } else {
        p->found.works = find_when(p) && find_ties(p) && find_order(p) && find_lost(p) && (constant || find_horizon(p));
        if (p->found.works)
            find_resolution(p);
    }
    known[at].traits = p->found;
    free(p);
    return &known[at].traits;
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

void tb_peer_marks(const tb_contender *contender, char marks[TB_PEER_MARKS + 1])
{
    const tb_peer_traits *t = tb_peer_probe(contender);
    bool real = contender->peer->lacks & TB_PEER_REAL_TIME;
    size_t n = 0;
    if (real)
        marks[n++] = 't';
    if (t->works) {
        if (t->resolution > 1000)
            marks[n++] = 'm';
        else if (t->resolution > 100)
            marks[n++] = 'u';
        if (t->early > 0)
            marks[n++] = 'e';
        if (t->late > 0 && t->late > t->resolution)
            marks[n++] = 'l';
        if (!t->ties_in_order)
            marks[n++] = 'o';
        if (!t->deadlines_in_order)
            marks[n++] = 'd';
        if (t->lost || t->twice)
            marks[n++] = 'x';
        if (t->beyond)
            marks[n++] = 'h';
    }
    marks[n < TB_PEER_MARKS ? n : TB_PEER_MARKS] = 0;
}

static const char *span(int64_t ns, char *out, size_t size)
{
    if (ns >= DAY)
        snprintf(out, size, "%" PRId64 " days", ns / DAY);
    else if (ns >= MS)
        snprintf(out, size, "%g ms", (double)ns / (double)MS);
    else if (ns >= 1000)
        snprintf(out, size, "%g us", (double)ns / 1000);
    else
        snprintf(out, size, "%" PRId64 " ns", ns);
    return out;
}

void tb_peer_mark_text(const tb_contender *contender, char mark, char *out, size_t size)
{
    const tb_peer_traits *t = tb_peer_probe(contender);
    char x[32];
    switch (mark) {
    case 't':
        snprintf(out, size, "real time");
        break;
    case 'm':
    case 'u':
        snprintf(out, size, "tells deadlines apart from %s on", span(t->resolution, x, sizeof x));
        break;
    case 'e':
        snprintf(out, size, "fires up to %s early", span(t->early, x, sizeof x));
        break;
    case 'l':
        snprintf(out, size, "fires up to %s late", span(t->late, x, sizeof x));
        break;
    case 'o':
        snprintf(out, size, "ties not in the order armed");
        break;
    case 'd':
        snprintf(out, size, "deadlines not in order within a step");
        break;
    case 'x':
        snprintf(out, size, "of 1000 timers %u lost, %u twice", t->lost, t->twice);
        break;
    case 'h':
        snprintf(out, size, "a timer of %s fires early", span(t->beyond, x, sizeof x));
        break;
    default:
        *out = 0;
        break;
    }
}
