/* test_ops.c: operation files: what is written is what is read, and every way of being malformed is one clear line. */
#include "bench/ops.h"

#include "tap.h"

#include "bench/streams.h"

/* Reads a text as a file called f.ops. */
static bool read_text(const char *text, size_t length, tb_ops *ops, tb_error_text *error)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, length, "r");
    if (!in)
        return false;
    bool done = tb_ops_read_stream(ops, in, "f.ops", error);
    fclose(in);
    return done;
}

/* The file of a program; to be freed. */
static char *text_of(const tb_ops *ops)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    fprintf(out, "%s\n", TB_OPS_FIRST_LINE);
    tb_ops_write_head(ops, out);
    tb_ops_write_range(ops, 0, ops->len, out);
    fclose(out);
    return text;
}

/* ---- what is legal --------------------------------------------------------------------------------------------------- */

static const char every_line[] = "# timerbench-ops 1\n"
                                 "fail 1\n"
                                 "make -5000000 limit=7\n"
                                 "slop 1 10000000\n"
                                 "slop 7 -9223372036854775808\n"
                                 "arm 0 9223372036854775807\n"
                                 "arm 4294967295 -9223372036854775808 lane=7\n"
                                 "arm 1 5 precise\n"
                                 "arm 1 5 lane=0 precise\n"
                                 "fail 2 onward\n"
                                 "arm 2 5 repeat=1000000:burst\n"
                                 "arm 2 5 repeat=-1:skip\n"
                                 "arm 2 5 repeat=9223372036854775807:delay\n"
                                 "rearm 1 17\n"
                                 "cancel 9\n"
                                 "many 2\n"
                                 "arm 1 5\n"
                                 "arm 2 6 precise\n"
                                 "fail 3\n"
                                 "many 1\n"
                                 "cancel 1\n"
                                 "many 1\n"
                                 "cancel 1\n"
                                 "expired 9223372036854775807 max=0\n"
                                 "expired -1\n";

static void reading(void)
{
    tb_ops ops;
    tb_error_text error = {{0}};
    if (!ok(read_text(every_line, sizeof every_line - 1, &ops, &error), "every kind of line is read")) {
        diag("%s", error.text);
        return;
    }
    is(ops.start, -5000000, "the start");
    is(ops.limit, 7, "the limit");
    is(ops.fail_make, 1, "the allocation of make that fails");
    is(ops.len, 17, "many and fail are no operations of their own");
    ok(ops.items[5].precise && ops.items[5].has_lane && ops.items[5].lane == 0, "a precise timer may name a lane");
    ok(ops.items[6].fail == 2 && ops.items[6].onward && ops.items[7].fail == 0, "fail holds for the next line alone");
    is(tb_ops_call_length(&ops, 11), 2, "a batch of two arms is one call");
    is(tb_ops_call_length(&ops, 13), 1, "a batch of one cancel");
    ok(ops.items[13].fail == 3 && !ops.items[13].onward && ops.items[13].batch != ops.items[14].batch,
       "fail before many is the batch's; neighbouring batches are two");
    is(ops.items[16].line, 25, "operations know their lines");
    is(tb_ops_line_count(&ops), 24, "lines but the first");
    char *text = text_of(&ops);
    is_text(text, every_line, "what was read is written the same");
    free(text);
    tb_ops copy = {0};
    ok(tb_ops_copy(&copy, &ops) && copy.len == ops.len && copy.items != ops.items, "a copy has items of its own");
    tb_ops_free(&copy);
    tb_ops_free(&ops);

    static const char keyed[] = "# timerbench-ops 1\n\n  # a remark\n\t\nmake 0 keys=2147483647 limit=9223372036854775807\n"
                                "arm 3 5 lane=1\n# another\nrearm\t4  -7 ";
    ok(read_text(keyed, sizeof keyed - 1, &ops, &error), "blank lines, remarks, tabs, and a last line without its end");
    is(ops.keys, 2147483647u, "the most keys there may be");
    is(ops.len, 2, "its operations");
    tb_ops_free(&ops);
}

