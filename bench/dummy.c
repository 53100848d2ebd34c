/* dummy.c: a contender that does nothing. What an operation costs here is the harness's own cost: reading the script,
   counting, the loop. It is in no list, ranking or check: name it to measure it. */
#include "bench/loops.h"

static char nothing;

static void *open_dummy(const tb_contender *c, const tb_script *s)
{
    (void)c, (void)s;
    return &nothing;
}

static void close_dummy(void *set) { (void)set; }

/* The compiler must make the arguments, as it must for a real one. */
TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    __asm__ volatile("" : : "r"(set), "r"(timer), "r"(at));
    return true;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    __asm__ volatile("" : : "r"(set), "r"(timer), "r"(at), "r"(lane));
    return true;
}

TB_OP bool cancel(void *set, uint32_t timer)
{
    __asm__ volatile("" : : "r"(set), "r"(timer));
    return true;
}

TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane) { return arm_in(set, timer, at, lane); }

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    __asm__ volatile("" : "+r"(*sum) : "r"(set), "r"(now));
    return 0;
}

TB_OP bool next(void *set, int64_t *at)
{
    __asm__ volatile("" : "=r"(*at) : "r"(set));
    *at = INT64_MAX;
    return true;
}

TB_OP void touch(void *set, uint32_t timer) { __asm__ volatile("" : : "r"(set), "r"(timer)); }

static const tb_driver tb_dummy = {open_dummy, close_dummy, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS(tb_dummy)
