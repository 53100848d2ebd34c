/* calendar.h: a Timestamp as people read it. Civil dates (tb_date), times of day (tb_time_of_day), both together in UTC
   (tb_date_time), and their text: RFC 3339 and HTTP's dates. Patterns, ISO 8601 durations and written week dates are in
   date_format.h, time zones in zone.h.

   The calendar is the proleptic Gregorian one: its leap-year rule run back before 1582 and on past 9999, years counted
   astronomically (year 0 is 1 BC, year -1 is 2 BC), every day of 86400 seconds. A date holds every year of an int32_t; a
   year that arithmetic carries past that wraps.

   A part out of range is never carried over: what makes a value of parts answers whether there is such a value, and what
   reads a text answers whether the whole text is one, else a tb_time_error says at which byte it stopped and why.

   Nothing here allocates, asks the operating system for anything (tb_timestamp_parse_http_date alone reads the calendar
   clock) or depends on a locale. Values are passed by value; a zeroed date is 1970-01-01, a zeroed time of day midnight,
   a zeroed date-time the epoch. All functions may be called from any thread. Their members are private.
   Needs gcc or clang for a 64-bit machine. */
#ifndef TIMERBENCH_CALENDAR_H
#define TIMERBENCH_CALENDAR_H

#include <timerbench/time.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A day of the calendar. */
typedef struct tb_date {
    int32_t years;      /* since 1970, wrapped to 32 bits */
    uint8_t months, days; /* since the year's and the month's first */
} tb_date;

/* 00:00:00 to 23:59:59.999999999. */
typedef struct tb_time_of_day {
    int8_t hour, minute, second;
    int32_t nanosecond;
} tb_time_of_day;

/* A date and a time of day, in UTC. */
typedef struct tb_date_time {
    tb_date date;
    tb_time_of_day time;
} tb_date_time;

typedef enum tb_weekday {
    TB_MONDAY = 1, /* ISO 8601's numbers */
    TB_TUESDAY,
    TB_WEDNESDAY,
    TB_THURSDAY,
    TB_FRIDAY,
    TB_SATURDAY,
    TB_SUNDAY
} tb_weekday;

#define TB_NANOS_PER_DAY INT64_C(86400000000000)

/* For high halves of products. */
__extension__ typedef unsigned __int128 tb_u128;

/* ---- the rules ---------------------------------------------------------------------------------------------------- */

/* Divisible by 4, and by 400 if by 100. A multiple of 4 that is one of 25 is one of 100; one of 16 as well, of 400.
   (Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms", 2022, section 6.) */
static inline bool tb_is_leap_year(int64_t year)
{
    return (year & (year % 25 == 0 ? 15 : 3)) == 0;
}

/* 28 to 31; 0 for a month outside 1 to 12. */
static inline int8_t tb_days_in_month(int64_t year, int64_t month)
{
    if (month < 1 || month > 12)
        return 0;
    if (month == 2)
        return (int8_t)(28 + tb_is_leap_year(year));
    /* Long months are the odd ones until July, the even ones from August. */
    return (int8_t)(30 | (month ^ month >> 3));
}

/* ---- Date --------------------------------------------------------------------------------------------------------- */

static inline int32_t tb_date_year(tb_date d) { return (int32_t)((uint32_t)d.years + 1970); }
static inline int8_t tb_date_month(tb_date d) { return (int8_t)(d.months + 1); } /* 1 to 12 */
static inline int8_t tb_date_day(tb_date d) { return (int8_t)(d.days + 1); }     /* 1 to 31 */

/* The date of those parts, if there is such a day and its year fits an int32_t; else false, and *out is as it was. */
static inline bool tb_date_from_ymd(int64_t year, int64_t month, int64_t day, tb_date *out)
{
    if (year < INT32_MIN || year > INT32_MAX || day < 1 || day > tb_days_in_month(year, month))
        return false;
    out->years = (int32_t)((uint32_t)year - 1970);
    out->months = (uint8_t)(month - 1);
    out->days = (uint8_t)(day - 1);
    return true;
}

/* Days since 1970-01-01, negative before it. Some twenty instructions.
   Years run from March here, so that a leap day is a year's last; they are counted from a multiple of 400 before all
   others, so that nothing is negative. */
