/* calendar_text.c: moments as text and back: the library's functions, its patterns, and glibc's strftime and strptime with
   gmtime_r and timegm; and local time beside glibc's localtime_r. */
#include "bench/calendar_values.h"
#include "bench/gbench.h"

/* Nobody may guess what is in a text that was written. */
static inline uint64_t text_answer(const char *text, size_t last)
{
    tb_gbench_use_pointer(text);
    return tb_calendar_text_answer(text, last);
}

enum { RFC3339_LAST = 12, HTTP_LAST = 21 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static inline uint64_t ours_rfc3339(tb_timestamp t)
{
    char out[TB_RFC3339_SIZE];
    tb_timestamp_rfc3339(t, out);
    return text_answer(out, RFC3339_LAST);
}

static inline uint64_t ours_http(tb_timestamp t)
{
    char out[TB_HTTP_DATE_SIZE];
    tb_timestamp_http_date(t, out);
    return text_answer(out, HTTP_LAST);
}

static inline uint64_t ours_pattern(tb_timestamp t, const char *pattern, size_t last)
{
    char out[TB_CALENDAR_TEXT];
    tb_date_time_format(tb_date_time_from_timestamp(t), NULL, pattern, out, sizeof out, NULL);
    return text_answer(out, last);
}

static inline uint64_t glibc_pattern(int64_t seconds, const char *pattern, size_t last)
{
    char out[TB_CALENDAR_TEXT];
    time_t t = (time_t)seconds;
    struct tm tm;
    gmtime_r(&t, &tm);
    if (strftime(out, sizeof out, pattern, &tm) == 0)
        return 0;
    return text_answer(out, last);
}

#define RFC3339_PATTERN "%Y-%m-%dT%H:%M:%SZ"
#define HTTP_PATTERN "%a, %d %b %Y %H:%M:%S GMT"

TB_CALENDAR_LOOP(write_ours, ours_rfc3339(v->timestamp))
TB_CALENDAR_LOOP(write_our_pattern, ours_pattern(v->timestamp, RFC3339_PATTERN, RFC3339_LAST))
TB_CALENDAR_LOOP(write_glibc, glibc_pattern(v->seconds, RFC3339_PATTERN, RFC3339_LAST))
TB_CALENDAR_LOOP(write_http_ours, ours_http(v->timestamp))
TB_CALENDAR_LOOP(write_http_our_pattern, ours_pattern(v->timestamp, HTTP_PATTERN, HTTP_LAST))
TB_CALENDAR_LOOP(write_http_glibc, glibc_pattern(v->seconds, HTTP_PATTERN, HTTP_LAST))

/* ---- reading: Unix seconds, or 0 --------------------------------------------------------------------------------- */

static inline uint64_t ours_read(const char *text)
{
    tb_timestamp t;
    return tb_timestamp_parse_rfc3339(text, 20, &t, NULL) ? (uint64_t)tb_timestamp_unix_seconds(t) : 0;
}

static inline uint64_t ours_read_http(const char *text)
{
    tb_timestamp t;
    return tb_timestamp_parse_http_date_as_of(text, 29, tb_timestamp_from_unix_seconds(0), &t, NULL)
               ? (uint64_t)tb_timestamp_unix_seconds(t) : 0;
}

static inline uint64_t ours_read_pattern(const char *text, size_t length, const char *pattern)
{
    tb_date_time dt;
    tb_timestamp t;
    return tb_date_time_parse(text, length, pattern, &dt, NULL) && tb_date_time_to_timestamp(dt, &t)
               ? (uint64_t)tb_timestamp_unix_seconds(t) : 0;
}

static inline uint64_t glibc_read(const char *text, const char *pattern)
{
    struct tm tm = {0};
    const char *end = strptime(text, pattern, &tm);
    return end && !*end ? (uint64_t)timegm(&tm) : 0;
}

TB_CALENDAR_LOOP(read_ours, ours_read(v->rfc3339))
TB_CALENDAR_LOOP(read_our_pattern, ours_read_pattern(v->rfc3339, 20, RFC3339_PATTERN))
TB_CALENDAR_LOOP(read_glibc, glibc_read(v->rfc3339, RFC3339_PATTERN))
TB_CALENDAR_LOOP(read_http_ours, ours_read_http(v->http))
TB_CALENDAR_LOOP(read_http_our_pattern, ours_read_pattern(v->http, 29, HTTP_PATTERN))
TB_CALENDAR_LOOP(read_http_glibc, glibc_read(v->http, HTTP_PATTERN))

/* ---- local time -------------------------------------------------------------------------------------------------- */

static inline uint64_t local_answer(int64_t year, uint32_t month, uint32_t day, uint32_t hour, uint32_t minute)
{
    return tb_calendar_date_answer(year, month, day) * 2048 + hour * 60 + minute;
}

static inline uint64_t ours_local(const tb_zone *zone, tb_timestamp t)
{
    tb_date_time dt = tb_zone_local_time(zone, t);
    return local_answer(tb_date_year(dt.date), (uint32_t)tb_date_month(dt.date), (uint32_t)tb_date_day(dt.date),
                        (uint32_t)dt.time.hour, (uint32_t)dt.time.minute);
}

static inline uint64_t glibc_local(int64_t seconds)
{
    time_t t = (time_t)seconds;
    struct tm tm;
    localtime_r(&t, &tm);
    return local_answer(tm.tm_year + INT64_C(1900), (uint32_t)tm.tm_mon + 1, (uint32_t)tm.tm_mday, (uint32_t)tm.tm_hour,
                        (uint32_t)tm.tm_min);
}

TB_CALENDAR_LOOP(local_ours, ours_local(&values->zone, v->timestamp))
TB_CALENDAR_LOOP(local_glibc, glibc_local(v->seconds))
TB_CALENDAR_LOOP(text_dummy, (uint64_t)v->seconds)

#define ENTRIES(workload, ours, pattern, glibc)                                                                   \
    const tb_calendar_entry workload[] = {{"timerbench", ours, false}, {"timerbench_pattern", pattern, false},    \
                                          {"glibc", glibc, false}, {"dummy", text_dummy, true}, {NULL, NULL, false}}
ENTRIES(tb_calendar_write_rfc3339, write_ours, write_our_pattern, write_glibc);
ENTRIES(tb_calendar_read_rfc3339, read_ours, read_our_pattern, read_glibc);
ENTRIES(tb_calendar_write_http_date, write_http_ours, write_http_our_pattern, write_http_glibc);
ENTRIES(tb_calendar_read_http_date, read_http_ours, read_http_our_pattern, read_http_glibc);
const tb_calendar_entry tb_calendar_local_time[] = {
    {"glibc", local_glibc, false}, {"timerbench", local_ours, false}, {"dummy", text_dummy, true}, {NULL, NULL, false}};
