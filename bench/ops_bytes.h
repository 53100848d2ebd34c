/* ops_bytes.h: any bytes as a program, for fuzzers that know nothing of the text form. */
#ifndef BENCH_OPS_BYTES_H
#define BENCH_OPS_BYTES_H

#include "bench/drive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Decodes bytes[0 .. size) to a program; every string of bytes is one, and a byte more or less changes little of it. Times are
   given as steps from the one before, so that small changes stay near. What was in `ops` is freed. False: out of memory. */
bool tb_ops_from_bytes(tb_ops *ops, const uint8_t *bytes, size_t size);

/* Drives that program on every implementation but the yardsticks; if it asks for it, by following next_expiry. 0: all same, or
   the program is no use. 1: one differs; `impl`, `difference` and the program that shows it, to be freed, are filled in. */
int tb_check_ops_bytes(const uint8_t *bytes, size_t size, const tb_impl **impl, tb_difference *difference, tb_ops *shown);

#ifdef __cplusplus
}
#endif
#endif
