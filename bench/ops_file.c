/* ops_file.c: reading programs of timer operations, 'timerbench-ops 1'. */
#include "bench/ops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at, *end; /* what is left of the line */
} cursor;

typedef struct {
    const char *text;
    size_t length;
} field;

typedef struct {
    tb_ops *ops;
    const char *name;
    uint32_t line;
    bool made;
    uint32_t fail;       /* the last line was `fail`: which allocation */
    bool onward;
    uint32_t batch;      /* number of the last batch */
    uint64_t batch_left; /* operations of it that are still to come */
    uint64_t batch_size;
    tb_error_text *error;
} reading;

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool complain(reading *r, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    tb_error_set(r->error, "%s:%" PRIu32 ": %s", r->name, r->line, what);
    return false;
}

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

static bool bad(reading *r, const char *name, field f, const char *expected)
{
    if (f.length == 0)
        return complain(r, "no %s: expected %s", name, expected);
    return complain(r, "%s '%s': expected %s", name, show(f).text, expected);
}

/* ---- fields ---------------------------------------------------------------------------------------------------------- */

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

/* Whether the field is "<word>value"; *value then. */
static bool has_prefix(field f, const char *word, field *value)
{
    size_t n = strlen(word);
    if (f.length < n || memcmp(f.text, word, n) != 0)
        return false;
    *value = (field){f.text + n, f.length - n};
    return true;
}

