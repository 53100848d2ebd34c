/* trace_stat.c: `timerbench trace stat`: recorded traces in numbers, as a table or as JSON. */
#include "bench/command/trace_stat.h"

#include "bench/command/options.h"
#include "bench/text_wrap.h"
#include "bench/trace_figures.h"
#include "bench/trace_store.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One trace; `reader` is kept for its header. */
typedef struct {
    const char *name;
    tb_trace_reader *reader;
    tb_trace_figures figures;
} described;

static bool describe(described *d, const char *name, tb_error_text *error)
{
    d->name = name;
    char *path = tb_trace_locate(name, error);
    d->reader = path ? tb_trace_open(path, error) : NULL;
    free(path);
    return d->reader && tb_trace_measure(d->reader, &d->figures, error);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static uint64_t sets(const tb_trace_figures *f)
{
    return f->arms + f->rearms;
}

static double seconds(const tb_trace_figures *f)
{
    return (double)f->duration / 1e9;
}

static double per_second(const tb_trace_figures *f)
{
    return f->duration > 0 ? (double)f->events / seconds(f) : 0;
}

/* ---- table ------------------------------------------------------------------------------------------------------- */

/* A duration in the unit that keeps it short: "50 us", "0.541 ms", "4.2 s". */
static const char *show_nanos(int64_t ns, char out[40])
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    double magnitude = ns < 0 ? -(double)ns : (double)ns;
    size_t i = 0;
    while (i < 3 && magnitude < units[i].size)
        i++;
    snprintf(out, 40, "%.5g %s", (double)ns / units[i].size, units[i].name);
    return out;
}

static void label(const char *name)
{
    printf("  %-12s", name);
}

enum { value_column = 14 };

static void print_text(const char *name, const char *text)
{
    label(name);
    tb_wrap_text(stdout, text, value_column, value_column);
}

static void print_operation(const char *name, uint64_t count, const tb_trace_figures *f, bool of_arms)
{
    label(name);
    printf("%10" PRIu64 "  %5.1f %% of events", count, 100 * share(count, f->events));
    if (of_arms)
        printf(", %5.1f %% of arms", 100 * share(count, f->arms));
    printf("\n");
}

static void print_operations(const tb_trace_figures *f)
{
    print_operation("arm", f->arms, f, false);
    print_operation("rearm", f->rearms, f, true);
    print_operation("cancel", f->cancels, f, true);
    print_operation("fired", f->fired, f, true);
}

static void print_lateness(const tb_trace_figures *f)
{
    char p50[40], p99[40], max[40];
    label("lateness");
    if (f->any_late)
        printf("p50 %s, p99 %s, max %s; %" PRIu64 " fired early\n", show_nanos(f->late_p50, p50),
               show_nanos(f->late_p99, p99), show_nanos(f->late_max, max), f->early);
    else
        printf("nothing fired\n");
}

static void print_lengths(const tb_trace_figures *f)
{
    for (size_t i = 0; i < TB_TRACE_BUCKETS; i++) {
        label(i ? "" : "lengths");
        printf("%-8s %10" PRIu64 "  %5.1f %%\n", tb_trace_bucket_names[i], f->lengths[i],
               100 * share(f->lengths[i], sets(f)));
    }
}

static void print_slops(const tb_trace_figures *f)
{
    label("slop");
    if (f->with_slop == 0) {
        printf("none\n");
        return;
    }
    printf("on %" PRIu64 " (%.1f %%), %" PRIu64 " different; most frequent:\n", f->with_slop,
           100 * share(f->with_slop, sets(f)), f->slop_values);
    for (size_t i = 0; i < f->top_slop_count; i++) {
        char text[40];
        label("");
        printf("%-12s %6" PRIu64 "  %5.1f %%\n", show_nanos(f->top_slops[i].slop, text), f->top_slops[i].sets,
               100 * share(f->top_slops[i].sets, sets(f)));
    }
}

/* Notes begin with "note:" in the file; the row is called so already. */
static const char *without_prefix(const char *note)
{
    static const char prefix[] = "note:";
    if (strncmp(note, prefix, sizeof prefix - 1) != 0)
        return note;
    note += sizeof prefix - 1;
    return note + strspn(note, " \t");
}

static void print_table(const described *d)
{
    const tb_trace_figures *f = &d->figures;
    const tb_trace_header *header = tb_trace_get_header(d->reader);
    tb_wrap_text(stdout, d->name, 0, 2);
    print_text("source", header->source);
    print_text("clock", header->clock);
    for (size_t i = 0; i < header->note_count; i++)
        print_text(i ? "" : "notes", without_prefix(header->notes[i]));
    label("events");
    printf("%" PRIu64 " in %.3f s, %.0f a second\n", f->events, seconds(f), per_second(f));
    label("keys");
    printf("%" PRIu64 "\n", f->keys);
    label("pending");
    printf("at most %" PRIu64 ", mean %.1f, %" PRIu64 " left at the end\n", f->max_pending, f->mean_pending,
           f->left_pending);
    print_operations(f);
    print_lateness(f);
    label("deadlines");
    printf("%" PRIu64 " not in the future (%.1f %%); %" PRIu64 " precise (%.1f %%)\n", f->not_in_future,
           100 * share(f->not_in_future, sets(f)), f->precise, 100 * share(f->precise, sets(f)));
    print_lengths(f);
    print_slops(f);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* A file's name need not be UTF-8, but JSON must be. */
static json_t *json_name(const char *name)
{
    json_t *json = json_string(name);
    if (json)
        return json;
    char *copy = strdup(name);
    if (!copy)
        return NULL;
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    json = json_string(copy);
    free(copy);
    return json;
}

static json_t *json_header(const tb_trace_header *header)
{
    json_t *notes = json_array();
    for (size_t i = 0; notes && i < header->note_count; i++)
        json_array_append_new(notes, json_string(header->notes[i]));
    return json_pack("{s:s, s:s, s:o}", "source", header->source, "clock", header->clock, "notes", notes);
}

static json_t *json_lateness(const tb_trace_figures *f)
{
    if (!f->any_late)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "p50", (json_int_t)f->late_p50, "p99", (json_int_t)f->late_p99, "max",
                     (json_int_t)f->late_max);
}

