/* streams.h: where the programs of a check come from: seeded random and adversarial ones, and windows of recorded traces. A
   stream is a sequence of short programs, each with a set of its own, so that a difference shows near its cause; a few are
   long. */
#ifndef BENCH_STREAMS_H
#define BENCH_STREAMS_H

#include "bench/ops.h"
#include "bench/replay_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of programs there are. */
size_t tb_stream_kind_count(void);
const char *tb_stream_kind_name(size_t kind);

typedef struct {
    tb_ops ops;
    size_t kind;
    bool follow; /* to be driven by following next_expiry */
} tb_stream_program;

/* Program `index` of the stream `seed`: always the same. `keyed` asks for a keyed set; `most` cuts it after that many
   operations. `kind` names one, or tb_stream_kind_count() lets the stream choose. What was in `program` is freed. False: out
   of memory. */
bool tb_stream_make(tb_stream_program *program, uint64_t seed, uint64_t index, bool keyed, size_t kind, size_t most);

/* A replay as a program, to be driven by following next_expiry. By key, precise timers are armed as plain ones. What was in
   `ops` is freed. False: out of memory. */
bool tb_stream_replay(tb_ops *ops, const tb_replay_plan *plan, bool keyed);

#ifdef __cplusplus
}
#endif
#endif
