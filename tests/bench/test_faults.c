/* test_faults.c: that a check can fail: it finds every planted fault, and makes each small. With --table it prints what became of
   each as the table in docs/check.md (`make fault-table`). */
#include "bench/checker.h"

#include "tap.h"

#include "bench/faults/semantics.h"
#include "bench/faults/structures.h"

enum { most_operations = 1000000, most_lines = 12, structures = sizeof structure_faults / sizeof *structure_faults,
       semantics = sizeof semantic_faults / sizeof *semantic_faults };

/* Whether the reproducer, written to a file and read again, shows the same difference. */
static bool shows_again(const tb_checked *item)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return false;
    tb_check_write_reproducer(item, "by a test", out);
    fclose(out);
    FILE *in = fmemopen(text, length, "r");
    tb_ops ops = {0};
    tb_error_text error;
    bool read = in && tb_ops_read_stream(&ops, in, "reproducer", &error);
    tb_difference found = {0};
    tb_drive_options options = {.impl = item->impl};
    bool shows = read && tb_drive(&ops, &options, &found) == TB_DRIVE_DIFFERENT && found.kind == item->difference.kind &&
                 strcmp(found.text, item->difference.text) == 0 && found.at == item->difference.at;
    if (in)
        fclose(in);
    free(text);
    tb_ops_free(&ops);
    return shows;
}

static void find(const tb_impl *impl)
{
    tb_checked item = {.impl = impl};
    tb_check check = {.items = &item, .count = 1, .by_id = true, .by_key = true, .seed = 1};
    tb_error_text error;
    tb_check_end end = tb_check_streams(&check, most_operations, NULL, 0, &error);
    const char *name = tb_impl_name(impl);
    ok(end == TB_CHECK_DONE && item.differs && item.operations <= most_operations, "EQ-01 %s is found within 10^6 operations",
       name);
    size_t lines = tb_ops_line_count(&item.reproducer);
    ok(item.differs && lines <= most_lines, "EQ-01 %s is shrunk to at most %d lines", name, most_lines);
    ok(item.differs && shows_again(&item), "EQ-01 the reproducer of %s, written and read, shows the same difference", name);
    diag("%-26s %7" PRIu64 " operations, from %4zu to %2zu lines: %s", name, item.operations, item.found_length, lines,
         item.differs ? item.difference.text : "not found");
    tb_check_free(&check);
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

static void print_reproducer(const tb_ops *ops)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    tb_ops_write_head(ops, out);
    tb_ops_write_range(ops, 0, ops->len, out);
    fclose(out);
    for (char *line = strtok(text, "\n"), *first = line; line; line = strtok(NULL, "\n"))
        printf("%s%s", line == first ? "" : "; ", line);
    free(text);
}

static void print_row(const tb_impl *impl)
{
    tb_checked item = {.impl = impl};
    tb_check check = {.items = &item, .count = 1, .by_id = true, .by_key = true, .seed = 1};
    tb_error_text error;
    tb_check_streams(&check, most_operations, NULL, 0, &error);
    printf("| %s | %" PRIu64 " | %s | `", tb_impl_name(impl), item.operations + 1, item.differs ? item.difference.text : "not found");
    print_reproducer(&item.reproducer);
    printf("` |\n");
    tb_check_free(&check);
}

static int print_table(void)
{
    printf("| fault | found by operation | what differs | the reproducer's lines |\n|---|---:|---|---|\n");
    for (size_t i = 0; i < structures; i++)
        print_row(plant_in_structure(&structure_faults[i]));
    for (size_t i = 0; i < semantics; i++)
        print_row(plant_in_semantics(&semantic_faults[i]));
    return 0;
}

static void pass(const tb_impl *impl, const char *what)
{
    tb_checked item = {.impl = impl};
    tb_check check = {.items = &item, .count = 1, .by_id = true, .by_key = true, .seed = 1};
    tb_error_text error;
    tb_check_end end = tb_check_streams(&check, 200000, NULL, 0, &error);
    if (!ok(end == TB_CHECK_DONE && !item.differs, "%s", what))
        tb_check_write_reproducer(&item, "by a test", stdout);
    tb_check_free(&check);
    if (impl->structure->traits & TB_RELAXED)
        ok(check.coverage.late_by_nature > 1000, "EQ-04 a relaxed structure did deliver late");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--table") == 0)
        return print_table();
    for (size_t i = 0; i < structures; i++)
        find(plant_in_structure(&structure_faults[i]));
    for (size_t i = 0; i < semantics; i++)
        find(plant_in_semantics(&semantic_faults[i]));
    pass(plant_in_structure(&faultless_structure), "EQ-01 the structure that carries the faults passes without one");
    pass(plant_in_structure(&relaxed_structure), "EQ-04 a relaxed structure passes that keeps to its bound");
    return tap_done();
}
