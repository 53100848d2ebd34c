/* script.h: what a workload has a contender do, made before the clock starts, from a seed, the same for every contender: who
   is armed for when, in which order, how time goes on. And what must come of it. */
#ifndef BENCH_SCRIPT_H
#define BENCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Timers are numbered 0 .. n-1, as a server numbers its connections; a timer's token is its number. Times are ns. */

typedef enum tb_line_op { TB_LINE_TIME, TB_LINE_ARM, TB_LINE_REARM, TB_LINE_CANCEL } tb_line_op;

/* A line of a replay: time goes on to `time`, then the operation. */
typedef struct tb_line {
    int64_t time, deadline;
    uint32_t timer;
    uint8_t op;   /* tb_line_op */
    uint8_t lane; /* of an arm: 0 .. 7, or TB_LINE_PRECISE */
} tb_line;
enum { TB_LINE_PRECISE = 8 };

#define TB_NOT_ARMED INT64_MIN
enum { TB_COLD_BYTES = 1 << 20 };

typedef struct tb_script {
    uint32_t n;          /* timers */
    int64_t start;       /* when the set starts */
    const int64_t *fill; /* n: each timer's first deadline, or TB_NOT_ARMED */
    uint32_t count;      /* operations */
    const uint32_t *timer, *delay; /* each operation's timer, and the units from the present to its new deadline */
    int64_t unit;
    uint32_t per_step; /* operations from one step of time to the next */
    int64_t step;
    const tb_line *lines; /* of a replay: count of them */
    int64_t slop[8];      /* of each lane */
    int64_t constant;     /* each operation arms for so long; 0: it varies */
    const unsigned char *cold; /* TB_COLD_BYTES to be walked through before each operation; NULL: none */
} tb_script;

/* Where a run of a script is, and what it did so far. */
typedef struct tb_progress {
    int64_t now;
    uint32_t left; /* operations until the next step */
    uint64_t fired, sum; /* sum: of the tokens fired */
    uint64_t cancelled;  /* cancels that found their timer */
    uint64_t refused;    /* arms that failed */
    uint64_t calls, idle; /* of advance; those that delivered nothing */
    uint64_t answered;   /* calls of next that said something is pending */
} tb_progress;

static inline tb_progress tb_progress_at(const tb_script *s)
{
    tb_progress p;
    memset(&p, 0, sizeof p);
    p.now = s->start;
    p.left = s->per_step;
    return p;
}

#endif
