/* gbench_flags.c: the library's flags, but for those that are taken: a cell is run by itself, with its own number of operations
   and repetitions, and reported by us, so that most of them could do nothing. */
#include "bench/command/gbench_flags.h"

#include <string.h>

static const struct {
    const char *name, *instead;
} refused[] = {
    {"benchmark_list_tests", "`timerbench list`, which lists what there is to choose from"},
    {"benchmark_filter", "--cell, --workload and --impl"},
    {"benchmark_min_time", "--budget S, the time for all cells"},
    {"benchmark_min_warmup_time", "none: each cell is rehearsed before it is timed"},
    {"benchmark_repetitions", "--repetitions N"},
    {"benchmark_enable_random_interleaving", "--seed N, which decides the order of the cells"},
    {"benchmark_report_aggregates_only", "none: the table shows medians, --out keeps every repetition"},
    {"benchmark_display_aggregates_only", "none: the table shows medians, --out keeps every repetition"},
    {"benchmark_format", "--out FILE for JSON"},
    {"benchmark_color", "none: the table has no colours"},
    {"benchmark_counters_tabular", "none: the counters have their columns"},
    {"benchmark_time_unit", "none: figures are in ns"},
    {"benchmark_out", "--out FILE"},
    {"benchmark_out_format", "--out FILE, which is JSON"},
    {"benchmark_perf_counters", "`timerbench gate`, which counts instructions"},
};

bool tb_gbench_flags_fit(const tb_arguments *arguments, tb_error_text *error)
{
    for (int i = 0; i < arguments->rest_count; i++) {
        const char *flag = arguments->rest[i];
        if (strncmp(flag, "--", 2) != 0)
            continue;
        size_t length = strcspn(flag + 2, "=");
        for (size_t j = 0; j < sizeof refused / sizeof *refused; j++) {
            const char *name = refused[j].name;
            if (strlen(name) != length || memcmp(name, flag + 2, length) != 0)
                continue;
            tb_error_set(error, "--%s: takes no effect here: expected %s", name, refused[j].instead);
            return false;
        }
    }
    return true;
}
