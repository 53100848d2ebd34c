/* streams.c: random and adversarial programs. The oracle is led along while a program is made, so that operations can aim at
   what is pending, due or left over. */
#include "bench/streams.h"

#include "bench/oracle.h"
#include "bench/random.h"
#include "bench/stream_kinds.h"

#include <stdlib.h>

__extension__ typedef __int128 wide;

enum { tick = TB_TICK_NANOS, kind_count = sizeof stream_kinds / sizeof *stream_kinds };

size_t tb_stream_kind_count(void) { return kind_count; }

const char *tb_stream_kind_name(size_t kind) { return stream_kinds[kind].name; }

typedef struct {
    const stream_kind *kind;
    tb_random random;
    tb_ops *ops;
    tb_oracle *oracle; /* its tokens are the keys */
    tb_oracle_name *latest; /* by id: what each key stands for */
    size_t length;     /* operations to make */
    uint32_t batch;    /* number of the last one */
    bool keyed, follow;
} maker;

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

static uint32_t below(maker *m, uint32_t n) { return tb_random_below(&m->random, n); }
static bool chance(maker *m, unsigned of_256) { return below(m, 256) < of_256; }

static size_t weighted(maker *m, const uint16_t *weights, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    uint32_t at = below(m, sum);
    size_t i = 0;
    for (; at >= weights[i]; i++)
        at -= weights[i];
    return i;
}

static int64_t clamp(wide n)
{
    return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (int64_t)n;
}

/* Every magnitude up to 2^bits is as likely as another. */
static int64_t magnitude(maker *m, unsigned bits)
{
    unsigned chosen = below(m, bits) + 1;
    return (int64_t)(tb_random_next(&m->random) >> (64 - chosen));
}

/* -1, 0 or 1 */
static int64_t beside(maker *m) { return (int64_t)below(m, 3) - 1; }

/* ---- the ticks of the set -------------------------------------------------------------------------------------------- */

static int64_t now_of(const maker *m) { return tb_oracle_now(m->oracle); }

static wide ticks_now(const maker *m) { return ((wide)now_of(m) - tb_oracle_start(m->oracle)) / tick; }

static wide instant_of(const maker *m, wide ticks) { return tb_oracle_start(m->oracle) + ticks * tick; }

/* A tick where a level, slot or word of some structure begins, or the one before or after. */
static wide boundary(maker *m)
{
    enum { powers = 43 };
    wide power = (wide)1 << (below(m, 2) ? below(m, powers) : 6 * below(m, powers / 6 + 1));
    wide now = ticks_now(m);
    wide base = below(m, 2) ? (now / power + 1) * power : now + power;
    return base + beside(m);
}

/* A timer that is pending, or NULL. */
static const tb_oracle_timer *some_timer(maker *m)
{
    size_t count;
    const tb_oracle_timer *timers = tb_oracle_timers(m->oracle, &count);
    return count ? &timers[below(m, (uint32_t)count)] : NULL;
}

/* ---- deadlines ------------------------------------------------------------------------------------------------------- */

static int64_t far_deadline(maker *m)
{
    const wide span = ((wide)1 << 36) * tick;
    wide last_tick = ((wide)INT64_MAX - tb_oracle_start(m->oracle)) / tick;
    switch (below(m, 7)) {
    case 0:
        return INT64_MAX;
    case 1:
        return INT64_MAX - magnitude(m, 24);
    case 2:
        return clamp(instant_of(m, last_tick - (wide)below(m, 3)) + beside(m));
    case 3:
        return clamp(now_of(m) + span * (1 + (wide)below(m, 3)) + beside(m) * tick + beside(m));
    case 4:
        return clamp(now_of(m) + span + magnitude(m, 62));
    case 5:
        return INT64_MIN + magnitude(m, 24);
    default:
        return clamp((wide)now_of(m) + INT64_MAX - magnitude(m, 30));
    }
}

static int64_t deadline(maker *m)
{
    static const int32_t near[] = {0, 1, -1, 300000, 700000, tick - 1, tick, tick + 1, 1500000, 2 * tick};
    static const int64_t seconds[] = {1, 2, 4, 5, 10, 15, 30, 30, 60};
    wide now = now_of(m);
    const tb_oracle_timer *t;
    switch (weighted(m, m->kind->deadline, FOR_COUNT)) {
    case FOR_NEAR:
        return clamp(now + (below(m, 2) ? near[below(m, sizeof near / sizeof *near)] : (int32_t)below(m, 3 * tick)));
    case FOR_TICK:
        return clamp(instant_of(m, ticks_now(m) + below(m, 200)) + (below(m, 3) ? 0 : beside(m)));
    case FOR_RANGE:
        return clamp(now + magnitude(m, m->kind->range));
    case FOR_INTERVAL:
        return clamp(now + seconds[below(m, sizeof seconds / sizeof *seconds)] * 1000 * tick);
    case FOR_EQUAL:
        t = some_timer(m);
        if (!t)
            return clamp(now + 3 * tick);
        /* Or another deadline of the same tick. */
        return below(m, 4) ? t->deadline : clamp((wide)t->fires - below(m, 2) * (tick / 2) + beside(m));
    case FOR_BOUNDARY:
        return clamp(instant_of(m, boundary(m)) + (below(m, 2) ? 0 : beside(m)));
    case FOR_FAR:
        return far_deadline(m);
    default:
        return below(m, 8) ? clamp(now - magnitude(m, 40)) : clamp((wide)tb_oracle_start(m->oracle) - below(m, 2));
    }
}

