/* replay_plan.c: from the events of a trace to the lines of a replay. */
#include "bench/replay_plan.h"

#include "bench/int_map.h"

#include <timerbench/timers.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { tick = TB_TICK_NANOS, lanes = TB_REPLAY_LANES };

/* A number of a replay: until when its timer may be pending (it is after a call at time t when `until` > t), and where. */
typedef struct {
    int64_t until;
    uint8_t lane;
} number;

typedef struct {
    tb_replay_plan *plan;
    size_t capacity; /* of plan->lines */
    tb_int_map current; /* the trace's key -> number */
    number *numbers;
    size_t number_capacity;
    /* Numbers whose object got another one; they are used again, the oldest first, when their timer has fired. */
    uint32_t *left;
    size_t left_first, left_end, left_capacity;
} planner;

/* ---- lanes ----------------------------------------------------------------------------------------------------------- */

static bool sets_timer(const tb_trace_event *e)
{
    return e->op == TB_TRACE_ARM || e->op == TB_TRACE_REARM;
}

/* Whether slop a (ticks, seen by as many sets) comes before b. */
static bool more_frequent(const tb_int_map_slot *a, const tb_int_map_slot *b)
{
    return a->value > b->value || (a->value == b->value && a->key < b->key);
}

static bool choose_lanes(tb_replay_plan *plan, const tb_trace_event *events, size_t count)
{
    tb_int_map slops = {0};
    for (size_t i = 0; i < count; i++) {
        if (!sets_timer(&events[i]) || events[i].slop < tick)
            continue;
        int64_t *sets = tb_int_map_add(&slops, events[i].slop / tick);
        if (!sets) {
            tb_int_map_free(&slops);
            return false;
        }
        ++*sets;
    }
    for (int lane = 1; lane < lanes && slops.count > 0; lane++) {
        const tb_int_map_slot *best = NULL;
        for (size_t i = 0; i < slops.capacity; i++)
            if (slops.slots[i].key >= 0 && (!best || more_frequent(&slops.slots[i], best)))
                best = &slops.slots[i];
        plan->slop[lane] = best->key * tick;
        tb_int_map_remove(&slops, best->key);
    }
    tb_int_map_free(&slops);
    return true;
}

static uint8_t lane_of(tb_replay_plan *plan, const tb_trace_event *e)
{
    if (e->precise) {
        plan->marked++;
        return TB_LINE_PRECISE;
    }
    int64_t slop = e->slop / tick * tick;
    uint8_t best = 0;
    for (uint8_t lane = 1; lane < lanes; lane++)
        if (plan->slop[lane] > plan->slop[best] && plan->slop[lane] <= slop)
            best = lane;
    plan->less_slop += plan->slop[best] < slop;
    plan->lane_sets[best]++;
    return best;
}

/* ---- when a timer fires ---------------------------------------------------------------------------------------------- */

static bool nearer_than_a_tick(const tb_trace_event *e)
{
    return e->deadline < e->time || e->deadline - e->time < tick;
}

/* When a timeout armed by `e` in a lane fires; INT64_MAX: never, too. Times of a trace are not negative. */
static int64_t fires_at(const tb_replay_plan *plan, const tb_trace_event *e, uint8_t lane)
{
    if (nearer_than_a_tick(e))
        return e->deadline;
    int64_t slop = plan->slop[lane] < 2 * tick ? tick : plan->slop[lane];
    int64_t over = (e->deadline - plan->start) % slop;
    int64_t wait = over ? slop - over : 0;
    return e->deadline > INT64_MAX - wait ? INT64_MAX : e->deadline + wait;
}

/* Until when it may be pending, by id or by key: where marked precise, by key it is a plain one of lane 0. */
static int64_t pending_until(const tb_replay_plan *plan, const tb_trace_event *e, uint8_t lane)
{
    return fires_at(plan, e, lane == TB_LINE_PRECISE ? 0 : lane);
}

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

/* An array grown to hold one more. */
static void *grown(void *items, size_t *capacity, size_t item_size)
{
    size_t more = *capacity ? *capacity * 2 : 64;
    void *moved = realloc(items, more * item_size);
    if (moved)
        *capacity = more;
    return moved;
}

static bool new_number(planner *p, int64_t *out)
{
    if (p->plan->timers == p->number_capacity) {
        number *moved = grown(p->numbers, &p->number_capacity, sizeof *moved);
        if (!moved)
            return false;
        p->numbers = moved;
    }
    *out = p->plan->timers;
    p->numbers[p->plan->timers++] = (number){INT64_MIN, 0};
    return true;
}

/* Puts a number whose timer is still pending aside. */
static bool leave_number(planner *p, int64_t n)
{
    if (p->left_end == p->left_capacity) {
        uint32_t *moved = grown(p->left, &p->left_capacity, sizeof *moved);
        if (!moved)
            return false;
        p->left = moved;
    }
    p->left[p->left_end++] = (uint32_t)n;
    return true;
}

static bool another_number(planner *p, int64_t time, int64_t *out)
{
    if (p->left_first < p->left_end && p->numbers[p->left[p->left_first]].until <= time) {
        *out = p->left[p->left_first++];
        return true;
    }
    return new_number(p, out);
}

