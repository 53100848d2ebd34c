/* callgrind.h: what valgrind's callgrind has counted, read from the file it writes. */
#ifndef BENCH_CALLGRIND_H
#define BENCH_CALLGRIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error_text.h"

typedef struct tb_function_count {
    char *name; /* as the symbol table has it; of a program without symbols "0x" and its address */
    uint64_t instructions; /* its own, without what it calls */
} tb_function_count;

/* {0} is empty. */
typedef struct tb_counts {
    uint64_t instructions;
    uint64_t d1_misses; /* of data in the simulated first cache, reads and writes */
    uint64_t ll_misses; /* of data in the simulated last cache */
    tb_function_count *functions; /* each once, by name; those with none are left out */
    size_t function_count;
} tb_counts;

/* Adds to a function, or appends it. False: out of memory. */
bool tb_counts_add(tb_counts *counts, const char *name, uint64_t instructions);
void tb_counts_sort(tb_counts *counts);
void tb_counts_free(tb_counts *counts);

/* Reads a file written with --compress-strings=no --compress-pos=no, of one part. What was in `counts` is freed. False:
   *error says why (the file is missing, cut off, of another form; no memory), and `counts` is empty.
   Format: Callgrind Format Specification, version 1 (valgrind's manual). */
bool tb_callgrind_read(const char *path, tb_counts *counts, tb_error_text *error);

#endif
