/* http_date_now.c: HTTP's dates as of now. In an object of its own: it is the one function of the calendar that asks the
   operating system for the time. */
#include <timerbench/calendar.h>

bool tb_timestamp_parse_http_date(const char *text, size_t length, tb_timestamp *out, tb_time_error *error)
{
    return tb_timestamp_parse_http_date_as_of(text, length, tb_timestamp_now(), out, error);
}
