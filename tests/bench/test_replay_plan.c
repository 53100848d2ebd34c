/* test_replay_plan.c: what a replay makes of a trace: lanes for slops, numbers that are never armed while pending, by id and by
   key alike. */
#include "bench/replay_plan.h"

#include "tap.h"

#include "bench/checker.h"
#include "bench/oracle.h"
#include "bench/random.h"

#include <timerbench/impl.h>

#define MS INT64_C(1000000)

static tb_trace_event event(int64_t time, tb_trace_op op, int32_t key, int64_t deadline, int64_t slop, bool precise)
{
    return (tb_trace_event){.time = time, .op = op, .key = key, .deadline = deadline, .slop = slop, .precise = precise};
}

/* The lines as text: "arm 0 in 1, cancel 0". */
static const char *lines_of(const tb_replay_plan *plan)
{
    static char text[4096];
    static const char *const ops[] = {"time", "arm", "rearm", "cancel"};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < plan->count && used < sizeof text - 64; i++) {
        const tb_line *line = &plan->lines[i];
        used += (size_t)sprintf(text + used, "%s%s", i ? ", " : "", ops[line->op]);
        if (line->op != TB_LINE_TIME)
            used += (size_t)sprintf(text + used, " %" PRIu32, line->timer);
        if ((line->op == TB_LINE_ARM || line->op == TB_LINE_REARM) && line->lane)
            used += (size_t)sprintf(text + used, " in %d", line->lane);
    }
    return text;
}

static void lanes(void)
{
    /* Slops of 1 to 9 ms: 9 ms once, 8 ms twice, and so on; and ones that are no whole tick. */
    tb_trace_event events[80];
    size_t count = 0;
    for (int slop = 1; slop <= 9; slop++)
        for (int k = 0; k < 10 - slop; k++, count++)
            events[count] = event(0, TB_TRACE_ARM, (int32_t)count, 50 * MS, slop * MS + (k % 2) * 999999, false);
    events[count] = event(0, TB_TRACE_ARM, (int32_t)count, 50 * MS, 999999, false);
    count++;
    tb_replay_plan plan;
    ok(tb_replay_plan_make(&plan, events, count, 0), "a plan of %zu arms with slops", count);
    int wrong = plan.slop[0] != 0;
    for (int lane = 1; lane < TB_REPLAY_LANES; lane++)
        wrong += plan.slop[lane] != lane * MS || plan.lane_sets[lane] != (lane < 7 ? 10u - (unsigned)lane : 3u + 2u + 1u);
    none_of(wrong, "the seven most frequent slops, in whole ticks, have the lanes 1 to 7; longer ones take the longest of them");
    is(plan.less_slop, 3, "three have less slop than the trace gave them");
    is(plan.lane_sets[0], 1, "less than a tick is none");
    tb_replay_plan_free(&plan);

    const tb_trace_event rare[] = {event(0, TB_TRACE_ARM, 1, 50 * MS, 5 * MS, false),
                                   event(0, TB_TRACE_REARM, 1, 60 * MS, 3 * MS, false)};
    ok(tb_replay_plan_make(&plan, rare, 2, 0) && plan.slop[1] == 3 * MS && plan.slop[2] == 5 * MS && plan.slop[3] == 0,
       "of equally frequent ones the smaller comes first");
    is_text(lines_of(&plan), "arm 0 in 2, cancel 0, arm 0 in 1", "a rearm that changes the lane is a cancel and an arm");
    tb_replay_plan_free(&plan);
}

static void numbers(void)
{
    /* Object 7 fires in the trace at 10.1 ms; here it does at 11 ms. It is armed again at 10.2 ms. */
    const tb_trace_event again[] = {
        event(0, TB_TRACE_ARM, 7, 10 * MS + 100000, 0, false),         event(10 * MS + 100000, TB_TRACE_FIRED, 7, 0, 0, false),
        event(10 * MS + 200000, TB_TRACE_ARM, 7, 30 * MS, 0, false),   event(12 * MS, TB_TRACE_REARM, 7, 40 * MS, 0, false),
        event(13 * MS, TB_TRACE_ARM, 3, 13 * MS + 100, 0, false),      event(14 * MS, TB_TRACE_FIRED, 3, 0, 0, false),
        event(14 * MS, TB_TRACE_ARM, 3, 20 * MS, 0, true),             event(14 * MS, TB_TRACE_CANCEL, 7, 0, 0, false),
        event(20 * MS + 1, TB_TRACE_FIRED, 3, 0, 0, false),            event(20 * MS + 1, TB_TRACE_ARM, 3, 25 * MS, 0, false),
    };
    tb_replay_plan plan;
    ok(tb_replay_plan_make(&plan, again, sizeof again / sizeof *again, 0), "a plan of objects that are armed again");
    is_text(lines_of(&plan), "arm 0, time, arm 1, rearm 1, arm 2, time, arm 2 in 8, cancel 1, time, arm 2",
            "what still waits for its tick keeps its number; what has fired gives it back");
    is(plan.renumbered, 1, "one arm got another number");
    is(plan.timers, 3, "three numbers");
    is(plan.marked, 1, "one was marked precise");
    is(plan.precise, 2, "two go to the precise set");
    tb_replay_plan_free(&plan);
}