static inline int64_t tb_date_unix_days(tb_date d)
{
    static const uint16_t before[12] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275}; /* since March */
    const int64_t shift = INT64_C(400) * 5368710;             /* years: past 2^31 */
    const int64_t epoch = INT64_C(146097) * 5368710 + 719468; /* 1970-01-01 from there */
    uint64_t year = (uint64_t)(tb_date_year(d) + shift - (d.months < 2));
    uint64_t centuries = year * 1374389535; /* of 2^37: year / 100, exact below 4908534052 */
    return (int64_t)(year * 1461 / 4 - (centuries >> 37) + (centuries >> 39)) + (before[d.months] + d.days - epoch);
}

/* A part of the next two: the date n days after 1970-01-01 where 64 bits are enough, its year moved by a multiple of 400.
   Some thirty instructions with four multiplications. Ben Joffe, "A very fast 64-bit date algorithm" (2025,
   https://www.benjoffe.com/fast-date-64): days are counted backwards from the end of a 400-year era; then leap years come
   first in their four years and in their centuries, and the fractions of a year and of a month are read off the low halves
   of products. */
#define TB_DATE_ERAS UINT64_C(4726498270)
static inline tb_date tb_date_counted_back(int64_t n, uint32_t moved)
{
    uint64_t back = 146097 * TB_DATE_ERAS - 719469 - (uint64_t)n;
    uint64_t century = (uint64_t)((tb_u128)back * UINT64_C(505054698555331) >> 64); /* * 2^64 4/146097 */
    uint64_t julian = back + century - century / 4; /* as if every fourth year were a leap year */
    tb_u128 years = (tb_u128)julian * UINT64_C(50504432782230121); /* * 2^64 4/1461 */
    uint32_t year = (uint32_t)(400 * TB_DATE_ERAS - 1 - 1970) + moved - (uint32_t)(years >> 64);
    uint32_t part = (uint32_t)((tb_u128)(uint64_t)years * 782432 >> 64); /* of the year, to its end */
    bool late = part < 126464;                                           /* January, February */
    /* The month in the high 16 bits, from 0; the part of it that is over in the low ones. */
    uint32_t month = (year + 1970) % 4 * 512 + (late ? 191360 - 65536 : 977792 - 65536) - part;
    tb_date d;
    d.years = (int32_t)(year + late);
    d.months = (uint8_t)(month >> 16);
    d.days = (uint8_t)((tb_u128)(month & 0xffff) * UINT64_C(8619973866219416) >> 64); /* * 2^64/2140 */
    return d;
}

/* The date n days after (for a negative n: before) 1970-01-01, for |n| up to 2^49, which is every day of every date. */
static inline tb_date tb_date_from_near_days(int64_t n)
{
    return tb_date_counted_back(n, 0);
}

/* The same for any n: the year is the low 32 bits of the true one. */
static inline tb_date tb_date_from_unix_days(int64_t n)
{
    const int64_t far = INT64_C(1) << 49;
    uint32_t moved = 0;
    if (__builtin_expect(n < -far || n >= far, 0)) {
        /* A whole number of eras keeps month and day. */
        moved = (uint32_t)(n / 146097 * 400);
        n %= 146097;
    }
    return tb_date_counted_back(n, moved);
}

/* Monday to Sunday; 1 to 7. */
static inline tb_weekday tb_date_weekday(tb_date d)
{
    /* From a Monday before all of them: 1970-01-01 was a Thursday, and an era of 400 years is a whole number of weeks. */
    return (tb_weekday)((uint64_t)(tb_date_unix_days(d) + INT64_C(146097) * 5368720 + 3) % 7 + 1);
}
static inline int8_t tb_date_iso_weekday(tb_date d) { return (int8_t)tb_date_weekday(d); }

static inline bool tb_date_is_leap_year(tb_date d) { return tb_is_leap_year(tb_date_year(d)); }
static inline int16_t tb_date_days_in_year(tb_date d) { return (int16_t)(365 + tb_date_is_leap_year(d)); }
static inline int8_t tb_date_days_in_month(tb_date d) { return tb_days_in_month(tb_date_year(d), tb_date_month(d)); }

/* 1 (January 1) to 365 or 366. */
static inline int16_t tb_date_day_of_year(tb_date d)
{
    int first = d.months < 2 ? 31 * d.months : (979 * d.months + 979 - 2919) / 32 + 59 + tb_date_is_leap_year(d);
    return (int16_t)(first + d.days + 1);
}

/* The date n days later, earlier (for a negative n: the other way round), for any n. */
static inline tb_date tb_date_add_days(tb_date d, int64_t n)
{
    /* A whole number of eras keeps month and day; so nothing overflows. */
    tb_date moved = tb_date_from_unix_days(tb_date_unix_days(d) + n % 146097);
    moved.years = (int32_t)((uint32_t)moved.years + (uint32_t)(n / 146097 * 400));
    return moved;
}
static inline tb_date tb_date_sub_days(tb_date d, int64_t n)
{
    tb_date moved = tb_date_from_unix_days(tb_date_unix_days(d) - n % 146097);
    moved.years = (int32_t)((uint32_t)moved.years - (uint32_t)(n / 146097 * 400));
    return moved;
}

