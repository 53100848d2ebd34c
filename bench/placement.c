#include "bench/placement.h"

#include <alloca.h>
#include <stdlib.h>

#include "bench/random.h"

enum { BLOCKS = 64 };

struct tb_placement {
    void *blocks[BLOCKS];
};

/* The streams of the generator that nothing else draws from. */
enum { OF_HEAP = 0x68656170, OF_STACK = 0x73746163, OF_ENVIRONMENT = 0x656e7669 };

tb_placement *tb_placement_of_heap(uint64_t seed)
{
    tb_random random = tb_random_make(seed, OF_HEAP);
    tb_placement *placement = calloc(1, sizeof *placement);
    if (!placement)
        return NULL;
    for (int i = 0; i < BLOCKS; i++) {
        /* 16 bytes to 64 KiB: each doubling as often as another, as there are size classes for each. */
        size_t size = (size_t)16 << tb_random_below(&random, 12);
        placement->blocks[i] = malloc(size + tb_random_below(&random, (uint32_t)size));
        if (!placement->blocks[i]) {
            tb_placement_free(placement);
            return NULL;
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (tb_random_below(&random, 2))
            continue;
        free(placement->blocks[i]);
        placement->blocks[i] = NULL;
    }
    return placement;
}

void tb_placement_free(tb_placement *placement)
{
    for (int i = 0; placement && i < BLOCKS; i++)
        free(placement->blocks[i]);
    free(placement);
}

void tb_placement_of_stack(uint64_t seed, void (*f)(void *argument), void *argument)
{
    tb_random random = tb_random_make(seed, OF_STACK);
    volatile char *below = alloca(1 + tb_random_below(&random, TB_PLACEMENT_PAGE));
    *below = 0; /* volatile, so that the bytes are there and f's frame lies under them */
    f(argument);
    *below = 1;
}

size_t tb_placement_of_environment(uint64_t seed)
{
    tb_random random = tb_random_make(seed, OF_ENVIRONMENT);
    return tb_random_below(&random, TB_PLACEMENT_PAGE);
}