/* ---- what is written and read again ---------------------------------------------------------------------------------- */

static bool same_operation(const tb_operation *a, const tb_operation *b)
{
    return a->kind == b->kind && a->at == b->at && a->key == b->key && a->has_lane == b->has_lane && a->precise == b->precise &&
           a->repeats == b->repeats && a->has_max == b->has_max && a->fail == b->fail && a->onward == b->onward &&
           (!a->has_lane || a->lane == b->lane) && (!a->repeats || (a->period == b->period && a->policy == b->policy)) &&
           (!a->has_max || a->max == b->max) && (a->batch == 0) == (b->batch == 0);
}

static int differences(const tb_ops *a, const tb_ops *b)
{
    int count = a->len != b->len || a->start != b->start || a->limit != b->limit || a->keys != b->keys ||
                a->fail_make != b->fail_make || a->onward_make != b->onward_make;
    for (size_t i = 0; i < a->len && i < b->len; i++)
        count += !same_operation(&a->items[i], &b->items[i]) || tb_ops_call_length(a, i) != tb_ops_call_length(b, i);
    return count;
}

static void round_trips(void)
{
    int wrong = 0;
    uint64_t operations = 0;
    tb_stream_program program = {0};
    for (uint64_t i = 0; i < 300; i++) {
        tb_ops again = {0};
        tb_error_text error;
        bool made = tb_stream_make(&program, 77, i, i % 2, tb_stream_kind_count(), 400);
        char *text = made ? text_of(&program.ops) : NULL;
        wrong += !text || !read_text(text, strlen(text), &again, &error) || differences(&program.ops, &again) > 0;
        operations += program.ops.len;
        free(text);
        tb_ops_free(&again);
    }
    tb_ops_free(&program.ops);
    none_of(wrong, "300 random programs are read as they were written");
    ok(operations > 50000, "they have %" PRIu64 " operations", operations);
}

/* ---- what is malformed ----------------------------------------------------------------------------------------------- */

#define HEAD "# timerbench-ops 1\n"
#define TEXT(text) text, sizeof text - 1

