/* options.c: reading the options of a subcommand, and its --help. */
#include "bench/command/options.h"

#include "bench/command/command.h"
#include "bench/command/option_values.h"
#include "bench/nearest.h"
#include "bench/text_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* How far the reading has come. */
typedef struct {
    const tb_option_table *table;
    int argc, at; /* argv[at] is next */
    char **argv;
    tb_arguments *out;
    tb_error_text *error;
} reading;

static const tb_option *find_option(const tb_option_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->option_count; i++)
        if (strlen(table->options[i].name) == length && memcmp(table->options[i].name, name, length) == 0)
            return &table->options[i];
    return NULL;
}

static const tb_option *find_letter(const tb_option_table *table, char letter)
{
    for (size_t i = 0; i < table->option_count; i++)
        if (table->options[i].letter == letter)
            return &table->options[i];
    return NULL;
}

/* `name` with its dashes, and up to an '='. */
static bool unknown_option(const reading *r, const char *name, size_t length)
{
    char word[64] = "";
    if (length > 2 && length - 2 < sizeof word) {
        memcpy(word, name + 2, length - 2);
        word[length - 2] = '\0';
    }
    tb_nearest nearest = {.word = word};
    for (size_t i = 0; i < r->table->option_count && name[1] == '-'; i++)
        tb_nearest_offer(&nearest, r->table->options[i].name);
    tb_error_set(r->error, "unknown option '%.*s'%s%s%s: expected one that `%s --help` lists", (int)length, name,
                 nearest.best ? " (did you mean --" : "", nearest.best ? nearest.best : "", nearest.best ? "?)" : "",
                 r->table->command);
    return false;
}

/* Takes `value` (NULL: the next argument) for the option, called `name` in errors: "--size", "-o". */
static bool take_value(reading *r, const tb_option *option, const char *name, const char *value)
{
    char expected[TB_EXPECTED_TEXT];
    if (option->kind == TB_OPTION_FLAG && value) {
        tb_error_set(r->error, "%s=%s: expected no value", name, value);
        return false;
    }
    if (option->kind == TB_OPTION_FLAG)
        return tb_option_store(option, "", expected);
    if (!value) {
        if (r->at == r->argc || strncmp(r->argv[r->at], "--", 2) == 0) {
            tb_option_value_name(option, expected);
            tb_error_set(r->error, "%s: no value: expected %s", name, expected);
            return false;
        }
        value = r->argv[r->at++];
    }
    if (tb_option_store(option, value, expected))
        return true;
    if (expected[0])
        tb_error_set(r->error, "%s '%s': expected %s", name, value, expected);
    else
        tb_error_no_memory(r->error);
    return false;
}

static bool take_long(reading *r, const char *argument)
{
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const tb_option *option = find_option(r->table, argument + 2, length - 2);
    if (!option)
        return unknown_option(r, argument, length);
    char name[64];
    snprintf(name, sizeof name, "--%s", option->name);
    return take_value(r, option, name, equals ? equals + 1 : NULL);
}

static bool take_short(reading *r, const char *argument)
{
    const tb_option *option = find_letter(r->table, argument[1]);
    if (!option)
        return unknown_option(r, argument, strlen(argument));
    const char name[] = {'-', argument[1], '\0'};
    return take_value(r, option, name, argument[2] ? argument + 2 : NULL);
}

static bool count_operands(const reading *r)
{
    const tb_option_table *table = r->table;
    int count = r->out->operand_count, max = table->operands ? table->max_operands : 0;
    bool any = table->operands && max == 0;
    if (count < table->min_operands) {
        tb_error_set(r->error, "too few arguments: expected %s", table->operands);
        return false;
    }
    if (!any && count > max) {
        tb_error_set(r->error, "unexpected argument '%s': expected %s", r->out->operands[max],
                     table->operands ? table->operands : "options only");
        return false;
    }
    return true;
}

