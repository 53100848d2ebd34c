/* test_trace_file.c: reading recorded traces. */
#include "tests/tap.h"

#include "bench/trace_file.h"
#include "tests/bench/failing_malloc.h"
#include "tests/bench/scratch_folder.h"

#include <lzma.h>

#define HEAD "# timerbench-trace 1\n# source: a test\n# clock: 1 ns\n"

static tb_error_text error;

/* Reads `path` to its end: the number of events, or -1 with `error` filled in. */
static int64_t read_all(const char *path)
{
    tb_trace_reader *reader = tb_trace_open(path, &error);
    if (!reader)
        return -1;
    tb_trace_event event;
    int64_t events = 0;
    tb_trace_step step;
    while ((step = tb_trace_next(reader, &event)) == TB_TRACE_EVENT)
        events++;
    if (step == TB_TRACE_ERROR) {
        snprintf(error.text, sizeof error.text, "%s", tb_trace_error(reader));
        /* An error stays one. */
        events = tb_trace_next(reader, &event) == TB_TRACE_ERROR ? -1 : -2;
    } else if (tb_trace_next(reader, &event) != TB_TRACE_END) {
        events = -3;
    }
    tb_trace_close(reader);
    return events;
}

static int64_t read_bytes(const char *bytes, size_t size)
{
    put_bytes("t.trace", bytes, size);
    return read_all("t.trace");
}

static int64_t read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

/* ---- the grammar and the rules ----------------------------------------------------------------------------------- */