/* ---- instants -------------------------------------------------------------------------------------------------------- */

static int64_t next_due(const maker *m, int64_t otherwise)
{
    int64_t precise, timeout;
    bool has_precise = tb_oracle_next_precise(m->oracle, &precise), has_timeout = tb_oracle_next_timeout(m->oracle, &timeout);
    if (has_precise && (!has_timeout || precise < timeout))
        return precise;
    return has_timeout && timeout < INT64_MAX ? timeout : otherwise;
}

static int64_t instant(maker *m)
{
    wide now = now_of(m);
    const tb_oracle_timer *t;
    bool late = m->ops->len * 8 > m->length * 7;
    switch (weighted(m, m->kind->instant, TO_COUNT)) {
    case TO_STILL:
        return now_of(m);
    case TO_TINY:
        return clamp(now + 1 + below(m, 1000));
    case TO_TICK:
        return clamp(instant_of(m, ticks_now(m) + 1) + beside(m));
    case TO_NEXT:
        return clamp((wide)next_due(m, clamp(now + tick)) - (below(m, 5) == 0));
    case TO_RANGE:
        return clamp(now + magnitude(m, m->kind->step));
    case TO_TIMER:
        t = some_timer(m);
        return t && !t->never && (t->fires < INT64_MAX - tick || late) ? clamp((wide)t->fires + (below(m, 2) ? 0 : beside(m)))
                                                                       : clamp(now + 5 * tick);
    case TO_BOUNDARY:
        return clamp(instant_of(m, boundary(m)) + (below(m, 2) ? 0 : beside(m)));
    case TO_BACK:
        return below(m, 16) ? clamp(now - magnitude(m, 50)) : INT64_MIN;
    default:
        /* Once time stands at its end, little happens any more. */
        return late ? INT64_MAX - (below(m, 2) ? 0 : magnitude(m, 22)) : clamp(now + magnitude(m, m->kind->step));
    }
}

/* ---- operations ------------------------------------------------------------------------------------------------------ */

static uint32_t some_key(maker *m)
{
    if (m->keyed && chance(m, 2))
        return below(m, 2) ? m->ops->keys : UINT32_MAX - below(m, 2);
    return below(m, m->kind->keys);
}

static uint32_t pending_key(maker *m)
{
    const tb_oracle_timer *t = chance(m, m->kind->stale) ? NULL : some_timer(m);
    return t ? (uint32_t)t->token : some_key(m);
}

/* Mostly one that is not pending: where ids name timers, an older one would have no name any more. */
static uint32_t key_to_arm(maker *m)
{
    uint32_t key = some_key(m);
    for (int tries = 0; tries < 3 && !m->keyed && below(m, 8) && tb_oracle_find(m->oracle, m->latest[key]); tries++)
        key = some_key(m);
    return key;
}

static int64_t period(maker *m)
{
    if (chance(m, 6))
        return below(m, 2) ? 0 : -magnitude(m, 20) + 1;
    switch (below(m, 4)) {
    case 0:
        return (1 + below(m, 30)) * (tick / 2);
    case 1:
        return 100000 + magnitude(m, m->kind->range);
    case 2:
        return tick + beside(m);
    default:
        return chance(m, 8) ? INT64_MAX - below(m, 2) : (1 + below(m, 40)) * tick;
    }
}

static tb_operation arm(maker *m)
{
    tb_operation op = {.kind = TB_OPS_ARM, .key = key_to_arm(m), .at = deadline(m)};
    if (!m->keyed && chance(m, m->kind->repeating)) {
        op.repeats = true;
        op.policy = (uint8_t)below(m, 3);
        op.period = period(m);
        return op;
    }
    op.has_lane = chance(m, m->kind->lanes);
    if (op.has_lane)
        op.lane = (uint8_t)(below(m, 4) ? 1 + below(m, 3) : below(m, TB_LANES));
    else
        op.precise = !m->keyed && chance(m, m->kind->precise);
    return op;
}

