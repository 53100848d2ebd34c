/* iso8601.c: what ISO 8601 has beyond RFC 3339: durations, and dates by their week. */
#include <timerbench/date_format.h>

#include "calendar/reader.h"

/* ---- durations ---------------------------------------------------------------------------------------------------- */

static char *put_number(char *out, uint64_t number)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *out++ = digits[--count];
    return out;
}

size_t tb_duration_iso8601(tb_duration d, char *out)
{
    char *end = out;
    uint64_t left = d.ns < 0 ? 0 - (uint64_t)d.ns : (uint64_t)d.ns;
    uint64_t hours = left / (uint64_t)TB_NANOS_PER_HOUR, minutes = left / (uint64_t)TB_NANOS_PER_MINUTE % 60;
    uint64_t seconds = left / (uint64_t)TB_NANOS_PER_SECOND % 60;
    uint32_t nanos = (uint32_t)(left % (uint64_t)TB_NANOS_PER_SECOND);
    if (d.ns < 0)
        *end++ = '-';
    memcpy(end, "PT", 2);
    end += 2;
    if (hours) {
        end = put_number(end, hours);
        *end++ = 'H';
    }
    if (minutes) {
        end = put_number(end, minutes);
        *end++ = 'M';
    }
    if (seconds || nanos || left == 0) {
        end = tb_put_fraction(put_number(end, seconds), nanos);
        *end++ = 'S';
    }
    *end = '\0';
    return (size_t)(end - out);
}

/* A part's number, which stays past every Duration when it is: 2^63 ns are fewer than 10^10 s. */
static bool read_count(tb_reader *r, int64_t *count)
{
    unsigned digit;
    if (!tb_next_digit(r, &digit))
        return tb_refuse_missing(r->error, r->at, r->length, "a number");
    for (*count = 0; tb_next_digit(r, &digit); r->at++)
        *count = *count > 10000000000 ? *count : *count * 10 + digit;
    return true;
}

/* What any text of numbers comes to. */
__extension__ typedef __int128 wide;

typedef struct unit {
    char letter;
    int64_t seconds;
} unit;

static const unit date_units[] = {{'W', 604800}, {'D', 86400}, {0, 0}}, time_units[] = {{'H', 3600}, {'M', 60}, {'S', 1}, {0, 0}};

__attribute__((cold)) static bool refuse_unit(tb_reader *r, const unit *first, bool fraction)
{
    if (first == date_units && (tb_next_is(r, 'Y') || tb_next_is(r, 'M')))
        return tb_refuse(r->error, r->at, "a year or a month has no fixed length");
    if (fraction)
        return tb_refuse_missing(r->error, r->at, r->length, "'S' after the fraction");
    return tb_refuse_missing(r->error, r->at, r->length,
                             first == date_units ? "'W' or 'D', once and in this order," : "'H', 'M' or 'S', once and in this order,");
}

/* Parts of one half up to T or the end: each unit once, in their order. How many, or -1. */
static int read_parts(tb_reader *r, const unit *first, wide *nanos)
{
    int parts = 0;
    for (const unit *u = first; r->at < r->length && !tb_next_is(r, 'T'); parts++, u++) {
        int64_t count;
        uint32_t fraction = 0;
        if (!read_count(r, &count))
            return -1;
        bool has_fraction = first == time_units && (tb_next_is(r, '.') || tb_next_is(r, ','));
        if (has_fraction) {
            r->at++;
            if (!tb_read_fraction(r, &fraction))
                return -1;
        }
        while (u->letter && (!tb_next_is(r, u->letter) || (has_fraction && u->letter != 'S')))
            u++;
        if (!u->letter) {
            refuse_unit(r, first, has_fraction);
            return -1;
        }
        r->at++;
        *nanos += (wide)count * u->seconds * TB_NANOS_PER_SECOND + fraction;
    }
    return parts;
}

bool tb_duration_parse_iso8601(const char *text, size_t length, tb_duration *out, tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    bool negative = tb_next_is(&r, '-');
    wide nanos = 0;
    r.at += negative || tb_next_is(&r, '+');
    if (!tb_read_char(&r, 'P', "'P'"))
        return false;
    int parts = read_parts(&r, date_units, &nanos);
    if (parts < 0)
        return false;
    if (tb_next_is(&r, 'T')) {
        r.at++;
        parts = read_parts(&r, time_units, &nanos);
        if (parts < 0)
            return false;
    }
    if (parts == 0)
        return tb_refuse_missing(error, r.at, length, "a number");
    if (!tb_read_end(&r))
        return false;
    nanos = negative ? -nanos : nanos;
    if (nanos < INT64_MIN || nanos > INT64_MAX)
        return tb_refuse(error, 0,
                         "the duration is outside a Duration's range, -PT2562047H47M16.854775808S to PT2562047H47M16.854775807S");
    out->ns = (int64_t)nanos;
    return true;
}

/* ---- dates by their week ------------------------------------------------------------------------------------------ */

size_t tb_date_iso_week_text(tb_date d, char *out)
{
    char *end = tb_put_year(out, tb_date_iso_year(d));
    memcpy(end, "-W", 2);
    end = tb_put_two(end + 2, (uint32_t)tb_date_iso_week(d));
    *end++ = '-';
    *end++ = (char)('0' + tb_date_iso_weekday(d));
    *end = '\0';
    return (size_t)(end - out);
}

bool tb_date_parse_iso_week(const char *text, size_t length, tb_date *out, tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    int64_t year;
    uint32_t week, weekday;
    if (!tb_read_year(&r, &year) || !tb_read_char(&r, '-', "'-' before the week") ||
        !tb_read_char(&r, 'W', "'W' before the week") ||
        !tb_read_two(&r, &week, "a digit of the week") || !tb_read_char(&r, '-', "'-' before the weekday") ||
        !tb_read_digits(&r, 1, &weekday, "the weekday"))
        return false;
    size_t week_at = r.at - 4;
    bool year_is_one = year >= (int64_t)INT32_MIN - 1 && year <= (int64_t)INT32_MAX + 1;
    if (year_is_one && (week < 1 || week > (uint32_t)tb_weeks_in_iso_year(year)))
        return tb_refuse_range(error, week_at, "week", week, 1, tb_weeks_in_iso_year(year));
    if (year_is_one && (weekday < 1 || weekday > 7))
        return tb_refuse_range(error, week_at + 3, "weekday", weekday, 1, 7);
    tb_date d;
    if (!year_is_one || !tb_date_from_iso_week(year, week, weekday, &d))
        return tb_refuse_year(&r, 0, year);
    if (!tb_read_end(&r))
        return false;
    *out = d;
    return true;
}
