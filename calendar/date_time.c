/* date_time.c: the arithmetic of date-times, and ISO 8601's weeks. */
#include <timerbench/calendar.h>

/* The moment `days` days and `nanos` (less than a day either way) after dt. */
static tb_date_time moved(tb_date_time dt, int64_t days, int64_t nanos)
{
    nanos += tb_time_of_day_since_midnight(dt.time).ns;
    if (nanos < 0) {
        nanos += TB_NANOS_PER_DAY;
        days--;
    } else if (nanos >= TB_NANOS_PER_DAY) {
        nanos -= TB_NANOS_PER_DAY;
        days++;
    }
    return tb_date_time_from_parts(tb_date_add_days(dt.date, days), tb_time_of_day_from_nanos(nanos));
}

tb_date_time tb_date_time_add(tb_date_time dt, tb_duration d)
{
    return moved(dt, d.ns / TB_NANOS_PER_DAY, d.ns % TB_NANOS_PER_DAY);
}

/* The two parts are negated, not the whole: the most negative Duration has no opposite. */
tb_date_time tb_date_time_sub(tb_date_time dt, tb_duration d)
{
    return moved(dt, -(d.ns / TB_NANOS_PER_DAY), -(d.ns % TB_NANOS_PER_DAY));
}

tb_duration tb_date_time_since(tb_date_time dt, tb_date_time e)
{
    tb_duration day = tb_duration_mul(tb_duration_from_nanos(TB_NANOS_PER_DAY), tb_date_days_since(dt.date, e.date));
    tb_duration rest = tb_duration_sub(tb_time_of_day_since_midnight(dt.time), tb_time_of_day_since_midnight(e.time));
    return tb_duration_add(day, rest);
}

/* The weekday of a year's last day, 0 (Sunday) to 6. It repeats every 400 years, which are 20871 weeks. */
static int64_t last_weekday(int64_t year)
{
    int64_t y = (year % 400 + 400) % 400;
    return (y + y / 4 - y / 100 + y / 400) % 7;
}

/* A year has 53 Thursdays, and so weeks, when it ends on one, or when it begins on one: the year before ends on a
   Wednesday. */
int8_t tb_weeks_in_iso_year(int64_t year)
{
    return (int8_t)(52 + (last_weekday(year) == 4 || last_weekday(year % 400 + 399) == 3));
}

/* The week that the day would have if the year had all weeks: 0 when it is in the last one of the year before. */
static int week_within(tb_date d)
{
    return (tb_date_day_of_year(d) - tb_date_iso_weekday(d) + 10) / 7;
}

int64_t tb_date_iso_year(tb_date d)
{
    int64_t year = tb_date_year(d);
    int week = week_within(d);
    return week == 0 ? year - 1 : week > tb_weeks_in_iso_year(year) ? year + 1 : year;
}

int8_t tb_date_iso_week(tb_date d)
{
    int64_t year = tb_date_year(d);
    int week = week_within(d);
    return week == 0 ? tb_weeks_in_iso_year(year - 1) : week > tb_weeks_in_iso_year(year) ? 1 : (int8_t)week;
}

bool tb_date_from_iso_week(int64_t year, int64_t week, int64_t weekday, tb_date *out)
{
    if (year < (int64_t)INT32_MIN - 1 || year > (int64_t)INT32_MAX + 1 || week < 1 || week > tb_weeks_in_iso_year(year) ||
        weekday < TB_MONDAY || weekday > TB_SUNDAY)
        return false;
    /* January 4 is always in week 1. It is looked up 400 years, or some times that, away: a neighbour of the last year
       is no year of a date. */
    tb_date fourth;
    (void)tb_date_from_ymd(year % 400, 1, 4, &fourth);
    int64_t days = tb_date_unix_days(fourth) + year / 400 * 146097 - tb_date_iso_weekday(fourth) + (week - 1) * 7 + weekday;
    tb_date found = tb_date_from_unix_days(days);
    if (tb_date_unix_days(found) != days)
        return false;
    *out = found;
    return true;
}
