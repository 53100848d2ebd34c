/* test_case_files.c: the stories in tests/cases/ (*.ops), each a kind of fault that real timer code had, on every implementation:
   beside the oracle, which must do what the file says in its comments. After an `expired` these may stand:

       #   fires: 1 2        the keys, in order; nothing
       #   next: 5000000     the next expiry, where it is exact; none, the end of time
       #   pending: 3

   A file that a keyed set can do as well (no precise, repeating or batched timers) is done by key, too. */
#include "bench/drive.h"

#include "tap.h"

#include <glob.h>

#include <timerbench/impl.h>

/* ---- what the file says ---------------------------------------------------------------------------------------------- */

/* The expectations of a file in the form of a transcript: "call\nfires 1 2\nnext ...\n" for each expired. */
static bool read_expected(const char *path, char *out, size_t size, int *lines)
{
    FILE *in = fopen(path, "r");
    char line[2048];
    size_t at = 0;
    *lines = 0;
    out[0] = '\0';
    while (in && at < size && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "expired ", 8) == 0) {
            at += (size_t)snprintf(out + at, size - at, "call\n");
        } else if (strncmp(line, "#   ", 4) == 0 && strstr(line, ": ")) {
            at += (size_t)snprintf(out + at, size - at, "%s\n", line + 4);
            ++*lines;
        }
    }
    if (in)
        fclose(in);
    return in && at < size;
}

/* ---- what happens ---------------------------------------------------------------------------------------------------- */

/* "    delivers 3 for ..." and "    2 pending, next: ..." of a transcript, in the form above, with all three lines. */
static void told(char *transcript, char *out, size_t size)
{
    size_t at = 0;
    bool first = true;
    out[0] = '\0';
    for (char *line = strtok(transcript, "\n"); line && at < size; line = strtok(NULL, "\n")) {
        unsigned long key, pending;
        int after = 0;
        if (strncmp(line, "expired ", 8) == 0) {
            at += (size_t)snprintf(out + at, size - at, "call\nfires:");
            first = true;
        } else if (sscanf(line, "    delivers %lu for", &key) == 1) {
            at += (size_t)snprintf(out + at, size - at, " %lu", key);
            first = false;
        } else if (sscanf(line, "    %lu pending, next: %n", &pending, &after) == 1 && after > 0) {
            at += (size_t)snprintf(out + at, size - at, "%s\npending: %lu\nnext: %s\n", first ? " nothing" : "", pending, line + after);
        }
    }
}

/* Whether every line of `expected` stands in the same call of `got`. */
static bool agrees(const char *expected, const char *got)
{
    char wanted[256];
    const char *call = NULL, *end = NULL; /* the call at hand in `got`, and the next */
    while (*expected) {
        size_t length = strcspn(expected, "\n");
        snprintf(wanted, sizeof wanted, "\n%.*s\n", (int)length, expected);
        expected += length + (expected[length] == '\n');
        if (strcmp(wanted, "\ncall\n") == 0) {
            call = call ? end : got;
            if (!call)
                return false;
            end = strstr(call + 1, "call\n");
            continue;
        }
        const char *found = call ? strstr(call, wanted) : NULL;
        if (!found || (end && found > end)) {
            diag("expected%.*s", (int)strlen(wanted) - 1, wanted);
            return false;
        }
    }
    return true;
}

/* ---- a file ---------------------------------------------------------------------------------------------------------- */

static bool fits_keys(const tb_ops *ops, uint32_t *keys)
{
    *keys = 1;
    for (size_t i = 0; i < ops->len; i++) {
        const tb_operation *op = &ops->items[i];
        if (op->precise || op->repeats || op->batch)
            return false;
        if (op->kind == TB_OPS_ARM && op->key >= *keys)
            *keys = op->key + 1;
    }
    return ops->keys == 0;
}

static bool same(const tb_ops *ops, const tb_impl *impl, FILE *transcript)
{
    tb_difference difference = {0};
    tb_drive_options options = {.impl = impl, .thorough = true, .transcript = transcript};
    bool done = tb_drive(ops, &options, &difference) == TB_DRIVE_SAME;
    if (!done)
        diag("%s: %s, line %u", tb_impl_name(impl), difference.text, difference.at < ops->len ? ops->items[difference.at].line : 0);
    return done;
}

static void check_story(const char *path, const char *name, const tb_ops *ops)
{
    static char expected[1 << 16], got[1 << 17];
    int number = atoi(name), lines;
    char *transcript = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&transcript, &size);
    bool read = read_expected(path, expected, sizeof expected, &lines);
    bool done = out && same(ops, tb_impl_find("unordered_list"), out);
    if (out)
        fclose(out);
    if (done)
        told(transcript, got, sizeof got);
    ok(read && done && lines > 0 && agrees(expected, got), "EQ-01 case %d %s: what the file says happens", number, name);
    free(transcript);
}

static void check_file(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    tb_ops ops, keyed;
    tb_error_text error;
    if (!ok(tb_ops_read(&ops, path, &error), "EQ-01 %s is an operation file", name)) {
        diag("%s", error.text);
        return;
    }
    check_story(path, name, &ops);
    uint32_t keys;
    keyed = ops; /* the same operations, by key */
    bool by_key = fits_keys(&ops, &keys);
    for (size_t i = 0; i < tb_impl_count(); i++) {
        const tb_impl *impl = tb_impl_at(i);
        if (impl->structure->traits & TB_YARDSTICK)
            continue;
        ok(same(&ops, impl, NULL), "EQ-01 case %d %s: %s", atoi(name), name, tb_impl_name(impl));
        keyed.keys = keys;
        if (by_key)
            ok(same(&keyed, impl, NULL), "EQ-01 case %d %s: %s by key", atoi(name), name, tb_impl_name(impl));
    }
    tb_ops_free(&ops);
}

int main(void)
{
    glob_t files;
    if (glob("tests/cases/*.ops", 0, NULL, &files) != 0)
        return ok(false, "there are operation files in tests/cases"), tap_done();
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_file(files.gl_pathv[i]);
    /* That a story which says what does not happen is seen. */
    ok(!agrees("call\nfires: 2\n", "call\nfires: 1\npending: 0\nnext: none\ncall\nfires: 2\npending: 0\nnext: none\n") &&
           !agrees("call\ncall\nfires: 1\n", "call\nfires: 1\npending: 0\nnext: none\n") &&
           agrees("call\ncall\nfires: 2\n", "call\nfires: 1\npending: 0\nnext: none\ncall\nfires: 2\npending: 0\nnext: none\n"),
       "a story that says something else is told from one that is true");
    globfree(&files);
    return tap_done();
}
