/* contenders.c: who takes part: every implementation, of the registry and of plugins that were loaded before the first is asked
   for, by id and by key, and the yardsticks. */
#include <stdlib.h>

#include "bench/contender.h"
#include "bench/plugin.h"

extern const tb_loops tb_by_id_loops, tb_by_key_loops, tb_dummy_loops, tb_intrusive_loops;

static const tb_contender yardsticks[] = {
    {"dummy", &tb_dummy_loops, NULL, false, true},
    {"intrusive_wheel", &tb_intrusive_loops, NULL, false, true},
};
enum { YARDSTICKS = sizeof yardsticks / sizeof *yardsticks };

size_t tb_contender_count(void) { return 2 * tb_every_impl_count() + YARDSTICKS; }

const tb_contender *tb_contender_at(size_t index)
{
    static tb_contender *ours;
    size_t n = 2 * tb_every_impl_count();
    if (index >= n)
        return index < n + YARDSTICKS ? &yardsticks[index - n] : NULL;
    if (!ours) {
        ours = calloc(n, sizeof *ours);
        if (!ours)
            return NULL;
        for (size_t i = 0; i < n; i++) {
            const tb_impl *impl = tb_every_impl_at(i / 2);
            bool keyed = i % 2, hidden = (impl->structure->traits & TB_YARDSTICK) != 0;
            ours[i] = (tb_contender){tb_impl_name(impl), keyed ? &tb_by_key_loops : &tb_by_id_loops, impl, keyed, hidden};
        }
    }
    return &ours[index];
}
