/* comparison_markdown.c: a comparison as GitHub-flavoured Markdown, for a comment on a pull request. */
#include "results/comparison.h"

#include <string.h>

#include "results/figures.h"

/* Text as code: the fence is longer than any run of backticks in it, and in a table a bar, which would end the cell, is escaped
   (GitHub Flavored Markdown, sections 6.3 and 4.10). */
static void print_code(const char *text, bool in_table, FILE *out)
{
    size_t longest = 0, run = 0;
    for (const char *p = text; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    bool pad = longest > 0;
    for (size_t i = 0; i <= longest; i++)
        fputc('`', out);
    fputs(pad ? " " : "", out);
    for (const char *p = text; *p; p++) {
        if (*p == '|' && in_table)
            fputc('\\', out);
        fputc(*p, out);
    }
    fputs(pad ? " " : "", out);
    for (size_t i = 0; i <= longest; i++)
        fputc('`', out);
}

static void print_header(const tb_comparison *comparison, FILE *out)
{
    const size_t *count = comparison->verdicts;
    fprintf(out, "### timerbench compare: %zu slower, %zu faster, %zu unsure, %zu same\n\n", count[TB_SLOWER], count[TB_FASTER],
            count[TB_UNSURE], count[TB_SAME]);
    for (int side = 0; side < TB_SIDES; side++) {
        const tb_result *result = comparison->of[side];
        static const tb_result_fact told[] = {TB_FACT_VERSION, TB_FACT_REVISION, TB_FACT_DATE};
        fprintf(out, "- %s: ", side == TB_BASE ? "base" : "new");
        print_code(result->path, false, out);
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            if (result->facts[told[i]]) {
                fprintf(out, ", %s ", tb_fact_label(told[i]));
                print_code(result->facts[told[i]], false, out);
            }
        fputc('\n', out);
    }
    fprintf(out, "- threshold: %g%%\n", 100 * comparison->options.how.threshold);
    if (comparison->options.repeated)
        fputs("- figures were looked at repeatedly; intervals and p are as strict as keeps errors over all looks at 5 %\n", out);
    if (comparison->by_repetitions > 0)
        fputs("- **repetitions of one process are taken as independent**: how much processes differ is in no interval\n", out);
    if (comparison->unknown_floors > 0)
        fprintf(out, "- %zu of the cells have no noise floor: the threshold alone decides there\n", comparison->unknown_floors);
    if (comparison->stolen_count > 0)
        fprintf(out, "- the hypervisor took CPU time away while %zu of the cells were measured, up to %.0f %%\n",
                comparison->stolen_count, 100 * comparison->most_stolen);
}

static void print_differences(const tb_comparison *comparison, FILE *out)
{
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const tb_difference *d = &comparison->differences[i];
        fprintf(out, "%s> **Different %s%s**: ", i ? ">\n" : "\n", d->machine ? "machine, " : "", d->label);
        for (int side = 0; side < TB_SIDES; side++) {
            fprintf(out, "%s%s ", side ? ", " : "", side == TB_BASE ? "base" : "new");
            if (d->told[side])
                print_code(d->told[side], false, out);
            else
                fputs("does not tell", out);
        }
        fputc('\n', out);
    }
}

static void print_rows(const tb_comparison *comparison, bool same, FILE *out)
{
    fprintf(out, "| verdict | cell | base | new | ratio | %s | p | noise floor |\n|---|---|--:|--:|--:|---|--:|--:|\n",
            tb_interval_title(comparison).text);
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const tb_judgement *j = &comparison->cells[i].judged;
        if ((j->verdict == TB_SAME) != same)
            continue;
        tb_time_unit unit = tb_unit_for(j->median[TB_BASE]);
        const char *strong = j->verdict == TB_SLOWER || j->verdict == TB_FASTER ? "**" : "";
        fprintf(out, "| %s%s%s | ", strong, tb_verdict_name(j->verdict), strong);
        print_code(comparison->cells[i].cell[TB_BASE]->name, true, out);
        fprintf(out, "%s%s | %s %s | %s %s | %s | %s | %s | %s |\n", j->reason[0] ? "<br>" : "", j->reason,
                tb_show_time(j->median[TB_BASE], unit).text, unit.name, tb_show_time(j->median[TB_NEW], unit).text, unit.name,
                tb_show_ratio(j->ratio).text, tb_show_interval(j->interval).text, tb_show_p(j->p_corrected).text,
                tb_show_percent(j->noise_floor).text);
    }
}

static void print_uncompared(const tb_comparison *comparison, FILE *out)
{
    if (comparison->uncompared_count > 0)
        fputs("\nNot compared:\n\n", out);
    for (size_t i = 0; i < comparison->uncompared_count; i++) {
        const tb_uncompared *u = &comparison->uncompared[i];
        fputs("- ", out);
        print_code(u->name, false, out);
        fprintf(out, ": %s", u->reason);
        if (u->detail) {
            fputs(", ", out);
            print_code(u->detail, false, out);
        }
        fputc('\n', out);
    }
}

bool tb_comparison_print_markdown(const tb_comparison *comparison, FILE *out)
{
    print_header(comparison, out);
    print_differences(comparison, out);
    if (comparison->verdicts[TB_SAME] < comparison->cell_count) {
        fputc('\n', out);
        print_rows(comparison, false, out);
    }
    if (comparison->verdicts[TB_SAME] > 0) {
        fprintf(out, "\n<details><summary>%zu same</summary>\n\n", comparison->verdicts[TB_SAME]);
        print_rows(comparison, true, out);
        fputs("\n</details>\n", out);
    }
    print_uncompared(comparison, out);
    return true;
}
