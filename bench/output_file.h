/* output_file.h: output files that are written whole or not at all.

   What is written goes to a temporary file in the folder of the target, which is renamed over the target when all of it
   has reached the disk. Whoever reads the target sees the old content or the new, and a failure leaves nothing behind.
   A target that is no regular file (a device, a pipe, /dev/stdout) cannot be replaced: it is written directly.

       tb_output_file *out = tb_output_open(path, &error);
       fprintf(tb_output_stream(out), ...);
       if (!tb_output_commit(out, &error)) ...

   One thread opens, commits and abandons. */
#ifndef BENCH_OUTPUT_FILE_H
#define BENCH_OUTPUT_FILE_H

#include "bench/error_text.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_output_file tb_output_file;

/* Starts writing `path`. NULL: the target cannot be written (its folder is missing or read-only, it is a folder itself,
   it is write-protected) or memory ran out; `error` says which and names the path. A new file gets the permission bits
   a plain open would give it, a replaced one keeps its own; a symbolic link stays and its target is replaced. */
tb_output_file *tb_output_open(const char *path, tb_error_text *error);

/* Where to write: fully buffered. Write errors need no check on the way: commit reports the first. */
FILE *tb_output_stream(tb_output_file *file);

/* Whether a write has failed so far, for a writer that would rather stop early. */
bool tb_output_failed(const tb_output_file *file);

/* Flushes, syncs and puts the file in place; frees `file` in any case. False: something failed, `error` says what, and
   the target is as it was before. */
bool tb_output_commit(tb_output_file *file, tb_error_text *error);

/* Throws away what was written and frees `file`. NULL is ignored. */
void tb_output_abandon(tb_output_file *file);

/* From now on the temporaries of open files are removed when SIGINT, SIGTERM or SIGHUP ends the process, and a file
   size limit (SIGXFSZ) is a write error. exit() removes them in any case. For the main of a program. */
void tb_output_clean_on_signals(void);

#ifdef __cplusplus
}
#endif
#endif
