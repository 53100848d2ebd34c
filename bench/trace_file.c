/* trace_file.c: the streaming reader of recorded traces. Lines are parsed where the bytes were read to; nothing is
   copied but the unfinished line at the end of a buffer. */
#include "bench/trace_file.h"

#include "bench/string_list.h"
#include "bench/trace_input.h"
#include "bench/trace_line.h"
#include "bench/trace_rules.h"

#include <stdlib.h>
#include <string.h>

enum { buffer_size = 1 << 18 };

struct tb_trace_reader {
    char *path;
    tb_trace_input *input;
    tb_trace_rules rules;
    tb_trace_header header;
    tb_string_list header_lines; /* what `header` points into */
    uint64_t line;               /* number of the line read last */
    size_t begin, end;           /* what of the buffer is still to be read */
    bool input_ended;
    bool failed;
    tb_error_text error;
    char buffer[buffer_size];
};

typedef struct {
    const char *text;
    size_t length;
} line_text;

/* Ends the reading. The reason is in `what`; the file, and the line unless it is 0, are put before it. */
static void fail(tb_trace_reader *r, uint64_t line, const tb_error_text *what)
{
    r->failed = true;
    if (line > 0)
        tb_error_set(&r->error, "%s:%llu: %s", r->path, (unsigned long long)line, what->text);
    else
        tb_error_set(&r->error, "%s: %s", r->path, what->text);
}

static void fail_text(tb_trace_reader *r, uint64_t line, const char *text)
{
    tb_error_text what;
    tb_error_set(&what, "%s", text);
    fail(r, line, &what);
}

/* Moves the unfinished line to the front of the buffer and reads more behind it. */
static bool fill(tb_trace_reader *r)
{
    memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    tb_error_text what;
    ptrdiff_t n = tb_trace_input_read(r->input, r->buffer + r->end, buffer_size - r->end, &what);
    if (n < 0) {
        fail(r, r->line + 1, &what);
        return false;
    }
    r->input_ended = n == 0;
    r->end += (size_t)n;
    return true;
}

