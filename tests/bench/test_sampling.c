/* Gathering what many processes measured: bench/sampling.h. */
#include <math.h>
#include <string.h>

#include "bench/sampling.h"
#include "tap.h"

static tb_error_text error;

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)); }

/* A process's document: the cell "a" with three times around `a`, "b" around `b`; 0: not measured. */
static json_t *document_of(double a, double b)
{
    json_t *cells = json_array(), *benchmarks = json_array();
    const double times[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "b" : "a";
        double t = times[i];
        if (t == 0)
            continue;
        json_array_append_new(cells, json_pack("{ss ss s[[fff]] sf sf sf}", "name", name, "state", "measured", "samples", t + 1, t,
                                               t - 1, "steal", t / 1000, "seconds", 2.0, "bytes_per_timer", 10 * t));
        for (int r = 0; r < 3; r++)
            json_array_append_new(benchmarks, json_pack("{ss ss ss si si si sf}", "name", name, "run_name", name, "run_type",
                                                        "iteration", "repetitions", 3, "repetition_index", r, "family_index", 7,
                                                        "real_time", t + 1 - r));
        json_array_append_new(benchmarks, json_pack("{ss ss ss ss sf}", "name", "a_median", "run_name", name, "run_type",
                                                    "aggregate", "aggregate_name", "median", "real_time", t));
    }
    return json_pack("{s{ss} so s{si si si so}}", "context", "compiler", "gcc", "benchmarks", benchmarks, "timerbench", "schema", 2,
                     "seed", 9, "repetitions", 3, "cells", cells);
}

static bool add(tb_sampled *sampled, json_t *document)
{
    tb_sampled_process process = {.seed = 100 + sampled->process_count, .padding = 5, .seconds = 1.5, .steal = 0.25, .cells = 2};
    error.text[0] = '\0';
    bool done = tb_sampled_add(sampled, &process, document, "process 1", &error);
    json_decref(document);
    return done;
}

static void refuses(json_t *document, const char *text)
{
    tb_sampled sampled = {0};
    ok(!add(&sampled, document) && strstr(error.text, text), "refused: %s", text);
    if (!strstr(error.text, text))
        diag("said: %s", error.text);
    tb_sampled_free(&sampled);
}

static const json_t *at(const json_t *document, const char *part, size_t index)
{
    return json_array_get(json_object_get(strcmp(part, "benchmarks") == 0 ? document : json_object_get(document, "timerbench"),
                                          part), index);
}

static double number(const json_t *object, const char *member) { return json_number_value(json_object_get(object, member)); }

static void test_document(tb_sampled *s)
{
    json_t *d = tb_sampled_document(s, 1234, 60);
    const json_t *a = at(d, "cells", 0), *b = at(d, "cells", 1), *samples = json_object_get(b, "samples");
    const json_t *part = json_object_get(d, "timerbench"), *entries = json_object_get(d, "benchmarks");
    ok(number(part, "schema") == 2 && number(part, "seed") == 1234 && number(part, "repetitions") == 3 && number(part, "budget") == 60,
       "the document tells schema, the run's seed, repetitions and budget");
    ok(json_array_size(json_object_get(part, "processes")) == 6 && number(at(d, "processes", 5), "seed") == 105 &&
           number(at(d, "processes", 0), "environment_bytes") == 5 && near(number(at(d, "processes", 0), "steal"), 0.25),
       "and of each process its seed, environment and steal");
    ok(json_array_size(json_object_get(a, "samples")) == 6 && json_array_size(samples) == 6, "samples have a list a process");
    is(json_array_size(json_array_get(samples, 5)), 0, "an empty one where the process did not measure the cell");
    ok(near(json_number_value(json_array_get(json_array_get(samples, 4), 2)), 204 - 1), "and every repetition's figure");
    ok(near(number(a, "bytes_per_timer"), 1025), "other figures are the median over processes");
    ok(near(number(b, "steal"), 0.202), "steal is the mean");
    ok(json_object_get(a, "noise_floor") && json_is_boolean(json_object_get(a, "unsure")), "noise floor and certainty are in it");
    is(json_array_size(entries), 18 + 15, "Google Benchmark's entries of all processes are kept, its aggregates are not");
    int misplaced = 0;
    for (size_t i = 0; i < 33; i++) {
        const json_t *e = json_array_get(entries, i);
        bool first = i < 18;
        misplaced += strcmp(json_string_value(json_object_get(e, "run_name")), first ? "a" : "b") != 0;
        misplaced += number(e, "repetition_index") != (double)(first ? i : i - 18) || number(e, "repetitions") != (first ? 18 : 15);
        misplaced += number(e, "family_index") != (first ? 0 : 1) || number(e, "process") != (double)((first ? i : i - 18) / 3);
    }
    none_of(misplaced, "renumbered: repetitions through all processes, families, and which process");
    ok(json_object_get(json_object_get(d, "context"), "left_out") != NULL, "the context is the first process's");
    json_decref(d);
}

