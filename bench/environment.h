/* environment.h: what a result must say about where it comes from: the build, the machine, the settings. */
#ifndef BENCH_ENVIRONMENT_H
#define BENCH_ENVIRONMENT_H

#include "bench/error_text.h"

#include <stdbool.h>

/* Adds to Google Benchmark's context: version, revision, compiler, flags, build type, allocator, processor, kernel, frequency
   governor. The library's own "library_build_type" tells of itself alone. false: *error. */
bool tb_environment_add(tb_error_text *error);

/* "release" or "debug", as this command was built. */
const char *tb_environment_build_type(void);
/* "gcc 12.2.0"; the flags that it was given ("-O2 -g"). */
const char *tb_environment_compiler(void);
const char *tb_environment_flags(void);

#endif
