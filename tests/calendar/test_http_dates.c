/* HTTP's dates: the form that is written, the three that are read, and at which byte all else is refused. */
#include "dates.h"

static char message[TB_TIME_MESSAGE_SIZE];
enum { REFUSED = 987654321 };

/* Unix seconds of a text as of then; REFUSED, and *error. The text is copied to a block of its size, for sanitizers. */
static int64_t read_as_of(const char *text, int64_t now, tb_time_error *error)
{
    tb_timestamp t = {17};
    size_t length = strlen(text);
    char *copy = malloc(length + !length);
    if (!copy)
        exit(1);
    memcpy(copy, text, length);
    bool read = tb_timestamp_parse_http_date_as_of(copy, length, tb_timestamp_from_unix_seconds(now), &t, error);
    free(copy);
    return read ? tb_timestamp_unix_seconds(t) : t.ns == 17 ? REFUSED : -1;
}

enum { IN_2026 = 1791036309, IN_1999 = 928195200 }; /* 2026-10-03T14:05:09Z, 1999-06-01 */

static int64_t seconds(const char *text)
{
    return read_as_of(text, IN_2026, NULL);
}

/* The byte at which a text is refused; -1 when it is read. */
static int64_t refused(const char *text)
{
    tb_time_error error = {.at = 999};
    return read_as_of(text, IN_2026, &error) == REFUSED ? (int64_t)error.at : -1;
}

static const char *why(const char *text)
{
    tb_time_error error = {.at = 999, .reason = "none"};
    read_as_of(text, IN_2026, &error);
    return tb_time_error_message(&error, message);
}

static const char *written(int64_t nanos)
{
    static char out[TB_HTTP_DATE_SIZE];
    return tb_timestamp_http_date(tb_timestamp_from_unix_nanos(nanos), out) == 29 ? out : "a wrong length";
}

static void writing(void)
{
    is_text(written(784111777 * TB_NANOS_PER_SECOND), "Sun, 06 Nov 1994 08:49:37 GMT", "HTD-01 the example of RFC 9110");
    is_text(written(0), "Thu, 01 Jan 1970 00:00:00 GMT", "HTD-01 the epoch");
    is_text(written(951782400 * TB_NANOS_PER_SECOND), "Tue, 29 Feb 2000 00:00:00 GMT", "HTD-01 a leap day");
    is_text(written(-14182940 * TB_NANOS_PER_SECOND), "Sun, 20 Jul 1969 20:17:40 GMT", "HTD-01 before 1970");
    is_text(written(-1), "Wed, 31 Dec 1969 23:59:59 GMT", "HTD-02 TRP-03 a fraction is dropped toward the past");
    is_text(written(784111777999999999), "Sun, 06 Nov 1994 08:49:37 GMT", "HTD-02 not rounded up");
    is_text(written(1759500309250000000), "Fri, 03 Oct 2025 14:05:09 GMT", "HTD-02 a quarter of a second");
}

static void three_forms(void)
{
    is(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777, "HTD-03 IMF-fixdate");
    is(seconds("Sunday, 06-Nov-94 08:49:37 GMT"), 784111777, "HTD-03 RFC 850's");
    is(seconds("Sun Nov  6 08:49:37 1994"), 784111777, "HTD-03 TRP-04 asctime's, with two spaces");
    is(seconds("Sun Nov 06 08:49:37 1994"), 784111777, "HTD-04 asctime's with two digits");
    is(refused("Sun Nov 6 08:49:37 1994"), 9, "HTD-04 TRP-04 with one space");
    is(refused("Sun Nov   6 08:49:37 1994"), 9, "HTD-04 with three spaces");
    is(refused("sun, 06 Nov 1994 08:49:37 GMT"), 0, "HTD-05 the case of a day's name");
    is(refused("Sun, 06 nov 1994 08:49:37 GMT"), 8, "HTD-05 of a month's");
    is(refused("Sun, 06 Nov 1994 08:49:37 gmt"), 25, "HTD-05 of GMT");
    is_text(why("Monday, 06-Nov-94 08:49:37 GMT"), "at byte 0: 1994-11-06 is a Sunday, not a Monday",
            "HTD-06 the wrong day, RFC 850's");
    is_text(why("Mon Nov  6 08:49:37 1994"), "at byte 0: 1994-11-06 is a Sunday, not a Monday", "HTD-06 the wrong day, asctime's");
    tb_timestamp t = {0};
    const char *text = "Sun, 06 Nov 1994 08:49:37 GMT";
    ok(tb_timestamp_parse_http_date(text, strlen(text), &t, NULL) && tb_timestamp_unix_seconds(t) == 784111777,
       "HTD-08 as of the present");
    text = "Sunday, 06-Nov-94 08:49:37 GMT";
    ok(tb_timestamp_parse_http_date(text, strlen(text), &t, NULL) && tb_timestamp_unix_seconds(t) == 784111777,
       "HTD-08 as of the present, with two digits of the year");
}

