#include "bench/command/measure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/command.h"
#include "bench/environment.h"
#include "bench/gbench.h"
#include "bench/output_file.h"
#include "bench/selection.h"
#include "bench/table.h"

static const char *const apis[] = {"id", "key", "both", NULL};
static const char *const levels[] = {"timers", NULL};

enum { MAX_POPULATION = 1 << 26 };

tb_measure_settings tb_measure_defaults(void)
{
    tb_measure_settings s = {0};
    s.api = TB_API_ID;
    s.repetitions = 9; /* what Google Benchmark's compare.py asks for its test */
    s.seed = 1;
    return s;
}

void tb_measure_settings_free(tb_measure_settings *s)
{
    tb_string_list_free(&s->impls);
    tb_string_list_free(&s->workloads);
    tb_size_list_free(&s->sizes);
}

size_t tb_measure_options(tb_measure_settings *s, bool all, tb_option *options)
{
    size_t n = 0;
    if (all) {
        options[n++] = (tb_option){.name = "level", .kind = TB_OPTION_CHOICE, .choices = levels, .to.choice = &s->level,
                                   .help = "what is measured: the bare timer sets"};
        options[n++] = (tb_option){.name = "workload", .kind = TB_OPTION_STRINGS, .to.strings = &s->workloads,
                                   .help = "names, globs and @tags of workloads (default: @steady)"};
        options[n++] = (tb_option){.name = "size", .kind = TB_OPTION_SIZES, .min = 1, .max = MAX_POPULATION,
                                   .to.sizes = &s->sizes,
                                   .help = "populations: 1024,64k,1M or 64..1Mx4 (default: 1k,64k,1M)"};
    }
    options[n++] = (tb_option){.name = "impl", .kind = TB_OPTION_STRINGS, .to.strings = &s->impls,
                               .help = "names and globs of implementations (default: all)"};
    options[n++] = (tb_option){.name = "api", .kind = TB_OPTION_CHOICE, .choices = apis, .to.choice = &s->api,
                               .help = "timers named by id, by key, or both (default: id)"};
    options[n++] = (tb_option){.name = "repetitions", .kind = TB_OPTION_INT, .min = 1, .max = 1000, .to.integer = &s->repetitions,
                               .help = "of each cell (default: 9)"};
    options[n++] = (tb_option){.name = "budget", .kind = TB_OPTION_SECONDS, .max = 1000000, .to.seconds = &s->budget,
                               .help = "seconds for all cells; dear ones do fewer operations or are left out"};
    options[n++] = (tb_option){.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &s->seed,
                               .help = "of the operations and of the order of the cells (default: 1)"};
    options[n++] = (tb_option){.name = "quick", .kind = TB_OPTION_FLAG, .to.flag = &s->quick,
                               .help = "few operations, no tails: to see that it runs"};
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
    for (size_t i = 0; i < list->count; i++)
        items[i] = (tb_selectable){list->items[i].name, list->items[i].tags, strcmp(list->items[i].tags, "steady") == 0, false};
    bool done = tb_select(&s->workloads, "--workload", items, list->count, chosen, error);
    free(items);
    return done;
}

/* Contenders of the same name (by id, by key) are chosen together. */
static bool choose_contenders(const tb_measure_settings *s, bool *chosen, tb_error_text *error)
{
    size_t n = tb_contender_count(), names = 0;
    tb_selectable *items = calloc(n, sizeof *items);
    bool *picked = calloc(n, sizeof *picked), done = items && picked;
    if (!done)
        tb_error_no_memory(error);
    for (size_t i = 0; done && i < n; i++) {
        const tb_contender *c = tb_contender_at(i);
        if (names == 0 || strcmp(items[names - 1].name, c->name) != 0)
            items[names++] = (tb_selectable){c->name, "", true, c->hidden};
    }
    done = done && tb_select(&s->impls, "--impl", items, names, picked, error);
    for (size_t i = 0, at = 0; done && i < n; i++) {
        const tb_contender *c = tb_contender_at(i);
        while (strcmp(items[at].name, c->name) != 0)
            at++;
        bool named = s->api == TB_API_BOTH || c->keyed == (s->api == TB_API_KEY) || !c->impl;
        chosen[i] = (picked[at] && named) || (s->net && strcmp(c->name, "dummy") == 0);
    }
    free(items);
    free(picked);
    return done;
}