/* The days from e to d, negative when e is the later. */
static inline int64_t tb_date_days_since(tb_date d, tb_date e) { return tb_date_unix_days(d) - tb_date_unix_days(e); }

/* -1, 0 or 1 as a is earlier than, the same as or later than b. */
static inline int tb_date_compare(tb_date a, tb_date b)
{
    int32_t year_a = tb_date_year(a), year_b = tb_date_year(b);
    int in_year_a = a.months * 32 + a.days, in_year_b = b.months * 32 + b.days;
    return year_a != year_b ? (year_a > year_b) - (year_a < year_b) : (in_year_a > in_year_b) - (in_year_a < in_year_b);
}
static inline bool tb_date_eq(tb_date a, tb_date b) { return tb_date_compare(a, b) == 0; }
static inline bool tb_date_ne(tb_date a, tb_date b) { return tb_date_compare(a, b) != 0; }
static inline bool tb_date_lt(tb_date a, tb_date b) { return tb_date_compare(a, b) < 0; }
static inline bool tb_date_le(tb_date a, tb_date b) { return tb_date_compare(a, b) <= 0; }
static inline bool tb_date_gt(tb_date a, tb_date b) { return tb_date_compare(a, b) > 0; }
static inline bool tb_date_ge(tb_date a, tb_date b) { return tb_date_compare(a, b) >= 0; }

/* ISO 8601's week, 1 to 52 or 53: weeks begin on Monday, and a year's first is the one with its first Thursday. */
TB_API int8_t tb_date_iso_week(tb_date d);
/* The year whose week it is: that of the week's Thursday, so it may be the calendar year's neighbour, and 64 bits. */
TB_API int64_t tb_date_iso_year(tb_date d);
/* Weeks of an ISO year: 52 or 53. */
TB_API int8_t tb_weeks_in_iso_year(int64_t year);
/* The date of an ISO year, week and weekday (1 to 7), if there is one; else false, and *out is as it was. */
TB_API bool tb_date_from_iso_week(int64_t year, int64_t week, int64_t weekday, tb_date *out);

/* ---- TimeOfDay ---------------------------------------------------------------------------------------------------- */

/* The time of those parts, if each is in its range (0 to 23, 59, 59, 999999999); else false, and *out is as it was. */
static inline bool tb_time_of_day_from_hms_nanos(int64_t hour, int64_t minute, int64_t second, int64_t nanosecond,
                                                 tb_time_of_day *out)
{
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || nanosecond < 0 ||
        nanosecond >= TB_NANOS_PER_SECOND)
        return false;
    out->hour = (int8_t)hour;
    out->minute = (int8_t)minute;
    out->second = (int8_t)second;
    out->nanosecond = (int32_t)nanosecond;
    return true;
}
static inline bool tb_time_of_day_from_hms(int64_t hour, int64_t minute, int64_t second, tb_time_of_day *out)
{
    return tb_time_of_day_from_hms_nanos(hour, minute, second, 0, out);
}

static inline int8_t tb_time_of_day_hour(tb_time_of_day t) { return t.hour; }
static inline int8_t tb_time_of_day_minute(tb_time_of_day t) { return t.minute; }
static inline int8_t tb_time_of_day_second(tb_time_of_day t) { return t.second; }
static inline int32_t tb_time_of_day_nanosecond(tb_time_of_day t) { return t.nanosecond; }

static inline tb_duration tb_time_of_day_since_midnight(tb_time_of_day t)
{
    int32_t seconds = (t.hour * 60 + t.minute) * 60 + t.second;
    return tb_duration_from_nanos(seconds * TB_NANOS_PER_SECOND + t.nanosecond);
}

