/* names.h: English names of days and months, as HTTP and the C locale have them. The first three letters are the short
   name. */
#ifndef CALENDAR_NAMES_H
#define CALENDAR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { TB_SHORT_NAME = 3, TB_NAME_SIZE = 10 };

extern const char tb_weekday_names[7][TB_NAME_SIZE]; /* Monday first */
extern const char tb_month_names[12][TB_NAME_SIZE];

/* Which of the names begins the text: its index, or -1. `full`: the whole name, else the short one. Letters must be the
   same, or with `any_case` the same but for their case. */
int tb_find_name(const char (*names)[TB_NAME_SIZE], int count, bool full, bool any_case, const char *text, size_t length);

#endif
