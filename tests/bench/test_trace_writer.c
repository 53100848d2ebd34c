/* test_trace_writer.c: writing recorded traces, and reading them again. */
#include "tests/tap.h"

#include "bench/trace_file.h"
#include "tests/bench/failing_malloc.h"
#include "tests/bench/scratch_folder.h"

static tb_error_text error;

static const char *const notes[] = {"note: one", "two"};
static const tb_trace_header test_header = {"the source", "1 ns", notes, 2};

static const tb_trace_event story[] = {
    {0, 100, 0, 0, TB_TRACE_ARM, false},      {1, INT64_MAX, 7, INT32_MAX, TB_TRACE_ARM, true},
    {5, 200, 9, 0, TB_TRACE_REARM, false},    {5, 0, 0, INT32_MAX, TB_TRACE_CANCEL, false},
    {INT64_MAX, 0, 0, 0, TB_TRACE_FIRED, false},
};
enum { story_length = sizeof story / sizeof *story };

static bool write_story(const char *path)
{
    tb_trace_writer *w = tb_trace_create(path, &test_header, &error);
    for (size_t i = 0; w && i < story_length; i++) {
        if (!tb_trace_write(w, &story[i], &error)) {
            tb_trace_abandon(w);
            return false;
        }
    }
    return w && tb_trace_commit(w, &error);
}

static bool same_story(const char *path)
{
    tb_trace_reader *r = tb_trace_open(path, &error);
    if (!r)
        return false;
    const tb_trace_header *header = tb_trace_get_header(r);
    bool same = strcmp(header->source, "the source") == 0 && strcmp(header->clock, "1 ns") == 0 &&
                header->note_count == 2 && strcmp(header->notes[1], "two") == 0;
    tb_trace_event e;
    size_t i = 0;
    for (; tb_trace_next(r, &e) == TB_TRACE_EVENT; i++) {
        bool sets = story[i].op == TB_TRACE_ARM || story[i].op == TB_TRACE_REARM;
        same = same && i < story_length && e.time == story[i].time && e.op == story[i].op && e.key == story[i].key &&
               e.slop == story[i].slop && e.precise == story[i].precise && (!sets || e.deadline == story[i].deadline);
    }
    tb_trace_close(r);
    return same && i == story_length;
}

static void test_writing(void)
{
    static const char *const names[] = {"w.trace", "w.trace.xz"};
    for (size_t i = 0; i < 2; i++) {
        ok(write_story(names[i]), "%s is written", names[i]);
        ok(same_story(names[i]), "and read again, it is the same");
    }
    FILE *file = fopen("w.trace", "r");
    char text[512] = "";
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    is_text(text,
            "# timerbench-trace 1\n# source: the source\n# clock: 1 ns\n# note: one\n# two\n0 arm 0 100\n"
            "1 arm 2147483647 9223372036854775807 slop=7 precise\n5 rearm 0 200 slop=9\n5 cancel 2147483647\n"
            "9223372036854775807 fired 0\n",
            "its text is the format's, byte for byte");
    file = fopen("w.trace.xz", "r");
    ok(file && fgetc(file) == 0xfd, "and the other is compressed");
    if (file)
        fclose(file);
    unlink("w.trace");
    unlink("w.trace.xz");
}

/* -1: the file is not good. */
static int count_events(const char *path)
{
    tb_trace_reader *r = tb_trace_open(path, &error);
    tb_trace_event e;
    tb_trace_step step = TB_TRACE_ERROR;
    int events = 0;
    while (r && (step = tb_trace_next(r, &e)) == TB_TRACE_EVENT)
        events++;
    tb_trace_close(r);
    return step == TB_TRACE_END ? events : -1;
}