/* -1, 0 or 1 as a is earlier than, the same as or later than b. */
static inline int tb_time_of_day_compare(tb_time_of_day a, tb_time_of_day b)
{
    return tb_duration_compare(tb_time_of_day_since_midnight(a), tb_time_of_day_since_midnight(b));
}
static inline bool tb_time_of_day_eq(tb_time_of_day a, tb_time_of_day b) { return tb_time_of_day_compare(a, b) == 0; }
static inline bool tb_time_of_day_ne(tb_time_of_day a, tb_time_of_day b) { return tb_time_of_day_compare(a, b) != 0; }
static inline bool tb_time_of_day_lt(tb_time_of_day a, tb_time_of_day b) { return tb_time_of_day_compare(a, b) < 0; }
static inline bool tb_time_of_day_le(tb_time_of_day a, tb_time_of_day b) { return tb_time_of_day_compare(a, b) <= 0; }
static inline bool tb_time_of_day_gt(tb_time_of_day a, tb_time_of_day b) { return tb_time_of_day_compare(a, b) > 0; }
static inline bool tb_time_of_day_ge(tb_time_of_day a, tb_time_of_day b) { return tb_time_of_day_compare(a, b) >= 0; }

/* ---- DateTime ----------------------------------------------------------------------------------------------------- */

static inline tb_date_time tb_date_time_from_parts(tb_date date, tb_time_of_day time)
{
    tb_date_time dt;
    dt.date = date;
    dt.time = time;
    return dt;
}
static inline tb_date tb_date_time_date(tb_date_time dt) { return dt.date; }
static inline tb_time_of_day tb_date_time_time(tb_date_time dt) { return dt.time; }

/* As tb_date_from_ymd and tb_time_of_day_from_hms_nanos together. */
static inline bool tb_date_time_from_ymd_hms_nanos(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute,
                                                   int64_t second, int64_t nanosecond, tb_date_time *out)
{
    tb_date_time dt;
    if (!tb_date_from_ymd(year, month, day, &dt.date) ||
        !tb_time_of_day_from_hms_nanos(hour, minute, second, nanosecond, &dt.time))
        return false;
    *out = dt;
    return true;
}
static inline bool tb_date_time_from_ymd_hms(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute,
                                             int64_t second, tb_date_time *out)
{
    return tb_date_time_from_ymd_hms_nanos(year, month, day, hour, minute, second, 0, out);
}

/* The time of day so many nanoseconds (0 to TB_NANOS_PER_DAY - 1) after midnight. */
static inline tb_time_of_day tb_time_of_day_from_nanos(int64_t nanos)
{
    uint32_t seconds = (uint32_t)((uint64_t)nanos / (uint64_t)TB_NANOS_PER_SECOND), minutes = seconds / 60;
    tb_time_of_day t;
    t.nanosecond = (int32_t)(nanos - seconds * TB_NANOS_PER_SECOND);
    t.second = (int8_t)(seconds - minutes * 60);
    t.hour = (int8_t)(minutes / 60);
    t.minute = (int8_t)(minutes - minutes / 60 * 60);
    return t;
}

/* Every Timestamp has one. */
static inline tb_date_time tb_date_time_from_timestamp(tb_timestamp t)
{
    int64_t day = t.ns / TB_NANOS_PER_DAY, nanos = t.ns % TB_NANOS_PER_DAY;
    day -= nanos < 0;
    nanos += nanos < 0 ? TB_NANOS_PER_DAY : 0;
    return tb_date_time_from_parts(tb_date_from_near_days(day), tb_time_of_day_from_nanos(nanos));
}

/* False, and *out as it was, outside 1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z. */
static inline bool tb_date_time_to_timestamp(tb_date_time dt, tb_timestamp *out)
{
    /* The last day's product fits, the first day's does not: its nanoseconds are counted from the next midnight. */
    int64_t day = tb_date_unix_days(dt.date), nanos = tb_time_of_day_since_midnight(dt.time).ns, whole, all;
    int64_t negative = day < 0;
    if (__builtin_mul_overflow(day + negative, TB_NANOS_PER_DAY, &whole) ||
        __builtin_add_overflow(whole, nanos - negative * TB_NANOS_PER_DAY, &all))
        return false;
    out->ns = all;
    return true;
}

/* The moment d later, earlier (for a negative d: the other way round), carried over days, months and years. */
TB_API tb_date_time tb_date_time_add(tb_date_time dt, tb_duration d);
TB_API tb_date_time tb_date_time_sub(tb_date_time dt, tb_duration d);
/* dt - e: the Duration from e to dt, negative when e is the later. Wraps past 292 years. */
TB_API tb_duration tb_date_time_since(tb_date_time dt, tb_date_time e);