static const struct {
    const char *text;
    size_t length;
    const char *error; /* what the error begins with */
} malformed[] = {
    {TEXT(""), "f.ops:1: an empty file: expected the line '# timerbench-ops 1'"},
    {TEXT("\n"), "f.ops:1: expected the line '# timerbench-ops 1'"},
    {TEXT("# timerbench-ops 2\nmake 0\n"), "f.ops:1: expected the line '# timerbench-ops 1'"},
    {TEXT("# timerbench-trace 1\n"), "f.ops:1: expected the line"},
    {TEXT(HEAD), "f.ops:2: the end of the file: expected make <start>"},
    {TEXT(HEAD "arm 1 5\n"), "f.ops:2: 'arm' before make: expected make <start> first"},
    {TEXT(HEAD "many 1\n"), "f.ops:2: 'many' before make"},
    {TEXT(HEAD "make 0\nmake 0\n"), "f.ops:3: a second make"},
    {TEXT(HEAD "make\n"), "f.ops:2: no start: expected a whole number"},
    {TEXT(HEAD "make x\n"), "f.ops:2: start 'x': expected a whole number"},
    {TEXT(HEAD "make 9223372036854775808\n"), "f.ops:2: start '9223372036854775808': expected a number from -9223372036854775808"},
    {TEXT(HEAD "make -9223372036854775809\n"), "f.ops:2: start '-9223372036854775809': expected a number from"},
    {TEXT(HEAD "make 0 limit=0\n"), "f.ops:2: limit '0': expected a number from 1"},
    {TEXT(HEAD "make 0 limit=1 limit=2\n"), "f.ops:2: field 'limit=2': expected limit=<n>, keys=<n>, each once"},
    {TEXT(HEAD "make 0 keys=2147483648\n"), "f.ops:2: keys '2147483648': expected a number from 1 to 2147483647"},
    {TEXT(HEAD "make 0 ids\n"), "f.ops:2: field 'ids': expected limit=<n>"},
    {TEXT(HEAD "make 0\nfire 1\n"), "f.ops:3: operation 'fire': expected make, slop, arm, rearm, cancel, expired, many or fail"},
    {TEXT(HEAD "make 0\nARM 1 5\n"), "f.ops:3: operation 'ARM'"},
    {TEXT(HEAD "make 0\nslop 8 1\n"), "f.ops:3: lane '8': expected a number from 0 to 7"},
    {TEXT(HEAD "make 0\nslop 1\n"), "f.ops:3: no slop: expected a whole number"},
    {TEXT(HEAD "make 0\narm\n"), "f.ops:3: no key: expected a whole number"},
    {TEXT(HEAD "make 0\narm -1 5\n"), "f.ops:3: key '-1': expected a number from 0 to 4294967295"},
    {TEXT(HEAD "make 0\narm 4294967296 5\n"), "f.ops:3: key '4294967296': expected a number from 0 to 4294967295"},
    {TEXT(HEAD "make 0\narm 1\n"), "f.ops:3: no deadline: expected a whole number"},
    {TEXT(HEAD "make 0\narm 1 +5\n"), "f.ops:3: deadline '+5': expected a whole number"},
    {TEXT(HEAD "make 0\narm 1 -\n"), "f.ops:3: deadline '-': expected a whole number"},
    {TEXT(HEAD "make 0\narm 1 1e9\n"), "f.ops:3: deadline '1e9': expected a whole number"},
    {TEXT(HEAD "make 0\narm 1 99999999999999999999999\n"), "f.ops:3: deadline '99999999999999999999999': expected a number"},
    {TEXT(HEAD "make 0\narm 1 5 lane=9\n"), "f.ops:3: lane '9': expected a number from 0 to 7"},
    {TEXT(HEAD "make 0\narm 1 5 lane=1 lane=1\n"), "f.ops:3: field 'lane=1': expected lane=<0-7>, precise"},
    {TEXT(HEAD "make 0\narm 1 5 soon\n"), "f.ops:3: field 'soon': expected lane=<0-7>, precise, repeat=<ns>:<policy>"},
    {TEXT(HEAD "make 0\narm 1 5 precise repeat=5:skip\n"), "f.ops:3: repeat with precise: expected one of the two"},
    {TEXT(HEAD "make 0\narm 1 5 repeat=5:skip lane=0\n"), "f.ops:3: repeat with a lane: expected one of the two"},
    {TEXT(HEAD "make 0\narm 1 5 repeat=5\n"), "f.ops:3: no policy: expected burst, skip or delay"},
    {TEXT(HEAD "make 0\narm 1 5 repeat=5:often\n"), "f.ops:3: policy 'often': expected burst, skip or delay"},
    {TEXT(HEAD "make 0\narm 1 5 repeat=:skip\n"), "f.ops:3: no period: expected a whole number"},
    {TEXT(HEAD "make 0 keys=2\narm 1 5 precise\n"), "f.ops:3: precise in a keyed set"},
    {TEXT(HEAD "make 0 keys=2\narm 1 5 repeat=5:skip\n"), "f.ops:3: repeat in a keyed set"},
    {TEXT(HEAD "make 0 keys=2\nmany 1\narm 1 5\n"), "f.ops:3: many in a keyed set"},
    {TEXT(HEAD "make 0\nrearm 1 5 lane=1\n"), "f.ops:3: field 'lane=1': expected the end of the line"},
    {TEXT(HEAD "make 0\ncancel 1 2\n"), "f.ops:3: field '2': expected the end of the line"},
    {TEXT(HEAD "make 0\nexpired 5 most=1\n"), "f.ops:3: field 'most=1': expected max=<n> or the end of the line"},
    {TEXT(HEAD "make 0\nexpired 5 max=-1\n"), "f.ops:3: max '-1': expected a number from 0"},
    {TEXT(HEAD "make 0\nmany 0\n"), "f.ops:3: size of the batch '0': expected a number from 1"},
    {TEXT(HEAD "make 0\nmany 2\narm 1 5\n"), "f.ops:5: the end of the file in a batch of 2: expected 1 more"},
    {TEXT(HEAD "make 0\nmany 2\narm 1 5\ncancel 1\n"), "f.ops:5: line 2 of a batch of 2: expected an arm"},
    {TEXT(HEAD "make 0\nmany 2\ncancel 1\narm 1 5\n"), "f.ops:5: line 2 of a batch of 2: expected a cancel"},
    {TEXT(HEAD "make 0\nmany 1\nexpired 5\n"), "f.ops:4: line 1 of a batch of 1: expected an arm or a cancel"},
    {TEXT(HEAD "make 0\nmany 2\narm 1 5\nmany 1\n"), "f.ops:5: many in a batch: expected 1 more of its operations"},
    {TEXT(HEAD "make 0\nmany 2\nfail 1\n"), "f.ops:4: fail in a batch: expected 2 more of its operations"},
    {TEXT(HEAD "make 0\nfail 0\n"), "f.ops:3: allocation '0': expected a number from 1"},
    {TEXT(HEAD "make 0\nfail 1 twice\n"), "f.ops:3: field 'twice': expected onward or the end of the line"},
    {TEXT(HEAD "make 0\nfail 1\nfail 1\n"), "f.ops:4: fail after fail: expected an operation after it"},
    {TEXT(HEAD "make 0\nfail 1\n"), "f.ops:4: the end of the file after fail: expected an operation"},
    {TEXT(HEAD "make 0\narm 1 5\r\n"), "f.ops:3: a carriage return in the line"},
    {TEXT("# timerbench-ops 1\r\nmake 0\r\n"), "f.ops:1: a carriage return in the line"},
    {TEXT(HEAD "make 0\narm 1\0 5\n"), "f.ops:3: a NUL byte in the line"},
    {TEXT(HEAD "make 0\n\x01\xff\n"), "f.ops:3: operation '\?\?'"},
};

