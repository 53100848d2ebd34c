/* names.c: English names of days and months. */
#include "calendar/names.h"

#include <string.h>

const char tb_weekday_names[7][TB_NAME_SIZE] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

const char tb_month_names[12][TB_NAME_SIZE] = {"January", "February", "March",     "April",   "May",      "June",
                                               "July",    "August",   "September", "October", "November", "December"};

static bool same(const char *a, const char *b, size_t count, bool any_case)
{
    if (!any_case)
        return memcmp(a, b, count) == 0;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !((a[i] ^ b[i]) == 0x20 && (a[i] | 0x20) >= 'a' && (a[i] | 0x20) <= 'z'))
            return false;
    return true;
}

int tb_find_name(const char (*names)[TB_NAME_SIZE], int count, bool full, bool any_case, const char *text, size_t length)
{
    for (int i = 0; i < count && length > 0; i++) {
        if (((names[i][0] ^ text[0]) & ~0x20) != 0)
            continue;
        size_t letters = full ? strlen(names[i]) : TB_SHORT_NAME;
        if (letters <= length && same(names[i], text, letters, any_case))
            return i;
    }
    return -1;
}
