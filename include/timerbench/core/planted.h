/* core/planted.h: slow-downs on purpose. `make SLOWDOWN=cancel:5` or `expire:20` builds a library that does so much more work
   in each cancel, or for each timer delivered, about that many percent: what a comparison that claims to find slow-downs is
   tried on (docs/trust.md). In any other build these functions are empty and leave no trace in the object code. */
#ifndef TIMERBENCH_CORE_PLANTED_H
#define TIMERBENCH_CORE_PLANTED_H

#include <timerbench/impl.h>

#ifndef TB_SLOWDOWN_CANCEL
#define TB_SLOWDOWN_CANCEL 0 /* per cent */
#endif
#ifndef TB_SLOWDOWN_EXPIRE
#define TB_SLOWDOWN_EXPIRE 0
#endif

/* Steps that come to so many per cent of what wheel_6x64 costs at 65536 pending, by id: nominally, as it depends on the machine
   and on what else its pipeline has to do. What a build really costs is what docs/trust.md says to measure. */
#define TB_PLANTED_CANCEL_STEPS (TB_SLOWDOWN_CANCEL * 7u / 10)
#define TB_PLANTED_EXPIRE_STEPS (TB_SLOWDOWN_EXPIRE * 3u / 2)

/* Each step waits for the one before: about a cycle, and two instructions. */
TB_OP void tb_planted_work(size_t steps)
{
    for (size_t left = steps; left > 0; left--)
        __asm__ volatile("" : "+r"(left));
}

TB_OP void tb_planted_cancel(size_t cancels)
{
    if (TB_SLOWDOWN_CANCEL > 0)
        tb_planted_work(cancels * TB_PLANTED_CANCEL_STEPS);
}

TB_OP void tb_planted_expire(size_t delivered)
{
    if (TB_SLOWDOWN_EXPIRE > 0)
        tb_planted_work(delivered * TB_PLANTED_EXPIRE_STEPS);
}

#endif
