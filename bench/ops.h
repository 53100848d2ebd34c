/* ops.h: programs of timer operations and their files, 'timerbench-ops 1' (docs/check.md): what `timerbench check` runs,
   shrinks and writes as a reproducer.

   A program makes one set, by id or by key, and does operations on it. Timers are named by numbers, keys. In a set with ids
   a key stands for the last id that was armed under it, so every operation is legal at every moment: cancel and rearm may be
   stale, and arming a key whose timer is pending arms a second timer, after which the key names the newer. In a keyed
   set arming such a key rearms it, and rearm of one that is not pending does nothing. Whatever is left out of a program,
   the rest is a program. */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include "bench/error_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <timerbench/timers.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TB_OPS_FIRST_LINE "# timerbench-ops 1"
#define TB_OPS_KEYS_MAX INT64_C(2147483647) /* what a set can have */

enum {
    TB_OPS_LINE_MAX = 1024, /* bytes of one line, without its newline */
    TB_OPS_TEXT = 160       /* room for any operation as text */
};

typedef enum { TB_OPS_SLOP, TB_OPS_ARM, TB_OPS_REARM, TB_OPS_CANCEL, TB_OPS_EXPIRED } tb_ops_kind;

typedef struct {
    uint8_t kind;      /* tb_ops_kind */
    uint8_t lane;      /* slop; arm, where has_lane */
    uint8_t policy;    /* arm, where repeats: tb_repeat */
    bool has_lane;     /* arm */
    bool precise;      /* arm: a precise timer, whatever its lane */
    bool repeats;      /* arm */
    bool has_max;      /* expired */
    uint32_t key;      /* arm, rearm, cancel */
    uint32_t batch;    /* arm, cancel: neighbours with the same number, not 0, are one call of insert_many or cancel_many */
    uint32_t fail;     /* not 0: the fail-th allocation of the call fails; of a batch its first operation's counts */
    bool onward;       /* and all after it */
    uint32_t line;     /* of the file it was read from; 0: of none */
    int64_t at;        /* ns: the deadline; the instant given to expired; the slop */
    int64_t period;    /* ns: arm, where repeats; not above 0 is legal, and refused by the set */
    uint64_t max;      /* expired, where has_max */
} tb_operation;

/* {0} is a program that makes a set at instant 0 and does nothing. */
typedef struct {
    int64_t start;
    uint64_t limit;     /* 0: none */
    uint32_t keys;      /* 0: a set with ids */
    uint32_t fail_make; /* not 0: this allocation of making the set fails; it is then made again */
    bool onward_make;   /* and all after it */
    tb_operation *items;
    size_t len, capacity;
} tb_ops;

/* Appends an operation. False: out of memory. */
bool tb_ops_add(tb_ops *ops, const tb_operation *op);

/* Makes `to` a copy of `from`; what was in it is freed. False: out of memory, and `to` is as it was. */
bool tb_ops_copy(tb_ops *to, const tb_ops *from);

/* How many operations from `at` on are one call: the size of a batch, else 1. */
size_t tb_ops_call_length(const tb_ops *ops, size_t at);

void tb_ops_free(tb_ops *ops);

/* ---- files: reading is bench/ops_file.c ---------------------------------------------------------------------------------------- */

/* Reads a program. False: the file is unreadable or malformed, and `error` says what and where ("file:line: ..."), or
   memory ran out; `ops` is empty. */
bool tb_ops_read(tb_ops *ops, const char *path, tb_error_text *error);

/* The same from an open stream; `name` begins the errors. */
bool tb_ops_read_stream(tb_ops *ops, FILE *in, const char *name, tb_error_text *error);

/* Writes `make`; the first line of the file and comments are the caller's, who looks for write errors, too. */
void tb_ops_write_head(const tb_ops *ops, FILE *out);
/* Writes operations from .. to-1, which cut no batch. */
void tb_ops_write_range(const tb_ops *ops, size_t from, size_t to, FILE *out);

/* The lines of the whole program but the first and comments. */
size_t tb_ops_line_count(const tb_ops *ops);

/* An operation as its line, without newline. */
void tb_ops_format(const tb_operation *op, char out[TB_OPS_TEXT]);

extern const char *const tb_ops_policy_names[3];

#ifdef __cplusplus
}
#endif
#endif
