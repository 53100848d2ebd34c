/* gate.c: `timerbench gate`: instruction counts beside those of a reference, for an exit code that no noise can change. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/command.h"
#include "bench/command/options.h"
#include "bench/environment.h"
#include "bench/gate_verdict.h"
#include "bench/gate_workers.h"
#include "bench/output_file.h"
#include "bench/selection.h"
#include "bench/stopwatch.h"

enum { MOST_TOLD = 12 };
static const char usual_reference[] = "results/reference/instructions.json";

typedef struct {
    const char *reference;
    tb_string_list impls, workloads;
    int64_t jobs;
    bool update, strict, all, other_build;
} settings;

typedef struct {
    const settings *how;
    tb_gate_cells cells;
    bool *chosen;
    bool whole; /* all cells are chosen */
    tb_gate_build build;
    tb_gate_reference reference;
    tb_error_text error;
} gate;

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static const char *workload_of(const tb_gate_cell *cell) { return cell->workload->name; }
static const char *contender_of(const tb_gate_cell *cell) { return cell->contender->name; }

/* Takes from the choice the cells whose part, as `of` has it, the list does not pick. */
static bool narrow(gate *g, const tb_string_list *wanted, const char *option, const char *(*of)(const tb_gate_cell *))
{
    size_t names = 0;
    tb_selectable *items = calloc(g->cells.count, sizeof *items);
    bool *picked = calloc(g->cells.count, sizeof *picked), done = items && picked;
    if (!done)
        tb_error_no_memory(&g->error);
    for (size_t i = 0; done && i < g->cells.count; i++) {
        size_t at = 0;
        while (at < names && strcmp(items[at].name, of(&g->cells.items[i])) != 0)
            at++;
        if (at == names)
            items[names++] = (tb_selectable){of(&g->cells.items[i]), "steady", true, false};
    }
    done = done && tb_select(wanted, option, items, names, picked, &g->error);
    for (size_t i = 0; done && i < g->cells.count; i++)
        for (size_t at = 0; at < names; at++)
            if (!picked[at] && strcmp(items[at].name, of(&g->cells.items[i])) == 0)
                g->chosen[i] = false;
    free(items);
    free(picked);
    return done;
}

static bool choose(gate *g)
{
    const settings *s = g->how;
    if (s->update && s->other_build) {
        tb_error_set(&g->error, "--update and --allow-different-build: expected only one of them");
        return false;
    }
    g->whole = s->impls.count == 0 && s->workloads.count == 0;
    if (!tb_gate_cells_make(&g->cells, &g->error))
        return false;
    *g->error.text = 0; /* of the traces, which may be missing here */
    g->chosen = calloc(g->cells.count, sizeof *g->chosen);
    if (!g->chosen) {
        tb_error_no_memory(&g->error);
        return false;
    }
    for (size_t i = 0; i < g->cells.count; i++)
        g->chosen[i] = true;
    return narrow(g, &s->impls, "--impl", contender_of) && narrow(g, &s->workloads, "--workload", workload_of);
}

/* ---- the build --------------------------------------------------------------------------------------------------- */

static bool know_build(gate *g)
{
    char valgrind[64];
    if (strcmp(tb_environment_build_type(), "release") != 0) {
        tb_error_set(&g->error, "this is a debug or sanitizer build, whose instructions are not those of a release: expected one "
                     "that `make` builds without SAN and CONFIG");
        return false;
    }
    if (!tb_gate_valgrind(valgrind, sizeof valgrind, &g->error))
        return false;
    if (tb_gate_build_make(&g->build, valgrind))
        return true;
    tb_error_no_memory(&g->error);
    return false;
}

