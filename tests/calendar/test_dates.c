/* Civil dates: the calendar's rules, days since 1970 and back over all of int64_t, arithmetic, weekdays. */
#include "dates.h"
#include "random.h"

static const int64_t MAX = INT64_MAX, MIN = INT64_MIN;

static bool exists(int64_t year, int64_t month, int64_t day)
{
    tb_date d = ymd(2000, 2, 3), before = d;
    bool made = tb_date_from_ymd(year, month, day, &d);
    return made || !tb_date_eq(d, before); /* what is refused must leave it alone */
}

static void rules(void)
{
    static const int64_t leap[] = {2024, 1600, 2000, 2400, 0, -4, -400}, common[] = {2026, 1700, 1900, 2100, -100, -1};
    int wrong = 0;
    for (size_t i = 0; i < sizeof leap / sizeof *leap; i++)
        wrong += !tb_is_leap_year(leap[i]);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        wrong += tb_is_leap_year(common[i]);
    for (int64_t year = -1000; year <= 1000; year++)
        wrong += tb_is_leap_year(year) != plain_leap(year);
    none_of(wrong, "CAL-04 leap years");

    static const int64_t months[][3] = {{2026, 2, 28}, {2024, 2, 29}, {1900, 2, 28}, {2000, 2, 29}, {2026, 4, 30}, {2026, 12, 31},
                                        {2026, 13, 0}, {2026, 0, 0}, {2026, -1, 0}, {2026, 257, 0}, {2026, MIN, 0}, {2026, MAX, 0}};
    wrong = 0;
    for (size_t i = 0; i < sizeof months / sizeof *months; i++)
        wrong += tb_days_in_month(months[i][0], months[i][1]) != months[i][2];
    none_of(wrong, "CAL-05 days of a month, 0 outside 1 to 12");

    is(tb_date_unix_days(ymd(1582, 10, 15)), -141427, "CAL-01 the first day of the Gregorian calendar");
    is(tb_date_unix_days(ymd(1582, 10, 4)), -141438, "CAL-01 its rule is run back before that: ten days are not left out");
    ok(is_ymd(tb_date_add_days(ymd(0, 12, 31), 1), 1, 1, 1), "CAL-02 year 0 is the one before year 1");
}

static void parts(void)
{
    ok(is_ymd(ymd(2026, 10, 3), 2026, 10, 3), "DAT-01 a date has the parts it was made of");
    ok(!exists(2026, 2, 29) && !exists(1900, 2, 29) && !exists(2026, 2, 30) && !exists(2026, 4, 31) && !exists(2026, 1, 0) &&
       !exists(2026, 1, 32), "DAT-02 CAL-03 days that do not exist");
    ok(exists(2024, 2, 29) && exists(2000, 2, 29) && exists(0, 2, 29), "DAT-02 leap days that do");
    ok(!exists(2026, 0, 1) && !exists(2026, 13, 1) && !exists(2026, -1, 1), "DAT-03 CAL-03 months that do not exist");
    ok(!exists(2026, 257, 1) && !exists(2026, 1, 259) && !exists(2026, 1, INT64_C(1) << 32 | 1) && !exists(MAX, MAX, MAX) &&
       !exists(MIN, MIN, MIN), "DAT-04 TRP-05 a part is held against its range before it is narrowed");
    ok(!exists(2147483648, 1, 1) && !exists(-2147483649, 12, 31) && !exists((INT64_C(1) << 32) + 2026, 1, 1),
       "DAT-05 years outside 32 bits");
    ok(exists(2147483647, 12, 31) && exists(-2147483648, 1, 1), "DAT-05 the first and the last year");
    static tb_date unset;
    ok(tb_date_eq(unset, ymd(1970, 1, 1)), "DAT-06 a date nobody set is 1970-01-01");

    tb_date d = ymd(2024, 2, 29);
    ok(_Generic(tb_date_year(d), int32_t: true, default: false) && _Generic(tb_date_month(d), int8_t: true, default: false) &&
       _Generic(tb_date_day(d), int8_t: true, default: false) && _Generic(tb_date_day_of_year(d), int16_t: true, default: false) &&
       _Generic(tb_date_iso_weekday(d), int8_t: true, default: false), "DAT-08 the types of the parts");
    ok(tb_date_day_of_year(ymd(2026, 10, 3)) == 276 && tb_date_day_of_year(d) == 60 &&
       tb_date_day_of_year(ymd(2024, 12, 31)) == 366 && tb_date_day_of_year(ymd(0, 12, 31)) == 366, "DAT-08 days of the year");

    tb_date june = ymd(2000, 6, 1);
    ok(tb_date_is_leap_year(june) && tb_date_days_in_month(june) == 30 && tb_date_days_in_year(june) == 366,
       "DAT-10 of 2000-06-01: a leap year, 30 days, 366 days");
    ok(tb_date_days_in_year(ymd(1900, 6, 1)) == 365 && tb_date_days_in_month(ymd(2024, 2, 10)) == 29,
       "DAT-10 days in 1900, days in February 2024");
}

