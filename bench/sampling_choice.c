/* sampling_choice.c: which cells are worth another process. */
#include "bench/sampling.h"

#include <stdlib.h>

size_t tb_sampled_pick(const tb_sampled *s, double seconds, bool *picked, double *estimate)
{
    size_t unsure = 0, count = 0;
    *estimate = 0;
    for (size_t i = 0; i < s->count; i++) {
        picked[i] = false;
        unsure += tb_sampled_is_unsure(&s->cells[i]);
    }
    /* A selection, not a sort: cells are few, and each pick looks at what the time still allows. */
    for (size_t turn = 0; turn < (unsure + 1) / 2; turn++) {
        size_t widest = s->count;
        for (size_t i = 0; i < s->count; i++)
            if (!picked[i] && tb_sampled_is_unsure(&s->cells[i]) && *estimate + s->cells[i].seconds <= seconds &&
                (widest == s->count || s->cells[i].width > s->cells[widest].width))
                widest = i;
        if (widest == s->count)
            break;
        picked[widest] = true;
        *estimate += s->cells[widest].seconds;
        count++;
    }
    return count;
}
