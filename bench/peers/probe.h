/* probe.h: what a peer does, found by driving it: when its timers fire, in which order, which of them it loses. Its documentation
   is not asked. */
#ifndef BENCH_PEERS_PROBE_H
#define BENCH_PEERS_PROBE_H

#include "bench/contender.h"
#include "bench/peers/peer.h"

typedef struct tb_peer_traits {
    bool works;             /* false: it could not be set up here, and nothing else is known */
    int64_t resolution;     /* ns: deadlines nearer than this to each other are not always told apart; 0: below 10 ns */
    int64_t early;          /* ns: as far before its deadline a timer was seen to fire; 0: never */
    int64_t late;           /* ns: no timer was seen to fire later than this after its deadline; 0: all at their deadline */
    bool ties_in_order;     /* timers of one deadline fire in the order armed */
    bool deadlines_in_order; /* timers of one step fire in the order of their deadlines */
    unsigned lost, twice;   /* of 1000 timers, half of them cancelled or moved */
    int64_t beyond; /* ns: the shortest of 1, 50, 400 days and 10 years that is too long, and fires early; 0: none */
} tb_peer_traits;

/* Probes it, once in a run of the program: some milliseconds. */
const tb_peer_traits *tb_peer_probe(const tb_contender *contender);

/* A letter for each way in which it differs from what an exact set does, for a table: "" or such as "moe". At most 8. */
enum { TB_PEER_MARKS = 8 };
void tb_peer_marks(const tb_contender *contender, char marks[TB_PEER_MARKS + 1]);

/* What a mark says, with this peer's figures: "fires up to 1 ms early". */
void tb_peer_mark_text(const tb_contender *contender, char mark, char *out, size_t size);

#endif
