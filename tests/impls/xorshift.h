/* xorshift.h: xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", ACM
   TOMS 42(4), 2016), the generator that the machine goldens are written in. */
#ifndef TESTS_IMPLS_XORSHIFT_H
#define TESTS_IMPLS_XORSHIFT_H

#include <stdint.h>

static inline uint64_t xorshift(uint64_t *x)
{
    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    return *x * UINT64_C(2685821657736338717);
}

#endif
