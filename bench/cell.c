#include "bench/cell.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/calendar_level.h"
#include "bench/memory_count.h"
#include "bench/peers/peer.h"
#include "bench/steal.h"

/* One contender on one work: the sets, and what they have done. */
typedef struct bout {
    tb_cell *cell;
    const tb_measuring *how;
    const tb_loops *loops;
    tb_work *work;
    void **sets;
    uint32_t set_count; /* open ones */
    tb_progress did;
    int repetition;
    tb_error_text error;
    uint32_t *spent; /* of a cold workload: each operation of a repetition */
} bout;

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static void close_sets(bout *b)
{
    for (uint32_t i = 0; i < b->set_count; i++)
        b->loops->close(b->sets[i]);
    b->set_count = 0;
}

static void leave_out(bout *b, const char *phase, double seconds)
{
    b->cell->state = TB_CELL_LEFT_OUT;
    snprintf(b->cell->reason, sizeof b->cell->reason, "%s takes more than %.3g s", phase, seconds);
}

/* A library may be there, and still not be allowed to do its work: io_uring in a container, say. */
static void refused_to_open(bout *b)
{
    if (b->cell->contender->peer) {
        b->cell->state = TB_CELL_LEFT_OUT;
        snprintf(b->cell->reason, sizeof b->cell->reason, "cannot be set up: %s", strerror(errno));
    } else {
        tb_error_set(&b->error, "%s: %s", b->cell->name, strerror(errno));
    }
}

static double seconds_since(int64_t begin) { return (double)(tb_stopwatch_ns() - begin) * 1e-9; }

/* Where the piece of a loop from `from` ends. One of a replay spans no more time than a set steps through quickly, even tick by
   tick. */
static uint32_t piece_end(const tb_script *s, uint32_t from, uint32_t count)
{
    enum { PIECE = 256 };
    const int64_t span = INT64_C(65536) * TB_TICK_NANOS;
    uint32_t most = count - from < PIECE ? count : from + PIECE, to = from + 1;
    if (!s->lines)
        return most;
    while (to < most && s->lines[to].time - s->lines[from].time <= span)
        to++;
    return to;
}

/* Takes a set to the time of a line, as its replay would: that alone may be billions of steps, of a structure whose next is
   never far. False: it took too long. */
static bool walk_to(bout *b, void *set, uint32_t line, int64_t begin, double limit)
{
    uint64_t calls;
    do {
        calls = b->did.calls;
        b->loops->walk(set, &b->work->script, &b->did, line, line + 1, NULL);
        if (seconds_since(begin) > limit)
            return false;
    } while (b->did.calls - calls == TB_WALK_CALLS);
    return true;
}

/* Runs a loop in pieces and gives up when it takes too long; the seconds it took, or NAN. A structure that is O(n) an
   operation, or that goes through a long wait tick by tick, must not hold up a whole table. */
static double run_limited(bout *b, tb_operations *loop, void *set, uint32_t count, double limit)
{
    const tb_script *s = &b->work->script;
    int64_t begin = tb_stopwatch_ns();
    double took = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        to = piece_end(s, from, count);
        if (s->lines && !walk_to(b, set, from, begin, limit))
            return NAN;
        loop(set, s, &b->did, from, to, NULL);
        took = seconds_since(begin);
        if (took > limit)
            return NAN;
    }
    return took;
}

static bool fill(bout *b, void *set)
{
    if (!b->work->script.fill)
        return true;
    if (!isnan(run_limited(b, b->loops->fill, set, b->work->script.n, b->how->limit)))
        return true;
    leave_out(b, "filling", b->how->limit);
    return false;
}

/* Fresh sets, filled if the workload wants them so; false: the cell is left out, or b->error is set. */
static bool open_sets(bout *b)
{
    const tb_workload *w = b->work->workload;
    b->did = tb_progress_at(&b->work->script);
    for (uint32_t i = 0; i < b->work->sets; i++) {
        void *set = b->loops->open(b->cell->contender, &b->work->script);
        if (!set) {
            refused_to_open(b);
            return false;
        }
        b->sets[b->set_count++] = set;
        if (w->loop != TB_LOOP_FILL && !fill(b, set))
            return false;
        if (!w->warm)
            continue;
        if (!fill(b, set))
            return false;
        for (uint32_t t = 0; t < b->work->script.n; t++) {
            uint32_t all[1] = {t};
            tb_script one = b->work->script;
            one.timer = all;
            b->loops->cancel(set, &one, &b->did, 0, 1, NULL);
        }
    }
    b->did.cancelled = 0;
    return true;
}

