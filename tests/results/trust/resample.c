/* resample: how often comparisons of a build with itself come to a verdict, from processes that were recorded once.

       timerbench run --processes 400 … --out recorded.json
       make build/tests/results/trust/resample
       build/tests/results/trust/resample recorded.json

   Each comparison takes processes for BASE and others for NEW, works out noise floors, and judges all cells as `timerbench
   compare` does; with --ab as `timerbench ab` does, look by look. docs/trust.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/options.h"
#include "bench/command/verdict_report.h"
#include "results/looks.h"
#include "results/noise_floor.h"
#include "results/random.h"
#include "results/result.h"
#include "results/samples.h"

/* What was recorded: of each cell a figure for each process. */
typedef struct pool {
    size_t cells, processes;
    char **name;
    double **units;
} pool;

typedef struct settings {
    int64_t processes, comparisons, seed;
    const char *threshold, *ratio;
    bool adjacent, ab;
} settings;

/* What came of the comparisons: in how many some cell was slower, faster; and verdicts of cells. */
typedef struct tally {
    size_t slower, faster, cells[TB_VERDICTS];
    double units; /* of each side, added up over cells */
} tally;

static _Noreturn void fail(const char *text, const char *about)
{
    fprintf(stderr, "resample: %s%s\n", about, text);
    exit(2);
}

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count ? count : 1, size);
    if (!room)
        fail("out of memory", "");
    return room;
}

/* ---- the pool ---------------------------------------------------------------------------------------------------- */

static void add_file(pool *p, const char *path)
{
    tb_result result;
    tb_error_text error;
    if (!tb_result_read(path, &result, error.text, sizeof error.text))
        fail(error.text, "");
    size_t more = result.cells[0].process_count;
    if (!p->cells) {
        p->cells = result.cell_count;
        p->name = room_for(p->cells, sizeof *p->name);
        p->units = room_for(p->cells, sizeof *p->units);
    }
    if (result.cell_count != p->cells)
        fail(": other cells than in the file before", path);
    for (size_t c = 0; c < p->cells; c++) {
        tb_result_cell *cell = &result.cells[c];
        if (p->name[c] && strcmp(p->name[c], cell->name) != 0)
            fail(": other cells than in the file before", path);
        if (cell->process_count != more)
            fail(": a process did not measure all cells", path);
        p->name[c] = p->name[c] ? p->name[c] : strdup(cell->name);
        p->units[c] = realloc(p->units[c], (p->processes + more) * sizeof **p->units);
        if (!p->name[c] || !p->units[c])
            fail("out of memory", "");
        for (size_t i = 0; i < more; i++)
            p->units[c][p->processes + i] = tb_median(cell->processes[i].ns, cell->processes[i].count);
    }
    p->processes += more;
    tb_result_free(&result);
}

static void free_pool(pool *p)
{
    for (size_t c = 0; c < p->cells; c++) {
        free(p->name[c]);
        free(p->units[c]);
    }
    free(p->name);
    free(p->units);
}

/* ---- one comparison ---------------------------------------------------------------------------------------------- */

/* Which processes are BASE's and which NEW's, in the order in which they come. */
typedef struct drawing {
    size_t *base, *new_;
    size_t count; /* of each, at most */
    double *a, *b;
} drawing;

/* At random, or as two runs one after the other (with --ab in turn), from a random place on. */
static void draw(const pool *p, const settings *s, drawing *d, uint64_t *random)
{
    size_t *all = room_for(p->processes, sizeof *all), first = tb_results_random(random) % (p->processes - 2 * d->count + 1);
    for (size_t i = 0; i < p->processes; i++)
        all[i] = i;
    for (size_t i = p->processes; !s->adjacent && i > 1; i--) {
        size_t j = tb_results_random(random) % i, other = all[j];
        all[j] = all[i - 1];
        all[i - 1] = other;
    }
    for (size_t i = 0; i < d->count; i++) {
        bool turned = s->ab && i % 2;
        size_t x = s->ab ? 2 * i + turned : i, y = s->ab ? 2 * i + !turned : d->count + i;
        d->base[i] = all[first + x];
        d->new_[i] = all[first + y];
    }
    free(all);
}

/* The cell, from the first n of each. */
static void judge(const pool *p, size_t cell, const drawing *d, size_t n, double ratio, const tb_judging *how, tb_judgement *out)
{
    double floor[2];
    tb_judging own = *how;
    own.seed += cell;
    for (size_t i = 0; i < n; i++) {
        d->a[i] = p->units[cell][d->base[i]];
        d->b[i] = p->units[cell][d->new_[i]] * ratio;
    }
    if (!tb_noise_floor(d->a, n, own.seed, &floor[0]) || !tb_noise_floor(d->b, n, own.seed, &floor[1]) ||
        !tb_judge(out, d->a, n, d->b, n, fmax(floor[0], floor[1]), &own))
        fail("out of memory", "");
}

/* Verdicts as compare gives them, of all that was drawn. */
static void compare(const pool *p, const drawing *d, double ratio, const tb_judging *how, tb_judgement *judged)
{
    for (size_t c = 0; c < p->cells; c++)
        judge(p, c, d, d->count, ratio, how, &judged[c]);
    if (!tb_decide(judged, p->cells, how))
        fail("out of memory", "");
}

