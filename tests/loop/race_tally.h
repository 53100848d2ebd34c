/* race_tally.h: what came of the races of IOC-09: rounds of 50 operations, each racing its completion, a cancel, a deadline
   and at times its group's cancel. */
#ifndef TESTS_LOOP_RACE_TALLY_H
#define TESTS_LOOP_RACE_TALLY_H

#include "rigs.h"

enum { RACERS = 50 };

typedef struct tally {
    uint64_t answers, outcomes[4];
    uint64_t twice, stale, missing, failed;
    uint64_t wrong_bytes; /* Done that did not take its byte, or another that took one */
    uint64_t left_bytes;  /* found afterwards where no answer had taken one */
    uint64_t without_buffer;
    uint8_t seen[RACERS];
    enum { TAKEN, THERE, UNKNOWN } byte[RACERS]; /* after an answer without buffer: unknown, until all are home */
} tally;

static inline void tally_round(tally *t)
{
    memset(t->seen, 0, sizeof t->seen);
    for (int i = 0; i < RACERS; i++)
        t->byte[i] = THERE;
}

/* Takes the answers out of the rig; a token is round * RACERS + racer. */
static inline void tally_answers(tally *t, rig *r, uint64_t round)
{
    for (size_t i = 0; i < r->out.len; i++) {
        const tb_completion *c = &r->out.items[i];
        uint64_t racer = c->token - round * RACERS;
        t->answers++;
        if (racer >= RACERS) {
            t->stale++;
            continue;
        }
        t->twice += t->seen[racer]++ > 0;
        t->outcomes[c->outcome]++;
        t->failed += c->outcome == TB_FAILED;
        t->without_buffer += !c->buffer;
        bool took = c->outcome == TB_DONE;
        t->wrong_bytes += c->n != (took ? 1 : 0) || (c->buffer && tb_buffer_len(c->buffer) != (took ? 1 : 0));
        t->byte[racer] = took ? TAKEN : c->buffer ? THERE : UNKNOWN;
        if (took)
            tb_buffer_set_len(c->buffer, 0);
    }
    rig_clear(r);
}

static inline bool tally_full(const tally *t)
{
    for (int i = 0; i < RACERS; i++)
        if (!t->seen[i])
            return false;
    return true;
}

static inline void tally_missing(tally *t)
{
    for (int i = 0; i < RACERS; i++)
        t->missing += !t->seen[i];
}

static inline uint64_t tally_bad(const tally *t)
{
    return t->twice + t->stale + t->missing + t->failed + t->wrong_bytes + t->left_bytes;
}

static inline void tally_say(const tally *t, const char *what)
{
    diag("%s: %" PRIu64 " answers: %" PRIu64 " done, %" PRIu64 " cancelled, %" PRIu64 " timed out; %" PRIu64 " without buffer; "
         "twice %" PRIu64 ", stale %" PRIu64 ", missing %" PRIu64 ", failed %" PRIu64 ", bytes wrong %" PRIu64 ", left %" PRIu64,
         what, t->answers, t->outcomes[TB_DONE], t->outcomes[TB_CANCELLED], t->outcomes[TB_TIMED_OUT], t->without_buffer, t->twice,
         t->stale, t->missing, t->failed, t->wrong_bytes, t->left_bytes);
}

#endif
