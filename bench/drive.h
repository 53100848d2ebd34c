/* drive.h: runs a program of operations on an implementation beside the oracle and compares all that they say: what
   CONFORMANCE calls EQ-01, the bounds of WHL-24 to WHL-26, what want of memory may do (WHL-43), and the set's own check. */
#ifndef BENCH_DRIVE_H
#define BENCH_DRIVE_H

#include "bench/black_box.h"
#include "bench/coverage.h"
#include "bench/ops.h"

#include <stdio.h>

#include <timerbench/timers.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most timers that one call of expired may deliver in a program, so that a short period and a long step end. */
enum { TB_DRIVE_MOST_DUE = 1000000 };

typedef enum {
    TB_DRIVE_SAME,
    TB_DRIVE_DIFFERENT,
    TB_DRIVE_TOO_MANY, /* a call would deliver more than it may: the program is no use */
    TB_DRIVE_NO_MEMORY /* for the comparison itself */
} tb_drive_verdict;

/* What differs. A shrunk program shows a difference of the same kind. */
typedef enum {
    TB_DIFFERS_MAKE,
    TB_DIFFERS_RETURN,    /* a call's answer */
    TB_DIFFERS_ERRNO,
    TB_DIFFERS_ID,        /* an id that is none, or named another timer */
    TB_DIFFERS_TIMERS,    /* which timers are delivered, or in which order */
    TB_DIFFERS_EXPIRY,    /* what a delivery says of its timer */
    TB_DIFFERS_NAME,      /* what is said of an id or a key that is asked for */
    TB_DIFFERS_COUNTS,    /* len, stats, bytes */
    TB_DIFFERS_NEXT,      /* next_precise, next_timeout, next_expiry */
    TB_DIFFERS_IDLE,      /* calls that deliver nothing where next_expiry is followed */
    TB_DIFFERS_SETTING,   /* now, slop_of */
    TB_DIFFERS_INVARIANT, /* tb_timers_check */
    TB_DIFFERS_MEMORY,    /* asked for where nothing may be, or misused */
    TB_DIFFERS_CRASH,     /* ends the process; these two where a program is driven in a child (bench/isolation.h) */
    TB_DIFFERS_HANG
} tb_difference_kind;

typedef struct {
    tb_difference_kind kind;
    size_t at;      /* which operation of the program (the followed one, where it is followed) shows it; ops->len: its end */
    char text[480]; /* what the implementation does, and what was expected: "delivers 1 2, expected 2 1" */
} tb_difference;

typedef struct {
    const tb_impl *impl;
    /* NULL, or the program is driven by following: before each expired the set is called at every instant that its own
       next_expiry names (the oracle's, where next is a lower bound without cascades). `followed` gets the program with all
       those calls written out. */
    tb_ops *followed;
    tb_coverage *coverage; /* NULL, or counts are added */
    uint64_t most_due;     /* most timers that a call may deliver; 0: TB_DRIVE_MOST_DUE */
    /* Counters and next are compared after every operation, however many timers are pending; else, where many are, after every
       16th. What a program shows does not depend on where in it an operation stands, then. */
    bool thorough;
    FILE *transcript;      /* NULL, or a line for every operation: what it did */
    tb_black_box *box;     /* NULL, or every call is kept there before it is done */
} tb_drive_options;

/* Runs a program. `difference` is filled in when the verdict is TB_DRIVE_DIFFERENT; with TB_DRIVE_TOO_MANY its `at` is. */
tb_drive_verdict tb_drive(const tb_ops *ops, const tb_drive_options *options, tb_difference *difference);

/* "heap4 by id" */
void tb_drive_name(const tb_impl *impl, const tb_ops *ops, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
