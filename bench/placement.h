/* placement.h: where a process's memory lies, drawn from a seed.

   Where stack and heap begin decides which addresses share cache sets and pages, and can shift a benchmark by more than the
   changes that one looks for; it depends on things as unlike as the length of the user's name (T. Mytkowicz, A. Diwan,
   M. Hauswirth and P. F. Sweeney, "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009). Their remedy,
   section 7.1, is to measure many placements: processes with different seeds have different ones. */
#ifndef BENCH_PLACEMENT_H
#define BENCH_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

/* Blocks of seeded sizes on the heap, a seeded half of them freed again, so that what is allocated from now on lies elsewhere.
   The rest stays until tb_placement_free. About 0.3 MB. NULL: out of memory. */
typedef struct tb_placement tb_placement;
tb_placement *tb_placement_of_heap(uint64_t seed);
void tb_placement_free(tb_placement *placement);

/* Calls f(argument) with the stack moved down by a seeded number of bytes, 0 to a page. */
void tb_placement_of_stack(uint64_t seed, void (*f)(void *argument), void *argument);

enum { TB_PLACEMENT_PAGE = 4096 };

/* How many bytes the environment of the process with this seed shall be larger, 0 to a page: it lies above the stack. */
size_t tb_placement_of_environment(uint64_t seed);

#endif
