/* measure.h: what run and replay have in common: choosing the cells, measuring them, printing and writing what came of it. */
#ifndef BENCH_COMMAND_MEASURE_H
#define BENCH_COMMAND_MEASURE_H

#include "bench/command/options.h"
#include "bench/output_file.h"
#include "bench/session.h"

typedef enum { TB_API_ID, TB_API_KEY, TB_API_BOTH, TB_API_NOT_GIVEN } tb_api_choice;

typedef enum { TB_LEVEL_TIMERS, TB_LEVEL_CALENDAR, TB_LEVEL_LOOP } tb_level;

typedef struct tb_measure_settings {
    tb_string_list impls, plugins, peers, workloads, cells;
    tb_size_list sizes;
    int api; /* tb_api_choice */
    int level; /* tb_level */
    int64_t repetitions; /* 0: not given */
    int64_t processes, seed;
    double budget; /* s; 0: none */
    bool floor, quick, net, no_tails;
    const char *out, *ratio_to;
} tb_measure_settings;

tb_measure_settings tb_measure_defaults(void);
void tb_measure_settings_free(tb_measure_settings *settings);

/* The options that both have, for a tb_option_table; `all`: also those that choose workloads and populations. */
enum { TB_MEASURE_OPTIONS = 21 };
size_t tb_measure_options(tb_measure_settings *settings, bool all, tb_option *options);

/* The command line that asks for it. */
typedef struct tb_measure_request {
    const tb_option_table *table;
    const tb_arguments *arguments;
} tb_measure_request;

/* Does it all for the chosen ones of `workloads`; the exit code. */
int tb_measure(const tb_measure_settings *settings, const tb_measure_request *request, const tb_workload_list *workloads);

/* Writes a result's document and commits the file. false: *error. */
bool tb_measure_write(const json_t *document, tb_output_file *out, tb_error_text *error);

#endif
