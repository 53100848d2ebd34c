/* trace_rules.h: what holds from one event of a trace to the next; reader and writer share it. */
#ifndef BENCH_TRACE_RULES_H
#define BENCH_TRACE_RULES_H

#include "bench/int_map.h"
#include "bench/trace_file.h"

/* {0} is the state before the first event. */
typedef struct {
    tb_int_map pending; /* key -> deadline */
    int64_t last_time;
} tb_trace_rules;

/* Takes the next event in, and gives a cancel or fired the deadline that was pending. False: it breaks a rule or memory
   ran out, `what` says which, and nothing changed. Expected cost O(1). */
bool tb_trace_rules_follow(tb_trace_rules *rules, tb_trace_event *event, tb_error_text *what);

void tb_trace_rules_free(tb_trace_rules *rules);

#endif
