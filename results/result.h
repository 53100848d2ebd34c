/* result.h: a result document, read: ours, or any of Google Benchmark's JSON (1.4 to 1.8). */
#ifndef RESULTS_RESULT_H
#define RESULTS_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* X(name, key, label, kind): what a document tells of where it comes from. `key` is the member of its context, but `seed`,
   which is in our part. Kinds: MACHINE: figures of two machines are not comparable; SETTING: named when it differs; ORIGIN:
   expected to differ. */
#define TB_RESULT_FACTS(X)                                                  \
    X(PROCESSOR, "processor", "processor", MACHINE)                         \
    X(CPUS, "num_cpus", "number of CPUs", MACHINE)                          \
    X(CACHES, "caches", "caches", MACHINE)                                  \
    X(HOST, "host_name", "host", SETTING)                                   \
    X(KERNEL, "kernel", "kernel", SETTING)                                  \
    X(GOVERNOR, "governor", "frequency governor", SETTING)                  \
    X(SCALING, "cpu_scaling_enabled", "frequency scaling", SETTING)         \
    X(COMPILER, "compiler", "compiler", SETTING)                            \
    X(FLAGS, "flags", "flags", SETTING)                                     \
    X(ALLOCATOR, "allocator", "allocator", SETTING)                         \
    X(BUILD, "timerbench_build", "build type", SETTING)                     \
    X(LIBRARY_BUILD, "library_build_type", "build type of the library", SETTING) \
    X(LIBRARY_VERSION, "library_version", "version of the library", SETTING) \
    X(VERSION, "timerbench_version", "version", SETTING)                    \
    X(SEED, "", "seed (other operations)", SETTING)                         \
    X(REVISION, "timerbench_revision", "revision", ORIGIN)                  \
    X(DATE, "date", "date", ORIGIN)

typedef enum {
#define TB_RESULT_FACT_INDEX(name, key, label, kind) TB_FACT_##name,
    TB_RESULT_FACTS(TB_RESULT_FACT_INDEX)
#undef TB_RESULT_FACT_INDEX
    TB_FACT_COUNT
} tb_result_fact;

typedef enum { TB_RESULT_MEASURED, TB_RESULT_LEFT_OUT, TB_RESULT_WRONG } tb_result_state;

/* What one process measured of a cell. */
typedef struct tb_result_process {
    double *ns; /* an operation's, of each repetition; > 0 */
    size_t count; /* > 0 */
} tb_result_process;

typedef struct tb_result_cell {
    char *name;
    tb_result_state state;
    char *reason; /* why it was left out or is wrong; NULL: not told */
    tb_result_process *processes; /* none unless measured */
    size_t process_count;
    bool aggregate; /* the one figure is a median or mean that the document gives without what it was made of */
    double noise_floor; /* a ratio's difference from 1, >= 0; NAN: not told */
    double steal;       /* 0 ... 1; NAN: not told */
} tb_result_cell;

/* All text in it is plain (plain_text.h). */
typedef struct tb_result {
    char *path;
    char *facts[TB_FACT_COUNT]; /* NULL: not told */
    tb_result_cell *cells;      /* in the document's order, no name twice */
    size_t cell_count;          /* > 0 */
} tb_result;

enum { TB_RESULT_MAX_MIB = 256 };

/* Reads the file at `path`. In our documents the cells are the members of timerbench.cells; in others a cell is what shares a
   name (run_name), its entries' real_time are the repetitions of one process, in nanoseconds, and aggregates count only where
   a benchmark has nothing else. false: *out is empty and error[0..size) says what is wrong, beginning with the path: it cannot
   be read, has more than TB_RESULT_MAX_MIB, is no JSON (with the line), is no benchmark's or has none, holds NaN, a time that
   is not positive, a name twice. Memory: some ten times the file. */
bool tb_result_read(const char *path, tb_result *out, char *error, size_t size);

/* The same of a document in memory, which it needs no longer afterwards; `name` stands for the path. */
bool tb_result_from_json(const json_t *document, const char *name, tb_result *out, char *error, size_t size);

void tb_result_free(tb_result *result);

#endif
