/* Times of day and date-times: making them, a Timestamp's reading and the way back, arithmetic over days. */
#include "dates.h"
#include "random.h"

static const int64_t MAX = INT64_MAX, MIN = INT64_MIN;

static bool time_exists(int64_t hour, int64_t minute, int64_t second, int64_t nanosecond)
{
    tb_time_of_day t = {1, 2, 3, 4};
    bool made = tb_time_of_day_from_hms_nanos(hour, minute, second, nanosecond, &t);
    return made || t.hour != 1 || t.minute != 2 || t.second != 3 || t.nanosecond != 4;
}

static void times_of_day(void)
{
    tb_time_of_day t = at(ymd(2026, 10, 3), 14, 5, 9, 250000000).time, u;
    ok(tb_time_of_day_hour(t) == 14 && tb_time_of_day_minute(t) == 5 && tb_time_of_day_second(t) == 9 &&
       tb_time_of_day_nanosecond(t) == 250000000, "TOD-01 a time has the parts it was made of");
    ok(tb_time_of_day_from_hms(23, 59, 59, &u) && tb_time_of_day_nanosecond(u) == 0, "TOD-02 without a fraction it is 0");
    ok(!time_exists(24, 0, 0, 0) && !time_exists(12, 60, 0, 0) && !time_exists(23, 59, 60, 0) &&
       !time_exists(12, 0, 0, 1000000000) && !time_exists(-1, 0, 0, 0) && !time_exists(0, 0, 0, -1) && !time_exists(0, -1, 0, 0) &&
       !time_exists(0, 0, -1, 0), "TOD-03 CAL-03 parts out of range");
    ok(!time_exists(256, 0, 0, 0) && !time_exists(0, 256, 0, 0) && !time_exists(0, 0, 256, 0) &&
       !time_exists(0, 0, 0, INT64_C(1) << 32) &&
       !time_exists(MAX, MAX, MAX, MAX) && !time_exists(MIN, MIN, MIN, MIN), "TOD-03 TRP-05 nor are they narrowed first");
    ok(time_exists(23, 59, 59, 999999999), "TOD-03 the last nanosecond of a day exists");
    ok(_Generic(tb_time_of_day_hour(t), int8_t: true, default: false) &&
       _Generic(tb_time_of_day_minute(t), int8_t: true, default: false) &&
       _Generic(tb_time_of_day_second(t), int8_t: true, default: false) &&
       _Generic(tb_time_of_day_nanosecond(t), int32_t: true, default: false), "TOD-04 the types of the parts");
    is(tb_duration_millis(tb_time_of_day_since_midnight(t)), 50709250, "TOD-05 14:05:09.25 in milliseconds since midnight");

    tb_time_of_day early = at(ymd(1, 1, 1), 1, 59, 59, 0).time, late = at(ymd(1, 1, 1), 2, 0, 0, 0).time, midnight = {0};
    ok(tb_time_of_day_lt(early, late) && tb_time_of_day_le(early, late) && tb_time_of_day_ne(early, late) &&
       !tb_time_of_day_gt(early, late) && !tb_time_of_day_ge(early, late) && !tb_time_of_day_eq(early, late),
       "TOD-06 1:59:59 is earlier than 2:00:00");
    ok(tb_time_of_day_eq(late, late) && tb_time_of_day_le(late, late) && tb_time_of_day_ge(late, late) &&
       !tb_time_of_day_lt(late, late), "TOD-06 a time and itself");
    ok(tb_time_of_day_from_hms(0, 0, 0, &u) && tb_time_of_day_eq(u, midnight), "TOD-06 a time nobody set is midnight");
    int wrong = 0;
    for (int64_t second = 0; second < 86400; second++)
        for (int64_t nano = 0; nano < TB_NANOS_PER_SECOND; nano += 333333333) {
            int64_t nanos = second * TB_NANOS_PER_SECOND + nano;
            tb_time_of_day each = tb_time_of_day_from_nanos(nanos);
            wrong += each.hour != second / 3600 || each.minute != second / 60 % 60 || each.second != second % 60 ||
                     each.nanosecond != nano || tb_time_of_day_since_midnight(each).ns != nanos;
        }
    none_of(wrong, "TOD-01 TOD-05 every second of a day");
}

static bool same(tb_date_time a, tb_date_time b)
{
    return tb_date_time_eq(a, b) && tb_date_time_compare(a, b) == 0 && !tb_date_time_ne(a, b);
}

static tb_date_time reading(int64_t nanos)
{
    return tb_date_time_from_timestamp(tb_timestamp_from_unix_nanos(nanos));
}