static bool read_all(reading *r)
{
    bool options_ended = false;
    while (r->at < r->argc) {
        char *argument = r->argv[r->at++];
        if (options_ended || argument[0] != '-' || argument[1] == '\0') {
            r->out->operands[r->out->operand_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            if (r->table->rest) {
                r->out->rest = r->argv + r->at;
                r->out->rest_count = r->argc - r->at;
                break;
            }
            options_ended = true;
        } else if (!(argument[1] == '-' ? take_long(r, argument) : take_short(r, argument))) {
            return false;
        }
    }
    return count_operands(r);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static void free_lists(const tb_option_table *table)
{
    for (size_t i = 0; i < table->option_count; i++) {
        const tb_option *option = &table->options[i];
        if (option->kind == TB_OPTION_SIZES)
            tb_size_list_free(option->to.sizes);
        else if (option->kind == TB_OPTION_STRINGS)
            tb_string_list_free(option->to.strings);
    }
}

tb_options_result tb_options_parse(const tb_option_table *table, int argc, char **argv, tb_arguments *out,
                                   tb_error_text *error)
{
    static char *nothing[] = {NULL};
    *out = (tb_arguments){.rest = nothing};
    if (asks_for_help(argc, argv)) {
        free_lists(table);
        return TB_OPTIONS_HELP;
    }
    reading r = {.table = table, .argc = argc, .at = argc > 0 ? 1 : 0, .argv = argv, .out = out, .error = error};
    out->operands = calloc((size_t)argc + 1, sizeof *out->operands);
    if (!out->operands)
        tb_error_no_memory(error);
    else if (read_all(&r))
        return TB_OPTIONS_READ;
    tb_arguments_free(out);
    free_lists(table);
    return TB_OPTIONS_BAD;
}

void tb_arguments_free(tb_arguments *arguments)
{
    free(arguments->operands);
    *arguments = (tb_arguments){0};
}

bool tb_options_read(const tb_option_table *table, int argc, char **argv, tb_arguments *out, int *code)
{
    tb_error_text error;
    switch (tb_options_parse(table, argc, argv, out, &error)) {
    case TB_OPTIONS_READ:
        return true;
    case TB_OPTIONS_HELP:
        tb_options_print_help(table);
        *code = TB_EXIT_OK;
        break;
    case TB_OPTIONS_BAD:
        *code = tb_complain(table->command, "%s", error.text);
        break;
    }
    return false;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

enum { label_size = TB_EXPECTED_TEXT + 80, label_column = 2, widest_label = 28 };

/* "-o, --out FILE". */
static void make_label(const tb_option *option, char out[label_size])
{
    char value[TB_EXPECTED_TEXT], letter[] = {'-', option->letter, ',', ' ', '\0'};
    tb_option_value_name(option, value);
    snprintf(out, label_size, "%s--%s%s%s", option->letter ? letter : "", option->name, value[0] ? " " : "", value);
}

static void print_option(const char *label, const char *help, int column)
{
    int used = label_column + (int)strlen(label);
    printf("%*s", label_column, "");
    if (used + 2 > column) {
        tb_wrap_text(stdout, label, label_column, 2 * label_column);
        printf("%*s", column, "");
    } else {
        printf("%s%*s", label, column - used, "");
    }
    tb_wrap_text(stdout, help, column, column);
}

void tb_options_print_help(const tb_option_table *table)
{
    char usage[TB_EXPECTED_TEXT];
    snprintf(usage, sizeof usage, "usage: %s%s%s%s%s%s%s", table->command, table->option_count ? " [OPTION...]" : "",
             table->operands ? " " : "", table->operands ? table->operands : "", table->rest ? " [-- " : "",
             table->rest ? table->rest : "", table->rest ? "]" : "");
    tb_wrap_text(stdout, usage, 0, 7);
    if (table->about) {
        printf("\n");
        tb_wrap_text(stdout, table->about, 0, 0);
    }
    char label[label_size];
    int width = (int)strlen("--help");
    for (size_t i = 0; i < table->option_count; i++) {
        make_label(&table->options[i], label);
        int length = (int)strlen(label);
        if (length > width && length <= widest_label)
            width = length;
    }
    printf("\noptions:\n");
    for (size_t i = 0; i < table->option_count; i++) {
        make_label(&table->options[i], label);
        print_option(label, table->options[i].help, label_column + width + 2);
    }
    print_option("--help", "print this text", label_column + width + 2);
}