/* -1, 0 or 1 as a is earlier than, the same as or later than b. */
static inline int tb_date_time_compare(tb_date_time a, tb_date_time b)
{
    int date = tb_date_compare(a.date, b.date);
    return date ? date : tb_time_of_day_compare(a.time, b.time);
}
static inline bool tb_date_time_eq(tb_date_time a, tb_date_time b) { return tb_date_time_compare(a, b) == 0; }
static inline bool tb_date_time_ne(tb_date_time a, tb_date_time b) { return tb_date_time_compare(a, b) != 0; }
static inline bool tb_date_time_lt(tb_date_time a, tb_date_time b) { return tb_date_time_compare(a, b) < 0; }
static inline bool tb_date_time_le(tb_date_time a, tb_date_time b) { return tb_date_time_compare(a, b) <= 0; }
static inline bool tb_date_time_gt(tb_date_time a, tb_date_time b) { return tb_date_time_compare(a, b) > 0; }
static inline bool tb_date_time_ge(tb_date_time a, tb_date_time b) { return tb_date_time_compare(a, b) >= 0; }

/* ---- why a text was refused --------------------------------------------------------------------------------------- */

enum { TB_TIME_REASON_SIZE = 160, TB_TIME_MESSAGE_SIZE = TB_TIME_REASON_SIZE + 32 };

typedef struct tb_time_error {
    size_t at; /* the byte, from 0, where reading stopped: a part out of range is named at its first byte */
    char reason[TB_TIME_REASON_SIZE];
} tb_time_error;

/* Writes the line to show a person, "at byte 5: the month is 13, outside 01 to 12", into out of TB_TIME_MESSAGE_SIZE
   bytes; answers out. */
TB_API const char *tb_time_error_message(const tb_time_error *error, char *out);

/* ---- RFC 3339 ----------------------------------------------------------------------------------------------------- */

/* What a writer below needs at most, the closing NUL with it. */
enum { TB_RFC3339_SIZE = 48, TB_HTTP_DATE_SIZE = 32 };

/* Writers: into out of TB_RFC3339_SIZE bytes, closed by a NUL; the length without it. A date is 2026-10-03, a time
   14:05:09, a date-time 2026-10-03T14:05:09Z. A fraction of a second is written when there is one, in the fewest digits.
   A year outside 0000 to 9999 has a sign and at least six digits, as ISO 8601 has it: +010000-01-01. The bytes of out
   after the NUL may be written, too. */
TB_API size_t tb_date_rfc3339(tb_date d, char *out);
TB_API size_t tb_time_of_day_rfc3339(tb_time_of_day t, char *out);
TB_API size_t tb_date_time_rfc3339(tb_date_time dt, char *out);
TB_API size_t tb_timestamp_rfc3339(tb_timestamp t, char *out);

/* Readers of what those write: text[0 .. length-1], which needs no NUL, must be the format as a whole. True: *out; else
   *out is as it was and *error (which may be NULL) says where and why. A date-time has an offset, 'Z' or '+hh:mm' or
   '-hh:mm' (-00:00 too), and is converted to UTC; 't' and 'z' are taken. A fraction has one to nine digits. A second of
   60 is refused. Of several faults the first counts, where date, time with fraction, and offset are each read whole
   before their parts' ranges are looked at. A Timestamp outside its range is refused. */
TB_API bool tb_date_parse_rfc3339(const char *text, size_t length, tb_date *out, tb_time_error *error);
TB_API bool tb_time_of_day_parse_rfc3339(const char *text, size_t length, tb_time_of_day *out, tb_time_error *error);
TB_API bool tb_date_time_parse_rfc3339(const char *text, size_t length, tb_date_time *out, tb_time_error *error);
TB_API bool tb_timestamp_parse_rfc3339(const char *text, size_t length, tb_timestamp *out, tb_time_error *error);

/* ---- HTTP's dates (RFC 9110, section 5.6.7) ----------------------------------------------------------------------- */

/* Writes IMF-fixdate, "Sun, 06 Nov 1994 08:49:37 GMT", into out of TB_HTTP_DATE_SIZE bytes, closed by a NUL; the length
   without it, 29. The fraction of a second is dropped, toward the past. */
TB_API size_t tb_timestamp_http_date(tb_timestamp t, char *out);

/* Reads any of the three forms: that one, RFC 850's "Sunday, 06-Nov-94 08:49:37 GMT", asctime's
   "Sun Nov  6 08:49:37 1994". As the readers above; the day's name must be the date's, and the whole text is read before
   ranges are looked at. A two-digit year is the latest that is not more than 50 years after now. */
TB_API bool tb_timestamp_parse_http_date_as_of(const char *text, size_t length, tb_timestamp now, tb_timestamp *out,
                                               tb_time_error *error);
/* The same with now = tb_timestamp_now(). */
TB_API bool tb_timestamp_parse_http_date(const char *text, size_t length, tb_timestamp *out, tb_time_error *error);

#ifdef __cplusplus
}
#endif

#endif
