/* table.h: what a run prints: a block a workload, 80 columns, and the ranking. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdio.h>

#include "bench/session.h"

typedef struct tb_table_options {
    bool net;      /* less what the dummy contender, which must be among the cells, costs there */
    bool ranking;
    uint64_t seed; /* of the bootstrap */
    const char *ratio_to; /* the contender that ratios are to, in each workload and population; NULL: to the best there */
} tb_table_options;

/* false: out of memory. */
bool tb_table_print(const tb_session *session, const tb_table_options *options, FILE *out);

#endif
