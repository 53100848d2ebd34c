/* contender.h: what a workload drives. A contender is an implementation of ours by id or by key, a peer library, or a
   yardstick.

   A driver is a constant table of small always-inline functions, and TB_DEFINE_LOOPS turns it into the loops of all
   workloads, with the driver's functions inlined in each: the harness makes no call of its own between an operation and the
   next. One driver serves all implementations by id, one all by key; a peer has its own. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <timerbench/impl.h>

#include "bench/script.h"
#include "bench/stopwatch.h"

typedef struct tb_contender tb_contender;

typedef struct tb_driver {
    /* A set for timers 0 .. s->n - 1 that starts at s->start, with s->slop; NULL with errno. The memory it takes, and what it
       takes while armed, counts as the contender's. */
    void *(*open)(const tb_contender *c, const tb_script *s);
    void (*close)(void *set);
    bool (*arm)(void *set, uint32_t timer, int64_t at);                   /* it is not pending; false: refused */
    bool (*arm_in)(void *set, uint32_t timer, int64_t at, uint32_t lane); /* TB_LINE_PRECISE: as a precise one */
    bool (*cancel)(void *set, uint32_t timer);                            /* whether it was pending */
    bool (*rearm)(void *set, uint32_t timer, int64_t at, uint32_t lane);  /* moves it, or arms it when it has fired */
    size_t (*advance)(void *set, int64_t now, uint64_t *sum); /* delivers what is due: how many; adds their tokens to *sum */
    bool (*next)(void *set, int64_t *at);                     /* when advance is due next */
    void (*touch)(void *set, uint32_t timer); /* prefetches what the caller keeps of a timer: an id, the timer embedded in its object */
} tb_driver;

/* A loop does operations from .. to-1 of a script. With `spent`, each operation is timed on its own (tb_stopwatch ticks):
   spent[i] is the smaller of what stands there and what operation i took now. */
typedef void tb_operations(void *set, const tb_script *s, tb_progress *p, uint32_t from, uint32_t to, uint32_t *spent);

enum { TB_WALK_CALLS = 4096 };

typedef struct tb_loops {
    void *(*open)(const tb_contender *c, const tb_script *s);
    void (*close)(void *set);
    tb_operations *fill;   /* arms timers from .. to-1 for their s->fill */
    tb_operations *cancel; /* cancels */
    tb_operations *churn;  /* cancels and arms */
    tb_operations *churn_touched; /* the same, each timer touched a few operations before */
    tb_operations *rearm;  /* rearms, and arms what has fired */
    tb_operations *next;   /* cancels and arms, and asks what is next */
    tb_operations *expire; /* steps of time */
    tb_operations *replay; /* lines */
    tb_operations *walk; /* towards lines' times as replay does, at most TB_WALK_CALLS calls of advance each */
} tb_loops;

struct tb_contender {
    const char *name;
    const tb_loops *loops;
    const tb_impl *impl; /* ours, or NULL */
    bool keyed;
    bool hidden; /* a yardstick: taken only by its exact name */
    bool floor;  /* what the machine itself costs: bench/floor.h; hidden, too */
    const struct tb_peer *peer; /* an entry of a library beside ours, or NULL */
};

/* The contenders of this build: each implementation by id and by key, the peers, and the yardsticks. Index below count; 0: out of
   memory. */
size_t tb_contender_count(void);
const tb_contender *tb_contender_at(size_t index);

#endif