/* Bytes a timer: of a set that has just been filled, or, of a replay, of what the set has grown to at its end. */
static void count_bytes(bout *b)
{
    int64_t before, after;
    const tb_script *s = &b->work->script;
    if (!tb_memory_count(&before))
        return;
    void *set = b->loops->open(b->cell->contender, s);
    if (!set)
        return;
    uint32_t timers = s->fill ? 0 : b->work->population;
    for (uint32_t t = 0; s->fill && t < s->n; t++)
        timers += s->fill[t] != TB_NOT_ARMED;
    b->did = tb_progress_at(s);
    bool whole = fill(b, set);
    if (!s->fill && isnan(run_limited(b, b->loops->replay, set, s->count, b->how->limit))) {
        whole = false;
        leave_out(b, "a repetition", b->how->limit);
    }
    if (whole && timers > 0 && tb_memory_count(&after))
        b->cell->bytes = (double)(after - before) / timers;
    b->loops->close(set);
}

/* ---- repetitions ------------------------------------------------------------------------------------------------- */

static void run_once(bout *b)
{
    const tb_script *s = &b->work->script;
    tb_operations *loop = tb_work_loop(b->work, b->loops);
    if (s->cold)
        memset(b->spent, 0xff, s->count * sizeof *b->spent);
    for (uint32_t i = 0; i < b->set_count; i++)
        loop(b->sets[i], s, &b->did, 0, s->count, s->cold ? b->spent : NULL);
}

/* Seconds that the operations of a cold run took, without what is read between them. */
static double cold_seconds(const bout *b)
{
    uint64_t ticks = 0, empty = (uint64_t)tb_stopwatch_empty() * b->work->script.count;
    for (uint32_t i = 0; i < b->work->script.count; i++)
        ticks += b->spent[i];
    return ticks > empty ? (double)(ticks - empty) * tb_stopwatch_ns_per_tick() * 1e-9 : 0;
}

/* Operations of a repetition, as its figures count them. */
static uint64_t operations_of(const tb_work *w)
{
    uint64_t each = w->workload->loop == TB_LOOP_EXPIRE ? w->script.n : w->script.count;
    return each * w->sets;
}

/* The first run, not counted: memory gets warm, and its time tells what a repetition costs. false: left out or failed. */
static bool rehearse(bout *b)
{
    bool fresh = b->work->workload->fresh;
    double limit = b->how->limit, took = 0;
    if (!open_sets(b))
        return false;
    tb_work_refresh(b->work);
    tb_operations *loop = tb_work_loop(b->work, b->loops);
    for (uint32_t i = 0; i < b->set_count; i++)
        took += run_limited(b, loop, b->sets[i], b->work->script.count, limit);
    if (isnan(took)) {
        leave_out(b, "a repetition", limit);
        return false;
    }
    if (took * b->how->repetitions > limit && fresh) {
        leave_out(b, "the repetitions", limit);
        return false;
    }
    if (took * b->how->repetitions > limit) {
        double share = limit / (took * b->how->repetitions);
        uint32_t fewer = (uint32_t)(share * b->work->script.count);
        tb_work_limit(b->work, fewer > 1024 ? fewer : 1024);
    }
    if (fresh)
        close_sets(b);
    return true;
}

static void repetition(tb_gbench_state *state, void *user)
{
    bout *b = user;
    const tb_workload *w = b->work->workload;
    int64_t operations = (int64_t)operations_of(b->work);
    b->cell->operations = (uint64_t)operations;
    if (w->fresh && !open_sets(b)) {
        tb_gbench_state_skip_with_error(state, *b->error.text ? b->error.text : b->cell->reason);
        return;
    }
    tb_work_refresh(b->work);
    while (tb_gbench_state_keep_running_batch(state, operations)) {
        run_once(b);
        if (b->work->script.cold)
            tb_gbench_state_set_iteration_time(state, cold_seconds(b));
    }
    tb_error_text wrong;
    b->cell->idle_calls = b->did.fired ? (double)b->did.idle / (double)b->did.fired : -1;
    if (!w->fresh && ++b->repetition == b->how->repetitions) {
        /* What is pending at the end must be what the operations left. */
        tb_work_drain(b->work);
        b->loops->expire(b->sets[0], &b->work->script, &b->did, 0, 1, NULL);
    }
    /* A yardstick fires nothing. */
    if (!b->cell->contender->hidden && tb_work_verify(b->work, &b->did, &wrong)) {
        b->cell->state = TB_CELL_WRONG;
        snprintf(b->cell->reason, sizeof b->cell->reason, "%.*s", TB_CELL_REASON - 1, wrong.text);
        char text[TB_CELL_REASON + 8];
        snprintf(text, sizeof text, "WRONG: %s", b->cell->reason);
        tb_gbench_state_skip_with_error(state, text);
    }
    if (b->cell->bytes >= 0)
        tb_gbench_state_set_counter(state, "bytes_per_timer", b->cell->bytes, 0, TB_GBENCH_1000);
    if (w->fresh)
        close_sets(b);
}

