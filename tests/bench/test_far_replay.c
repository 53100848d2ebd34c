/* Replays at the end of time, and replays with waits that a set can only go through tick by tick. */
#include "bench/cell.h"
#include "bench/workloads.h"
#include "tests/bench/scratch_folder.h"
#include "tests/tap.h"

static tb_error_text error;

/* A list of one workload: the replay of these lines. */
static bool make_trace(tb_workload_list *list, const char *lines)
{
    char *text;
    bool made = false;
    *list = (tb_workload_list){0};
    if (asprintf(&text, "# timerbench-trace 1\n# source: a test\n# clock: 1 ns\n%s", lines) >= 0) {
        put_text("far.trace", text);
        free(text);
        made = tb_workloads_add_trace(list, "far.trace", &error) && tb_workload_prepare(&list->items[0], &error);
    }
    if (!made)
        diag("%s", error.text);
    return made;
}

/* What the model expects of the lines: as text, "FIRED fired, CANCELLED cancelled". */
static const char *expected_of(const char *lines, bool keyed)
{
    static char text[64];
    tb_workload_list list;
    bool made = make_trace(&list, lines);
    tb_work *work = made ? tb_work_make(&list.items[0], keyed, 1, 1, 1, &error) : NULL;
    snprintf(text, sizeof text, "no work");
    if (work)
        snprintf(text, sizeof text, "%d fired, %d cancelled", (int)work->expected.fired, (int)work->expected.cancelled);
    tb_work_free(work);
    tb_workloads_free(&list);
    return text;
}

/* Measures a contender on the replay; its state is in `cell`, to be cleared. */
static bool measure(tb_cell *cell, const tb_workload *workload, const tb_contender *contender, double limit)
{
    const tb_measuring how = {.seed = 1, .repetitions = 2, .operations = 16, .limit = limit};
    json_t *document = json_pack("{s{} s[]}", "context", "benchmarks");
    *cell = (tb_cell){.workload = workload, .contender = contender, .population = 1};
    bool done = tb_cell_set_name(cell) && tb_cell_measure(cell, &how, document, &error);
    if (!done)
        diag("%s", error.text);
    json_decref(document);
    return done;
}

/* How many contenders are WRONG on the lines. */
static int wrong_on(const char *lines)
{
    tb_workload_list list;
    int wrong = make_trace(&list, lines) ? 0 : 1;
    for (size_t i = 0; list.count && i < tb_contender_count(); i++) {
        const tb_contender *c = tb_contender_at(i);
        tb_cell cell;
        if (c->hidden)
            continue;
        if (!measure(&cell, &list.items[0], c, 0.2) || cell.state == TB_CELL_WRONG) {
            wrong++;
            diag("%s: %s", cell.name, cell.reason);
        }
        tb_cell_clear(&cell);
    }
    tb_workloads_free(&list);
    return wrong;
}

/* The last tick that there is lies at 9223372036854000000. */
static void test_last_tick(void)
{
    static const char *const deadlines[] = {"9223372036853999999", "9223372036854000000", "9223372036854000001",
                                            "9223372036854775000", "9223372036854775806", "9223372036854775807"};
    for (size_t i = 0; i < sizeof deadlines / sizeof *deadlines; i++) {
        static const char *const slops[] = {"", " slop=2000000", " slop=9223372036854775807"};
        int wrong = 0;
        for (size_t j = 0; j < sizeof slops / sizeof *slops; j++) {
            char lines[200];
            snprintf(lines, sizeof lines, "5 arm 1 %s%s\n6 cancel 1\n7 arm 2 %s precise\n8 rearm 2 %s precise\n9 cancel 2\n",
                     deadlines[i], slops[j], deadlines[i], deadlines[i]);
            is_text(expected_of(lines, false), "0 fired, 2 cancelled", "WHL-39 %s%s: pending until it is cancelled", deadlines[i],
                    slops[j]);
            wrong += wrong_on(lines);
        }
        none_of(wrong, "WHL-39 EQ-01 %s: no contender is WRONG", deadlines[i]);
    }
}

