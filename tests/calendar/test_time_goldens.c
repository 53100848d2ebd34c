/* The golden transcripts of durations (G1) and of clocks (G3), line by line from the calls that each line is about. */
#include "transcript.h"

#include <timerbench/time.h>

typedef struct options {
    tb_duration timeout;
    int retries;
} options;

static const options default_options = {TB_DURATION_ZERO, 3};

static void golden_duration(void)
{
    transcript t = {.length = 0};
    tb_duration d = tb_duration_from_millis(1999);
    say(&t, "whole seconds: %" PRId64, tb_duration_seconds(d));
    say(&t, "with the fraction: %.15g", tb_duration_seconds_f64(d));
    say(&t, "negated, whole seconds: %" PRId64, tb_duration_seconds(tb_duration_neg(d)));

    tb_duration a = tb_duration_from_seconds(90), b = tb_duration_from_minutes(1), left = tb_duration_sub(a, b);
    say(&t, "90 s - 1 min = %" PRId64 " s; times 4 = %" PRId64 " s; divided by 4 = %" PRId64 " ms",
        tb_duration_seconds(left), tb_duration_seconds(tb_duration_mul(left, 4)),
        tb_duration_millis(tb_duration_div(left, 4)));
    say(&t, "%s", tb_duration_gt(a, b) ? "90 s is longer than 1 min" : "90 s is not longer than 1 min");
    tb_duration back = tb_duration_sub(b, a);
    say(&t, "1 min - 90 s is %s", tb_duration_is_negative(back) ? "negative" : "not negative");
    say(&t, "%" PRId64 " s is its abs", tb_duration_seconds(tb_duration_abs(back)));

    tb_duration total = tb_duration_zero();
    total = tb_duration_add(total, tb_duration_from_millis(250));
    total = tb_duration_add(total, tb_duration_from_micros(750));
    say(&t, "%" PRId64 " us in all", tb_duration_micros(total));

    say(&t, "default timeout is %s", tb_duration_is_zero(default_options.timeout) ? "zero" : "not zero");
    options two_seconds = default_options;
    two_seconds.timeout = tb_duration_from_seconds(2);
    say(&t, "%" PRId64 " ms", tb_duration_millis(two_seconds.timeout));

    ok(same_as_file(&t, "tests/golden/G1.txt"), "DUR-05 DUR-06 DUR-07 DUR-09 DUR-11 DUR-13 DUR-14 DUR-15 DUR-16 "
       "DUR-17 DUR-18 golden G1, to the byte");
}

/* Code that times its work by whatever clock it is handed. */
static tb_duration run_frames(tb_clock *clock, int frames)
{
    tb_instant start = tb_clock_now(clock);
    for (int i = 0; i < frames; i++)
        if (clock->synthetic)
            tb_clock_advance(clock, tb_duration_from_millis(16));
    return tb_instant_since(tb_clock_now(clock), start);
}

static void golden_clocks(void)
{
    transcript t = {.length = 0};
    tb_clock synth = tb_clock_synth();
    say(&t, "%" PRId64 " ns at the start", tb_instant_nanos(tb_clock_now(&synth)));
    say(&t, "%" PRId64 " ms for 60 synthetic frames", tb_duration_millis(run_frames(&synth, 60)));
    tb_clock_advance(&synth, tb_duration_from_seconds(1));
    say(&t, "%" PRId64 " ns now", tb_instant_nanos(tb_clock_now(&synth)));

    tb_clock real = tb_clock_real();
    tb_instant start = tb_instant_now();
    tb_thread_sleep(tb_duration_from_millis(20));
    tb_duration took = tb_instant_elapsed(start);
    say(&t, "%s", tb_duration_ge(took, tb_duration_from_millis(20)) ? "slept at least 20 ms" : "too short");
    say(&t, "%s", tb_duration_lt(took, tb_duration_from_seconds(5)) ? "and under 5 s" : "too long");
    say(&t, "%s", tb_instant_ge(tb_clock_now(&real), start) ? "the real clock has not gone back" : "back?");
    bool after = tb_timestamp_unix_seconds(tb_timestamp_now()) > 1767225600;
    say(&t, "%s", after ? "it is after 2026-01-01" : "it is before 2026");

    ok(same_as_file(&t, "tests/golden/G3.txt"), "CLK-01 CLK-02 CLK-03 CLK-04 CLK-07 INS-03 TSP-04 golden G3, to the "
       "byte");
}

int main(void)
{
    golden_duration();
    golden_clocks();
    return tap_done();
}
