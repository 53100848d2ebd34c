/* Clocks, real and synthetic. NDEBUG is defined to show that the assertions of advance do not depend on it. */
#define NDEBUG
#include "tap.h"

#include <timerbench/time.h>

static tb_duration nanos(int64_t n) { return tb_duration_from_nanos(n); }

static void kinds(void)
{
    tb_clock real = tb_clock_real(), synth = tb_clock_synth();
    ok(synth.synthetic, "CLK-04 a synthetic clock says so");
    ok(!real.synthetic, "CLK-04 and a real one that it is none");

    tb_instant before = tb_instant_now(), now = tb_clock_now(&real), after = tb_instant_now();
    ok(tb_instant_le(before, now) && tb_instant_le(now, after), "CLK-01 a real clock reads Instant.now()");
    is(tb_clock_now(&synth).ns, 0, "CLK-02 a synthetic clock starts at instant 0");
}

static void advancing(void)
{
    tb_clock c = tb_clock_synth();
    tb_clock_advance(&c, tb_duration_from_millis(5));
    is(tb_clock_now(&c).ns, 5000000, "CLK-03 advanced by 5 ms");
    tb_clock_advance(&c, tb_duration_zero());
    is(tb_clock_now(&c).ns, 5000000, "CLK-03 by nothing");
    tb_clock_advance(&c, nanos(1));
    is(tb_clock_now(&c).ns, 5000001, "CLK-03 by 1 ns");
    tb_instant first = tb_clock_now(&c);
    tb_thread_sleep(tb_duration_from_millis(2));
    ok(tb_instant_eq(tb_clock_now(&c), first), "CLK-03 real time that passes does not move it");

    tb_clock_advance(&c, nanos(INT64_MAX));
    is(tb_clock_now(&c).ns, INT64_MAX, "CLK-03 INS-11 at the end of the range it stops: it does not go back");
}

static void frames(void)
{
    int wrong = 0;
    for (int run = 0; run < 10; run++) {
        tb_clock c = tb_clock_synth();
        tb_instant start = tb_clock_now(&c);
        for (int i = 0; i < 60; i++)
            tb_clock_advance(&c, tb_duration_from_millis(16));
        wrong += tb_duration_millis(tb_instant_since(tb_clock_now(&c), start)) != 960;
        tb_clock_advance(&c, tb_duration_from_seconds(1));
        wrong += tb_clock_now(&c).ns != 1960000000;
    }
    none_of(wrong, "CLK-07 60 frames of 16 ms are 960 ms, every run, and 1 s more ends at 1960000000 ns");
}

static void advance(void *arg)
{
    tb_clock_advance(arg, nanos(1));
}

static void advance_back(void *arg)
{
    tb_clock_advance(arg, nanos(-1));
}

static void broken_preconditions(void)
{
    tb_clock real = tb_clock_real(), synth = tb_clock_synth();
    ok(aborts(advance, &real), "CLK-05 advancing a real clock is an assertion");
    ok(aborts(advance_back, &synth), "CLK-06 advancing by a negative Duration is an assertion");
    ok(!aborts(advance, &synth), "CLK-05 CLK-06 advancing a synthetic clock by 1 ns is none");
}

int main(void)
{
    kinds();
    advancing();
    frames();
    broken_preconditions();
    return tap_done();
}
