/* The golden transcript of the calendar (G2), line by line from the calls that each line is about. */
#include "dates.h"
#include "transcript.h"

static void show_day(transcript *t, int64_t year, int64_t month, int64_t day)
{
    char text[TB_RFC3339_SIZE];
    tb_date d;
    if (!tb_date_from_ymd(year, month, day, &d)) {
        say(t, "no such date");
        return;
    }
    tb_date_rfc3339(d, text);
    bool weekend = tb_date_weekday(d) == TB_SATURDAY || tb_date_weekday(d) == TB_SUNDAY;
    say(t, "%s is day %d of %d, ISO weekday %d, a %s", text, tb_date_day_of_year(d), tb_date_days_in_year(d),
        tb_date_iso_weekday(d), weekend ? "weekend" : "weekday");
}

static void christmas(transcript *t)
{
    char before[TB_RFC3339_SIZE], after[TB_RFC3339_SIZE];
    tb_date xmas = ymd(2026, 12, 25), base = tb_date_sub_days(xmas, 100);
    tb_date_rfc3339(base, before);
    tb_date_rfc3339(tb_date_add_days(base, 100), after);
    say(t, "%s + 100 days = %s; days between: %" PRId64, before, after, tb_date_days_since(xmas, base));
}

static void moments(transcript *t)
{
    char text[TB_RFC3339_SIZE];
    tb_timestamp ts = tb_timestamp_from_unix_nanos(1759500309250000000), back;
    tb_date_time dt = tb_date_time_from_timestamp(ts), later = tb_date_time_add(dt, tb_duration_from_hours(36));
    tb_date_time_rfc3339(dt, text);
    say(t, "%s", text);
    tb_timestamp_rfc3339(ts, text);
    say(t, "%s", text);
    tb_timestamp_http_date(ts, text);
    say(t, "%s", text);
    say(t, "%d", tb_date_year(tb_date_time_date(dt)));
    tb_date_time_rfc3339(later, text);
    say(t, "%s", text);
    say(t, "%" PRId64 " hours between", tb_duration_hours(tb_date_time_since(later, dt)));
    bool same = tb_date_time_to_timestamp(dt, &back) && tb_timestamp_eq(back, ts);
    say(t, "%s", same ? "round trips to the Timestamp" : "does not round trip");

    tb_date_time far = at(ymd(3000, 1, 1), 0, 0, 0, 0);
    tb_date_time_rfc3339(far, text);
    say(t, "%s has %s Timestamp", text, tb_date_time_to_timestamp(far, &back) ? "a" : "no");

    tb_time_of_day time;
    if (tb_time_of_day_from_hms_nanos(14, 5, 9, 500000000, &time))
        tb_time_of_day_rfc3339(time, text);
    say(t, "%s", text);
    say(t, "24:00:00 %s", tb_time_of_day_from_hms(24, 0, 0, &time) ? "exists" : "does not");
}

static void read_text(transcript *t, const char *text)
{
    char out[TB_RFC3339_SIZE], message[TB_TIME_MESSAGE_SIZE];
    tb_date_time dt;
    tb_time_error error;
    if (tb_date_time_parse_rfc3339(text, strlen(text), &dt, &error)) {
        tb_date_time_rfc3339(dt, out);
        say(t, "%s  ->  %s", text, out);
    } else
        say(t, "%s  ->  %s", text, tb_time_error_message(&error, message));
}

static void read_http(transcript *t, const char *text)
{
    char out[TB_HTTP_DATE_SIZE], message[TB_TIME_MESSAGE_SIZE];
    tb_timestamp ts;
    tb_time_error error;
    if (tb_timestamp_parse_http_date(text, strlen(text), &ts, &error)) {
        tb_timestamp_http_date(ts, out);
        say(t, "%s", out);
    } else
        say(t, "%s", tb_time_error_message(&error, message));
}

int main(void)
{
    transcript t = {.length = 0};
    show_day(&t, 2026, 10, 3);
    show_day(&t, 2026, 2, 29);
    show_day(&t, 2024, 2, 29);
    christmas(&t);
    moments(&t);
    read_text(&t, "2026-10-03T19:35:09.25+05:30");
    read_text(&t, "2026-10-03t19:35:09z");
    read_text(&t, "2026-10-03 19:35:09Z");
    read_text(&t, "2026-13-03T19:35:09Z");
    read_text(&t, "2026-10-03T19:35:60Z");
    read_text(&t, "2026-10-03T19:35:09");
    read_http(&t, "Sunday, 06-Nov-94 08:49:37 GMT");
    read_http(&t, "Mon, 06 Nov 1994 08:49:37 GMT");
    ok(same_as_file(&t, "tests/golden/G2.txt"), "DAT-01 DAT-02 DAT-08 DAT-11 DAT-12 DTM-02 DTM-06 DTM-08 RFC-05 RFC-07 "
       "RFC-08 RFC-09 RFC-10 HTD-03 HTD-06 ERR-03 ERR-04 golden G2, to the byte");
    return tap_done();
}
