/* coverage.c: the counts of a check as a table. */
#include "bench/coverage.h"

#include <inttypes.h>

void tb_coverage_each(const tb_coverage *coverage, void (*f)(void *ctx, const char *text, const uint64_t *count), void *ctx)
{
#define GROUP(text) f(ctx, text, NULL);
#define COUNT(field, text) f(ctx, text, &coverage->field);
    TB_COVERAGE(GROUP, COUNT)
#undef GROUP
#undef COUNT
}

static void print_one(void *ctx, const char *text, const uint64_t *count)
{
    FILE *out = ctx;
    if (count)
        fprintf(out, "  %14" PRIu64 "  %s\n", *count, text);
    else
        fprintf(out, " %s\n", text);
}

void tb_coverage_print(const tb_coverage *coverage, FILE *out)
{
    tb_coverage_each(coverage, print_one, out);
}
