/* workloads.h: the workloads there are: the synthetic ones, and a replay for each recorded trace. */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include "bench/replay_plan.h"
#include "bench/work.h"

/* A trace, planned when it is first needed. */
typedef struct tb_trace_plan {
    char *path;
    bool loaded;
    tb_replay_plan plan;
    size_t max_pending;
} tb_trace_plan;

typedef struct tb_workload_list {
    tb_workload *items;
    size_t count;
} tb_workload_list;

/* All of them; the traces are those beside the command. Free with tb_workloads_free. False: *error says why. */
bool tb_workloads_load(tb_workload_list *list, tb_error_text *error);
/* Adds replay-NAME for a trace file NAME.trace[.xz], with A-Z as a-z and whatever is not of a-z 0-9 . _ - as _; an equal name is
   refused. false: *error. */
bool tb_workloads_add_trace(tb_workload_list *list, const char *path, tb_error_text *error);
/* Plans a replay's trace; true for other workloads. */
bool tb_workload_prepare(const tb_workload *workload, tb_error_text *error);
void tb_workloads_free(tb_workload_list *list);

enum { TB_WORKLOAD_SHOWN = 38 };
/* The name for a heading: one that is longer without its middle. Returns `out`. */
const char *tb_workload_shown_name(const tb_workload *workload, char out[TB_WORKLOAD_SHOWN + 1]);

#endif
