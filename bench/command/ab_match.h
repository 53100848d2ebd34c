/* ab_match.h: two builds, measured process by process in turn until the verdicts are clear. */
#ifndef BENCH_COMMAND_AB_MATCH_H
#define BENCH_COMMAND_AB_MATCH_H

#include "bench/sampling.h"
#include "results/comparison.h"

typedef struct tb_ab_match {
    /* Set by the caller: path, words and rest of both, TB_BASE and TB_NEW, and the seed. */
    tb_sampling side[TB_SIDES];
    const tb_string_list *cells; /* the user's choice; empty: as the words say */
    tb_judging how;              /* its significance is that of all looks together */
    bool strict, progress;
    double budget;         /* s */
    size_t most_processes; /* of each */
    /* What comes of it. */
    tb_result result[TB_SIDES];
    tb_comparison comparison; /* of these results */
    tb_settled *settled;
    size_t settled_count;
} tb_ab_match;

/* Runs pairs of processes, base first in the first, new first in the second and so on (A B B A …), looks now and then
   (results/looks.h), takes cells out of the running once their verdict is clear, and ends when none is left, or the time or the
   processes are spent. false: a process failed, the two have no cell in common, or memory ran out; *error says which. */
bool tb_ab_match_run(tb_ab_match *match, tb_error_text *error);

void tb_ab_match_free(tb_ab_match *match);

#endif
