/* list.c: `timerbench list`: what there is to choose from. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/calendar_level.h"
#include "bench/command/command.h"
#include "bench/command/options.h"
#include "bench/contender.h"
#include "bench/peers/describe.h"
#include "bench/plugin.h"
#include "bench/text_wrap.h"
#include "bench/trace_file.h"
#include "bench/trace_store.h"
#include "bench/workloads.h"

static void print_pair(int indent, const char *label, const char *text)
{
    int column = printf("%*s%-10s", indent - 10, "", label);
    tb_wrap_text(stdout, text, column, indent);
}

/* ---- implementations --------------------------------------------------------------------------------------------- */

static bool is_listed(const tb_structure *s) { return !(s->traits & TB_YARDSTICK); }

static void impls_table(void)
{
    for (size_t i = 0; i < tb_every_impl_count(); i++) {
        const tb_structure *s = tb_every_impl_at(i)->structure;
        if (!is_listed(s))
            continue;
        printf("%s  (%s, %s, next %s%s)\n", s->name, s->family, s->traits & TB_RELAXED ? "relaxed" : "exact",
               s->traits & TB_NEXT_EXACT ? "exact" : "a lower bound",
               tb_impl_is_raw(tb_every_impl_at(i)) ? ", raw operations" : "");
        print_pair(12, "", s->summary);
        print_pair(12, "from", s->publication);
        print_pair(12, "arm", s->cost_insert);
        print_pair(12, "cancel", s->cost_cancel);
        print_pair(12, "expire", s->cost_expire);
    }
}

static json_t *impls_json(void)
{
    json_t *all = json_array();
    for (size_t i = 0; i < tb_every_impl_count(); i++) {
        const tb_structure *s = tb_every_impl_at(i)->structure;
        if (is_listed(s))
            json_array_append_new(
                all, json_pack("{ss ss ss ss sb sb sb sb sb sb s{ss ss ss}}", "name", s->name, "family", s->family, "summary",
                               s->summary, "publication", s->publication, "relaxed", (s->traits & TB_RELAXED) != 0, "next_exact",
                               (s->traits & TB_NEXT_EXACT) != 0, "cascades", (s->traits & TB_CASCADES) != 0, "insert_o1",
                               (s->traits & TB_INSERT_O1) != 0, "cancel_o1", (s->traits & TB_CANCEL_O1) != 0, "raw",
                               tb_impl_is_raw(tb_every_impl_at(i)), "cost", "insert", s->cost_insert, "cancel", s->cost_cancel,
                               "expire", s->cost_expire));
    }
    return all;
}

/* ---- peers ------------------------------------------------------------------------------------------------------- */

static void peer_of_build(const tb_contender *c)
{
    const tb_peer *peer = c->peer;
    char text[400], marks[TB_PEER_MARKS + 1];
    tb_peer_marks(c, marks);
    printf("%s%s%s%s\n", c->name, *marks ? "  [" : "", marks, *marks ? "]" : "");
    tb_peer_describe(c, text, sizeof text);
    print_pair(12, "", text);
    print_pair(12, "driven by", peer->api);
    if (*peer->limits)
        print_pair(12, "limits", peer->limits);
    if (peer->most) {
        snprintf(text, sizeof text, "%u timers: %s", peer->most, peer->most_why);
        print_pair(12, "at most", text);
    }
}

/* What an absent one is brought by. */
static void absence(const tb_peer_library *library, char *out, size_t size)
{
    if (library->package)
        snprintf(out, size, "not in this build: %s brings it (make deps-peers installs all), then build again", library->package);
    else
        snprintf(out, size, "left out of this build by PEERS=");
}

static void peers_table(void)
{
    for (size_t i = 0; i < tb_contender_count(); i++)
        if (tb_contender_at(i)->peer)
            peer_of_build(tb_contender_at(i));
    for (size_t i = 0; i < tb_peer_library_count(); i++) {
        const tb_peer_library *library = tb_peer_library_at(i);
        char text[160];
        if (library->entries)
            continue;
        absence(library, text, sizeof text);
        printf("%s\n", library->names);
        print_pair(12, "", text);
    }
}

static json_t *peers_json(void)
{
    json_t *all = json_array();
    for (size_t i = 0; i < tb_contender_count(); i++) {
        if (!tb_contender_at(i)->peer)
            continue;
        json_t *peer = tb_peer_json(tb_contender_at(i));
        json_object_set_new(peer, "built", json_true());
        json_array_append_new(all, peer);
    }
    for (size_t i = 0; i < tb_peer_library_count(); i++) {
        const tb_peer_library *library = tb_peer_library_at(i);
        char text[160];
        if (library->entries)
            continue;
        absence(library, text, sizeof text);
        json_array_append_new(all, json_pack("{ss sb ss ss*}", "name", library->names, "built", 0, "reason", text, "package",
                                             library->package));
    }
    return all;
}

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static void workloads_table(const tb_workload_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const tb_workload *w = &list->items[i];
        printf("%s  @%s\n", w->name, w->tags);
        print_pair(12, "", w->summary);
        print_pair(12, "a figure", w->unit);
        print_pair(12, "source", w->source);
    }
}

