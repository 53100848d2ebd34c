/* session.h: a run: many cells, in a seeded order, and the one document they come to. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "bench/cell.h"
#include "bench/workloads.h"

typedef struct tb_session {
    tb_cell *cells; /* in the order of tables */
    size_t count;
    json_t *document; /* Google Benchmark's, with our part under "timerbench" */
} tb_session;

/* Adds a cell; a replay's population is its trace's. false: out of memory. */
bool tb_session_add(tb_session *session, const tb_workload *workload, const tb_contender *contender, uint32_t population);

/* Measures all cells in an order drawn from the seed. budget: seconds for all of them, 0: as long as it takes. progress: tell
   on standard error how far it is. false: *error. */
bool tb_session_run(tb_session *session, const tb_measuring *how, double budget, bool progress, tb_error_text *error);

void tb_session_free(tb_session *session);

#endif
