/* contenders.c: who takes part: every implementation, of the registry and of plugins that were loaded before the first is asked
   for, by id and by key; the peers of this build; the yardsticks and the floor. */
#include <stdlib.h>
#include <string.h>

#include "bench/contender.h"
#include "bench/floor.h"
#include "bench/peers/peer.h"
#include "bench/plugin.h"

extern const tb_loops tb_by_id_loops, tb_by_key_loops, tb_dummy_loops, tb_intrusive_loops;

static const tb_contender yardsticks[] = {
    {"dummy", &tb_dummy_loops, NULL, false, true, false, NULL},
    {"intrusive_wheel", &tb_intrusive_loops, NULL, false, true, false, NULL},
};
enum { YARDSTICKS = sizeof yardsticks / sizeof *yardsticks };

static tb_contender *all;
static size_t count;

static size_t add_ours(tb_contender *to)
{
    for (size_t i = 0; to && i < tb_every_impl_count(); i++) {
        const tb_impl *impl = tb_every_impl_at(i);
        bool hidden = (impl->structure->traits & TB_YARDSTICK) != 0;
        to[2 * i] = (tb_contender){tb_impl_name(impl), &tb_by_id_loops, impl, false, hidden, false, NULL};
        to[2 * i + 1] = (tb_contender){tb_impl_name(impl), &tb_by_key_loops, impl, true, hidden, false, NULL};
    }
    return 2 * tb_every_impl_count();
}

static size_t add_peers(tb_contender *to)
{
    size_t n = 0;
    for (size_t i = 0; i < tb_peer_library_count(); i++)
        for (const tb_peer *peer = tb_peer_library_at(i)->entries; peer && peer->name; peer++, n++)
            if (to)
                to[n] = (tb_contender){peer->name, peer->loops, NULL, false, false, false, peer};
    return n;
}

static void gather(void)
{
    size_t ours = add_ours(NULL), peers = add_peers(NULL), yard = ours + peers + YARDSTICKS;
    all = calloc(yard + tb_floor_count(), sizeof *all);
    if (!all)
        return;
    add_ours(all);
    add_peers(all + ours);
    memcpy(all + ours + peers, yardsticks, sizeof yardsticks);
    for (size_t i = 0; i < tb_floor_count(); i++)
        all[yard + i] = tb_floor_at(i);
    count = yard + tb_floor_count();
}

size_t tb_contender_count(void)
{
    if (!all)
        gather();
    return count;
}

const tb_contender *tb_contender_at(size_t index) { return index < tb_contender_count() ? &all[index] : NULL; }
