#include "bench/command/verdict_report.h"

#include <stdlib.h>
#include <string.h>

#include "bench/command/command.h"
#include "bench/output_file.h"

enum { AS_TEXT, AS_MARKDOWN, AS_JSON, AS_JUNIT };

tb_verdict_settings tb_verdict_defaults(void)
{
    return (tb_verdict_settings){.threshold = "5%"};
}

size_t tb_verdict_options(tb_verdict_settings *s, tb_option *options)
{
    static const char *const formats[] = {[AS_TEXT] = "text", [AS_MARKDOWN] = "markdown", [AS_JSON] = "json",
                                          [AS_JUNIT] = "junit", NULL};
    const tb_option own[TB_VERDICT_OPTIONS] = {
        {.name = "threshold", .kind = TB_OPTION_STRING, .value = "P%", .to.string = &s->threshold,
         .help = "differences up to this do not matter (default: 5%)"},
        {.name = "strict", .kind = TB_OPTION_FLAG, .to.flag = &s->strict,
         .help = "exit code 3 when nothing is slower but something is unsure, or cannot be compared"},
        {.name = "format", .kind = TB_OPTION_CHOICE, .choices = formats, .to.choice = &s->format,
         .help = "how to print (default: text)"},
        {.name = "out", .letter = 'o', .kind = TB_OPTION_STRING, .value = "FILE", .to.string = &s->out,
         .help = "write that to FILE, and print the text all the same"},
    };
    memcpy(options, own, sizeof own);
    return TB_VERDICT_OPTIONS;
}

bool tb_verdict_read_threshold(const char *text, double *out, tb_error_text *error)
{
    char *end = NULL;
    bool plain = strspn(text, "0123456789.") > 0; /* strtod would take signs, "inf" and hexadecimal, too */
    double percent = plain ? strtod(text, &end) : 0;
    if (!plain || strspn(text, "0123456789.") != (size_t)(end - text) || strcmp(end, "%") != 0 || !(percent <= 1000)) {
        tb_error_set(error, "--threshold '%s': expected a percentage from 0%% to 1000%%, such as 5%%", text);
        return false;
    }
    *out = percent / 100;
    return true;
}

static bool print_as(int format, const tb_comparison *comparison, FILE *out)
{
    static bool (*const printers[])(const tb_comparison *, FILE *) = {
        [AS_TEXT] = tb_comparison_print_text,
        [AS_MARKDOWN] = tb_comparison_print_markdown,
        [AS_JSON] = tb_comparison_print_json,
        [AS_JUNIT] = tb_comparison_print_junit,
    };
    return printers[format](comparison, out);
}

static bool write_file(const tb_verdict_settings *s, const tb_comparison *comparison, tb_error_text *error)
{
    tb_output_file *file = tb_output_open(s->out, error);
    if (!file)
        return false;
    if (print_as(s->format, comparison, tb_output_stream(file)))
        return tb_output_commit(file, error);
    tb_output_abandon(file);
    tb_error_no_memory(error);
    return false;
}

/* With --out, the report goes there and the text is still printed: a log wants the one, a tool the other. */
static bool print_report(const tb_verdict_settings *s, const tb_comparison *comparison, tb_error_text *error)
{
    if (s->out && !write_file(s, comparison, error))
        return false;
    if (print_as(s->out ? AS_TEXT : s->format, comparison, stdout))
        return true;
    tb_error_no_memory(error);
    return false;
}

int tb_verdict_report(const tb_verdict_settings *s, const tb_comparison *comparison, tb_error_text *error)
{
    if (!print_report(s, comparison, error))
        return TB_EXIT_BAD_INPUT;
    if (comparison->verdicts[TB_SLOWER] > 0)
        return TB_EXIT_DIFFERENT;
    return s->strict && !tb_comparison_is_sure(comparison) ? TB_EXIT_UNSURE : TB_EXIT_OK;
}
