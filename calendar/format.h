/* format.h: a pattern's conversions, for writing and for holding a text against what would be written. */
#ifndef CALENDAR_FORMAT_H
#define CALENDAR_FORMAT_H

#include <timerbench/date_format.h>

/* Where what is written goes: what fits of it into out; all of it is counted. With `expected` it is compared instead. */
typedef struct tb_format_sink {
    char *out;
    size_t room, length;
    const char *expected;
    size_t expected_length;
    bool differs;
    size_t differs_at;
} tb_format_sink;

/* Writes a local date-time by a checked pattern. */
void tb_format_write(tb_format_sink *sink, tb_date_time local, const tb_zone_period *zone, const char *pattern);
/* Whether all conversions are known; else *error, at the pattern's byte. */
bool tb_format_check(const char *pattern, tb_time_error *error);
/* Bytes before the pattern's first conversion. */
size_t tb_format_plain(const char *pattern);
/* The conversions that one stands for, or NULL: of 'F', "%Y-%m-%d". */
const char *tb_format_expansion(char conversion);
/* What is kept in UTC. */
extern const tb_zone_period tb_format_utc;

#endif
