/* comparison.h: two result documents, cell by cell: which became slower, and what stands in the way of comparing them. */
#ifndef RESULTS_COMPARISON_H
#define RESULTS_COMPARISON_H

#include "results/result.h"
#include "results/verdict.h"

#include <stdio.h>

enum { TB_BASE, TB_NEW, TB_SIDES };

/* A cell that an earlier look has judged, for good. */
typedef struct tb_settled {
    char *name;
    tb_judgement judged;
} tb_settled;

typedef struct tb_comparison_options {
    tb_judging how;
    bool repetitions; /* where a document has one process of a cell, its repetitions are taken for independent units */
    bool strict;      /* what is unsure shall not pass: said in the reports */
    const char *const *globs; /* which cells (fnmatch: * ? [...]); count 0: all */
    size_t glob_count;
    /* Where the figures come in bit by bit and are looked at again and again (docs/trust.md): */
    bool repeated; /* `how` is of this look alone, so levels differ between cells */
    const tb_settled *settled; /* the judgements of earlier looks stand; their p still count in the family */
    size_t settled_count;
} tb_comparison_options;

/* A cell of both documents. */
typedef struct tb_compared {
    const tb_result_cell *cell[TB_SIDES];
    tb_judgement judged;
} tb_compared;

/* A cell that cannot be compared. */
typedef struct tb_uncompared {
    const char *name;
    const char *reason; /* "only in BASE", "WRONG in NEW" ... */
    const char *detail; /* what the document says of it; NULL: nothing */
    bool unsettled;     /* BASE has it, and whether NEW is slower cannot be said: with `strict` as if it were unsure */
} tb_uncompared;

/* Something that the two documents tell, and not the same. */
typedef struct tb_difference {
    tb_result_fact fact;
    const char *label;
    const char *told[TB_SIDES]; /* NULL: not told */
    bool machine;
} tb_difference;

typedef struct tb_comparison {
    const tb_result *of[TB_SIDES];
    tb_comparison_options options;
    tb_compared *cells; /* slower, faster, unsure, same; the greater difference first */
    size_t cell_count;
    size_t verdicts[TB_VERDICTS]; /* how many */
    tb_uncompared *uncompared; /* those that are unsettled first */
    size_t uncompared_count, unsettled_count;
    tb_difference differences[TB_FACT_COUNT]; /* machine first */
    size_t difference_count;
    bool other_machine; /* both tell of their machine, and not the same */
    size_t unknown_floors; /* cells with a noise floor in neither document */
    size_t stolen_count;   /* cells that lost TB_STEAL_WORTH_TELLING of the CPU time or more */
    double most_stolen;
    size_t by_repetitions; /* cells whose units are repetitions, in one document at least */
} tb_comparison;

#define TB_STEAL_WORTH_TELLING 0.02

/* What `fact` is called, and what a difference means is in TB_RESULT_FACTS. */
const char *tb_fact_label(tb_result_fact fact);

/* Compares base and new, which must outlive *out, as must the options' globs. false: nothing to compare (a glob that picks
   nothing, no cell in both, none measured in both) or out of memory; error[0..size) says which. */
bool tb_compare(const tb_result *base, const tb_result *new_, const tb_comparison_options *options, tb_comparison *out,
                char *error, size_t size);

void tb_comparison_free(tb_comparison *comparison);

/* Whether `strict` lets it pass: nothing unsure, nothing unsettled. */
bool tb_comparison_is_sure(const tb_comparison *comparison);

/* The formats of `timerbench compare` (docs/compare.md). The text is at most 80 columns wide. Write errors stay in the state of
   the stream. false: out of memory. */
bool tb_comparison_print_text(const tb_comparison *comparison, FILE *out);
bool tb_comparison_print_markdown(const tb_comparison *comparison, FILE *out);
bool tb_comparison_print_json(const tb_comparison *comparison, FILE *out);
bool tb_comparison_print_junit(const tb_comparison *comparison, FILE *out);

#endif
