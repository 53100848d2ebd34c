/* reader.h: the pieces that all readers of the calendar are made of: a text, how far it is read, and whom to tell why not.
   Each piece answers whether it is there, and goes on behind it; if not, it has told why. */
#ifndef CALENDAR_READER_H
#define CALENDAR_READER_H

#include "calendar/digits.h"
#include "calendar/reason.h"

typedef struct tb_reader {
    const char *text;
    size_t length, at;
    tb_time_error *error;
} tb_reader;

static inline bool tb_next_is(const tb_reader *r, char c)
{
    return r->at < r->length && r->text[r->at] == c;
}

/* Whether a digit is next; it is not passed. */
static inline bool tb_next_digit(const tb_reader *r, unsigned *digit)
{
    return r->at < r->length && (*digit = tb_digit(r->text[r->at])) <= 9;
}

/* `what` is told as missing: "'-' before the month". */
static inline bool tb_read_char(tb_reader *r, char c, const char *what)
{
    if (!tb_next_is(r, c))
        return tb_refuse_missing(r->error, r->at, r->length, what);
    r->at++;
    return true;
}

/* So many digits. `what`: "a digit of the month". */
static inline bool tb_read_digits(tb_reader *r, int count, uint32_t *number, const char *what)
{
    unsigned digit;
    for (*number = 0; count; count--, r->at++) {
        if (!tb_next_digit(r, &digit))
            return tb_refuse_missing(r->error, r->at, r->length, what);
        *number = *number * 10 + digit;
    }
    return true;
}

static inline bool tb_read_two(tb_reader *r, uint32_t *number, const char *what)
{
    return tb_read_digits(r, 2, number, what);
}

static inline bool tb_read_end(const tb_reader *r)
{
    return r->at == r->length || tb_refuse(r->error, r->at, "the text goes on after its end was expected");
}

/* A year as tb_put_year writes it; INT64_MIN for -000000, which has no meaning. tb_refuse_year tells why a year is none. */
bool tb_read_year(tb_reader *r, int64_t *year);
bool tb_refuse_year(tb_reader *r, size_t at, int64_t year);
/* A fraction of a second, from behind its point. */
bool tb_read_fraction(tb_reader *r, uint32_t *nanosecond);

#endif
