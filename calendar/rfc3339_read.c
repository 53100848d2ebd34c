/* rfc3339_read.c: reading what rfc3339_write.c writes, and every other text that RFC 3339 allows. A text is read in
   groups: the date, the time of day with its fraction, the offset. Each group is first read whole, then its parts are
   held against their ranges; so the fault that is named is the first one a person who reads would meet. */
#include "calendar/digits.h"
#include "calendar/reason.h"

typedef struct reader {
    const char *text;
    size_t length, at;
    tb_time_error *error;
} reader;

/* ---- pieces ------------------------------------------------------------------------------------------------------- */

static inline bool is_next(const reader *r, char c)
{
    return r->at < r->length && r->text[r->at] == c;
}

static inline bool digit_next(const reader *r, unsigned *digit)
{
    return r->at < r->length && (*digit = tb_digit(r->text[r->at])) <= 9;
}

static inline bool read_char(reader *r, char c, const char *what)
{
    if (!is_next(r, c))
        return tb_refuse_missing(r->error, r->at, r->length, what);
    r->at++;
    return true;
}

static inline bool read_two(reader *r, uint32_t *number, const char *what)
{
    unsigned tens, ones;
    if (!digit_next(r, &tens))
        return tb_refuse_missing(r->error, r->at, r->length, what);
    r->at++;
    if (!digit_next(r, &ones))
        return tb_refuse_missing(r->error, r->at, r->length, what);
    r->at++;
    *number = tens * 10 + ones;
    return true;
}

static inline bool read_end(reader *r)
{
    return r->at == r->length || tb_refuse(r->error, r->at, "the text goes on after its end was expected");
}

/* ---- the date ----------------------------------------------------------------------------------------------------- */

/* A sign and at least six digits. The value of more digits than fit stays past every year. */
__attribute__((noinline)) static bool read_expanded_year(reader *r, int64_t *year)
{
    size_t start = r->at, first = r->at + 1;
    bool negative = r->text[r->at++] == '-';
    int64_t value = 0;
    for (unsigned digit; digit_next(r, &digit); r->at++)
        value = value > INT32_MAX ? value : value * 10 + digit;
    if (r->at - first < 6)
        return tb_refuse(r->error, start, "a year with a sign has at least six digits");
    /* -000000 has no meaning: told from 0 by a value below every year. */
    *year = !negative ? value : value ? -value : INT64_MIN;
    return true;
}

static inline bool read_year(reader *r, int64_t *year)
{
    uint32_t century, rest;
    if (__builtin_expect(is_next(r, '+') || is_next(r, '-'), 0))
        return read_expanded_year(r, year);
    if (!read_two(r, &century, "a digit of the year") || !read_two(r, &rest, "a digit of the year"))
        return false;
    *year = century * 100 + rest;
    return true;
}

__attribute__((cold)) static bool refuse_year(reader *r, size_t at, int64_t year)
{
    if (year == INT64_MIN)
        return tb_refuse(r->error, at, "the year 0 is written +000000 or 0000");
    return tb_refuse(r->error, at, "the year is outside -2147483648 to 2147483647");
}

static inline bool read_date(reader *r, tb_date *out)
{
    size_t start = r->at;
    int64_t year;
    uint32_t month, day;
    if (!read_year(r, &year) || !read_char(r, '-', "'-' before the month") || !read_two(r, &month, "a digit of the month") ||
        !read_char(r, '-', "'-' before the day") || !read_two(r, &day, "a digit of the day"))
        return false;
    if (__builtin_expect(tb_date_from_ymd(year, month, day, out), 1))
        return true;
    if (year < INT32_MIN || year > INT32_MAX)
        return refuse_year(r, start, year);
    if (month < 1 || month > 12)
        return tb_refuse_range(r->error, r->at - 5, "month", month, 1, 12);
    return tb_refuse_range(r->error, r->at - 2, "day", day, 1, tb_days_in_month(year, month));
}

/* ---- the time of day ---------------------------------------------------------------------------------------------- */