/* ---- tails ------------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Single operations, each timed: the same ones on fresh sets several times over, the least of each counts, so that what the
   machine did beside is not charged to the structure; what it does itself comes every time. */
static bool measure_tails(bout *b, tb_error_text *error)
{
    enum { PASSES = 3 };
    const tb_workload *w = b->work->workload;
    tb_cell *cell = b->cell;
    uint32_t most = b->how->tail_operations;
    double each = cell->repetitions ? cell->ns[0] * 1e-9 : 0;
    if (each * most * PASSES > b->how->limit)
        most = (uint32_t)(b->how->limit / (each * PASSES)) + 1;
    uint32_t *spent = NULL, count = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        tb_work *work = tb_work_make(w, cell->contender->keyed, cell->population, most, b->how->seed, error);
        bout t = {cell, b->how, b->loops, work, NULL, 0, {0}, 0, {{0}}, NULL};
        void *set = NULL;
        if (work && !spent) {
            count = work->script.count;
            spent = malloc(count * sizeof *spent);
            for (uint32_t i = 0; spent && i < count; i++)
                spent[i] = UINT32_MAX;
        }
        bool made = work && spent && (set = b->loops->open(cell->contender, &work->script));
        if (made) {
            t.did = tb_progress_at(&work->script);
            if (w->loop == TB_LOOP_FILL || fill(&t, set)) {
                tb_work_refresh(work);
                tb_work_loop(work, b->loops)(set, &work->script, &t.did, 0, count, spent);
            }
            b->loops->close(set);
        }
        tb_work_free(work);
        if (!made) {
            free(spent);
            if (work)
                tb_error_no_memory(error);
            return false;
        }
    }
    static const double share[] = {0.5, 0.99, 0.999, 1};
    uint32_t empty = tb_stopwatch_empty();
    qsort(spent, count, sizeof *spent, by_size);
    for (int i = 0; i < 4; i++) {
        uint32_t ticks = spent[(size_t)(share[i] * (count - 1))];
        cell->tail[i] = (ticks > empty ? ticks - empty : 0) * tb_stopwatch_ns_per_tick();
    }
    free(spent);
    return true;
}

/* ---- Google Benchmark -------------------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t len;
} text;

static bool append(void *context, const char *piece, size_t size)
{
    text *t = context;
    char *grown = realloc(t->bytes, t->len + size + 1);
    if (!grown)
        return false;
    t->bytes = grown;
    memcpy(grown + t->len, piece, size);
    t->len += size;
    grown[t->len] = 0;
    return true;
}

/* Takes the entries of the library's JSON over (and its context, the first time), and each repetition's figure from them. */
static bool collect(tb_cell *cell, const text *json, json_t *document)
{
    json_t *root = json_loads(json->bytes ? json->bytes : "", 0, NULL), *entry;
    json_t *benchmarks = json_object_get(document, "benchmarks");
    size_t i;
    if (root && json_object_size(json_object_get(document, "context")) == 0)
        json_object_update(json_object_get(document, "context"), json_object_get(root, "context"));
    json_array_foreach(json_object_get(root, "benchmarks"), i, entry) {
        const char *type = json_string_value(json_object_get(entry, "run_type"));
        if (type && strcmp(type, "iteration") == 0 && !json_object_get(entry, "error_occurred")) {
            double *grown = realloc(cell->ns, (cell->repetitions + 1) * sizeof *grown);
            if (!grown)
                break;
            cell->ns = grown;
            cell->ns[cell->repetitions++] = json_number_value(json_object_get(entry, "real_time"));
        }
        json_object_set_new(entry, "family_index", json_integer((json_int_t)cell->family));
        if (json_array_append(benchmarks, entry) != 0)
            break;
    }
    bool whole = root && i == json_array_size(json_object_get(root, "benchmarks"));
    json_decref(root);
    return whole;
}

