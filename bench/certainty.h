/* certainty.h: what a run of several processes prints of how certain its figures are. */
#ifndef BENCH_CERTAINTY_H
#define BENCH_CERTAINTY_H

#include <stdio.h>

#include "bench/sampling.h"

/* Noise floors, the greatest by name, and which cells are unsure; at most 80 columns, but for names that are longer. false: out of
   memory. */
bool tb_certainty_print(const tb_sampled *sampled, FILE *out);

#endif
