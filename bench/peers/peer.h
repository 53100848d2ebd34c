/* peer.h: a library that a C programmer would pick instead of ours, as a contender: driven through its public API, on a
   synthetic clock where it has none of its own.

   A peer is one file of this folder with a table of its entries (`tb_peer tb_peers_NAME[]`, ended by a row without a name), a
   line in catalogue.h, and its package in .ci/packages; bench/module.mk builds those whose library is there. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include <stdio.h>

#include "bench/work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an entry cannot do, or not on a synthetic clock. */
enum {
    TB_PEER_NO_NEXT = 1,       /* nothing tells when it is due next: not in next and replays */
    TB_PEER_CONSTANT_ONLY = 2, /* only workloads with one duration for all */
    TB_PEER_REAL_TIME = 4      /* the kernel's clock runs: nothing fires while a cell is measured; not in expire, next, replays */
};

typedef struct tb_peer {
    const char *name;
    const char *api;    /* the calls that it is driven by */
    const char *limits; /* what a reader of its figures must know; "" */
    const tb_loops *loops;
    void (*version)(char *out, size_t size); /* of the library that runs */
    /* The window in which it may fire without being WRONG, ns around the deadline: what its documented resolution and rounding
       allow. What it does is measured by tb_peer_probe. */
    int64_t early, late;
    unsigned lacks;
    uint32_t most;        /* the largest population; 0: any */
    const char *most_why; /* "its lists are walked", of most */
    uint32_t sets;        /* the most sets open at once; 0: any */
} tb_peer;

/* The libraries that this source has peers for, in this build or not. */
typedef struct tb_peer_library {
    const char *name;
    const char *package; /* the Debian package that brings it; NULL: comes with the compiler or the C library */
    const char *names;   /* of its entries */
    const tb_peer *entries; /* ended by a row without a name; NULL: not in this build */
} tb_peer_library;

size_t tb_peer_library_count(void);
const tb_peer_library *tb_peer_library_at(size_t index);

/* Whether the peer cannot do the work; why, in `reason`. */
bool tb_peer_refuses(const tb_peer *peer, const tb_work *work, char *reason, size_t size);

/* The order in which timers fire, for the probe: while tb_peer_log is set, sets that are opened append the numbers of timers
   that fire (until it is full). */
typedef struct tb_fire_log {
    uint32_t timers[256];
    uint32_t count;
} tb_fire_log;
extern tb_fire_log *tb_peer_log;

static inline void tb_fire_log_add(tb_fire_log *log, uint32_t timer)
{
    if (log->count < sizeof log->timers / sizeof *log->timers)
        log->timers[log->count++] = timer;
}

/* What has fired since it was last taken: a callback adds to its file's tally, which no set needs to be found for. */
typedef struct tb_tally {
    uint64_t fired, sum;
} tb_tally;

static inline void tb_tally_add(tb_tally *tally, uint32_t timer)
{
    tally->fired++;
    tally->sum += timer;
}

static inline size_t tb_tally_take(tb_tally *tally, uint64_t *sum)
{
    size_t fired = (size_t)tally->fired;
    *sum += tally->sum;
    tally->fired = tally->sum = 0;
    return fired;
}

/* From ns to a coarser unit, up, and not below zero: a caller who wants n ns asks for no less. */
static inline int64_t tb_peer_units(int64_t ns, int64_t unit) { return ns <= 0 ? 0 : (ns - 1) / unit + 1; }

#ifdef __cplusplus
}
#endif
#endif
