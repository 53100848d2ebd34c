/* check.c: `timerbench check`: the proof that implementations do the same. */
#include "bench/checker.h"
#include "bench/command/command.h"
#include "bench/command/options.h"
#include "bench/isolation.h"
#include "bench/output_file.h"
#include "bench/plugin.h"
#include "bench/selection.h"
#include "bench/trace_store.h"

#include <timerbench/impl.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char who[] = "timerbench check";

enum { BY_ID, BY_KEY, BY_BOTH, default_operations = 1000000, default_time_limit = 10 };

typedef struct {
    tb_string_list impls, plugins;
    int64_t operations; /* 0: not given */
    int64_t seed;
    int api;
    const char *trace, *ops_file;
    double time_limit; /* s; 0: not given */
    bool verbose;
} settings;

/* ---- choosing -------------------------------------------------------------------------------------------------------- */

/* A yardstick is in the registry for `run`, and does nothing right: not even by its name is it worth a check. */
static bool names_no_yardstick(const settings *s, tb_error_text *error)
{
    for (size_t i = 0; i < tb_every_impl_count(); i++) {
        const tb_impl *impl = tb_every_impl_at(i);
        for (size_t e = 0; e < s->impls.count && (impl->structure->traits & TB_YARDSTICK); e++) {
            if (strcmp(s->impls.items[e], tb_impl_name(impl)) != 0)
                continue;
            tb_error_set(error, "--impl '%s': %s is a yardstick, not a timer structure: expected others", tb_impl_name(impl),
                         tb_impl_name(impl));
            return false;
        }
    }
    return true;
}

static bool choose(const settings *s, tb_check *check, tb_error_text *error)
{
    size_t n = tb_every_impl_count();
    tb_selectable *items = calloc(n, sizeof *items);
    bool *chosen = calloc(n, sizeof *chosen);
    check->items = calloc(n, sizeof *check->items);
    bool done = items && chosen && check->items;
    if (!done)
        tb_error_no_memory(error);
    done = done && names_no_yardstick(s, error);
    for (size_t i = 0; done && i < n; i++) {
        const tb_impl *impl = tb_every_impl_at(i);
        items[i] = (tb_selectable){.name = tb_impl_name(impl), .tags = impl->structure->family};
        items[i].in_default = s->plugins.count == 0 || tb_impl_is_plugged(impl);
        items[i].hidden = (impl->structure->traits & TB_YARDSTICK) != 0;
    }
    done = done && tb_select(&s->impls, "--impl", items, n, chosen, error);
    for (size_t i = 0; done && i < n; i++)
        if (chosen[i])
            check->items[check->count++].impl = tb_every_impl_at(i);
    free(items);
    free(chosen);
    return done;
}

static bool options_agree(const settings *s, tb_error_text *error)
{
    if (s->ops_file && s->trace)
        tb_error_set(error, "--ops-file and --trace: expected one of the two");
    else if (s->operations && (s->ops_file || s->trace))
        tb_error_set(error, "--ops with %s: expected it without, as the file is driven whole",
                     s->trace ? "--trace" : "--ops-file");
    else if (s->verbose && !s->ops_file)
        tb_error_set(error, "--verbose: expected with --ops-file only");
    else if (s->time_limit > 0 && s->plugins.count == 0)
        tb_error_set(error, "--time-limit: expected with --plugin only");
    else
        return true;
    return false;
}

/* ---- progress -------------------------------------------------------------------------------------------------------- */

typedef struct {
    time_t begun;
    int shown; /* per cent */
} progress;

static void show_progress(void *ctx, double done)
{
    progress *p = ctx;
    int percent = (int)(done * 100);
    if (percent <= p->shown)
        return;
    p->shown = percent;
    double spent = difftime(time(NULL), p->begun);
    fprintf(stderr, "\r%3d %% checked, %.0f s left \033[K", percent, done > 0 ? spent / done - spent : 0);
}

static void clear_progress(const progress *p)
{
    if (p->shown >= 0)
        fprintf(stderr, "\r\033[K");
}

