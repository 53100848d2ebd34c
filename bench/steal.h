/* steal.h: CPU time that the hypervisor gave to others while this machine wanted it (Linux: /proc/stat). */
#ifndef BENCH_STEAL_H
#define BENCH_STEAL_H

typedef struct tb_steal {
    double stolen, all; /* clock ticks of all CPUs since boot; all < 0: not known */
} tb_steal;

tb_steal tb_steal_read(void);
/* The share stolen since `before`, 0 .. 1; negative: not known. */
double tb_steal_since(tb_steal before);

#endif
