/* nearest.h: "did you mean": the name closest to a mistyped one. */
#ifndef BENCH_NEAREST_H
#define BENCH_NEAREST_H

#include <stddef.h>

/* The edits (insert, delete, replace a letter, swap two neighbours) that make `a` into `b`. Words of 64 bytes or more
   count as infinitely far apart (SIZE_MAX). Cost: the product of the two lengths.
   Source: optimal string alignment, the restricted form of F. Damerau, CACM 7(3), 1964. */
size_t tb_edit_distance(const char *a, const char *b);

/* Remembers the best of the names offered to it. Start with {.word = the mistyped name}. */
typedef struct {
    const char *word;
    const char *best; /* NULL: nothing offered was close */
    size_t distance;  /* of `best` */
} tb_nearest;

/* Takes `name` for the best when it is closer than those before it and close at all: at most two edits and at most
   half of its letters away. Keeps the pointer. */
void tb_nearest_offer(tb_nearest *nearest, const char *name);

#endif
