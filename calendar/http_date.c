/* http_date.c: HTTP's dates (RFC 9110, section 5.6.7): IMF-fixdate is written, and read as well as the two obsolete forms,
   RFC 850's and asctime's. A text is first read whole; then its parts are held against their ranges, from left to right;
   then the day's name against the date, and the moment against a Timestamp's range. */
#include "calendar/names.h"
#include "calendar/reader.h"

/* ---- writing ------------------------------------------------------------------------------------------------------ */

size_t tb_timestamp_http_date(tb_timestamp t, char *out)
{
    tb_date_time dt = tb_date_time_from_timestamp(t);
    uint32_t year = (uint32_t)tb_date_year(dt.date); /* 1677 to 2262 */
    memcpy(out, tb_weekday_names[tb_date_weekday(dt.date) - TB_MONDAY], TB_SHORT_NAME);
    memcpy(out + 3, ", ", 2);
    tb_put_two(out + 5, (uint32_t)(dt.date.days + 1));
    out[7] = ' ';
    memcpy(out + 8, tb_month_names[dt.date.months], TB_SHORT_NAME);
    out[11] = ' ';
    tb_put_two(out + 12, year / 100);
    tb_put_two(out + 14, year % 100);
    out[16] = ' ';
    tb_put_two(out + 17, (uint32_t)dt.time.hour);
    out[19] = ':';
    tb_put_two(out + 20, (uint32_t)dt.time.minute);
    out[22] = ':';
    tb_put_two(out + 23, (uint32_t)dt.time.second);
    memcpy(out + 25, " GMT", 5);
    return 29;
}

/* ---- reading: what the text says ---------------------------------------------------------------------------------- */

typedef struct parts {
    int weekday; /* from Monday, 0 */
    int month;   /* from January, 0 */
    uint32_t day, year, hour, minute, second;
    size_t day_at, time_at;
    bool two_digit_year;
} parts;

/* Inlined, so that lengths of literals are known. */
static inline bool is_next(const tb_reader *r, const char *literal)
{
    size_t length = strlen(literal);
    return length <= r->length - r->at && memcmp(r->text + r->at, literal, length) == 0;
}

__attribute__((always_inline)) static inline bool expect(tb_reader *r, const char *literal, const char *what)
{
    if (!is_next(r, literal))
        return tb_refuse_missing(r->error, r->at, r->length, what);
    r->at += strlen(literal);
    return true;
}

static bool read_day(tb_reader *r, parts *p)
{
    p->day_at = r->at;
    return tb_read_digits(r, 2, &p->day, "a digit of the day");
}

/* asctime's: a space stands for a leading zero. */
static bool read_spaced_day(tb_reader *r, parts *p)
{
    if (!is_next(r, " "))
        return read_day(r, p);
    p->day_at = r->at++;
    return tb_read_digits(r, 1, &p->day, "a digit of the day");
}

static bool read_month(tb_reader *r, parts *p)
{
    p->month = tb_find_name(tb_month_names, 12, false, false, r->text + r->at, r->length - r->at);
    if (p->month < 0)
        return tb_refuse_missing(r->error, r->at, r->length, "a month's name, Jan to Dec,");
    r->at += TB_SHORT_NAME;
    return true;
}

static bool read_time(tb_reader *r, parts *p)
{
    p->time_at = r->at;
    return tb_read_digits(r, 2, &p->hour, "a digit of the hour") && expect(r, ":", "':' before the minute") &&
           tb_read_digits(r, 2, &p->minute, "a digit of the minute") && expect(r, ":", "':' before the second") &&
           tb_read_digits(r, 2, &p->second, "a digit of the second");
}

static bool read_year(tb_reader *r, parts *p, int digits)
{
    p->two_digit_year = digits == 2;
    return tb_read_digits(r, digits, &p->year, "a digit of the year");
}

/* 06 Nov 1994 08:49:37 GMT */
static bool read_imf(tb_reader *r, parts *p)
{
    return expect(r, ", ", "', ' after the day's name") && read_day(r, p) && expect(r, " ", "a space after the day") &&
           read_month(r, p) && expect(r, " ", "a space after the month") && read_year(r, p, 4) &&
           expect(r, " ", "a space after the year") && read_time(r, p) && expect(r, " GMT", "' GMT'");
}

