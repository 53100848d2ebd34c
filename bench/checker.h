/* checker.h: the proof that implementations do the same: streams of programs through each of them, and what is to be said when
   one differs. */
#ifndef BENCH_CHECKER_H
#define BENCH_CHECKER_H

#include "bench/coverage.h"
#include "bench/drive.h"
#include "bench/error_text.h"
#include "bench/streams.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An implementation under check. Set `impl` and leave the rest zero. */
typedef struct {
    const tb_impl *impl;
    uint64_t programs, operations; /* driven, the differing one's up to the difference */
    bool differs;
    tb_difference difference; /* as the reproducer shows it */
    tb_ops reproducer;        /* shrunk */
    size_t found_length;      /* operations of the program before it was shrunk */
    char origin[80];          /* where that came from: "program 37 (ties)" */
} tb_checked;

typedef struct {
    tb_checked *items;
    size_t count;
    bool by_id, by_key; /* which sets are checked; at least one */
    uint64_t seed;
    tb_coverage coverage;
    FILE *transcript; /* NULL, or every operation is told there */
    tb_black_box *box; /* NULL, or every operation is kept there before it is done */
    bool as_found;     /* what differs is not shrunk */
    /* NULL, or called after each program with the share that is done, from 0 to 1. */
    void (*progress)(void *ctx, double done);
    void *progress_ctx;
} tb_check;

/* What ended a check. A difference does not: the implementation is left out from then on, and the others go on. */
typedef enum {
    TB_CHECK_DONE,
    TB_CHECK_TOO_MANY, /* of one program: a call in it delivers too many; `difference.at` of the first item says which */
    TB_CHECK_NO_MEMORY,
    TB_CHECK_BAD_TRACE /* `error` says what */
} tb_check_end;

/* Random and adversarial programs, `operations` in all for each implementation. About an eighth of them are windows of the
   recorded traces traces[0 .. trace_count). */
tb_check_end tb_check_streams(tb_check *check, uint64_t operations, const char *const *traces, size_t trace_count,
                              tb_error_text *error);

/* A whole trace, by id and by key as asked for. */
tb_check_end tb_check_replay(tb_check *check, const tb_replay_plan *plan, const char *name);

/* One program, as it is; nothing is shrunk. */
tb_check_end tb_check_program(tb_check *check, const tb_ops *ops, const char *name);

bool tb_check_any_differs(const tb_check *check);

/* Writes a reproducer: the shrunk program as a file, with comments that say what differs, and `how` to run it. */
void tb_check_write_reproducer(const tb_checked *item, const char *how, FILE *out);

/* Frees what the items hold. */
void tb_check_free(tb_check *check);

#ifdef __cplusplus
}
#endif
#endif
