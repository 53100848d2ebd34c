/* random.h: the generator that workloads draw from: xoshiro256** seeded by splitmix64 (D. Blackman and S. Vigna, "Scrambled
   linear pseudorandom number generators", ACM TOMS 47(4), 2021). The same numbers on every machine. */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct tb_random {
    uint64_t s[4];
} tb_random;

static inline uint64_t tb_random_mix(uint64_t *x) /* splitmix64 */
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A generator of its own for each (seed, stream). */
static inline tb_random tb_random_make(uint64_t seed, uint64_t stream)
{
    tb_random r;
    uint64_t x = seed, y = tb_random_mix(&x) ^ stream;
    for (int i = 0; i < 4; i++)
        r.s[i] = tb_random_mix(&y);
    return r;
}

static inline uint64_t tb_random_next(tb_random *r)
{
    uint64_t *s = r->s, x = s[1] * 5, result = (x << 7 | x >> 57) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* 0 .. n-1, n < 2^32; by multiplication (D. Lemire, ACM TOMACS 29(1), 2019), without its rejection: a bias below 2^-32. */
static inline uint32_t tb_random_below(tb_random *r, uint32_t n)
{
    return (uint32_t)((tb_random_next(r) >> 32) * n >> 32);
}

/* [0, 1) */
static inline double tb_random_unit(tb_random *r) { return (double)(tb_random_next(r) >> 11) * 0x1p-53; }

static inline double tb_random_exponential(tb_random *r, double mean) { return -mean * log1p(-tb_random_unit(r)); }

/* A random permutation of 0 .. n-1 (Fisher and Yates). */
static inline void tb_random_permutation(tb_random *r, uint32_t *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = tb_random_below(r, i + 1);
        items[i] = items[j];
        items[j] = i;
    }
}

#endif
