/* floor.h: what the machine itself costs, as contenders: an access to memory, an empty call, a clock read for each operation of
   the same stream that the others get. No structure that keeps something of its own for each timer can be below the first. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "bench/work.h"

extern const char tb_floor_example[];

size_t tb_floor_count(void);
tb_contender tb_floor_at(size_t index);

/* Whether the row says something in a workload: it does where an operation is of a timer. */
bool tb_floor_fits(const tb_workload *workload);

#endif
