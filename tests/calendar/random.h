/* random.h: splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants as
   in Vigna's public domain splitmix64.c), and int64_t values of every magnitude made from it. */
#ifndef TESTS_CALENDAR_RANDOM_H
#define TESTS_CALENDAR_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Every number of significant bits is as likely as another: uniform ones would nearly all be huge. */
static inline int64_t random_count(uint64_t *state)
{
    int64_t n = (int64_t)random_next(state);
    return n >> (random_next(state) >> 58);
}

#endif