static void test_gathering(void)
{
    tb_sampled s = {0};
    bool added = true;
    for (int p = 0; p < 6; p++)
        added &= add(&s, document_of(100 + p, p < 5 ? 200 + p : 0));
    ok(added && s.process_count == 6 && s.count == 2, "six processes, two cells");
    ok(s.cells[0].count == 6 && near(s.cells[0].units[3], 103) && s.cells[1].count == 5, "a process's figure is its median");
    ok(near(s.cells[0].seconds, 2), "and how long it took is kept");
    ok(tb_sampled_assess(&s, 1), "assessed");
    /* Of 100 … 105 every split into threes was looked at by hand: the medians of the outermost are 101 and 104, which 4 of the
       20 splits have, then 101 and 103, or 102 and 104. */
    ok(near(s.cells[0].noise_floor, 104.0 / 101 - 1), "the noise floor: halves differ by up to 104 / 101");
    /* The 95 % interval of the median of 100 … 105 is that of draws: [100.5, 104.5] or wider by one step. */
    ok(s.cells[0].width >= 2.0 / 102.5 - 1e-9 && s.cells[0].width <= 2.5 / 102.5 + 1e-9, "the interval's reach: %.4f",
       s.cells[0].width);
    test_document(&s);
    tb_sampled_free(&s);
}

static void test_states(void)
{
    tb_sampled s = {0};
    json_t *left = document_of(100, 200), *wrong = document_of(100, 200);
    json_t *b = (json_t *)(uintptr_t)at(left, "cells", 1);
    json_object_set_new(b, "state", json_string("left out"));
    json_object_set_new(b, "reason", json_string("takes long"));
    b = (json_t *)(uintptr_t)at(wrong, "cells", 0);
    json_object_set_new(b, "state", json_string("wrong"));
    json_object_set_new(b, "reason", json_string("lost one"));
    ok(add(&s, document_of(100, 0)) && add(&s, left) && add(&s, wrong) && tb_sampled_assess(&s, 1), "one is left out, one is wrong");
    json_t *d = tb_sampled_document(&s, 1, 0);
    is_text(json_string_value(json_object_get(at(d, "cells", 0), "state")), "wrong", "wrong once is wrong");
    is_text(json_string_value(json_object_get(at(d, "cells", 0), "reason")), "lost one", "for the reason it gave");
    is_text(json_string_value(json_object_get(at(d, "cells", 1), "state")), "measured", "measured once is measured");
    ok(!json_object_get(at(d, "cells", 1), "noise_floor") && json_is_true(json_object_get(at(d, "cells", 1), "unsure")),
       "one process tells no noise floor, and is unsure");
    json_decref(d);
    tb_sampled_free(&s);
}

/* Which cells a further process takes. */
static void test_pick(void)
{
    bool picked[5];
    double estimate;
    double unit = 1;
    tb_sampled_cell cells[5] = {
        {.name = "narrow", .units = &unit, .count = 9, .width = 0.01, .seconds = 1},
        {.name = "wide", .units = &unit, .count = 9, .width = 0.3, .seconds = 5},
        {.name = "wider", .units = &unit, .count = 9, .width = 0.4, .seconds = 1},
        {.name = "few", .units = &unit, .count = 3, .width = INFINITY, .seconds = 2},
        {.name = "wrong", .units = &unit, .count = 9, .width = 0.9, .seconds = 1, .wrong = true},
    };
    tb_sampled s = {.cells = cells, .count = 5};
    is(tb_sampled_pick(&s, 100, picked, &estimate), 2, "of three that are unsure the wider half, rounded up");
    ok(picked[3] && picked[2] && !picked[1] && !picked[0] && !picked[4] && near(estimate, 3), "the widest first; never a wrong one");
    is(tb_sampled_pick(&s, 1.5, picked, &estimate), 1, "what does not fit the time is passed over");
    ok(picked[2] && !picked[3], "for one that does");
    is(tb_sampled_pick(&s, 0.5, picked, &estimate), 0, "nothing fits: none");
    cells[1].width = cells[2].width = cells[3].width = TB_WIDE;
    is(tb_sampled_pick(&s, 100, picked, &estimate), 0, "nothing is unsure: none");
}

static void test_seeds(void)
{
    int equal = 0;
    for (size_t i = 0; i < 1000; i++)
        equal += tb_sampling_seed(1, i) == tb_sampling_seed(1, i + 1) || tb_sampling_seed(1, i) >> 48 != 0;
    none_of(equal, "each process has a seed of its own, of 48 bits");
    ok(tb_sampling_seed(1, 5) == tb_sampling_seed(1, 5) && tb_sampling_seed(1, 5) != tb_sampling_seed(2, 5), "that the run's decides");
}

int main(void)
{
    test_gathering();
    test_states();
    test_pick();
    test_seeds();
    refuses(json_pack("{s[]}", "x"), "process 1: JSON, but no benchmark's");
    refuses(json_pack("{s[{ss sf}]}", "benchmarks", "name", "x", "real_time", 1.5), "without the part \"timerbench\"");
    json_t *several = document_of(1.5, 2.5);
    json_array_append_new(json_object_get(at(several, "cells", 0), "samples"), json_pack("[f]", 3.0));
    refuses(several, "several processes in its result");
    json_t *zero = document_of(1.5, 2.5);
    json_array_set_new(json_array_get(json_object_get(at(zero, "cells", 0), "samples"), 0), 0, json_integer(0));
    refuses(zero, "took 0 ns");
    return tap_done();
}
