/* rfc3339_read.c: reading what rfc3339_write.c writes, and every other text that RFC 3339 allows. A text is read in
   groups: the date, the time of day with its fraction, the offset. Each group is first read whole, then its parts are
   held against their ranges; so the fault that is named is the first one a person who reads would meet. */
#include "calendar/reader.h"

/* ---- the date ----------------------------------------------------------------------------------------------------- */

/* A sign and at least six digits. The value of more digits than fit stays past every year. */
static bool read_expanded_year(tb_reader *r, int64_t *year)
{
    size_t start = r->at, first = r->at + 1;
    bool negative = r->text[r->at++] == '-';
    int64_t value = 0;
    for (unsigned digit; tb_next_digit(r, &digit); r->at++)
        value = value > INT32_MAX ? value : value * 10 + digit;
    if (r->at - first < 6)
        return tb_refuse(r->error, start, "a year with a sign has at least six digits");
    /* -000000 has no meaning: told from 0 by a value below every year. */
    *year = !negative ? value : value ? -value : INT64_MIN;
    return true;
}

bool tb_read_year(tb_reader *r, int64_t *year)
{
    uint32_t century, rest;
    if (__builtin_expect(tb_next_is(r, '+') || tb_next_is(r, '-'), 0))
        return read_expanded_year(r, year);
    if (!tb_read_two(r, &century, "a digit of the year") || !tb_read_two(r, &rest, "a digit of the year"))
        return false;
    *year = century * 100 + rest;
    return true;
}

bool tb_refuse_year(tb_reader *r, size_t at, int64_t year)
{
    if (year == INT64_MIN)
        return tb_refuse(r->error, at, "the year 0 is written +000000 or 0000");
    return tb_refuse(r->error, at, "the year is outside -2147483648 to 2147483647");
}

__attribute__((noinline)) static bool read_date(tb_reader *r, tb_date *out)
{
    size_t start = r->at;
    int64_t year;
    uint32_t month, day;
    if (!tb_read_year(r, &year) || !tb_read_char(r, '-', "'-' before the month") ||
        !tb_read_two(r, &month, "a digit of the month") ||
        !tb_read_char(r, '-', "'-' before the day") || !tb_read_two(r, &day, "a digit of the day"))
        return false;
    if (__builtin_expect(tb_date_from_ymd(year, month, day, out), 1))
        return true;
    if (year < INT32_MIN || year > INT32_MAX)
        return tb_refuse_year(r, start, year);
    if (month < 1 || month > 12)
        return tb_refuse_range(r->error, r->at - 5, "month", month, 1, 12);
    return tb_refuse_range(r->error, r->at - 2, "day", day, 1, tb_days_in_month(year, month));
}

/* ---- the time of day ---------------------------------------------------------------------------------------------- */