/* 06-Nov-94 08:49:37 GMT */
static bool read_rfc850(tb_reader *r, parts *p)
{
    return expect(r, ", ", "', ' after the day's name") && read_day(r, p) && expect(r, "-", "'-' after the day") &&
           read_month(r, p) && expect(r, "-", "'-' after the month") && read_year(r, p, 2) &&
           expect(r, " ", "a space after the two digits of the year") && read_time(r, p) && expect(r, " GMT", "' GMT'");
}

/* Nov  6 08:49:37 1994 */
static bool read_asctime(tb_reader *r, parts *p)
{
    return expect(r, " ", "a space after the day's name") && read_month(r, p) && expect(r, " ", "a space after the month") &&
           read_spaced_day(r, p) && expect(r, " ", "a space after the day") && read_time(r, p) &&
           expect(r, " ", "a space after the time") && read_year(r, p, 4);
}

static bool read_text(tb_reader *r, parts *p)
{
    bool read;
    p->weekday = tb_find_name(tb_weekday_names, 7, true, false, r->text, r->length);
    if (p->weekday >= 0) {
        r->at = strlen(tb_weekday_names[p->weekday]);
        read = read_rfc850(r, p);
    } else {
        p->weekday = tb_find_name(tb_weekday_names, 7, false, false, r->text, r->length);
        if (p->weekday < 0)
            return tb_refuse_missing(r->error, 0, r->length, "a day's name, Mon to Sun or Monday to Sunday,");
        r->at = TB_SHORT_NAME;
        read = is_next(r, " ") ? read_asctime(r, p) : read_imf(r, p);
    }
    return read && tb_read_end(r);
}

/* ---- reading: which moment that is -------------------------------------------------------------------------------- */

/* The latest year with those last two digits in which the text's moment is not more than 50 years after now. Fifty years
   after February 29 of a year that is followed by one without is told as if that one had it: only the order matters. */
static int64_t whole_year(const parts *p, tb_timestamp now)
{
    tb_date_time limit = tb_date_time_from_timestamp(now);
    int64_t last = tb_date_year(limit.date) + 50;
    int64_t limit_in_year = ((limit.date.months * 32 + limit.date.days + 1) * 24 + limit.time.hour) * 3600 +
                            limit.time.minute * 60 + limit.time.second;
    int64_t in_year = (int64_t)((p->month * 32 + (int)p->day) * 24 + (int)p->hour) * 3600 + p->minute * 60 + p->second;
    int64_t year = last - (last - p->year) % 100;
    return year == last && in_year > limit_in_year ? year - 100 : year;
}

static bool refuse_weekday(tb_time_error *error, tb_date d, int named)
{
    char text[TB_RFC3339_SIZE];
    tb_date_rfc3339(d, text);
    tb_reason reason = tb_reason_begin(error, 0);
    tb_reason_text(&reason, text);
    tb_reason_text(&reason, " is a ");
    tb_reason_text(&reason, tb_weekday_names[tb_date_weekday(d) - TB_MONDAY]);
    tb_reason_text(&reason, ", not a ");
    tb_reason_text(&reason, tb_weekday_names[named]);
    return false;
}

static bool check_ranges(const parts *p, int64_t year, tb_time_error *error)
{
    int8_t days = tb_days_in_month(year, p->month + 1);
    if (p->day < 1 || p->day > (uint32_t)days)
        return tb_refuse_range(error, p->day_at, "day", p->day, 1, days);
    if (p->hour > 23)
        return tb_refuse_range(error, p->time_at, "hour", p->hour, 0, 23);
    if (p->minute > 59)
        return tb_refuse_range(error, p->time_at + 3, "minute", p->minute, 0, 59);
    return p->second <= 59 || tb_refuse_second(error, p->time_at + 6, p->second);
}

bool tb_timestamp_parse_http_date_as_of(const char *text, size_t length, tb_timestamp now, tb_timestamp *out,
                                        tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    parts all, *p = &all;
    tb_date_time dt;
    if (!read_text(&r, p))
        return false;
    int64_t year = p->two_digit_year ? whole_year(p, now) : p->year;
    if (!tb_date_time_from_ymd_hms(year, p->month + 1, p->day, p->hour, p->minute, p->second, &dt))
        return check_ranges(p, year, error);
    if (tb_date_weekday(dt.date) != TB_MONDAY + (unsigned)p->weekday)
        return refuse_weekday(error, dt.date, p->weekday);
    return tb_date_time_to_timestamp(dt, out) || tb_refuse_timestamp(error);
}
