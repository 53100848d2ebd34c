/* comparison_text.c: a comparison as text for a terminal. */
#include "results/comparison.h"

#include <stdarg.h>
#include <stdlib.h>

#include "results/figures.h"
#include "results/plain_text.h"

enum { NAME_INDENT = 2, FIGURE_INDENT = 4 };

/* Prints what `format` says in lines of 80 columns; tb_print_wrapped explains column and indent. false: out of memory. */
__attribute__((format(printf, 4, 5))) static bool wrap(FILE *out, int column, int indent, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    bool done = vasprintf(&text, format, args) >= 0;
    va_end(args);
    if (!done)
        return false;
    tb_print_wrapped(out, text, column, indent);
    free(text);
    return true;
}

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static bool print_origin(const tb_comparison *comparison, int side, FILE *out)
{
    const tb_result *result = comparison->of[side];
    const char *version = result->facts[TB_FACT_VERSION], *revision = result->facts[TB_FACT_REVISION];
    const char *date = result->facts[TB_FACT_DATE];
    fputs(side == TB_BASE ? "BASE  " : "NEW   ", out);
    return wrap(out, 6, 6, "%s%s%s%s%s%s%s%s", result->path, version ? ", timerbench " : "", version ? version : "",
                revision ? " (" : "", revision ? revision : "", revision ? ")" : "", date ? ", " : "", date ? date : "");
}

static bool print_difference(const tb_difference *d, FILE *out)
{
    if (!d->told[TB_BASE] || !d->told[TB_NEW])
        return true;
    int column = fprintf(out, "DIFFERENT %s%s: ", d->machine ? "MACHINE, " : "", d->label);
    return wrap(out, column, NAME_INDENT, "%s in BASE, %s in NEW", d->told[TB_BASE], d->told[TB_NEW]);
}

/* What one document tells, and the other does not: a line for all. */
static bool print_one_sided(const tb_comparison *comparison, int side, FILE *out)
{
    char labels[TB_FACT_COUNT * 32] = "";
    size_t used = 0;
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const tb_difference *d = &comparison->differences[i];
        if (d->told[side] && !d->told[!side] && used < sizeof labels)
            used += (size_t)snprintf(labels + used, sizeof labels - used, "%s%s", used ? ", " : "", d->label);
    }
    return used == 0 || wrap(out, 0, NAME_INDENT, "ONLY %s TELLS %s", side == TB_BASE ? "BASE" : "NEW", labels);
}

static bool print_notes(const tb_comparison *comparison, FILE *out)
{
    size_t unknown = comparison->unknown_floors, stolen = comparison->stolen_count;
    bool done = true;
    if (comparison->options.repeated)
        done = wrap(out, 0, 6, "NOTE: Figures were looked at repeatedly. Intervals and p are those of the look that decided, and "
                               "as strict as keeps errors over all looks at 5 %%.");
    if (done && comparison->by_repetitions > 0)
        done = wrap(out, 0, 6, "NOTE: Repetitions of one process are taken as independent (--unit repetition): how much "
                               "processes differ is in no interval, and verdicts may be wrong for that.");
    if (done && unknown == comparison->cell_count)
        done = wrap(out, 0, 6, "NOTE: Neither file tells a noise floor: the threshold alone decides.");
    else if (done && unknown > 0)
        done = wrap(out, 0, 6, "NOTE: %zu of the cells have no noise floor: the threshold alone decides there.", unknown);
    if (done && stolen > 0)
        done = wrap(out, 0, 6, "NOTE: The hypervisor took CPU time away while %zu cell%s measured, up to %.0f %%.", stolen,
                    stolen == 1 ? " was" : "s were", 100 * comparison->most_stolen);
    return done;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static bool print_cell(const tb_compared *cell, FILE *out)
{
    const tb_judgement *j = &cell->judged;
    tb_time_unit unit = tb_unit_for(j->median[TB_BASE]);
    fprintf(out, "%*s", NAME_INDENT, "");
    tb_print_wrapped(out, cell->cell[TB_BASE]->name, NAME_INDENT, FIGURE_INDENT);
    fprintf(out, "%*s%9s %9s %-2s %8s  %-18s %8s %7s\n", FIGURE_INDENT, "", tb_show_time(j->median[TB_BASE], unit).text,
            tb_show_time(j->median[TB_NEW], unit).text, unit.name, tb_show_ratio(j->ratio).text,
            tb_show_interval(j->interval).text, tb_show_p(j->p_corrected).text, tb_show_percent(j->noise_floor).text);
    if (!j->reason[0])
        return true;
    fprintf(out, "%*s", FIGURE_INDENT, "");
    return wrap(out, FIGURE_INDENT, FIGURE_INDENT, "%s", j->reason);
}

static bool print_cells(const tb_comparison *comparison, FILE *out)
{
    fprintf(out, "\n%*s%9s %9s %-2s %8s  %-18s %8s %7s\n", FIGURE_INDENT, "", "base", "new", "", "ratio",
            tb_interval_title(comparison).text, "p", "floor");
    bool done = true;
    for (size_t i = 0; done && i < comparison->cell_count; i++) {
        tb_verdict verdict = comparison->cells[i].judged.verdict;
        if (i == 0 || verdict != comparison->cells[i - 1].judged.verdict)
            fprintf(out, "%s (%zu)\n", tb_verdict_name(verdict), comparison->verdicts[verdict]);
        done = print_cell(&comparison->cells[i], out);
    }
    return done;
}

static bool print_uncompared(const tb_comparison *comparison, FILE *out)
{
    if (comparison->uncompared_count > 0)
        fprintf(out, "not compared (%zu)\n", comparison->uncompared_count);
    bool done = true;
    for (size_t i = 0; done && i < comparison->uncompared_count; i++) {
        const tb_uncompared *u = &comparison->uncompared[i];
        fprintf(out, "%*s", NAME_INDENT, "");
        done = wrap(out, NAME_INDENT, FIGURE_INDENT, "%s: %s%s%s%s", u->name, u->reason, u->detail ? " (" : "",
                    u->detail ? u->detail : "", u->detail ? ")" : "");
    }
    return done;
}

bool tb_comparison_print_text(const tb_comparison *comparison, FILE *out)
{
    const size_t *count = comparison->verdicts;
    bool done = print_origin(comparison, TB_BASE, out) && print_origin(comparison, TB_NEW, out);
    for (size_t i = 0; done && i < comparison->difference_count; i++)
        done = print_difference(&comparison->differences[i], out);
    done = done && print_one_sided(comparison, TB_BASE, out) && print_one_sided(comparison, TB_NEW, out) &&
           print_notes(comparison, out) && print_cells(comparison, out) && print_uncompared(comparison, out);
    fprintf(out, "\n%zu slower, %zu faster, %zu unsure, %zu same; threshold %g%%", count[TB_SLOWER], count[TB_FASTER],
            count[TB_UNSURE], count[TB_SAME], 100 * comparison->options.how.threshold);
    if (comparison->uncompared_count > 0)
        fprintf(out, "; %zu not compared", comparison->uncompared_count);
    fputc('\n', out);
    return done;
}
