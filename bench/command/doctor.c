/* doctor.c: `timerbench doctor`: what on this machine spoils measurements, and what to do about it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/command/command.h"
#include "bench/command/options.h"
#include "bench/doctor.h"
#include "bench/text_wrap.h"

static void count_all(const tb_finding *findings, size_t count, size_t counts[TB_HEALTHS])
{
    memset(counts, 0, TB_HEALTHS * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[findings[i].health]++;
}

static void print_text(const tb_finding *findings, size_t count)
{
    enum { COLUMN = 26 };
    size_t counts[TB_HEALTHS];
    count_all(findings, count, counts);
    for (int health = TB_HEALTH_BAD; health >= 0; health--)
        for (size_t i = 0; i < count; i++) {
            const tb_finding *f = &findings[i];
            if ((int)f->health != health)
                continue;
            int column = printf("%-7s  %-16s ", tb_health_name(f->health), f->name);
            tb_wrap_text(stdout, f->value, column, COLUMN);
            if (f->health == TB_HEALTH_OK || f->health == TB_HEALTH_UNKNOWN)
                continue;
            printf("%*s", COLUMN, "");
            tb_wrap_text(stdout, f->why, COLUMN, COLUMN);
            column = printf("%*s-> ", COLUMN, "");
            tb_wrap_text(stdout, f->advice, column, column);
        }
    printf("\n%zu bad, %zu warnings, %zu ok, %zu unknown\n", counts[TB_HEALTH_BAD], counts[TB_HEALTH_WARN], counts[TB_HEALTH_OK],
           counts[TB_HEALTH_UNKNOWN]);
}

/* A value may hold whatever a system says: bytes that are no text become '?'. */
static void clean(tb_finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (char *c = findings[i].value; *c; c++)
            if ((unsigned char)*c < 32 || (unsigned char)*c > 126)
                *c = '?';
}

static bool print_json(const tb_finding *findings, size_t count)
{
    size_t counts[TB_HEALTHS];
    count_all(findings, count, counts);
    json_t *list = json_array(), *summary = json_object();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{ss ss ss ss ss}", "name", findings[i].name, "verdict",
                                              tb_health_name(findings[i].health), "value", findings[i].value, "why",
                                              findings[i].why, "advice", findings[i].advice));
    for (int h = 0; h < TB_HEALTHS; h++)
        json_object_set_new(summary, tb_health_name((tb_health)h), json_integer((json_int_t)counts[h]));
    json_t *all = json_pack("{ss si so so}", "format", "timerbench-doctor", "version", 1, "findings", list, "summary", summary);
    char *text = all && json_array_size(list) == count ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        puts(text);
    free(text);
    json_decref(all);
    return text != NULL;
}

static int examine(const char *who, const tb_examination *e, bool json)
{
    struct stat folder;
    size_t count, counts[TB_HEALTHS];
    if (*e->root && (stat(e->root, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        return tb_complain(who, "--root '%s': expected a folder that holds copies of /proc and /sys", e->root);
    tb_finding *findings = tb_doctor_examine(e, &count);
    if (!findings)
        return tb_complain(who, "out of memory");
    clean(findings, count);
    count_all(findings, count, counts);
    bool done = true;
    if (json)
        done = print_json(findings, count);
    else
        print_text(findings, count);
    free(findings);
    if (!done)
        return tb_complain(who, "out of memory");
    return counts[TB_HEALTH_BAD] ? TB_EXIT_DIFFERENT : TB_EXIT_OK;
}

int tb_command_doctor(int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", NULL};
    int format = 0;
    tb_examination e = {"", 0.5};
    const tb_option options[] = {
        {.name = "format", .kind = TB_OPTION_CHOICE, .choices = formats, .to.choice = &format,
         .help = "how to print (default: text)"},
        {.name = "seconds", .kind = TB_OPTION_SECONDS, .max = 600, .to.seconds = &e.seconds,
         .help = "how long to watch steal, and then what else runs (default: 0.5)"},
        {.name = "root", .kind = TB_OPTION_STRING, .value = "DIR", .to.string = &e.root,
         .help = "read copies of /proc and /sys below DIR: of another machine"},
    };
    const tb_option_table table = {
        .command = "timerbench doctor",
        .about = "Tells what on this machine, and in this build, spoils measurements: of each thing what was found, and, where "
                 "it is not well, why it matters and what to do.\n\n"
                 "bad: figures of this machine, as it is, say little. warn: they vary more, or lean to one side. unknown: the "
                 "system does not tell.\n\n"
                 "Exit code: 0 nothing is bad, 1 something is, 2 bad input.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    tb_arguments arguments;
    int code;
    if (!tb_options_read(&table, argc, argv, &arguments, &code))
        return code;
    code = examine(table.command, &e, format == 1);
    tb_arguments_free(&arguments);
    return code;
}