static void test_good(void)
{
    static const struct {
        const char *what, *text;
        int events;
    } cases[] = {
        {"no events at all", HEAD, 0},
        {"no newline at the end", HEAD "0 arm 0 0", 1},
        {"a header without one", "# timerbench-trace 1\n# source:\n# clock:", 0},
        {"notes, and comments of any kind, in the header", HEAD "# note: x\n#\n#y\n0 arm 0 5\n", 1},
        {"each operation", HEAD "0 arm 0 5\n1 rearm 0 9\n2 cancel 0\n2 arm 0 3\n3 fired 0\n", 5},
        {"slop, precise, and both", HEAD "0 arm 0 5 slop=1\n0 arm 1 5 precise\n0 arm 2 5 slop=7 precise\n", 3},
        {"a deadline in the past, and at 0", HEAD "9 arm 0 5\n9 arm 1 0\n", 2},
        {"the greatest numbers", HEAD "9223372036854775807 arm 2147483647 9223372036854775807 slop=9223372036854775807\n", 1},
        {"leading zeros, and blanks of any number", HEAD "  00\tarm   007 08  \n1 cancel 7\t\n", 2},
        {"a minus before 0", HEAD "-0 arm -0 -0\n", 1},
        {"fired before its deadline", HEAD "0 arm 0 5\n1 fired 0\n", 2},
        {"UTF-8 in the header", HEAD "# note: \xc3\xa9\xe2\x82\xac\xf0\x9f\x95\x91\ttab\n", 0},
        {"paths that name no machine", HEAD "# note: a/b /x/ tmp/ /tmp usr /proc/self\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        error.text[0] = '\0';
        if (!ok(read_text(cases[i].text) == cases[i].events, "good: %s", cases[i].what))
            diag("%s", error.text);
    }
}

/* Texts that are refused, and what is said of them after "t.trace:". */
static const struct {
    const char *text, *want;
} bad[] = {
    {"", "1: an empty file: expected the line '# timerbench-trace 1'"},
    {"\n", "1: expected the line '# timerbench-trace 1'"},
    {"0 arm 0 5\n", "1: expected the line '# timerbench-trace 1'"},
    {"# timerbench-trace 2\n", "1: expected the line '# timerbench-trace 1'"},
    {"# timerbench-trace 1 \n", "1: expected the line '# timerbench-trace 1'"},
    {" # timerbench-trace 1\n", "1: expected the line '# timerbench-trace 1'"},
    {"# timerbench-trace 1\n", "2: expected the line '# source: ...'"},
    {"# timerbench-trace 1\n# clock: x\n# source: x\n", "2: expected the line '# source: ...'"},
    {"# timerbench-trace 1\n#source: x\n# clock: x\n", "2: expected the line '# source: ...'"},
    {"# timerbench-trace 1\n# source: x\n0 arm 0 5\n", "3: expected the line '# clock: ...'"},
    {"# timerbench-trace 1\r\n# source: x\r\n# clock: x\r\n", "1: expected the line '# timerbench-trace 1'"},
    {"\xef\xbb\xbf" HEAD, "1: expected the line '# timerbench-trace 1'"},
    {HEAD "# note: \x1b[31m\n", "4: byte 0x1b in the header: expected printable UTF-8"},
    {HEAD "# note: \xff\n", "4: byte 0xff in the header: expected printable UTF-8"},
    {HEAD "# note: \xc3\n", "4: byte 0xc3 in the header: expected printable UTF-8"},
    {HEAD "# note: \xc0\xaf\n", "4: byte 0xc0 in the header: expected printable UTF-8"},
    {HEAD "# note: \xe0\x80\xaf\n", "4: byte 0xe0 in the header: expected printable UTF-8"},
    {HEAD "# note: \xed\xa0\x80\n", "4: byte 0xed in the header: expected printable UTF-8"},
    {HEAD "# note: \xf4\x90\x80\x80\n", "4: byte 0xf4 in the header: expected printable UTF-8"},
    {HEAD "# note: \xc2\x9b\n", "4: byte 0xc2 in the header: expected printable UTF-8"},
    {HEAD "# note: x\r\n", "4: a carriage return in the line: expected lines that end in a newline alone"},
    {HEAD "# note: of /home/someone/x\n",
     "4: a path with '/home/' in the header: expected nothing that names a machine's files"},
    {HEAD "# note: //tmp//usr/\n", "4: a path with '/tmp/' in the header: expected nothing that names a machine's files"},
    {HEAD "0 arm 0 5\n# late\n", "5: a comment after the events: expected comments in the header only"},
    {HEAD "\n", "4: an empty line: expected '<time> arm|rearm|cancel|fired <key> ...'"},
    {HEAD "0 arm 0 5\n\n1 cancel 0\n", "5: an empty line: expected '<time> arm|rearm|cancel|fired <key> ...'"},
    {HEAD "  \t\n", "4: an empty line: expected '<time> arm|rearm|cancel|fired <key> ...'"},
    {HEAD "0 arm 0 5\r\n", "4: a carriage return in the line: expected lines that end in a newline alone"},
    {HEAD "x arm 0 5\n", "4: time 'x': expected a whole number"},
    {HEAD "+1 arm 0 5\n", "4: time '+1': expected a whole number"},
    {HEAD "1_0 arm 0 5\n", "4: time '1_0': expected a whole number"},
    {HEAD "1.5 arm 0 5\n", "4: time '1.5': expected a whole number"},
    {HEAD "1e3 arm 0 5\n", "4: time '1e3': expected a whole number"},
    {HEAD "- arm 0 5\n", "4: time '-': expected a whole number"},
    {HEAD "-1 arm 0 5\n", "4: time '-1': expected a number from 0 to 9223372036854775807"},
    {HEAD "9223372036854775808 arm 0 5\n",
     "4: time '9223372036854775808': expected a number from 0 to 9223372036854775807"},
    {HEAD "99999999999999999999999 arm 0 5\n",
     "4: time '99999999999999999999999': expected a number from 0 to 9223372036854775807"},
    {HEAD "0\n", "4: no operation: expected arm, rearm, cancel or fired"},
    {HEAD "0 ARM 0 5\n", "4: operation 'ARM': expected arm, rearm, cancel or fired"},
    {HEAD "0 arms 0 5\n", "4: operation 'arms': expected arm, rearm, cancel or fired"},
    {HEAD "0 ar 0 5\n", "4: operation 'ar': expected arm, rearm, cancel or fired"},
    {HEAD "0 arm\n", "4: no key: expected a whole number"},
    {HEAD "0 arm x 5\n", "4: key 'x': expected a whole number"},
    {HEAD "0 arm -1 5\n", "4: key '-1': expected a number from 0 to 2147483647"},
    {HEAD "0 arm 2147483648 5\n", "4: key '2147483648': expected a number from 0 to 2147483647"},
    {HEAD "0 arm 0\n", "4: no deadline: expected a whole number"},
    {HEAD "0 arm 0 -5\n", "4: deadline '-5': expected a number from 0 to 9223372036854775807"},
    {HEAD "0 arm 0 9223372036854775808\n",
     "4: deadline '9223372036854775808': expected a number from 0 to 9223372036854775807"},
    {HEAD "0 arm 0 5 slop=0\n", "4: slop '0': expected a number from 1 to 9223372036854775807"},
    {HEAD "0 arm 0 5 slop=-1\n", "4: slop '-1': expected a number from 1 to 9223372036854775807"},
    {HEAD "0 arm 0 5 slop=\n", "4: field 'slop=': expected slop=<ns>, then precise, or the end of the line"},
    {HEAD "0 arm 0 5 slop=x\n", "4: slop 'x': expected a whole number"},
    {HEAD "0 arm 0 5 slop=1 slop=1\n", "4: field 'slop=1': expected slop=<ns>, then precise, or the end of the line"},
    {HEAD "0 arm 0 5 precise slop=1\n", "4: field 'slop=1': expected slop=<ns>, then precise, or the end of the line"},
    {HEAD "0 arm 0 5 precise precise\n",
     "4: field 'precise': expected slop=<ns>, then precise, or the end of the line"},
    {HEAD "0 arm 0 5 # x\n", "4: field '#': expected slop=<ns>, then precise, or the end of the line"},
    {HEAD "0 arm 0 5\n1 cancel 0 5\n", "5: field '5': expected the end of the line"},
    {HEAD "0 arm 0 5\n1 fired 0 precise\n", "5: field 'precise': expected the end of the line"},
    {HEAD "0 arm 0 5 \x01\xff\n", "4: field '\?\?': expected slop=<ns>, then precise, or the end of the line"},
    {HEAD "5 arm 0 9\n4 cancel 0\n", "5: time 4 goes back: expected at least the line before's 5"},
    {HEAD "0 arm 3 5\n1 arm 3 6\n", "5: arm of key 3, which is pending: expected rearm, or a cancel or fired before"},
    {HEAD "0 rearm 3 5\n", "4: rearm of key 3, which is not pending: expected an arm before"},
    {HEAD "0 cancel 3\n", "4: cancel of key 3, which is not pending: expected an arm before"},
    {HEAD "0 arm 3 1\n1 fired 3\n2 fired 3\n", "6: fired of key 3, which is not pending: expected an arm before"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char want[256];
        snprintf(want, sizeof want, "t.trace:%s", bad[i].want);
        error.text[0] = '\0';
        int64_t events = read_text(bad[i].text);
        is_text(events == -1 ? error.text : "(accepted)", want, "bad no. %zu", i);
    }
}

static void test_bytes(void)
{
    static const char nul[] = HEAD "0 arm 0\0 5\n", header_nul[] = HEAD "# a\0b\n";
    ok(read_bytes(nul, sizeof nul - 1) == -1 && strstr(error.text, ":4: a NUL byte"), "a NUL byte in an event");
    ok(read_bytes(header_nul, sizeof header_nul - 1) == -1 && strstr(error.text, ":4: a NUL byte"), "and in the header");
    enum { room = 20000 };
    char *text = malloc(room + 64);
    size_t head = strlen(HEAD);
    memcpy(text, HEAD "0 arm 0 5", head + 9);
    memset(text + head + 9, ' ', room);
    text[head + TB_TRACE_LINE_MAX] = '\n';
    is(read_bytes(text, head + TB_TRACE_LINE_MAX + 1), 1, "a line of 16384 bytes is read");
    text[head + TB_TRACE_LINE_MAX] = ' ';
    text[head + TB_TRACE_LINE_MAX + 1] = '\n';
    is(read_bytes(text, head + TB_TRACE_LINE_MAX + 2), -1, "one byte more is too long");
    is_text(error.text, "t.trace:4: the line is too long: expected at most 16384 bytes", "as the error says");
    is(read_bytes(text, head + TB_TRACE_LINE_MAX + 1), -1, "also without a newline");
    free(text);
    size_t size = 0, note = 16000;
    char *header = malloc(TB_TRACE_HEADER_MAX + 2 * note);
    memcpy(header, HEAD, head);
    for (size = head; size < TB_TRACE_HEADER_MAX; size += note) {
        memset(header + size, '#', note);
        header[size + note - 1] = '\n';
    }
    ok(read_bytes(header, size) == -1 && strstr(error.text, "the header is too long"), "a header has a limit");
    free(header);
}

static void test_unreadable(void)
{
    is(read_all("absent.trace"), -1, "a file that is not there");
    is_text(error.text, "absent.trace: No such file or directory", "is named");
    mkdir("folder.trace", 0755);
    ok(read_all("folder.trace") == -1 && strstr(error.text, "Is a directory"), "a folder is no trace");
    rmdir("folder.trace");
    char path[6000];
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    is(read_all(path), -1, "a path that is too long is an error, and its text is cut");
}

/* ---- what an event carries --------------------------------------------------------------------------------------- */

static void test_events(void)
{
    put_text("t.trace",
             HEAD "# note: n\n3 arm 7 10 slop=5 precise\n4 rearm 7 20\n5 arm 8 6\n6 cancel 7\n9 fired 8\n");
    tb_trace_reader *r = tb_trace_open("t.trace", &error);
    if (!ok(r != NULL, "a trace is opened"))
        return;
    const tb_trace_header *header = tb_trace_get_header(r);
    is_text(header->source, "a test", "its source");
    is_text(header->clock, "1 ns", "its clock");
    ok(header->note_count == 1 && strcmp(header->notes[0], "note: n") == 0, "its notes");
    is_text(tb_trace_error(r), "", "and no error yet");
    static const tb_trace_event want[] = {
        {3, 10, 5, 7, TB_TRACE_ARM, true},     {4, 20, 0, 7, TB_TRACE_REARM, false}, {5, 6, 0, 8, TB_TRACE_ARM, false},
        {6, 20, 0, 7, TB_TRACE_CANCEL, false}, {9, 6, 0, 8, TB_TRACE_FIRED, false},
    };
    static const size_t pending[] = {1, 1, 2, 1, 0};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        tb_trace_event e;
        bool read = tb_trace_next(r, &e) == TB_TRACE_EVENT;
        ok(read && e.time == want[i].time && e.deadline == want[i].deadline && e.slop == want[i].slop &&
               e.key == want[i].key && e.op == want[i].op && e.precise == want[i].precise,
           "event %zu has its fields, cancel and fired the deadline that was pending", i);
        is(tb_trace_pending(r), pending[i], "%zu are pending after it", pending[i]);
    }
    tb_trace_close(r);
    tb_trace_close(NULL);
}

