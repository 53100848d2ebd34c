/* shrink.c: making a program small that shows a difference. */
#include "bench/shrink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    budget = 20000000,   /* operations driven */
    seconds = 15,        /* of processor time */
    few_due = 1000,      /* deliveries of one call */
    few_operations = 300 /* more are not said more simply: only fewer would help */
};

typedef struct {
    const tb_shrink_driver *driver;
    tb_ops *ops;       /* the smallest so far */
    tb_ops trial;      /* what is tried */
    tb_difference *difference;
    uint64_t most_due; /* most that a trial may deliver in one call */
    uint64_t spent;
    struct timespec begun;
} shrinker;

/* ---- how simple a program is ----------------------------------------------------------------------------------------- */

/* Of a number: the digits without trailing zeros count most. */
static uint64_t number_cost(int64_t n)
{
    uint64_t value = n < 0 ? 0 - (uint64_t)n : (uint64_t)n, digits = 0, significant = 0, first = 0;
    for (; value > 0; value /= 10, digits++) {
        significant += significant > 0 || value % 10 > 0;
        first = value;
    }
    return significant * 256 + digits * 12 + first + (n < 0 ? 8 : 0);
}

static uint64_t operation_cost(const tb_operation *op)
{
    uint64_t cost = 65536 + number_cost(op->at) + number_cost(op->key);
    cost += op->has_lane ? 512u + op->lane : 0;
    cost += op->precise ? 512 : 0;
    cost += op->repeats ? 512 + number_cost(op->period) + op->policy : 0;
    cost += op->has_max ? 512 + number_cost((int64_t)op->max) : 0;
    cost += op->fail ? 4096 + op->fail * 2 + op->onward : 0;
    return cost + (op->batch ? 2048 : 0);
}

static uint64_t program_cost(const tb_ops *ops)
{
    uint64_t cost = number_cost(ops->start) + number_cost((int64_t)ops->limit) + number_cost(ops->keys) +
                    (ops->limit ? 512 : 0) + (ops->fail_make ? 4096 + ops->fail_make * 2 + ops->onward_make : 0);
    for (size_t i = 0; i < ops->len; i++)
        cost += operation_cost(&ops->items[i]);
    return cost;
}

/* ---- trying ---------------------------------------------------------------------------------------------------------- */

/* Cuts off what follows the operation that shows the difference. */
static void cut_after(tb_ops *ops, size_t at)
{
    if (at < ops->len)
        ops->len = at + tb_ops_call_length(ops, at);
}

static bool is_spent(const shrinker *s)
{
    struct timespec now;
    clock_gettime(s->driver->clock, &now);
    double spent = (double)(now.tv_sec - s->begun.tv_sec) + (double)(now.tv_nsec - s->begun.tv_nsec) * 1e-9;
    return s->spent >= budget || spent >= s->driver->seconds;
}

static tb_drive_verdict drive(const shrinker *s, const tb_ops *ops, tb_difference *found)
{
    return s->driver->drive(s->driver->ctx, ops, s->most_due, found);
}

/* Whether s->trial shows the difference, too; if it is simpler as well it becomes the smallest. */
static bool keep_trial(shrinker *s)
{
    if (is_spent(s) || program_cost(&s->trial) >= program_cost(s->ops))
        return false;
    s->spent += s->trial.len + 1;
    tb_difference found = {0};
    if (drive(s, &s->trial, &found) != TB_DRIVE_DIFFERENT || found.kind != s->difference->kind)
        return false;
    *s->difference = found;
    cut_after(&s->trial, found.at);
    tb_ops old = *s->ops;
    *s->ops = s->trial;
    s->trial = old;
    return true;
}

/* s->trial becomes a copy of the smallest. Its memory suffices: no program grows here. */
static void copy_to_trial(shrinker *s)
{
    tb_operation *items = s->trial.items;
    size_t capacity = s->trial.capacity;
    if (s->ops->len > 0)
        memcpy(items, s->ops->items, s->ops->len * sizeof *items);
    s->trial = *s->ops;
    s->trial.items = items;
    s->trial.capacity = capacity;
}

