/* sampled.h: run and replay with several processes: this program starts itself again and again, and gathers what comes. */
#ifndef BENCH_COMMAND_SAMPLED_H
#define BENCH_COMMAND_SAMPLED_H

#include "bench/command/measure.h"
#include "bench/sampling.h"

/* What the program is called for itself, whatever becomes of its file. */
#define TB_THIS_PROGRAM "/proc/self/exe"

/* The words of the command line that all processes have: the subcommand, and the options but those that differ between
   processes; 3 repetitions if none were asked for. false: out of memory. */
bool tb_sampled_words(const char *subcommand, const tb_measure_settings *settings, const tb_option *options, size_t count,
                      tb_string_list *out);

/* A --cell for each of the names that are picked. false: out of memory. */
bool tb_sampled_name_cells(const tb_sampled *sampled, const bool *picked, tb_string_list *out);

/* Runs settings->processes processes, and within settings->budget further ones, and fills the session's cells and its document.
   `sampled` holds what they said. false: *error. */
bool tb_measure_sampled(const tb_measure_settings *settings, const tb_measure_request *request, tb_session *session,
                        tb_sampled *sampled, tb_error_text *error);

#endif