/* ---- xz ---------------------------------------------------------------------------------------------------------- */

/* `text` as an .xz stream, to be freed. */
static uint8_t *compress(const char *text, size_t *size)
{
    size_t room = lzma_stream_buffer_bound(strlen(text));
    uint8_t *out = malloc(room);
    *size = 0;
    if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, strlen(text), out, size, room) != LZMA_OK)
        *size = 0;
    return out;
}

static int64_t read_xz(const uint8_t *bytes, size_t size)
{
    put_bytes("t.trace.xz", bytes, size);
    error.text[0] = '\0';
    return read_all("t.trace.xz");
}

static void test_xz(void)
{
    size_t size, second_size;
    uint8_t *whole = compress(HEAD "0 arm 0 5\n1 ca", &size), *second = compress("ncel 0\n", &second_size);
    uint8_t *joined = malloc(size + second_size + 64);
    is(read_xz(whole, size), -1, "a line that is cut within good xz data");
    ok(strstr(error.text, "t.trace.xz:5: operation 'ca'"), "is named by its line");
    memcpy(joined, whole, size);
    memcpy(joined + size, second, second_size);
    is(read_xz(joined, size + second_size), 2, "two streams one after the other are one text");
    memset(joined + size, 0, 8);
    memcpy(joined + size + 8, second, second_size);
    is(read_xz(joined, size + 8 + second_size), 2, "with padding between them, too");
    memset(joined + size + 8 + second_size, 0, 4);
    is(read_xz(joined, size + second_size + 12), 2, "and after them");
    is(read_xz(joined, size + second_size + 11), -1, "but padding comes in fours");
    int accepted = 0;
    for (size_t cut = 0; cut < size + second_size; cut++) {
        memcpy(joined, whole, size);
        memcpy(joined + size, second, second_size);
        bool between = cut == size;
        accepted += !between && read_xz(joined, cut) != -1;
    }
    none_of(accepted, "a file cut short anywhere is refused");
    read_xz(joined, size + second_size - 3);
    ok(strstr(error.text, ": the xz data is cut short: expected a complete file"), "and the error says so");
    static const char *const garbage[] = {"x", "0 arm 1 5\n", "\xfd", "\xfd"
                                                                      "7zXZ",
                                          "\xfd"
                                          "garbage garbage"};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        memcpy(joined + size + second_size, garbage[i], strlen(garbage[i]));
        ok(read_xz(joined, size + second_size + strlen(garbage[i])) == -1, "trailing garbage no. %zu is refused", i);
    }
    ok(strstr(error.text, "data after the end of the xz stream: expected the end of the file"), "and the error says so");
    int64_t changed = 0;
    for (size_t i = 0; i < size * 8; i++) {
        memcpy(joined, whole, size);
        memcpy(joined + size, second, second_size);
        joined[i / 8] ^= (uint8_t)(1 << i % 8);
        changed += read_xz(joined, size + second_size) != -1;
    }
    none_of(changed, "a flipped bit anywhere is refused");
    put_bytes("t.trace", joined, 0);
    free(whole);
    free(second);
    free(joined);
    ok(read_xz((const uint8_t *)HEAD, strlen(HEAD)) == -1, "plain text under the name of xz data is refused");
    is_text(error.text, "t.trace.xz: not xz data: expected xz data, as the name says", "as the error says");
    is(read_xz((const uint8_t *)"", 0), -1, "and so is an empty file");
    uint8_t *good = compress(HEAD "0 arm 0 5\n", &size);
    put_bytes("t.trace", good, size);
    is(read_all("t.trace"), 1, "xz data under any other name is recognised");
    free(good);
    unlink("t.trace.xz");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static int failures_unnoticed(const char *path)
{
    int wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool done = read_all(path) == 100;
        bool failed = allocation_failed();
        wrong += done == failed;
        if (!failed)
            return wrong;
    }
}

static void test_memory(void)
{
    char text[4096] = HEAD;
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), 32, "%d arm %d 5\n", i, i);
    put_text("t.trace", text);
    none_of(failures_unnoticed("t.trace"), "reading fails exactly when an allocation does");
    size_t size;
    uint8_t *xz = compress(text, &size);
    put_bytes("t.trace.xz", xz, size);
    free(xz);
    none_of(failures_unnoticed("t.trace.xz"), "of xz data, too");
}

int main(void)
{
    enter_scratch_folder();
    test_good();
    test_bad();
    test_bytes();
    test_unreadable();
    test_events();
    test_xz();
    test_memory();
    leave_scratch_folder();
    return tap_done();
}