typedef struct known_day {
    int64_t year, month, day, days;
} known_day;

static void unix_days(void)
{
    static const known_day known[] = {
        {1970, 1, 1, 0}, {1969, 12, 31, -1}, {2000, 1, 1, 10957}, {2000, 3, 1, 11017}, {1900, 1, 1, -25567}, {1600, 2, 29, -135081},
        {2400, 2, 29, 157113}, {1, 1, 1, -719162}, {0, 12, 31, -719163}, {0, 1, 1, -719528}, {-1, 1, 1, -719893},
        {2026, 10, 3, 20729}, {2100, 3, 1, 47541}, {9999, 12, 31, 2932896}, {2147483647, 12, 31, 784351576776},
        {-2147483648, 1, 1, -784353015833},
    };
    int wrong = 0;
    for (const known_day *k = known; k < known + sizeof known / sizeof *known; k++)
        wrong += tb_date_unix_days(ymd(k->year, k->month, k->day)) != k->days ||
                 !is_ymd(tb_date_from_unix_days(k->days), k->year, k->month, k->day);
    none_of(wrong, "DAT-07 days since 1970-01-01, both ways");

    wrong = 0;
    for (int64_t n = -10000000; n <= 10000000; n += 997)
        wrong += tb_date_unix_days(tb_date_from_unix_days(n)) != n;
    none_of(wrong, "DAT-15 round trips of 20000 days over 54000 years");
}

/* Every day from `first` to `last` beside the plain calendar; how many there were, and how many differ in *wrong. */
static int64_t walk(plain_day p, int64_t last_year, int *wrong)
{
    int64_t n = tb_date_unix_days(ymd(p.year, p.month, p.day)), walked = 0;
    tb_date previous = tb_date_from_unix_days(n - 1);
    for (; p.year <= last_year; plain_next(&p), n++, walked++) {
        tb_date d = tb_date_from_unix_days(n);
        *wrong += tb_date_year(d) != p.year || tb_date_month(d) != p.month || tb_date_day(d) != p.day ||
                  tb_date_day_of_year(d) != p.day_of_year || tb_date_iso_weekday(d) != p.weekday || tb_date_unix_days(d) != n ||
                  !tb_date_eq(tb_date_add_days(previous, 1), d) || !tb_date_eq(tb_date_sub_days(d, 1), previous) ||
                  !tb_date_lt(previous, d) || tb_date_days_since(d, previous) != 1;
        previous = d;
    }
    return walked;
}

static void walks(void)
{
    int wrong = 0;
    is(walk((plain_day){1599, 1, 1, 1, TB_FRIDAY}, 2400, &wrong), 292925, "DAT-15 days of 1599 to 2400");
    none_of(wrong, "DAT-15 DAT-09 DAT-13 each of them is the one after the other, and the weekdays go round");
    wrong = 0;
    is(walk((plain_day){-400, 1, 1, 1, TB_SATURDAY}, 399, &wrong), 2 * 146097, "DAT-15 CAL-02 800 years around year 0");
    none_of(wrong, "DAT-15 CAL-02 each of them is the one after the other");
    wrong = 0;
    walk((plain_day){2147483247, 1, 1, 1, (int)((tb_date_unix_days(ymd(2147483247, 1, 1)) + 3) % 7 + 1)}, 2147483646, &wrong);
    walk((plain_day){-2147483647, 1, 1, 1, (int)((tb_date_unix_days(ymd(-2147483647, 1, 1)) + 3) % 7 + 7) % 7 + 1},
         -2147483248, &wrong);
    none_of(wrong, "DAT-15 so are those of the first and of the last 400 years");
}

