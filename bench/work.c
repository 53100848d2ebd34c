#include "bench/work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* Of a timer that is armed, but whose tick lies past the end of time (CONFORMANCE WHL-39). No timer fires so early. */
#define NEVER (INT64_MIN + 1)

/* The instant a timer fires at, by the rule all implementations share (CONFORMANCE EQ-03), here in its plainest form, or
   NEVER. Distances are unsigned: they may be longer than INT64_MAX. */
static int64_t fire_instant(const tb_script *s, int64_t now, int64_t at, uint32_t lane)
{
    if (lane == TB_LINE_PRECISE || at < now || (uint64_t)at - (uint64_t)now < TB_TICK_NANOS)
        return at;
    uint64_t distance = (uint64_t)at - (uint64_t)s->start, last = ((uint64_t)INT64_MAX - (uint64_t)s->start) / TB_TICK_NANOS;
    uint64_t tick = distance / TB_TICK_NANOS + (distance % TB_TICK_NANOS != 0);
    uint64_t slop = (uint64_t)s->slop[lane] / TB_TICK_NANOS;
    if (slop > 1)
        tick = (tick + slop - 1) / slop * slop;
    return tick > last ? NEVER : (int64_t)((uint64_t)s->start + tick * TB_TICK_NANOS);
}

/* Notes that a timer is armed. A window that reaches past the end of time never closes. */
static void arm(tb_work *w, uint32_t timer, int64_t now, int64_t at, uint32_t lane)
{
    w->fires[timer] = fire_instant(&w->script, now, at, lane);
    if (w->may_fire) {
        w->may_fire[timer] = at < INT64_MIN + w->early ? INT64_MIN : at - w->early;
        w->fires[timer] = at > INT64_MAX - w->late ? NEVER : at + w->late;
    }
}

static bool is_armed(const tb_work *w, uint32_t timer) { return w->fires[timer] != TB_NOT_ARMED; }

/* Whether an armed timer has fired by now. */
static bool has_fired(const tb_work *w, uint32_t timer)
{
    return w->fires[timer] != NEVER && w->fires[timer] <= w->expected.now;
}

static void count_fired(tb_work *w, uint32_t timer)
{
    w->fires[timer] = TB_NOT_ARMED;
    w->expected.fired++;
    w->expected.sum += timer;
}

/* What has become of a timer when an operation comes to it: it is pending (true), or has fired, or was not armed; or it may be
   either, which is noted. */
static bool look(tb_work *w, uint32_t timer, bool cancels)
{
    int64_t now = w->expected.now;
    if (!is_armed(w, timer))
        return false;
    if (has_fired(w, timer)) {
        count_fired(w, timer);
        return false;
    }
    if (!w->may_fire || w->may_fire[timer] > now)
        return true;
    w->maybe++;
    w->maybe_cancelled += cancels;
    w->maybe_sum += timer;
    return false;
}

/* Everything that has fired by now. */
static void settle(tb_work *w)
{
    for (uint32_t t = 0; t < w->script.n; t++)
        if (is_armed(w, t) && has_fired(w, t))
            count_fired(w, t);
}

static void model_churn(tb_work *w)
{
    const tb_script *s = &w->script;
    tb_progress *e = &w->expected;
    bool cancels = w->workload->loop != TB_LOOP_REARM;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t timer = s->timer[i];
        if (look(w, timer, cancels))
            e->cancelled += cancels;
        arm(w, timer, e->now, e->now + (int64_t)s->delay[i] * s->unit, 0);
        e->answered += w->workload->loop == TB_LOOP_NEXT;
        if (--e->left == 0) {
            e->left = s->per_step;
            e->now += s->step;
        }
    }
    settle(w);
}

static void model_replay(tb_work *w)
{
    const tb_script *s = &w->script;
    tb_progress *e = &w->expected;
    for (uint32_t i = 0; i < s->count; i++) {
        const tb_line *line = &s->lines[i];
        e->now = line->time;
        if (line->op == TB_LINE_TIME)
            continue;
        bool cancels = line->op == TB_LINE_CANCEL, pending = look(w, line->timer, cancels);
        if (cancels) {
            e->cancelled += pending;
            w->fires[line->timer] = TB_NOT_ARMED;
        } else {
            uint32_t lane = w->keyed && line->lane == TB_LINE_PRECISE ? 0 : line->lane;
            arm(w, line->timer, e->now, line->deadline, lane);
        }
    }
    /* What the last line armed for its own time or before waits for a call that does not come. */
    const tb_line *last = &s->lines[s->count - 1];
    if (last->op != TB_LINE_TIME && last->op != TB_LINE_CANCEL && has_fired(w, last->timer))
        w->fires[last->timer] = TB_NOT_ARMED;
    settle(w);
}

static void model_fresh(tb_work *w)
{
    const tb_script *s = &w->script;
    w->expected = tb_progress_at(s);
    w->maybe = w->maybe_cancelled = w->maybe_sum = 0;
    for (uint32_t t = 0; t < s->n; t++) {
        w->fires[t] = TB_NOT_ARMED;
        if (s->fill && s->fill[t] != TB_NOT_ARMED)
            arm(w, t, s->start, s->fill[t], 0);
    }
    switch (w->workload->loop) {
    case TB_LOOP_EXPIRE:
        w->expected.now += (int64_t)s->count * s->step;
        settle(w);
        break;
    case TB_LOOP_CANCEL:
        w->expected.cancelled = (uint64_t)s->n * w->sets;
        break;
    case TB_LOOP_REPLAY:
        model_replay(w);
        break;
    default:
        break;
    }
}

