/* calendar_values.h: what the calendar's workloads are made of: values, made from a seed and a plain calendar, each in all
   the forms that a contender may want it in, and loops over them. */
#ifndef BENCH_CALENDAR_VALUES_H
#define BENCH_CALENDAR_VALUES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <timerbench/date_format.h>

enum { TB_CALENDAR_TEXT = 40 };

/* A moment of 1700 to 2199, in whole seconds. */
typedef struct tb_calendar_value {
    int32_t year;
    uint32_t month, day, hour, minute, second; /* month and day from 1 */
    int64_t days, seconds; /* since 1970 */
    tb_date date;
    tb_timestamp timestamp;
    char rfc3339[TB_CALENDAR_TEXT], http[TB_CALENDAR_TEXT]; /* closed by a NUL */
} tb_calendar_value;

typedef struct tb_calendar_values {
    tb_calendar_value *items;
    uint32_t count;
    tb_zone zone; /* where the workload has one: the same as $TZ */
} tb_calendar_values;

/* One operation on each value; the sum of what they answer. With `each`, every answer is kept there, too. */
typedef uint64_t tb_calendar_loop(const tb_calendar_values *values, uint64_t *each);

/* A contender of a workload. */
typedef struct tb_calendar_entry {
    const char *name;
    tb_calendar_loop *loop;
    bool hidden; /* a yardstick */
} tb_calendar_entry;

/* A loop of one expression over `v`, a value. */
#define TB_CALENDAR_LOOP(name, expression)                                       \
    static uint64_t name(const tb_calendar_values *values, uint64_t *each)       \
    {                                                                            \
        uint64_t sum = 0;                                                        \
        for (uint32_t i = 0; i < values->count; i++) {                           \
            const tb_calendar_value *v = &values->items[i];                      \
            uint64_t answer = (expression);                                      \
            sum += answer;                                                       \
            if (each)                                                            \
                each[i] = answer;                                                \
        }                                                                        \
        return sum;                                                              \
    }

static inline uint64_t tb_calendar_date_answer(int64_t year, uint32_t month, uint32_t day)
{
    return (uint64_t)year * 512 + month * 32 + day;
}

/* Of a text of 20 bytes or more, from all of the first 20 and of the `last` eight. */
static inline uint64_t tb_calendar_text_answer(const char *text, size_t last)
{
    uint64_t a, b, c;
    memcpy(&a, text, 8);
    memcpy(&b, text + 8, 8);
    memcpy(&c, text + last, 8);
    return a + 3 * b + 5 * c;
}

/* The contenders of each workload, closed by one without a name. */
extern const tb_calendar_entry tb_calendar_date_from_days[], tb_calendar_days_from_date[], tb_calendar_write_rfc3339[],
    tb_calendar_read_rfc3339[], tb_calendar_write_http_date[], tb_calendar_read_http_date[], tb_calendar_local_time[];

#endif
