/* rfc3339_write.c: dates, times and date-times as RFC 3339 has them; years outside its own as ISO 8601 does. */
#include "calendar/digits.h"

#include <timerbench/calendar.h>

#define ROW(tens) tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
const char tb_digit_pairs[201] =
    ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6") ROW("7") ROW("8") ROW("9");

char *tb_put_fraction(char *out, uint32_t nanosecond)
{
    if (nanosecond == 0)
        return out;
    uint32_t rest = nanosecond % 100000000;
    out[0] = '.';
    out[1] = (char)('0' + nanosecond / 100000000);
    tb_put_two(out + 2, rest / 1000000);
    tb_put_two(out + 4, rest / 10000 % 100);
    tb_put_two(out + 6, rest / 100 % 100);
    tb_put_two(out + 8, rest % 100);
    out += 10;
    while (out[-1] == '0')
        out--;
    return out;
}

/* A year outside 0000 to 9999. */
__attribute__((noinline)) static char *put_expanded_year(char *out, int64_t year)
{
    char digits[20];
    int count = 0;
    uint64_t rest = year < 0 ? 0 - (uint64_t)year : (uint64_t)year;
    for (; rest || count < 6; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    *out++ = year < 0 ? '-' : '+';
    while (count)
        *out++ = digits[--count];
    return out;
}

static inline char *put_year(char *out, int64_t year)
{
    if (__builtin_expect((uint64_t)year > 9999, 0))
        return put_expanded_year(out, year);
    tb_put_two(out, (uint32_t)year / 100);
    return tb_put_two(out + 2, (uint32_t)year % 100);
}

char *tb_put_year(char *out, int64_t year)
{
    return put_year(out, year);
}

static inline char *put_date(char *out, tb_date d)
{
    out = put_year(out, tb_date_year(d));
    out[0] = '-';
    tb_put_two(out + 1, (uint32_t)(d.months + 1));
    out[3] = '-';
    return tb_put_two(out + 4, (uint32_t)(d.days + 1));
}

static inline char *put_time(char *out, tb_time_of_day t)
{
    tb_put_two(out, (uint32_t)t.hour);
    out[2] = ':';
    tb_put_two(out + 3, (uint32_t)t.minute);
    out[5] = ':';
    tb_put_two(out + 6, (uint32_t)t.second);
    return tb_put_fraction(out + 8, (uint32_t)t.nanosecond);
}

static inline size_t close_text(char *out, char *end)
{
    *end = '\0';
    return (size_t)(end - out);
}

size_t tb_date_rfc3339(tb_date d, char *out)
{
    return close_text(out, put_date(out, d));
}

size_t tb_time_of_day_rfc3339(tb_time_of_day t, char *out)
{
    return close_text(out, put_time(out, t));
}

static inline size_t put_date_time(char *out, tb_date_time dt)
{
    char *end = put_date(out, dt.date);
    *end++ = 'T';
    end = put_time(end, dt.time);
    *end++ = 'Z';
    return close_text(out, end);
}

size_t tb_date_time_rfc3339(tb_date_time dt, char *out)
{
    return put_date_time(out, dt);
}

size_t tb_timestamp_rfc3339(tb_timestamp t, char *out)
{
    return put_date_time(out, tb_date_time_from_timestamp(t));
}
