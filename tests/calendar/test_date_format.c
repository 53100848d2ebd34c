/* Patterns beside the C library's strftime and strptime, in the C locale; what reading them refuses. */
#include "dates.h"
#include "random.h"

#include <time.h>

#include <timerbench/date_format.h>

static char message[TB_TIME_MESSAGE_SIZE];

static const char *formatted(tb_date_time dt, const tb_zone_period *zone, const char *pattern)
{
    static char out[300];
    int64_t length = tb_date_time_format(dt, zone, pattern, out, sizeof out, NULL);
    return length == (int64_t)strlen(out) ? out : "a wrong length";
}

/* What a text is read as by a pattern, in RFC 3339; or the message. */
static const char *reread(const char *text, const char *pattern)
{
    static char out[TB_RFC3339_SIZE];
    tb_date_time dt = at(ymd(1, 2, 3), 4, 5, 6, 7), before = dt;
    tb_time_error error;
    if (!tb_date_time_parse(text, strlen(text), pattern, &dt, &error))
        return tb_date_time_eq(dt, before) ? tb_time_error_message(&error, message) : "refused, but changed";
    tb_date_time_rfc3339(dt, out);
    return out;
}

static void against_strftime(void)
{
    static const char each[] = "YCymbhBdejaAuwGgVUWHkIlpPMSszZFDxTXRrcnt%";
    uint64_t state = 21;
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        /* 1000-01-01 to 9999-12-31: years of four digits, which all write alike */
        int64_t second = -30610224000 + (int64_t)(random_next(&state) % 284012524800);
        time_t time = (time_t)second;
        struct tm tm;
        tb_date_time dt = tb_date_time_from_parts(tb_date_from_unix_days(second / 86400 - (second % 86400 < 0)),
                                                  (tb_time_of_day){0});
        dt = tb_date_time_add(dt, tb_duration_from_seconds((second % 86400 + 86400) % 86400));
        gmtime_r(&time, &tm);
        char pattern[3] = {'%', each[(size_t)i % (sizeof each - 1)], '\0'}, theirs[100] = "";
        strftime(theirs, sizeof theirs, pattern, &tm);
        const char *ours = formatted(dt, NULL, pattern);
        if (pattern[1] == 'Z' ? strcmp(ours, "UTC") != 0 : strcmp(ours, theirs) != 0) {
            if (wrong++ < 5)
                diag("%s of %" PRId64 ": '%s', theirs '%s'", pattern, second, ours, theirs);
        }
    }
    none_of(wrong, "GB-05 each conversion writes what strftime does");
}

static void writing(void)
{
    tb_date_time dt = at(ymd(2026, 10, 3), 14, 5, 9, 250000000);
    char text[TB_RFC3339_SIZE];
    uint64_t state = 4;
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        tb_date_time any = at(tb_date_from_unix_days((int64_t)(random_next(&state) % 2000000000) - 1000000000),
                              (int64_t)(random_next(&state) % 24), (int64_t)(random_next(&state) % 60), 7, 0);
        tb_date_time_rfc3339(any, text);
        wrong += strcmp(formatted(any, NULL, "%Y-%m-%dT%H:%M:%SZ"), text) != 0;
    }
    none_of(wrong, "GB-05 %%Y-%%m-%%dT%%H:%%M:%%SZ is RFC 3339 without a fraction, in every year");
    is_text(formatted(dt, NULL, "%A, %d %B %Y, %I:%M %p; day %j, week %V"), "Saturday, 03 October 2026, 02:05 PM; day 276, week 40",
            "GB-05 names and numbers among text");
    is_text(formatted(dt, NULL, "%S.%N %k %l %P"), "09.250000000 14  2 pm", "GB-05 nanoseconds, and hours with a space");
    tb_zone_period edt = {.offset = -14400, .saving = true, .name = "EDT"}, odd = {.offset = 561, .name = "LMT"};
    is_text(formatted(dt, &edt, "%F %T %z %:z %Z %s"), "2026-10-03 14:05:09 -0400 -04:00 EDT 1791050709",
            "GB-05 GB-04 with a zone");
    is_text(formatted(dt, &odd, "%z %:z"), "+000921 +00:09:21", "GB-05 an offset with seconds");
    is_text(formatted(at(ymd(-44, 3, 15), 12, 0, 0, 0), NULL, "%Y %C %y %j"), "-000044 -01 56 075", "GB-05 a year before year 0");

    char small[5] = "xxxx";
    ok(tb_date_time_format(dt, NULL, "%F", small, sizeof small, NULL) == 10 && strcmp(small, "2026") == 0 &&
       tb_date_time_format(dt, NULL, "%F", small, 1, NULL) == 10 && small[0] == '\0' &&
       tb_date_time_format(dt, NULL, "%F", NULL, 0, NULL) == 10, "GB-05 what does not fit is cut off, and counted");
    tb_time_error error = {.at = 9};
    ok(tb_date_time_format(dt, NULL, "%F %Q", small, sizeof small, &error) == TB_FORMAT_REFUSED && error.at == 3 &&
       tb_date_time_format(dt, NULL, "%F %", small, sizeof small, &error) == TB_FORMAT_REFUSED && error.at == 3 &&
       tb_date_time_format(dt, NULL, "%:x", small, sizeof small, &error) == TB_FORMAT_REFUSED && error.at == 0 &&
       strncmp(error.reason, "the pattern", 11) == 0, "GB-05 a conversion that is none");
}

