/* gbench_flags.h: which of Google Benchmark's flags, after `--`, have anything to say here. */
#ifndef BENCH_COMMAND_GBENCH_FLAGS_H
#define BENCH_COMMAND_GBENCH_FLAGS_H

#include <stdbool.h>

#include "bench/command/options.h"

/* For the usage line, and for --help. */
#define TB_GBENCH_FLAGS "FLAG..."
#define TB_GBENCH_FLAGS_ABOUT                                                                                      \
    "After --, of Google Benchmark's flags: --benchmark_context=KEY=VALUE,... adds to the context of the JSON, "     \
    "--v=N makes the library talk. The others could take no effect, and are refused."

/* Whether none of what follows `--` is a flag of the library's that could take no effect, or would spoil the figures: *error then
   says what to use instead. What is no flag of the library at all is for the library to refuse. */
bool tb_gbench_flags_fit(const tb_arguments *arguments, tb_error_text *error);

#endif
