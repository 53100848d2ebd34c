/* table.c: a block for each workload and way of naming: a row a contender, a column a population, best first. */
#include "bench/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plugin.h"
#include "bench/peers/describe.h"
#include "bench/text_wrap.h"
#include "results/samples.h"

enum { COLUMNS = 3, RESAMPLES = 2000 };

/* The figures of a cell, worked out once. */
typedef struct figure {
    const tb_cell *cell;
    double ns;    /* the median; NAN: none */
    double error; /* half the 95 % interval's width or more, as a part of the median */
    double ratio; /* to the best of its workload, population and api */
    bool best;    /* or what ratios are to */
    bool shown;   /* the ratio */
} figure;

/* A row of a block. */
typedef struct row {
    const tb_contender *contender;
    const figure *at[COLUMNS];
    double mean; /* geometric, of the ratios there are; NAN: none */
    int missing;
} row;

static bool same_race(const tb_cell *a, const tb_cell *b)
{
    return a->workload == b->workload && a->population == b->population && a->contender->keyed == b->contender->keyed;
}

static const figure *dummy_of(const figure *figures, size_t n, const tb_cell *cell)
{
    for (size_t i = 0; i < n; i++)
        if (figures[i].cell->workload == cell->workload && figures[i].cell->population == cell->population &&
            strcmp(figures[i].cell->contender->name, "dummy") == 0)
            return &figures[i];
    return NULL;
}

static bool fill_figures(const tb_session *s, const tb_table_options *options, figure *figures)
{
    for (size_t i = 0; i < s->count; i++) {
        const tb_cell *c = &s->cells[i];
        figures[i] = (figure){c, NAN, NAN, NAN, false, false};
        if (c->state != TB_CELL_MEASURED || c->repetitions == 0)
            continue;
        double *copy = malloc(c->repetitions * sizeof *copy);
        if (!copy)
            return false;
        memcpy(copy, c->ns, c->repetitions * sizeof *copy);
        tb_interval around = tb_bootstrap_median(copy, c->repetitions, 0.95, RESAMPLES, options->seed);
        figures[i].ns = tb_median(copy, c->repetitions);
        figures[i].error = fmax(around.high - figures[i].ns, figures[i].ns - around.low) / figures[i].ns;
        free(copy);
    }
    for (size_t i = 0; i < s->count && options->net; i++) {
        const figure *dummy = dummy_of(figures, s->count, figures[i].cell);
        if (dummy && dummy != &figures[i]) {
            double net = figures[i].ns - dummy->ns;
            figures[i].error *= figures[i].ns / net;
            figures[i].ns = net;
        }
    }
    return true;
}

/* What a cell's ratio is to: the named row, whichever way its timers are named, or the best of the same race that is no
   yardstick. NAN: there is none. */
static double reference(const figure *figures, size_t n, const tb_cell *cell, const char *name)
{
    double best = NAN;
    for (size_t j = 0; j < n; j++) {
        const tb_cell *other = figures[j].cell;
        bool counts = name ? other->workload == cell->workload && other->population == cell->population &&
                                 strcmp(other->contender->name, name) == 0 && (other->contender->keyed == cell->contender->keyed ||
                                                                               !other->contender->impl)
                           : !other->contender->hidden && same_race(cell, other);
        if (counts && figures[j].ns > 0)
            best = fmin(best, figures[j].ns);
    }
    return best;
}

static void rate(figure *figures, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        double to = reference(figures, n, figures[i].cell, name);
        bool hidden = figures[i].cell->contender->hidden;
        figures[i].ratio = figures[i].ns / to;
        figures[i].shown = name || !hidden;
        figures[i].best = figures[i].ns == to && (!hidden || name);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Three digits, and a unit from 10,000 ns on; within `width`. */
static const char *nanos(double ns, char *out, size_t size)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    if (ns < 9999.5) {
        snprintf(out, size, "%.*f", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns);
        return out;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double x = ns / units[i].scale;
        if (x >= 0.9995) {
            snprintf(out, size, "%.*f%s", x < 9.995 ? 1 : 0, x, units[i].unit);
            break;
        }
    }
    return out;
}

