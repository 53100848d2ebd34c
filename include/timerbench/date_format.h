/* date_format.h: dates and times by a pattern, as strftime and strptime have them in the C locale; and what ISO 8601 has
   beyond RFC 3339: durations, and dates by their week.

   As in calendar.h: nothing allocates, asks the operating system or depends on a locale. */
#ifndef TIMERBENCH_DATE_FORMAT_H
#define TIMERBENCH_DATE_FORMAT_H

#include <timerbench/zone.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- patterns ----------------------------------------------------------------------------------------------------- */

/* A pattern is text with conversions, each a '%' and a letter:

       %Y year: four digits, or a sign and at least six      %C the year's century, %y its last two digits
       %m month 01-12        %b %h Jan, %B January           %d day 01-31, %e the same with a space for a leading 0
       %j day of the year 001-366                            %a Mon, %A Monday, %u 1-7 from Monday, %w 0-6 from Sunday
       %G %g ISO year (as %Y, as %y), %V ISO week 01-53      %U %W week 00-53 from the first Sunday, Monday
       %H hour 00-23, %k with a space for a leading 0        %I hour 01-12, %l with a space, %p AM or PM, %P am or pm
       %M minute 00-59       %S second 00-59                 %N nanosecond, nine digits
       %s Unix seconds       %z offset +hhmm, %:z +hh:mm     %Z the zone's name
       %F %Y-%m-%d   %D %x %m/%d/%y   %T %X %H:%M:%S   %R %H:%M   %r %I:%M:%S %p   %c %a %b %e %H:%M:%S %Y
       %n newline    %t tab           %% a '%'

   A year is written as RFC 3339 and ISO 8601 have it, so that it is read back; strftime's is the same from 1000 to 9999.
   An offset with seconds is written with them, +hhmmss. */

enum { TB_FORMAT_REFUSED = -1 };

/* Writes a local date-time by a pattern, which ends at a NUL. zone: what is kept there then, for %z, %Z and %s; NULL is UTC.
   As snprintf: at most size bytes with the closing NUL (none when size is 0; out may be NULL then), and the answer is the
   length that all of it has. TB_FORMAT_REFUSED: the pattern has no such conversion; *error (which may be NULL) says at
   which of its bytes. */
TB_API int64_t tb_date_time_format(tb_date_time local, const tb_zone_period *zone, const char *pattern, char *out, size_t size,
                                   tb_time_error *error);

/* Reads what that writes: text[0 .. length-1] must be the pattern's text as a whole, each number with all its digits; names
   in any case. With an offset (%z) or %s the answer is converted to UTC; else it is what the text says. What the pattern
   leaves out is that of 1970-01-01T00:00:00. Two digits of a year without a century are 1969 to 2068. Parts that
   contradict each other (a Monday that is none) are refused: what is read would be written as the same text. %Z is read as
   UTC alone, other names are not told apart; %I needs %p.
   False: *error, where byte and reason are the text's, or, in words that begin with "the pattern", the pattern's. */
TB_API bool tb_date_time_parse(const char *text, size_t length, const char *pattern, tb_date_time *out, tb_time_error *error);

/* ---- ISO 8601 ----------------------------------------------------------------------------------------------------- */

enum { TB_ISO_DURATION_SIZE = 40, TB_ISO_WEEK_SIZE = 24 };

/* Writes a Duration, "PT36H0.5S", "-PT1M", "PT0S", into out of TB_ISO_DURATION_SIZE bytes, closed by a NUL; the length. Hours,
   minutes and seconds with their fraction, each where it is not 0. */
TB_API size_t tb_duration_iso8601(tb_duration d, char *out);
/* Reads one: [+-]P[nW][nD][T[nH][nM][n[.n]S]], at least one part. A week is 7 days, a day 24 hours; months and years, which
   have no fixed length, are refused, as is what does not fit a Duration (at byte 0). A fraction has a point or a comma and
   one to nine digits. As the readers of calendar.h. */
TB_API bool tb_duration_parse_iso8601(const char *text, size_t length, tb_duration *out, tb_time_error *error);

/* Writes a date by its week, "2026-W40-6", into out of TB_ISO_WEEK_SIZE bytes, closed by a NUL; the length. Reads one. */
TB_API size_t tb_date_iso_week_text(tb_date d, char *out);
TB_API bool tb_date_parse_iso_week(const char *text, size_t length, tb_date *out, tb_time_error *error);

#ifdef __cplusplus
}
#endif

#endif
