/* fuzz_rfc3339.c: a libFuzzer target: the bytes are a text for each of RFC 3339's readers. What is read must be written as the same
   text, but for what RFC 3339 leaves open (case of T and Z, zeros at the end of a fraction, digits of an expanded year, the
   offset); what is refused must be so at one of its bytes or at its end, with a reason, and leave the value as it was. */
#include <stdlib.h>
#include <string.h>

#include <timerbench/calendar.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 160 };

static void check_refusal(const tb_time_error *error, size_t size)
{
    const char *end = memchr(error->reason, 0, sizeof error->reason);
    if (error->at > size || !end || end == error->reason)
        abort();
}

/* The text as the writers have it: a sign goes from a year of four digits, zeros before six digits, and zeros at the end
   of a fraction, its point too. It has a date when `dated`; it ends before its offset. */
static size_t normal(const char *text, size_t size, bool dated, char *out)
{
    size_t at = 0, length = 0;
    if (dated && (text[0] == '+' || text[0] == '-')) {
        size_t digits = 1;
        while (text[digits] >= '0' && text[digits] <= '9')
            digits++;
        size_t keep = digits, first = 1;
        for (; keep - first > 6 && text[first] == '0'; first++)
            ;
        bool four = keep - first == 6 && text[first] == '0' && text[first + 1] == '0' && text[0] == '+';
        if (four)
            first += 2;
        else
            out[length++] = text[0];
        memcpy(out + length, text + first, keep - first);
        length += keep - first;
        at = digits;
    }
    bool fraction = false;
    for (; at < size; at++) {
        fraction |= text[at] == '.';
        out[length++] = text[at] == 't' ? 'T' : text[at];
    }
    while (fraction && (out[length - 1] == '0' || out[length - 1] == '.'))
        fraction = out[--length] != '.';
    return length;
}

static void demand(const char *text, size_t size, bool dated, const char *written, size_t length)
{
    char plain[ROOM];
    if (normal(text, size, dated, plain) != length || memcmp(plain, written, length) != 0)
        abort();
}

static void check_date_time(const char *text, size_t size, tb_date_time dt)
{
    char written[TB_RFC3339_SIZE];
    tb_date_time again;
    size_t length = tb_date_time_rfc3339(dt, written), offset = 1;
    if (!tb_date_time_parse_rfc3339(written, length, &again, NULL) || !tb_date_time_eq(dt, again))
        abort();
    if (text[size - 1] != 'Z' && text[size - 1] != 'z') {
        /* Back to the local time, which is what the text says before its offset. */
        offset = 6;
        int minutes = (text[size - 5] - '0') * 600 + (text[size - 4] - '0') * 60 + (text[size - 2] - '0') * 10 + text[size - 1] - '0';
        if (minutes / 60 > 23 || (text[size - 6] != '+' && text[size - 6] != '-') || text[size - 3] != ':')
            abort();
        dt = tb_date_time_add(dt, tb_duration_from_minutes(text[size - 6] == '-' ? -minutes : minutes));
        length = tb_date_time_rfc3339(dt, written);
    }
    demand(text, size - offset, true, written, length - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char written[TB_RFC3339_SIZE];
    tb_time_error error;
    tb_date d = {1, 2, 3}, same_d = d;
    tb_time_of_day t = {1, 2, 3, 4}, same_t = t;
    tb_date_time dt = {d, t}, same_dt = dt;
    tb_timestamp ts = {5};
    if (size > 100)
        return 0;
    if (tb_date_parse_rfc3339(text, size, &d, &error))
        demand(text, size, true, written, tb_date_rfc3339(d, written));
    else {
        check_refusal(&error, size);
        if (!tb_date_eq(d, same_d))
            abort();
    }
    if (tb_time_of_day_parse_rfc3339(text, size, &t, &error))
        demand(text, size, false, written, tb_time_of_day_rfc3339(t, written));
    else {
        check_refusal(&error, size);
        if (!tb_time_of_day_eq(t, same_t))
            abort();
    }
    bool read = tb_date_time_parse_rfc3339(text, size, &dt, &error), stamp = tb_timestamp_parse_rfc3339(text, size, &ts, NULL);
    tb_timestamp same_ts;
    bool held = read && tb_date_time_to_timestamp(dt, &same_ts);
    if (stamp != held || ts.ns != (stamp ? same_ts.ns : 5))
        abort();
    if (read)
        check_date_time(text, size, dt);
    else {
        check_refusal(&error, size);
        if (!tb_date_time_eq(dt, same_dt))
            abort();
    }
    return 0;
}