/* Two digits and a unit, within four columns. */
static const char *short_nanos(double ns, char *out, size_t size)
{
    static const char units[] = "num";
    int unit = 0;
    while (ns >= 999.5 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    snprintf(out, size, "%.*f%c", ns < 9.95 && unit > 0 ? 1 : 0, ns, unit < 3 ? units[unit] : 's');
    return out;
}

static const char *population(uint32_t n, char *out, size_t size)
{
    char digits[16];
    int length = snprintf(digits, sizeof digits, "%u", n), at = 0;
    for (int i = 0; i < length && (size_t)at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

static void print_cell(const figure *f, FILE *out)
{
    char ns[16], ratio[16];
    if (!f || isnan(f->ns)) {
        fprintf(out, "%16s ", !f ? "" : f->cell->state == TB_CELL_WRONG ? "WRONG" : "--");
        return;
    }
    int percent = (int)ceil(100 * f->error - 1e-9);
    snprintf(ratio, sizeof ratio, f->ratio < 9.995 ? "%.2f" : f->ratio < 99.95 ? "%.1f" : "%.0f", fmin(f->ratio, 9999));
    fprintf(out, "%5s +-%2d%%%c%4s%s", nanos(f->ns, ns, sizeof ns), percent < 99 ? percent : 99, f->cell->unsure ? '?' : ' ',
            f->shown && !isnan(f->ratio) ? ratio : "", f->best ? "*" : " ");
}

static void print_row(const row *r, int columns, FILE *out)
{
    char text[16], name[80];
    const tb_cell *last = NULL;
    snprintf(name, sizeof name, "%s%s", r->contender->name, r->contender->impl && tb_impl_is_raw(r->contender->impl) ? " (raw)" : "");
    if (r->contender->peer) {
        char marks[TB_PEER_MARKS + 1];
        tb_peer_marks(r->contender, marks);
        snprintf(name, sizeof name, *marks ? "%s[%s]" : "%s", r->contender->name, marks);
    }
    fprintf(out, "%-19.19s", name);
    for (int i = 0; i < columns; i++) {
        print_cell(r->at[i], out);
        if (r->at[i] && r->at[i]->cell->state == TB_CELL_MEASURED)
            last = r->at[i]->cell;
    }
    if (last && last->bytes >= 0)
        fprintf(out, "%5.0f", fmin(last->bytes, 99999));
    else
        fprintf(out, "%5s", "");
    if (last && last->tail[3] >= 0)
        fprintf(out, "%5s", short_nanos(last->tail[3], text, sizeof text));
    fputc('\n', out);
}

static void print_reasons(const row *rows, size_t n, int columns, FILE *out)
{
    char text[16];
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < columns; c++)
            if (rows[i].at[c] && *rows[i].at[c]->cell->reason) {
                const tb_cell *cell = rows[i].at[c]->cell;
                fprintf(out, "  %s %s at %s: %s\n", cell->state == TB_CELL_WRONG ? "WRONG" : "--", cell->contender->name,
                        population(cell->population, text, sizeof text), cell->reason);
            }
}

static int by_mean(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->missing != y->missing)
        return x->missing - y->missing;
    return (x->mean > y->mean) - (x->mean < y->mean);
}

static void print_header(const tb_workload *w, bool keyed, const uint32_t *sizes, int columns, FILE *out)
{
    char text[16], title[96], name[TB_WORKLOAD_SHOWN + 1];
    bool timers = w->loop != TB_LOOP_CALENDAR;
    int column = fprintf(out, "\n%s%s:", tb_workload_shown_name(w, name), !timers ? "" : keyed ? " by key" : " by id") - 1;
    fputc(' ', out);
    tb_wrap_text(out, w->summary, column + 1, 2);
    snprintf(title, sizeof title, "ns a %s", w->unit);
    fprintf(out, "%-19.19s", title);
    for (int i = 0; i < columns; i++)
        fprintf(out, "%16s ", population(sizes[i], text, sizeof text));
    fprintf(out, timers ? "%5s%5s\n" : "\n", "B/tm", "max");
}

/* The rows of a workload, by id or by key, at up to COLUMNS populations. */
static bool print_block(const figure *figures, size_t n, const tb_workload *w, bool keyed, const uint32_t *sizes, int columns,
                        FILE *out)
{
    row *rows = calloc(n ? n : 1, sizeof *rows);
    size_t count = 0;
    if (!rows)
        return false;
    for (size_t i = 0; i < n; i++) {
        const tb_cell *c = figures[i].cell;
        if (c->workload != w || c->contender->keyed != keyed)
            continue;
        size_t r = 0;
        while (r < count && rows[r].contender != c->contender)
            r++;
        rows[r].contender = c->contender;
        count += r == count;
        for (int k = 0; k < columns; k++)
            if (sizes[k] == c->population)
                rows[r].at[k] = &figures[i];
    }
    for (size_t r = 0; r < count; r++) {
        double ratios[COLUMNS];
        size_t have = 0;
        for (int k = 0; k < columns; k++)
            if (rows[r].at[k] && !isnan(rows[r].at[k]->ratio))
                ratios[have++] = rows[r].at[k]->ratio;
        rows[r].mean = have ? tb_geometric_mean(ratios, have) : INFINITY;
        rows[r].missing = columns - (int)have;
    }
    qsort(rows, count, sizeof *rows, by_mean);
    if (count > 0) {
        print_header(w, keyed, sizes, columns, out);
        for (size_t r = 0; r < count; r++)
            print_row(&rows[r], columns, out);
        print_reasons(rows, count, columns, out);
    }
    free(rows);
    return true;
}

/* The populations of a workload, ascending, from `above` on; how many, at most COLUMNS. */
static int sizes_above(const tb_session *s, const tb_workload *w, bool keyed, uint32_t above, uint32_t *sizes)
{
    int count = 0;
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (size_t i = 0; i < s->count; i++) {
            const tb_cell *c = &s->cells[i];
            if (c->workload == w && c->contender->keyed == keyed && c->population > above && c->population < best)
                best = c->population;
        }
        if (best == UINT32_MAX || count == COLUMNS)
            return count;
        sizes[count++] = above = best;
    }
}