/* ---- reporting ------------------------------------------------------------------------------------------------------- */

static void print_program(const tb_ops *ops)
{
    tb_ops_write_head(ops, stdout);
    tb_ops_write_range(ops, 0, ops->len, stdout);
}

/* Where the difference shows: the operation, and for a program from a file its line. */
static void print_place(const tb_checked *item)
{
    const tb_ops *ops = &item->reproducer;
    if (ops->len == 0)
        return;
    if (item->difference.at >= ops->len) {
        printf("  at its end, in %s\n", item->origin);
        return;
    }
    char text[TB_OPS_TEXT];
    const tb_operation *op = &ops->items[item->difference.at];
    tb_ops_format(op, text);
    printf("  at: %s\n", text);
    if (op->line)
        printf("  %s:%" PRIu32 "\n", item->origin, op->line);
}

/* How to run a file again. */
static void say_how(const settings *s, const tb_checked *item, const char *path, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "timerbench check");
    for (size_t i = 0; i < s->plugins.count && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, " --plugin %s", s->plugins.items[i]);
    if (at < size)
        snprintf(out + at, size - at, " --impl %s --ops-file %s", tb_impl_name(item->impl), path);
}

/* "./timerbench-check-heap4-1.ops"; false: it could not be written, and the reason is on standard error. */
static bool write_reproducer(const settings *s, const tb_checked *item, uint64_t seed, char *path, size_t size)
{
    snprintf(path, size, "./timerbench-check-%s-%" PRIu64 ".ops", tb_impl_name(item->impl), seed);
    char again[1024], how[1100];
    say_how(s, item, path, again, sizeof again);
    snprintf(how, sizeof how, "run it again: %s", again);
    tb_error_text error;
    tb_output_file *file = tb_output_open(path, &error);
    if (file) {
        tb_check_write_reproducer(item, how, tb_output_stream(file));
        if (tb_output_commit(file, &error))
            return true;
    }
    tb_complain(who, "%s", error.text);
    return false;
}

static void report_difference(const settings *s, const tb_checked *item, uint64_t seed, bool shrunk)
{
    char name[80], path[256], again[1024];
    size_t lines = tb_ops_line_count(&item->reproducer);
    tb_drive_name(item->impl, &item->reproducer, name, sizeof name);
    printf("\n%s %s\n", name, item->difference.text);
    print_place(item);
    if (!shrunk)
        return;
    if (item->reproducer.len == 0 && item->found_length >= TB_BOX_MOST) {
        printf("  found in %s, seed %" PRIu64 ", after more operations than are kept\n", item->origin, seed);
        return;
    }
    printf("  found in %s, seed %" PRIu64 "; shrunk from %zu operations to %zu line%s:\n\n", item->origin, seed,
           item->found_length, lines, lines == 1 ? "" : "s");
    print_program(&item->reproducer);
    if (write_reproducer(s, item, seed, path, sizeof path)) {
        say_how(s, item, path, again, sizeof again);
        printf("\n  written to %s\n  again: %s\n", path, again);
    }
}

static int report(const settings *s, const tb_check *check, bool shrunk)
{
    size_t differ = 0;
    int width = 0;
    for (size_t i = 0; i < check->count; i++) {
        int length = (int)strlen(tb_impl_name(check->items[i].impl));
        width = length > width ? length : width;
        differ += check->items[i].differs;
    }
    for (size_t i = 0; i < check->count; i++) {
        const tb_checked *item = &check->items[i];
        printf("%-*s  %10" PRIu64 " operations in %" PRIu64 " programs: %s\n", width, tb_impl_name(item->impl), item->operations,
               item->programs, item->differs ? "DIFFERS" : "same");
    }
    for (size_t i = 0; i < check->count; i++)
        if (check->items[i].differs)
            report_difference(s, &check->items[i], check->seed, shrunk);
    if (differ == 0)
        printf("all same\n");
    else
        printf("\n%zu of %zu differ\n", differ, check->count);
    return differ ? TB_EXIT_DIFFERENT : TB_EXIT_OK;
}

