/* format_read.c: reading date-times by a pattern. The conversions' fields are read from left to right, each against its range;
   then the date is made of what there is. What that comes to is written by the same pattern and held against the text: so
   a field that contradicts the others, or one that is there twice with two values, is found, and where. */
#include "calendar/format.h"

#include "calendar/names.h"
#include "calendar/reader.h"

typedef struct fields {
    bool has_year, has_iso_year, has_month, has_day, has_day_of_year, has_weekday, has_second_count, has_offset;
    bool has_hour12, has_half, afternoon;
    char week_kind; /* 'V', 'U', 'W'; 0: none */
    int64_t year, iso_year, second_count;
    int32_t century, year_of_century, iso_year_of_century; /* -1: not there */
    int32_t month, day, day_of_year, week, weekday, hour, minute, second, nanosecond, offset;
    size_t date_at; /* where the date's last field begins */
} fields;

/* ---- fields ------------------------------------------------------------------------------------------------------- */

static bool refuse_digit(const tb_reader *r, const char *part)
{
    tb_reason reason = tb_reason_begin(r->error, r->at);
    tb_reason_text(&reason, r->at == r->length ? "the text ends where a digit of the " : "a digit of the ");
    tb_reason_text(&reason, part);
    tb_reason_text(&reason, " was expected");
    return false;
}

/* So many digits within a range; `spaced`: a space may stand for the first of two. */
static bool read_number(tb_reader *r, int digits, bool spaced, int32_t lowest, int32_t highest, const char *part, int32_t *out)
{
    size_t start = r->at;
    unsigned digit;
    if (spaced && tb_next_is(r, ' ')) {
        r->at++;
        digits--;
    }
    for (*out = 0; digits; digits--, r->at++) {
        if (!tb_next_digit(r, &digit))
            return refuse_digit(r, part);
        *out = *out * 10 + (int32_t)digit;
    }
    return (*out >= lowest && *out <= highest) || tb_refuse_range(r->error, start, part, *out, lowest, highest);
}

static bool read_year_field(tb_reader *r, int64_t *out)
{
    size_t start = r->at;
    if (!tb_read_year(r, out))
        return false;
    return (*out >= (int64_t)INT32_MIN - 1 && *out <= (int64_t)INT32_MAX + 1) || tb_refuse_year(r, start, *out);
}

static bool read_name(tb_reader *r, const char (*names)[TB_NAME_SIZE], int count, bool full, const char *what, int32_t *out)
{
    int found = tb_find_name(names, count, full, true, r->text + r->at, r->length - r->at);
    if (found < 0)
        return tb_refuse_missing(r->error, r->at, r->length, what);
    r->at += full ? strlen(names[found]) : TB_SHORT_NAME;
    *out = found + 1;
    return true;
}

static bool read_half(tb_reader *r, fields *f)
{
    static const char halves[2][TB_NAME_SIZE] = {"AM", "PM"};
    int found = tb_find_name(halves, 2, true, true, r->text + r->at, r->length - r->at);
    if (found < 0)
        return tb_refuse_missing(r->error, r->at, r->length, "AM or PM");
    r->at += 2;
    f->has_half = true;
    f->afternoon = found;
    return true;
}

static bool read_offset(tb_reader *r, bool colon, fields *f)
{
    int32_t hour, minute;
    bool west = tb_next_is(r, '-');
    if (!west && !tb_next_is(r, '+'))
        return tb_refuse_missing(r->error, r->at, r->length, "'+' or '-' of the offset");
    r->at++;
    if (!read_number(r, 2, false, 0, 23, "offset's hour", &hour) ||
        (colon && !tb_read_char(r, ':', "':' before the offset's minute")) ||
        !read_number(r, 2, false, 0, 59, "offset's minute", &minute))
        return false;
    f->offset = (hour * 3600 + minute * 60) * (west ? -1 : 1);
    f->has_offset = true;
    return true;
}

/* Seconds that no date has stay so. */
static bool read_second_count(tb_reader *r, fields *f)
{
    bool negative = tb_next_is(r, '-');
    unsigned digit;
    int64_t count = 0;
    r->at += negative;
    if (!tb_next_digit(r, &digit))
        return tb_refuse_missing(r->error, r->at, r->length, "a digit of the seconds");
    for (; tb_next_digit(r, &digit); r->at++)
        count = count > INT64_C(100000000000000000) ? count : count * 10 + digit;
    f->second_count = negative ? -count : count;
    f->has_second_count = true;
    return true;
}

