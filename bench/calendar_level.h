/* calendar_level.h: the calendar's level of a run: what its workloads are, who takes part in which, and measuring a cell. */
#ifndef BENCH_CALENDAR_LEVEL_H
#define BENCH_CALENDAR_LEVEL_H

#include "bench/cell.h"
#include "bench/workloads.h"

/* All of them; free with tb_workloads_free. false: out of memory. */
bool tb_calendar_workloads_load(tb_workload_list *list, tb_error_text *error);

/* The contenders of all workloads, each name once. Index below count. */
size_t tb_calendar_contender_count(void);
const tb_contender *tb_calendar_contender_at(size_t index);
/* Not every contender can do everything. */
bool tb_calendar_takes_part(const tb_workload *workload, const tb_contender *contender);

/* As tb_cell_measure. A cell that needs a time zone database where there is none is left out. */
bool tb_calendar_measure(tb_cell *cell, const tb_measuring *how, json_t *document, tb_error_text *error);

#endif
