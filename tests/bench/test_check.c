/* test_check.c: the engine of `timerbench check`: that the library's implementations are the same, that the streams meet what
   they are made for, and what the engine does at its own limits. What it finds is in test_faults.c. */
#include "bench/checker.h"

#include "tap.h"

#include "bench/counted_memory.h"
#include "bench/ops_bytes.h"
#include "bench/random.h"
#include "bench/shrink.h"

#include <timerbench/impl.h>

enum { most_impls = 64 };

static tb_checked items[most_impls];

/* A check of every implementation but the yardsticks. */
static tb_check check_of_all(uint64_t seed)
{
    tb_check check = {.items = items, .by_id = true, .by_key = true, .seed = seed};
    memset(items, 0, sizeof items);
    for (size_t i = 0; i < tb_impl_count() && check.count < most_impls; i++)
        if (!(tb_impl_at(i)->structure->traits & TB_YARDSTICK))
            items[check.count++].impl = tb_impl_at(i);
    return check;
}

static void report(const tb_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        if (check->items[i].differs)
            tb_check_write_reproducer(&check->items[i], NULL, stdout);
}

/* ---- the library ----------------------------------------------------------------------------------------------------- */

static void met(void *unused, const char *text, const uint64_t *count)
{
    enum { well_above_zero = 50 };
    (void)unused;
    bool none_yet = strstr(text, "relaxed structure") != NULL; /* the library has none */
    if (count && !none_yet && !ok(*count >= well_above_zero, "EQ-01 the streams meet: %s", text))
        diag("%" PRIu64 " times", *count);
}

static void the_library(void)
{
    static const char *const traces[] = {"bench/traces/i1-nginx-rbtree.trace.xz", "bench/traces/k2-linux-hrtimer-mixed.trace.xz"};
    tb_error_text error = {{0}};
    tb_check check = check_of_all(1);
    tb_check_end end = tb_check_streams(&check, 200000, traces, 2, &error);
    if (!ok(end == TB_CHECK_DONE && !tb_check_any_differs(&check),
            "EQ-01 EQ-02 EQ-03 WHL-24 WHL-25 WHL-26 WHL-35 WHL-43 %zu implementations give the same on 200000 operations each",
            check.count))
        report(&check);
    is(check.items[0].operations, 200000, "as many operations as asked for");
    tb_coverage_each(&check.coverage, met, NULL);
    tb_check_free(&check);
}

/* One operation, and a program of it, for each kind. */
static void kinds(void)
{
    tb_stream_program program = {0};
    for (size_t kind = 0; kind < tb_stream_kind_count(); kind++) {
        tb_check check = check_of_all(kind);
        uint64_t operations = 0;
        tb_check_end end = TB_CHECK_DONE;
        for (uint64_t i = 0; i < 6 && end == TB_CHECK_DONE; i++) {
            bool made = tb_stream_make(&program, kind, i, i % 2, kind, 3000);
            operations += program.ops.len;
            end = made ? tb_check_program(&check, &program.ops, "a program") : TB_CHECK_NO_MEMORY;
        }
        ok(end == TB_CHECK_DONE && !tb_check_any_differs(&check) && operations > 150, "EQ-01 programs of the kind %s: all same",
           tb_stream_kind_name(kind));
        tb_check_free(&check);
    }
    tb_ops_free(&program.ops);
}

static void any_bytes(void)
{
    tb_random random = tb_random_make(5, 0);
    int differ = 0;
    uint64_t operations = 0;
    for (int i = 0; i < 1500; i++) {
        uint8_t bytes[300];
        size_t size = tb_random_below(&random, sizeof bytes + 1);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)tb_random_next(&random);
        const tb_impl *impl;
        tb_difference difference;
        tb_ops ops = {0}, shown = {0};
        differ += tb_check_ops_bytes(bytes, size, &impl, &difference, &shown);
        differ += !tb_ops_from_bytes(&ops, bytes, size);
        operations += ops.len;
        tb_ops_free(&ops);
        tb_ops_free(&shown);
    }
    none_of(differ, "EQ-01 1500 random strings of bytes are programs on which all are the same");
    ok(operations > 30000, "they are long enough: %" PRIu64 " operations", operations);
}

/* ---- streams --------------------------------------------------------------------------------------------------------- */

static bool same_program(uint64_t seed, uint64_t other_seed)
{
    tb_stream_program a = {0}, b = {0};
    bool same = true;
    for (uint64_t i = 0; i < 20; i++) {
        bool made = tb_stream_make(&a, seed, i, i % 2, tb_stream_kind_count(), 100) &&
                    tb_stream_make(&b, other_seed, i, i % 2, tb_stream_kind_count(), 100);
        same = same && made && a.ops.len == b.ops.len && a.kind == b.kind && a.follow == b.follow;
        for (size_t k = 0; same && k < a.ops.len; k++)
            same = a.ops.items[k].at == b.ops.items[k].at && a.ops.items[k].key == b.ops.items[k].key;
    }
    tb_ops_free(&a.ops);
    tb_ops_free(&b.ops);
    return same;
}