/* Those of the date; *known is false when it is another one. */
static bool read_date_field(tb_reader *r, fields *f, char conversion, bool *known)
{
    size_t start = r->at;
    bool done;
    *known = true;
    switch (conversion) {
    case 'Y': done = read_year_field(r, &f->year); f->has_year = true; break;
    case 'G': done = read_year_field(r, &f->iso_year); f->has_iso_year = true; break;
    case 'C': done = read_number(r, 2, false, 0, 99, "century", &f->century); break;
    case 'y': done = read_number(r, 2, false, 0, 99, "year", &f->year_of_century); break;
    case 'g': done = read_number(r, 2, false, 0, 99, "year", &f->iso_year_of_century); break;
    case 'm': done = read_number(r, 2, false, 1, 12, "month", &f->month); f->has_month = true; break;
    case 'b':
    case 'h':
    case 'B': done = read_name(r, tb_month_names, 12, conversion == 'B', "a month's name", &f->month); f->has_month = true; break;
    case 'd':
    case 'e': done = read_number(r, 2, conversion == 'e', 1, 31, "day", &f->day); f->has_day = true; break;
    case 'j': done = read_number(r, 3, false, 1, 366, "day of the year", &f->day_of_year); f->has_day_of_year = true; break;
    case 'a':
    case 'A':
        done = read_name(r, tb_weekday_names, 7, conversion == 'A', "a day's name", &f->weekday);
        f->has_weekday = true;
        break;
    case 'u': done = read_number(r, 1, false, 1, 7, "weekday", &f->weekday); f->has_weekday = true; break;
    case 'w':
        done = read_number(r, 1, false, 0, 6, "weekday", &f->weekday);
        f->weekday = f->weekday ? f->weekday : 7;
        f->has_weekday = true;
        break;
    case 'V':
    case 'U':
    case 'W':
        done = read_number(r, 2, false, conversion == 'V', 53, "week", &f->week);
        f->week_kind = conversion;
        break;
    default: *known = false; return true;
    }
    f->date_at = start;
    return done;
}

static bool read_time_field(tb_reader *r, fields *f, char conversion, bool *known)
{
    size_t start = r->at;
    *known = true;
    switch (conversion) {
    case 'H':
    case 'k': return read_number(r, 2, conversion == 'k', 0, 23, "hour", &f->hour);
    case 'I':
    case 'l': f->has_hour12 = true; return read_number(r, 2, conversion == 'l', 1, 12, "hour", &f->hour);
    case 'p':
    case 'P': return read_half(r, f);
    case 'M': return read_number(r, 2, false, 0, 59, "minute", &f->minute);
    case 'S':
        return read_number(r, 2, false, 0, 99, "second", &f->second) &&
               (f->second <= 59 || tb_refuse_second(r->error, start, f->second));
    case 'N': return read_number(r, 9, false, 0, 999999999, "nanosecond", &f->nanosecond);
    case 's': return read_second_count(r, f);
    case 'z': return read_offset(r, false, f);
    case ':': return read_offset(r, true, f);
    default: *known = false; return true;
    }
}

static bool read_literal(tb_reader *r, const char *literal, size_t length)
{
    for (size_t i = 0; i < length; i++, r->at++)
        if (!tb_next_is(r, literal[i]))
            return tb_refuse_missing(r->error, r->at, r->length, "the pattern's own character");
    return true;
}

/* %Z, %n, %t, %% */
static bool read_fixed(tb_reader *r, char conversion)
{
    switch (conversion) {
    case 'Z': return read_literal(r, "UTC", 3);
    case 'n': return read_literal(r, "\n", 1);
    case 't': return read_literal(r, "\t", 1);
    default: return read_literal(r, "%", 1);
    }
}

static bool read_fields(tb_reader *r, fields *f, const char *pattern)
{
    for (const char *at = pattern; *at;) {
        size_t plain = tb_format_plain(at);
        if (!read_literal(r, at, plain))
            return false;
        at += plain;
        if (!*at)
            break;
        const char *expansion = tb_format_expansion(at[1]);
        bool known;
        if (expansion && !read_fields(r, f, expansion))
            return false;
        if (!expansion && (!read_date_field(r, f, at[1], &known) || (!known && !read_time_field(r, f, at[1], &known)) ||
                           (!known && !read_fixed(r, at[1]))))
            return false;
        at += at[1] == ':' ? 3 : 2;
    }
    return true;
}

