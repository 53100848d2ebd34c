/* error_text.c: formatting of one-line errors. */
#include "bench/error_text.h"

#include <stdarg.h>
#include <stdio.h>

void tb_error_set(tb_error_text *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    if (length < 0)
        error->text[0] = '\0';
    for (char *p = error->text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
}

void tb_error_no_memory(tb_error_text *error)
{
    tb_error_set(error, "out of memory");
}