/* The Timestamp's nanoseconds; 42 when there is none. */
static int64_t stamp(tb_date_time dt)
{
    tb_timestamp t = {42};
    return tb_date_time_to_timestamp(dt, &t) ? t.ns : t.ns == 42 ? 42 : 43;
}

static void making(void)
{
    tb_date_time dt = {0}, other;
    ok(tb_date_time_from_ymd_hms(3000, 1, 1, 0, 0, 0, &dt) && tb_date_year(tb_date_time_date(dt)) == 3000,
       "DTM-01 a date-time of a year that no Timestamp holds");
    other = dt;
    ok(!tb_date_time_from_ymd_hms(2026, 2, 29, 0, 0, 0, &dt) && !tb_date_time_from_ymd_hms(2026, 2, 28, 24, 0, 0, &dt) &&
       !tb_date_time_from_ymd_hms(2026, 13, 1, 0, 0, 0, &dt) &&
       !tb_date_time_from_ymd_hms_nanos(2026, 1, 1, 0, 0, 0, 1000000000, &dt) && same(dt, other),
       "DTM-04 CAL-03 parts that make none leave it as it was");
    ok(tb_date_time_from_ymd_hms_nanos(2026, 10, 3, 14, 5, 9, 7, &dt) && tb_date_time_time(dt).nanosecond == 7,
       "DTM-04 with nanoseconds");
    dt = tb_date_time_from_parts(tb_date_from_unix_days(20729), at(ymd(1, 1, 1), 14, 5, 9, 0).time);
    ok(tb_date_time_from_ymd_hms(2026, 10, 3, 14, 5, 9, &other) && same(dt, other) &&
       tb_date_eq(tb_date_time_date(dt), ymd(2026, 10, 3)) && tb_time_of_day_hour(tb_date_time_time(dt)) == 14,
       "DTM-05 of a date and a time, and taken apart");
}

static void timestamps(void)
{
    ok(same(reading(1759500309250000000), at(ymd(2025, 10, 3), 14, 5, 9, 250000000)) &&
       same(reading(-1), at(ymd(1969, 12, 31), 23, 59, 59, 999999999)) &&
       same(reading(946684799000000001), at(ymd(1999, 12, 31), 23, 59, 59, 1)) &&
       same(reading(2147483648000000000), at(ymd(2038, 1, 19), 3, 14, 8, 0)), "DTM-02 readings of Timestamps");
    tb_date_time first = at(ymd(1677, 9, 21), 0, 12, 43, 145224192), last = at(ymd(2262, 4, 11), 23, 47, 16, 854775807);
    ok(same(reading(MIN), first) && same(reading(MAX), last), "DTM-02 TSP-02 those of the first and of the last Timestamp");
    ok(stamp(first) == MIN && stamp(last) == MAX, "DTM-03 TSP-02 and back");
    first.time.nanosecond--;
    last.time.nanosecond++;
    ok(stamp(first) == 42 && stamp(last) == 42, "DTM-03 a nanosecond further there is no Timestamp");
    ok(stamp(at(ymd(1677, 9, 20), 23, 59, 59, 999999999)) == 42 && stamp(at(ymd(2262, 4, 12), 0, 0, 0, 0)) == 42 &&
       stamp(at(ymd(1, 1, 1), 0, 0, 0, 0)) == 42 && stamp(at(ymd(3000, 1, 1), 0, 0, 0, 0)) == 42 &&
       stamp(at(ymd(9999, 12, 31), 23, 59, 59, 0)) == 42 && stamp(at(ymd(-2147483648, 1, 1), 0, 0, 0, 0)) == 42 &&
       stamp(at(ymd(2147483647, 12, 31), 23, 59, 59, 999999999)) == 42, "DTM-03 nor a day or many years further");

    static const int64_t around[] = {-86400, 0, 86400, -2208988800};
    int wrong = 0;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        for (int64_t n = -1000; n <= 1000; n++)
            wrong += stamp(reading(around[i] * TB_NANOS_PER_SECOND + n)) != around[i] * TB_NANOS_PER_SECOND + n;
    const int64_t stride = 9223372036854775; /* 2000 of them are the whole range */
    for (int64_t n = -1000; n <= 1000; n++)
        wrong += stamp(reading(n * stride)) != n * stride;
    uint64_t state = 11;
    for (int i = 0; i < 1000000; i++) {
        int64_t n = random_count(&state);
        wrong += stamp(reading(n)) != n;
    }
    none_of(wrong, "DTM-10 a Timestamp's reading is that Timestamp, for a million of them");
}

static tb_date_time plus(tb_date_time dt, int64_t nanos) { return tb_date_time_add(dt, tb_duration_from_nanos(nanos)); }
static tb_date_time minus(tb_date_time dt, int64_t nanos) { return tb_date_time_sub(dt, tb_duration_from_nanos(nanos)); }