/* Counts of another build say nothing of a change: that is told at once, and is neither "more" nor "same". */
static bool same_build(gate *g)
{
    int differ = 0, first = 0;
    for (int i = TB_GATE_FACTS - 1; i >= 0; i--)
        if (strcmp(tb_gate_fact(&g->reference.build, i), tb_gate_fact(&g->build, i)) != 0) {
            differ++;
            first = i;
        }
    if (differ == 0)
        return true;
    printf("THE REFERENCE IS OF ANOTHER BUILD:\n");
    for (int i = 0; i < TB_GATE_FACTS; i++) {
        const char *then = tb_gate_fact(&g->reference.build, i), *now = tb_gate_fact(&g->build, i);
        if (strcmp(then, now) != 0)
            printf("  %-12s  reference: %s\n%16shere:      %s\n", tb_gate_fact_name(i), then, "", now);
    }
    if (g->how->other_build) {
        printf("What follows may come from that, and not from a change of the code.\n\n");
        return true;
    }
    printf("\n");
    tb_error_set(&g->error, "%s is of another %s (%s, here %s): take a new one with --update, or compare all the same with "
                 "--allow-different-build", g->how->reference, tb_gate_fact_name(first),
                 tb_gate_fact(&g->reference.build, first), tb_gate_fact(&g->build, first));
    return false;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

static void print_end(const gate *g, const tb_gate_verdict *v, double seconds)
{
    printf("%zu cells: %zu cost more, %zu cost less, %zu the same", v->count, v->states[TB_GATE_MORE], v->states[TB_GATE_LESS],
           v->states[TB_GATE_SAME]);
    if (v->states[TB_GATE_NEW] + v->states[TB_GATE_MISSING] > 0)
        printf(", %zu new, %zu missing", v->states[TB_GATE_NEW], v->states[TB_GATE_MISSING]);
    printf("; limit 1 %%; %.0f s\n", seconds);
    if (v->states[TB_GATE_SAME] < v->count) {
        bool usual = strcmp(g->how->reference, usual_reference) == 0;
        printf("To make these counts the reference:\n    timerbench gate --update%s%s\n", usual ? "" : " --reference ",
               usual ? "" : g->how->reference);
    }
    printf("Counted are instructions, and misses of simulated caches. What becomes slower by\n"
           "real cache misses, mispredicted branches or the clock's frequency isn't in it.\n");
}

static int compare(gate *g, double seconds)
{
    tb_gate_verdict v;
    if (!tb_gate_judge(&g->cells, g->chosen, g->whole, &g->reference, &v)) {
        tb_error_no_memory(&g->error);
        return TB_EXIT_BAD_INPUT;
    }
    tb_gate_print(&v, g->how->all ? v.count : MOST_TOLD, stdout);
    print_end(g, &v, seconds);
    bool bad = v.states[TB_GATE_MORE] > 0 || v.states[TB_GATE_MISSING] > 0 ||
               (g->how->strict && v.states[TB_GATE_LESS] + v.states[TB_GATE_NEW] > 0);
    tb_gate_verdict_free(&v);
    return bad ? TB_EXIT_DIFFERENT : TB_EXIT_OK;
}

static bool count(gate *g, double *seconds)
{
    int64_t begin = tb_stopwatch_ns();
    bool done = tb_gate_run(&g->cells, g->chosen, (int)g->how->jobs, isatty(STDERR_FILENO) == 1, &g->error);
    *seconds = (double)(tb_stopwatch_ns() - begin) * 1e-9;
    return done;
}

/* The file is opened before anything is counted: minutes of work must not end at a folder that is not there. */
static int update(gate *g)
{
    double seconds;
    size_t problems = 0, counted = 0;
    if (!g->whole && access(g->how->reference, F_OK) == 0 &&
        !(tb_gate_reference_read(g->how->reference, &g->reference, &g->error) && same_build(g)))
        return TB_EXIT_BAD_INPUT;
    tb_output_file *file = tb_output_open(g->how->reference, &g->error);
    if (!file)
        return TB_EXIT_BAD_INPUT;
    bool done = count(g, &seconds);
    for (size_t i = 0; done && i < g->cells.count; i++) {
        counted += g->cells.items[i].operations > 0;
        if (g->cells.items[i].problem) {
            fprintf(stderr, "%s: %s\n", g->cells.items[i].name, g->cells.items[i].problem);
            problems++;
        }
    }
    if (done && counted == 0) {
        tb_error_set(&g->error, "nothing could be counted");
        done = false;
    }
    if (done && !tb_gate_reference_write(&g->cells, g->chosen, &g->reference, &g->build, tb_output_stream(file))) {
        tb_error_no_memory(&g->error);
        done = false;
    }
    if (!done) {
        tb_output_abandon(file);
        return TB_EXIT_BAD_INPUT;
    }
    if (!tb_output_commit(file, &g->error))
        return TB_EXIT_BAD_INPUT;
    printf("%zu cells counted in %.0f s: %s\n", counted, seconds, g->how->reference);
    return problems ? TB_EXIT_DIFFERENT : TB_EXIT_OK;
}

static int run_gate(const char *who, const settings *s)
{
    gate g = {.how = s};
    double seconds = 0;
    int code = TB_EXIT_BAD_INPUT;
    if (choose(&g) && know_build(&g)) {
        if (s->update)
            code = update(&g);
        else if (tb_gate_reference_read(s->reference, &g.reference, &g.error) && same_build(&g) && count(&g, &seconds))
            code = compare(&g, seconds);
    }
    if (*g.error.text)
        tb_complain(who, "%s", g.error.text);
    tb_gate_reference_free(&g.reference);
    tb_gate_build_free(&g.build);
    tb_gate_cells_free(&g.cells);
    free(g.chosen);
    return code;
}

static int64_t usable_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int tb_command_gate(int argc, char **argv)
{
    settings s = {.reference = usual_reference, .jobs = usable_cpus()};
    const tb_option options[] = {
        {.name = "update", .kind = TB_OPTION_FLAG, .to.flag = &s.update,
         .help = "write these counts to the reference: with --impl or --workload of those alone, and "
                 "leave the others as they are"},
        {.name = "reference", .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s.reference,
         .help = "the counts to compare with (default: results/reference/instructions.json)"},
        {.name = "impl", .kind = TB_OPTION_STRINGS, .to.strings = &s.impls,
         .help = "names and globs of implementations (default: all)"},
        {.name = "workload", .kind = TB_OPTION_STRINGS, .to.strings = &s.workloads,
         .help = "names and globs of steady workloads (default: all)"},
        {.name = "strict", .kind = TB_OPTION_FLAG, .to.flag = &s.strict,
         .help = "exit code 1 also when something costs less, or is not in the reference"},
        {.name = "allow-different-build", .kind = TB_OPTION_FLAG, .to.flag = &s.other_build,
         .help = "compare although compiler, flags, libraries or valgrind are others than the reference's"},
        {.name = "all", .kind = TB_OPTION_FLAG, .to.flag = &s.all,
         .help = "tell of every cell that moved, not only the first dozen"},
        {.name = "jobs", .letter = 'j', .kind = TB_OPTION_INT, .min = 1, .max = 64, .to.integer = &s.jobs,
         .help = "processes at a time (default: one for each CPU)"},
    };
    const tb_option_table table = {
        .command = "timerbench gate",
        .about = "Counts the instructions of every implementation at every steady workload, and the misses of simulated "
                 "caches, under valgrind's callgrind, and compares them with a reference file. The counts are the same each "
                 "time, on a busy machine, too: what moved by more than 1 % was moved by the code, and the functions are named."
                 "\n\n"
                 "What becomes slower by real cache misses, mispredicted branches or the clock's frequency isn't in it. A "
                 "reference of another compiler, other flags or another valgrind is refused: it would tell of these.\n\n"
                 "Exit code: 0 nothing costs more, 1 something does (or is WRONG, or gone), 2 bad input.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    tb_arguments arguments;
    int code;
    if (argc == 2 && strcmp(argv[1], "--counting") == 0)
        return tb_gate_counting();
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    code = run_gate(table.command, &s);
    tb_string_list_free(&s.impls);
    tb_string_list_free(&s.workloads);
    tb_arguments_free(&arguments);
    return code;
}
