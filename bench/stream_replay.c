/* stream_replay.c: recorded traces as programs. */
#include "bench/streams.h"

#include "bench/oracle.h"

#include <stdlib.h>

typedef struct {
    tb_ops *ops;
    tb_oracle *oracle;     /* knows what has fired by a line's time; its tokens are the plan's timers */
    tb_oracle_name *names; /* by timer */
    bool keyed;
} converter;

static bool add(converter *c, const tb_operation *op) { return tb_ops_add(c->ops, op); }

static bool add_slops(converter *c, const tb_replay_plan *plan)
{
    for (uint8_t lane = 0; lane < TB_REPLAY_LANES; lane++) {
        tb_operation op = {.kind = TB_OPS_SLOP, .lane = lane, .at = plan->slop[lane]};
        tb_oracle_set_slop(c->oracle, lane, op.at);
        if (op.at > 0 && !add(c, &op))
            return false;
    }
    return true;
}

static bool add_arm(converter *c, const tb_line *line)
{
    tb_operation op = {.kind = TB_OPS_ARM, .key = line->timer, .at = line->deadline};
    bool precise = line->lane == TB_LINE_PRECISE;
    op.precise = precise && !c->keyed;
    op.lane = precise ? 0 : line->lane;
    op.has_lane = op.lane > 0;
    tb_arm arm = {.at = {line->deadline}, .token = line->timer, .lane = op.lane};
    arm.kind = op.precise ? TB_ARM_PRECISE : TB_ARM_TIMEOUT;
    int error;
    return tb_oracle_insert(c->oracle, &arm, 1, &c->names[line->timer], &error) && add(c, &op);
}

/* "Moves it, or arms it when it has fired": which of the two is known here. */
static bool add_rearm(converter *c, const tb_line *line)
{
    if (!tb_oracle_rearm(c->oracle, c->names[line->timer], line->deadline))
        return add_arm(c, line);
    tb_operation op = {.kind = TB_OPS_REARM, .key = line->timer, .at = line->deadline};
    return add(c, &op);
}

static bool add_line(converter *c, const tb_line *line)
{
    tb_operation call = {.kind = TB_OPS_EXPIRED, .at = line->time};
    tb_oracle_expired(c->oracle, line->time, UINT64_MAX);
    if (!add(c, &call))
        return false;
    tb_operation cancel = {.kind = TB_OPS_CANCEL, .key = line->timer};
    switch ((tb_line_op)line->op) {
    case TB_LINE_ARM:
        return add_arm(c, line);
    case TB_LINE_REARM:
        return add_rearm(c, line);
    case TB_LINE_CANCEL:
        tb_oracle_cancel(c->oracle, c->names[line->timer]);
        return add(c, &cancel);
    case TB_LINE_TIME:
        break;
    }
    return true;
}

bool tb_stream_replay(tb_ops *ops, const tb_replay_plan *plan, bool keyed)
{
    tb_ops_free(ops);
    ops->start = plan->start;
    ops->keys = keyed ? plan->timers + (plan->timers == 0) : 0;
    converter c = {.ops = ops, .oracle = tb_oracle_make(plan->start, 0, 0), .keyed = keyed};
    c.names = calloc((size_t)plan->timers + 1, sizeof *c.names);
    bool done = c.oracle && c.names && add_slops(&c, plan);
    for (size_t i = 0; done && i < plan->count; i++)
        done = add_line(&c, &plan->lines[i]);
    tb_oracle_free(c.oracle);
    free(c.names);
    if (!done)
        tb_ops_free(ops);
    return done;
}
