/* gate_workers.h: runs cells of the gate under callgrind, several processes at a time. */
#ifndef BENCH_GATE_WORKERS_H
#define BENCH_GATE_WORKERS_H

#include "bench/gate_cells.h"

/* "valgrind-3.19.0" into `version`; false: it does not run here, and *error says what to do. */
bool tb_gate_valgrind(char *version, size_t size, tb_error_text *error);

/* The simulated caches, the same on every machine: as it stands in a reference. */
extern const char tb_gate_caches[];

/* Counts the chosen cells into their `operations`, `counts` or `problem`, in `jobs` processes. progress: tells on standard
   error how far it is. False: *error, about something that is no cell's. Leaves nothing on disk. */
bool tb_gate_run(tb_gate_cells *cells, const bool *chosen, int jobs, bool progress, tb_error_text *error);

#endif
