/* sampling.h: the same measurement in many fresh processes, gathered into one result (docs/results.md, docs/trust.md).

   What a process measures depends on where its memory lies and on what else differs between two starts, and repetitions in it
   share that. So the process is what is sampled: each is a plain command line, `BINARY run … --processes 1 --seed S --out PIPE`,
   of this program or of another build, with a seed of its own that decides on operations, order and placement. */
#ifndef BENCH_SAMPLING_H
#define BENCH_SAMPLING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error_text.h"
#include "bench/string_list.h"

/* One process's part in a result. */
typedef struct tb_sampled_process {
    uint64_t seed;
    size_t padding; /* bytes that its environment was larger */
    double seconds;
    double steal; /* 0 .. 1, while it ran; negative: not known */
    size_t cells; /* that it measured */
} tb_sampled_process;

/* A cell, and what the processes said of it. */
typedef struct tb_sampled_cell {
    char *name;
    bool wrong;
    double *units; /* a process's median, ns, of those that measured it */
    size_t count;
    double seconds; /* that one process took for it, the mean; 0: not told */
    double width;   /* how far the 95 % interval of the units' median reaches from it, as a share; INFINITY below five units */
    double noise_floor; /* results/noise_floor.h; NAN: too few units */
    json_t *said;    /* of each process its entry in "cells", with "process" */
    json_t *entries; /* of Google Benchmark's part */
} tb_sampled_cell;

/* A result in the making. {0} is an empty one. */
typedef struct tb_sampled {
    tb_sampled_process *processes;
    size_t process_count;
    tb_sampled_cell *cells; /* in the order of the first process that had them */
    size_t count;
    json_t *first; /* the first process's document */
} tb_sampled;

/* Adds what a process wrote, a document as docs/results.md describes it. `name` stands for it in errors. false: it is no such
   document, or memory ran out; *error says what is wrong, and `sampled` is only good for freeing. */
bool tb_sampled_add(tb_sampled *sampled, const tb_sampled_process *process, json_t *document, const char *name,
                    tb_error_text *error);

/* Works out widths and noise floors. The same seed gives the same. false: out of memory. */
bool tb_sampled_assess(tb_sampled *sampled, uint64_t seed);

/* The one document of all, once assessed; `seed` is the run's, budget 0: none. A new reference. NULL: out of memory. */
json_t *tb_sampled_document(const tb_sampled *sampled, uint64_t seed, double budget);

void tb_sampled_free(tb_sampled *sampled);

/* A cell whose interval reaches further than this is unsure. Comparing two such results, the interval of the ratio reaches about
   the square root of 2 further, which still fits into the 5 % that compare asks about unless told otherwise. */
#define TB_WIDE 0.025

/* Whether more processes are wanted: it was measured, and its interval is too wide. */
bool tb_sampled_is_unsure(const tb_sampled_cell *cell);

/* Which cells a further process of at most `seconds` shall measure: of those that are unsure the wider half, at least one, the
   widest first, as far as the time goes. Sets picked[0..count); returns how many. */
size_t tb_sampled_pick(const tb_sampled *sampled, double seconds, bool *picked, double *estimate);

/* ---- the processes ----------------------------------------------------------------------------------------------- */

typedef struct tb_sampling {
    const char *path;  /* the program to run, as execve takes it */
    const char *shown; /* the same in errors; NULL: not named there */
    const tb_string_list *words; /* "run" and all that is the same for every process */
    const tb_string_list *rest;  /* what follows `--`; NULL: nothing */
    uint64_t seed;
    tb_sampled sampled;
} tb_sampling;

/* What one process shall do. */
typedef struct tb_sampling_task {
    size_t number; /* decides on its seed: the same for two binaries whose processes are a pair */
    const tb_string_list *cells; /* for --cell; NULL: as the words say */
    double budget; /* s, for --budget; 0: none */
    bool tails;    /* time single operations, too */
} tb_sampling_task;

/* Runs a process and adds what it wrote. An exit code of 1 (a cell is WRONG) is no failure. false: *error tells in one line what
   the process said, or how it ended. */
bool tb_sampling_run(tb_sampling *sampling, const tb_sampling_task *task, tb_error_text *error);

/* The seed of a process: 48 bits, which every reader of JSON keeps. */
uint64_t tb_sampling_seed(uint64_t seed, size_t number);

#endif
