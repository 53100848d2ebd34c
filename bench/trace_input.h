/* trace_input.h: the text of a trace file, out of plain or xz-compressed bytes. */
#ifndef BENCH_TRACE_INPUT_H
#define BENCH_TRACE_INPUT_H

#include "bench/error_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tb_trace_input tb_trace_input;

/* Opens `path`. xz data is recognised by its first bytes; a name that ends in ".xz" demands it. NULL: `what` says what
   is wrong, without the path. */
tb_trace_input *tb_trace_input_open(const char *path, tb_error_text *what);

/* Up to `size` (> 0) bytes of text into `out`: how many, 0 only at the end. -1: reading failed, or the xz data is cut
   short, corrupt, or followed by something else; `what` says which. */
ptrdiff_t tb_trace_input_read(tb_trace_input *input, char *out, size_t size, tb_error_text *what);

/* NULL is ignored. */
void tb_trace_input_close(tb_trace_input *input);

/* Whether a file of this name is to hold xz data. */
bool tb_trace_name_is_xz(const char *path);

#endif
