/* catalogue.c: which peers there are, which of them this build has, and what none of them is asked to do. */
#include "bench/peers/peer.h"

#include <stdio.h>

tb_fire_log *tb_peer_log;

/* bench/module.mk defines TB_PEER_HAVE_x as 1 for what it found. */
#define TB_PEER(library, package, names) extern const tb_peer tb_peers_##library[];
#include "bench/peers/catalogue.h"
#undef TB_PEER

#define TB_PEER(library, package, names) {#library, package, names, TB_PEER_HAVE_##library ? tb_peers_##library : NULL},
static const tb_peer_library libraries[] = {
#include "bench/peers/catalogue.h"
};
#undef TB_PEER

size_t tb_peer_library_count(void) { return sizeof libraries / sizeof *libraries; }
const tb_peer_library *tb_peer_library_at(size_t index) { return &libraries[index]; }

/* Whether a replay goes on after the clocks of peers: they begin at an epoch, so they end before int64 does, and some add their
   longest wait to the present. */
static bool outlasts_clocks(const tb_script *s)
{
    const int64_t last = INT64_MAX - INT64_C(10000000000000000); /* 116 days before */
    bool found = false;
    for (uint32_t i = 0; s->lines && i < s->count && !found; i++)
        found = s->lines[i].time > last || s->lines[i].deadline > last;
    return found;
}

bool tb_peer_refuses(const tb_peer *peer, const tb_work *work, char *reason, size_t size)
{
    tb_loop_name loop = work->workload->loop;
    bool asks = loop == TB_LOOP_NEXT || loop == TB_LOOP_REPLAY;
    if (peer->most && work->population > peer->most)
        snprintf(reason, size, "at most %u timers: %s", peer->most, peer->most_why);
    else if ((peer->lacks & TB_PEER_CONSTANT_ONLY) && !work->script.constant)
        snprintf(reason, size, "it is for timers that are all armed for the same duration");
    else if ((peer->lacks & TB_PEER_REAL_TIME) && (asks || loop == TB_LOOP_EXPIRE))
        snprintf(reason, size, "its clock is the kernel's, which cannot be driven");
    else if ((peer->lacks & TB_PEER_NO_NEXT) && asks)
        snprintf(reason, size, "nothing in its API tells when it is due next");
    else if (outlasts_clocks(&work->script))
        snprintf(reason, size, "the clocks of libraries end before the trace's last instants");
    else
        return false;
    return true;
}
