#include "bench/peers/describe.h"
#include "bench/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <timerbench/calendar.h>

enum { SCHEMA = 2 }; /* of the "timerbench" part: docs/results.md */

bool tb_session_add(tb_session *session, const tb_workload *workload, const tb_contender *contender, uint32_t population)
{
    tb_cell *grown = realloc(session->cells, (session->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    session->cells = grown;
    grown[session->count] = (tb_cell){.workload = workload, .contender = contender, .population = population};
    if (!tb_cell_set_name(&grown[session->count]))
        return false;
    session->count++;
    return true;
}

void tb_session_free(tb_session *session)
{
    for (size_t i = 0; i < session->count; i++)
        tb_cell_clear(&session->cells[i]);
    free(session->cells);
    json_decref(session->document);
    *session = (tb_session){0};
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static const char *state_name(tb_cell_state state)
{
    static const char *const names[] = {"measured", "left out", "wrong"};
    return names[state];
}

static void set_figure(json_t *object, const char *name, double value)
{
    if (value >= 0)
        json_object_set_new(object, name, json_real(value));
}

/* The peers that took part, each once. */
static json_t *describe_peers(const tb_session *session)
{
    json_t *peers = json_array();
    for (size_t i = 0; i < session->count; i++) {
        const tb_contender *c = session->cells[i].contender;
        bool known = !c->peer;
        for (size_t j = 0; j < i && !known; j++)
            known = session->cells[j].contender == c;
        if (!known)
            json_array_append_new(peers, tb_peer_json(c));
    }
    return peers;
}

static json_t *describe(const tb_cell *cell)
{
    static const char *const tails[] = {"p50_ns", "p99_ns", "p999_ns", "worst_ns"};
    json_t *c = json_object();
    json_object_set_new(c, "name", json_string(cell->name));
    json_object_set_new(c, "level", json_string(tb_workload_level(cell->workload)));
    json_object_set_new(c, "workload", json_string(cell->workload->name));
    json_object_set_new(c, "contender", json_string(cell->contender->name));
    json_object_set_new(c, "population", json_integer(cell->population));
    json_object_set_new(c, "api", json_string(cell->contender->keyed ? "key" : "id"));
    json_object_set_new(c, "state", json_string(state_name(cell->state)));
    if (*cell->reason)
        json_object_set_new(c, "reason", json_string(cell->reason));
    json_object_set_new(c, "unit", json_string(cell->workload->unit));
    json_object_set_new(c, "operations", json_integer((json_int_t)cell->operations));
    json_t *ns = json_array(), *samples = json_array();
    for (size_t i = 0; i < cell->repetitions; i++)
        json_array_append_new(ns, json_real(cell->ns[i]));
    json_array_append_new(samples, ns);
    json_object_set_new(c, "samples", samples);
    set_figure(c, "bytes_per_timer", cell->bytes);
    set_figure(c, "idle_calls_per_fired", cell->idle_calls);
    for (int i = 0; i < 4; i++)
        set_figure(c, tails[i], cell->tail[i]);
    set_figure(c, "steal", cell->steal);
    set_figure(c, "seconds", cell->seconds);
    return c;
}

/* What was left out stands in the context, too, for readers of Google Benchmark's part alone. */
static void finish(tb_session *session, const tb_measuring *how, tb_timestamp begun)
{
    json_t *part = json_object(), *cells = json_array(), *left_out = json_array();
    json_t *context = json_object_get(session->document, "context");
    char date[TB_RFC3339_SIZE];
    for (size_t i = 0; i < session->count; i++) {
        const tb_cell *cell = &session->cells[i];
        json_array_append_new(cells, describe(cell));
        if (cell->state == TB_CELL_LEFT_OUT)
            json_array_append_new(left_out, json_sprintf("%s: %s", cell->name, cell->reason));
    }
    json_object_set_new(context, "left_out", left_out);
    /* The library's own is local time. */
    tb_timestamp_rfc3339(tb_timestamp_from_unix_seconds(tb_timestamp_unix_seconds(begun)), date);
    json_object_set_new(context, "date", json_string(date));
    json_object_set_new(part, "schema", json_integer(SCHEMA));
    json_object_set_new(part, "seed", json_integer((json_int_t)how->seed));
    json_object_set_new(part, "repetitions", json_integer(how->repetitions));
    json_object_set_new(part, "cells", cells);
    json_object_set_new(session->document, "timerbench", part);
    json_object_set_new(json_object_get(session->document, "context"), "peers", describe_peers(session));
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void tell(size_t done, size_t count, const tb_cell *cell, double seconds)
{
    double left = done > 0 ? seconds / (double)done * (double)(count - done) : 0;
    fprintf(stderr, "\r\033[K%zu/%zu", done, count);
    if (done > 0)
        fprintf(stderr, "  %d:%02d left", (int)left / 60, (int)left % 60);
    fprintf(stderr, "  %s/%s", cell->workload->name, cell->contender->name);
    fflush(stderr);
}

bool tb_session_run(tb_session *session, const tb_measuring *how, double budget, bool progress, tb_error_text *error)
{
    size_t n = session->count;
    uint32_t *order = malloc((n ? n : 1) * sizeof *order);
    tb_random random = tb_random_make(how->seed, 0x6f72646572 /* "order" */);
    session->document = json_object();
    if (!order || !session->document || json_object_set_new(session->document, "context", json_object()) != 0 ||
        json_object_set_new(session->document, "benchmarks", json_array()) != 0) {
        free(order);
        tb_error_no_memory(error);
        return false;
    }
    tb_random_permutation(&random, order, (uint32_t)n);
    int64_t begin = tb_stopwatch_ns();
    tb_timestamp begun = tb_timestamp_now();
    bool done = true;
    for (size_t i = 0; i < n && done; i++) {
        tb_cell *cell = &session->cells[order[i]];
        double spent = (double)(tb_stopwatch_ns() - begin) * 1e-9;
        tb_measuring now = *how;
        cell->family = i;
        if (budget > 0) { /* half of what is left for a cell may go into its repetitions; the rest are fills and tails */
            double share = (budget - spent) / (double)(n - i) / 2;
            now.limit = share < now.limit ? share : now.limit;
            now.limit = now.limit > 0.02 ? now.limit : 0.02;
        }
        if (progress)
            tell(i, n, cell, spent);
        done = tb_cell_measure(cell, &now, session->document, error);
    }
    if (progress)
        fprintf(stderr, "\r\033[K");
    free(order);
    if (done)
        finish(session, how, begun);
    return done;
}