/* Verdicts as ab gives them: look by look, until all are clear or there are no more processes. */
static void play(const pool *p, const drawing *d, double ratio, const tb_judging *how, tb_judgement *judged)
{
    tb_judgement *now = room_for(p->cells, sizeof *now);
    size_t open = p->cells;
    for (size_t c = 0; c < p->cells; c++)
        judged[c].verdict = TB_UNSURE;
    for (size_t look = 1; open && tb_look_units(look) <= d->count; look++) {
        tb_judging own = *how;
        own.significance = tb_look_error(look, how->significance);
        own.level = 1 - own.significance;
        for (size_t c = 0; c < p->cells; c++)
            judge(p, c, d, judged[c].verdict == TB_UNSURE ? tb_look_units(look) : judged[c].units[0], ratio, &own, &now[c]);
        if (!tb_decide(now, p->cells, &own))
            fail("out of memory", "");
        for (size_t c = 0; c < p->cells; c++) {
            if (judged[c].verdict != TB_UNSURE)
                continue;
            judged[c] = now[c];
            open -= now[c].verdict != TB_UNSURE;
        }
    }
    free(now);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static tally compare_all(const pool *p, const settings *s, tb_judging how, double ratio)
{
    tally t = {0};
    size_t n = s->ab ? p->processes / 2 : (size_t)s->processes;
    drawing d = {room_for(n, sizeof(size_t)), room_for(n, sizeof(size_t)), n, room_for(n, sizeof(double)), room_for(n, sizeof(double))};
    tb_judgement *judged = room_for(p->cells, sizeof *judged);
    uint64_t random = (uint64_t)s->seed;
    for (int64_t i = 0; i < s->comparisons; i++) {
        bool slower = false, faster = false;
        draw(p, s, &d, &random);
        how.seed = tb_results_random(&random);
        (s->ab ? play : compare)(p, &d, ratio, &how, judged);
        for (size_t c = 0; c < p->cells; c++) {
            slower |= judged[c].verdict == TB_SLOWER;
            faster |= judged[c].verdict == TB_FASTER;
            t.cells[judged[c].verdict]++;
            t.units += (double)judged[c].units[0];
        }
        t.slower += slower;
        t.faster += faster;
    }
    free(judged);
    free(d.base);
    free(d.new_);
    free(d.a);
    free(d.b);
    return t;
}

static void print_tally(const tally *t, const pool *p, const settings *s)
{
    double all = (double)s->comparisons, cells = all * (double)p->cells;
    printf("%s, %s, processes of each: %.1f of %zu recorded, cells: %zu, NEW's times x %s, threshold %s\n", s->ab ? "ab" : "compare",
           s->adjacent ? "neighbours in time" : "drawn at random", t->units / cells, p->processes, p->cells, s->ratio, s->threshold);
    printf("  comparisons: %.0f; with a cell slower: %zu (%.2f %%), faster: %zu (%.2f %%)\n", all, t->slower, 100 * (double)t->slower / all,
           t->faster, 100 * (double)t->faster / all);
    printf("  cells: slower %.2f %%, faster %.2f %%, unsure %.1f %%, same %.1f %%\n", 100 * (double)t->cells[TB_SLOWER] / cells,
           100 * (double)t->cells[TB_FASTER] / cells, 100 * (double)t->cells[TB_UNSURE] / cells, 100 * (double)t->cells[TB_SAME] / cells);
}

int main(int argc, char **argv)
{
    settings s = {.processes = 10, .comparisons = 10000, .seed = 1, .threshold = "5%", .ratio = "1"};
    const tb_option options[] = {
        {.name = "processes", .kind = TB_OPTION_INT, .min = 1, .max = 10000, .to.integer = &s.processes, .help = "of each (default: 10)"},
        {.name = "comparisons", .kind = TB_OPTION_INT, .min = 1, .max = 10000000, .to.integer = &s.comparisons, .help = "(default: 10000)"},
        {.name = "threshold", .kind = TB_OPTION_STRING, .value = "P%", .to.string = &s.threshold, .help = "(default: 5%)"},
        {.name = "ratio", .kind = TB_OPTION_STRING, .value = "R", .to.string = &s.ratio,
         .help = "NEW's figures times R: what is found of a slow-down by that (default: 1)"},
        {.name = "adjacent", .kind = TB_OPTION_FLAG, .to.flag = &s.adjacent,
         .help = "processes as they followed each other, so that drifts show, and not drawn at random"},
        {.name = "ab", .kind = TB_OPTION_FLAG, .to.flag = &s.ab, .help = "as ab does, with as many processes as there are"},
        {.name = "seed", .kind = TB_OPTION_INT, .min = 0, .max = INT64_MAX, .to.integer = &s.seed, .help = "(default: 1)"},
    };
    const tb_option_table table = {.command = "resample", .about = "Resamples comparisons of a build with itself. docs/trust.md.",
                                   .options = options, .option_count = sizeof options / sizeof *options, .operands = "RESULT.json...",
                                   .min_operands = 1};
    tb_arguments arguments;
    tb_error_text error;
    tb_judging how = tb_judging_defaults();
    pool p = {0};
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    char *end;
    double ratio = strtod(s.ratio, &end);
    if (*end || !(ratio > 0))
        fail(": expected a number greater than 0", "--ratio");
    if (!tb_verdict_read_threshold(s.threshold, &how.threshold, &error))
        fail(error.text, "");
    for (int i = 0; i < arguments.operand_count; i++)
        add_file(&p, arguments.operands[i]);
    if (!s.ab && 2 * (size_t)s.processes > p.processes)
        fail("fewer processes were recorded than two samples take", "");
    tally t = compare_all(&p, &s, how, ratio);
    print_tally(&t, &p, &s);
    free_pool(&p);
    tb_arguments_free(&arguments);
    return 0;
}
