/* Every implementation gives the same answers: 10^7 random calls, by id and by key, each compared with a plain model.
 */
#include "random_calls.h"

enum { CALLS = 10000000 };

static uint64_t runs_each;

static void same_as_the_model(const kind *k)
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= runs_each && wrong == 0; seed++)
        wrong += one_run(k, seed * UINT64_C(0x9e3779b97f4a7c15) + k->keyed);
    none_of(wrong, "EQ-01 EQ-03 WHL-24 WHL-26 WHL-35 CNT-14 %s: %" PRIu64 " random calls answer as the model does",
            k->name, runs_each * RUN);
}

static uint64_t kinds_counted;

static void count_kind(const kind *k)
{
    (void)k;
    kinds_counted++;
}

int main(int argc, char **argv)
{
    each_kind(count_kind);
    uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : CALLS;
    runs_each = calls / kinds_counted / RUN + 1;
    each_kind(same_as_the_model);
    return sets_done();
}
