/* calendar_days.c: dates from counts of days, and back: the library's functions, glibc's, and the published algorithms, each
   written here from its publication:

   - H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013, https://howardhinnant.github.io/date_algorithms.html):
     years from March, eras of 400 years, divisions by constants. What libc++ and many others use.
   - C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms", Software: Practice and
     Experience 53(4), 2023 (online 2022), figures 12 and 13: the divisions as multiplications that give quotient and rest at
     once. What libstdc++ and the Linux kernel use.
   - B. Joffe, "A very fast 64-bit date algorithm" (2025, https://www.benjoffe.com/fast-date-64): days counted backwards; the
     library's own reckoning is after it. Here as published, for a range of some 32 bits and without the library's
     care for the rest.

   A published algorithm has no type of its own: its answer is the three numbers. */
#include "bench/calendar_values.h"

typedef struct ymd {
    int64_t year;
    uint32_t month, day;
} ymd;

static inline uint64_t answer_of(ymd d) { return tb_calendar_date_answer(d.year, d.month, d.day); }

/* ---- Hinnant ----------------------------------------------------------------------------------------------------- */

static inline ymd hinnant_from_days(int64_t days)
{
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    uint32_t doe = (uint32_t)(z - era * 146097);
    uint32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    uint32_t month = mp < 10 ? mp + 3 : mp - 9;
    return (ymd){(int64_t)yoe + era * 400 + (month <= 2), month, doy - (153 * mp + 2) / 5 + 1};
}

static inline int64_t hinnant_to_days(int64_t y, uint32_t m, uint32_t d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    uint32_t yoe = (uint32_t)(y - era * 400), doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    uint32_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + (int64_t)doe - 719468;
}

/* ---- Neri and Schneider ------------------------------------------------------------------------------------------ */

enum { NS_ERAS = 82 }; /* so that unsigned 32 bits hold what is before 1970, too */
static const uint32_t NS_DAYS = 719468 + 146097 * NS_ERAS, NS_YEARS = 400 * NS_ERAS;

static inline ymd neri_schneider_from_days(int32_t days)
{
    uint32_t n = (uint32_t)days + NS_DAYS;
    uint32_t n1 = 4 * n + 3, century = n1 / 146097, nc = n1 % 146097 / 4;
    uint32_t n2 = 4 * nc + 3;
    uint64_t p2 = UINT64_C(2939745) * n2;
    uint32_t z = (uint32_t)(p2 >> 32), ny = (uint32_t)p2 / 2939745 / 4, year = 100 * century + z;
    uint32_t n3 = 2141 * ny + 197913, month = n3 >> 16, day = (n3 & 0xffff) / 2141;
    bool late = ny >= 306;
    return (ymd){(int32_t)(year - NS_YEARS) + late, late ? month - 12 : month, day + 1};
}

static inline int32_t neri_schneider_to_days(int32_t year, uint32_t month, uint32_t day)
{
    bool late = month <= 2;
    uint32_t y = (uint32_t)year + NS_YEARS - late, m = late ? month + 12 : month, century = y / 100;
    uint32_t years = 1461 * y / 4 - century + century / 4, months = (979 * m - 2919) / 32;
    return (int32_t)(years + months + day - 1 - NS_DAYS);
}

/* ---- Joffe ------------------------------------------------------------------------------------------------------- */

static inline uint64_t high(uint64_t a, uint64_t b) { return (uint64_t)((tb_u128)a * b >> 64); }

static inline ymd joffe_from_days(int32_t days)
{
    const uint64_t eras = 14704, scale = 32;
    uint64_t rev = 146097 * eras - 719469 - (uint64_t)(int64_t)days;
    uint64_t century = high(505054698555331, rev), julian = rev - century / 4 + century;
    tb_u128 product = (tb_u128)UINT64_C(50504432782230121) * julian;
    uint64_t year = 400 * eras - 1 - (uint64_t)(product >> 64);
    uint32_t part = (uint32_t)high(24451 * scale, (uint64_t)product);
    bool late = part < 3952 * scale;
    uint32_t n = (uint32_t)(year % 4) * (16 * (uint32_t)scale) + (late ? 5980 : 30556) * (uint32_t)scale - part;
    uint32_t day = (uint32_t)high(8619973866219416, n % (2048 * (uint32_t)scale));
    return (ymd){(int64_t)(int32_t)(uint32_t)year + late, n / (2048 * (uint32_t)scale), day + 1};
}

