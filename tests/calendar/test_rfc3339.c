/* RFC 3339: what is written, what is read, and at which byte all else is refused. */
#include "dates.h"
#include "random.h"

static char message[TB_TIME_MESSAGE_SIZE];

static const char *show(tb_date_time dt)
{
    static char out[TB_RFC3339_SIZE];
    size_t length = tb_date_time_rfc3339(dt, out);
    return length == strlen(out) ? out : "a wrong length";
}

/* What a text is read as, written again; or the message. The text is copied to a block of its size, for sanitizers. */
static const char *reread(const char *text)
{
    tb_date_time dt = at(ymd(1, 2, 3), 4, 5, 6, 7), before = dt;
    tb_time_error error;
    size_t length = strlen(text);
    char *copy = malloc(length + !length);
    if (!copy)
        exit(1);
    memcpy(copy, text, length);
    bool read = tb_date_time_parse_rfc3339(copy, length, &dt, &error);
    free(copy);
    if (read)
        return show(dt);
    return tb_date_time_eq(dt, before) ? tb_time_error_message(&error, message) : "refused, but changed";
}

/* The byte at which a date-time is refused; -1 when it is read. */
static int64_t refused(const char *text)
{
    tb_date_time dt;
    tb_time_error error = {.at = 999};
    bool read = tb_date_time_parse_rfc3339(text, strlen(text), &dt, &error);
    bool silent = tb_date_time_parse_rfc3339(text, strlen(text), &dt, NULL); /* nobody asks why */
    return read != silent ? -2 : read ? -1 : (int64_t)error.at;
}

typedef struct known_refusal {
    const char *text;
    int64_t byte;
} known_refusal;

static int wrong_refusals(const known_refusal *list, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        if (refused(list[i].text) != list[i].byte) {
            diag("'%s': %s, want byte %d", list[i].text, reread(list[i].text), (int)list[i].byte);
            wrong++;
        }
    return wrong;
}

static void writing(void)
{
    char out[TB_RFC3339_SIZE];
    tb_date_time dt = at(ymd(2026, 10, 3), 14, 5, 9, 0);
    is(tb_date_rfc3339(dt.date, out), 10, "RFC-01 a date's length");
    is_text(out, "2026-10-03", "RFC-01 RFC-02 a date");
    is(tb_time_of_day_rfc3339(dt.time, out), 8, "RFC-01 a time's length");
    is_text(out, "14:05:09", "RFC-01 RFC-02 a time");
    is_text(show(dt), "2026-10-03T14:05:09Z", "RFC-01 RFC-02 a date-time");
    is(tb_timestamp_rfc3339(tb_timestamp_from_unix_nanos(1759500309250000000), out), 23, "RFC-01 a Timestamp's length");
    is_text(out, "2025-10-03T14:05:09.25Z", "RFC-01 a Timestamp");

    static const struct {
        int64_t second, nanosecond;
        const char *text;
    } fractions[] = {{9, 500000000, "14:05:09.5"}, {9, 1, "14:05:09.000000001"}, {3, 120000000, "14:05:03.12"},
                     {3, 1000, "14:05:03.000001"}, {9, 0, "14:05:09"}, {9, 123456789, "14:05:09.123456789"},
                         {9, 10, "14:05:09.00000001"}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        tb_time_of_day_rfc3339(at(ymd(1, 1, 1), 14, 5, fractions[i].second, fractions[i].nanosecond).time, out);
        wrong += strcmp(out, fractions[i].text) != 0;
    }
    none_of(wrong, "RFC-03 fractions in the fewest digits, none for 0");

    tb_timestamp_rfc3339(TB_TIMESTAMP_MIN, out);
    is_text(out, "1677-09-21T00:12:43.145224192Z", "TSP-02 the first Timestamp");
    tb_timestamp_rfc3339(TB_TIMESTAMP_MAX, out);
    is_text(out, "2262-04-11T23:47:16.854775807Z", "TSP-02 the last Timestamp");
}