bool tb_read_fraction(tb_reader *r, uint32_t *nanosecond)
{
    static const uint32_t scale[] = {0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    unsigned count = 0, digit;
    uint32_t value = 0;
    for (; tb_next_digit(r, &digit); r->at++) {
        if (++count > 9)
            return tb_refuse(r->error, r->at, "a fraction of a second has nine digits at most");
        value = value * 10 + digit;
    }
    if (count == 0)
        return tb_refuse_missing(r->error, r->at, r->length, "a digit of the fraction");
    *nanosecond = value * scale[count];
    return true;
}

__attribute__((noinline)) static bool read_time(tb_reader *r, tb_time_of_day *out)
{
    size_t start = r->at;
    uint32_t hour, minute, second, nanosecond = 0;
    if (!tb_read_two(r, &hour, "a digit of the hour") || !tb_read_char(r, ':', "':' before the minute") ||
        !tb_read_two(r, &minute, "a digit of the minute") || !tb_read_char(r, ':', "':' before the second") ||
        !tb_read_two(r, &second, "a digit of the second"))
        return false;
    if (tb_next_is(r, '.')) {
        r->at++;
        if (!tb_read_fraction(r, &nanosecond))
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
static inline bool read_offset(tb_reader *r, int32_t *east)
{
    *east = 0;
    if (tb_next_is(r, 'Z') || tb_next_is(r, 'z')) {
        r->at++;
        return true;
    }
    bool west = tb_next_is(r, '-');
    if (!west && !tb_next_is(r, '+')) {
        if (r->at < r->length)
            return tb_refuse(r->error, r->at, "the offset, 'Z' or '+hh:mm' or '-hh:mm', was expected");
        return tb_refuse(r->error, r->at, "the date-time has no offset: RFC 3339 ends it with 'Z' or '+hh:mm' or '-hh:mm'");
    }
    size_t start = ++r->at;
    uint32_t hour, minute;
    if (!tb_read_two(r, &hour, "a digit of the offset's hour") || !tb_read_char(r, ':', "':' before the offset's minute") ||
        !tb_read_two(r, &minute, "a digit of the offset's minute"))
        return false;
    if (hour > 23)
        return tb_refuse_range(r->error, start, "offset's hour", hour, 0, 23);
    if (minute > 59)
        return tb_refuse_range(r->error, start + 3, "offset's minute", minute, 0, 59);
    *east = (int32_t)(hour * 60 + minute) * (west ? -1 : 1);
    return true;
}

/* ---- the usual form, eight bytes at a time ------------------------------------------------------------------------ */

/* A text is nearly always "2026-10-03T14:05:09" with or without a fraction, and right. Such a one is read in words of eight
   bytes, whose digits are checked and joined all at once (as in Lemire, "Quickly parsing eight digits", 2018). Whatever
   else it may be, the readers above find out: they begin anew. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint64_t load8(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* The high bit of each byte that is more than 9: of one that was no digit before '0' was taken off by an exclusive or. (A
   carry into the next byte comes from a byte that is such a one itself, so the lowest bit is right, as is their absence.) */
static inline uint64_t not_digits(uint64_t word)
{
    return ((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
}

/* Of digits d0 d1 d2 ... in bytes: each byte with the next one as a number of two. */
static inline uint64_t join_pairs(uint64_t digits)
{
    return digits * 10 + (digits >> 8);
}

static inline uint32_t byte_of(uint64_t word, int index)
{
    return (uint32_t)(word >> 8 * index & 0xff);
}

/* A fraction from text[20] on: its nanoseconds, and in *end where it ends; *end is 20 when there is none. */
static inline uint32_t plain_fraction(const char *text, size_t length, size_t *end)
{
    /* A short text is loaded at its end; zeros come behind it, which are no digits. */
    uint64_t word = length >= 28 ? load8(text + 20) : load8(text + length - 8) >> 8 * (28 - length);
    uint64_t digits = word ^ UINT64_C(0x3030303030303030), others = not_digits(digits);
    unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8, ninth = 0;
    if (count < 8)
        digits &= (UINT64_C(1) << 8 * count) - 1;
    /* Pairs, fours, eights: the first digit is the lowest byte. */
    uint64_t pairs = join_pairs(digits) & UINT64_C(0x00ff00ff00ff00ff);
    uint64_t fours = (pairs * 100 + (pairs >> 16)) & UINT64_C(0x0000ffff0000ffff);
    uint32_t value = (uint32_t)(fours * 10000 + (fours >> 32)) * 10;
    *end = 20 + count;
    if (count == 8 && length > 28 && (ninth = tb_digit(text[28])) <= 9) {
        value += ninth;
        *end = 29;
    }
    return value;
}

/* Answers where the time ends: an offset is next; 0 when this is no such text. */
static inline size_t read_plain(const char *text, size_t length, tb_date_time *out)
{
    if (length < 20 || (length == 20 && text[19] == '.'))
        return 0;
    uint64_t date = load8(text) ^ UINT64_C(0x2d30302d30303030);      /* "0000-00-", the first byte lowest */
    uint64_t time = load8(text + 11) ^ UINT64_C(0x30303a30303a3030); /* "00:00:00" */
    unsigned tens = tb_digit(text[8]), ones = tb_digit(text[9]);
    /* Separators must have become 0. */
    if (not_digits(date) | not_digits(time) | (date & UINT64_C(0xff0000ff00000000)) | (time & UINT64_C(0x0000ff0000ff0000)) |
        (tens > 9) | (ones > 9) | ((text[10] | 0x20) != 't'))
        return 0;
    date = join_pairs(date);
    time = join_pairs(time);
    size_t end = 19;
    uint32_t nanosecond = 0;
    if (text[19] == '.') {
        nanosecond = plain_fraction(text, length, &end);
        if (end == 20 || (end == 29 && end < length && tb_digit(text[29]) <= 9))
            return 0;
    }
    if (!tb_date_from_ymd(byte_of(date, 0) * 100 + byte_of(date, 2), byte_of(date, 5), tens * 10 + ones, &out->date) ||
        !tb_time_of_day_from_hms_nanos(byte_of(time, 0), byte_of(time, 3), byte_of(time, 6), nanosecond, &out->time))
        return 0;
    return end;
}
#else
static inline size_t read_plain(const char *text, size_t length, tb_date_time *out)
{
    (void)text, (void)length, (void)out;
    return 0;
}
#endif

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static bool read_separator(tb_reader *r)
{
    if (tb_next_is(r, 'T') || tb_next_is(r, 't')) {
        r->at++;
        return true;
    }
    if (tb_next_is(r, ' '))
        return tb_refuse(r->error, r->at, "a space between the date and the time: RFC 3339 writes 'T'");
    return tb_refuse_missing(r->error, r->at, r->length, "'T' before the time");
}

/* From r->at on: 0, or an offset that follows a *local which is read already. */
__attribute__((noinline)) static bool read_rest(tb_reader *r, tb_date_time *local)
{
    int32_t east;
    if (r->at == 0 && (!read_date(r, &local->date) || !read_separator(r) || !read_time(r, &local->time)))
        return false;
    if (!read_offset(r, &east) || !tb_read_end(r))
        return false;
    if (east) {
        tb_date_time utc = tb_date_time_sub(*local, tb_duration_from_minutes(east));
        /* A year that wraps is far from the one it came from. */
        if (tb_date_lt(utc.date, local->date) != (east > 0) && tb_date_ne(utc.date, local->date))
            return tb_refuse_year(r, 0, 0);
        *local = utc;
    }
    return true;
}

static inline bool read_date_time(const char *text, size_t length, tb_date_time *out, tb_time_error *error)
{
    tb_date_time dt;
    size_t at = read_plain(text, length, &dt);
    if (__builtin_expect(at == 0 || at + 1 != length || (text[at] | 0x20) != 'z', 0)) {
        tb_reader r = {text, length, at, error};
        if (!read_rest(&r, &dt))
            return false;
    }
    *out = dt;
    return true;
}

bool tb_date_parse_rfc3339(const char *text, size_t length, tb_date *out, tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    tb_date d;
    if (!read_date(&r, &d) || !tb_read_end(&r))
        return false;
    *out = d;
    return true;
}

bool tb_time_of_day_parse_rfc3339(const char *text, size_t length, tb_time_of_day *out, tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    tb_time_of_day t;
    if (!read_time(&r, &t) || !tb_read_end(&r))
        return false;
    *out = t;
    return true;
}

bool tb_date_time_parse_rfc3339(const char *text, size_t length, tb_date_time *out, tb_time_error *error)
{
    return read_date_time(text, length, out, error);
}

bool tb_timestamp_parse_rfc3339(const char *text, size_t length, tb_timestamp *out, tb_time_error *error)
{
    tb_date_time dt;
    return read_date_time(text, length, &dt, error) && (tb_date_time_to_timestamp(dt, out) || tb_refuse_timestamp(error));
}