static void refusing(void)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        tb_ops ops = {.len = 1};
        tb_error_text error = {{0}};
        bool read = read_text(malformed[i].text, malformed[i].length, &ops, &error);
        bool named = strncmp(error.text, malformed[i].error, strlen(malformed[i].error)) == 0;
        if (!ok(!read && named && ops.len == 0 && !ops.items, "refused: %s", malformed[i].error))
            diag("got: %s", read ? "it was read" : error.text);
    }
    char line[TB_OPS_LINE_MAX + 64];
    tb_ops ops;
    tb_error_text error;
    int length = snprintf(line, sizeof line, HEAD "make 0\n#%*s", TB_OPS_LINE_MAX - 1, "");
    ok(read_text(line, (size_t)length, &ops, &error) && ops.len == 0, "a line of %d bytes is read", TB_OPS_LINE_MAX);
    tb_ops_free(&ops);
    length = snprintf(line, sizeof line, HEAD "make 0\n#%*s", TB_OPS_LINE_MAX, "");
    ok(!read_text(line, (size_t)length, &ops, &error), "a longer one is not");
    is_text(error.text, "f.ops:3: the line is too long: expected at most 1024 bytes", "and that is said");
    ok(!tb_ops_read(&ops, "/nowhere/f.ops", &error), "a file that is not there");
    is_text(error.text, "/nowhere/f.ops: No such file or directory", "is named");
    ok(!tb_ops_read(&ops, "/", &error), "a folder");
    is_text(error.text, "/: Is a directory", "is named");
}

int main(void)
{
    reading();
    round_trips();
    refusing();
    return tap_done();
}
