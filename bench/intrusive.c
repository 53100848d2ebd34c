/* intrusive.c: a yardstick: the wheel that one would write by hand into a program (intrusive_wheel.h), as a contender. What
   wheel_6x64 costs beyond it is the price of ids or keys, order, lanes, exact nanoseconds, and a call through a table. Its
   ticks are 2^20 ns, so that it divides nothing; so it fires up to 5 % earlier or later than a 1 ms wheel. It is in no list,
   ranking or check: name it to measure it. */
#include <stdlib.h>

#include "bench/intrusive_wheel.h"
#include "bench/loops.h"

typedef struct intrusive {
    intrusive_wheel wheel;
    intrusive_node nodes[]; /* due 0: not pending */
} intrusive;

enum { TICK_SHIFT = 20 };

static void *open_wheel(const tb_contender *c, const tb_script *s)
{
    (void)c;
    intrusive *w = aligned_alloc(64, (sizeof *w + s->n * sizeof *w->nodes + 63) & ~(size_t)63);
    if (!w)
        return NULL;
    intrusive_init(&w->wheel, (uint64_t)s->start >> TICK_SHIFT);
    for (uint32_t t = 0; t < s->n; t++) {
        w->nodes[t].due = 0;
        w->nodes[t].token = t;
    }
    return w;
}

static void close_wheel(void *set) { free(set); }

TB_OP bool cancel(void *set, uint32_t timer)
{
    intrusive *w = set;
    if (w->nodes[timer].due == 0)
        return false;
    intrusive_remove(&w->wheel, &w->nodes[timer]);
    w->nodes[timer].due = 0;
    return true;
}

TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    intrusive *w = set;
    uint64_t due = (uint64_t)at >> TICK_SHIFT;
    intrusive_insert(&w->wheel, &w->nodes[timer], due > w->wheel.now ? due : w->wheel.now + 1);
    return true;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    cancel(set, timer);
    return arm(set, timer, at);
}

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    intrusive *w = set;
    size_t n = 0;
    intrusive_node *after;
    for (intrusive_node *node = intrusive_advance(&w->wheel, (uint64_t)now >> TICK_SHIFT); node; node = after, n++) {
        after = (intrusive_node *)(void *)node->link.next;
        *sum += node->token;
        node->due = 0;
    }
    return n;
}

TB_OP bool next(void *set, int64_t *at)
{
    unsigned slot;
    uint64_t tick = 0;
    bool found = intrusive_next(&((intrusive *)set)->wheel, &slot, &tick);
    *at = (int64_t)(tick << TICK_SHIFT);
    return found;
}

TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((intrusive *)set)->nodes[timer]); }

static const tb_driver tb_intrusive = {open_wheel, close_wheel, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS(tb_intrusive)