static tb_operation slop(maker *m)
{
    static const int64_t ticks[] = {0, 1, 2, 2, 3, 5, 10, 10, 64, 100, 1000};
    tb_operation op = {.kind = TB_OPS_SLOP, .lane = (uint8_t)(below(m, 6) ? 1 + below(m, 3) : below(m, TB_LANES))};
    op.at = ticks[below(m, sizeof ticks / sizeof *ticks)] * tick;
    if (chance(m, 80))
        op.at += below(m, tick);
    if (chance(m, 8))
        op.at = below(m, 2) ? INT64_MAX - below(m, 2) * magnitude(m, 40) : -magnitude(m, 63);
    if (chance(m, 8))
        op.at = magnitude(m, 62);
    return op;
}

/* The guide does what the program does, without failing allocations. */
static void lead_arms(maker *m, const tb_operation *ops, size_t n)
{
    enum { most = 64 };
    tb_arm arms[most];
    tb_oracle_name names[most];
    int error;
    for (size_t i = 0; i < n; i++) {
        arms[i] = (tb_arm){.at = {ops[i].at}, .token = ops[i].key, .lane = ops[i].has_lane ? ops[i].lane : 0};
        arms[i].kind = ops[i].precise ? TB_ARM_PRECISE : ops[i].repeats ? TB_ARM_REPEATING : TB_ARM_TIMEOUT;
        arms[i].period.ns = ops[i].period;
        arms[i].policy = (tb_repeat)ops[i].policy;
    }
    if (m->keyed)
        tb_oracle_arm_key(m->oracle, ops->key, ops->has_lane ? ops->lane : TB_LANES, ops->at, &error);
    else if (tb_oracle_insert(m->oracle, arms, n, names, &error))
        for (size_t i = 0; i < n; i++)
            m->latest[ops[i].key] = names[i];
}

static tb_oracle_name named(const maker *m, uint32_t key)
{
    if (!m->keyed)
        return m->latest[key];
    const tb_oracle_timer *t = tb_oracle_find_key(m->oracle, key);
    return t ? t->name : 0;
}

static void lead(maker *m, const tb_operation *op)
{
    switch ((tb_ops_kind)op->kind) {
    case TB_OPS_SLOP:
        tb_oracle_set_slop(m->oracle, op->lane, op->at);
        break;
    case TB_OPS_ARM:
        lead_arms(m, op, 1);
        break;
    case TB_OPS_REARM:
        tb_oracle_rearm(m->oracle, named(m, op->key), op->at);
        break;
    case TB_OPS_CANCEL:
        tb_oracle_cancel(m->oracle, named(m, op->key));
        break;
    case TB_OPS_EXPIRED:
        tb_oracle_expired(m->oracle, op->at, op->has_max ? op->max : UINT64_MAX);
        break;
    }
}

static bool add(maker *m, const tb_operation *op) { return tb_ops_add(m->ops, op); }

/* Every second time while the set has no memory yet, and asks for all of it. */
static void add_failure(maker *m, tb_operation *op)
{
    size_t pending;
    tb_oracle_timers(m->oracle, &pending);
    if (m->kind->fail && pending == 0 ? below(m, 2) == 0 : !chance(m, m->kind->fail))
        return;
    op->fail = 1 + below(m, 4);
    op->onward = below(m, 2);
}

/* Where a follower gets on its way to `until`, within so many calls. */
static int64_t follow_until(maker *m, int64_t until)
{
    int calls = 64;
    int64_t at;
    while ((at = next_due(m, until)) < until && at > now_of(m)) {
        if (calls-- == 0)
            return now_of(m);
        tb_oracle_expired(m->oracle, at, UINT64_MAX);
    }
    return until;
}

static bool add_expired(maker *m)
{
    enum { much = 200 };
    tb_operation op = {.kind = TB_OPS_EXPIRED};
    add_failure(m, &op);
    size_t pending;
    tb_oracle_timers(m->oracle, &pending);
    /* No step over thousands of periods of some timer. */
    int tries = 0;
    do
        op.at = tries < 8 ? instant(m) : now_of(m);
    while (tb_oracle_count_due(m->oracle, op.at) > much + 2 * pending && tries++ < 8);
    op.has_max = chance(m, m->kind->cut) || tries > 8;
    op.max = below(m, below(m, 3) ? 6 : 40);
    if (m->follow)
        op.at = follow_until(m, op.at);
    lead(m, &op);
    return add(m, &op);
}

static bool add_arms(maker *m)
{
    enum { most = 64 };
    tb_operation ops[most];
    size_t n = 1 + (below(m, 4) ? below(m, 6) : below(m, most - 1));
    m->batch++;
    for (size_t i = 0; i < n; i++) {
        ops[i] = arm(m);
        ops[i].batch = m->batch;
        if (i == 0)
            add_failure(m, &ops[i]);
        if (!add(m, &ops[i]))
            return false;
    }
    lead_arms(m, ops, n);
    return true;
}

