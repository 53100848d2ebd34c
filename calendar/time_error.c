/* time_error.c: why a text was refused, put together without allocating and without a locale. */
#include "calendar/reason.h"

#include <string.h>

/* Appends what fits to a text of `size` bytes with its NUL; the new length. */
static size_t append(char *out, size_t size, size_t length, const char *text, size_t count)
{
    size_t room = size - 1 - length;
    count = count < room ? count : room;
    memcpy(out + length, text, count);
    out[length + count] = '\0';
    return length + count;
}

static size_t append_number(char *out, size_t size, size_t length, uint64_t number, int digits)
{
    char text[20];
    size_t at = sizeof text;
    for (; number || digits > 0; number /= 10, digits--)
        text[--at] = (char)('0' + number % 10);
    return append(out, size, length, text + at, sizeof text - at);
}

tb_reason tb_reason_begin(tb_time_error *error, size_t at)
{
    if (error) {
        error->at = at;
        error->reason[0] = '\0';
    }
    return (tb_reason){error, 0};
}

void tb_reason_text(tb_reason *reason, const char *text)
{
    if (reason->error)
        reason->length = append(reason->error->reason, TB_TIME_REASON_SIZE, reason->length, text, strlen(text));
}

void tb_reason_number(tb_reason *reason, int64_t number, int digits)
{
    if (!reason->error)
        return;
    if (number < 0)
        tb_reason_text(reason, "-");
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    reason->length = append_number(reason->error->reason, TB_TIME_REASON_SIZE, reason->length, magnitude, digits);
}

__attribute__((cold)) void tb_tell(tb_time_error *error, size_t at, const char *text)
{
    tb_reason reason = tb_reason_begin(error, at);
    tb_reason_text(&reason, text);
}

__attribute__((cold)) void tb_tell_range(tb_time_error *error, size_t at, const char *part, int64_t value, int64_t lowest,
                                         int64_t highest)
{
    tb_reason reason = tb_reason_begin(error, at);
    tb_reason_text(&reason, "the ");
    tb_reason_text(&reason, part);
    tb_reason_text(&reason, " is ");
    tb_reason_number(&reason, value, 2);
    tb_reason_text(&reason, ", outside ");
    tb_reason_number(&reason, lowest, 2);
    tb_reason_text(&reason, " to ");
    tb_reason_number(&reason, highest, 2);
}

__attribute__((cold)) void tb_tell_missing(tb_time_error *error, size_t at, size_t length, const char *what)
{
    tb_reason reason = tb_reason_begin(error, at);
    tb_reason_text(&reason, at >= length ? "the text ends where " : "");
    tb_reason_text(&reason, what);
    tb_reason_text(&reason, " was expected");
}

__attribute__((cold)) void tb_tell_second(tb_time_error *error, size_t at, int64_t second)
{
    if (second == 60)
        tb_tell(error, at, "the second is 60, a leap second, which this package does not count (a Timestamp ignores leap "
                           "seconds)");
    else
        tb_tell_range(error, at, "second", second, 0, 59);
}

__attribute__((cold)) void tb_tell_timestamp(tb_time_error *error)
{
    tb_tell(error, 0, "the moment is outside a Timestamp's range, 1677-09-21T00:12:43.145224192Z to "
                      "2262-04-11T23:47:16.854775807Z");
}

const char *tb_time_error_message(const tb_time_error *error, char *out)
{
    size_t length = append(out, TB_TIME_MESSAGE_SIZE, 0, "at byte ", 8);
    length = append_number(out, TB_TIME_MESSAGE_SIZE, length, error->at, 1);
    length = append(out, TB_TIME_MESSAGE_SIZE, length, ": ", 2);
    append(out, TB_TIME_MESSAGE_SIZE, length, error->reason, strnlen(error->reason, TB_TIME_REASON_SIZE));
    return out;
}
