/* loop_level.h: the loop's level of a run: how late a loop's timers are, over each implementation, beside what the system has. */
#ifndef BENCH_LOOP_LEVEL_H
#define BENCH_LOOP_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include <timerbench/loop_lateness.h>

#include "bench/error_text.h"
#include "bench/string_list.h"

typedef struct tb_loop_level_settings {
    const tb_string_list *workloads, *impls; /* empty: all */
    const int64_t *sizes; /* idle timers pending meanwhile */
    size_t size_count;    /* 0: 64k */
    int64_t seed;
    double budget; /* s for all cells; 0: none */
    bool quick;
    const char *out; /* NULL: no document */
} tb_loop_level_settings;

/* Measures, prints tables, writes the document; the exit code: 0, 1 a cell is WRONG, 2 bad input. */
int tb_loop_level_run(const char *who, const tb_loop_level_settings *settings);

/* ---- its parts ----------------------------------------------------------------------------------------------------- */

typedef struct tb_impl tb_impl;

typedef struct tb_lateness_workload {
    const char *name, *summary;
    int64_t least, most; /* ns from one deadline to the next */
    unsigned ahead;      /* deadlines armed at once */
} tb_lateness_workload;

typedef struct tb_lateness_cell {
    const tb_lateness_workload *workload;
    const char *contender; /* an implementation's name, or that of what the system has */
    const tb_impl *impl;   /* NULL: the system's */
    uint32_t population;   /* 0: it has none */
    uint32_t deadlines;
    double limit;          /* s that arming the idle timers may take */
    bool left_out;         /* it took longer: not measured */
    tb_lateness lateness;
    double cpu_ns;         /* of the thread, a deadline */
    double passes;         /* of the loop, a deadline; 0: no loop */
    const char *wrong;     /* NULL: all as it should be */
} tb_lateness_cell;

/* Measures a cell; false: *error. */
bool tb_lateness_measure(tb_lateness_cell *cell, uint64_t seed, tb_error_text *error);

void tb_lateness_table(const tb_lateness_cell *cells, size_t count);
bool tb_lateness_write(const tb_lateness_cell *cells, size_t count, const tb_loop_level_settings *settings, tb_error_text *error);

#endif