static bool add_cancels(maker *m)
{
    uint32_t n = 1 + below(m, 6);
    m->batch++;
    for (uint32_t i = 0; i < n; i++) {
        tb_operation op = {.kind = TB_OPS_CANCEL, .key = pending_key(m), .batch = m->batch};
        if (below(m, 3) || i == 0)
            lead(m, &op);
        else /* the same again */
            op.key = m->ops->items[m->ops->len - 1].key;
        if (!add(m, &op))
            return false;
    }
    return true;
}

static bool add_one(maker *m)
{
    tb_operation op = {0};
    switch (weighted(m, m->kind->what, DO_COUNT)) {
    case DO_EXPIRED:
        return add_expired(m);
    case DO_ARM_MANY:
        if (!m->keyed)
            return add_arms(m);
        op = arm(m);
        break;
    case DO_CANCEL_MANY:
        if (!m->keyed)
            return add_cancels(m);
        op = (tb_operation){.kind = TB_OPS_CANCEL, .key = pending_key(m)};
        break;
    case DO_SLOP:
        op = slop(m);
        break;
    case DO_REARM:
        op = (tb_operation){.kind = TB_OPS_REARM, .key = pending_key(m), .at = deadline(m)};
        break;
    case DO_CANCEL:
        op = (tb_operation){.kind = TB_OPS_CANCEL, .key = pending_key(m)};
        break;
    default:
        op = arm(m);
        add_failure(m, &op);
        break;
    }
    lead(m, &op);
    return add(m, &op);
}

/* ---- programs -------------------------------------------------------------------------------------------------------- */

static size_t choose_kind(tb_random *r)
{
    /* Shares are of operations, so a program's chance is its share over its mean length. */
    uint32_t weights[kind_count], sum = 0;
    for (size_t i = 0; i < kind_count; i++) {
        weights[i] = stream_kinds[i].share * UINT32_C(1000000) / (stream_kinds[i].shortest + stream_kinds[i].longest);
        sum += weights[i];
    }
    uint32_t at = tb_random_below(r, sum);
    size_t kind = 0;
    for (; at >= weights[kind]; kind++)
        at -= weights[kind];
    return kind;
}

static void choose_set(maker *m)
{
    tb_ops *ops = m->ops;
    switch (weighted(m, m->kind->start, START_COUNT)) {
    case START_ZERO:
        ops->start = 0;
        break;
    case START_ANY:
        ops->start = (int64_t)tb_random_next(&m->random) / 4;
        break;
    case START_NEGATIVE:
        ops->start = below(m, 2) ? -5000 * (int64_t)tick : -magnitude(m, 62);
        break;
    case START_FIRST:
        ops->start = INT64_MIN + (below(m, 2) ? 0 : magnitude(m, 40));
        break;
    default:
        ops->start = INT64_MAX - magnitude(m, 44);
        break;
    }
    if (m->kind->limit && below(m, 4))
        ops->limit = 1 + below(m, m->kind->limit);
    if (m->keyed)
        ops->keys = m->kind->keys + (below(m, 8) ? 0 : below(m, 1000));
    if (m->kind->fail && below(m, 4) == 0)
        ops->fail_make = 1 + below(m, 2);
    ops->onward_make = ops->fail_make && below(m, 2);
}

static bool make_operations(maker *m)
{
    choose_set(m);
    m->oracle = tb_oracle_make(m->ops->start, m->ops->limit, m->ops->keys);
    m->latest = calloc(m->kind->keys, sizeof *m->latest);
    bool done = m->oracle && m->latest;
    while (done && m->ops->len < m->length)
        done = add_one(m) && !tb_oracle_out_of_memory(m->oracle);
    tb_oracle_free(m->oracle);
    free(m->latest);
    return done;
}

bool tb_stream_make(tb_stream_program *program, uint64_t seed, uint64_t index, bool keyed, size_t kind, size_t most)
{
    tb_ops_free(&program->ops);
    tb_random random = tb_random_make(seed, index * 2 + keyed);
    program->kind = kind < kind_count ? kind : choose_kind(&random);
    maker m = {.kind = &stream_kinds[program->kind], .random = random, .ops = &program->ops, .keyed = keyed};
    m.length = m.kind->shortest + below(&m, m.kind->longest - m.kind->shortest + 1);
    m.length = m.length < most ? m.length : most;
    program->follow = m.follow = chance(&m, m.kind->follow);
    if (make_operations(&m))
        return true;
    tb_ops_free(&program->ops);
    return false;
}
