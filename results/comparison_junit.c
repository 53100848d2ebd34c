/* comparison_junit.c: a comparison as JUnit XML, in the subset that Ant, Jenkins and GitLab share: a test case a cell. A slower
   one is a failure. What is unsure is skipped, or an error with --strict, so that the report is red exactly when the exit code
   is not 0. */
#include "results/comparison.h"

#include <string.h>

#include "results/figures.h"

/* Plain text (plain_text.h) with what XML 1.0 gives a meaning, section 2.4, replaced. */
static void print_xml(const char *text, FILE *out)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* level/workload is the class, as that groups them in what shows such reports; the rest is the name. */
static void open_case(const char *name, FILE *out)
{
    const char *slash = strchr(name, '/');
    slash = slash ? strchr(slash + 1, '/') : NULL;
    fputs("    <testcase classname=\"", out);
    for (const char *p = name; slash && p < slash; p++) {
        char one[] = {*p == '/' ? '.' : *p, '\0'};
        print_xml(one, out);
    }
    if (!slash)
        fputs("benchmarks", out);
    fputs("\" name=\"", out);
    print_xml(slash ? slash + 1 : name, out);
    fputs("\">\n", out);
}

/* One of failure, error and skipped; skipped has no type. */
static void print_outcome(const char *element, const char *type, const char *message, const char *figures, FILE *out)
{
    fprintf(out, "      <%s message=\"", element);
    print_xml(message, out);
    fputc('"', out);
    if (strcmp(element, "skipped") != 0)
        fprintf(out, " type=\"%s\"", type);
    fputc('>', out);
    print_xml(figures, out);
    fprintf(out, "</%s>\n", element);
}

static void print_cell(const tb_comparison *comparison, const tb_compared *cell, FILE *out)
{
    const tb_judgement *j = &cell->judged;
    char figures[512];
    tb_time_unit unit = tb_unit_for(j->median[TB_BASE]);
    snprintf(figures, sizeof figures, "%s: %s -> %s %s, ratio %s %s, p %s, noise floor %s", tb_verdict_name(j->verdict),
             tb_show_time(j->median[TB_BASE], unit).text, tb_show_time(j->median[TB_NEW], unit).text, unit.name,
             tb_show_ratio(j->ratio).text, tb_show_interval(j->interval).text, tb_show_p(j->p_corrected).text,
             tb_show_percent(j->noise_floor).text);
    open_case(cell->cell[TB_BASE]->name, out);
    if (j->verdict == TB_SLOWER) {
        print_outcome("failure", "slower", figures, figures, out);
    } else if (j->verdict == TB_UNSURE) {
        print_outcome(comparison->options.strict ? "error" : "skipped", "unsure", j->reason, figures, out);
    } else {
        fputs("      <system-out>", out);
        print_xml(figures, out);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static void print_uncompared(const tb_comparison *comparison, const tb_uncompared *u, FILE *out)
{
    char message[512];
    snprintf(message, sizeof message, "not compared: %s", u->reason);
    open_case(u->name, out);
    print_outcome(comparison->options.strict && u->unsettled ? "error" : "skipped", "not compared", message,
                  u->detail ? u->detail : "", out);
    fputs("    </testcase>\n", out);
}

static void print_property(const char *name, const char *side, const char *value, FILE *out)
{
    fputs("      <property name=\"", out);
    print_xml(name, out);
    fprintf(out, "%s\" value=\"", side);
    print_xml(value ? value : "not told", out);
    fputs("\"/>\n", out);
}

static void print_properties(const tb_comparison *comparison, FILE *out)
{
    fputs("    <properties>\n", out);
    print_property("file", ", base", comparison->of[TB_BASE]->path, out);
    print_property("file", ", new", comparison->of[TB_NEW]->path, out);
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const tb_difference *d = &comparison->differences[i];
        print_property(d->label, ", base", d->told[TB_BASE], out);
        print_property(d->label, ", new", d->told[TB_NEW], out);
    }
    fputs("    </properties>\n", out);
}

bool tb_comparison_print_junit(const tb_comparison *comparison, FILE *out)
{
    size_t tests = comparison->cell_count + comparison->uncompared_count, failures = comparison->verdicts[TB_SLOWER];
    size_t open = comparison->verdicts[TB_UNSURE] + comparison->uncompared_count;
    size_t errors = comparison->options.strict ? comparison->verdicts[TB_UNSURE] + comparison->unsettled_count : 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites name=\"timerbench\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", tests, failures, errors);
    fprintf(out, "  <testsuite name=\"timerbench compare\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
            tests, failures, errors, open - errors);
    print_properties(comparison, out);
    for (size_t i = 0; i < comparison->cell_count; i++)
        print_cell(comparison, &comparison->cells[i], out);
    for (size_t i = 0; i < comparison->uncompared_count; i++)
        print_uncompared(comparison, &comparison->uncompared[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return true;
}