/* The number under which `e` arms its object, which is not pending in the trace. */
static bool number_to_arm(planner *p, const tb_trace_event *e, uint32_t *out)
{
    bool known = tb_int_map_find(&p->current, e->key) != NULL;
    int64_t *n = tb_int_map_add(&p->current, e->key);
    if (!n)
        return false;
    if (!known) {
        if (!new_number(p, n))
            return false;
    } else if (p->numbers[*n].until > e->time) {
        int64_t old = *n;
        if (!another_number(p, e->time, n) || !leave_number(p, old))
            return false;
        p->plan->renumbered++;
    }
    *out = (uint32_t)*n;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

static bool add_line(planner *p, const tb_trace_event *e, tb_line_op op, uint32_t timer, uint8_t lane)
{
    if (p->plan->count == p->capacity) {
        tb_line *moved = grown(p->plan->lines, &p->capacity, sizeof *moved);
        if (!moved)
            return false;
        p->plan->lines = moved;
    }
    int64_t deadline = op == TB_LINE_ARM || op == TB_LINE_REARM ? e->deadline : 0;
    p->plan->lines[p->plan->count++] = (tb_line){e->time, deadline, timer, (uint8_t)op, lane};
    return true;
}

static bool plan_set(planner *p, const tb_trace_event *e)
{
    tb_replay_plan *plan = p->plan;
    uint8_t lane = lane_of(plan, e);
    plan->sets++;
    plan->precise += e->precise || nearer_than_a_tick(e);
    const int64_t *known = tb_int_map_find(&p->current, e->key);
    uint32_t timer;
    bool done;
    if (e->op == TB_TRACE_ARM || !known) {
        done = number_to_arm(p, e, &timer) && add_line(p, e, TB_LINE_ARM, timer, lane);
    } else {
        timer = (uint32_t)*known;
        if (p->numbers[timer].lane == lane) {
            done = add_line(p, e, TB_LINE_REARM, timer, lane);
        } else {
            plan->renewed++;
            done = add_line(p, e, TB_LINE_CANCEL, timer, 0) && add_line(p, e, TB_LINE_ARM, timer, lane);
        }
    }
    if (done)
        p->numbers[timer] = (number){pending_until(plan, e, lane), lane};
    return done;
}

static bool plan_cancel(planner *p, const tb_trace_event *e)
{
    const int64_t *known = tb_int_map_find(&p->current, e->key);
    if (!known)
        return add_line(p, e, TB_LINE_TIME, 0, 0);
    p->numbers[*known].until = INT64_MIN;
    return add_line(p, e, TB_LINE_CANCEL, (uint32_t)*known, 0);
}

static bool plan_event(planner *p, const tb_trace_event *e)
{
    if (sets_timer(e))
        return plan_set(p, e);
    return e->op == TB_TRACE_CANCEL ? plan_cancel(p, e) : add_line(p, e, TB_LINE_TIME, 0, 0);
}

bool tb_replay_plan_make(tb_replay_plan *plan, const tb_trace_event *events, size_t count, int64_t start)
{
    *plan = (tb_replay_plan){.start = start};
    planner p = {.plan = plan};
    bool done = choose_lanes(plan, events, count);
    for (size_t i = 0; done && i < count; i++)
        done = plan_event(&p, &events[i]);
    tb_int_map_free(&p.current);
    free(p.numbers);
    free(p.left);
    if (!done)
        tb_replay_plan_free(plan);
    return done;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

bool tb_replay_plan_read(tb_replay_plan *plan, const char *path, size_t *max_pending, tb_error_text *error)
{
    *plan = (tb_replay_plan){0};
    tb_trace_reader *reader = tb_trace_open(path, error);
    if (!reader)
        return false;
    tb_trace_event *events = NULL, event;
    size_t count = 0, capacity = 0, most = 0;
    tb_trace_step step;
    bool memory = true;
    while (memory && (step = tb_trace_next(reader, &event)) == TB_TRACE_EVENT) {
        if (count == capacity) {
            tb_trace_event *moved = grown(events, &capacity, sizeof *moved);
            if (!moved) {
                memory = false;
                break;
            }
            events = moved;
        }
        events[count++] = event;
        most = tb_trace_pending(reader) > most ? tb_trace_pending(reader) : most;
    }
    bool done = memory && step == TB_TRACE_END;
    if (memory && !done)
        tb_error_set(error, "%s", tb_trace_error(reader));
    else if (!memory || !tb_replay_plan_make(plan, events, count, 0)) {
        tb_error_no_memory(error);
        done = false;
    }
    if (max_pending)
        *max_pending = most;
    free(events);
    tb_trace_close(reader);
    return done;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

void tb_replay_plan_print(const tb_replay_plan *plan, FILE *out, int indent)
{
    fprintf(out, "%*s%zu lines, %" PRIu32 " timers, %" PRIu64 " armed or rearmed, %.1f %% of them precise (by id)\n", indent, "",
            plan->count, plan->timers, plan->sets, percent(plan->precise, plan->sets));
    for (int lane = 1; lane < lanes && plan->slop[lane] > 0; lane++)
        fprintf(out, "%*slane %d: slop %" PRId64 " ms, %" PRIu64 " (%.1f %%)\n", indent, "", lane, plan->slop[lane] / tick,
                plan->lane_sets[lane], percent(plan->lane_sets[lane], plan->sets));
    if (plan->less_slop)
        fprintf(out, "%*s%" PRIu64 " with a slop that has no lane: in the next smaller one's\n", indent, "", plan->less_slop);
    if (plan->marked)
        fprintf(out, "%*s%" PRIu64 " marked precise: by key armed as plain ones\n", indent, "", plan->marked);
}

void tb_replay_plan_free(tb_replay_plan *plan)
{
    free(plan->lines);
    *plan = (tb_replay_plan){0};
}
