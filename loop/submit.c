/* submit.c: giving an operation or a timer to a loop, and what is decided there and then. */
#include <errno.h>

#include "loop/portable.h"

static void enter_groups(tb_loop *loop, tb_record *r)
{
    r->in_groups = (tb_links){loop->last_grouped, NULL};
    if (loop->last_grouped)
        loop->last_grouped->in_groups.next = r;
    else
        loop->first_grouped = r;
    loop->last_grouped = r;
}

/* Whether the handle and the buffer allow the operation at all. */
static bool is_sound(tb_loop *loop, tb_record *r, tb_result *refused)
{
    const tb_op *op = &r->op;
    tb_loop_error error = TB_EOK;
    if (op->kind != TB_OP_CONNECT && op->kind != TB_OP_CALL && op->kind != TB_OP_EXTERNAL)
        r->object = tb_handle_object(loop, op->handle, &error);
    if (error == TB_EOK && (op->kind == TB_OP_RECV || op->kind == TB_OP_READ_AT) &&
        (!op->buffer || op->buffer->len == op->buffer->capacity))
        error = TB_ENOBUFS;
    if (error == TB_EOK && ((op->kind == TB_OP_SEND || op->kind == TB_OP_WRITE_AT) ? !op->buffer
                            : op->kind == TB_OP_SEND_BYTES                         ? !op->with.bytes
                            : op->kind == TB_OP_CONNECT                            ? !op->with.address
                            : op->kind == TB_OP_CALL                               ? !op->with.call.work
                                                                                   : false))
        error = TB_EINVAL;
    *refused = tb_result_failed(error, 0);
    return error == TB_EOK;
}

static bool start(tb_loop *loop, tb_record *r, tb_result *refused)
{
    if (!is_sound(loop, r, refused))
        return false;
    r->state = TB_STARTED;
    if (r->op.kind == TB_OP_EXTERNAL)
        return true;
    tb_buffer_lend(r->op.buffer);
    if (!loop->backend->submit(loop, r, refused)) {
        tb_buffer_regain(r->op.buffer);
        return false;
    }
    loop->outside++;
    if (r->object)
        tb_handle_enter(loop, r);
    return true;
}

/* A cancelled group is tested before a passed deadline, and that before the operation itself. */
static void begin(tb_loop *loop, tb_record *r, tb_instant at, uint32_t lane)
{
    bool timer = r->op.kind == TB_OP_TIMER;
    tb_result refused = {0};
    tb_outcome decided = TB_DONE;
    if (r->group && tb_group_is_cancelled(r->group)) {
        decided = TB_CANCELLED;
    } else if (timer) {
        r->state = TB_TIMER;
        tb_arm_record(loop, r, at, lane, r->submitted);
    } else if (tb_instant_le(at, r->submitted)) {
        decided = TB_TIMED_OUT;
    } else if (!start(loop, r, &refused)) {
        decided = TB_FAILED;
    } else if (tb_instant_lt(at, tb_instant_forever())) {
        tb_arm_record(loop, r, at, 0, r->submitted);
    }
    r->at = at;
    if (decided == TB_DONE) {
        if (r->group)
            enter_groups(loop, r);
        return;
    }
    loop->stats.at_submit++;
    r->result = refused;
    tb_record_decide(loop, r, decided);
}

static tb_record *refuse(tb_op op, tb_target to)
{
    int error = errno;
    tb_buffer_release(op.buffer);
    tb_target_refuse(to);
    errno = error;
    return NULL;
}

tb_record *tb_submit_record(tb_loop *loop, tb_op op, tb_target to, tb_group *group, tb_instant at, uint32_t lane)
{
    tb_assert(lane < TB_LANES);
    if (group && !tb_group_register(group, loop->mailbox))
        return refuse(op, to);
    tb_record *r = tb_record_take(loop);
    if (!r || !tb_target_accept(r, to)) {
        if (r)
            tb_record_give(loop, r);
        return refuse(op, to);
    }
    r->op = op;
    if (op.kind == TB_OP_SEND_BYTES && op.with.bytes)
        tb_bytes_hold(op.with.bytes);
    r->group = group ? tb_group_hold(group) : NULL;
    r->submitted = loop->now = loop->backend->now(loop);
    loop->stats.submitted++;
    /* An external operation begins when it has its completer. */
    if (op.kind != TB_OP_EXTERNAL)
        begin(loop, r, at, lane);
    return r;
}

void tb_submit_external(tb_loop *loop, tb_record *r, tb_instant at) { begin(loop, r, at, 0); }

static tb_op_id id_of(const tb_record *r) { return r ? tb_record_id(r) : tb_op_none(); }

tb_op_id tb_loop_submit(tb_loop *loop, tb_op op, tb_target to)
{
    return id_of(tb_submit_record(loop, op, to, NULL, tb_instant_forever(), 0));
}

tb_op_id tb_loop_submit_by(tb_loop *loop, tb_op op, tb_target to, tb_instant deadline)
{
    return id_of(tb_submit_record(loop, op, to, NULL, deadline, 0));
}

tb_op_id tb_loop_submit_in(tb_loop *loop, tb_op op, tb_target to, tb_group *group, tb_instant deadline)
{
    tb_instant shared = group ? tb_group_deadline(group) : tb_instant_forever();
    return id_of(tb_submit_record(loop, op, to, group, tb_instant_lt(shared, deadline) ? shared : deadline, 0));
}

static const tb_op timer_op = {.kind = TB_OP_TIMER};

tb_op_id tb_loop_after(tb_loop *loop, tb_instant at, tb_target to)
{
    return id_of(tb_submit_record(loop, timer_op, to, NULL, at, 0));
}

tb_op_id tb_loop_after_in(tb_loop *loop, tb_instant at, tb_target to, tb_group *group)
{
    return id_of(tb_submit_record(loop, timer_op, to, group, at, 0));
}

tb_op_id tb_loop_after_lane(tb_loop *loop, tb_instant at, tb_target to, uint32_t lane)
{
    return id_of(tb_submit_record(loop, timer_op, to, NULL, at, lane));
}