static void arithmetic(void)
{
    tb_date_time dt = at(ymd(2025, 10, 3), 14, 5, 9, 250000000), later = plus(dt, 36 * TB_NANOS_PER_HOUR);
    tb_date_time epoch = {0}, first = at(ymd(1, 1, 1), 0, 0, 0, 0);
    ok(same(later, at(ymd(2025, 10, 5), 2, 5, 9, 250000000)), "DTM-06 36 hours later");
    ok(same(plus(at(ymd(2026, 12, 31), 23, 59, 59, 999999999), 1), at(ymd(2027, 1, 1), 0, 0, 0, 0)) &&
       same(minus(epoch, 1), at(ymd(1969, 12, 31), 23, 59, 59, 999999999)) &&
       same(minus(first, TB_NANOS_PER_SECOND), at(ymd(0, 12, 31), 23, 59, 59, 0)), "DTM-06 over the end of a year, either way");
    ok(same(plus(epoch, -1), minus(epoch, 1)) && same(minus(epoch, -1), plus(epoch, 1)), "DTM-06 negative Durations");
    ok(same(plus(epoch, MAX), reading(MAX)) && same(minus(plus(epoch, MAX), MAX), epoch), "DTM-07 the largest Duration");
    ok(same(plus(epoch, MIN), reading(MIN)) && same(minus(reading(MIN), MIN), epoch), "DTM-07 the smallest, which has no opposite");
    ok(tb_date_time_gt(plus(at(ymd(9000, 1, 1), 12, 0, 0, 0), MAX), at(ymd(9292, 1, 1), 0, 0, 0, 0)),
       "DTM-07 292 years after 9000");
    is(tb_duration_hours(tb_date_time_since(later, dt)), 36, "DTM-08 the Duration between two");
    is(tb_date_time_since(at(ymd(1969, 12, 31), 0, 0, 0, 0), plus(epoch, 1)).ns, -86400000000001, "DTM-08 a negative one");
    is(tb_date_time_since(at(ymd(3000, 1, 1), 0, 0, 0, 0), at(ymd(2000, 1, 1), 0, 0, 0, 0)).ns, -5336492947419103232,
       "DTM-08 INS-11 past 292 years it wraps");
    is(tb_date_time_since(reading(MIN), reading(1)).ns, MAX, "DTM-08 INS-11 so it does from the first moment to one before");
    tb_date_time ends[2] = {at(ymd(-2147483648, 1, 1), 0, 0, 0, 0), at(ymd(2147483647, 12, 31), 23, 59, 59, 999999999)};
    ok(same(plus(ends[1], 1), ends[0]) && same(minus(ends[0], 1), ends[1]), "DTM-06 DAT-14 a year past 32 bits wraps");
    is(tb_date_time_since(ends[0], ends[1]).ns, (int64_t)(UINT64_C(0) - (UINT64_C(1568704592610) * 86400000000000 - 1)),
       "DTM-08 INS-11 from one end of the years to the other");

    int wrong = 0;
    uint64_t state = 3;
    for (int i = 0; i < 300000; i++) {
        int64_t a = random_count(&state) / 2, b = random_count(&state) / 2;
        wrong += !same(plus(reading(a), b), reading(a + b)) || !same(minus(reading(a), b), reading(a - b)) ||
                 tb_date_time_since(reading(a), reading(b)).ns != a - b ||
                 tb_date_time_compare(reading(a), reading(b)) != (a > b) - (a < b);
    }
    none_of(wrong, "DTM-06 DTM-08 DTM-09 sums, differences and order are those of the Timestamps, for 300000 pairs");
}

static void comparisons(void)
{
    tb_date_time a = at(ymd(2026, 10, 2), 23, 59, 59, 0), b = at(ymd(2026, 10, 3), 0, 0, 0, 0), unset = {0};
    ok(tb_date_time_lt(a, b) && tb_date_time_le(a, b) && tb_date_time_ne(a, b) && !tb_date_time_gt(a, b) &&
       !tb_date_time_ge(a, b) && !tb_date_time_eq(a, b), "DTM-09 the date counts first");
    ok(tb_date_time_le(a, a) && tb_date_time_ge(a, a) && tb_date_time_eq(a, a) && !tb_date_time_lt(a, a), "DTM-09 one and itself");
    ok(same(unset, reading(0)), "DTM-09 a date-time nobody set is the epoch");
}

int main(void)
{
    times_of_day();
    making();
    timestamps();
    arithmetic();
    comparisons();
    return tap_done();
}
