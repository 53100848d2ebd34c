/* noise_floor.h: by how much a figure differs from itself, measured where it was measured. */
#ifndef RESULTS_NOISE_FLOOR_H
#define RESULTS_NOISE_FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With fewer units there is no half of two. */
enum { TB_FEWEST_FOR_FLOOR = 4 };

/* An A/A comparison with what is there: the processes are split at random into two halves, which the same code made, and the
   medians of the halves are compared as those of BASE and NEW would be. *out is the 95 % quantile of |ln ratio| over many
   splits, as a share: 0.02 says that 95 % of such comparisons of the code with itself come out within a factor of 1.02. It is
   NAN with fewer than TB_FEWEST_FOR_FLOOR units.

   units[0..n): one figure a process, > 0. Of an odd number one, at random, is in neither half. Up to TB_ALL_SPLITS units every
   split is looked at, beyond 4000 that the seed draws. (Random half-splits: P. J. McCarthy, "Pseudo-replication: half samples",
   Review of the International Statistical Institute 37(3), 1969. That a half has half the processes makes the floor wider than
   the whole's noise, by about the square root of 2: the error is on the safe side.)

   Cost: n log n, and n a split. false: out of memory. */
bool tb_noise_floor(const double *units, size_t n, uint64_t seed, double *out);

enum { TB_ALL_SPLITS = 12 };

#endif
