/* loop_level_report.c: what came of the loop's level: tables for a person, a document for programs. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <timerbench/version.h>

#include "bench/environment.h"
#include "bench/loop_level.h"
#include "bench/output_file.h"
#include "bench/text_wrap.h"

static double us(const tb_lateness_cell *cell, double q) { return (double)tb_lateness_quantile(&cell->lateness, q) / 1000; }

static void row(const tb_lateness_cell *cell)
{
    char population[16] = "-", passes[16] = "-";
    if (cell->impl) {
        snprintf(population, sizeof population, "%u", cell->population);
        snprintf(passes, sizeof passes, "%.1f", cell->passes);
    }
    printf("  %-21s %9s", cell->contender, population);
    if (cell->left_out)
        printf(" -- (arming so many takes more than %.3g s)\n", cell->limit);
    else if (cell->wrong)
        printf(" WRONG: %s\n", cell->wrong);
    else
        printf(" %7.0f %7.0f %7.0f %7.0f %6.1f %6s\n", us(cell, 0.5), us(cell, 0.99), us(cell, 0.999), us(cell, 1), cell->cpu_ns / 1000,
               passes);
}

void tb_lateness_table(const tb_lateness_cell *cells, size_t count)
{
    const tb_lateness_workload *last = NULL;
    for (size_t i = 0; i < count; i++) {
        if (cells[i].workload != last) {
            last = cells[i].workload;
            printf("%s%s: ", i ? "\n" : "", last->name);
            tb_wrap_text(stdout, last->summary, (int)strlen(last->name) + 2, 2);
            printf("  %-21s %9s %7s %7s %7s %7s %6s %6s\n", "us late", "idle", "p50", "p99", "p99.9", "max", "CPU us", "passes");
        }
        row(&cells[i]);
    }
    printf("\n");
    tb_wrap_text(stdout, "idle: timers pending meanwhile, an hour off. CPU us: of the thread, a deadline. passes: looks of the loop at "
                         "timers and kernel, a deadline.", 0, 0);
}

/* loop/<workload>/<contender>/<population>; what the system has is at population 0. */
static json_t *benchmark(const tb_lateness_cell *cell, size_t family)
{
    char name[200];
    snprintf(name, sizeof name, "loop/%s/%s/%u", cell->workload->name, cell->contender, cell->population);
    double count = cell->lateness.count ? (double)cell->lateness.count : 1;
    json_t *b = json_pack("{ss si si ss ss si si si sI sf sf ss sf sf sf sf}", "name", name, "family_index", (int)family,
                          "per_family_instance_index", 0, "run_name", name, "run_type", "iteration", "repetitions", 1,
                          "repetition_index", 0, "threads", 1, "iterations", (json_int_t)cell->lateness.count, "real_time",
                          cell->lateness.sum / count, "cpu_time", cell->cpu_ns, "time_unit", "ns", "late_p50_ns", us(cell, 0.5) * 1000,
                          "late_p99_ns", us(cell, 0.99) * 1000, "late_p999_ns", us(cell, 0.999) * 1000, "late_max_ns", us(cell, 1) * 1000);
    if (b && cell->wrong) {
        json_object_set_new(b, "error_occurred", json_true());
        json_object_set_new(b, "error_message", json_sprintf("WRONG: %s", cell->wrong));
    }
    return b;
}

static json_t *context(void)
{
    char host[256] = "", date[64] = "";
    time_t now = time(NULL);
    struct tm local;
    gethostname(host, sizeof host - 1);
    if (localtime_r(&now, &local))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S%z", &local);
    return json_pack("{ss ss sI ss ss ss ss}", "date", date, "host_name", host, "num_cpus", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN),
                     "timerbench_version", TB_VERSION, "timerbench_build", tb_environment_build_type(), "compiler",
                     tb_environment_compiler(), "flags", tb_environment_flags());
}

bool tb_lateness_write(const tb_lateness_cell *cells, size_t count, const tb_loop_level_settings *settings, tb_error_text *error)
{
    json_t *list = json_array(), *document;
    for (size_t i = 0; i < count; i++)
        if (!cells[i].left_out)
            json_array_append_new(list, benchmark(&cells[i], i));
    document = json_pack("{so so s{si ss sI}}", "context", context(), "benchmarks", list, "timerbench_loop", "schema", 1, "measures",
                         "lateness", "seed", (json_int_t)settings->seed);
    tb_output_file *out = document ? tb_output_open(settings->out, error) : NULL;
    bool done = out != NULL;
    if (!document)
        tb_error_no_memory(error);
    if (done) {
        if (json_dumpf(document, tb_output_stream(out), JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0)
            tb_error_no_memory(error); /* a write error is told by committing */
        fputc('\n', tb_output_stream(out));
        done = tb_output_commit(out, error);
    }
    json_decref(document);
    return done;
}