/* ---- leaving out ----------------------------------------------------------------------------------------------------- */

static bool try_without(shrinker *s, size_t from, size_t count)
{
    copy_to_trial(s);
    tb_ops *t = &s->trial;
    memmove(t->items + from, t->items + from + count, (t->len - from - count) * sizeof *t->items);
    t->len -= count;
    return keep_trial(s);
}

static bool leave_out_chunks(shrinker *s)
{
    bool any = false;
    for (size_t chunk = s->ops->len / 2; chunk > 0; chunk /= 2) {
        /* From the end on: what the difference needs is mostly there, and the rest goes at once. */
        for (size_t end = s->ops->len; end >= chunk;) {
            bool gone = try_without(s, end - chunk, chunk);
            any |= gone;
            end = gone && s->ops->len < end - chunk ? s->ops->len : end - chunk;
        }
    }
    return any;
}

/* Two at a time, as an arm and its cancel, that are not neighbours. */
static bool leave_out_pairs(shrinker *s)
{
    enum { few = 40 };
    if (s->ops->len > few)
        return false;
    for (size_t i = 0; i < s->ops->len; i++) {
        for (size_t j = i + 1; j < s->ops->len; j++) {
            copy_to_trial(s);
            tb_ops *t = &s->trial;
            memmove(t->items + j, t->items + j + 1, (t->len - j - 1) * sizeof *t->items);
            memmove(t->items + i, t->items + i + 1, (t->len - i - 2) * sizeof *t->items);
            t->len -= 2;
            if (keep_trial(s))
                return true;
        }
    }
    return false;
}

/* ---- saying it more simply ------------------------------------------------------------------------------------------- */

static bool is_timed(const tb_operation *op)
{
    return op->kind == TB_OPS_ARM || op->kind == TB_OPS_REARM || op->kind == TB_OPS_EXPIRED;
}

static bool names_key(const tb_operation *op)
{
    return op->kind == TB_OPS_ARM || op->kind == TB_OPS_REARM || op->kind == TB_OPS_CANCEL;
}

static int64_t minus(int64_t a, int64_t b) /* wraps; a trial with nonsense in it shows nothing, or something */
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Runs the statement on a fresh trial; `kept` is whether it was kept. */
#define TRY(s, kept, statement) \
    do {                        \
        copy_to_trial(s);       \
        tb_ops *t = &(s)->trial; \
        statement;              \
        kept |= keep_trial(s);  \
    } while (0)

static bool simplify_set(shrinker *s)
{
    bool any = false;
    TRY(s, any, t->fail_make = 0);
    TRY(s, any, t->limit = 0);
    TRY(s, any, t->limit = t->limit > 1 ? t->limit - 1 : 1);
    uint32_t most = 0;
    for (size_t i = 0; i < s->ops->len; i++)
        most = names_key(&s->ops->items[i]) && s->ops->items[i].key > most ? s->ops->items[i].key : most;
    if (s->ops->keys && most < UINT32_MAX)
        TRY(s, any, t->keys = most < t->keys ? most + 1 : t->keys);
    /* All times relative to the start. */
    copy_to_trial(s);
    for (size_t i = 0; i < s->trial.len; i++)
        if (is_timed(&s->trial.items[i]))
            s->trial.items[i].at = minus(s->trial.items[i].at, s->trial.start);
    s->trial.start = 0;
    any |= keep_trial(s);
    TRY(s, any, t->start = 0);
    return any;
}

static bool simplify_options(shrinker *s, size_t i)
{
    bool any = false;
    TRY(s, any, t->items[i].fail = 0);
    TRY(s, any, t->items[i].fail = t->items[i].fail ? 1 : 0);
    TRY(s, any, t->items[i].onward = false);
    TRY(s, any, t->items[i].batch = 0);
    TRY(s, any, t->items[i].has_lane = false);
    TRY(s, any, t->items[i].lane = t->items[i].lane ? 1 : 0);
    TRY(s, any, t->items[i].precise = false);
    TRY(s, any, t->items[i].repeats = false);
    TRY(s, any, t->items[i].policy = 0);
    TRY(s, any, t->items[i].has_max = false);
    TRY(s, any, t->items[i].max /= 2);
    TRY(s, any, t->items[i].max -= t->items[i].max > 0);
    return any;
}

