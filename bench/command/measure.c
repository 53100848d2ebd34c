#include "bench/command/measure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/calendar_level.h"
#include "bench/certainty.h"
#include "bench/command/cell_choice.h"
#include "bench/command/command.h"
#include "bench/command/contender_choice.h"
#include "bench/command/gbench_flags.h"
#include "bench/command/sampled.h"
#include "bench/environment.h"
#include "bench/floor.h"
#include "bench/gbench.h"
#include "bench/output_file.h"
#include "bench/plugin.h"
#include "bench/placement.h"
#include "bench/selection.h"
#include "bench/table.h"

static const char *const apis[] = {"id", "key", "both", NULL};
static const char *const levels[] = {"timers", "calendar", "loop", NULL}; /* as tb_level */

enum { MAX_POPULATION = 1 << 26 };

tb_measure_settings tb_measure_defaults(void)
{
    tb_measure_settings s = {0};
    s.api = TB_API_NOT_GIVEN;
    s.processes = 1;
    s.seed = 1;
    return s;
}

void tb_measure_settings_free(tb_measure_settings *s)
{
    tb_string_list_free(&s->impls);
    tb_string_list_free(&s->plugins);
    tb_string_list_free(&s->peers);
    tb_string_list_free(&s->workloads);
    tb_string_list_free(&s->cells);
    tb_size_list_free(&s->sizes);
}

