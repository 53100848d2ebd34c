/* describe.h: what there is to say of a peer, as JSON and in words. */
#ifndef BENCH_PEERS_DESCRIBE_H
#define BENCH_PEERS_DESCRIBE_H

#include <jansson.h>

#include "bench/peers/probe.h"

/* "2.1.12-stable; fires up to 1 ms early; ties not in the order armed": the version and each mark's text. */
void tb_peer_describe(const tb_contender *contender, char *out, size_t size);

/* The same as an object: name, version, api, limits, marks and the figures of the probe. */
json_t *tb_peer_json(const tb_contender *contender);

#endif