static bool add_cells(const tb_measure_settings *s, const tb_workload_list *list, const bool *workloads, const bool *contenders,
                      tb_session *session, tb_error_text *error)
{
    static int64_t usual[] = {1 << 10, 1 << 16, 1 << 20};
    const tb_size_list sizes = s->sizes.count ? s->sizes : (tb_size_list){usual, 3};
    for (size_t w = 0; w < list->count; w++) {
        if (!workloads[w])
            continue;
        if (!tb_workload_prepare(&list->items[w], error))
            return false;
        bool trace = list->items[w].trace != NULL;
        for (size_t i = 0; i < (trace ? 1 : sizes.count); i++)
            for (size_t c = 0; c < tb_contender_count(); c++)
                if (contenders[c] &&
                    !tb_session_add(session, &list->items[w], tb_contender_at(c), trace ? 0 : (uint32_t)sizes.items[i])) {
                    tb_error_no_memory(error);
                    return false;
                }
    }
    return true;
}

/* ---- doing ------------------------------------------------------------------------------------------------------- */

/* How each replay's slops were mapped to lanes, and what went to the precise set. */
static void print_plans(const tb_workload_list *list, const bool *chosen)
{
    for (size_t i = 0; i < list->count; i++)
        if (chosen[i] && list->items[i].trace) {
            printf("%s\n", list->items[i].name);
            tb_replay_plan_print(&list->items[i].trace->plan, stdout, 2);
        }
}

static bool write_document(const json_t *document, tb_output_file *out, tb_error_text *error)
{
    if (json_dumpf(document, tb_output_stream(out), JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0 ||
        fputc('\n', tb_output_stream(out)) == EOF) {
        /* A write error; committing says which. */
    }
    return tb_output_commit(out, error);
}

static int run_session(const tb_measure_settings *s, tb_session *session, tb_output_file *out, tb_error_text *error)
{
    tb_measuring how = {.seed = (uint64_t)s->seed, .repetitions = (int)s->repetitions, .operations = 1 << 18, .limit = 3,
                        .tail_operations = 1 << 16};
    if (s->quick) {
        how.repetitions = s->repetitions < 3 ? how.repetitions : 3;
        how.operations = 1 << 14;
        how.limit = 0.5;
        how.tail_operations = 0;
    }
    bool done = tb_session_run(session, &how, s->budget, isatty(STDERR_FILENO), error);
    tb_table_options table = {s->net, true, how.seed};
    if (done && !tb_table_print(session, &table, stdout)) {
        tb_error_no_memory(error);
        done = false;
    }
    if (!done || (out && !write_document(session->document, out, error))) {
        if (!done)
            tb_output_abandon(out);
        return TB_EXIT_BAD_INPUT;
    }
    for (size_t i = 0; i < session->count; i++)
        if (session->cells[i].state == TB_CELL_WRONG)
            return TB_EXIT_DIFFERENT;
    return TB_EXIT_OK;
}

/* The library's own flags, after `--`. */
static bool initialize_gbench(int rest_count, char **rest, tb_error_text *error)
{
    char **argv = calloc((size_t)rest_count + 2, sizeof *argv);
    int argc = rest_count + 1;
    if (!argv) {
        tb_error_no_memory(error);
        return false;
    }
    argv[0] = (char[]){"timerbench"};
    for (int i = 0; i < rest_count; i++)
        argv[i + 1] = rest[i];
    bool done = tb_gbench_initialize(&argc, argv) == TB_GBENCH_OK && tb_gbench_unrecognized_arguments(argc, argv) == TB_GBENCH_OK;
    if (!done)
        tb_error_set(error, "Google Benchmark: %s", tb_gbench_error_text());
    free(argv);
    return done && tb_environment_add(error);
}

int tb_measure(const char *who, const tb_measure_settings *s, const tb_workload_list *list, int rest_count, char **rest)
{
    tb_error_text error = {{0}};
    tb_session session = {0};
    tb_output_file *out = NULL;
    bool *workloads = calloc(list->count ? list->count : 1, sizeof *workloads);
    bool *contenders = calloc(tb_contender_count(), sizeof *contenders);
    int code = TB_EXIT_BAD_INPUT;
    bool ready = workloads && contenders;
    if (!ready)
        tb_error_no_memory(&error);
    ready = ready && choose_workloads(s, list, workloads, &error) && choose_contenders(s, contenders, &error) &&
            initialize_gbench(rest_count, rest, &error) && add_cells(s, list, workloads, contenders, &session, &error) &&
            (!s->out || (out = tb_output_open(s->out, &error)));
    if (ready) {
        print_plans(list, workloads);
        code = run_session(s, &session, out, &error);
    }
    if (*error.text)
        tb_complain(who, "%s", error.text);
    tb_gbench_shutdown();
    tb_session_free(&session);
    free(workloads);
    free(contenders);
    return code;
}
