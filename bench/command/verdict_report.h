/* verdict_report.h: what compare and ab have in common: the threshold, how the report is printed and kept, the exit code. */
#ifndef BENCH_COMMAND_VERDICT_REPORT_H
#define BENCH_COMMAND_VERDICT_REPORT_H

#include "bench/command/options.h"
#include "results/comparison.h"

typedef struct tb_verdict_settings {
    const char *threshold, *out;
    bool strict;
    int format;
} tb_verdict_settings;

tb_verdict_settings tb_verdict_defaults(void);

/* --threshold, --strict, --format and --out, for a tb_option_table; how many. */
enum { TB_VERDICT_OPTIONS = 4 };
size_t tb_verdict_options(tb_verdict_settings *settings, tb_option *options);

/* "5%", "2.5%" as a share. The sign is asked for, since 0.05 might be a share or a percentage. false: *error. */
bool tb_verdict_read_threshold(const char *text, double *out, tb_error_text *error);

/* Writes and prints the report; the exit code of its verdicts. TB_EXIT_BAD_INPUT: it could not be written, *error. */
int tb_verdict_report(const tb_verdict_settings *settings, const tb_comparison *comparison, tb_error_text *error);

#endif
