#include "bench/peers/describe.h"

#include <string.h>

void tb_peer_describe(const tb_contender *contender, char *out, size_t size)
{
    char marks[TB_PEER_MARKS + 1], text[128];
    contender->peer->version(out, size);
    if (!tb_peer_probe(contender)->works) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "; cannot be set up here");
    }
    tb_peer_marks(contender, marks);
    for (const char *mark = marks; *mark; mark++) {
        size_t used = strlen(out);
        tb_peer_mark_text(contender, *mark, text, sizeof text);
        snprintf(out + used, size - used, "; %s", text);
    }
}

json_t *tb_peer_json(const tb_contender *contender)
{
    const tb_peer *peer = contender->peer;
    const tb_peer_traits *t = tb_peer_probe(contender);
    char version[128], marks[TB_PEER_MARKS + 1], text[128];
    peer->version(version, sizeof version);
    tb_peer_marks(contender, marks);
    json_t *o = json_pack("{ss ss ss ss ss sb sb}", "name", peer->name, "version", version, "api", peer->api, "limits",
                          peer->limits, "marks", marks, "works", t->works, "real_time", (peer->lacks & TB_PEER_REAL_TIME) != 0);
    if (!o)
        return NULL;
    json_t *words = json_array();
    for (const char *mark = marks; *mark; mark++) {
        tb_peer_mark_text(contender, *mark, text, sizeof text);
        json_array_append_new(words, json_string(text));
    }
    json_object_set_new(o, "deviations", words);
    if (peer->most)
        json_object_set_new(o, "most", json_pack("{si ss}", "population", (int)peer->most, "reason", peer->most_why));
    if (t->works)
        json_object_set_new(o, "probe",
                            json_pack("{sI sI sI sb sb si si}", "resolution_ns", (json_int_t)t->resolution, "early_ns",
                                      (json_int_t)t->early, "late_ns", (json_int_t)t->late, "ties_in_order", t->ties_in_order,
                                      "deadlines_in_order", t->deadlines_in_order, "lost", (int)t->lost, "twice", (int)t->twice));
    return o;
}