/* The next line, without its newline; the last line may lack one. */
static tb_trace_step next_line(tb_trace_reader *r, line_text *out)
{
    size_t searched = 0;
    for (;;) {
        const char *begin = r->buffer + r->begin;
        size_t have = r->end - r->begin;
        const char *newline = memchr(begin + searched, '\n', have - searched);
        size_t length = newline ? (size_t)(newline - begin) : have;
        if (length > TB_TRACE_LINE_MAX) {
            tb_error_text what;
            tb_error_set(&what, "the line is too long: expected at most %d bytes", TB_TRACE_LINE_MAX);
            fail(r, r->line + 1, &what);
            return TB_TRACE_ERROR;
        }
        if (newline || (r->input_ended && have > 0)) {
            *out = (line_text){begin, length};
            r->begin += length + (newline ? 1 : 0);
            r->line++;
            return TB_TRACE_EVENT;
        }
        if (r->input_ended)
            return TB_TRACE_END;
        searched = have;
        if (!fill(r))
            return TB_TRACE_ERROR;
    }
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

/* How the header begins; further lines are notes. */
static const char *const header_starts[] = {TB_TRACE_FIRST_LINE, "# source:", "# clock:"};
enum { header_start_count = sizeof header_starts / sizeof *header_starts };

static bool header_line_fits(line_text line, size_t index)
{
    const char *start = header_starts[index];
    size_t length = strlen(start);
    bool exact = index == 0;
    return line.length >= length && memcmp(line.text, start, length) == 0 && (!exact || line.length == length);
}

static bool keep_header_line(tb_trace_reader *r, line_text line)
{
    size_t index = r->header_lines.count;
    tb_error_text what;
    if (index < header_start_count && !header_line_fits(line, index)) {
        tb_error_set(&what, "expected the line '%s%s'", header_starts[index], index ? " ..." : "");
        fail(r, r->line, &what);
        return false;
    }
    if (!tb_trace_header_text_ok(line.text, line.length, &what)) {
        fail(r, r->line, &what);
        return false;
    }
    if (index >= header_start_count) { /* a note: without "#" */
        line.text++;
        line.length--;
    } else {
        line.text += strlen(header_starts[index]);
        line.length -= strlen(header_starts[index]);
    }
    if (line.length > 0 && *line.text == ' ') {
        line.text++;
        line.length--;
    }
    if (!tb_string_list_add(&r->header_lines, line.text, line.length)) {
        fail_text(r, 0, "out of memory");
        return false;
    }
    return true;
}

/* Reads the lines that begin with '#', and leaves the one after them to be read again. */
static bool read_header(tb_trace_reader *r)
{
    size_t bytes = 0;
    line_text line = {0};
    tb_trace_step step;
    while ((step = next_line(r, &line)) == TB_TRACE_EVENT && line.length > 0 && line.text[0] == '#') {
        bytes += line.length + 1;
        if (bytes > TB_TRACE_HEADER_MAX) {
            fail_text(r, r->line, "the header is too long: expected at most 1 MiB");
            return false;
        }
        if (!keep_header_line(r, line))
            return false;
    }
    if (step == TB_TRACE_ERROR)
        return false;
    size_t kept = r->header_lines.count;
    if (kept < header_start_count) {
        tb_error_text what;
        bool empty = step == TB_TRACE_END && r->line == 0;
        tb_error_set(&what, "%sexpected the line '%s%s'", empty ? "an empty file: " : "", header_starts[kept],
                     kept ? " ..." : "");
        fail(r, step == TB_TRACE_END ? r->line + 1 : r->line, &what);
        return false;
    }
    if (step == TB_TRACE_EVENT) {
        r->begin = (size_t)(line.text - r->buffer);
        r->line--;
    }
    const char *const *lines = (const char *const *)r->header_lines.items;
    r->header = (tb_trace_header){lines[1], lines[2], lines + header_start_count, kept - header_start_count};
    return true;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static bool begin(tb_trace_reader *r, const char *path)
{
    r->path = strdup(path);
    if (!r->path) {
        tb_error_no_memory(&r->error);
        return false;
    }
    tb_error_text what;
    r->input = tb_trace_input_open(path, &what);
    if (!r->input) {
        fail(r, 0, &what);
        return false;
    }
    return read_header(r);
}

tb_trace_reader *tb_trace_open(const char *path, tb_error_text *error)
{
    tb_trace_reader *r = malloc(sizeof *r);
    if (!r) {
        tb_error_no_memory(error);
        return NULL;
    }
    /* All but the buffer. */
    memset(r, 0, offsetof(tb_trace_reader, buffer));
    if (begin(r, path))
        return r;
    *error = r->error;
    tb_trace_close(r);
    return NULL;
}

const tb_trace_header *tb_trace_get_header(const tb_trace_reader *r)
{
    return &r->header;
}

tb_trace_step tb_trace_next(tb_trace_reader *r, tb_trace_event *out)
{
    if (r->failed)
        return TB_TRACE_ERROR;
    line_text line;
    tb_trace_step step = next_line(r, &line);
    if (step != TB_TRACE_EVENT)
        return step;
    if (line.length > 0 && line.text[0] == '#') {
        fail_text(r, r->line, "a comment after the events: expected comments in the header only");
        return TB_TRACE_ERROR;
    }
    /* Filled in only on failure, so that 5 KB are not cleared an event. */
    tb_error_text what;
    if (!tb_trace_parse_event(line.text, line.length, out, &what) || !tb_trace_rules_follow(&r->rules, out, &what)) {
        fail(r, r->line, &what);
        return TB_TRACE_ERROR;
    }
    return TB_TRACE_EVENT;
}

size_t tb_trace_pending(const tb_trace_reader *r)
{
    return r->rules.pending.count;
}

const char *tb_trace_error(const tb_trace_reader *r)
{
    return r->error.text;
}

void tb_trace_close(tb_trace_reader *r)
{
    if (!r)
        return;
    tb_trace_input_close(r->input);
    tb_trace_rules_free(&r->rules);
    tb_string_list_free(&r->header_lines);
    free(r->path);
    free(r);
}
