/* trace_stat.h: `timerbench trace stat`. */
#ifndef BENCH_COMMAND_TRACE_STAT_H
#define BENCH_COMMAND_TRACE_STAT_H

#include "bench/command/command.h"

tb_command_function tb_command_trace_stat;

#endif