static void expanded_years(void)
{
    static const struct {
        int64_t year, month, day;
        const char *text;
    } known[] = {{10000, 1, 1, "+010000-01-01"}, {-44, 3, 15, "-000044-03-15"}, {-1, 1, 1, "-000001-01-01"},
                 {0, 1, 1, "0000-01-01"},
                 {9999, 12, 31, "9999-12-31"}, {2147483647, 12, 31, "+2147483647-12-31"}, {-2147483648, 1, 1, "-2147483648-01-01"}};
    char out[TB_RFC3339_SIZE];
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tb_date d = ymd(known[i].year, known[i].month, known[i].day), back = {0};
        size_t length = tb_date_rfc3339(d, out);
        wrong += strcmp(out, known[i].text) != 0 || !tb_date_parse_rfc3339(out, length, &back, NULL) || !tb_date_eq(back, d);
    }
    none_of(wrong, "RFC-11 years outside 0000 to 9999, written and read");
    is_text(reread("+002026-10-03T00:00:00Z"), "2026-10-03T00:00:00Z", "RFC-20 a sign and six digits for a year of four");
    is_text(reread("+000000-01-01T00:00:00Z"), "0000-01-01T00:00:00Z", "RFC-20 and for year 0");
    is_text(reread("-0000000000044-03-15T00:00:00Z"), "-000044-03-15T00:00:00Z", "RFC-11 more than six digits");
}

static void reading(void)
{
    is_text(reread("2026-10-03T14:05:09.100Z"), "2026-10-03T14:05:09.1Z", "RFC-04 one to nine digits of a fraction");
    is(refused("2026-10-03T14:05:09.1234567891Z"), 29, "RFC-04 the tenth digit is refused, not rounded");
    is_text(reread("2026-10-03T19:35:09.25+05:30"), "2026-10-03T14:05:09.25Z", "RFC-05 an offset is converted");
    is_text(reread("1996-12-19T16:39:57-08:00"), "1996-12-20T00:39:57Z", "RFC-05 over a day");
    is_text(reread("2027-01-01T01:00:00+02:00"), "2026-12-31T23:00:00Z", "RFC-05 over a year");
    is_text(reread("2024-03-01T00:30:00+01:00"), "2024-02-29T23:30:00Z", "RFC-05 over a month");
    is_text(reread("2026-10-03T14:05:09-00:00"), "2026-10-03T14:05:09Z", "RFC-06 -00:00 is UTC");
    is_text(reread("2026-10-03t19:35:09z"), "2026-10-03T19:35:09Z", "RFC-07 t and z");
    is(refused("2026-10-03 19:35:09Z"), 10, "RFC-08 a space for T is refused");
    is(refused("2026-10-03T19:35:09"), 19, "RFC-09 no offset is refused");
    is(refused("1990-12-31T23:59:60Z"), 17, "RFC-10 a leap second is refused");
    is_text(reread("0000-01-01T00:30:00+01:00"), "-000001-12-31T23:30:00Z", "RFC-14 an offset leads out of RFC 3339's years");
    is(refused("+2147483647-12-31T23:59:59-00:01"), 0, "RFC-14 ERR-01 one that leads past every year is refused");
    is(refused("-2147483648-01-01T00:00:00+00:01"), 0, "RFC-14 ERR-01 at either end");
    is_text(reread("2147483647-12-31T23:59:59Z"), "at byte 4: '-' before the month was expected", "RFC-11 a long year has a sign");
}

static void timestamps(void)
{
    static const char *const outside[] = {"2263-01-01T00:00:00Z", "1677-09-21T00:12:43.145224191Z", "+010000-01-01T00:00:00Z",
                                          "2262-04-11T23:47:16.854775808Z"};
    int wrong = 0;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        tb_timestamp t = {5};
        tb_time_error error = {.at = 7};
        wrong += tb_timestamp_parse_rfc3339(outside[i], strlen(outside[i]), &t, &error) || t.ns != 5 || error.at != 0 ||
                 !strstr(error.reason, "1677-09-21T00:12:43.145224192Z") || !strstr(error.reason, "2262-04-11T23:47:16.854775807Z");
    }
    none_of(wrong, "RFC-13 moments that no Timestamp holds: at byte 0, and the range is named");
    tb_timestamp t = {0};
    char out[TB_RFC3339_SIZE];
    const char *text = "2262-04-12T01:00:00+02:00";
    ok(tb_timestamp_parse_rfc3339(text, strlen(text), &t, NULL) && tb_timestamp_rfc3339(t, out) &&
       strcmp(out, "2262-04-11T23:00:00Z") == 0,
       "RFC-14 an offset that leads into the range");
    static const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, -1, 1};
    wrong = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = tb_timestamp_rfc3339(tb_timestamp_from_unix_nanos(ends[i]), out);
        wrong += !tb_timestamp_parse_rfc3339(out, length, &t, NULL) || t.ns != ends[i];
    }
    uint64_t state = 9;
    for (int i = 0; i < 1000000; i++) {
        int64_t n = random_count(&state);
        size_t length = tb_timestamp_rfc3339(tb_timestamp_from_unix_nanos(n), out);
        wrong += !tb_timestamp_parse_rfc3339(out, length, &t, NULL) || t.ns != n;
    }
    none_of(wrong, "RFC-01 TSP-02 a million Timestamps and the ends of their range are read back");
}

