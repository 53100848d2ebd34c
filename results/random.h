/* random.h: the numbers that resampling draws: splitmix64 (S. Vigna, 2015, after G. Steele, D. Lea and C. Flood, "Fast splittable
   pseudorandom number generators", OOPSLA 2014). The same on every machine. */
#ifndef RESULTS_RANDOM_H
#define RESULTS_RANDOM_H

#include <stdint.h>

static inline uint64_t tb_results_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
