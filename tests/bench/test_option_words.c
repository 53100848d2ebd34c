/* From options' values to words, and from cells' names to globs: what a program tells another of its own kind. */
#include <fnmatch.h>
#include <string.h>

#include "bench/command/cell_choice.h"
#include "bench/command/option_words.h"
#include "tap.h"

typedef struct values {
    bool flag, off;
    int64_t number, unset;
    double seconds, none;
    const char *text, *missing;
    tb_string_list list;
    tb_size_list sizes;
    int choice, no_choice;
} values;

static const char *const colours[] = {"red", "green", NULL};

enum { COUNT = 12 };

static void make_options(values *v, tb_option *o)
{
    const tb_option all[COUNT] = {
        {.name = "flag", .kind = TB_OPTION_FLAG, .to.flag = &v->flag},
        {.name = "off", .kind = TB_OPTION_FLAG, .to.flag = &v->off},
        {.name = "number", .kind = TB_OPTION_INT, .to.integer = &v->number},
        {.name = "unset", .kind = TB_OPTION_INT, .min = 1, .max = 9, .to.integer = &v->unset},
        {.name = "seconds", .kind = TB_OPTION_SECONDS, .to.seconds = &v->seconds},
        {.name = "none", .kind = TB_OPTION_SECONDS, .to.seconds = &v->none},
        {.name = "text", .kind = TB_OPTION_STRING, .to.string = &v->text},
        {.name = "missing", .kind = TB_OPTION_STRING, .to.string = &v->missing},
        {.name = "list", .kind = TB_OPTION_STRINGS, .to.strings = &v->list},
        {.name = "size", .kind = TB_OPTION_SIZES, .to.sizes = &v->sizes},
        {.name = "choice", .kind = TB_OPTION_CHOICE, .choices = colours, .to.choice = &v->choice},
        {.name = "no-choice", .kind = TB_OPTION_CHOICE, .choices = colours, .to.choice = &v->no_choice},
    };
    memcpy(o, all, sizeof all);
}

static void join(const tb_string_list *words, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", words->items[i]);
}

/* Reading the words again gives the same values. */
static void test_round_trip(const tb_string_list *words)
{
    values back = {.no_choice = 7};
    tb_option options[COUNT];
    make_options(&back, options);
    const tb_option_table table = {.command = "x", .options = options, .option_count = COUNT};
    char *argv[32] = {(char[]){"x"}};
    for (size_t i = 0; i < words->count; i++)
        argv[i + 1] = words->items[i];
    tb_arguments arguments;
    tb_error_text error = {{0}};
    ok(tb_options_parse(&table, (int)words->count + 1, argv, &arguments, &error) == TB_OPTIONS_READ, "the words are read again %s",
       error.text);
    ok(back.flag && !back.off && back.number == -3 && back.unset == 0 && back.seconds == 0.1 && back.none == 0 && !back.missing &&
           strcmp(back.text, "a b") == 0 && back.choice == 1 && back.no_choice == 7, "to the same values");
    ok(back.list.count == 2 && strcmp(back.list.items[1], "c*") == 0 && back.sizes.count == 2 && back.sizes.items[1] == 1048576,
       "and lists");
    tb_arguments_free(&arguments);
    tb_string_list_free(&back.list);
    tb_size_list_free(&back.sizes);
}

static void test_globs(void)
{
    static const char *const names[] = {"timers/churn/heap.4/64/key", "timers/replay-a,b/x/1", "timers/[a]*?\\/x/1"};
    for (size_t i = 0; i < 3; i++) {
        char *glob = tb_cell_choice_spell(names[i]);
        ok(glob && fnmatch(glob, names[i], 0) == 0 && !strchr(glob, ','), "%s is picked by its glob", names[i]);
        ok(glob && fnmatch(glob, "timers/a/x/1", 0) != 0 && fnmatch(glob, "timers/churn/heap.4/64", 0) != 0, "others are not");
        free(glob);
    }
}

int main(void)
{
    static const char *const without[] = {"seed", "out", NULL}, *const fewer[] = {"list", "size", "text", NULL};
    int64_t sizes[] = {64, 1048576};
    values v = {.flag = true, .number = -3, .seconds = 0.1, .text = "a b", .sizes = {sizes, 2}, .choice = 1, .no_choice = 2};
    tb_option options[COUNT];
    tb_string_list words = {0}, few = {0};
    char text[512];
    ok(tb_string_list_split(&v.list, "b,c*"), "a list");
    make_options(&v, options);
    ok(tb_option_words(options, COUNT, without, &words), "spelled");
    join(&words, text, sizeof text);
    is_text(text, "--flag --number -3 --seconds 0.10000000000000001 --text a b --list b --list c* --size 64 --size 1048576 "
                  "--choice green", "what has a value is spelled, what was not given is not");
    ok(tb_option_words(options, COUNT, fewer, &few), "without some");
    join(&few, text, sizeof text);
    is_text(text, "--flag --number -3 --seconds 0.10000000000000001 --choice green", "which are left out");
    test_round_trip(&words);
    test_globs();
    tb_string_list_free(&words);
    tb_string_list_free(&few);
    tb_string_list_free(&v.list);
    return tap_done();
}