/* His for the way back ("A new faster algorithm for Gregorian date conversion", 2025): Neri's and Schneider's, but for the
   months, whose shift by a year goes into the constant. */
static inline int32_t joffe_to_days(int32_t year, uint32_t month, uint32_t day)
{
    const uint32_t eras = 5880000 / 400, shift = 400 * eras;
    bool late = month <= 2;
    uint32_t y = (uint32_t)year + shift - late, century = y / 100;
    int32_t phase = late ? 8829 : -2919;
    uint32_t years = y * 365 + y / 4 - century + century / 4, months = (uint32_t)((979 * (int32_t)month + phase) / 32);
    return (int32_t)(years + months + day - (719468 + 1 + 146097 * eras));
}

/* ---- glibc ------------------------------------------------------------------------------------------------------- */

static inline uint64_t gmtime_answer(int64_t days)
{
    struct tm tm;
    time_t t = (time_t)(days * 86400);
    gmtime_r(&t, &tm);
    return tb_calendar_date_answer(tm.tm_year + INT64_C(1900), (uint32_t)tm.tm_mon + 1, (uint32_t)tm.tm_mday);
}

static inline uint64_t timegm_answer(const tb_calendar_value *v)
{
    struct tm tm = {.tm_year = v->year - 1900, .tm_mon = (int)v->month - 1, .tm_mday = (int)v->day};
    return (uint64_t)(timegm(&tm) / 86400);
}

/* ---- ours -------------------------------------------------------------------------------------------------------- */

static inline uint64_t our_answer(int64_t days)
{
    tb_date d = tb_date_from_unix_days(days);
    return tb_calendar_date_answer(tb_date_year(d), (uint32_t)tb_date_month(d), (uint32_t)tb_date_day(d));
}

/* From the three numbers, which are held against their ranges; the others take them unseen. */
static inline uint64_t our_checked_answer(const tb_calendar_value *v)
{
    tb_date d;
    return tb_date_from_ymd(v->year, v->month, v->day, &d) ? (uint64_t)tb_date_unix_days(d) : 0;
}

TB_CALENDAR_LOOP(from_days_ours, our_answer(v->days))
TB_CALENDAR_LOOP(from_days_joffe, answer_of(joffe_from_days((int32_t)v->days)))
TB_CALENDAR_LOOP(from_days_neri_schneider, answer_of(neri_schneider_from_days((int32_t)v->days)))
TB_CALENDAR_LOOP(from_days_hinnant, answer_of(hinnant_from_days(v->days)))
TB_CALENDAR_LOOP(from_days_glibc, gmtime_answer(v->days))
TB_CALENDAR_LOOP(from_days_dummy, (uint64_t)v->days)

TB_CALENDAR_LOOP(to_days_ours, (uint64_t)tb_date_unix_days(v->date))
TB_CALENDAR_LOOP(to_days_checked, our_checked_answer(v))
TB_CALENDAR_LOOP(to_days_joffe, (uint64_t)(int64_t)joffe_to_days(v->year, v->month, v->day))
TB_CALENDAR_LOOP(to_days_neri_schneider, (uint64_t)(int64_t)neri_schneider_to_days(v->year, v->month, v->day))
TB_CALENDAR_LOOP(to_days_hinnant, (uint64_t)hinnant_to_days(v->year, v->month, v->day))
TB_CALENDAR_LOOP(to_days_glibc, timegm_answer(v))
TB_CALENDAR_LOOP(to_days_dummy, (uint64_t)v->date.years + (uint64_t)v->date.months + (uint64_t)v->date.days)

const tb_calendar_entry tb_calendar_date_from_days[] = {
    {"timerbench", from_days_ours, false}, {"joffe", from_days_joffe, false},
    {"neri_schneider", from_days_neri_schneider, false}, {"hinnant", from_days_hinnant, false},
    {"glibc", from_days_glibc, false}, {"dummy", from_days_dummy, true},
    {NULL, NULL, false},
};

const tb_calendar_entry tb_calendar_days_from_date[] = {
    {"timerbench", to_days_ours, false}, {"timerbench_checked", to_days_checked, false}, {"joffe", to_days_joffe, false},
    {"neri_schneider", to_days_neri_schneider, false}, {"hinnant", to_days_hinnant, false}, {"glibc", to_days_glibc, false},
    {"dummy", to_days_dummy, true}, {NULL, NULL, false},
};
