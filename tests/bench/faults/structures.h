/* structures.h: structures with planted faults. One structure, `hooked`, does what a real one of the library does, through that
   one's table, but for a hook that a fault puts in the way. Its own check is silent, so that a fault has to show in what
   the set says and delivers. */
#ifndef TESTS_BENCH_FAULTS_STRUCTURES_H
#define TESTS_BENCH_FAULTS_STRUCTURES_H

#include <timerbench/core.h>

enum { hooked_state = 1 << 14, hooked_slots = 1 << 14 };

/* What a fault changes; NULL and 0: nothing. */
typedef struct {
    const char *name;
    const char *base; /* the structure that does the work */
    uint32_t traits;
    uint64_t (*due)(const tb_view *v, uint64_t due);           /* the tick under which a slot is filed */
    uint64_t (*next)(const tb_view *v, uint64_t tick);         /* what next says */
    bool keeps_on_move;                                        /* move files nowhere else */
    bool loses_on_cascade;                                     /* the slot filed last is lost when others are re-placed */
    uint64_t (*upto)(const tb_view *v, uint64_t upto);         /* up to which tick is taken */
    uint64_t (*late_bound)(uint64_t delay_ticks);
} structure_fault;

static const structure_fault *hooked_fault;
static const tb_structure *hooked_base;
static bool hooked_lost[hooked_slots];
static uint32_t hooked_last; /* the slot filed last and still filed, or hooked_slots */

static bool hooked_open(void *q, const tb_view *v)
{
    memset(hooked_lost, 0, sizeof hooked_lost);
    hooked_last = hooked_slots;
    return hooked_base->open(q, v);
}

static void hooked_close(void *q, const tb_view *v) { hooked_base->close(q, v); }
static bool hooked_reserve(void *q, const tb_view *v, uint32_t n) { return hooked_base->reserve(q, v, n); }

static void hooked_insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    if (slot < hooked_slots) {
        hooked_lost[slot] = false;
        hooked_last = slot;
    }
    hooked_base->insert(q, v, slot, hooked_fault->due ? hooked_fault->due(v, due) : due);
}

static void hooked_remove(void *q, const tb_view *v, uint32_t slot)
{
    if (slot == hooked_last)
        hooked_last = hooked_slots;
    if (slot >= hooked_slots || !hooked_lost[slot])
        hooked_base->remove(q, v, slot);
}

static void hooked_move(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    if (hooked_fault->keeps_on_move)
        return;
    hooked_remove(q, v, slot);
    hooked_insert(q, v, slot, due);
}

static bool hooked_next(void *q, const tb_view *v, uint64_t *tick)
{
    if (!hooked_base->next(q, v, tick))
        return false;
    if (hooked_fault->next)
        *tick = hooked_fault->next(v, *tick);
    return true;
}

static uint64_t hooked_cascades(const void *q) { return hooked_base->cascades ? hooked_base->cascades(q) : 0; }

static void hooked_take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    uint64_t before = hooked_cascades(q);
    const uint32_t *end = sink->at;
    hooked_base->take(q, v, hooked_fault->upto ? hooked_fault->upto(v, upto) : upto, sink);
    for (const uint32_t *given = sink->at; given < end; given++)
        if (*given == hooked_last)
            hooked_last = hooked_slots;
    if (hooked_fault->loses_on_cascade && hooked_cascades(q) > before && hooked_last < hooked_slots) {
        hooked_base->remove(q, v, hooked_last);
        hooked_lost[hooked_last] = true;
        hooked_last = hooked_slots;
    }
}

static const char *hooked_check(const void *q, const tb_view *v)
{
    (void)q, (void)v;
    return NULL;
}

static tb_structure hooked = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .family = "list",
    .summary = "another structure with a fault",
    .publication = "none",
    .columns = TB_COL_LINK | TB_COL_WHERE | TB_COL_DUE,
    .state_size = hooked_state,
    .open = hooked_open,
    .close = hooked_close,
    .reserve = hooked_reserve,
    .insert = hooked_insert,
    .remove = hooked_remove,
    .move = hooked_move,
    .next = hooked_next,
    .take = hooked_take,
    .cascades = hooked_cascades,
    .check = hooked_check,
};

TB_DEFINE_IMPL(hooked)

/* From now on `hooked` has this fault. */
static const tb_impl *plant_in_structure(const structure_fault *fault)
{
    hooked_fault = fault;
    hooked_base = tb_impl_find(fault->base)->structure;
    tb_assert(hooked_base->state_size <= hooked_state);
    hooked.name = fault->name;
    hooked.traits = fault->traits;
    hooked.late_bound = fault->late_bound;
    return &tb_hooked;
}

/* ---- the faults ------------------------------------------------------------------------------------------------------ */

static uint64_t sooner(const tb_view *v, uint64_t due) { return due > v->elapsed + 1 ? due - 1 : due; }
static uint64_t later(const tb_view *v, uint64_t due)
{
    (void)v;
    return due + 1;
}
static uint64_t within_the_span(const tb_view *v, uint64_t due)
{
    const uint64_t span = UINT64_C(1) << 36;
    return due - v->elapsed > span ? v->elapsed + 1 + (due - v->elapsed) % span : due;
}
static uint64_t next_tick(const tb_view *v, uint64_t tick)
{
    (void)tick;
    return v->elapsed + 1;
}
/* What is overdue is tried at every tick. */
static uint64_t due_or_next(const tb_view *v, uint64_t tick) { return tick > v->elapsed ? tick : v->elapsed + 1; }
static uint64_t whole_eighths(const tb_view *v, uint64_t upto)
{
    uint64_t eighth = upto / 8 * 8;
    return eighth > v->elapsed ? eighth : v->elapsed;
}
static uint64_t eight_ticks(uint64_t delay) { return delay - delay + 8; }
static uint64_t four_ticks(uint64_t delay) { return delay - delay + 4; }

static const structure_fault structure_faults[] = {
    {.name = "early_by_a_tick", .base = "heap4", .due = sooner},
    {.name = "late_by_a_tick", .base = "heap4", .due = later, .next = sooner},
    {.name = "lost_on_cascade", .base = "wheel_6x64", .traits = TB_CASCADES, .loses_on_cascade = true},
    {.name = "next_too_late", .base = "heap4", .next = later},
    {.name = "wrong_past_the_span", .base = "heap4", .due = within_the_span},
    {.name = "rearm_keeps_the_deadline", .base = "heap4", .keeps_on_move = true},
    {.name = "wakes_for_nothing", .base = "wheel_6x64", .traits = TB_CASCADES, .next = next_tick},
    {.name = "not_exact_after_all", .base = "wheel_6x64", .traits = TB_NEXT_EXACT},
    {.name = "later_than_its_bound", .base = "unordered_list", .traits = TB_RELAXED, .next = next_tick,
     .upto = whole_eighths, .late_bound = four_ticks},
};

/* No fault: it is as late as it says. */
static const structure_fault relaxed_structure = {.name = "relaxed", .base = "unordered_list", .traits = TB_RELAXED,
                                                  .next = due_or_next, .upto = whole_eighths, .late_bound = eight_ticks};
/* No fault at all. */
static const structure_fault faultless_structure = {.name = "faultless", .base = "wheel_6x64", .traits = TB_CASCADES};

#endif