static void arithmetic(void)
{
    tb_date d = ymd(2026, 10, 3);
    ok(is_ymd(tb_date_add_days(d, 29), 2026, 11, 1) && is_ymd(tb_date_add_days(d, 90), 2027, 1, 1) &&
       is_ymd(tb_date_add_days(d, -276), 2025, 12, 31), "DAT-11 days added over months and years");
    ok(is_ymd(tb_date_add_days(ymd(2024, 2, 28), 1), 2024, 2, 29) && is_ymd(tb_date_add_days(ymd(2023, 2, 28), 1), 2023, 3, 1),
       "DAT-11 the day after February 28");
    ok(is_ymd(tb_date_sub_days(ymd(1970, 1, 1), 1), 1969, 12, 31) && is_ymd(tb_date_sub_days(ymd(1, 1, 1), 1), 0, 12, 31) &&
       is_ymd(tb_date_sub_days(ymd(2026, 12, 25), 100), 2026, 9, 16), "DAT-11 days subtracted");
    ok(is_ymd(tb_date_add_days(ymd(2000, 1, 1), 146097), 2400, 1, 1), "DAT-11 400 years are 146097 days");
    ok(tb_date_days_since(d, ymd(1970, 1, 1)) == 20729 && tb_date_days_since(ymd(1970, 1, 1), d) == -20729 &&
       tb_date_days_since(ymd(2001, 1, 1), ymd(2000, 1, 1)) == 366 && tb_date_days_since(ymd(1901, 1, 1), ymd(1900, 1, 1)) == 365 &&
       tb_date_days_since(ymd(2026, 12, 25), ymd(2026, 9, 16)) == 100, "DAT-12 days from one date to another");
    ok(is_ymd(tb_date_add_days(ymd(2147483647, 12, 31), 1), -2147483648, 1, 1) &&
       is_ymd(tb_date_sub_days(ymd(-2147483648, 1, 1), 1), 2147483647, 12, 31), "DAT-14 a year past 32 bits wraps");
    ok(is_ymd(tb_date_from_unix_days(MAX), -2030433332, 7, 27) && is_ymd(tb_date_from_unix_days(MIN), 2030437271, 6, 7),
       "DAT-16 the last and the first count of days");
    ok(is_ymd(tb_date_add_days(d, MAX), -2030433275, 4, 28) && is_ymd(tb_date_add_days(d, MIN), 2030437328, 3, 8) &&
       is_ymd(tb_date_sub_days(d, MIN), -2030433275, 4, 29) && is_ymd(tb_date_sub_days(d, MAX), 2030437328, 3, 9),
       "DAT-16 the same, added and subtracted");

    /* The same by 128 bits: of the eras, only what 32 bits hold of their years counts. */
    uint64_t state = 5;
    int wrong = 0;
    for (int i = 0; i < 300000; i++) {
        int64_t n = random_count(&state);
        tb_date from = tb_date_from_unix_days(random_count(&state) >> 23);
        __extension__ __int128 sum = (__int128)n + tb_date_unix_days(from);
        int64_t era = (int64_t)(sum / 146097), rest = (int64_t)(sum % 146097);
        tb_date want = tb_date_from_unix_days(rest), got = tb_date_add_days(from, n);
        wrong += (uint32_t)tb_date_year(got) != (uint32_t)tb_date_year(want) + (uint32_t)(era * 400) ||
                 tb_date_month(got) != tb_date_month(want) || tb_date_day(got) != tb_date_day(want);
    }
    none_of(wrong, "DAT-16 300000 random sums are those of 128-bit arithmetic");
    wrong = 0;
    const int64_t near = INT64_C(1) << 49;
    for (int64_t k = -200000; k <= 200000; k++)
        for (int side = -1; side <= 1; side += 2) {
            tb_date got = tb_date_from_unix_days(side * near + k), want = tb_date_from_unix_days((side * near + k) % 146097);
            wrong += (uint32_t)tb_date_year(got) != (uint32_t)tb_date_year(want) + (uint32_t)((side * near + k) / 146097 * 400) ||
                     tb_date_month(got) != tb_date_month(want) || tb_date_day(got) != tb_date_day(want);
        }
    none_of(wrong, "DAT-16 where the reckoning changes from near days to far ones, nothing does");
}