/* A trace of objects that are armed again as soon as they fire, are cancelled and rearmed, with slops. */
static size_t random_trace(tb_trace_event *events, size_t most)
{
    enum { objects = 20 };
    int64_t deadline[objects] = {0}, now = 0;
    bool pending[objects] = {false};
    tb_random r = tb_random_make(9, 9);
    size_t n = 0;
    while (n + 2 < most) {
        int32_t key = (int32_t)tb_random_below(&r, objects);
        now += tb_random_below(&r, 700000);
        int64_t at = now + (int64_t)tb_random_below(&r, 20000000), slop = (int64_t)tb_random_below(&r, 4) * 3 * MS;
        bool precise = tb_random_below(&r, 5) == 0;
        if (!pending[key]) {
            events[n++] = event(now, TB_TRACE_ARM, key, at, slop, precise);
        } else if (deadline[key] <= now) {
            events[n++] = event(now, TB_TRACE_FIRED, key, 0, 0, false);
            events[n++] = event(now, TB_TRACE_ARM, key, at, slop, precise);
        } else if (tb_random_below(&r, 2)) {
            events[n++] = event(now, TB_TRACE_REARM, key, at, slop, precise);
        } else {
            events[n++] = event(now, TB_TRACE_CANCEL, key, 0, 0, false);
            pending[key] = false;
            continue;
        }
        pending[key] = true;
        deadline[key] = at;
    }
    return n;
}

/* How many lines arm a number that is pending, by the oracle's meaning. */
static int armed_while_pending(const tb_replay_plan *plan, bool keyed)
{
    tb_oracle *o = tb_oracle_make(plan->start, 0, keyed ? plan->timers : 0);
    tb_oracle_name *names = calloc(plan->timers, sizeof *names);
    int wrong = !o || !names, error;
    for (uint32_t lane = 0; !wrong && lane < TB_REPLAY_LANES; lane++)
        tb_oracle_set_slop(o, lane, plan->slop[lane]);
    for (size_t i = 0; o && names && i < plan->count; i++) {
        const tb_line *line = &plan->lines[i];
        tb_oracle_expired(o, line->time, UINT64_MAX);
        uint32_t timer = line->timer, lane = line->lane == TB_LINE_PRECISE ? 0 : line->lane;
        const tb_oracle_timer *t = keyed ? tb_oracle_find_key(o, timer) : tb_oracle_find(o, names[timer]);
        tb_oracle_name name = t ? t->name : 0;
        if (line->op == TB_LINE_CANCEL) {
            tb_oracle_cancel(o, name);
        } else if (line->op == TB_LINE_REARM && name) {
            tb_oracle_rearm(o, name, line->deadline);
        } else if (line->op != TB_LINE_TIME) {
            wrong += line->op == TB_LINE_ARM && name;
            tb_arm arm = {.at = {line->deadline}, .lane = lane};
            arm.kind = line->lane == TB_LINE_PRECISE ? TB_ARM_PRECISE : TB_ARM_TIMEOUT;
            if (keyed)
                tb_oracle_arm_key(o, timer, lane, line->deadline, &error);
            else
                tb_oracle_insert(o, &arm, 1, &names[timer], &error);
        }
    }
    tb_oracle_free(o);
    free(names);
    return wrong;
}

static void random_replay(void)
{
    static tb_trace_event events[20000];
    size_t n = random_trace(events, sizeof events / sizeof *events);
    tb_replay_plan plan;
    ok(tb_replay_plan_make(&plan, events, n, 0) && plan.renumbered > 500, "a random trace of %zu events", n);
    for (int keyed = 0; keyed <= 1; keyed++) {
        tb_checked items[2] = {{.impl = tb_impl_find("heap4")}, {.impl = tb_impl_find("wheel_6x64")}};
        tb_check check = {.items = items, .count = 2, .by_id = !keyed, .by_key = keyed};
        ok(tb_check_replay(&check, &plan, "random") == TB_CHECK_DONE && !tb_check_any_differs(&check),
           "EQ-01 its replay by %s is the same on a heap and a wheel", keyed ? "key" : "id");
        none_of(armed_while_pending(&plan, keyed), "no line arms what is pending, by %s", keyed ? "key" : "id");
        ok(keyed ? check.coverage.asked_precise == 0 : check.coverage.asked_precise > 1000, "precise timers, by %s",
           keyed ? "key" : "id");
        tb_check_free(&check);
    }
    tb_replay_plan_free(&plan);
}

static void recorded(void)
{
    tb_replay_plan plan;
    tb_error_text error = {{0}};
    size_t most = 0;
    ok(tb_replay_plan_read(&plan, "bench/traces/i1-nginx-rbtree.trace.xz", &most, &error), "a recorded trace");
    is(plan.count, 92246, "a line for each of its events");
    is(most, 693, "its busiest moment");
    ok(plan.timers >= most && plan.timers < 2 * most, "few more numbers than that: %" PRIu32, plan.timers);
    tb_replay_plan_free(&plan);
    ok(!tb_replay_plan_read(&plan, "nowhere.trace", &most, &error) && strstr(error.text, "nowhere.trace") && !plan.lines,
       "a trace that is not there");
}

int main(void)
{
    lanes();
    numbers();
    random_replay();
    recorded();
    return tap_done();
}