static void reading(void)
{
    is_text(reread("2026-10-03 14:05:09", "%F %T"), "2026-10-03T14:05:09Z", "GB-05 a date and a time");
    is_text(reread("03/Oct/2026:14:05:09 -0400", "%d/%b/%Y:%H:%M:%S %z"), "2026-10-03T18:05:09Z", "GB-05 a server's log, to UTC");
    is_text(reread("Sat, 3 oct 2026", "%a, %e %b %Y"), "at byte 6: a digit of the day was expected",
            "GB-05 a number has all its digits");
    is_text(reread("SAT,  3 oct 2026", "%a, %e %b %Y"), "2026-10-03T00:00:00Z", "GB-05 names are read in any case");
    is_text(reread("12:30:00 AM", "%r"), "1970-01-01T00:30:00Z", "GB-05 12 AM is midnight");
    is_text(reread("12:30:00 pm", "%r"), "1970-01-01T12:30:00Z", "GB-05 12 PM is noon");
    is_text(reread("1791050709", "%s"), "2026-10-03T18:05:09Z", "GB-05 Unix seconds");
    is_text(reread("-1.999999999", "%s.%N"), "1969-12-31T23:59:59.999999999Z", "GB-05 Unix seconds before 1970, and nanoseconds");
    is_text(reread("2026-276", "%Y-%j"), "2026-10-03T00:00:00Z", "GB-05 a day of the year");
    is_text(reread("2026-W40-6", "%G-W%V-%u"), "2026-10-03T00:00:00Z", "GB-05 an ISO week");
    is_text(reread("2026 39 Sat", "%Y %U %a"), "2026-10-03T00:00:00Z", "GB-05 a week from Sunday");
    is_text(reread("2026 39 Sat", "%Y %W %a"), "2026-10-03T00:00:00Z", "GB-05 a week from Monday");
    is_text(reread("68 69", "%y"), "at byte 2: the text goes on after its end was expected",
            "GB-05 the whole text must be the pattern's");
    is_text(reread("68", "%y"), "2068-01-01T00:00:00Z", "GB-05 two digits of a year, up to 68");
    is_text(reread("69", "%y"), "1969-01-01T00:00:00Z", "GB-05 and from 69");
    is_text(reread("1876", "%C%y"), "1876-01-01T00:00:00Z", "GB-05 a century and a year of it");
    is_text(reread("+010000-01-01", "%F"), "+010000-01-01T00:00:00Z", "GB-05 RFC-11 a year past 9999");
    is_text(reread("10:00 UTC %", "%R %Z %%"), "1970-01-01T10:00:00Z", "GB-05 the name of UTC");
}

