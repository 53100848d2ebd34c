#include "bench/certainty.h"

#include <math.h>
#include <stdlib.h>

#include "bench/text_wrap.h"
#include "results/samples.h"

enum { SHOWN = 10 };

static double floor_of(const tb_sampled_cell *cell) { return isnan(cell->noise_floor) ? -1 : cell->noise_floor; }

static int by_floor(const void *a, const void *b)
{
    double x = floor_of(*(const tb_sampled_cell *const *)a), y = floor_of(*(const tb_sampled_cell *const *)b);
    return (x < y) - (x > y);
}

static int by_width(const void *a, const void *b)
{
    double x = (*(const tb_sampled_cell *const *)a)->width, y = (*(const tb_sampled_cell *const *)b)->width;
    return (x < y) - (x > y);
}

/* cells[0..n): those with a noise floor, the greatest first. */
static bool print_floors(const tb_sampled_cell *const *cells, size_t n, FILE *out)
{
    char text[400];
    double *floors = malloc((n ? n : 1) * sizeof *floors);
    if (!floors)
        return false;
    for (size_t i = 0; i < n; i++)
        floors[i] = cells[i]->noise_floor;
    snprintf(text, sizeof text, "Noise floor (A/A: how far random halves of the processes differ, in 95 of 100 splits): median "
             "%.1f %%, greatest %.1f %%. A difference below it says nothing.", 100 * tb_median(floors, n), 100 * cells[0]->noise_floor);
    free(floors);
    fputc('\n', out);
    tb_wrap_text(out, text, 0, 2);
    for (size_t i = 0; i < n && i < SHOWN; i++)
        fprintf(out, "%7.1f %%  %s\n", 100 * cells[i]->noise_floor, cells[i]->name);
    if (n > SHOWN)
        fprintf(out, "           and %zu more: in the JSON\n", n - SHOWN);
    return true;
}

/* cells[0..n): those that are unsure, the widest first. */
static void print_unsure(const tb_sampled_cell *const *cells, size_t n, FILE *out)
{
    char text[300];
    snprintf(text, sizeof text, "%zu unsure (?): the 95 %% interval reaches further than %.1f %% from the figure. More processes, or "
             "more --budget for them, would narrow it.", n, 100 * TB_WIDE);
    fputc('\n', out);
    tb_wrap_text(out, text, 0, 2);
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        if (isinf(cells[i]->width))
            fprintf(out, "%12s  %s: %zu process%s\n", "", cells[i]->name, cells[i]->count, cells[i]->count == 1 ? "" : "es");
        else
            fprintf(out, "   +-%5.1f %%  %s\n", 100 * cells[i]->width, cells[i]->name);
    }
    if (n > SHOWN)
        fprintf(out, "              and %zu more: in the JSON\n", n - SHOWN);
}

bool tb_certainty_print(const tb_sampled *sampled, FILE *out)
{
    const tb_sampled_cell **cells = malloc((sampled->count ? sampled->count : 1) * sizeof *cells);
    size_t floors = 0, unsure = 0;
    if (!cells)
        return false;
    for (size_t i = 0; i < sampled->count; i++)
        if (!isnan(sampled->cells[i].noise_floor))
            cells[floors++] = &sampled->cells[i];
    qsort(cells, floors, sizeof *cells, by_floor);
    bool done = floors == 0 || print_floors(cells, floors, out);
    for (size_t i = 0; i < sampled->count; i++)
        if (tb_sampled_is_unsure(&sampled->cells[i]))
            cells[unsure++] = &sampled->cells[i];
    qsort(cells, unsure, sizeof *cells, by_width);
    if (unsure > 0)
        print_unsure(cells, unsure, out);
    free(cells);
    return done;
}
