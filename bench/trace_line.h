/* trace_line.h: the grammar of one line of a trace file. */
#ifndef BENCH_TRACE_LINE_H
#define BENCH_TRACE_LINE_H

#include "bench/trace_file.h"

#define TB_TRACE_FIRST_LINE "# timerbench-trace 1"

/* Reads the event in line[0..length), which has no newline. False: `what` says what is wrong and what was expected. */
bool tb_trace_parse_event(const char *line, size_t length, tb_trace_event *out, tb_error_text *what);

enum { TB_TRACE_EVENT_TEXT = 96 }; /* room for any event as text */

/* Writes the event as a line, newline included; its length. */
size_t tb_trace_format_event(const tb_trace_event *event, char out[TB_TRACE_EVENT_TEXT]);

/* Whether line[0..length) may stand in a header: UTF-8 without control characters (it will be shown in terminals and in
   JSON) and without the path of a machine's file (a trace is made to be given away). False: `what` says why not. */
bool tb_trace_header_text_ok(const char *line, size_t length, tb_error_text *what);

#endif