static bool dissolve_batch(shrinker *s, size_t i)
{
    uint32_t batch = s->ops->items[i].batch;
    if (!batch)
        return false;
    copy_to_trial(s);
    for (size_t k = 0; k < s->trial.len; k++)
        if (s->trial.items[k].batch == batch)
            s->trial.items[k].batch = 0;
    return keep_trial(s);
}

/* Keys in the order of their first use: 1, 2, 3. */
static bool renumber_keys(shrinker *s)
{
    copy_to_trial(s);
    uint32_t next = 1;
    for (size_t i = 0; i < s->trial.len; i++) {
        tb_operation *op = &s->trial.items[i];
        if (!names_key(op))
            continue;
        size_t before = 0;
        while (before < i && (!names_key(&s->ops->items[before]) || s->ops->items[before].key != s->ops->items[i].key))
            before++;
        op->key = before < i ? s->trial.items[before].key : next++;
    }
    return keep_trial(s);
}

/* ---- rounder numbers ------------------------------------------------------------------------------------------------- */

typedef enum { AN_INSTANT, A_SLOP, A_PERIOD } number_role;

static bool has_role(const tb_operation *op, number_role role)
{
    return role == AN_INSTANT ? is_timed(op) : role == A_SLOP ? op->kind == TB_OPS_SLOP : op->repeats;
}

static int64_t *number_of(tb_operation *op, number_role role) { return role == A_PERIOD ? &op->period : &op->at; }

/* One number, wherever it stands, becomes another. */
static bool try_number(shrinker *s, number_role role, int64_t old, int64_t new)
{
    if (number_cost(new) >= number_cost(old))
        return false;
    copy_to_trial(s);
    for (size_t i = 0; i < s->trial.len; i++)
        if (has_role(&s->trial.items[i], role) && *number_of(&s->trial.items[i], role) == old)
            *number_of(&s->trial.items[i], role) = new;
    if (role == AN_INSTANT && s->trial.start == old)
        s->trial.start = new;
    return keep_trial(s);
}

static bool round_number(shrinker *s, number_role role, int64_t n)
{
    static const int64_t simple[] = {0, 1, 1000000, 2000000, 5000000, 10000000};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (try_number(s, role, n, simple[i]))
            return true;
    for (int64_t unit = INT64_C(1000000000000000000); unit > 0; unit /= 10) {
        int64_t down = n / unit * unit;
        if (try_number(s, role, n, down) || (down < INT64_MAX - unit && try_number(s, role, n, down + unit)))
            return true;
    }
    return false;
}

/* Everything from an instant on happens sooner, or later, by a number that makes the step before it rounder. */
static bool try_shift(shrinker *s, int64_t from, int64_t by)
{
    copy_to_trial(s);
    for (size_t i = 0; i < s->trial.len; i++)
        if (is_timed(&s->trial.items[i]) && s->trial.items[i].at >= from)
            s->trial.items[i].at = minus(s->trial.items[i].at, by);
    return keep_trial(s);
}

static bool shorten_step(shrinker *s, int64_t before, int64_t at)
{
    int64_t step = minus(at, before);
    static const int64_t simple[] = {1, 1000000, 2000000, 10000000};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (step > simple[i] && try_shift(s, at, step - simple[i]))
            return true;
    for (int64_t unit = INT64_C(1000000000000000000); unit > 0; unit /= 10)
        if (step > unit && (try_shift(s, at, step - unit) || try_shift(s, at, step % unit)))
            return true;
    return step > 1 && try_shift(s, at, step / 2);
}

/* The largest instant below `at`, or the start. */
static int64_t instant_before(const tb_ops *ops, int64_t at)
{
    int64_t before = ops->start < at ? ops->start : INT64_MIN;
    for (size_t i = 0; i < ops->len; i++)
        if (is_timed(&ops->items[i]) && ops->items[i].at < at && ops->items[i].at > before)
            before = ops->items[i].at;
    return before;
}