/* ---- doing ----------------------------------------------------------------------------------------------------------- */

static int complain_end(tb_check_end end, const tb_error_text *error)
{
    if (end == TB_CHECK_BAD_TRACE)
        return tb_complain(who, "%s", error->text);
    return tb_complain(who, "out of memory");
}

/* Does a part of the check: here, or where plugins are loaded in children. */
static tb_check_end do_work(const settings *s, tb_check *check, tb_check_work *work, void *ctx, tb_error_text *error)
{
    if (s->plugins.count == 0)
        return work(check, ctx, error);
    return tb_check_isolated(check, s->time_limit > 0 ? s->time_limit : default_time_limit, work, ctx, error);
}

/* Whether sets of the program's kind were asked for. */
static bool api_fits(const settings *s, const tb_ops *ops)
{
    return s->api == BY_BOTH || (s->api == BY_KEY) == (ops->keys > 0);
}

typedef struct {
    const tb_ops *ops;
    const char *name;
} program_work;

static tb_check_end work_on_program(tb_check *check, void *ctx, tb_error_text *error)
{
    const program_work *w = ctx;
    (void)error;
    return tb_check_program(check, w->ops, w->name);
}

static int check_ops_file(const settings *s, tb_check *check)
{
    tb_error_text error;
    tb_ops ops;
    if (!tb_ops_read(&ops, s->ops_file, &error))
        return tb_complain(who, "%s", error.text);
    int code;
    if (!api_fits(s, &ops)) {
        code = tb_complain(who, "%s: makes a set %s: expected --api %s, or without", s->ops_file,
                           ops.keys ? "with keys" : "with ids", ops.keys ? "key" : "id");
    } else {
        check->transcript = s->verbose ? stdout : NULL;
        check->as_found = true;
        tb_check_end end = do_work(s, check, work_on_program, &(program_work){&ops, s->ops_file}, &error);
        if (end == TB_CHECK_TOO_MANY)
            code = tb_complain(who, "%s:%" PRIu32 ": more than %d timers are due in this call: expected a max=<n>", s->ops_file,
                               ops.items[check->items[0].difference.at].line, TB_DRIVE_MOST_DUE);
        else if (end != TB_CHECK_DONE)
            code = complain_end(end, &error);
        else
            code = report(s, check, false);
    }
    tb_ops_free(&ops);
    return code;
}

typedef struct {
    const tb_replay_plan *plan;
    const char *name;
} replay_work;

static tb_check_end work_on_replay(tb_check *check, void *ctx, tb_error_text *error)
{
    const replay_work *w = ctx;
    (void)error;
    return tb_check_replay(check, w->plan, w->name);
}

static int check_trace(const settings *s, tb_check *check)
{
    tb_error_text error;
    tb_replay_plan plan;
    char *path = tb_trace_locate(s->trace, &error);
    bool read = path && tb_replay_plan_read(&plan, path, NULL, &error);
    free(path);
    if (!read)
        return tb_complain(who, "%s", error.text);
    printf("%s\n", s->trace);
    tb_replay_plan_print(&plan, stdout, 2);
    fflush(stdout);
    tb_check_end end = do_work(s, check, work_on_replay, &(replay_work){&plan, s->trace}, &error);
    tb_replay_plan_free(&plan);
    clear_progress(check->progress_ctx);
    if (end != TB_CHECK_DONE)
        return complain_end(end, &error);
    return report(s, check, true);
}

typedef struct {
    uint64_t operations;
    const char *const *traces;
    size_t trace_count;
} streams_work;

static tb_check_end work_on_streams(tb_check *check, void *ctx, tb_error_text *error)
{
    const streams_work *w = ctx;
    return tb_check_streams(check, w->operations, w->traces, w->trace_count, error);
}

