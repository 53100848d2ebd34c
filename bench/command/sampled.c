#include "bench/command/sampled.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/cell_choice.h"
#include "bench/command/option_words.h"

bool tb_sampled_words(const char *subcommand, const tb_measure_settings *settings, const tb_option *options, size_t count,
                      tb_string_list *out)
{
    static const char *const own[] = {"processes", "seed", "out", "budget", "no-tails", "cell", NULL};
    /* Processes tell more than repetitions: few of these, and more of those in the same time. */
    return tb_string_list_add(out, subcommand, strlen(subcommand)) && tb_option_words(options, count, own, out) &&
           (settings->repetitions || tb_option_word(out, "repetitions", "%d", 3));
}

/* The same, and the operands. */
static bool make_words(const tb_measure_settings *settings, const tb_measure_request *request, tb_string_list *out)
{
    const char *subcommand = strrchr(request->table->command, ' ') + 1; /* of "timerbench run" */
    bool done = tb_sampled_words(subcommand, settings, request->table->options, request->table->option_count, out);
    for (int i = 0; done && i < request->arguments->operand_count; i++)
        done = tb_string_list_add(out, request->arguments->operands[i], strlen(request->arguments->operands[i]));
    return done;
}

/* ---- which cells ------------------------------------------------------------------------------------------------- */

bool tb_sampled_name_cells(const tb_sampled *sampled, const bool *picked, tb_string_list *out)
{
    for (size_t i = 0; i < sampled->count; i++) {
        if (!picked[i])
            continue;
        char *glob = tb_cell_choice_spell(sampled->cells[i].name);
        bool added = glob && tb_string_list_add(out, glob, strlen(glob));
        free(glob);
        if (!added)
            return false;
    }
    return true;
}

