/* test_selection.c: comma lists of names, globs and tags; the lists of strings they come as. */
#include "tests/tap.h"

#include "bench/nearest.h"
#include "bench/selection.h"
#include "tests/bench/failing_malloc.h"

static const tb_selectable things[] = {
    {.name = "churn-random", .tags = "steady", .in_default = true},
    {.name = "churn-fifo", .tags = "steady tail", .in_default = true},
    {.name = "hold-exponential", .tags = "hold"},
    {.name = "replay-n1", .tags = "trace", .in_default = true},
    {.name = "heap.4"},
    {.name = "heap.8"},
    {.name = "dummy", .tags = "steady hold", .in_default = true, .hidden = true},
};
enum { thing_count = sizeof things / sizeof *things };

static bool chosen[thing_count];
static tb_error_text error;

static bool choose(const char *text)
{
    tb_string_list wanted = {0};
    bool split = !*text || tb_string_list_split(&wanted, text);
    bool selected = split && tb_select(&wanted, "--workload", things, thing_count, chosen, &error);
    tb_string_list_free(&wanted);
    return selected;
}

/* What was chosen, as "0 1 3". */
static const char *picked(const char *text)
{
    static char out[64];
    if (!choose(text))
        return error.text;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < thing_count; i++)
        if (chosen[i])
            used += (size_t)snprintf(out + used, sizeof out - used, "%s%d", used ? " " : "", i);
    return out;
}

static void test_matches(void)
{
    static const struct {
        const char *list, *want;
    } cases[] = {
        {"", "0 1 3"},
        {"churn-random", "0"},
        {"churn-*", "0 1"},
        {"*", "0 1 2 3 4 5"},
        {"@steady", "0 1"},
        {"@tail,@trace", "1 3"},
        {"@t*", "1 3"},
        {"churn-*,@trace", "0 1 3"},
        {"@trace,churn-*", "0 1 3"},
        {"churn-random,churn-random", "0"},
        {"heap.?", "4 5"},
        {"heap.[48]", "4 5"},
        {"hold-*,dummy", "2 6"},
        {"dummy", "6"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_text(picked(cases[i].list), cases[i].want, "the list '%s' picks what it names", cases[i].list);
}

static void test_misses(void)
{
    static const char *const misses[] = {"churn", "dumm*", "@hold,@none", "steady", "@", "[", "CHURN-RANDOM"};
    for (size_t i = 0; i < sizeof misses / sizeof *misses; i++)
        ok(!choose(misses[i]), "the list '%s' has an element that picks nothing", misses[i]);
    choose("churn-*,churn-radnom");
    is_text(error.text,
            "--workload 'churn-radnom': matches nothing (did you mean churn-random?); there is churn-random churn-fifo "
            "hold-exponential replay-n1 heap.4 heap.8 @steady @tail @hold @trace",
            "the error names the element, the nearest, and what there is, but nothing hidden");
    tb_string_list wanted = {0};
    tb_string_list_split(&wanted, "x");
    ok(!tb_select(&wanted, "--peer", NULL, 0, chosen, &error), "nothing matches where there is nothing");
    is_text(error.text, "--peer 'x': matches nothing; there is nothing to choose from", "and the error says so");
    tb_string_list_free(&wanted);
}

static void test_lists(void)
{
    tb_string_list list = {0};
    ok(tb_string_list_split(&list, "a,bc"), "a comma list is split");
    is(list.count, 2, "into its parts");
    is_text(list.items[1], "bc", "which are copies");
    static const char *const empty_parts[] = {"", ",", "x,", ",x", "x,,y"};
    for (size_t i = 0; i < sizeof empty_parts / sizeof *empty_parts; i++)
        ok(!tb_string_list_split(&list, empty_parts[i]) && errno == EINVAL && list.count == 2,
           "the list '%s' has an empty part: refused, and nothing is added", empty_parts[i]);
    tb_string_list_free(&list);
    is(list.count, 0, "a freed list is empty");
}

static void test_nearest(void)
{
    is(tb_edit_distance("", "abc"), 3, "three letters from nothing are three edits");
    is(tb_edit_distance("kitten", "sitting"), 3, "the textbook's kitten and sitting are 3 edits apart");
    is(tb_edit_distance("fromat", "format"), 1, "two swapped neighbours are one edit");
    is(tb_edit_distance("same", "same"), 0, "a word is no edit from itself");
    tb_nearest nearest = {.word = "szie"};
    tb_nearest_offer(&nearest, "seed");
    tb_nearest_offer(&nearest, "size");
    tb_nearest_offer(&nearest, "slice");
    is_text(nearest.best, "size", "the nearest of several wins, not the first or last");
    nearest = (tb_nearest){.word = "ab"};
    tb_nearest_offer(&nearest, "xy");
    ok(nearest.best == NULL, "short words that share no letter are not near");
}

static void test_memory(void)
{
    int wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool good = choose("churn-*,@trace,hold-exponential");
        bool failed = allocation_failed();
        wrong += good == failed;
        if (!failed)
            break;
    }
    none_of(wrong, "a selection fails exactly when an allocation does");
    wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool good = choose("nothing-like-this");
        bool failed = allocation_failed();
        wrong += good;
        if (!failed)
            break;
    }
    none_of(wrong, "a miss stays a miss without the memory to explain it");
}

int main(void)
{
    test_matches();
    test_misses();
    test_lists();
    test_nearest();
    test_memory();
    return tap_done();
}
