/* option_values.c: from the text of an option's value to the value. */
#include "bench/command/option_values.h"

#include <timerbench/assert.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tb_size_list_free(tb_size_list *list)
{
    free(list->items);
    *list = (tb_size_list){0};
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Decimal digits and nothing else, up to text's end. False: not that, or beyond int64_t. */
static bool read_digits(const char *text, const char *end, int64_t *out)
{
    if (text == end)
        return false;
    int64_t value = 0;
    for (; text < end; text++) {
        int digit = *text - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

static bool store_integer(const tb_option *option, const char *text, char *expected)
{
    bool any = option->min == 0 && option->max == 0, negative = text[0] == '-';
    int64_t value;
    if (read_digits(text + negative, text + strlen(text), &value)) {
        value = negative ? -value : value;
        if (any || (value >= option->min && value <= option->max)) {
            *option->to.integer = value;
            return true;
        }
    }
    if (any)
        snprintf(expected, TB_EXPECTED_TEXT, "a whole number of 64 bits");
    else if (option->max == INT64_MAX)
        snprintf(expected, TB_EXPECTED_TEXT, "a whole number, %" PRId64 " or more", option->min);
    else
        snprintf(expected, TB_EXPECTED_TEXT, "a whole number from %" PRId64 " to %" PRId64, option->min, option->max);
    return false;
}

static bool store_seconds(const tb_option *option, const char *text, char *expected)
{
    /* strtod would take "inf", "nan", hexadecimal and leading blanks, too. */
    if (*text && strspn(text, "0123456789.eE+-") == strlen(text)) {
        char *end;
        double value = strtod(text, &end);
        if (*end == '\0' && isfinite(value) && value > 0 && (option->max == 0 || value <= (double)option->max)) {
            *option->to.seconds = value;
            return true;
        }
    }
    if (option->max == 0)
        snprintf(expected, TB_EXPECTED_TEXT, "a number of seconds greater than 0, such as 2.5");
    else
        snprintf(expected, TB_EXPECTED_TEXT, "a number of seconds greater than 0, up to %" PRId64, option->max);
    return false;
}

/* ---- lists of sizes ---------------------------------------------------------------------------------------------- */

typedef enum { sizes_ok, sizes_bad, sizes_no_memory } sizes_result;

/* "64", "64k", "1M". */
static bool read_size(const char *text, const char *end, int64_t *out)
{
    int64_t unit = 1;
    if (end > text && (end[-1] == 'k' || end[-1] == 'M')) {
        unit = end[-1] == 'k' ? 1024 : 1024 * 1024;
        end--;
    }
    if (!read_digits(text, end, out) || *out > INT64_MAX / unit)
        return false;
    *out *= unit;
    return true;
}

static sizes_result add_size(const tb_option *option, tb_size_list *list, int64_t size)
{
    bool any = option->min == 0 && option->max == 0;
    if (size < (any ? 1 : option->min) || (!any && size > option->max))
        return sizes_bad;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == size)
            return sizes_ok;
    int64_t *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return sizes_no_memory;
    items[list->count++] = size;
    list->items = items;
    return sizes_ok;
}

/* "64", or "64..1M" and "64..1Mx4": the first size, times 2 (or 4) again and again, up to the last. */
static sizes_result add_element(const tb_option *option, tb_size_list *list, const char *text, const char *end)
{
    const char *dots = memmem(text, (size_t)(end - text), "..", 2);
    int64_t first, last, factor = 2;
    if (!dots)
        return read_size(text, end, &first) ? add_size(option, list, first) : sizes_bad;
    const char *x = memchr(dots, 'x', (size_t)(end - dots));
    if (!read_size(text, dots, &first) || !read_size(dots + 2, x ? x : end, &last) ||
        (x && !read_digits(x + 1, end, &factor)) || factor < 2 || first < 1 || first > last)
        return sizes_bad;
    for (int64_t size = first;; size *= factor) {
        sizes_result result = add_size(option, list, size);
        if (result != sizes_ok || size > last / factor)
            return result;
    }
}

static bool store_sizes(const tb_option *option, const char *text, char *expected)
{
    size_t before = option->to.sizes->count;
    sizes_result result;
    for (;;) {
        size_t length = strcspn(text, ",");
        result = add_element(option, option->to.sizes, text, text + length);
        if (result != sizes_ok || text[length] == '\0')
            break;
        text += length + 1;
    }
    if (result == sizes_ok)
        return true;
    option->to.sizes->count = before;
    if (result == sizes_no_memory)
        return false;
    int n = snprintf(expected, TB_EXPECTED_TEXT, "a list of populations such as 1024,65536 or 1k..1Mx4");
    if (option->max > 0)
        snprintf(expected + n, TB_EXPECTED_TEXT - (size_t)n, ", each from %" PRId64 " to %" PRId64, option->min,
                 option->max);
    return false;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void join_choices(const tb_option *option, const char *between, const char *before_last, char *out)
{
    size_t used = 0;
    for (const char *const *choice = option->choices; *choice; choice++) {
        const char *separator = choice == option->choices ? "" : choice[1] ? between : before_last;
        int n = snprintf(out + used, TB_EXPECTED_TEXT - used, "%s%s", separator, *choice);
        tb_assert(n >= 0 && (size_t)n < TB_EXPECTED_TEXT - used);
        used += (size_t)n;
    }
}

static bool store_choice(const tb_option *option, const char *text, char *expected)
{
    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *option->to.choice = i;
            return true;
        }
    }
    join_choices(option, ", ", " or ", expected);
    return false;
}

static bool store_strings(const tb_option *option, const char *text, char *expected)
{
    if (tb_string_list_split(option->to.strings, text))
        return true;
    if (errno == EINVAL)
        snprintf(expected, TB_EXPECTED_TEXT, "a comma list without empty parts");
    return false;
}

bool tb_option_store(const tb_option *option, const char *text, char expected[TB_EXPECTED_TEXT])
{
    expected[0] = '\0';
    switch (option->kind) {
    case TB_OPTION_FLAG:
        *option->to.flag = true;
        return true;
    case TB_OPTION_INT:
        return store_integer(option, text, expected);
    case TB_OPTION_SECONDS:
        return store_seconds(option, text, expected);
    case TB_OPTION_SIZES:
        return store_sizes(option, text, expected);
    case TB_OPTION_STRING:
        if (*text) {
            *option->to.string = text;
            return true;
        }
        tb_option_value_name(option, expected);
        return false;
    case TB_OPTION_STRINGS:
        return store_strings(option, text, expected);
    case TB_OPTION_CHOICE:
        return store_choice(option, text, expected);
    }
    return false;
}

void tb_option_value_name(const tb_option *option, char out[TB_EXPECTED_TEXT])
{
    static const char *const names[] = {
        [TB_OPTION_FLAG] = "",      [TB_OPTION_INT] = "N",     [TB_OPTION_SECONDS] = "S", [TB_OPTION_SIZES] = "LIST",
        [TB_OPTION_STRING] = "TEXT", [TB_OPTION_STRINGS] = "LIST",
    };
    if (option->value || option->kind != TB_OPTION_CHOICE)
        snprintf(out, TB_EXPECTED_TEXT, "%s", option->value ? option->value : names[option->kind]);
    else
        join_choices(option, "|", "|", out);
}