static json_t *json_lengths(const tb_trace_figures *f)
{
    json_t *lengths = json_object();
    for (size_t i = 0; lengths && i < TB_TRACE_BUCKETS; i++)
        json_object_set_new(lengths, tb_trace_bucket_names[i], json_integer((json_int_t)f->lengths[i]));
    return lengths;
}

static json_t *json_slops(const tb_trace_figures *f)
{
    json_t *slops = json_array();
    for (size_t i = 0; slops && i < f->top_slop_count; i++)
        json_array_append_new(slops, json_pack("{s:I, s:I}", "ns", (json_int_t)f->top_slops[i].slop, "sets",
                                               (json_int_t)f->top_slops[i].sets));
    return slops;
}

static json_t *json_trace(const described *d)
{
    const tb_trace_figures *f = &d->figures;
    return json_pack(
        "{s:o, s:o, s:I, s:f, s:f, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:o, s:I, s:I, s:f, s:o, "
        "s:I, s:I, s:o}",
        "file", json_name(d->name), "header", json_header(tb_trace_get_header(d->reader)), "events",
        (json_int_t)f->events, "seconds", seconds(f), "events_per_second", per_second(f), "keys", (json_int_t)f->keys,
        "max_pending", (json_int_t)f->max_pending, "mean_pending", f->mean_pending, "left_pending",
        (json_int_t)f->left_pending, "arm", (json_int_t)f->arms, "rearm", (json_int_t)f->rearms, "cancel",
        (json_int_t)f->cancels, "fired", (json_int_t)f->fired, "rearm_per_arm", share(f->rearms, f->arms),
        "cancel_per_arm", share(f->cancels, f->arms), "fired_per_arm", share(f->fired, f->arms), "fired_early",
        (json_int_t)f->early, "lateness_ns", json_lateness(f), "not_in_future", (json_int_t)f->not_in_future, "precise",
        (json_int_t)f->precise, "precise_share", share(f->precise, sets(f)), "lengths", json_lengths(f), "with_slop",
        (json_int_t)f->with_slop, "different_slops", (json_int_t)f->slop_values, "slops", json_slops(f));
}

static bool print_json(const described *traces, int count)
{
    json_t *list = json_array();
    bool complete = list != NULL;
    for (int i = 0; i < count && complete; i++)
        complete = json_array_append_new(list, json_trace(&traces[i])) == 0;
    json_t *root = json_pack("{s:s, s:i, s:o}", "format", "timerbench-trace-stat", "version", 1, "traces", list);
    if (!root || !complete) {
        json_decref(root);
        return false;
    }
    /* A write error stays in stdout's state, which main looks at. */
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    printf("\n");
    json_decref(root);
    return true;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

enum { as_table, as_json };

/* All traces are read before anything is printed, so that a bad one leaves no half of an answer. */
static int stat_files(const char *who, char **names, int count, int format)
{
    described *traces = calloc((size_t)count, sizeof *traces);
    if (!traces)
        return tb_complain(who, "out of memory");
    int code = TB_EXIT_OK;
    for (int i = 0; i < count; i++) {
        tb_error_text error;
        if (!describe(&traces[i], names[i], &error))
            code = tb_complain(who, "%s", error.text);
    }
    if (code == TB_EXIT_OK && format == as_json && !print_json(traces, count))
        code = tb_complain(who, "out of memory");
    for (int i = 0; i < count; i++) {
        if (code == TB_EXIT_OK && format == as_table) {
            printf("%s", i ? "\n" : "");
            print_table(&traces[i]);
        }
        tb_trace_close(traces[i].reader);
    }
    free(traces);
    return code;
}

int tb_command_trace_stat(int argc, char **argv)
{
    static const char *const formats[] = {[as_table] = "table", [as_json] = "json", NULL};
    int format = as_table;
    const tb_option options[] = {
        {.name = "format",
         .kind = TB_OPTION_CHOICE,
         .choices = formats,
         .to.choice = &format,
         .help = "how to print (default: table); docs/traces.md describes the JSON"},
    };
    const tb_option_table table = {
        .command = "timerbench trace stat",
        .about = "Describes recorded traces: how many timers of which lengths, how many of them are cancelled, rearmed "
                 "or fire, and how late.\n\n"
                 "FILE is a .trace or .trace.xz file or the name of a trace that comes with timerbench.\n\n"
                 "Exit code: 0, or 2 when one is unreadable, malformed or inconsistent; then nothing is printed but a "
                 "line for each bad one, on standard error.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .operands = "FILE...",
        .min_operands = 1,
    };
    tb_arguments arguments;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    code = stat_files(table.command, arguments.operands, arguments.operand_count, format);
    tb_arguments_free(&arguments);
    return code;
}