/* Decimal digits with an optional minus sign, within least .. most. */
static bool number(reading *r, const char *name, field f, int64_t least, int64_t most, int64_t *out)
{
    bool negative = f.length > 0 && f.text[0] == '-';
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;
    bool fits = true;
    for (size_t i = negative; i < f.length || i == (size_t)negative; i++) {
        unsigned digit = i < f.length ? (unsigned)(unsigned char)f.text[i] - '0' : 10;
        if (digit > 9)
            return bad(r, name, f, "a whole number");
        fits = fits && value <= (limit - digit) / 10;
        value = fits ? value * 10 + digit : 0;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    if (fits && *out >= least && *out <= most)
        return true;
    char expected[96];
    snprintf(expected, sizeof expected, "a number from %" PRId64 " to %" PRId64, least, most);
    return bad(r, name, f, expected);
}

static bool key_field(reading *r, cursor *c, uint32_t *key)
{
    int64_t n;
    if (!number(r, "key", next_field(c), 0, UINT32_MAX, &n))
        return false;
    *key = (uint32_t)n;
    return true;
}

static bool instant_field(reading *r, cursor *c, const char *name, int64_t *out)
{
    return number(r, name, next_field(c), INT64_MIN, INT64_MAX, out);
}

static bool line_ends(reading *r, cursor *c)
{
    field f = next_field(c);
    return f.length == 0 || bad(r, "field", f, "the end of the line");
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

static bool read_make(reading *r, cursor *c)
{
    tb_ops *ops = r->ops;
    if (r->made)
        return complain(r, "a second make: expected one, before all other operations");
    if (!instant_field(r, c, "start", &ops->start))
        return false;
    for (field f = next_field(c); f.length > 0; f = next_field(c)) {
        field value;
        int64_t n;
        if (has_prefix(f, "limit=", &value) && !ops->limit) {
            if (!number(r, "limit", value, 1, INT64_MAX, &n))
                return false;
            ops->limit = (uint64_t)n;
        } else if (has_prefix(f, "keys=", &value) && !ops->keys) {
            if (!number(r, "keys", value, 1, TB_OPS_KEYS_MAX, &n))
                return false;
            ops->keys = (uint32_t)n;
        } else {
            return bad(r, "field", f, "limit=<n>, keys=<n>, each once, or the end of the line");
        }
    }
    ops->fail_make = r->fail;
    ops->onward_make = r->onward;
    r->made = true;
    return true;
}

static bool read_repeat(reading *r, field value, tb_operation *op)
{
    const char *colon = memchr(value.text, ':', value.length);
    field period = {value.text, colon ? (size_t)(colon - value.text) : value.length};
    if (!number(r, "period", period, INT64_MIN, INT64_MAX, &op->period))
        return false;
    field policy = {value.text + value.length, 0};
    if (colon)
        policy = (field){colon + 1, value.length - period.length - 1};
    for (op->policy = 0; op->policy < 3; op->policy++)
        if (is_word(policy, tb_ops_policy_names[op->policy]))
            break;
    op->repeats = true;
    return op->policy < 3 || bad(r, "policy", policy, "burst, skip or delay");
}

static bool read_arm_options(reading *r, cursor *c, tb_operation *op)
{
    for (field f = next_field(c); f.length > 0; f = next_field(c)) {
        field value;
        int64_t lane;
        if (has_prefix(f, "lane=", &value) && !op->has_lane) {
            if (!number(r, "lane", value, 0, TB_LANES - 1, &lane))
                return false;
            op->lane = (uint8_t)lane;
            op->has_lane = true;
        } else if (is_word(f, "precise") && !op->precise) {
            op->precise = true;
        } else if (has_prefix(f, "repeat=", &value) && !op->repeats) {
            if (!read_repeat(r, value, op))
                return false;
        } else {
            return bad(r, "field", f, "lane=<0-7>, precise, repeat=<ns>:<policy>, each once, or the end of the line");
        }
    }
    if (op->repeats && (op->has_lane || op->precise))
        return complain(r, "repeat with %s: expected one of the two", op->precise ? "precise" : "a lane");
    if (r->ops->keys && (op->repeats || op->precise))
        return complain(r, "%s in a keyed set: expected only plain timers there", op->precise ? "precise" : "repeat");
    return true;
}

static bool read_expired(reading *r, cursor *c, tb_operation *op)
{
    if (!instant_field(r, c, "instant", &op->at))
        return false;
    field f = next_field(c), value;
    if (f.length == 0)
        return true;
    int64_t max;
    if (!has_prefix(f, "max=", &value))
        return bad(r, "field", f, "max=<n> or the end of the line");
    if (!number(r, "max", value, 0, INT64_MAX, &max))
        return false;
    op->has_max = true;
    op->max = (uint64_t)max;
    return line_ends(r, c);
}

static bool read_slop(reading *r, cursor *c, tb_operation *op)
{
    int64_t lane;
    if (!number(r, "lane", next_field(c), 0, TB_LANES - 1, &lane) || !instant_field(r, c, "slop", &op->at))
        return false;
    op->lane = (uint8_t)lane;
    return line_ends(r, c);
}

/* Numbers an operation that belongs to a batch. */
static bool join_batch(reading *r, tb_operation *op)
{
    if (r->batch_left == 0)
        return true;
    const tb_ops *ops = r->ops;
    bool first = r->batch_left == r->batch_size;
    int kind = first ? op->kind : ops->items[ops->len - 1].kind;
    if (op->kind != kind || (kind != TB_OPS_ARM && kind != TB_OPS_CANCEL))
        return complain(r, "line %" PRIu64 " of a batch of %" PRIu64 ": expected %s", r->batch_size - r->batch_left + 1,
                        r->batch_size, first ? "an arm or a cancel" : kind == TB_OPS_ARM ? "an arm" : "a cancel");
    op->batch = r->batch;
    r->batch_left--;
    return true;
}

static bool read_operation(reading *r, cursor *c, field word)
{
    tb_operation op = {.line = r->line};
    bool done;
    if (is_word(word, "arm")) {
        op.kind = TB_OPS_ARM;
        done = key_field(r, c, &op.key) && instant_field(r, c, "deadline", &op.at) && read_arm_options(r, c, &op);
    } else if (is_word(word, "rearm")) {
        op.kind = TB_OPS_REARM;
        done = key_field(r, c, &op.key) && instant_field(r, c, "deadline", &op.at) && line_ends(r, c);
    } else if (is_word(word, "cancel")) {
        op.kind = TB_OPS_CANCEL;
        done = key_field(r, c, &op.key) && line_ends(r, c);
    } else if (is_word(word, "expired")) {
        op.kind = TB_OPS_EXPIRED;
        done = read_expired(r, c, &op);
    } else if (is_word(word, "slop")) {
        op.kind = TB_OPS_SLOP;
        done = read_slop(r, c, &op);
    } else {
        return bad(r, "operation", word, "make, slop, arm, rearm, cancel, expired, many or fail");
    }
    bool first_of_call = r->batch_left == 0 || r->batch_left == r->batch_size;
    if (!done || !join_batch(r, &op))
        return false;
    if (first_of_call) {
        op.fail = r->fail;
        op.onward = r->onward;
    }
    if (!tb_ops_add(r->ops, &op)) {
        tb_error_no_memory(r->error);
        return false;
    }
    return true;
}

/* `many` and `fail`, which speak of the lines after them. */
static bool read_prefix(reading *r, cursor *c, field word)
{
    int64_t n;
    if (is_word(word, "many")) {
        if (r->ops->keys)
            return complain(r, "many in a keyed set: expected single operations there");
        if (!number(r, "size of the batch", next_field(c), 1, INT64_MAX, &n) || !line_ends(r, c))
            return false;
        r->batch_size = r->batch_left = (uint64_t)n;
        r->batch++;
        return true;
    }
    if (r->fail)
        return complain(r, "fail after fail: expected an operation after it");
    if (!number(r, "allocation", next_field(c), 1, UINT32_MAX, &n))
        return false;
    r->fail = (uint32_t)n;
    field f = next_field(c);
    r->onward = is_word(f, "onward");
    if (f.length > 0 && !r->onward)
        return bad(r, "field", f, "onward or the end of the line");
    return line_ends(r, c);
}

static bool read_line(reading *r, cursor c)
{
    field word = next_field(&c);
    if (word.length == 0 || word.text[0] == '#')
        return true;
    bool fail = is_word(word, "fail"), many = is_word(word, "many"), make = is_word(word, "make");
    if (r->batch_left > 0 && (fail || many || make))
        return complain(r, "%s in a batch: expected %" PRIu64 " more of its operations", show(word).text, r->batch_left);
    if (!r->made && !make && !fail)
        return complain(r, "'%s' before make: expected make <start> first", show(word).text);
    if (fail || many)
        return read_prefix(r, &c, word);
    bool done = make ? read_make(r, &c) : read_operation(r, &c, word);
    r->fail = 0;
    r->onward = false;
    return done;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

/* The next line into `line`: its length, -1 at the end, -2 when it is bad. */
static int next_line(reading *r, FILE *in, char line[TB_OPS_LINE_MAX])
{
    int length = 0, c;
    r->line++;
    while ((c = getc(in)) != EOF && c != '\n') {
        if (length == TB_OPS_LINE_MAX)
            complain(r, "the line is too long: expected at most %d bytes", TB_OPS_LINE_MAX);
        else if (c == '\0')
            complain(r, "a NUL byte in the line: expected text");
        else if (c == '\r')
            complain(r, "a carriage return in the line: expected lines that end in a newline alone");
        else {
            line[length++] = (char)c;
            continue;
        }
        return -2;
    }
    if (c == EOF && ferror(in)) {
        tb_error_set(r->error, "%s: %s", r->name, strerror(errno));
        return -2;
    }
    return c == EOF && length == 0 ? -1 : length;
}

static bool is_complete(reading *r)
{
    if (!r->made)
        return complain(r, "the end of the file: expected make <start>");
    if (r->batch_left > 0)
        return complain(r, "the end of the file in a batch of %" PRIu64 ": expected %" PRIu64 " more of its operations",
                        r->batch_size, r->batch_left);
    if (r->fail)
        return complain(r, "the end of the file after fail: expected an operation");
    return true;
}

static bool read_lines(reading *r, FILE *in)
{
    char line[TB_OPS_LINE_MAX];
    int length;
    errno = 0;
    while ((length = next_line(r, in, line)) >= 0) {
        if (r->line == 1) {
            if (length != (int)strlen(TB_OPS_FIRST_LINE) || memcmp(line, TB_OPS_FIRST_LINE, (size_t)length) != 0)
                return complain(r, "expected the line '%s'", TB_OPS_FIRST_LINE);
        } else if (!read_line(r, (cursor){line, line + length})) {
            return false;
        }
        if (r->line == UINT32_MAX)
            return complain(r, "more lines than can be counted");
    }
    if (length == -2)
        return false;
    if (r->line == 1)
        return complain(r, "an empty file: expected the line '%s'", TB_OPS_FIRST_LINE);
    return is_complete(r);
}

bool tb_ops_read_stream(tb_ops *ops, FILE *in, const char *name, tb_error_text *error)
{
    *ops = (tb_ops){0};
    reading r = {.ops = ops, .name = name, .error = error};
    if (read_lines(&r, in))
        return true;
    tb_ops_free(ops);
    return false;
}

bool tb_ops_read(tb_ops *ops, const char *path, tb_error_text *error)
{
    *ops = (tb_ops){0};
    FILE *in = fopen(path, "r");
    if (!in) {
        tb_error_set(error, "%s: %s", path, errno == EISDIR ? "is a folder" : strerror(errno));
        return false;
    }
    bool done = tb_ops_read_stream(ops, in, path, error);
    fclose(in);
    return done;
}
