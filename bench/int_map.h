/* int_map.h: a hash table from non-negative integers to integers, for keys too sparse or too many for an array: the
   pending timers of a trace, the slops it uses.

   Open addressing with linear probing and multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4), at
   most 3/4 full; removal closes the gap (Algorithm R there), so that a table that lives by arm and cancel never fills
   with tombstones. */
#ifndef BENCH_INT_MAP_H
#define BENCH_INT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t key; /* below 0: this slot is empty */
    int64_t value;
} tb_int_map_slot;

/* {0} is the empty map. Walk the entries by looking at slots[0 .. capacity). */
typedef struct {
    tb_int_map_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
} tb_int_map;

/* The value of `key`, or NULL. Expected cost O(1). The pointer holds until the next add or remove. `key` >= 0. */
int64_t *tb_int_map_find(const tb_int_map *map, int64_t key);

/* The value of `key`, which is added with the value 0 when absent. NULL: out of memory, and nothing changed.
   Amortised O(1). The pointer holds until the next add or remove. `key` >= 0. */
int64_t *tb_int_map_add(tb_int_map *map, int64_t key);

/* Removes `key`. False: it was not there. The table does not shrink. Expected cost O(1). `key` >= 0. */
bool tb_int_map_remove(tb_int_map *map, int64_t key);

/* Frees the table; the map is empty again. */
void tb_int_map_free(tb_int_map *map);

#endif