void tb_work_drain(tb_work *w)
{
    w->script.count = 1;
    w->script.step = INT64_C(3600000000000);
    w->expected.now += w->script.step;
    settle(w);
}

/* Timers that are in their windows now: they may have fired. */
static void count_open(const tb_work *w, uint64_t *count, uint64_t *sum)
{
    *count = *sum = 0;
    for (uint32_t t = 0; w->may_fire && t < w->script.n; t++)
        if (is_armed(w, t) && !has_fired(w, t) && w->may_fire[t] <= w->expected.now) {
            ++*count;
            *sum += t;
        }
}

static bool within(uint64_t x, uint64_t low, uint64_t more) { return x >= low && x - low <= more; }

/* With windows, a timer that was touched in its own has fired or was cancelled: one of the two, and both are added up. */
const char *tb_work_verify(const tb_work *w, const tb_progress *did, tb_error_text *error)
{
    const tb_progress *e = &w->expected;
    uint64_t open, open_sum;
    count_open(w, &open, &open_sum);
    const char *or_more = w->maybe + open ? " or a few more" : "";
    if (did->refused)
        tb_error_set(error, "%" PRIu64 " arms were refused", did->refused);
    else if (!within(did->fired, e->fired, w->maybe + open))
        tb_error_set(error, "%" PRIu64 " timers fired, expected %" PRIu64 "%s", did->fired, e->fired, or_more);
    else if (!within(did->sum, e->sum, w->maybe_sum + open_sum))
        tb_error_set(error, "the tokens fired add up to %" PRIu64 ", expected %" PRIu64 "%s", did->sum, e->sum, or_more);
    else if (!within(did->cancelled, e->cancelled, w->maybe_cancelled))
        tb_error_set(error, "%" PRIu64 " cancels found their timer, expected %" PRIu64 "%s", did->cancelled, e->cancelled, or_more);
    else if (did->fired + did->cancelled < e->fired + e->cancelled + w->maybe_cancelled)
        tb_error_set(error, "%" PRIu64 " timers neither fired nor were found by their cancel",
                     e->fired + e->cancelled + w->maybe_cancelled - did->fired - did->cancelled);
    else if (did->answered != e->answered)
        tb_error_set(error, "next answered %" PRIu64 " times, expected %" PRIu64, did->answered, e->answered);
    else
        return NULL;
    return error->text;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

tb_operations *tb_work_loop(const tb_work *w, const tb_loops *loops)
{
    tb_operations *const all[] = {loops->fill, loops->cancel, loops->churn, loops->churn_touched,
                            loops->rearm, loops->next, loops->expire, loops->replay};
    return all[w->workload->loop];
}

uint32_t tb_work_delay(tb_work *w, double lo, double hi)
{
    return (uint32_t)((lo + (hi - lo) * tb_random_unit(&w->random)) * 1e9 / (double)w->script.unit);
}

static uint64_t stream_of(const tb_workload *workload, uint32_t n)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = workload->name; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    return h ^ n;
}

tb_work *tb_work_make(const tb_workload *workload, bool keyed, uint32_t n, uint32_t count, uint64_t seed, tb_error_text *error)
{
    tb_work *w = calloc(1, sizeof *w);
    if (!w) {
        tb_error_no_memory(error);
        return NULL;
    }
    w->workload = workload;
    w->keyed = keyed;
    w->random = tb_random_make(seed, stream_of(workload, n));
    w->sets = 1;
    w->script.n = w->population = n;
    w->script.unit = 1000;
    w->script.per_step = 1000;
    w->script.step = TB_TICK_NANOS;
    if (!workload->trace) {
        w->fill = malloc(n * sizeof *w->fill);
        w->script.fill = w->fill;
    }
    if (workload->refresh || workload->loop == TB_LOOP_CANCEL) {
        uint32_t room = workload->refresh ? count : n;
        w->script.timer = w->timer = malloc(room * sizeof *w->timer);
        w->script.delay = w->delay = malloc(room * sizeof *w->delay);
    }
    bool memory = (workload->trace || w->fill) && (!w->timer == !w->delay);
    if (memory && workload->make(w, count) && (w->fires = malloc(w->script.n * sizeof *w->fires))) {
        model_fresh(w);
        return w;
    }
    *error = w->error;
    if (!*error->text)
        tb_error_no_memory(error);
    tb_work_free(w);
    return NULL;
}

void tb_work_free(tb_work *w)
{
    if (!w)
        return;
    free(w->fill);
    free(w->timer);
    free(w->delay);
    free(w->fires);
    free(w->may_fire);
    free(w->cold);
    free(w);
}

bool tb_work_permit(tb_work *w, int64_t early, int64_t late)
{
    w->may_fire = malloc((w->script.n ? w->script.n : 1) * sizeof *w->may_fire);
    w->early = early;
    w->late = late;
    if (w->may_fire)
        model_fresh(w);
    return w->may_fire != NULL;
}

void tb_work_limit(tb_work *w, uint32_t count)
{
    if (w->workload->refresh && count < w->script.count)
        w->script.count = count;
}

void tb_work_refresh(tb_work *w)
{
    if (!w->workload->refresh)
        return;
    w->workload->refresh(w);
    model_churn(w);
}
