/* ops.c: programs of timer operations in memory, and as text. */
#include "bench/ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool tb_ops_add(tb_ops *ops, const tb_operation *op)
{
    if (ops->len == ops->capacity) {
        size_t capacity = ops->capacity ? ops->capacity * 2 : 64;
        tb_operation *moved = realloc(ops->items, capacity * sizeof *moved);
        if (!moved)
            return false;
        ops->items = moved;
        ops->capacity = capacity;
    }
    ops->items[ops->len++] = *op;
    return true;
}

bool tb_ops_copy(tb_ops *to, const tb_ops *from)
{
    tb_operation *items = malloc((from->len + 1) * sizeof *items); /* not of size 0 */
    if (!items)
        return false;
    if (from->len > 0)
        memcpy(items, from->items, from->len * sizeof *items);
    free(to->items);
    *to = *from;
    to->items = items;
    to->capacity = from->len + 1;
    return true;
}

size_t tb_ops_call_length(const tb_ops *ops, size_t at)
{
    const tb_operation *first = &ops->items[at];
    size_t end = at + 1;
    while (first->batch && end < ops->len && ops->items[end].batch == first->batch && ops->items[end].kind == first->kind)
        end++;
    return end - at;
}

void tb_ops_free(tb_ops *ops)
{
    free(ops->items);
    *ops = (tb_ops){0};
}

/* ---- as text --------------------------------------------------------------------------------------------------------- */

const char *const tb_ops_policy_names[3] = {"burst", "skip", "delay"};

static void format_arm(const tb_operation *op, char *out)
{
    out += sprintf(out, "arm %" PRIu32 " %" PRId64, op->key, op->at);
    if (op->has_lane)
        out += sprintf(out, " lane=%d", op->lane);
    if (op->precise)
        out += sprintf(out, " precise");
    if (op->repeats)
        sprintf(out, " repeat=%" PRId64 ":%s", op->period, tb_ops_policy_names[op->policy]);
}

void tb_ops_format(const tb_operation *op, char out[TB_OPS_TEXT])
{
    switch ((tb_ops_kind)op->kind) {
    case TB_OPS_SLOP:
        sprintf(out, "slop %d %" PRId64, op->lane, op->at);
        break;
    case TB_OPS_ARM:
        format_arm(op, out);
        break;
    case TB_OPS_REARM:
        sprintf(out, "rearm %" PRIu32 " %" PRId64, op->key, op->at);
        break;
    case TB_OPS_CANCEL:
        sprintf(out, "cancel %" PRIu32, op->key);
        break;
    case TB_OPS_EXPIRED:
        out += sprintf(out, "expired %" PRId64, op->at);
        if (op->has_max)
            sprintf(out, " max=%" PRIu64, op->max);
        break;
    }
}

static void write_fail(uint32_t fail, bool onward, FILE *out)
{
    if (fail)
        fprintf(out, "fail %" PRIu32 "%s\n", fail, onward ? " onward" : "");
}

void tb_ops_write_head(const tb_ops *ops, FILE *out)
{
    write_fail(ops->fail_make, ops->onward_make, out);
    fprintf(out, "make %" PRId64, ops->start);
    if (ops->limit)
        fprintf(out, " limit=%" PRIu64, ops->limit);
    if (ops->keys)
        fprintf(out, " keys=%" PRIu32, ops->keys);
    fprintf(out, "\n");
}

void tb_ops_write_range(const tb_ops *ops, size_t from, size_t to, FILE *out)
{
    char text[TB_OPS_TEXT];
    size_t n;
    for (size_t at = from; at < to; at += n) {
        n = tb_ops_call_length(ops, at);
        write_fail(ops->items[at].fail, ops->items[at].onward, out);
        if (ops->items[at].batch)
            fprintf(out, "many %zu\n", n);
        for (size_t i = at; i < at + n; i++) {
            tb_ops_format(&ops->items[i], text);
            fprintf(out, "%s\n", text);
        }
    }
}

size_t tb_ops_line_count(const tb_ops *ops)
{
    size_t lines = 1 + (ops->fail_make != 0), n;
    for (size_t at = 0; at < ops->len; at += n) {
        n = tb_ops_call_length(ops, at);
        lines += n + (ops->items[at].fail != 0) + (ops->items[at].batch != 0);
    }
    return lines;
}