/* Those that the first process measured: what it left out for its cost would only cost the others as much. */
static size_t pick_measured(const tb_sampled *sampled, bool *picked)
{
    size_t count = 0;
    for (size_t i = 0; i < sampled->count; i++) {
        picked[i] = sampled->cells[i].count > 0 && !sampled->cells[i].wrong;
        count += picked[i];
    }
    return count;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

typedef struct gathering {
    const tb_measure_settings *settings;
    tb_sampling sampling;
    int64_t begin;
    double cell_budget; /* s: what a cell may take in a process; 0: no limit */
    bool *picked;
    bool progress;
    tb_error_text *error;
} gathering;

static double spent(const gathering *g) { return (double)(tb_stopwatch_ns() - g->begin) * 1e-9; }

static void tell(const gathering *g, size_t cells)
{
    size_t done = g->sampling.sampled.process_count, count = (size_t)g->settings->processes;
    double seconds = spent(g), left = done ? seconds / (double)done * (double)(count - done) : 0;
    if (!g->progress)
        return;
    if (done >= count)
        left = g->settings->budget - seconds;
    fprintf(stderr, "\r\033[Kprocess %zu", done + 1);
    if (done < count)
        fprintf(stderr, "/%zu", count);
    fprintf(stderr, ", %zu cells", cells);
    if (done)
        fprintf(stderr, "  %d:%02d left", (int)left / 60, (int)left % 60);
    fflush(stderr);
}

static bool run_process(gathering *g, const tb_string_list *cells, double budget)
{
    size_t number = g->sampling.sampled.process_count;
    tb_sampling_task task = {.number = number, .cells = cells, .budget = budget, .tails = number == 0 && !g->settings->no_tails};
    return tb_sampling_run(&g->sampling, &task, g->error);
}

/* The first process measures what was asked for. */
static bool run_first(gathering *g, size_t cells)
{
    double budget = g->settings->budget / (double)g->settings->processes;
    tell(g, cells);
    if (!run_process(g, &g->settings->cells, budget))
        return false;
    tb_sampled *sampled = &g->sampling.sampled;
    g->cell_budget = sampled->count ? budget / (double)sampled->count : 0;
    g->picked = calloc(sampled->count ? sampled->count : 1, sizeof *g->picked);
    if (!g->picked)
        tb_error_no_memory(g->error);
    return g->picked != NULL;
}

/* One more for the picked cells. */
static bool run_picked(gathering *g, size_t count)
{
    const tb_sampled *sampled = &g->sampling.sampled;
    tb_string_list cells = {0};
    bool named = tb_sampled_name_cells(sampled, g->picked, &cells);
    if (!named)
        tb_error_no_memory(g->error);
    tell(g, count);
    bool done = named && run_process(g, &cells, g->cell_budget * (double)count);
    tb_string_list_free(&cells);
    return done;
}

static bool assess(gathering *g)
{
    if (tb_sampled_assess(&g->sampling.sampled, (uint64_t)g->settings->seed))
        return true;
    tb_error_no_memory(g->error);
    return false;
}

/* What the budget leaves, on the cells that are least certain. */
static bool spend_rest(gathering *g)
{
    enum { MOST_PROCESSES = 10000 };
    const tb_sampled *sampled = &g->sampling.sampled;
    double left, estimate;
    size_t count;
    while (sampled->process_count < MOST_PROCESSES && (left = g->settings->budget - spent(g)) > 0 &&
           (count = tb_sampled_pick(sampled, left, g->picked, &estimate)) > 0)
        if (!run_picked(g, count) || !assess(g))
            return false;
    return true;
}

static bool run_all(gathering *g, size_t cells)
{
    if (!run_first(g, cells))
        return false;
    for (int64_t i = 1; i < g->settings->processes; i++) {
        size_t count = pick_measured(&g->sampling.sampled, g->picked);
        if (count > 0 && !run_picked(g, count))
            return false;
    }
    return assess(g) && spend_rest(g);
}

/* ---- what the table shows ---------------------------------------------------------------------------------------- */

static double figure(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : -1;
}

static bool fill_cell(tb_cell *cell, const tb_sampled_cell *from, const json_t *object)
{
    static const char *const tails[] = {"p50_ns", "p99_ns", "p999_ns", "worst_ns"};
    const char *reason = json_string_value(json_object_get(object, "reason"));
    cell->state = from->wrong ? TB_CELL_WRONG : from->count ? TB_CELL_MEASURED : TB_CELL_LEFT_OUT;
    snprintf(cell->reason, sizeof cell->reason, "%s", reason ? reason : "");
    cell->bytes = figure(object, "bytes_per_timer");
    for (int i = 0; i < 4; i++)
        cell->tail[i] = figure(object, tails[i]);
    cell->unsure = tb_sampled_is_unsure(from);
    cell->ns = malloc((from->count ? from->count : 1) * sizeof *cell->ns);
    if (!cell->ns)
        return false;
    if (from->count)
        memcpy(cell->ns, from->units, from->count * sizeof *cell->ns);
    cell->repetitions = from->count;
    return true;
}

static bool fill_session(tb_session *session, const tb_sampled *sampled)
{
    const json_t *cells = json_object_get(json_object_get(session->document, "timerbench"), "cells");
    for (size_t i = 0; i < session->count; i++)
        for (size_t j = 0; j < sampled->count; j++)
            if (strcmp(session->cells[i].name, sampled->cells[j].name) == 0 &&
                !fill_cell(&session->cells[i], &sampled->cells[j], json_array_get(cells, j)))
                return false;
    return true;
}

bool tb_measure_sampled(const tb_measure_settings *settings, const tb_measure_request *request, tb_session *session,
                        tb_sampled *sampled, tb_error_text *error)
{
    tb_string_list words = {0};
    tb_string_list rest = {request->arguments->rest, (size_t)request->arguments->rest_count};
    gathering g = {.settings = settings, .begin = tb_stopwatch_ns(), .progress = isatty(STDERR_FILENO), .error = error,
                   .sampling = {.path = TB_THIS_PROGRAM, .words = &words, .rest = &rest, .seed = (uint64_t)settings->seed}};
    bool named = make_words(settings, request, &words);
    if (!named)
        tb_error_no_memory(error);
    bool done = named && run_all(&g, session->count);
    if (g.progress)
        fprintf(stderr, "\r\033[K");
    *sampled = g.sampling.sampled;
    if (done && (!(session->document = tb_sampled_document(sampled, g.sampling.seed, settings->budget)) ||
                 !fill_session(session, sampled))) {
        tb_error_no_memory(error);
        done = false;
    }
    free(g.picked);
    tb_string_list_free(&words);
    return done;
}