/* ---- the ranking ------------------------------------------------------------------------------------------------- */

typedef struct standing {
    const char *name;
    double mean[5]; /* over all, by id, by key, steady, traces */
    size_t have, of;
} standing;

static bool counts_for(const tb_cell *c, int column)
{
    bool trace = c->workload->trace != NULL, keyed = c->contender->keyed;
    return column == 0 || (column == 1 && !keyed) || (column == 2 && keyed) || (column == 3 && !trace) || (column == 4 && trace);
}

static int by_standing(const void *a, const void *b)
{
    const standing *x = a, *y = b;
    if ((x->have < x->of) != (y->have < y->of))
        return x->have < x->of ? 1 : -1;
    return (x->mean[0] > y->mean[0]) - (x->mean[0] < y->mean[0]);
}

static void print_standings(standing *all, size_t n, const char *ratio_to, FILE *out)
{
    qsort(all, n, sizeof *all, by_standing);
    if (ratio_to)
        fprintf(out, "\nRanking: geometric mean of the ratios to %s\n", ratio_to);
    else
        fprintf(out, "\nRanking: geometric mean of the ratios to the best (1.00: always the best)\n");
    static const char *const columns[] = {"over all", "by id", "by key", "steady", "traces"};
    bool shown[5] = {true};
    fprintf(out, "%28s", "");
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++)
            shown[k] |= !isnan(all[i].mean[k]);
        if (shown[k])
            fprintf(out, "%9s", columns[k]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%2zu  %-24.24s", i + 1, all[i].name);
        for (int k = 0; k < 5; k++) {
            if (shown[k] && isnan(all[i].mean[k]))
                fprintf(out, "%9s", "--");
            else if (shown[k])
                fprintf(out, "%9.2f", all[i].mean[k]);
        }
        if (all[i].have < all[i].of)
            fprintf(out, "\n    (in %zu of %zu cells; ranked behind those in all)", all[i].have, all[i].of);
        fprintf(out, "\n");
    }
}

