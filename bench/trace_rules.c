/* trace_rules.c: what holds from one event of a trace to the next. */
#include "bench/trace_rules.h"

#include <inttypes.h>

bool tb_trace_rules_follow(tb_trace_rules *rules, tb_trace_event *event, tb_error_text *what)
{
    if (event->time < rules->last_time) {
        tb_error_set(what, "time %" PRId64 " goes back: expected at least the line before's %" PRId64, event->time,
                     rules->last_time);
        return false;
    }
    int64_t *deadline = tb_int_map_find(&rules->pending, event->key);
    if (event->op == TB_TRACE_ARM) {
        if (deadline) {
            tb_error_set(what, "arm of key %" PRId32 ", which is pending: expected rearm, or a cancel or fired before",
                         event->key);
            return false;
        }
        deadline = tb_int_map_add(&rules->pending, event->key);
        if (!deadline) {
            tb_error_no_memory(what);
            return false;
        }
    } else if (!deadline) {
        tb_error_set(what, "%s of key %" PRId32 ", which is not pending: expected an arm before",
                     tb_trace_op_name(event->op), event->key);
        return false;
    }
    if (event->op == TB_TRACE_ARM || event->op == TB_TRACE_REARM) {
        *deadline = event->deadline;
    } else {
        event->deadline = *deadline;
        tb_int_map_remove(&rules->pending, event->key);
    }
    rules->last_time = event->time;
    return true;
}

void tb_trace_rules_free(tb_trace_rules *rules)
{
    tb_int_map_free(&rules->pending);
}