static bool run_function(tb_cell *cell, tb_gbench_function *once, void *user, int repetitions, bool timed_by_hand, json_t *document,
                         tb_error_text *error)
{
    text json = {0};
    tb_gbench_totals totals = {0};
    tb_gbench_reporter *reporter = tb_gbench_reporter_json(append, &json, 0);
    tb_gbench_benchmark *g = reporter ? tb_gbench_register(cell->name, once, user) : NULL;
    bool done = g && tb_gbench_iterations(g, (int64_t)cell->operations) == TB_GBENCH_OK &&
                tb_gbench_repetitions(g, repetitions) == TB_GBENCH_OK &&
                (timed_by_hand ? tb_gbench_use_manual_time(g) : tb_gbench_use_real_time(g)) == TB_GBENCH_OK &&
                tb_gbench_run(&reporter, 1, "all", &totals) == TB_GBENCH_OK;
    if (!done)
        tb_error_set(error, "Google Benchmark: %s", tb_gbench_error_text());
    else if (!(done = collect(cell, &json, document)))
        tb_error_no_memory(error);
    tb_gbench_unregister_all();
    tb_gbench_reporter_free(reporter);
    free(json.bytes);
    return done;
}

bool tb_cell_run(tb_cell *cell, tb_gbench_function *once, void *user, int repetitions, json_t *document, tb_error_text *error)
{
    return run_function(cell, once, user, repetitions, false, document, error);
}

static bool run_gbench(bout *b, json_t *document, tb_error_text *error)
{
    b->cell->operations = operations_of(b->work);
    bool done = run_function(b->cell, repetition, b, b->how->repetitions, b->spent != NULL, document, error);
    if (done && *b->error.text)
        *error = b->error;
    return done && !*b->error.text;
}

/* ---- the cell ---------------------------------------------------------------------------------------------------- */

bool tb_cell_set_name(tb_cell *cell)
{
    const char *key = cell->contender->keyed ? "/key" : "";
    if (asprintf(&cell->name, "%s/%s/%s/%u%s", tb_workload_level(cell->workload), cell->workload->name, cell->contender->name,
                 cell->population, key) >= 0)
        return true;
    cell->name = NULL;
    return false;
}

/* The work, with the leave that a peer has from the rule of ours; a peer's own limits leave the cell out. */
static bool make_work(bout *b, tb_error_text *error)
{
    tb_cell *cell = b->cell;
    const tb_peer *peer = cell->contender->peer;
    uint32_t operations = b->how->operations;
    if (peer && peer->sets && cell->workload->fresh && operations / peer->sets > cell->population)
        operations = cell->population * peer->sets;
    b->work = tb_work_make(cell->workload, cell->contender->keyed, cell->population, operations, b->how->seed, error);
    if (!b->work)
        return false;
    b->sets = malloc(b->work->sets * sizeof *b->sets);
    if (b->work->script.cold)
        b->spent = malloc(b->work->script.count * sizeof *b->spent);
    if (!b->sets || (b->work->script.cold && !b->spent) || (peer && !tb_work_permit(b->work, peer->early, peer->late))) {
        tb_error_no_memory(error);
        return false;
    }
    cell->operations = operations_of(b->work);
    if (peer && tb_peer_refuses(peer, b->work, cell->reason, sizeof cell->reason))
        cell->state = TB_CELL_LEFT_OUT;
    return true;
}

bool tb_cell_measure(tb_cell *cell, const tb_measuring *how, json_t *document, tb_error_text *error)
{
    tb_steal before = tb_steal_read();
    int64_t begin = tb_stopwatch_ns();
    cell->bytes = cell->idle_calls = -1;
    for (int i = 0; i < 4; i++)
        cell->tail[i] = -1;
    if (cell->workload->loop == TB_LOOP_CALENDAR)
        return tb_calendar_measure(cell, how, document, error);
    bout b = {cell, how, cell->contender->loops, NULL, NULL, 0, {0}, 0, {{0}}, NULL};
    bool done = make_work(&b, error);
    if (done && cell->state == TB_CELL_MEASURED) {
        count_bytes(&b);
        if (cell->state == TB_CELL_MEASURED && rehearse(&b))
            done = run_gbench(&b, document, error);
        else if ((done = !*b.error.text) == false)
            *error = b.error;
        close_sets(&b);
    }
    if (done && cell->state == TB_CELL_MEASURED && how->tail_operations)
        done = measure_tails(&b, error);
    cell->steal = tb_steal_since(before);
    cell->seconds = seconds_since(begin);
    tb_work_free(b.work);
    free(b.sets);
    free(b.spent);
    return done;
}

void tb_cell_clear(tb_cell *cell)
{
    free(cell->name);
    free(cell->ns);
    cell->name = NULL;
    cell->ns = NULL;
}
