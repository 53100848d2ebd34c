/* trace_file.h: reading and writing recorded traces, 'timerbench-trace 1' files (docs/traces.md): plain text (.trace) or
   compressed by xz (.trace.xz).

   Times, deadlines and slops are nanoseconds, times and deadlines from the start of the trace. Reader and writer hold
   to the same rules: times from 0 to INT64_MAX never decrease, deadlines from 0 to INT64_MAX, slops from 1, keys from 0
   to TB_TRACE_KEY_MAX; arm names a timer that is not pending, the other operations one that is. */
#ifndef BENCH_TRACE_FILE_H
#define BENCH_TRACE_FILE_H

#include "bench/error_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TB_TRACE_KEY_MAX INT32_MAX

enum {
    TB_TRACE_LINE_MAX = 16384,        /* bytes of one line, without its newline */
    TB_TRACE_HEADER_MAX = 1024 * 1024 /* bytes of all header lines */
};

/* A timer's deadline less than this far after the moment it is armed makes it a precise one, marked or not: 1 ms, the
   tick of every timer set here. */
#define TB_TRACE_PRECISE_BELOW INT64_C(1000000)

typedef enum { TB_TRACE_ARM, TB_TRACE_REARM, TB_TRACE_CANCEL, TB_TRACE_FIRED } tb_trace_op;

/* "arm", "rearm", "cancel" or "fired". */
const char *tb_trace_op_name(tb_trace_op op);

typedef struct {
    int64_t time;
    int64_t deadline; /* arm, rearm: the new one; cancel, fired: the one that was pending */
    int64_t slop;     /* arm, rearm: how much later the timer may expire, 0: none given; else 0 */
    int32_t key;      /* which timer object */
    tb_trace_op op;
    bool precise; /* arm, rearm: marked as precise; else false */
} tb_trace_event;

typedef struct {
    const char *source;       /* what was recorded, under which load, how */
    const char *clock;        /* the clock its deadlines are of */
    const char *const *notes; /* further header lines, without "# " */
    size_t note_count;
} tb_trace_header;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct tb_trace_reader tb_trace_reader;
typedef enum { TB_TRACE_EVENT, TB_TRACE_END, TB_TRACE_ERROR } tb_trace_step;

/* Opens a trace and reads its header. xz data is recognised by its first bytes; a name that ends in ".xz" demands it.
   NULL: `error` says what is wrong, as "file:line: what: what was expected" where a line is to blame. */
tb_trace_reader *tb_trace_open(const char *path, tb_error_text *error);

/* The header; valid until close. */
const tb_trace_header *tb_trace_get_header(const tb_trace_reader *reader);

/* The next event into `out`; TB_TRACE_END after the last (and again when asked again); TB_TRACE_ERROR: the file is
   malformed, inconsistent or unreadable, tb_trace_error tells, and no further events come.
   Memory: a fixed buffer, and at most 64 bytes for each timer pending at the busiest moment. */
tb_trace_step tb_trace_next(tb_trace_reader *reader, tb_trace_event *out);

/* How many timers are pending after the events read so far. */
size_t tb_trace_pending(const tb_trace_reader *reader);

/* What ended the reading, as tb_trace_open says it; "" while nothing has. */
const char *tb_trace_error(const tb_trace_reader *reader);

/* NULL is ignored. */
void tb_trace_close(tb_trace_reader *reader);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct tb_trace_writer tb_trace_writer;

/* Starts a trace file, compressed when its name ends in ".xz"; it appears under its name, whole, at commit
   (bench/output_file.h). NULL: `error` says what is wrong with the header or the path. */
tb_trace_writer *tb_trace_create(const char *path, const tb_trace_header *header, tb_error_text *error);

/* Whether `key` is pending after the events written so far. A recorder writes arm or rearm by this, and leaves out
   cancel and fired of what is not pending, as of timers armed before the recording began. `key` from 0. */
bool tb_trace_is_pending(const tb_trace_writer *writer, int32_t key);

/* Appends an event. False: it breaks a rule above (`error` says which, and nothing was written), memory ran out, or
   writing failed. event->deadline is not looked at for cancel and fired. */
bool tb_trace_write(tb_trace_writer *writer, const tb_trace_event *event, tb_error_text *error);

/* Puts the file in place; frees `writer` in any case. False: `error` says what failed, and there is no new file. */
bool tb_trace_commit(tb_trace_writer *writer, tb_error_text *error);

/* Throws the file away and frees `writer`. NULL is ignored. */
void tb_trace_abandon(tb_trace_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