static json_t *workloads_json(const tb_workload_list *list)
{
    json_t *all = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const tb_workload *w = &list->items[i];
        json_array_append_new(all, json_pack("{ss ss ss ss ss ss}", "name", w->name, "level", tb_workload_level(w), "tags", w->tags,
                                             "summary", w->summary, "unit", w->unit, "source", w->source));
    }
    return all;
}

/* Those of the timers, and behind them those of the calendar's level. */
static bool list_workloads(json_t *all, const tb_workload_list *timers, tb_error_text *error)
{
    tb_workload_list calendar = {0};
    if (!tb_calendar_workloads_load(&calendar, error))
        return false;
    if (all) {
        json_t *both = workloads_json(timers), *more = workloads_json(&calendar);
        json_array_extend(both, more);
        json_decref(more);
        json_object_set_new(all, "workloads", both);
    } else {
        workloads_table(timers);
        workloads_table(&calendar);
    }
    tb_workloads_free(&calendar);
    return true;
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

static bool source_of(const tb_stored_trace *trace, char **source, tb_error_text *error)
{
    tb_trace_reader *reader = tb_trace_open(trace->path, error);
    if (!reader)
        return false;
    *source = strdup(tb_trace_get_header(reader)->source);
    tb_trace_close(reader);
    if (!*source)
        tb_error_no_memory(error);
    return *source != NULL;
}

/* Prints them, or collects them in `all`. */
static bool list_traces(json_t *all, tb_error_text *error)
{
    tb_trace_store store;
    if (!tb_trace_store_open(&store, error))
        return false;
    bool done = true;
    for (size_t i = 0; i < store.count && done; i++) {
        char *source = NULL;
        done = source_of(&store.traces[i], &source, error);
        if (done && all)
            json_array_append_new(all, json_pack("{ss ss ss}", "name", store.traces[i].name, "path", store.traces[i].path, "source",
                                                 source));
        else if (done) {
            printf("%s\n", store.traces[i].name);
            print_pair(12, "", source);
        }
        free(source);
    }
    tb_trace_store_free(&store);
    return done;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {"impls", "peers", "workloads", "traces"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool list_kind(int kind, json_t *all, const tb_workload_list *workloads, tb_error_text *error)
{
    switch (kind) {
    case 0:
        if (all)
            json_object_set_new(all, "impls", impls_json());
        else
            impls_table();
        return true;
    case 1:
        if (all)
            json_object_set_new(all, "peers", peers_json());
        else
            peers_table();
        return true;
    case 2:
        return list_workloads(all, workloads, error);
    default:
        if (all)
            json_object_set_new(all, "traces", json_array());
        return list_traces(json_object_get(all, "traces"), error);
    }
}

static int list_kinds(const char *who, int first, int last, bool json)
{
    tb_error_text error = {{0}};
    tb_workload_list workloads = {0};
    json_t *all = json ? json_object() : NULL;
    bool done = tb_workloads_load(&workloads, &error);
    for (int kind = first; done && kind <= last; kind++) {
        if (!json && first != last)
            printf("%s%s\n%.*s\n", kind > first ? "\n" : "", kinds[kind], (int)strlen(kinds[kind]), "-----------");
        done = list_kind(kind, all, &workloads, &error);
    }
    if (done && json) {
        json_dumpf(all, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(all);
    tb_workloads_free(&workloads);
    return done ? TB_EXIT_OK : tb_complain(who, "%s", error.text);
}

int tb_command_list(int argc, char **argv)
{
    static const char *const formats[] = {"table", "json", NULL};
    int format = 0, code;
    tb_string_list plugins = {0};
    tb_error_text error;
    const tb_option options[] = {
        {.name = "format", .kind = TB_OPTION_CHOICE, .choices = formats, .to.choice = &format, .help = "how (default: table)"},
        {.name = "plugin", .kind = TB_OPTION_STRINGS, .value = "FILE.so", .to.strings = &plugins,
         .help = "implementations of this shared object, too"},
    };
    const tb_option_table table = {
        .command = "timerbench list",
        .about = "Lists what there is: implementations, peer libraries, workloads, recorded traces; all of it, or one kind.\n\n"
                 "Exit code: 0, 2 bad input.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .operands = "[impls|peers|workloads|traces]",
        .max_operands = 1,
    };
    tb_arguments arguments;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    int first = 0, last = KINDS - 1;
    code = TB_EXIT_OK;
    if (arguments.operand_count == 1) {
        for (first = 0; first < KINDS && strcmp(kinds[first], arguments.operands[0]) != 0; first++)
            ;
        last = first;
        if (first == KINDS)
            code = tb_complain(table.command, "'%s': expected impls, peers, workloads or traces", arguments.operands[0]);
    }
    if (code == TB_EXIT_OK && !tb_plugins_load(&plugins, &error))
        code = tb_complain(table.command, "%s", error.text);
    if (code == TB_EXIT_OK)
        code = list_kinds(table.command, first, last, format == 1);
    tb_arguments_free(&arguments);
    tb_string_list_free(&plugins);
    return code;
}
