/* ISO 8601's durations, and dates by their week. */
#include "dates.h"
#include "random.h"

#include <timerbench/date_format.h>

static char message[TB_TIME_MESSAGE_SIZE];

static const char *written(int64_t nanos)
{
    static char out[TB_ISO_DURATION_SIZE];
    size_t length = tb_duration_iso8601(tb_duration_from_nanos(nanos), out);
    return length == strlen(out) ? out : "a wrong length";
}

/* What a duration's text is read as, written again; or the message. */
static const char *reread(const char *text)
{
    tb_duration d = {77};
    tb_time_error error;
    if (tb_duration_parse_iso8601(text, strlen(text), &d, &error))
        return written(d.ns);
    return d.ns == 77 ? tb_time_error_message(&error, message) : "refused, but changed";
}

static void durations(void)
{
    is_text(written(0), "PT0S", "GB-05 a duration of 0");
    is_text(written(36 * TB_NANOS_PER_HOUR + 500000000), "PT36H0.5S", "GB-05 hours and half a second");
    is_text(written(-90 * TB_NANOS_PER_MINUTE), "-PT1H30M", "GB-05 a negative one");
    is_text(written(1), "PT0.000000001S", "GB-05 a nanosecond");
    is_text(written(INT64_MAX), "PT2562047H47M16.854775807S", "GB-05 the longest");
    is_text(written(INT64_MIN), "-PT2562047H47M16.854775808S", "GB-05 the most negative, which has no opposite");
    is_text(reread("P1W2DT3H4M5.6S"), "PT219H4M5.6S", "GB-05 weeks and days are 168 and 24 hours");
    is_text(reread("-PT2562047H47M16,854775808S"), "-PT2562047H47M16.854775808S", "GB-05 a comma before a fraction");
    is_text(reread("+PT90M"), "PT1H30M", "GB-05 more minutes than an hour has");
    is_text(reread("PT0000000000000000000000000000001S"), "PT1S", "GB-05 zeros before a number");
    is_text(reread("P1Y"), "at byte 2: a year or a month has no fixed length", "GB-05 years are refused");
    is_text(reread("P1M"), "at byte 2: a year or a month has no fixed length", "GB-05 so are months");
    static const struct {
        const char *text;
        size_t byte;
    } known[] = {{"", 0}, {"1H", 0}, {"P", 1}, {"PT", 2}, {"P1DT", 4}, {"P1", 2}, {"PT1", 3}, {"PT1X", 3}, {"PT1S1M", 5},
                 {"PT1M1M", 5}, {"P1D1W", 4},
                 {"PT1.5H", 5}, {"PT.5S", 2}, {"PT1.S", 4}, {"PT1.1234567891S", 13}, {"PT1S ", 4}, {"P1DT1HT", 6},
                     {"PT2562047H47M16.854775808S", 0},
                 {"PT99999999999999999999H", 0}, {"P-1D", 1}, {"--PT1S", 1}, {"pT1S", 0}, {"P1.5D", 2}, {"T1S", 0}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tb_duration d = {0};
        tb_time_error error = {.at = 999};
        if (tb_duration_parse_iso8601(known[i].text, strlen(known[i].text), &d, &error) || error.at != known[i].byte) {
            diag("'%s': %s, want byte %zu", known[i].text, reread(known[i].text), known[i].byte);
            wrong++;
        }
    }
    none_of(wrong, "GB-05 ERR-02 the bytes of refusals of a duration");
    uint64_t state = 6;
    wrong = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t n = random_count(&state);
        const char *text = written(n);
        tb_duration d = {0};
        wrong += !tb_duration_parse_iso8601(text, strlen(text), &d, NULL) || d.ns != n;
    }
    none_of(wrong, "GB-05 200000 durations are read back");
}

static const char *week_text(tb_date d)
{
    static char out[TB_ISO_WEEK_SIZE];
    size_t length = tb_date_iso_week_text(d, out);
    return length == strlen(out) ? out : "a wrong length";
}

static void weeks(void)
{
    is_text(week_text(ymd(2026, 10, 3)), "2026-W40-6", "GB-05 a date by its week");
    is_text(week_text(ymd(2027, 1, 3)), "2026-W53-7", "GB-05 a January day of the old year's last week");
    is_text(week_text(ymd(2024, 12, 30)), "2025-W01-1", "GB-05 a December day of the new year's first");
    is_text(week_text(ymd(-2147483648, 1, 1)), "-2147483648-W01-2", "GB-05 the first date");
    is_text(week_text(ymd(2147483647, 12, 31)), "+2147483648-W01-2", "GB-05 the last date is of a week of the year after it");
    static const struct {
        const char *text;
        size_t byte;
    } known[] = {{"", 0}, {"2026-W54-1", 6}, {"2025-W53-1", 6}, {"2026-W00-1", 6}, {"2026-W01-8", 9}, {"2026-W01-0", 9},
                 {"2026W011", 4}, {"2026-w01-1", 5},
                 {"2026-W1-1", 7}, {"2026-W01", 8}, {"2026-W01-1x", 10}, {"-000000-W01-1", 0}, {"+2147483649-W01-1", 0},
                     {"+2147483648-W01-3", 0}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tb_date d = ymd(2000, 1, 1);
        tb_time_error error = {.at = 999};
        if (tb_date_parse_iso_week(known[i].text, strlen(known[i].text), &d, &error) || error.at != known[i].byte ||
            !tb_date_eq(d, ymd(2000, 1, 1))) {
            diag("'%s': %s, want byte %zu", known[i].text, tb_time_error_message(&error, message), known[i].byte);
            wrong++;
        }
    }
    none_of(wrong, "GB-05 ERR-02 the bytes of refusals of a week date");
    uint64_t state = 2;
    wrong = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t spread = i % 2 ? 1568704592610 : 200000, middle = i % 2 ? -719528 : 0;
        tb_date d = tb_date_from_unix_days((int64_t)(random_next(&state) % (uint64_t)spread) - spread / 2 + middle), back = {0};
        const char *text = week_text(d);
        wrong += !tb_date_parse_iso_week(text, strlen(text), &back, NULL) || !tb_date_eq(d, back);
    }
    none_of(wrong, "GB-05 200000 dates are read back by their weeks");
}

int main(void)
{
    durations();
    weeks();
    return tap_done();
}
