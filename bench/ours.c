/* ours.c: the implementations of the library as contenders, by id and by key, through the public API: one indirect call an
   operation, as any user of the library has it. By id, the id of each timer is kept in an array, which counts as memory of
   the timer: somebody has to keep it. */
#include <stdlib.h>

#include "bench/loops.h"

typedef struct ours {
    tb_timers *set;
    tb_timer_id *ids;
    tb_expiries out;
} ours;

static void *open_set(const tb_contender *c, const tb_script *s)
{
    ours *o = calloc(1, sizeof *o);
    tb_timers_options options = {0};
    options.keys = c->keyed ? s->n : 0;
    if (!o)
        return NULL;
    if (!c->keyed)
        o->ids = calloc(s->n, sizeof *o->ids);
    o->set = tb_timers_make(c->impl, (tb_instant){s->start}, &options);
    if (!o->set || (!c->keyed && !o->ids)) {
        tb_timers_destroy(o->set);
        free(o->ids);
        free(o);
        return NULL;
    }
    for (uint32_t lane = 0; lane < TB_LANES; lane++)
        tb_timers_set_slop(o->set, lane, (tb_duration){s->slop[lane]});
    return o;
}

static void close_set(void *set)
{
    ours *o = set;
    tb_timers_destroy(o->set);
    tb_expiries_free(&o->out);
    free(o->ids);
    free(o);
}

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    ours *o = set;
    size_t n = tb_timers_expired(o->set, (tb_instant){now}, &o->out);
    for (size_t i = 0; i < n; i++)
        *sum += o->out.items[i].token;
    tb_expiries_clear(&o->out);
    return n;
}

TB_OP bool next(void *set, int64_t *at)
{
    tb_instant next_expiry = {0};
    bool found = tb_timers_next_expiry(((ours *)set)->set, &next_expiry);
    *at = next_expiry.ns;
    return found;
}

/* What the caller keeps of a timer: its id; by key nothing. */
TB_OP void touch_id(void *set, uint32_t timer) { __builtin_prefetch(&((ours *)set)->ids[timer]); }
TB_OP void touch_key(void *set, uint32_t timer) { (void)set, (void)timer; }

/* ---- by id ------------------------------------------------------------------------------------------------------- */

TB_OP bool arm_id(void *set, uint32_t timer, int64_t at)
{
    ours *o = set;
    o->ids[timer] = tb_timers_insert(o->set, (tb_instant){at}, timer);
    return !tb_timer_is_none(o->ids[timer]);
}

TB_OP bool arm_id_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    ours *o = set;
    if (lane == TB_LINE_PRECISE)
        o->ids[timer] = tb_timers_insert_precise(o->set, (tb_instant){at}, timer);
    else
        o->ids[timer] = tb_timers_insert_in(o->set, lane, (tb_instant){at}, timer);
    return !tb_timer_is_none(o->ids[timer]);
}

TB_OP bool cancel_id(void *set, uint32_t timer) { return tb_timers_cancel(((ours *)set)->set, ((ours *)set)->ids[timer]); }

TB_OP bool rearm_id(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    return tb_timers_rearm(((ours *)set)->set, ((ours *)set)->ids[timer], (tb_instant){at}) || arm_id_in(set, timer, at, lane);
}

static const tb_driver tb_by_id = {open_set, close_set, arm_id, arm_id_in, cancel_id, rearm_id, advance, next, touch_id};
TB_DEFINE_LOOPS(tb_by_id)

/* ---- by key ------------------------------------------------------------------------------------------------------ */

TB_OP bool arm_key(void *set, uint32_t timer, int64_t at)
{
    return tb_timers_arm_key(((ours *)set)->set, timer, (tb_instant){at});
}

/* A keyed set has no precise timers but those nearer than a tick. */
TB_OP bool arm_key_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    return tb_timers_arm_key_in(((ours *)set)->set, lane == TB_LINE_PRECISE ? 0 : lane, timer, (tb_instant){at});
}

TB_OP bool cancel_key(void *set, uint32_t timer) { return tb_timers_cancel_key(((ours *)set)->set, timer); }

TB_OP bool rearm_key(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    return lane == 0 ? arm_key(set, timer, at) : arm_key_in(set, timer, at, lane);
}

static const tb_driver tb_by_key = {open_set, close_set, arm_key, arm_key_in, cancel_key, rearm_key, advance, next, touch_key};
TB_DEFINE_LOOPS(tb_by_key)