static void refusing(void)
{
    is_text(reread("2026-13-03", "%F"), "at byte 5: the month is 13, outside 01 to 12", "GB-05 ERR-05 a month");
    is_text(reread("2026-02-29", "%F"), "at byte 8: there is no such date", "GB-05 a day that does not exist");
    is_text(reread("2026-366", "%Y-%j"), "at byte 5: there is no such date", "GB-05 a day past the year");
    is_text(reread("2025-W53-1", "%G-W%V-%u"), "at byte 9: there is no such date", "GB-05 a week past the year");
    is_text(reread("23:59:60", "%T"),
            "at byte 6: the second is 60, a leap second, which this package does not count (a Timestamp ignores "
            "leap seconds)", "GB-05 a leap second");
    is_text(reread("Sun, 03 Oct 2026", "%a, %d %b %Y"), "at byte 0: what is read here contradicts the rest of the text",
            "GB-05 the wrong weekday");
    is_text(reread("2026 2027", "%Y %Y"), "at byte 0: what is read here contradicts the rest of the text", "GB-05 two years");
    is_text(reread("2026-10-03 275", "%F %j"), "at byte 11: what is read here contradicts the rest of the text",
            "GB-05 the wrong day of the year");
    is_text(reread("10:00 EST", "%R %Z"), "at byte 6: the pattern's own character was expected",
            "GB-05 a zone's name says no offset");
    is_text(reread("02:00", "%I:%M"), "at byte 0: the pattern has %I or %l without %p",
            "GB-05 an hour of a half day without which");
    is_text(reread("x", "%Q"), "at byte 0: the pattern has a conversion that is none", "GB-05 a conversion that is none");
    is_text(reread("+24:00", "%:z"), "at byte 1: the offset's hour is 24, outside 00 to 23", "GB-05 an offset's hour");
    is_text(reread("99999999999999999999", "%s"), "at byte 0: there is no such date", "GB-05 seconds that no date has");
    is_text(reread("20", "%Y"), "at byte 2: the text ends where a digit of the year was expected", "GB-05 a year that is cut off");
    is_text(reread("+2147483647-12-31T23:59:59-0001", "%FT%T%z"), "at byte 15: there is no such date",
            "GB-05 an offset that leads past every year");
}

static void round_trips(void)
{
    static const char *const patterns[] = {"%Y-%m-%dT%H:%M:%S.%N%z", "%A %e %B %Y %I:%M:%S %p %N", "%G-W%V-%u %T.%N",
                                           "%Y-%j %k.%M.%S,%N", "%s %N",
                                           "%Y %U %w %T %N", "%Y %W %a %R:%S %N", "%c %N",
                                               "%a %A %b %B %d %e %h %H %j %m %M %S %u %U %V %w %W %Y %G %N"};
    uint64_t state = 8;
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        const char *pattern = patterns[(size_t)i % (sizeof patterns / sizeof *patterns)];
        int64_t days = i % 2 ? (int64_t)(random_next(&state) % 1500000000000) - 750000000000 : (int64_t)(random_next(&state) % 100000) - 50000;
        tb_date_time dt = tb_date_time_from_parts(tb_date_from_unix_days(days),
                                                  tb_time_of_day_from_nanos((int64_t)(random_next(&state) % 86400000000000))), back = {0};
        tb_zone_period zone = {.offset = (int32_t)(random_next(&state) % 2879 * 60) - 86340, .name = "UTC"};
        bool with_offset = strchr(pattern, 'z');
        const char *text = formatted(dt, with_offset ? &zone : NULL, pattern);
        tb_date_time utc = with_offset ? tb_date_time_sub(dt, tb_duration_from_seconds(zone.offset)) : dt;
        tb_time_error error;
        if (!tb_date_time_parse(text, strlen(text), pattern, &back, &error) || !tb_date_time_eq(utc, back)) {
            if (wrong++ < 5)
                diag("'%s' by '%s': %s", text, pattern, reread(text, pattern));
        }
    }
    none_of(wrong, "GB-05 what is written by a pattern is read back by it, for 100000 date-times of all years");
}

int main(void)
{
    setenv("TZ", "UTC0", 1);
    tzset();
    against_strftime();
    writing();
    reading();
    refusing();
    round_trips();
    return tap_done();
}
