/* digits.h: writing and reading decimal digits, without a locale. */
#ifndef CALENDAR_DIGITS_H
#define CALENDAR_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* "00" to "99", one after the other. */
extern const char tb_digit_pairs[201];

/* A number below 100, as two digits. */
static inline char *tb_put_two(char *out, uint32_t number)
{
    memcpy(out, tb_digit_pairs + 2 * (size_t)number, 2);
    return out + 2;
}

/* The value of a digit; 10 or more for any other byte. */
static inline unsigned tb_digit(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

/* A fraction of a second with its point, in the fewest digits that hold it; nothing for 0. Up to ten bytes. */
char *tb_put_fraction(char *out, uint32_t nanosecond);
/* A year as RFC 3339 and ISO 8601 have it: four digits, or a sign and at least six. Up to eleven bytes. */
char *tb_put_year(char *out, int64_t year);

#endif
