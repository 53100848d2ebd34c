/* Reading what callgrind writes: its own costs, not those of calls; several places of one function; recursion; files that are
   cut off or not of this form. */
#include "bench/callgrind.h"

#include "tap.h"

static char path[512];

static bool read_text(const char *text, tb_counts *counts, tb_error_text *error)
{
    FILE *f = fopen(path, "w");
    bool written = f && fputs(text, f) >= 0;
    if (f)
        fclose(f);
    error->text[0] = 0;
    return written && tb_callgrind_read(path, counts, error);
}

#define HEAD "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\n"
#define MAIN "fl=/a.c\nfn=main\n6 10 2 1 0 3 1 0 1\ncfn=work\ncalls=2 5 \n6 100 0 0 0 9\n8 5\n"
#define WORK "\nfl=/b.c\nfn=work\n5 60 0 0 0 7 2 0 0 4\nfn=zero\n3 0 1\nfn=work'2\nfi=/c.h\n9 25\n"

static uint64_t of(const tb_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->function_count; i++)
        if (strcmp(counts->functions[i].name, name) == 0)
            return counts->functions[i].instructions;
    return 0;
}

static void test_whole(void)
{
    tb_counts counts = {0};
    tb_error_text error;
    ok(read_text(HEAD MAIN WORK "\ntotals: 100 3 1 0 10 3 0 1 4\n", &counts, &error), "a file is read");
    is(counts.instructions, 100, "its instructions");
    is(counts.d1_misses, 13, "reads and writes that missed the first cache");
    is(counts.ll_misses, 5, "and the last; zeros at the end of a line are left out");
    is(counts.function_count, 2, "a function is there once, one without instructions isn't");
    is(of(&counts, "main"), 15, "a function has its own costs, not those of what it calls");
    is(of(&counts, "work"), 85, "inlined lines and inner levels of a recursion are its own");
    is_text(counts.functions[0].name, "main", "functions are sorted by name");
    ok(read_text("events: Ir\nfn=a\n1 7\ntotals: 7\n", &counts, &error) && counts.instructions == 7 && counts.function_count == 1 &&
           counts.d1_misses == 0,
       "the next file takes the place of the first; one without caches has no misses");
    tb_counts_free(&counts);
}

static void test_broken(void)
{
    static const struct {
        const char *text, *says;
    } files[] = {
        {"", "cut off"},
        {HEAD MAIN WORK, "cut off"},
        {HEAD MAIN "\ntotals: 100\n", "cut off"},
        {HEAD "fn=a\n1 x\ntotals: 0\n", "line 6: not as callgrind writes it"},
        {HEAD "1 5\ntotals: 5\n", "line 5: not as callgrind"},
        {"fn=a\n1 5\nevents: Ir\ntotals: 5\n", "line 2: not as callgrind"},
        {"events: Dr Dw\n", "line 1: not as callgrind"},
        {HEAD "fn=a\n1 99999999999999999999999\ntotals: 5\n", "line 6: not as callgrind"},
        {HEAD "fn=a\n1\ntotals: 5\n", "line 6: not as callgrind"},
        {HEAD "fn=a\n1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "line 6: not as callgrind"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tb_counts counts = {0};
        tb_error_text error;
        bool refused = !read_text(files[i].text, &counts, &error);
        ok(refused && counts.function_count == 0 && counts.instructions == 0, "broken file %zu is refused, and nothing is left", i + 1);
        ok(strstr(error.text, files[i].says) && strstr(error.text, path), "and named: %s", files[i].says);
    }
    /* Cut anywhere: refused, or whole but for the last newline. */
    static const char whole[] = HEAD MAIN WORK "\ntotals: 100 3 1 0 10 3 0 1 4\n";
    int wrong = 0;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char text[sizeof whole];
        tb_counts counts = {0};
        tb_error_text error;
        memcpy(text, whole, n);
        text[n] = 0;
        if (read_text(text, &counts, &error))
            wrong += counts.instructions != 100 || of(&counts, "work") != 85;
        else
            wrong += !*error.text;
        tb_counts_free(&counts);
    }
    none_of(wrong, "a file cut at any byte is refused, or has all instructions");
}

int main(void)
{
    tb_counts counts = {0};
    tb_error_text error;
    char folder[] = "/tmp/test-callgrind-XXXXXX";
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/out", folder);
    ok(!tb_callgrind_read("/nonexistent/out", &counts, &error) && strstr(error.text, "/nonexistent/out: No such file"),
       "a file that is not there");
    test_whole();
    test_broken();
    unlink(path);
    rmdir(folder);
    return tap_done();
}
