/* reason.h: how the calendar's readers say why they refuse a text. Each answers false, so that a reader can return it; an
   error of NULL is nobody's and nothing is written. A reason that does not fit its room is cut short. */
#ifndef CALENDAR_REASON_H
#define CALENDAR_REASON_H

#include <timerbench/calendar.h>

/* A reason that is put together: pieces of text and numbers go to its end. */
typedef struct tb_reason {
    tb_time_error *error; /* NULL: nobody's */
    size_t length;
} tb_reason;

tb_reason tb_reason_begin(tb_time_error *error, size_t at);
void tb_reason_text(tb_reason *reason, const char *text);
/* A number of at least so many digits (at most 20). */
void tb_reason_number(tb_reason *reason, int64_t number, int digits);

void tb_tell(tb_time_error *error, size_t at, const char *reason);
void tb_tell_range(tb_time_error *error, size_t at, const char *part, int64_t value, int64_t lowest, int64_t highest);
void tb_tell_missing(tb_time_error *error, size_t at, size_t length, const char *what);
void tb_tell_second(tb_time_error *error, size_t at, int64_t second);
void tb_tell_timestamp(tb_time_error *error);

/* Inline, so that a compiler knows that the answer is false. A fixed reason. */
static inline bool tb_refuse(tb_time_error *error, size_t at, const char *reason)
{
    tb_tell(error, at, reason);
    return false;
}

/* "the month is 13, outside 01 to 12" */
static inline bool tb_refuse_range(tb_time_error *error, size_t at, const char *part, int64_t value, int64_t lowest,
                                   int64_t highest)
{
    tb_tell_range(error, at, part, value, lowest, highest);
    return false;
}

/* "a digit of the month was expected"; when the text is over there: "the text ends where a digit ..." */
static inline bool tb_refuse_missing(tb_time_error *error, size_t at, size_t length, const char *what)
{
    tb_tell_missing(error, at, length, what);
    return false;
}

/* A second of 60 or more. */
static inline bool tb_refuse_second(tb_time_error *error, size_t at, int64_t second)
{
    tb_tell_second(error, at, second);
    return false;
}

/* A moment that no Timestamp holds; it is the whole text's fault, so it is named at byte 0. */
static inline bool tb_refuse_timestamp(tb_time_error *error)
{
    tb_tell_timestamp(error);
    return false;
}

#endif
