/* dates.h: short ways to make dates and date-times in tests, and the plain way from one day to the next. */
#ifndef TESTS_CALENDAR_DATES_H
#define TESTS_CALENDAR_DATES_H

#include "tap.h"

#include <timerbench/calendar.h>

/* That date, which must exist. */
TAP_UNUSED static tb_date ymd(int64_t year, int64_t month, int64_t day)
{
    tb_date d = {0};
    if (!tb_date_from_ymd(year, month, day, &d)) {
        printf("Bail out! a test names a date that does not exist\n");
        exit(1);
    }
    return d;
}

TAP_UNUSED static tb_date_time at(tb_date d, int64_t hour, int64_t minute, int64_t second, int64_t nanosecond)
{
    tb_time_of_day t = {0};
    if (!tb_time_of_day_from_hms_nanos(hour, minute, second, nanosecond, &t)) {
        printf("Bail out! a test names a time that does not exist\n");
        exit(1);
    }
    return tb_date_time_from_parts(d, t);
}

TAP_UNUSED static bool is_ymd(tb_date d, int64_t year, int64_t month, int64_t day)
{
    if (tb_date_year(d) == year && tb_date_month(d) == month && tb_date_day(d) == day)
        return true;
    diag("got %d-%02d-%02d", tb_date_year(d), tb_date_month(d), tb_date_day(d));
    return false;
}

/* A calendar that only knows how to go on by a day. */
typedef struct plain_day {
    int64_t year;
    int month, day, day_of_year, weekday;
} plain_day;

TAP_UNUSED static bool plain_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

TAP_UNUSED static void plain_next(plain_day *p)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    p->weekday = p->weekday % 7 + 1;
    p->day_of_year++;
    if (++p->day <= days[p->month - 1] + (p->month == 2 && plain_leap(p->year)))
        return;
    p->day = 1;
    if (++p->month <= 12)
        return;
    p->month = 1;
    p->day_of_year = 1;
    p->year++;
}

#endif
