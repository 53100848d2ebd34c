/* Broken preconditions end the process, in every build: lanes out of range, and a name of the other kind. */
#include "sets.h"

static tb_timers *set; /* of the child process that is to end */
static const tb_timer_id some_id = {(UINT64_C(1) << 32)};
static tb_arm one_arm;

static void insert_in(void *lane) { tb_timers_insert_in(set, *(uint32_t *)lane, instant(5 * MS), 1); }
static void arm_key_in(void *lane) { tb_timers_arm_key_in(set, *(uint32_t *)lane, 1, instant(5 * MS)); }
static void slop_of(void *lane) { tb_timers_slop_of(set, *(uint32_t *)lane); }
static void change_slop(void *lane) { tb_timers_set_slop(set, *(uint32_t *)lane, length(10 * MS)); }

static void insert_many_in(void *lane)
{
    tb_arm arms[2] = {{.at = instant(5 * MS)}, {.at = instant(5 * MS), .lane = *(uint32_t *)lane}};
    tb_timer_id ids[2];
    tb_timers_insert_many(set, arms, 2, ids);
}

static void lanes(const kind *k)
{
    static uint32_t outside[] = {8, 9, 255, 256, UINT32_MAX}, last = 7;
    set = make_set(k, 0, (tb_timers_options){0});
    void (*arming)(void *) = k->keyed ? arm_key_in : insert_in;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        ok(aborts(arming, &outside[i]), "SLP-08 %s: arming in lane %" PRIu32 " is asserted", k->name, outside[i]);
        ok(aborts(change_slop, &outside[i]), "SLP-08 %s: set_slop of it is", k->name);
        ok(aborts(slop_of, &outside[i]), "SLP-08 %s: slop_of it is", k->name);
        if (!k->keyed)
            ok(aborts(insert_many_in, &outside[i]), "SLP-08 WHL-62 %s: insert_many with it among the lanes is",
               k->name);
    }
    ok(!aborts(arming, &last) && !aborts(change_slop, &last) && !aborts(slop_of, &last),
       "SLP-01 SLP-08 %s: lane 7 is a lane", k->name);
    tb_timers_destroy(set);
}

/* ---- by id on a keyed set, by key on another ----------------------------------------------------------------------
 */

static void insert(void *none) { (void)none, tb_timers_insert(set, instant(5 * MS), 1); }
static void insert_in_0(void *none) { (void)none, tb_timers_insert_in(set, 0, instant(5 * MS), 1); }
static void insert_precise(void *none) { (void)none, tb_timers_insert_precise(set, instant(5 * MS), 1); }
static void insert_past(void *none) { (void)none, tb_timers_insert(set, instant(-1), 1); }
static void cancel_id(void *none) { (void)none, tb_timers_cancel(set, some_id); }
static void cancel_none(void *none) { (void)none, tb_timers_cancel(set, TB_TIMER_NONE); }
static void cancel_ids(void *none) { (void)none, tb_timers_cancel_many(set, &some_id, 1); }
static void rearm_id(void *none) { (void)none, tb_timers_rearm(set, some_id, instant(9 * MS)); }
static void is_pending(void *none) { (void)none, tb_timers_is_pending(set, some_id); }
static void is_precise(void *none) { (void)none, tb_timers_is_precise(set, some_id); }

static void insert_repeating(void *none)
{
    (void)none;
    tb_timers_insert_repeating(set, instant(5 * MS), length(MS), TB_REPEAT_SKIP, 1);
}

static void insert_repeating_wrongly(void *none)
{
    (void)none;
    tb_timers_insert_repeating(set, instant(5 * MS), length(0), TB_REPEAT_SKIP, 1);
}

static void insert_many(void *none)
{
    (void)none;
    tb_timer_id id;
    tb_timers_insert_many(set, &one_arm, 1, &id);
}

static void arm_key(void *none) { (void)none, tb_timers_arm_key(set, 1, instant(5 * MS)); }
static void arm_key_in_0(void *none) { (void)none, tb_timers_arm_key_in(set, 0, 1, instant(5 * MS)); }
static void arm_far_key(void *none) { (void)none, tb_timers_arm_key(set, UINT32_MAX, instant(5 * MS)); }
static void cancel_key(void *none) { (void)none, tb_timers_cancel_key(set, 1); }
static void is_pending_key(void *none) { (void)none, tb_timers_is_pending_key(set, 1); }
static void is_precise_key(void *none) { (void)none, tb_timers_is_precise_key(set, 1); }

typedef struct wrong_call {
    void (*call)(void *);
    const char *name;
} wrong_call;

static const wrong_call by_id[] = {
    {insert, "insert"},
    {insert_in_0, "insert_in"},
    {insert_precise, "insert_precise"},
    {insert_past, "insert of a past one"},
    {insert_repeating, "insert_repeating"},
    {insert_repeating_wrongly, "insert_repeating with period 0"},
    {insert_many, "insert_many"},
    {cancel_id, "cancel"},
    {cancel_none, "cancel of none"},
    {cancel_ids, "cancel_many"},
    {rearm_id, "rearm"},
    {is_pending, "is_pending"},
    {is_precise, "is_precise"},
};

static const wrong_call by_key[] = {
    {arm_key, "arm_key"},       {arm_key_in_0, "arm_key_in"},       {arm_far_key, "arm_key past any capacity"},
    {cancel_key, "cancel_key"}, {is_pending_key, "is_pending_key"}, {is_precise_key, "is_precise_key"},
};

static void names_of_the_other_kind(const kind *k)
{
    const wrong_call *calls = k->keyed ? by_id : by_key, *right = k->keyed ? by_key : by_id;
    size_t n = k->keyed ? sizeof by_id / sizeof *by_id : sizeof by_key / sizeof *by_key;
    size_t others = k->keyed ? sizeof by_key / sizeof *by_key : sizeof by_id / sizeof *by_id;
    for (int armed = 0; armed < 2; armed++) {
        subject s = make(k, 0);
        if (armed)
            arm(&s, 5 * MS, 1);
        set = s.set;
        for (size_t i = 0; i < n; i++)
            ok(aborts(calls[i].call, NULL), "WHL-55 %s: %s is asserted, on %s set", k->name, calls[i].name,
               armed ? "a filled" : "an empty");
        int wrong = 0;
        for (size_t i = 0; i < others; i++)
            wrong += aborts(right[i].call, NULL);
        none_of(wrong, "WHL-55 %s: the calls of its own kind are not", k->name);
        drop(&s);
    }
}

int main(void)
{
    each_kind_at_all(lanes);
    each_kind_at_all(names_of_the_other_kind);
    return sets_done();
}
