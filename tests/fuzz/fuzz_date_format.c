/* fuzz_date_format.c: a libFuzzer target: the bytes up to a NUL are a pattern, those behind it a text for it, and for the readers of
   ISO 8601's durations and week dates. What is read must be written as the same text, but for what is left open (the case of
   names; of a duration: units, zeros); what is refused must be so at a byte or at the end, with a reason, and leave the value
   as it was. */
#include <stdlib.h>
#include <string.h>

#include <timerbench/date_format.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_refusal(const tb_time_error *error, size_t size)
{
    const char *end = memchr(error->reason, 0, sizeof error->reason);
    demand(end && end > error->reason && (error->at <= size || strncmp(error->reason, "the pattern", 11) == 0));
}

static void check_pattern(const char *pattern, const char *text, size_t size)
{
    static char written[8192];
    tb_date_time dt = {{1, 2, 3}, {4, 5, 6, 7}}, same = dt;
    tb_time_error error;
    int64_t length = tb_date_time_format(dt, NULL, pattern, written, sizeof written, &error);
    if (length < 0)
        check_refusal(&error, strlen(pattern));
    else
        demand((size_t)length >= sizeof written || strlen(written) == (size_t)length);
    if (!tb_date_time_parse(text, size, pattern, &dt, &error)) {
        check_refusal(&error, size);
        demand(tb_date_time_eq(dt, same));
        return;
    }
    demand(length >= 0);
    if (strstr(pattern, "%z") || strstr(pattern, "%:z"))
        return; /* the text is of another offset */
    length = tb_date_time_format(dt, NULL, pattern, written, sizeof written, NULL);
    demand((size_t)length == size && size < sizeof written);
    for (size_t i = 0; i < size; i++)
        demand(text[i] == written[i] || (text[i] ^ written[i]) == 0x20);
}

static void check_iso8601(const char *text, size_t size)
{
    char written[TB_ISO_DURATION_SIZE], week[TB_ISO_WEEK_SIZE];
    tb_duration d = {5}, again;
    tb_date date = {1, 2, 3}, same = date, date_again;
    tb_time_error error;
    if (tb_duration_parse_iso8601(text, size, &d, &error)) {
        size_t length = tb_duration_iso8601(d, written);
        demand(length == strlen(written) && tb_duration_parse_iso8601(written, length, &again, NULL) && again.ns == d.ns);
    } else {
        check_refusal(&error, size);
        demand(d.ns == 5);
    }
    if (tb_date_parse_iso_week(text, size, &date, &error)) {
        size_t length = tb_date_iso_week_text(date, week);
        demand(tb_date_parse_iso_week(week, length, &date_again, NULL) && tb_date_eq(date, date_again));
        demand(text[0] == '+' || text[0] == '-' || (length == size && memcmp(text, week, size) == 0));
    } else {
        check_refusal(&error, size);
        demand(tb_date_eq(date, same));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *pattern = (const char *)data, *end = memchr(data, 0, size);
    if (!end)
        return 0;
    const char *text = end + 1;
    size_t length = size - (size_t)(text - pattern);
    check_pattern(pattern, text, length);
    check_iso8601(text, length);
    return 0;
}