static void weekdays(void)
{
    static const known_day known[] = {
        {1970, 1, 1, TB_THURSDAY}, {1969, 12, 28, TB_SUNDAY}, {1969, 12, 29, TB_MONDAY}, {2026, 10, 3, TB_SATURDAY},
        {2024, 2, 29, 4},
        {1, 1, 1, 1}, {1582, 10, 15, 5}, {9999, 12, 31, 5}, {2147483647, 12, 31, 2},
    };
    int wrong = 0;
    for (const known_day *k = known; k < known + sizeof known / sizeof *known; k++)
        wrong += tb_date_weekday(ymd(k->year, k->month, k->day)) != (tb_weekday)k->days ||
                 tb_date_iso_weekday(ymd(k->year, k->month, k->day)) != k->days;
    none_of(wrong, "DAT-09 weekdays, Monday being 1");
    is(tb_date_weekday(ymd(-2147483648, 1, 1)), 1 + ((-784353015833 + 3) % 7 + 7) % 7, "DAT-09 that of the very first day");
}

static void comparisons(void)
{
    tb_date a = ymd(2026, 2, 28), b = ymd(2026, 12, 1);
    ok(tb_date_gt(b, a) && tb_date_ge(b, a) && tb_date_ne(b, a) && !tb_date_lt(b, a) && !tb_date_le(b, a) && !tb_date_eq(b, a),
       "DAT-13 December is later than February, whatever the day");
    ok(tb_date_eq(a, a) && tb_date_le(a, a) && tb_date_ge(a, a) && !tb_date_ne(a, a) && !tb_date_lt(a, a) && !tb_date_gt(a, a),
       "DAT-13 a date and itself");
    ok(tb_date_lt(ymd(-5, 1, 1), a) && tb_date_lt(ymd(-2147483648, 1, 1), ymd(2147483647, 1, 1)) &&
       tb_date_lt(ymd(-2147483648, 1, 1), ymd(-2147481678, 1, 1)), "DAT-13 years before and after 0, from end to end");
}

/* Weeks as ISO 8601 defines them, by counting: each year's begin on the Monday of the week with January 4. */
static void weeks(void)
{
    int wrong = 0;
    plain_day p = {1599, 1, 1, 1, TB_FRIDAY};
    int64_t iso_year = 1598;
    int week = 53; /* 1598-12-28 was a Monday, and 1599-01-01 a Friday */
    for (; p.year <= 2400; plain_next(&p)) {
        if (p.weekday == TB_MONDAY) {
            bool first = (p.month == 12 && p.day >= 29) || (p.month == 1 && p.day <= 4);
            week = first ? 1 : week + 1;
            iso_year += first;
        }
        tb_date d = ymd(p.year, p.month, p.day), back = ymd(1, 1, 1);
        wrong += tb_date_iso_week(d) != week || tb_date_iso_year(d) != iso_year ||
                 !tb_date_from_iso_week(iso_year, week, p.weekday, &back) || !tb_date_eq(back, d) ||
                 tb_weeks_in_iso_year(iso_year) < week || tb_date_from_iso_week(iso_year, 54, 1, &back) ||
                 (tb_weeks_in_iso_year(iso_year) == 52 && tb_date_from_iso_week(iso_year, 53, 1, &back));
    }
    none_of(wrong, "GB-05 the ISO week of every day of 1599 to 2400, and back");
    tb_date d = ymd(2026, 10, 3);
    ok(!tb_date_from_iso_week(2026, 0, 1, &d) && !tb_date_from_iso_week(2026, 1, 0, &d) && !tb_date_from_iso_week(2026, 1, 8, &d) &&
       !tb_date_from_iso_week(2025, 53, 1, &d) && !tb_date_from_iso_week(MAX, 1, 1, &d) && !tb_date_from_iso_week(MIN, 1, 1, &d) &&
       tb_date_eq(d, ymd(2026, 10, 3)), "GB-05 weeks and weekdays that do not exist leave the date as it was");
    tb_date first = ymd(-2147483648, 1, 1), last = ymd(2147483647, 12, 31);
    ok(tb_date_from_iso_week(tb_date_iso_year(first), tb_date_iso_week(first), tb_date_iso_weekday(first), &d) &&
       tb_date_eq(d, first),
       "GB-05 the first date's week, and back");
    ok(tb_date_from_iso_week(tb_date_iso_year(last), tb_date_iso_week(last), tb_date_iso_weekday(last), &d) && tb_date_eq(d, last),
       "GB-05 the last date's week, and back");
    ok(!tb_date_from_iso_week(tb_date_iso_year(last), tb_date_iso_week(last), tb_date_iso_weekday(last) + 1, &d),
       "GB-05 the day after it has no date");
}

int main(void)
{
    rules();
    parts();
    unix_days();
    walks();
    arithmetic();
    weekdays();
    comparisons();
    weeks();
    return tap_done();
}