/* ---- following ------------------------------------------------------------------------------------------------------- */

/* The calls that a follower of next_expiry makes for the nine timers of LONG. */
static size_t calls_for_long(const char *impl)
{
    static const int64_t after[] = {5, 600, 3600, 18000, 86400, 30 * 86400, 400 * 86400, 800 * 86400, INT64_C(3) * 365 * 86400};
    tb_ops ops = {.start = 123456000}, followed = {0};
    bool added = true;
    for (uint32_t k = 0; k < 9; k++) {
        tb_operation arm = {.kind = TB_OPS_ARM, .key = k, .at = ops.start + after[k] * 1000000000 + k * 100000 + 50000};
        added = added && tb_ops_add(&ops, &arm);
    }
    tb_operation last = {.kind = TB_OPS_EXPIRED, .at = ops.start + INT64_C(3000) * 86400 * 1000000000};
    added = added && tb_ops_add(&ops, &last);
    tb_difference difference = {0};
    tb_drive_options options = {.impl = tb_impl_find(impl), .followed = &followed};
    bool same = added && tb_drive(&ops, &options, &difference) == TB_DRIVE_SAME;
    if (!same)
        diag("%s", difference.text);
    size_t calls = same ? followed.len - 10 : 0; /* but for the arms and the last call */
    tb_ops_free(&ops);
    tb_ops_free(&followed);
    return calls;
}

static void following(void)
{
    is(calls_for_long("wheel_6x64"), 44, "WHL-25 LONG: a follower of the wheel makes 44 calls, within the bound");
    is(calls_for_long("heap4"), 9, "WHL-25 LONG: of a heap 9");
    is(calls_for_long("hashed_wheel_rounds"), 9, "EQ-04 LONG: a wheel without levels is driven by the exact instants");
}

/* ---- at its limits --------------------------------------------------------------------------------------------------- */

static const char flood[] = "# timerbench-ops 1\nmake 0\narm 1 0 repeat=1:burst\nexpired 1000000000000\n";
static const char trickle[] = "# timerbench-ops 1\nmake 0\narm 1 0 repeat=1:burst\nexpired 1000000000000 max=5\n";

static tb_check_end check_text(const char *text, tb_check *check, tb_ops *ops)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    tb_error_text error;
    bool read = in && tb_ops_read_stream(ops, in, "text", &error);
    if (in)
        fclose(in);
    return read ? tb_check_program(check, ops, "text") : TB_CHECK_NO_MEMORY;
}

static void limits(void)
{
    tb_check check = check_of_all(1);
    tb_ops ops;
    is(check_text(flood, &check, &ops), TB_CHECK_TOO_MANY, "a call that would deliver 10^12 timers is refused");
    is(check.items[0].difference.at, 1, "and named");
    tb_difference difference = {.kind = TB_DIFFERS_COUNTS};
    size_t before = ops.len;
    ok(!tb_shrink(&ops, items[0].impl, &difference) && ops.len == before, "a program without a difference is not shrunk");
    tb_ops_free(&ops);
    is(check_text(trickle, &check, &ops), TB_CHECK_DONE, "with a maximum it is none");
    ok(!tb_check_any_differs(&check), "EQ-01 WHL-58 and all do the same");
    tb_ops_free(&ops);
    tb_check_free(&check);
}

static void memory(void)
{
    tb_counted_memory m = {0};
    tb_allocator a = tb_counted_allocator(&m);
    tb_counted_memory_fail(&m, 2, false);
    char *p = a.resize(a.ctx, NULL, 0, 10);
    ok(p && (unsigned char)p[9] == 0xa5, "memory that is given is dirty");
    ok(!a.resize(a.ctx, p, 10, 20) && m.failed, "the second allocation fails");
    char *q = a.resize(a.ctx, p, 10, 20);
    ok(q && q != p, "the third does not, and the block moves");
    is(m.bytes, 20, "bytes in use");
    tb_counted_memory_fail(&m, 1, true);
    ok(!a.resize(a.ctx, q, 20, 30) && !a.resize(a.ctx, q, 20, 30), "onward: the first and all after it");
    ok(!a.resize(a.ctx, q, 20, 5), "also where a block would shrink, which may fail, too");
    tb_counted_memory_fail(&m, 0, false);
    q = a.resize(a.ctx, q, 20, 5);
    ok(q && m.bytes == 5, "a block that shrinks");
    ok(!m.wrong, "nothing was misused");
    a.resize(a.ctx, q, 20, 0);
    ok(m.wrong && m.blocks == 0 && m.bytes == 0, "a wrong old size is seen");
}

int main(void)
{
    the_library();
    kinds();
    any_bytes();
    ok(same_program(3, 3) && !same_program(3, 4), "a seed says what a stream is");
    following();
    limits();
    memory();
    return tap_done();
}