/* ---- the date of them --------------------------------------------------------------------------------------------- */

/* POSIX's: 69 to 99 are of the twentieth century, 00 to 68 of the twenty-first. */
static int64_t full_year(int32_t two_digits)
{
    return two_digits + (two_digits >= 69 ? 1900 : 2000);
}

static int64_t year_of(const fields *f)
{
    if (f->has_year)
        return f->year;
    if (f->century >= 0)
        return f->century * 100 + (f->year_of_century >= 0 ? f->year_of_century : 0);
    if (f->year_of_century >= 0)
        return full_year(f->year_of_century);
    return 1970;
}

/* From the first Sunday (%U) or Monday (%W) of the year. */
static bool date_of_week(const fields *f, int64_t year, int32_t weekday, tb_date *out)
{
    tb_date first;
    if (!tb_date_from_ymd(year, 1, 1, &first))
        return false;
    int64_t begins = f->week_kind == 'U' ? 0 : 1;                       /* the weekday that a week begins with, from Sunday */
    int64_t days_before = (begins - tb_date_iso_weekday(first) + 14) % 7; /* the first one */
    int64_t days = days_before + (f->week - 1) * 7 + (weekday % 7 - begins + 7) % 7;
    *out = tb_date_add_days(first, days);
    return tb_date_year(*out) == year;
}

static bool date_of(const fields *f, tb_date *out)
{
    int64_t year = year_of(f);
    if (f->has_month || f->has_day)
        return tb_date_from_ymd(year, f->has_month ? f->month : 1, f->has_day ? f->day : 1, out);
    if (f->has_day_of_year) {
        if (!tb_date_from_ymd(year, 1, 1, out) || f->day_of_year > tb_date_days_in_year(*out))
            return false;
        *out = tb_date_add_days(*out, f->day_of_year - 1);
        return true;
    }
    int32_t weekday = f->has_weekday ? f->weekday : 1;
    if (f->week_kind == 'V') {
        int64_t iso_year = f->has_iso_year ? f->iso_year : f->iso_year_of_century >= 0 ? full_year(f->iso_year_of_century) : year;
        return tb_date_from_iso_week(iso_year, f->week, weekday, out);
    }
    if (f->week_kind)
        return date_of_week(f, year, weekday, out);
    return tb_date_from_ymd(year, 1, 1, out);
}

static bool moment_of(const fields *f, tb_date_time *local)
{
    if (f->has_second_count) {
        int64_t second = f->second_count + f->offset, day = second / 86400 - (second % 86400 < 0), rest = second - day * 86400;
        local->date = tb_date_from_unix_days(day);
        local->time = tb_time_of_day_from_nanos(rest * TB_NANOS_PER_SECOND + f->nanosecond);
        return tb_date_unix_days(local->date) == day;
    }
    int32_t hour = f->has_hour12 ? f->hour % 12 + (f->afternoon ? 12 : 0) : f->hour;
    return date_of(f, &local->date) &&
           tb_time_of_day_from_hms_nanos(hour, f->minute, f->second, f->nanosecond, &local->time);
}

bool tb_date_time_parse(const char *text, size_t length, const char *pattern, tb_date_time *out, tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    fields f = {.century = -1, .year_of_century = -1, .iso_year_of_century = -1};
    tb_date_time local;
    if (!tb_format_check(pattern, error) || !read_fields(&r, &f, pattern) || !tb_read_end(&r))
        return false;
    if (f.has_hour12 && !f.has_half)
        return tb_refuse(error, 0, "the pattern has %I or %l without %p");
    if (!moment_of(&f, &local))
        return tb_refuse(error, f.date_at, "there is no such date");
    tb_zone_period zone = tb_format_utc;
    zone.offset = f.offset;
    tb_format_sink again = {.expected = text, .expected_length = length};
    tb_format_write(&again, local, &zone, pattern);
    if (again.differs || again.length != length)
        return tb_refuse(error, again.differs ? again.differs_at : again.length,
                         "what is read here contradicts the rest of the text");
    tb_date_time utc = tb_date_time_sub(local, tb_duration_from_seconds(f.offset));
    if (f.offset && tb_date_time_lt(utc, local) != (f.offset > 0))
        return tb_refuse(error, f.date_at, "there is no such date");
    *out = utc;
    return true;
}
