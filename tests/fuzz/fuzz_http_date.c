/* fuzz_http_date.c: a libFuzzer target: eight bytes are now, the others a text for the reader of HTTP's dates. What is read must be
   what the text's form writes for that moment, to the byte (but for asctime's day, which may have a zero for its space);
   what is refused must be so at one of its bytes or at its end, with a reason, and leave the value as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <timerbench/calendar.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const days[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

/* The moment in each form, and the length of each. */
static void write_forms(tb_date_time dt, char (*out)[64])
{
    const char *day = days[tb_date_weekday(dt.date) - TB_MONDAY], *month = months + 3 * (tb_date_month(dt.date) - 1);
    int year = tb_date_year(dt.date);
    char time[16];
    snprintf(time, sizeof time, "%02d:%02d:%02d", dt.time.hour, dt.time.minute, dt.time.second);
    snprintf(out[0], 64, "%.3s, %02d %.3s %04d %s GMT", day, tb_date_day(dt.date), month, year, time);
    snprintf(out[1], 64, "%s, %02d-%.3s-%02d %s GMT", day, tb_date_day(dt.date), month, year % 100, time);
    snprintf(out[2], 64, "%.3s %.3s %2d %s %04d", day, month, tb_date_day(dt.date), time, year);
    snprintf(out[3], 64, "%.3s %.3s %02d %s %04d", day, month, tb_date_day(dt.date), time, year);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tb_timestamp now, t = {5};
    tb_time_error error;
    if (size < sizeof now)
        return 0;
    memcpy(&now, data, sizeof now);
    const char *text = (const char *)data + sizeof now;
    size_t length = size - sizeof now;
    if (!tb_timestamp_parse_http_date_as_of(text, length, now, &t, &error)) {
        const char *end = memchr(error.reason, 0, sizeof error.reason);
        if (error.at > length || !end || end == error.reason || t.ns != 5)
            abort();
        return 0;
    }
    char forms[4][64], imf[TB_HTTP_DATE_SIZE];
    write_forms(tb_date_time_from_timestamp(t), forms);
    if (t.ns % TB_NANOS_PER_SECOND || tb_timestamp_http_date(t, imf) != 29 || strcmp(imf, forms[0]) != 0)
        abort();
    int form = 0;
    while (form < 4 && (strlen(forms[form]) != length || memcmp(forms[form], text, length) != 0))
        form++;
    /* A two-digit year: at most 50 years ahead, less than 50 back. */
    const double years = 365.2425 * 86400e9;
    double ahead = (double)t.ns - (double)now.ns;
    if (form == 4 || (form == 1 && (ahead > 50.01 * years || ahead < -50.01 * years)))
        abort();
    return 0;
}