static bool print_ranking(const figure *figures, size_t n, const char *ratio_to, FILE *out)
{
    standing *all = calloc(n ? n : 1, sizeof *all);
    double *ratios = malloc((n ? n : 1) * sizeof *ratios);
    size_t count = 0;
    for (size_t i = 0; all && ratios && i < n; i++) {
        const char *name = figures[i].cell->contender->name;
        bool known = figures[i].cell->contender->hidden;
        for (size_t j = 0; j < count; j++)
            known |= strcmp(all[j].name, name) == 0;
        if (known)
            continue;
        standing *s = &all[count++];
        s->name = name;
        for (int k = 0; k < 5; k++) {
            size_t have = 0, of = 0;
            for (size_t j = 0; j < n; j++) {
                if (strcmp(figures[j].cell->contender->name, name) != 0 || !counts_for(figures[j].cell, k))
                    continue;
                of++;
                if (!isnan(figures[j].ratio))
                    ratios[have++] = figures[j].ratio;
            }
            s->mean[k] = have ? tb_geometric_mean(ratios, have) : NAN;
            s->have = k == 0 ? have : s->have;
            s->of = k == 0 ? of : s->of;
        }
    }
    bool memory = all && ratios;
    if (count > 1)
        print_standings(all, count, ratio_to, out);
    free(all);
    free(ratios);
    return memory;
}

/* Each peer's version, and what its marks say, once. */
static void print_peers(const tb_session *s, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        const tb_contender *c = s->cells[i].contender;
        bool known = !c->peer;
        for (size_t j = 0; j < i && !known; j++)
            known = s->cells[j].contender == c;
        if (known)
            continue;
        char text[400], marks[TB_PEER_MARKS + 1];
        if (!any)
            fprintf(out, "\nPeers: version; what the marks behind the names say, as a probe found it\n");
        any = true;
        tb_peer_marks(c, marks);
        tb_peer_describe(c, text, sizeof text);
        int column = fprintf(out, "%s%s%s%s ", c->name, *marks ? "[" : "", marks, *marks ? "]" : "");
        tb_wrap_text(out, text, column, 4);
    }
}

bool tb_table_print(const tb_session *session, const tb_table_options *options, FILE *out)
{
    size_t n = session->count;
    figure *figures = malloc((n ? n : 1) * sizeof *figures);
    bool done = figures && fill_figures(session, options, figures);
    if (done)
        rate(figures, n, options->ratio_to);
    for (size_t i = 0; done && i < n; i++) {
        const tb_workload *w = session->cells[i].workload;
        bool keyed = session->cells[i].contender->keyed, printed = false;
        for (size_t j = 0; j < i; j++)
            printed |= session->cells[j].workload == w && session->cells[j].contender->keyed == keyed;
        uint32_t sizes[COLUMNS], above = 0;
        for (int columns; done && !printed && (columns = sizes_above(session, w, keyed, above, sizes)) > 0;) {
            done = print_block(figures, n, w, keyed, sizes, columns, out);
            above = sizes[columns - 1];
        }
    }
    if (done)
        print_peers(session, out);
    if (done && options->ranking)
        done = print_ranking(figures, n, options->ratio_to, out);
    free(figures);
    return done;
}
