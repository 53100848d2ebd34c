/* sim_lanes.c: jobs of the simulation: on pretended threads, with the bounds of the workers' lanes, in virtual time. */
#include "loop/sim.h"
#include "loop/workers.h"

static void begin(tb_loop *loop, tb_record *r)
{
    sim_world *w = sim_of(loop);
    sim_part_of(r)->runs = true;
    w->lanes[r->op.with.call.lane].running++;
    sim_schedule_answer(loop, r, w->opt.job);
}

bool sim_call(tb_loop *loop, tb_record *r, tb_result *refused)
{
    sim_world *w = sim_of(loop);
    int lane = r->op.with.call.lane;
    size_t most_running, most_queued;
    tb_workers *workers = tb_loop_workers(loop);
    if (!workers || !tb_workers_bounds(workers, lane, &most_running, &most_queued)) {
        *refused = tb_result_failed(workers ? TB_EINVAL : TB_ENOMEM, 0);
        return false;
    }
    sim_lane *l = &w->lanes[lane];
    if (l->running < most_running) {
        begin(loop, r);
        return true;
    }
    size_t queued = 0;
    for (tb_record *q = l->waiting.first; q; q = sim_part_of(q)->next)
        queued++;
    if (queued >= most_queued) {
        tb_workers_count(workers, lane, (tb_lane_stats){.busy = 1});
        *refused = tb_result_failed(TB_EBUSY, 0);
        return false;
    }
    sim_enter(&l->waiting, r);
    return true;
}

/* Its work is called when its time is over: it ran, as far as anyone in the simulation can see, until now. */
void sim_call_answer(tb_loop *loop, tb_record *r)
{
    sim_world *w = sim_of(loop);
    sim_lane *l = &w->lanes[r->op.with.call.lane];
    tb_buffer_regain(r->op.buffer);
    tb_job_result did = r->op.with.call.work(r->op.with.call.arg, r->op.buffer);
    tb_buffer_lend(r->op.buffer);
    tb_workers_count(loop->workers, r->op.with.call.lane, (tb_lane_stats){.ran = 1});
    sim_part_of(r)->runs = false;
    l->running--;
    sim_done(loop, r, did.code == TB_EOK ? tb_result_done(did.n) : tb_result_failed(did.code, did.os_error));
    tb_record *next = l->waiting.first;
    if (next) {
        sim_leave(next);
        begin(loop, next);
    }
}

/* A queued one is taken out; one that runs cannot be stopped. */
bool sim_call_cancel(tb_loop *loop, tb_record *r)
{
    if (!sim_part_of(r)->queue)
        return false;
    sim_leave(r);
    tb_workers_count(loop->workers, r->op.with.call.lane, (tb_lane_stats){.cancelled = 1});
    return true;
}