size_t tb_measure_options(tb_measure_settings *s, bool all, tb_option *options)
{
    size_t n = 0;
    if (all) {
        options[n++] = (tb_option){.name = "level", .kind = TB_OPTION_CHOICE, .choices = levels, .to.choice = &s->level,
                                   .help = "what is measured: the bare timer sets, dates and their text, or how late a loop's "
                                           "timers are (default: timers)"};
        options[n++] = (tb_option){.name = "workload", .kind = TB_OPTION_STRINGS, .to.strings = &s->workloads,
                                   .help = "names, globs and @tags of workloads (default: @steady; of the calendar all)"};
        options[n++] = (tb_option){.name = "size", .kind = TB_OPTION_SIZES, .min = 1, .max = MAX_POPULATION,
                                   .to.sizes = &s->sizes,
                                   .help = "populations: 1024,64k,1M or 64..1Mx4 (default: 1k,64k,1M; of the calendar 4k)"};
    }
    options[n++] = (tb_option){.name = "impl", .kind = TB_OPTION_STRINGS, .to.strings = &s->impls,
                               .help = "names, globs and @families of implementations (default: all; with --peer none)"};
    options[n++] = (tb_option){.name = "plugin", .kind = TB_OPTION_STRINGS, .value = "FILE.so", .to.strings = &s->plugins,
                               .help = "implementations of this shared object, too (after `timerbench check --plugin`)"};
    options[n++] = (tb_option){.name = "peer", .kind = TB_OPTION_STRINGS, .to.strings = &s->peers,
                               .help = "names and globs of peer libraries, with the floor beside them (default: none)"};
    options[n++] = (tb_option){.name = "floor", .kind = TB_OPTION_FLAG, .to.flag = &s->floor,
                               .help = "rows of what the machine itself costs: memory, a call, a clock read"};
    options[n++] = (tb_option){.name = "ratio-to", .kind = TB_OPTION_STRING, .value = "NAME", .to.string = &s->ratio_to,
                               .help = "ratios of the table to this row, a floor row such as floor.access.64 or another of the "
                                       "run, not to the best"};
    options[n++] = (tb_option){.name = "api", .kind = TB_OPTION_CHOICE, .choices = apis, .to.choice = &s->api,
                               .help = "timers named by id, by key, or both (default: id)"};
    options[n++] = (tb_option){.name = "cell", .kind = TB_OPTION_STRINGS, .to.strings = &s->cells,
                               .help = "names and globs of cells, as compare prints them: narrows the choice to these; what "
                                       "else is not given is as wide as they are"};
    options[n++] = (tb_option){.name = "processes", .kind = TB_OPTION_INT, .min = 1, .max = 10000, .to.integer = &s->processes,
                               .help = "so many fresh processes, each with another seed, another order and its memory elsewhere "
                                       "(default: 1)"};
    options[n++] = (tb_option){.name = "repetitions", .kind = TB_OPTION_INT, .min = 1, .max = 1000, .to.integer = &s->repetitions,
                               .help = "of each cell in each process (default: 9; with several processes 3)"};
    options[n++] = (tb_option){.name = "budget", .kind = TB_OPTION_SECONDS, .max = 1000000, .to.seconds = &s->budget,
                               .help = "seconds for all; dear cells do fewer operations or are left out. What several processes "
                                       "leave of it goes into further ones, for the cells that are least certain"};
    options[n++] = (tb_option){.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &s->seed,
                               .help = "of the operations and of the order of the cells (default: 1)"};
    options[n++] = (tb_option){.name = "quick", .kind = TB_OPTION_FLAG, .to.flag = &s->quick,
                               .help = "few operations, no tails: to see that it runs"};
    options[n++] = (tb_option){.name = "no-tails", .kind = TB_OPTION_FLAG, .to.flag = &s->no_tails,
                               .help = "do not time single operations"};
    options[n++] = (tb_option){.name = "net", .kind = TB_OPTION_FLAG, .to.flag = &s->net,
                               .help = "figures of the table less the harness's own cost, the dummy's"};
    options[n++] = (tb_option){.name = "out", .letter = 'o', .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s->out,
                               .help = "write the results as JSON, readable by Google Benchmark's tools"};
    return n;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool choose_workloads(const tb_measure_settings *s, const tb_workload_list *list, bool *chosen, tb_error_text *error)
{
    tb_selectable *items = calloc(list->count ? list->count : 1, sizeof *items);
    if (!items) {
        tb_error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const tb_workload *w = &list->items[i];
        bool usual = s->cells.count ? tb_cell_choice_may_be_of(&s->cells, tb_workload_level(w), w->name)
                                  : s->level == TB_LEVEL_CALENDAR || strcmp(w->tags, "steady") == 0;
        items[i] = (tb_selectable){w->name, w->tags, usual, false};
    }
    bool done = tb_select(&s->workloads, "--workload", items, list->count, chosen, error);
    free(items);
    return done;
}

static size_t contender_count(const tb_measure_settings *s)
{
    return s->level == TB_LEVEL_CALENDAR ? tb_calendar_contender_count() : tb_contender_count();
}

static const tb_contender *contender_at(const tb_measure_settings *s, size_t index)
{
    return s->level == TB_LEVEL_CALENDAR ? tb_calendar_contender_at(index) : tb_contender_at(index);
}

/* Contenders of the same name (by id, by key) are chosen together. */
static bool choose_contenders(const tb_measure_settings *s, bool *chosen, tb_error_text *error)
{
    size_t n = contender_count(s), names = 0;
    tb_selectable *items = calloc(n, sizeof *items);
    bool *picked = calloc(n, sizeof *picked), done = items && picked;
    if (!done)
        tb_error_no_memory(error);
    for (size_t i = 0; done && i < n; i++) {
        const tb_contender *c = contender_at(s, i);
        if (!c->peer && (names == 0 || strcmp(items[names - 1].name, c->name) != 0))
            items[names++] = (tb_selectable){c->name, c->impl ? c->impl->structure->family : "", s->peers.count == 0, c->hidden};
    }
    done = done && tb_select(&s->impls, "--impl", items, names, picked, error);
    bool both = s->api == TB_API_BOTH || (s->api == TB_API_NOT_GIVEN && s->cells.count);
    for (size_t i = 0, at = 0; done && i < n; i++) {
        const tb_contender *c = contender_at(s, i);
        while (!c->peer && strcmp(items[at].name, c->name) != 0)
            at++;
        bool named = both || c->keyed == (s->api == TB_API_KEY) || !c->impl;
        chosen[i] = (!c->peer && picked[at] && named) || (s->net && strcmp(c->name, "dummy") == 0);
    }
    free(items);
    free(picked);
    return done && (s->level != TB_LEVEL_TIMERS || tb_contender_choice_beside(s, chosen, error));
}

static bool add_cells(const tb_measure_settings *s, const tb_workload_list *list, const bool *workloads, const bool *contenders,
                      tb_size_list sizes, tb_session *session, tb_error_text *error)
{
    bool calendar = s->level == TB_LEVEL_CALENDAR;
    for (size_t w = 0; w < list->count; w++) {
        if (!workloads[w])
            continue;
        if (!calendar && !tb_workload_prepare(&list->items[w], error))
            return false;
        const tb_trace_plan *trace = list->items[w].trace;
        for (size_t i = 0; i < (trace ? 1 : sizes.count); i++)
            for (size_t c = 0; c < contender_count(s); c++)
                if (contenders[c] && (!calendar || tb_calendar_takes_part(&list->items[w], contender_at(s, c))) &&
                    (!contender_at(s, c)->floor || tb_floor_fits(&list->items[w])) &&
                    !tb_session_add(session, &list->items[w], contender_at(s, c),
                                                     (uint32_t)(trace ? (int64_t)trace->max_pending : sizes.items[i]))) {
                    tb_error_no_memory(error);
                    return false;
                }
    }
    return true;
}

/* The populations asked for; else the usual ones, and those that --cell names. */
static bool choose_sizes(const tb_measure_settings *s, tb_size_list *sizes)
{
    static const int64_t of_timers[] = {1 << 10, 1 << 16, 1 << 20}, of_calendar[] = {1 << 12};
    const int64_t *usual = s->level == TB_LEVEL_CALENDAR ? of_calendar : of_timers;
    size_t count = s->sizes.count ? s->sizes.count : s->level == TB_LEVEL_CALENDAR ? 1 : 3;
    sizes->items = malloc(count * sizeof *sizes->items);
    if (!sizes->items)
        return false;
    memcpy(sizes->items, s->sizes.count ? s->sizes.items : usual, count * sizeof *sizes->items);
    sizes->count = count;
    return s->sizes.count || tb_cell_choice_sizes(&s->cells, MAX_POPULATION, sizes);
}

static bool choose_cells(const tb_measure_settings *s, const tb_workload_list *list, bool *workloads, tb_session *session,
                         tb_error_text *error)
{
    bool *contenders = calloc(contender_count(s), sizeof *contenders);
    tb_size_list sizes = {0};
    bool done = contenders && choose_sizes(s, &sizes);
    if (!done)
        tb_error_no_memory(error);
    done = done && choose_workloads(s, list, workloads, error) && choose_contenders(s, contenders, error) &&
           add_cells(s, list, workloads, contenders, sizes, session, error) &&
           tb_cell_choice_narrow(&s->cells, s->net ? "dummy" : NULL, session, error);
    tb_size_list_free(&sizes);
    free(contenders);
    return done;
}

/* ---- doing ------------------------------------------------------------------------------------------------------- */

/* How each replay's slops were mapped to lanes, and what went to the precise set. */
static void print_plans(const tb_workload_list *list, const tb_session *session)
{
    for (size_t i = 0; i < list->count; i++) {
        bool measured = false;
        for (size_t j = 0; j < session->count; j++)
            measured |= session->cells[j].workload == &list->items[i];
        if (measured && list->items[i].trace) {
            char name[TB_WORKLOAD_SHOWN + 1];
            printf("%s\n", tb_workload_shown_name(&list->items[i], name));
            tb_replay_plan_print(&list->items[i].trace->plan, stdout, 2);
        }
    }
}

bool tb_measure_write(const json_t *document, tb_output_file *out, tb_error_text *error)
{
    if (json_dumpf(document, tb_output_stream(out), JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0 ||
        fputc('\n', tb_output_stream(out)) == EOF) {
        /* A write error; committing says which. */
    }
    return tb_output_commit(out, error);
}

/* What one process measures, once its stack is where its seed places it. */
typedef struct running {
    const tb_measure_settings *settings;
    tb_session *session;
    tb_measuring how;
    tb_error_text *error;
    bool done;
} running;

static void run_session(void *argument)
{
    running *r = argument;
    r->done = tb_session_run(r->session, &r->how, r->settings->budget, isatty(STDERR_FILENO), r->error);
}

static bool run_here(const tb_measure_settings *s, tb_session *session, tb_error_text *error)
{
    int repetitions = s->repetitions ? (int)s->repetitions : 9; /* what Google Benchmark's compare.py asks for its test */
    running r = {s, session, {.seed = (uint64_t)s->seed, .repetitions = repetitions, .operations = 1 << 18, .limit = 3,
                              .tail_operations = s->no_tails ? 0 : 1 << 16}, error, false};
    if (s->quick) {
        r.how.repetitions = repetitions < 3 ? repetitions : 3;
        r.how.operations = 1 << 14;
        r.how.limit = 0.5;
        r.how.tail_operations = 0;
    }
    tb_placement *placement = tb_placement_of_heap(r.how.seed);
    if (placement)
        tb_placement_of_stack(r.how.seed, run_session, &r);
    else
        tb_error_no_memory(error);
    tb_placement_free(placement);
    return r.done;
}

/* Prints and writes what was measured; the exit code. */
static int finish(const tb_measure_settings *s, const tb_session *session, const tb_sampled *sampled, tb_output_file *out,
                  tb_error_text *error)
{
    /* Not everyone of the calendar's does the same: no ranking. */
    tb_table_options table = {s->net, s->level == TB_LEVEL_TIMERS, (uint64_t)s->seed, s->ratio_to};
    bool done = tb_table_print(session, &table, stdout) && tb_certainty_print(sampled, stdout);
    if (!done) {
        tb_error_no_memory(error);
        tb_output_abandon(out);
    }
    if (!done || (out && !tb_measure_write(session->document, out, error)))
        return TB_EXIT_BAD_INPUT;
    for (size_t i = 0; i < session->count; i++)
        if (session->cells[i].state == TB_CELL_WRONG)
            return TB_EXIT_DIFFERENT;
    return TB_EXIT_OK;
}

/* The library's own flags, after `--`. */
static bool initialize_gbench(const tb_arguments *arguments, tb_error_text *error)
{
    char **argv = calloc((size_t)arguments->rest_count + 2, sizeof *argv);
    int argc = arguments->rest_count + 1;
    if (!argv) {
        tb_error_no_memory(error);
        return false;
    }
    argv[0] = (char[]){"timerbench"};
    for (int i = 0; i < arguments->rest_count; i++)
        argv[i + 1] = arguments->rest[i];
    bool done = tb_gbench_initialize(&argc, argv) == TB_GBENCH_OK && tb_gbench_unrecognized_arguments(argc, argv) == TB_GBENCH_OK;
    if (!done)
        tb_error_set(error, "Google Benchmark: %s", tb_gbench_error_text());
    free(argv);
    return done && tb_environment_add(error);
}

int tb_measure(const tb_measure_settings *s, const tb_measure_request *request, const tb_workload_list *list)
{
    tb_error_text error = {{0}};
    tb_session session = {0};
    tb_sampled sampled = {0};
    tb_output_file *out = NULL;
    bool *workloads = calloc(list->count ? list->count : 1, sizeof *workloads);
    bool several = s->processes > 1; /* then the processes start the library, each for itself */
    int code = TB_EXIT_BAD_INPUT;
    if (!workloads)
        tb_error_no_memory(&error);
    else if (tb_gbench_flags_fit(request->arguments, &error) && tb_plugins_load(&s->plugins, &error) &&
             (several || initialize_gbench(request->arguments, &error)) &&
             choose_cells(s, list, workloads, &session, &error) && (!s->out || (out = tb_output_open(s->out, &error)))) {
        bool done = several ? tb_measure_sampled(s, request, &session, &sampled, &error) : run_here(s, &session, &error);
        if (done) {
            print_plans(list, &session);
            code = finish(s, &session, &sampled, out, &error);
        } else {
            tb_output_abandon(out);
        }
    }
    if (*error.text)
        tb_complain(request->table->command, "%s", error.text);
    tb_gbench_shutdown();
    tb_sampled_free(&sampled);
    tb_session_free(&session);
    free(workloads);
    return code;
}
