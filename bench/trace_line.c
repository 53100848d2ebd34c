/* trace_line.c: the grammar of one line of a trace file. */
#include "bench/trace_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const op_names[] = {"arm", "rearm", "cancel", "fired"};
enum { op_count = sizeof op_names / sizeof *op_names };

const char *tb_trace_op_name(tb_trace_op op)
{
    return op_names[op];
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *at, *end;
} cursor;

typedef struct {
    const char *text;
    size_t length;
} field;

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next field; of length 0 at the end of the line. */
static field next_field(cursor *c)
{
    while (c->at < c->end && blank(*c->at))
        c->at++;
    field f = {c->at, 0};
    while (c->at < c->end && !blank(*c->at))
        c->at++;
    f.length = (size_t)(c->at - f.text);
    return f;
}

static bool is_word(field f, const char *word)
{
    return f.length == strlen(word) && memcmp(f.text, word, f.length) == 0;
}

typedef enum { number_ok, number_bad, number_too_large } number_result;

/* Decimal digits with an optional minus sign, within int64_t. */
static number_result read_number(field f, int64_t *out)
{
    bool negative = f.length > 0 && f.text[0] == '-';
    size_t i = negative ? 1 : 0;
    if (i == f.length)
        return number_bad;
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;
    bool too_large = false;
    for (; i < f.length; i++) {
        unsigned digit = (unsigned)(unsigned char)f.text[i] - '0';
        if (digit > 9)
            return number_bad;
        if (value > (limit - digit) / 10)
            too_large = true;
        else
            value = value * 10 + digit;
    }
    if (too_large)
        return number_too_large;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return number_ok;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

enum { shown_max = 40 };

/* A field as a message shows it: printable ASCII, and not too much of it. */
typedef struct {
    char text[shown_max + 4];
} shown;

static shown show(field f)
{
    shown s;
    size_t length = f.length < shown_max ? f.length : shown_max;
    for (size_t i = 0; i < length; i++)
        s.text[i] = f.text[i] >= ' ' && f.text[i] <= '~' ? f.text[i] : '?';
    strcpy(s.text + length, f.length > length ? "..." : "");
    return s;
}

/* No field can hold the bytes named here, so they are looked for only when a line has turned out bad. */
static bool unprintable(const char *line, size_t length, tb_error_text *what)
{
    if (memchr(line, '\0', length))
        tb_error_set(what, "a NUL byte in the line: expected text");
    else if (memchr(line, '\r', length))
        tb_error_set(what, "a carriage return in the line: expected lines that end in a newline alone");
    else
        return false;
    return true;
}

static bool bad(cursor line, tb_error_text *what, const char *name, field f, const char *expected)
{
    if (unprintable(line.at, (size_t)(line.end - line.at), what))
        return false;
    if (f.length == 0)
        tb_error_set(what, "no %s: expected %s", name, expected);
    else
        tb_error_set(what, "%s '%s': expected %s", name, show(f).text, expected);
    return false;
}

/* The number in `f`, from `least` to `most`. */
static bool number_field(cursor line, field f, const char *name, int64_t least, int64_t most, int64_t *out,
                         tb_error_text *what)
{
    number_result result = read_number(f, out);
    if (result == number_ok && *out >= least && *out <= most)
        return true;
    char expected[96];
    if (result == number_bad)
        snprintf(expected, sizeof expected, "a whole number");
    else
        snprintf(expected, sizeof expected, "a number from %" PRId64 " to %" PRId64, least, most);
    return bad(line, what, name, f, expected);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool set_fields(cursor line, cursor *rest, tb_trace_event *out, tb_error_text *what)
{
    if (!number_field(line, next_field(rest), "deadline", 0, INT64_MAX, &out->deadline, what))
        return false;
    field f = next_field(rest);
    if (f.length > 5 && memcmp(f.text, "slop=", 5) == 0) {
        if (!number_field(line, (field){f.text + 5, f.length - 5}, "slop", 1, INT64_MAX, &out->slop, what))
            return false;
        f = next_field(rest);
    }
    if (is_word(f, "precise")) {
        out->precise = true;
        f = next_field(rest);
    }
    return f.length == 0 || bad(line, what, "field", f, "slop=<ns>, then precise, or the end of the line");
}

bool tb_trace_parse_event(const char *text, size_t length, tb_trace_event *out, tb_error_text *what)
{
    const cursor line = {text, text + length};
    cursor rest = line;
    *out = (tb_trace_event){0};
    field time = next_field(&rest);
    if (time.length == 0) {
        tb_error_set(what, "an empty line: expected '<time> arm|rearm|cancel|fired <key> ...'");
        return false;
    }
    if (!number_field(line, time, "time", 0, INT64_MAX, &out->time, what))
        return false;
    field op = next_field(&rest);
    int which = 0;
    while (which < op_count && !is_word(op, op_names[which]))
        which++;
    if (which == op_count)
        return bad(line, what, "operation", op, "arm, rearm, cancel or fired");
    out->op = (tb_trace_op)which;
    int64_t key;
    if (!number_field(line, next_field(&rest), "key", 0, TB_TRACE_KEY_MAX, &key, what))
        return false;
    out->key = (int32_t)key;
    if (out->op == TB_TRACE_ARM || out->op == TB_TRACE_REARM)
        return set_fields(line, &rest, out, what);
    field after = next_field(&rest);
    return after.length == 0 || bad(line, what, "field", after, "the end of the line");
}

size_t tb_trace_format_event(const tb_trace_event *event, char out[TB_TRACE_EVENT_TEXT])
{
    char *p = out;
    p += sprintf(p, "%" PRId64 " %s %" PRId32, event->time, op_names[event->op], event->key);
    if (event->op == TB_TRACE_ARM || event->op == TB_TRACE_REARM) {
        p += sprintf(p, " %" PRId64, event->deadline);
        if (event->slop > 0)
            p += sprintf(p, " slop=%" PRId64, event->slop);
        if (event->precise)
            p += sprintf(p, " precise");
    }
    *p++ = '\n';
    return (size_t)(p - out);
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

/* The length of the UTF-8 character at p, or 0: none, or a control character (C0 but tab, DEL, C1).
   Source: The Unicode Standard 15, table 3-7. */
static size_t printable_character(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80)
        return (p[0] >= 0x20 || p[0] == '\t') && p[0] != 0x7f ? 1 : 0;
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool surrogate = p[0] == 0xed && p[1] >= 0xa0, beyond = p[0] == 0xf4 && p[1] >= 0x90;
    bool control = p[0] == 0xc2 && p[1] < 0xa0;
    return overlong || surrogate || beyond || control ? 0 : length;
}

/* Whether the line names a file of a machine: a path through one of the folders under which programs are kept and
   people work. Returns the folder's name. */
static const char *machine_folder(const char *line, size_t length)
{
    static const char *const folders[] = {"tmp", "root", "home", "usr", "var", "etc", "opt", "work"};
    const char *end = line + length, *slash = line;
    while ((slash = memchr(slash, '/', (size_t)(end - slash))) != NULL) {
        const char *name = ++slash;
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            size_t n = strlen(folders[i]);
            if ((size_t)(end - name) > n && memcmp(name, folders[i], n) == 0 && name[n] == '/')
                return folders[i];
        }
    }
    return NULL;
}

bool tb_trace_header_text_ok(const char *line, size_t length, tb_error_text *what)
{
    if (unprintable(line, length, what))
        return false;
    for (size_t i = 0; i < length;) {
        size_t n = printable_character((const unsigned char *)line + i, length - i);
        if (n == 0) {
            tb_error_set(what, "byte 0x%02x in the header: expected printable UTF-8", (unsigned char)line[i]);
            return false;
        }
        i += n;
    }
    const char *folder = machine_folder(line, length);
    if (folder) {
        tb_error_set(what, "a path with '/%s/' in the header: expected nothing that names a machine's files", folder);
        return false;
    }
    return true;
}
