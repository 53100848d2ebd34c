/* assert.c: what a broken precondition does. The one place of the library that prints or ends the process. */
#include <timerbench/assert.h>

#include <stdio.h>
#include <stdlib.h>

void tb_assert_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