/* What has fired by the last instants of all, and what never does. */
static void test_end_of_time(void)
{
    static const char lines[] = "0 arm 1 9223372036854000000\n0 arm 2 9223372036854000001\n0 arm 3 9223372036854775807\n"
                                "0 arm 4 9223372036854775807 precise\n";
    static const struct {
        const char *more, *by_id, *by_key;
    } ends[] = {
        {"9223372036853999999 cancel 4\n", "0 fired, 1 cancelled", "0 fired, 1 cancelled"},
        {"9223372036854000000 fired 1\n", "1 fired, 0 cancelled", "1 fired, 0 cancelled"},
        {"9223372036854775806 cancel 4\n", "1 fired, 1 cancelled", "1 fired, 1 cancelled"},
        {"9223372036854775807 fired 4\n", "2 fired, 0 cancelled", "1 fired, 0 cancelled"},
        {"9223372036854775807 cancel 3\n9223372036854775807 cancel 2\n", "2 fired, 2 cancelled", "1 fired, 2 cancelled"},
        {"9223372036854775806 arm 5 9223372036854775807\n9223372036854775807 fired 5\n", "3 fired, 0 cancelled",
         "2 fired, 0 cancelled"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[500];
        snprintf(text, sizeof text, "%s%s", lines, ends[i].more);
        is_text(expected_of(text, false), ends[i].by_id, "WHL-39 by id, at the end %.*s", (int)strcspn(ends[i].more, "\n"),
                ends[i].more);
        is_text(expected_of(text, true), ends[i].by_key, "WHL-39 the same by key");
        none_of(wrong_on(text), "WHL-39 EQ-01 no contender is WRONG there");
    }
}

static const tb_contender *contender_named(const char *name)
{
    for (size_t i = 0; i < tb_contender_count(); i++)
        if (strcmp(tb_contender_at(i)->name, name) == 0 && !tb_contender_at(i)->keyed)
            return tb_contender_at(i);
    return NULL;
}

/* Two lines, and between them two thousand million steps, or none. */
static void test_long_wait(void)
{
    tb_workload_list list;
    tb_cell cell;
    if (!ok(make_trace(&list, "5 arm 1 1000000000000000000\n999999999999999999 cancel 1\n"), "a trace with a wait of 32 years"))
        return;
    int64_t begin = tb_stopwatch_ns();
    ok(measure(&cell, &list.items[0], contender_named("hashed_wheel_rounds"), 0.3), "a wait that takes too long is no failure");
    double took = (double)(tb_stopwatch_ns() - begin) * 1e-9;
    is(cell.state, TB_CELL_LEFT_OUT, "the cell is left out");
    is_text(cell.reason, "a repetition takes more than 0.3 s", "with the reason");
    ok(took < 30, "and soon: after %.1f s", took);
    tb_cell_clear(&cell);
    ok(measure(&cell, &list.items[0], contender_named("heap4"), 30), "one that need not go through it");
    ok(cell.state == TB_CELL_MEASURED && cell.repetitions == 2, "is measured: %s", cell.reason);
    tb_cell_clear(&cell);
    tb_workloads_free(&list);
}

/* A wait of some thousand steps more than are taken at once, with a timer that fires in it. */
static void test_walk(void)
{
    tb_workload_list list;
    tb_work *work = NULL;
    const tb_contender *c = contender_named("hashed_wheel_rounds");
    static const char lines[] = "5 arm 1 9000000000000\n5 arm 2 4000000000000\n8000000000000 cancel 1\n8000000000000 cancel 2\n";
    if (make_trace(&list, lines))
        work = tb_work_make(&list.items[0], false, 1, 1, 1, &error);
    if (!ok(work != NULL, "a trace with a wait of two hours"))
        return;
    const tb_script *s = &work->script;
    tb_progress did[2];
    uint64_t parts = 0;
    for (int walks = 0; walks < 2; walks++) {
        void *set = c->loops->open(c, s);
        did[walks] = tb_progress_at(s);
        for (uint32_t i = 0; set && i < s->count; i++) {
            uint64_t calls = did[walks].calls - TB_WALK_CALLS;
            for (; walks && did[walks].calls - calls == TB_WALK_CALLS; parts++) {
                calls = did[walks].calls;
                c->loops->walk(set, s, &did[walks], i, i + 1, NULL);
            }
            c->loops->replay(set, s, &did[walks], i, i + 1, NULL);
        }
        if (set)
            c->loops->close(set);
    }
    diag("%d calls, walked in %d parts", (int)did[0].calls, (int)parts);
    ok(did[0].calls > TB_WALK_CALLS && parts > s->count, "it is longer than one part");
    ok(did[0].calls == did[1].calls && did[0].idle == did[1].idle && did[0].now == did[1].now,
       "a replay that is walked in parts makes the same calls, to the same end");
    ok(!tb_work_verify(work, &did[1], &error) && did[1].fired == 1 && did[1].cancelled == 1, "which is the right one");
    tb_work_free(work);
    tb_workloads_free(&list);
}

int main(void)
{
    enter_scratch_folder();
    test_last_tick();
    test_end_of_time();
    test_long_wait();
    test_walk();
    leave_scratch_folder();
    return tap_done();
}
