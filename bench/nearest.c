/* nearest.c: the name closest to a mistyped one. */
#include "bench/nearest.h"

#include <stdint.h>
#include <string.h>

enum { longest = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t tb_edit_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows >= longest || columns >= longest)
        return SIZE_MAX;
    /* Three rows of the table are alive at a time: a swap looks back two. */
    size_t table[3][longest];
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *row = table[i % 3], *above = table[(i + 2) % 3], *before = table[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return table[rows % 3][columns];
}

void tb_nearest_offer(tb_nearest *nearest, const char *name)
{
    size_t distance = tb_edit_distance(nearest->word, name);
    if (distance > 2 || distance * 2 > strlen(name))
        return;
    if (!nearest->best || distance < nearest->distance) {
        nearest->best = name;
        nearest->distance = distance;
    }
}