static void whole_texts(void)
{
    tb_date d;
    tb_time_of_day t;
    tb_time_error error = {.at = 99};
    ok(refused("2026-10-03T14:05:09Z ") == 20 && refused("2026-10-03T14:05:09ZZ") == 20 && refused(" 2026-10-03T14:05:09Z") == 0 &&
       refused("") == 0, "RFC-15 the whole text must be the format");
    ok(!tb_date_parse_rfc3339("2026-10-03T00:00:00Z", 20, &d, &error) && error.at == 10, "RFC-15 a date with more behind it");
    ok(!tb_time_of_day_parse_rfc3339("14:05:09Z", 9, &t, &error) && error.at == 8, "RFC-15 a time with more behind it");
    ok(!tb_date_time_parse_rfc3339("2026-10-03T14:05:09Z\0", 21, &(tb_date_time){0}, &error) && error.at == 20,
       "RFC-15 a byte 0 is a byte like any other");
    ok(!tb_time_of_day_parse_rfc3339("23:59:60", 8, &t, &error) && error.at == 6, "RFC-19 a time with second 60");
    ok(!tb_time_of_day_parse_rfc3339("14:05", 5, &t, &error) && error.at == 5, "RFC-19 a time without seconds");
    ok(!tb_time_of_day_parse_rfc3339("14:05:09.1234567891", 19, &t, &error) && error.at == 18, "RFC-19 ten digits");
}

static void byte_positions(void)
{
    static const known_refusal parts[] = {
        {"26-10-03T14:05:09Z", 2}, {"2026/10/03T14:05:09Z", 4}, {"2026-1-03T14:05:09Z", 6}, {"2026-10-3T14:05:09Z", 9},
        {"2026-13-01T14:05:09Z", 5}, {"2026-00-01T14:05:09Z", 5}, {"2026-02-29T14:05:09Z", 8}, {"1900-02-29T14:05:09Z", 8},
        {"2026-10-00T14:05:09Z", 8}, {"2026-10-03", 10}, {"2026-10-03X14:05:09Z", 10}, {"2026-10-03T24:00:00Z", 11},
        {"2026-10-03T4:05:09Z", 12}, {"2026-10-03T14:60:00Z", 14}, {"2026-10-03T14:05Z", 16}, {"2026-10-03T14:05:61Z", 17},
        {"2026-10-03T14:05:09.Z", 20}, {"2026-10-03T14:05:09,5Z", 19}, {"2026-10-03T14:05:09 Z", 19},
            {"2026-10-03T14:05:09+0530", 22},
        {"2026-10-03T14:05:09+5:30", 21}, {"2026-10-03T14:05:09+24:00", 20}, {"2026-10-03T14:05:09+05:60", 23},
        {"2026-10-03T14:05:09+05", 22}, {"+10000-01-01T14:05:09Z", 0}, {"-000000-01-01T14:05:09Z", 0},
        {"+2147483648-01-01T14:05:09Z", 0}, {"+99999999999-01-01T14:05:09Z", 0}, {"20261-01-01T14:05:09Z", 4},
        {"-2147483649-01-01T14:05:09Z", 0}, {"+", 0}, {"-", 0}, {"+99999999999999999999999999-01-01T14:05:09Z", 0},
    };
    none_of(wrong_refusals(parts, sizeof parts / sizeof *parts), "RFC-16 the bytes of refusals");
    static const known_refusal order[] = {
        {"2026-13-03X", 5}, {"2026-13-3T00:00:00Z", 9}, {"2026-10-03T24:00:0Z", 18}, {"2026-10-03T24:00:00.Z", 20},
        {"2026-10-03T14:05:09+24:6", 24}, {"2026-10-03T24:60:60", 11}, {"2026-13-32T14:05:09Z", 5},
            {"2026-10-03T14:05:09+24:60x", 20},
        {"-000000-1-01T14:05:09Z", 9}, {"+2147483648-13-01T14:05:09Z", 0},
    };
    none_of(wrong_refusals(order, sizeof order / sizeof *order),
            "RFC-17 of several faults the first counts, a group's syntax before its ranges");

    /* A good text, cut off or spoilt at each byte: that byte is named. */
    static const char good[] = "2026-10-03T14:05:09.123456789+05:30";
    int wrong = 0;
    for (size_t i = 0; i < sizeof good - 1; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        text[i] = '\0';
        wrong += refused(text) != (int64_t)i;
        memcpy(text, good, sizeof good);
        text[i] = '~';
        wrong += refused(text) != (int64_t)i;
    }
    none_of(wrong, "RFC-16 RFC-17 a text that is cut off, or spoilt, is refused at that byte, for each of its bytes");
}

