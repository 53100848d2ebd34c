#include "bench/command/option_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add(tb_string_list *out, const char *text)
{
    return tb_string_list_add(out, text, strlen(text));
}

bool tb_option_word(tb_string_list *out, const char *name, const char *format, ...)
{
    va_list args;
    char *text = NULL, option[80];
    snprintf(option, sizeof option, "--%s", name);
    va_start(args, format);
    bool done = vasprintf(&text, format, args) >= 0;
    va_end(args);
    if (!done)
        return false;
    done = add(out, option) && add(out, text);
    free(text);
    return done;
}

/* A word for each element: lists add up. */
static bool spell_strings(const tb_option *option, tb_string_list *out)
{
    for (size_t i = 0; i < option->to.strings->count; i++)
        if (!tb_option_word(out, option->name, "%s", option->to.strings->items[i]))
            return false;
    return true;
}

static bool spell_sizes(const tb_option *option, tb_string_list *out)
{
    for (size_t i = 0; i < option->to.sizes->count; i++)
        if (!tb_option_word(out, option->name, "%" PRId64, option->to.sizes->items[i]))
            return false;
    return true;
}

static int choices_of(const tb_option *option)
{
    int count = 0;
    while (option->choices[count])
        count++;
    return count;
}

static bool spell(const tb_option *option, tb_string_list *out)
{
    bool any = option->min == 0 && option->max == 0;
    char flag[80];
    switch (option->kind) {
    case TB_OPTION_FLAG:
        snprintf(flag, sizeof flag, "--%s", option->name);
        return !*option->to.flag || add(out, flag);
    case TB_OPTION_INT: {
        int64_t value = *option->to.integer;
        bool given = any || (value >= option->min && value <= option->max);
        return !given || tb_option_word(out, option->name, "%" PRId64, value);
    }
    case TB_OPTION_SECONDS:
        return !(*option->to.seconds > 0) || tb_option_word(out, option->name, "%.17g", *option->to.seconds);
    case TB_OPTION_SIZES:
        return spell_sizes(option, out);
    case TB_OPTION_STRING:
        return !*option->to.string || tb_option_word(out, option->name, "%s", *option->to.string);
    case TB_OPTION_STRINGS:
        return spell_strings(option, out);
    case TB_OPTION_CHOICE: {
        int value = *option->to.choice;
        return value < 0 || value >= choices_of(option) || tb_option_word(out, option->name, "%s", option->choices[value]);
    }
    }
    return true;
}

bool tb_option_words(const tb_option *options, size_t count, const char *const *without, tb_string_list *out)
{
    for (size_t i = 0; i < count; i++) {
        bool left_out = false;
        for (const char *const *name = without; *name; name++)
            left_out |= strcmp(*name, options[i].name) == 0;
        if (!left_out && !spell(&options[i], out))
            return false;
    }
    return true;
}