static inline bool read_fraction(reader *r, uint32_t *nanosecond)
{
    static const uint32_t scale[] = {0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    unsigned count = 0, digit;
    uint32_t value = 0;
    for (; digit_next(r, &digit); r->at++) {
        if (++count > 9)
            return tb_refuse(r->error, r->at, "a fraction of a second has nine digits at most");
        value = value * 10 + digit;
    }
    if (count == 0)
        return tb_refuse_missing(r->error, r->at, r->length, "a digit of the fraction");
    *nanosecond = value * scale[count];
    return true;
}

static inline bool read_time(reader *r, tb_time_of_day *out)
{
    size_t start = r->at;
    uint32_t hour, minute, second, nanosecond = 0;
    if (!read_two(r, &hour, "a digit of the hour") || !read_char(r, ':', "':' before the minute") ||
        !read_two(r, &minute, "a digit of the minute") || !read_char(r, ':', "':' before the second") ||
        !read_two(r, &second, "a digit of the second"))
        return false;
    if (is_next(r, '.')) {
        r->at++;
        if (!read_fraction(r, &nanosecond))
            return false;
    }
    if (__builtin_expect(tb_time_of_day_from_hms_nanos(hour, minute, second, nanosecond, out), 1))
        return true;
    if (hour > 23)
        return tb_refuse_range(r->error, start, "hour", hour, 0, 23);
    if (minute > 59)
        return tb_refuse_range(r->error, start + 3, "minute", minute, 0, 59);
    return tb_refuse_second(r->error, start + 6, second);
}

/* ---- the offset --------------------------------------------------------------------------------------------------- */

/* Minutes east of UTC. */
static inline bool read_offset(reader *r, int32_t *east)
{
    *east = 0;
    if (is_next(r, 'Z') || is_next(r, 'z')) {
        r->at++;
        return true;
    }
    bool west = is_next(r, '-');
    if (!west && !is_next(r, '+')) {
        if (r->at < r->length)
            return tb_refuse(r->error, r->at, "the offset, 'Z' or '+hh:mm' or '-hh:mm', was expected");
        return tb_refuse(r->error, r->at, "the date-time has no offset: RFC 3339 ends it with 'Z' or '+hh:mm' or '-hh:mm'");
    }
    size_t start = ++r->at;
    uint32_t hour, minute;
    if (!read_two(r, &hour, "a digit of the offset's hour") || !read_char(r, ':', "':' before the offset's minute") ||
        !read_two(r, &minute, "a digit of the offset's minute"))
        return false;
    if (hour > 23)
        return tb_refuse_range(r->error, start, "offset's hour", hour, 0, 23);
    if (minute > 59)
        return tb_refuse_range(r->error, start + 3, "offset's minute", minute, 0, 59);
    *east = (int32_t)(hour * 60 + minute) * (west ? -1 : 1);
    return true;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static bool read_separator(reader *r)
{
    if (is_next(r, 'T') || is_next(r, 't')) {
        r->at++;
        return true;
    }
    if (is_next(r, ' '))
        return tb_refuse(r->error, r->at, "a space between the date and the time: RFC 3339 writes 'T'");
    return tb_refuse_missing(r->error, r->at, r->length, "'T' before the time");
}

static inline bool read_date_time(reader *r, tb_date_time *out)
{
    tb_date_time local;
    int32_t east;
    if (!read_date(r, &local.date) || !read_separator(r) || !read_time(r, &local.time) || !read_offset(r, &east) || !read_end(r))
        return false;
    tb_date_time utc = local;
    if (east) {
        utc = tb_date_time_sub(local, tb_duration_from_minutes(east));
        /* A year that wraps is far from the one it came from. */
        if (tb_date_lt(utc.date, local.date) != (east > 0) && tb_date_ne(utc.date, local.date))
            return refuse_year(r, 0, 0);
    }
    *out = utc;
    return true;
}

bool tb_date_parse_rfc3339(const char *text, size_t length, tb_date *out, tb_time_error *error)
{
    reader r = {text, length, 0, error};
    tb_date d;
    if (!read_date(&r, &d) || !read_end(&r))
        return false;
    *out = d;
    return true;
}

bool tb_time_of_day_parse_rfc3339(const char *text, size_t length, tb_time_of_day *out, tb_time_error *error)
{
    reader r = {text, length, 0, error};
    tb_time_of_day t;
    if (!read_time(&r, &t) || !read_end(&r))
        return false;
    *out = t;
    return true;
}

bool tb_date_time_parse_rfc3339(const char *text, size_t length, tb_date_time *out, tb_time_error *error)
{
    reader r = {text, length, 0, error};
    return read_date_time(&r, out);
}

bool tb_timestamp_parse_rfc3339(const char *text, size_t length, tb_timestamp *out, tb_time_error *error)
{
    reader r = {text, length, 0, error};
    tb_date_time dt;
    return read_date_time(&r, &dt) && (tb_date_time_to_timestamp(dt, out) || tb_refuse_timestamp(error));
}