static void messages(void)
{
    is_text(reread("2026-10-03T24:00:00Z"), "at byte 11: the hour is 24, outside 00 to 23", "ERR-05 an hour");
    is_text(reread("2026-00-03T14:00:00Z"), "at byte 5: the month is 00, outside 01 to 12", "ERR-05 a month");
    is_text(reread("2026-10-03T14:61:00Z"), "at byte 14: the minute is 61, outside 00 to 59", "ERR-05 a minute");
    is_text(reread("2026-10-03T14:00:61Z"), "at byte 17: the second is 61, outside 00 to 59", "ERR-05 a second");
    is_text(reread("2026-10-03T14:00:00-24:00"), "at byte 20: the offset's hour is 24, outside 00 to 23",
            "ERR-05 an offset's hour");
    is_text(reread("2026-10-03T14:00:00-23:60"), "at byte 23: the offset's minute is 60, outside 00 to 59",
            "ERR-05 an offset's minute");
    is_text(reread("2026-02-30T14:00:00Z"), "at byte 8: the day is 30, outside 01 to 28", "ERR-05 a day");
    tb_time_error error;
    ok(!tb_date_time_parse_rfc3339("2026-13-03T19:35:09Z", 20, &(tb_date_time){0}, &error) && error.at == 5 &&
       strcmp(error.reason, "the month is 13, outside 01 to 12") == 0 &&
       strcmp(tb_time_error_message(&error, message), "at byte 5: the month is 13, outside 01 to 12") == 0,
       "ERR-02 ERR-03 an error's byte and reason, and its message of both");
    memset(&error, 'x', sizeof error);
    error.at = SIZE_MAX;
    is(strlen(tb_time_error_message(&error, message)), 8 + 20 + 2 + TB_TIME_REASON_SIZE,
       "ERR-06 a reason without an end is cut off");
}

static void round_trips(void)
{
    char out[TB_RFC3339_SIZE];
    uint64_t state = 77;
    int dates = 0, times = 0, both = 0;
    static const uint32_t scale[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    for (int i = 0; i < 200000; i++) {
        /* Half of them anywhere, half near year 0. */
        int64_t spread = i % 2 ? INT64_C(784351576776) : 8000000;
        tb_date d = tb_date_from_unix_days((int64_t)(random_next(&state) % (uint64_t)spread) - spread / 2), date_back = {0};
        uint32_t unit = scale[random_next(&state) % 10];
        tb_time_of_day t = tb_time_of_day_from_nanos((int64_t)(random_next(&state) % 86400) * TB_NANOS_PER_SECOND +
                                                     (int64_t)(random_next(&state) % (1000000000 / unit) * unit)), time_back = {0};
        tb_date_time dt = tb_date_time_from_parts(d, t), back = {0};
        size_t length = tb_date_rfc3339(d, out);
        dates += !tb_date_parse_rfc3339(out, length, &date_back, NULL) || !tb_date_eq(d, date_back) || length != strlen(out);
        length = tb_time_of_day_rfc3339(t, out);
        times += !tb_time_of_day_parse_rfc3339(out, length, &time_back, NULL) || !tb_time_of_day_eq(t, time_back);
        length = tb_date_time_rfc3339(dt, out);
        both += !tb_date_time_parse_rfc3339(out, length, &back, NULL) || !tb_date_time_eq(dt, back);
    }
    none_of(dates, "RFC-18 200000 dates are read back");
    none_of(times, "RFC-18 200000 times are read back");
    none_of(both, "RFC-12 200000 date-times are read back");
}

int main(void)
{
    writing();
    expanded_years();
    reading();
    timestamps();
    whole_texts();
    byte_positions();
    messages();
    round_trips();
    return tap_done();
}