static void test_writing_wrong(void)
{
    tb_trace_writer *w = tb_trace_create("w.trace", &test_header, &error);
    tb_trace_event arm = {5, 9, 0, 1, TB_TRACE_ARM, false};
    ok(tb_trace_write(w, &arm, &error) && tb_trace_is_pending(w, 1) && !tb_trace_is_pending(w, 2),
       "a writer knows what is pending");
    const tb_trace_event wrong[] = {
        arm, /* pending already */
        {4, 9, 0, 2, TB_TRACE_ARM, false},    {5, 9, 0, 2, TB_TRACE_REARM, false}, {5, 0, 0, 2, TB_TRACE_CANCEL, false},
        {5, 0, 0, 2, TB_TRACE_FIRED, false},  {5, -1, 0, 2, TB_TRACE_ARM, false},  {5, 9, -1, 2, TB_TRACE_ARM, false},
        {5, 9, 0, -2, TB_TRACE_ARM, false},   {-5, 9, 0, 2, TB_TRACE_ARM, false},
    };
    int accepted = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        accepted += tb_trace_write(w, &wrong[i], &error);
    none_of(accepted, "it refuses what a reader would");
    ok(tb_trace_commit(w, &error) && count_events("w.trace") == 1, "and what it took is a good trace");
    unlink("w.trace");
    static const char *const texts[] = {"two\nlines", "\x1b[0m", "of /root/x", "\xff", "c\r"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const tb_trace_header bad_header = {texts[i], "1 ns", NULL, 0};
        ok(!tb_trace_create("w.trace", &bad_header, &error), "a source no reader takes is refused, no. %zu", i);
    }
    ok(!write_story("missing/w.trace"), "a missing folder is an error");
    ok(!write_story("/dev/full") && strstr(error.text, "No space left"), "and so is a full device");
    is(access("w.trace", F_OK), -1, "there is no file of all these");
    is(count_entries("."), 0, "nor anything else");
}

/* Enough events to cross the buffers of reader and writer, against a plain model. */
static void test_long(void)
{
    enum { count = 60000, keys = 500 };
    static const char *const names[] = {"long.trace", "long.trace.xz"};
    for (size_t n = 0; n < 2; n++) {
        tb_trace_writer *w = tb_trace_create(names[n], &test_header, &error);
        uint64_t state = 12345, sum = 0;
        for (int i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
            int32_t key = (int32_t)((state >> 33) % keys) * 4000000;
            tb_trace_event e = {.time = i * INT64_C(1000), .key = key};
            e.op = !tb_trace_is_pending(w, key) ? TB_TRACE_ARM : (tb_trace_op)(1 + (state >> 50) % 3);
            if (e.op <= TB_TRACE_REARM)
                e.deadline = e.time + (int64_t)(state >> 40);
            sum = sum * 31 + (uint64_t)(e.time ^ e.deadline) + (uint64_t)key + (uint64_t)e.op;
            tb_trace_write(w, &e, &error);
        }
        ok(tb_trace_commit(w, &error), "%d events go to %s", count, names[n]);
        tb_trace_reader *r = tb_trace_open(names[n], &error);
        tb_trace_event e;
        uint64_t read_sum = 0;
        int events = 0;
        for (; r && tb_trace_next(r, &e) == TB_TRACE_EVENT; events++) {
            int64_t deadline = e.op <= TB_TRACE_REARM ? e.deadline : 0;
            read_sum = read_sum * 31 + (uint64_t)(e.time ^ deadline) + (uint64_t)e.key + (uint64_t)e.op;
        }
        tb_trace_close(r);
        is(events, count, "all come back");
        ok(sum == read_sum, "unchanged");
        unlink(names[n]);
    }
}

static void test_memory(void)
{
    int wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool written = write_story("w.trace.xz");
        bool failed = allocation_failed();
        wrong += !written && !failed;
        wrong += written ? !same_story("w.trace.xz") : access("w.trace.xz", F_OK) == 0;
        unlink("w.trace.xz");
        if (!failed)
            break;
    }
    none_of(wrong, "writing without memory leaves a whole file or none");
    is(count_entries("."), 0, "and nothing beside it");
}

int main(void)
{
    enter_scratch_folder();
    test_writing();
    test_writing_wrong();
    test_long();
    test_memory();
    leave_scratch_folder();
    return tap_done();
}
