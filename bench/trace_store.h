/* trace_store.h: the recorded traces that come with timerbench, found at run time. */
#ifndef BENCH_TRACE_STORE_H
#define BENCH_TRACE_STORE_H

#include "bench/error_text.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    char *name; /* the file's name without .trace or .trace.xz: "n1-node-http" */
    char *path;
} tb_stored_trace;

typedef struct {
    char *folder;
    tb_stored_trace *traces; /* by name */
    size_t count;
} tb_trace_store;

/* Lists the traces in the folder that the environment variable TIMERBENCH_TRACES names, else in traces/ beside the
   executable (the build folder), else in ../share/timerbench/traces from it (an installation). False: none of them can
   be read; `error` names what was looked for. Free with tb_trace_store_free. */
bool tb_trace_store_open(tb_trace_store *store, tb_error_text *error);

/* The trace of that name (with or without .trace[.xz]), or NULL. */
const tb_stored_trace *tb_trace_store_find(const tb_trace_store *store, const char *name);

void tb_trace_store_free(tb_trace_store *store);

/* The path of a trace that a user has named: a file, or else, when the name has no slash, a trace of the store. To be
   freed. NULL: it is neither, and `error` says what there is, or memory ran out. */
char *tb_trace_locate(const char *file_or_name, tb_error_text *error);

#ifdef __cplusplus
}
#endif
#endif