static void two_digit_years(void)
{
    static const struct {
        const char *text;
        int64_t now, seconds;
    } known[] = {
        {"Thursday, 01-Jan-26 00:00:00 GMT", IN_2026, 1767225600}, {"Wednesday, 01-Jan-70 00:00:00 GMT", IN_2026, 3155760000},
        {"Saturday, 03-Oct-76 14:05:09 GMT", IN_2026, 3368959509}, {"Sunday, 03-Oct-76 14:05:10 GMT", IN_2026, 213199510},
        {"Saturday, 01-Jan-77 00:00:00 GMT", IN_2026, 220924800}, {"Saturday, 03-Oct-76 14:05:10 GMT", IN_2026, REFUSED},
        {"Saturday, 01-Jan-00 00:00:00 GMT", IN_1999, 946684800}, {"Tuesday, 01-Jun-49 00:00:00 GMT", IN_1999, 2506118400},
        {"Wednesday, 01-Jun-49 00:00:01 GMT", IN_1999, -649641599}, {"Thursday, 29-Feb-24 00:00:00 GMT", IN_1999, 1709164800},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        wrong += read_as_of(known[i].text, known[i].now, NULL) != known[i].seconds;
    none_of(wrong, "HTD-07 the latest year that is not more than 50 years after now");
    is_text(why("Saturday, 03-Oct-76 14:05:10 GMT"), "at byte 0: 1976-10-03 is a Sunday, not a Saturday",
            "HTD-07 the day's name is held against that year");

    /* Every year of two digits, as of moments all over: within 50 years ahead and 50 back of now, to the second. */
    wrong = 0;
    for (int64_t now = -5000000000; now < 7500000000; now += 123456789) {
        tb_date_time then = tb_date_time_from_timestamp(tb_timestamp_from_unix_seconds(now));
        for (int years = -49; years <= 50; years++)
            for (int late = 0; late < 2; late++) {
                static const char *const names[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
                static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
                char text[80];
                tb_date_time want;
                /* The same moment, years away, or at the last year's end the second after it, which is a century back. */
                if (!tb_date_time_from_ymd_hms(tb_date_year(then.date) + years - (late && years == 50 ? 100 : 0),
                                               tb_date_month(then.date), tb_date_day(then.date), then.time.hour, then.time.minute,
                                               then.time.second, &want) || then.time.second == 59)
                    continue;
                want.time.second = (int8_t)(want.time.second + late);
                snprintf(text, sizeof text, "%s, %02d-%.3s-%02d %02d:%02d:%02d GMT", names[tb_date_iso_weekday(want.date) - 1],
                         tb_date_day(want.date), months + 3 * (tb_date_month(want.date) - 1), (tb_date_year(want.date) % 100),
                         want.time.hour, want.time.minute, want.time.second);
                tb_timestamp t;
                wrong += !tb_date_time_to_timestamp(want, &t) || read_as_of(text, now, NULL) != tb_timestamp_unix_seconds(t);
            }
    }
    none_of(wrong, "HTD-07 every two digits, as of moments of four centuries");
}

static void ranges(void)
{
    is(refused("Sun, 06 Nov 1994 08:49:60 GMT"), 23, "HTD-09 a leap second is refused");
    is(refused("Fri, 31 Dec 9999 23:59:59 GMT"), 0, "HTD-10 past the range of a Timestamp");
    is(refused("Tue, 21 Sep 1677 00:12:43 GMT"), 0, "HTD-10 a second before it");
    is(seconds("Tue, 21 Sep 1677 00:12:44 GMT"), -9223372036, "HTD-10 its first second");
    is(seconds("Fri, 11 Apr 2262 23:47:16 GMT"), 9223372036, "HTD-10 its last one");
    int wrong = 0;
    char out[TB_HTTP_DATE_SIZE];
    for (int64_t s = -9223372036; s <= 9223372036; s += 9223379) {
        tb_timestamp_http_date(tb_timestamp_from_unix_seconds(s), out);
        wrong += seconds(out) != s;
    }
    none_of(wrong, "HTD-12 round trips over the range");
}

static void byte_positions(void)
{
    static const struct {
        const char *text;
        int64_t byte;
    } known[] = {
        {"", 0}, {"Sun", 3}, {"Sun,", 3}, {"Sun,06 Nov 1994 08:49:37 GMT", 3}, {"Sun, 06 November 1994 08:49:37 GMT", 11},
        {"Sun, 6 Nov 1994 08:49:37 GMT", 6}, {"Sun, 06 Nov 94 08:49:37 GMT", 14}, {"Sun, 06 Nov 1994 8:49:37 GMT", 18},
        {"Sun, 06 Nov 1994 08:49 GMT", 22}, {"Sun, 06 Nov 1994 08:49:37 UTC", 25}, {"Sun, 06 Nov 1994 08:49:37", 25},
        {"Sun, 06 Nov 1994 08:49:37.5 GMT", 25}, {"Sun, 06 Nov 1994 08:49:37 +0000", 25}, {"Sun, 06 Nov 1994 08:49:37 GMT ", 29},
        {"Sun, 06 Nov 1994 08:49:37 GMT\r\n", 29}, {"Sun, 31 Nov 1994 08:49:37 GMT", 5}, {"Sun, 00 Nov 1994 08:49:37 GMT", 5},
        {"Sun, 06 Nov 1994 24:49:37 GMT", 17}, {"Sun, 06 Nov 1994 08:60:37 GMT", 20}, {"Sunday, 06 Nov 1994 08:49:37 GMT", 10},
        {"Sun, 06-Nov-94 08:49:37 GMT", 7}, {"Sunday 06-Nov-94 08:49:37 GMT", 6}, {"Sunday, 06-Nov-1994 08:49:37 GMT", 17},
        {"Sunday, 06-Nov-94 08:49:37 UTC", 26}, {"Sun Nov  6 08:49:37 94", 22}, {"Sun Nov  6 08:49:37 1994 GMT", 24},
        {"Sun Nov 31 08:49:37 1994", 8}, {"Sun Nov  0 08:49:37 1994", 8}, {"Sun Nov  6 24:49:37 1994", 11}, {"Sunday", 6},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (refused(known[i].text) != known[i].byte) {
            diag("'%s': %s, want byte %d", known[i].text, why(known[i].text), (int)known[i].byte);
            wrong++;
        }
    none_of(wrong, "HTD-11 the bytes of refusals");

    /* Each form cut off or spoilt at each byte: the byte where the piece that is spoilt begins, or that very digit. */
    static const char *const good[] = {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                                       "Sun Nov  6 08:49:37 1994"};
    wrong = 0;
    for (size_t f = 0; f < 3; f++)
        for (size_t i = 0; i < strlen(good[f]); i++) {
            char text[40];
            snprintf(text, sizeof text, "%s", good[f]);
            text[i] = '~';
            int64_t spoilt = refused(text);
            text[i] = '\0';
            int64_t cut = refused(text);
            bool digit = good[f][i] >= '0' && good[f][i] <= '9';
            bool fine = spoilt >= 0 && cut >= 0 && spoilt <= (int64_t)i && cut <= (int64_t)i && (int64_t)i - spoilt < 6;
            wrong += !fine || (digit && (spoilt != (int64_t)i || cut != (int64_t)i));
        }
    none_of(wrong, "HTD-11 each form cut off, or spoilt, at each of its bytes");
}

int main(void)
{
    writing();
    three_forms();
    two_digit_years();
    ranges();
    byte_positions();
    return tap_done();
}
