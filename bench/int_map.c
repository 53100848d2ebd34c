/* int_map.c: a hash table from non-negative integers to integers. */
#include "bench/int_map.h"

#include <timerbench/assert.h>

#include <stdlib.h>

enum { first_capacity = 64 };

static size_t home(const tb_int_map *map, int64_t key)
{
    /* 2^64 divided by the golden ratio; the upper half of the product has the well-mixed bits. */
    return (size_t)(((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (map->capacity - 1);
}

/* The slot that holds `key`, or the empty one where it would go. The table is never full. */
static size_t place(const tb_int_map *map, int64_t key)
{
    size_t i = home(map, key);
    while (map->slots[i].key != key && map->slots[i].key >= 0)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

int64_t *tb_int_map_find(const tb_int_map *map, int64_t key)
{
    tb_debug_assert(key >= 0);
    if (map->count == 0)
        return NULL;
    tb_int_map_slot *slot = &map->slots[place(map, key)];
    return slot->key == key ? &slot->value : NULL;
}

static bool grow(tb_int_map *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : first_capacity;
    if (capacity > SIZE_MAX / sizeof(tb_int_map_slot))
        return false;
    tb_int_map larger = {malloc(capacity * sizeof(tb_int_map_slot)), capacity, map->count};
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < capacity; i++)
        larger.slots[i] = (tb_int_map_slot){-1, 0};
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key >= 0)
            larger.slots[place(&larger, map->slots[i].key)] = map->slots[i];
    free(map->slots);
    *map = larger;
    return true;
}

int64_t *tb_int_map_add(tb_int_map *map, int64_t key)
{
    tb_debug_assert(key >= 0);
    int64_t *present = tb_int_map_find(map, key);
    if (present)
        return present;
    if ((map->count + 1) * 4 > map->capacity * 3 && !grow(map))
        return NULL;
    tb_int_map_slot *slot = &map->slots[place(map, key)];
    *slot = (tb_int_map_slot){key, 0};
    map->count++;
    return &slot->value;
}

bool tb_int_map_remove(tb_int_map *map, int64_t key)
{
    tb_debug_assert(key >= 0);
    if (map->count == 0)
        return false;
    size_t mask = map->capacity - 1, gap = place(map, key);
    if (map->slots[gap].key != key)
        return false;
    /* What follows in the run moves into the gap unless its home lies behind the gap. */
    for (size_t i = (gap + 1) & mask; map->slots[i].key >= 0; i = (i + 1) & mask) {
        if (((i - home(map, map->slots[i].key)) & mask) >= ((i - gap) & mask)) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap].key = -1;
    map->count--;
    return true;
}

void tb_int_map_free(tb_int_map *map)
{
    free(map->slots);
    *map = (tb_int_map){0};
}
