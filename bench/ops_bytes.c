/* ops_bytes.c: any bytes as a program.

   The first byte says how the set is made, each operation begins with a byte that says what it is, and takes the bytes it
   needs from those that follow; where they have run out it reads zeroes. */
#include "bench/ops_bytes.h"

#include <timerbench/impl.h>

__extension__ typedef __int128 wide;

typedef struct {
    const uint8_t *at, *end;
    tb_ops *ops;
    int64_t now;       /* of the program so far, as far as it can be known without running it */
    int64_t last;      /* the deadline given last */
} source;

enum { most_operations = 400, keys = 16, tick = TB_TICK_NANOS };

static uint8_t byte(source *s) { return s->at < s->end ? *s->at++ : 0; }

static uint64_t bytes_of(source *s, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | byte(s);
    return value;
}

static int64_t clamp(wide n) { return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (int64_t)n; }

/* A tick at a power of two, or the one before or after. */
static wide power(source *s, int exponent) { return (((wide)1 << exponent) + byte(s) % 3 - 1) * tick; }

/* An instant near `from`: the first byte says in which unit and how far the step goes; mostly it is a small one, so that much
   happens before time is far off. */
static int64_t instant(source *s, int64_t from)
{
    uint8_t how = byte(s);
    wide step;
    if (how < 96) /* nanoseconds around a few ticks */
        step = how % 32 - 16 + how / 32 * (wide)tick;
    else if (how < 160)
        step = (how - 96) * (wide)tick;
    else if (how < 208) /* any number of microseconds below 65 ms */
        step = (wide)bytes_of(s, 2) * 1000;
    else if (how < 228)
        step = power(s, how - 208);
    else if (how < 232)
        step = power(s, 20 + byte(s) % 24);
    else if (how < 248) /* back */
        step = -(wide)bytes_of(s, 3);
    else if (how < 252) /* the ends of time */
        return how & 1 ? INT64_MAX - byte(s) * 1000 : INT64_MIN + byte(s) * 1000;
    else
        return (int64_t)bytes_of(s, 8);
    return clamp(from + step);
}

/* The last deadline again, every fourth time, else one near the present. */
static int64_t deadline(source *s)
{
    uint8_t how = byte(s);
    if (how % 4)
        s->last = instant(s, how & 4 ? s->last : s->now);
    return s->last;
}

static tb_operation arm(source *s, uint8_t what)
{
    tb_operation op = {.kind = TB_OPS_ARM, .key = byte(s) % keys, .at = deadline(s)};
    uint8_t how = what >> 4;
    if (how < 6 || (s->ops->keys && how >= 10))
        return op;
    if (how < 10) {
        op.has_lane = true;
        op.lane = byte(s) % TB_LANES;
    } else if (how < 13) {
        op.precise = true;
    } else {
        uint64_t period = bytes_of(s, 2);
        op.repeats = true;
        op.policy = (uint8_t)(how - 13);
        op.period = period & 1 ? (int64_t)(period >> 1) * 100000 : (int64_t)(period >> 1) * tick;
    }
    return op;
}

static tb_operation expired(source *s, uint8_t what)
{
    tb_operation op = {.kind = TB_OPS_EXPIRED, .at = instant(s, s->now)};
    op.has_max = what >> 6 == 3;
    op.max = op.has_max ? byte(s) % 8 : 0;
    if (op.at > s->now)
        s->now = op.at;
    return op;
}

static tb_operation operation(source *s)
{
    static const int64_t slops[] = {0, 1, 2, 3, 10, 64, 1000};
    uint8_t what = byte(s);
    switch (what & 7) {
    case 0:
    case 1:
    case 2:
        return arm(s, what);
    case 3:
        return (tb_operation){.kind = TB_OPS_REARM, .key = byte(s) % keys, .at = deadline(s)};
    case 4:
        return (tb_operation){.kind = TB_OPS_CANCEL, .key = byte(s) % keys};
    case 5:
    case 6:
        return expired(s, what);
    default:
        break;
    }
    tb_operation op = {.kind = TB_OPS_SLOP, .lane = what >> 3 & 7};
    uint8_t how = byte(s);
    op.at = how < 224 ? slops[how % 7] * tick + how : (int64_t)bytes_of(s, 8);
    return op;
}

/* A byte before some operations makes their allocations fail or joins them to the one before. */
static void join(source *s, tb_operation *op, uint32_t *batch)
{
    uint8_t how = byte(s);
    const tb_operation *before = s->ops->len ? &s->ops->items[s->ops->len - 1] : NULL;
    bool joins = before && before->kind == op->kind && (op->kind == TB_OPS_ARM || op->kind == TB_OPS_CANCEL) && !s->ops->keys;
    if (joins && how >= 192) {
        if (!before->batch)
            s->ops->items[s->ops->len - 1].batch = ++*batch;
        op->batch = before->batch;
    } else if (how < 24) {
        op->fail = 1 + how % 4;
        op->onward = how & 4;
    }
}

static void make(source *s)
{
    uint8_t how = byte(s);
    s->ops->keys = how & 1 ? keys - 1 : 0; /* one key is out of range */
    s->ops->limit = how & 2 ? 1 + (how >> 5) : 0;
    s->ops->fail_make = (how & 12) == 12 ? 1 + (how >> 7) : 0;
    s->ops->start = how & 16 ? instant(s, 0) : 0;
    s->now = s->last = s->ops->start;
}

bool tb_ops_from_bytes(tb_ops *ops, const uint8_t *bytes, size_t size)
{
    tb_ops_free(ops);
    source s = {.at = bytes, .end = bytes + size, .ops = ops};
    uint32_t batch = 0;
    make(&s);
    while (s.at < s.end && ops->len < most_operations) {
        tb_operation op = operation(&s);
        join(&s, &op, &batch);
        if (!tb_ops_add(ops, &op))
            return false;
    }
    return true;
}

int tb_check_ops_bytes(const uint8_t *bytes, size_t size, const tb_impl **impl, tb_difference *difference, tb_ops *shown)
{
    enum { few_due = 2000 };
    tb_ops ops = {0}, followed = {0};
    bool follows = size > 0 && (bytes[size - 1] & 7) == 7;
    int differs = 0;
    bool made = tb_ops_from_bytes(&ops, bytes, size);
    for (size_t i = 0; made && !differs && i < tb_impl_count(); i++) {
        *impl = tb_impl_at(i);
        if ((*impl)->structure->traits & TB_YARDSTICK)
            continue;
        tb_drive_options options = {.impl = *impl, .followed = follows ? &followed : NULL, .most_due = few_due};
        differs = tb_drive(&ops, &options, difference) == TB_DRIVE_DIFFERENT;
    }
    if (differs)
        tb_ops_copy(shown, follows ? &followed : &ops);
    tb_ops_free(&ops);
    tb_ops_free(&followed);
    return differs;
}