static bool simplify_numbers(shrinker *s)
{
    bool any = false;
    for (size_t i = 0; i < s->ops->len; i++) {
        for (number_role role = AN_INSTANT; role <= A_PERIOD; role++)
            if (i < s->ops->len && has_role(&s->ops->items[i], role))
                any |= round_number(s, role, *number_of(&s->ops->items[i], role));
        if (i < s->ops->len && is_timed(&s->ops->items[i]))
            any |= shorten_step(s, instant_before(s->ops, s->ops->items[i].at), s->ops->items[i].at);
    }
    return any | round_number(s, AN_INSTANT, s->ops->start);
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

static bool simplify(shrinker *s)
{
    bool any = simplify_set(s);
    for (size_t i = 0; i < s->ops->len; i++) {
        any |= dissolve_batch(s, i);
        if (i < s->ops->len)
            any |= simplify_options(s, i);
    }
    any |= renumber_keys(s);
    return simplify_numbers(s) || any;
}

/* Where two timers have one key, which ids allow, the second gets its own if the difference stays: it reads better. What differs
   may then be which timers are delivered, where it was under which id. */
static void tell_apart(shrinker *s)
{
    tb_ops *ops = s->ops;
    uint32_t most = 0;
    for (size_t i = 0; i < ops->len; i++)
        most = names_key(&ops->items[i]) && ops->items[i].key > most ? ops->items[i].key : most;
    for (size_t i = 0; i < ops->len && !ops->keys; i++) {
        size_t before = 0;
        while (before < i && (ops->items[before].kind != TB_OPS_ARM || ops->items[before].key != ops->items[i].key))
            before++;
        if (ops->items[i].kind != TB_OPS_ARM || before == i || most == UINT32_MAX)
            continue;
        copy_to_trial(s);
        for (size_t k = i; k < ops->len; k++)
            if (names_key(&ops->items[k]) && ops->items[k].key == ops->items[i].key)
                s->trial.items[k].key = most + 1;
        tb_difference found = {0};
        if (drive(s, &s->trial, &found) != TB_DRIVE_DIFFERENT || found.at != s->difference->at ||
            (found.kind != s->difference->kind && found.kind != TB_DIFFERS_TIMERS))
            continue;
        *s->difference = found;
        memcpy(ops->items, s->trial.items, ops->len * sizeof *ops->items);
        most++;
    }
}

bool tb_shrink_by(tb_ops *ops, const tb_shrink_driver *driver, tb_difference *difference)
{
    shrinker s = {.driver = driver, .ops = ops, .difference = difference, .most_due = few_due};
    clock_gettime(driver->clock, &s.begun);
    tb_difference found = {0};
    tb_drive_verdict verdict = drive(&s, ops, &found);
    if (verdict == TB_DRIVE_TOO_MANY) { /* it takes many; trials with long lists cost */
        s.most_due = TB_DRIVE_MOST_DUE;
        verdict = drive(&s, ops, &found);
    }
    if (verdict != TB_DRIVE_DIFFERENT || !tb_ops_copy(&s.trial, ops))
        return false;
    *difference = found;
    cut_after(ops, found.at);
    while (leave_out_chunks(&s)) {
    }
    bool again = ops->len <= few_operations;
    while (again && !is_spent(&s)) {
        again = simplify(&s);
        again |= leave_out_chunks(&s);
        again |= leave_out_pairs(&s);
    }
    tell_apart(&s);
    tb_ops_free(&s.trial);
    return true;
}

static tb_drive_verdict drive_here(void *ctx, const tb_ops *ops, uint64_t most_due, tb_difference *difference)
{
    tb_drive_options options = {.impl = ctx, .most_due = most_due, .thorough = true};
    return tb_drive(ops, &options, difference);
}

bool tb_shrink(tb_ops *ops, const tb_impl *impl, tb_difference *difference)
{
    tb_shrink_driver driver = {drive_here, (void *)(uintptr_t)impl, seconds, CLOCK_PROCESS_CPUTIME_ID};
    return tb_shrink_by(ops, &driver, difference);
}
