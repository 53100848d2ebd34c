/* test_raw.c: a structure whose operations are called one by one (tb_raw_make) means the same as one compiled with core.h. */
#include "bench/checker.h"
#include "bench/plugin.h"

#include "tap.h"

static void same_raw(const tb_impl *compiled)
{
    const tb_impl raw = {TB_ABI, sizeof raw, compiled->structure, tb_raw_make};
    tb_checked item = {.impl = &raw};
    tb_check check = {.items = &item, .count = 1, .by_id = true, .by_key = true, .seed = 1};
    tb_error_text error;
    tb_check_end end = tb_check_streams(&check, 50000, NULL, 0, &error);
    if (!ok(end == TB_CHECK_DONE && !item.differs, "EQ-01 %s through its raw operations does the same", tb_impl_name(&raw)))
        tb_check_write_reproducer(&item, "by a test", stdout);
    ok(tb_impl_is_raw(&raw) && !tb_impl_is_raw(compiled), "%s: and is told from the compiled one", tb_impl_name(&raw));
    tb_check_free(&check);
}

/* As many bytes as the compiled one takes: slots have the columns that the structure asks for and no others. */
static void same_bytes(const tb_impl *compiled)
{
    const tb_impl raw = {TB_ABI, sizeof raw, compiled->structure, tb_raw_make};
    tb_timers *sets[2] = {tb_timers_make(compiled, tb_instant_from_nanos(0), NULL), tb_timers_make(&raw, tb_instant_from_nanos(0), NULL)};
    size_t bytes[2] = {0, 1};
    for (int i = 0; i < 2 && sets[i]; i++) {
        for (int64_t n = 1; n <= 1000; n++)
            tb_timers_insert(sets[i], tb_instant_from_nanos(n * 2000000), (uint64_t)n);
        bytes[i] = tb_timers_bytes(sets[i]);
    }
    ok(bytes[0] == bytes[1], "%s: takes the same memory", tb_impl_name(compiled));
    tb_timers_destroy(sets[0]);
    tb_timers_destroy(sets[1]);
}

int main(void)
{
    for (size_t i = 0; i < tb_impl_count(); i++) {
        if (tb_impl_at(i)->structure->traits & TB_YARDSTICK)
            continue;
        same_raw(tb_impl_at(i));
        same_bytes(tb_impl_at(i));
    }
    return tap_done();
}