static int check_streams(const settings *s, tb_check *check)
{
    tb_error_text error;
    tb_trace_store store;
    bool traces = tb_trace_store_open(&store, &error);
    if (!traces) {
        if (getenv("TIMERBENCH_TRACES"))
            return tb_complain(who, "%s", error.text);
        printf("no recorded traces among the streams: %s\n", error.text);
    }
    const char **paths = calloc(traces && store.count ? store.count : 1, sizeof *paths);
    for (size_t i = 0; paths && traces && i < store.count; i++)
        paths[i] = store.traces[i].path;
    tb_check_end end = TB_CHECK_NO_MEMORY;
    streams_work work = {(uint64_t)(s->operations ? s->operations : default_operations), paths, traces ? store.count : 0};
    if (paths)
        end = do_work(s, check, work_on_streams, &work, &error);
    free(paths);
    if (traces)
        tb_trace_store_free(&store);
    clear_progress(check->progress_ctx);
    if (end != TB_CHECK_DONE)
        return complain_end(end, &error);
    printf("met on the way, over all implementations:\n");
    tb_coverage_print(&check->coverage, stdout);
    printf("\n");
    return report(s, check, true);
}

static int run(const settings *s)
{
    tb_error_text error;
    progress shown = {time(NULL), -1};
    tb_check check = {.seed = (uint64_t)s->seed, .by_id = s->api != BY_KEY, .by_key = s->api != BY_ID};
    check.progress_ctx = &shown;
    if (isatty(STDERR_FILENO))
        check.progress = show_progress;
    int code;
    bool ready = options_agree(s, &error);
    if (ready && s->plugins.count > 0)
        ready = tb_plugins_load_carefully(&s->plugins, s->time_limit > 0 ? s->time_limit : default_time_limit, &error);
    if (!ready || !choose(s, &check, &error))
        code = tb_complain(who, "%s", error.text);
    else
        code = s->ops_file ? check_ops_file(s, &check) : s->trace ? check_trace(s, &check) : check_streams(s, &check);
    tb_check_free(&check);
    free(check.items);
    return code;
}

int tb_command_check(int argc, char **argv)
{
    static const char *const apis[] = {"id", "key", "both", NULL};
    settings s = {.api = BY_BOTH, .seed = 1};
    const tb_option options[] = {
        {.name = "impl", .kind = TB_OPTION_STRINGS, .to.strings = &s.impls,
         .help = "names, globs and @families of implementations (default: all)"},
        {.name = "plugin", .kind = TB_OPTION_STRINGS, .value = "FILE.so", .to.strings = &s.plugins,
         .help = "check the implementations of this shared object (with --impl: those named), each in a process of its own"},
        {.name = "time-limit", .kind = TB_OPTION_SECONDS, .max = 100000, .to.seconds = &s.time_limit,
         .help = "seconds that an operation of a plugin may take (default: 10)"},
        {.name = "ops", .kind = TB_OPTION_INT, .min = 1, .max = INT64_MAX, .to.integer = &s.operations,
         .help = "operations for each implementation (default: 1000000)"},
        {.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &s.seed,
         .help = "of the random streams (default: 1)"},
        {.name = "api", .kind = TB_OPTION_CHOICE, .choices = apis, .to.choice = &s.api,
         .help = "timers named by id, by key, or both (default: both)"},
        {.name = "trace", .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s.trace,
         .help = "replay this recorded trace, a file or the name of one that comes with timerbench"},
        {.name = "ops-file", .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s.ops_file,
         .help = "do the operations of this file, as a reproducer"},
        {.name = "verbose", .kind = TB_OPTION_FLAG, .to.flag = &s.verbose,
         .help = "with --ops-file: tell what each operation does"},
    };
    const tb_option_table table = {
        .command = who,
        .about = "Drives implementations with the same random, adversarial and recorded streams of operations beside an oracle, "
                 "and demands the same answers, deliveries, order and counters from each. Where one differs the operations are "
                 "shrunk to a few that show it, and written to ./timerbench-check-<impl>-<seed>.ops.\n\n"
                 "Exit code: 0 all same, 1 a difference, 2 bad input.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    tb_arguments arguments;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    tb_arguments_free(&arguments);
    code = run(&s);
    tb_string_list_free(&s.impls);
    tb_string_list_free(&s.plugins);
    return code;
}
