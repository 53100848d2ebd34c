/* stream_kinds.h: what the kinds of random programs are like. Private to streams.c. */
#ifndef BENCH_STREAM_KINDS_H
#define BENCH_STREAM_KINDS_H

#include <stdint.h>

/* Weights of what an operation is, what a deadline is, what an instant given to expired is: how often it is taken, against the
   others of its enum. */
enum { DO_ARM, DO_REARM, DO_CANCEL, DO_EXPIRED, DO_SLOP, DO_ARM_MANY, DO_CANCEL_MANY, DO_COUNT };
enum {
    FOR_NEAR,     /* around a tick from now, to the nanosecond */
    FOR_TICK,     /* a tick of the set's grid within 200, give or take a nanosecond */
    FOR_RANGE,    /* every magnitude up to 2^range ns */
    FOR_INTERVAL, /* one of a server's few constants: seconds */
    FOR_EQUAL,    /* as one that is pending, or next to it */
    FOR_BOUNDARY, /* 2^k ticks, from the start or from now, give or take one and a nanosecond */
    FOR_FAR,      /* the ends of time, the span of a six-level wheel */
    FOR_PAST,
    FOR_COUNT
};
enum {
    TO_STILL, /* the set's time again */
    TO_TINY,  /* nanoseconds on */
    TO_TICK,  /* the next tick, give or take a nanosecond */
    TO_NEXT,  /* the instant at which the next timer is due, or just before */
    TO_RANGE, /* every magnitude up to 2^range ns */
    TO_TIMER, /* when some timer is due: past all before it */
    TO_BOUNDARY,
    TO_BACK, /* an earlier instant */
    TO_END,  /* the end of time, late in the program */
    TO_COUNT
};
enum { START_ZERO, START_ANY, START_NEGATIVE, START_FIRST, START_LAST, START_COUNT };

typedef struct {
    const char *name;
    uint16_t share;              /* of all operations, per mille */
    uint32_t shortest, longest;  /* operations */
    uint32_t keys;               /* timers are named 0 .. keys-1 */
    uint8_t range;               /* log2 of the longest timer, ns */
    uint8_t step;                /* log2 of the longest step of TO_RANGE, ns */
    uint8_t lanes;               /* of 256 arms, in a lane above 0 */
    uint8_t precise, repeating;  /* of 256 arms by id */
    uint8_t cut;                 /* of 256 calls, with a maximum */
    uint8_t fail;                /* of 256 calls, with a failing allocation */
    uint8_t stale;               /* of 256 rearms and cancels, of any key instead of a pending one */
    uint8_t limit;               /* 0, or the largest limit of pending timers; one in four has none */
    uint8_t follow;              /* of 256 programs, driven by following next_expiry */
    uint16_t what[DO_COUNT], deadline[FOR_COUNT], instant[TO_COUNT], start[START_COUNT];
} stream_kind;

/* The fields in order:
   name, share, shortest, longest, keys, range, step, lanes, precise, repeating, cut, fail, stale, limit, follow,
   {arm, rearm, cancel, expired, slop, arm_many, cancel_many},
   {near, tick, range, interval, equal, boundary, far, past},
   {still, tiny, tick, next, range, timer, boundary, back, end}, {zero, any, negative, first, last} */
static const stream_kind stream_kinds[] = {
    /* Anything goes. */
    {"mixed", 150, 100, 600, 40, 36, 33, 60, 30, 15, 30, 4, 40, 0, 60,
     {30, 12, 15, 30, 2, 2, 2}, {6, 6, 10, 2, 4, 4, 1, 2}, {3, 4, 5, 8, 6, 4, 2, 1, 1}, {4, 3, 2, 1, 1}},
    /* Connections with timeouts of seconds of which nearly all are cancelled or moved. */
    {"server", 130, 300, 1500, 200, 35, 22, 20, 4, 2, 8, 0, 10, 0, 80,
     {40, 20, 38, 30, 1, 1, 1}, {1, 0, 2, 40, 1, 0, 0, 0}, {1, 6, 2, 2, 30, 0, 0, 1, 0}, {3, 2, 1, 0, 0}},
    /* Every timer fires. */
    {"all_fire", 120, 200, 800, 80, 30, 25, 50, 20, 4, 10, 0, 20, 0, 120,
     {50, 0, 0, 40, 1, 2, 0}, {4, 6, 30, 0, 4, 2, 0, 1}, {2, 3, 6, 20, 12, 3, 0, 0, 0}, {3, 2, 1, 0, 0}},
    /* One to four timers. */
    {"tiny", 100, 30, 200, 4, 33, 31, 40, 30, 30, 40, 8, 40, 3, 60,
     {30, 20, 15, 35, 3, 2, 2}, {6, 6, 8, 1, 4, 4, 2, 2}, {3, 4, 5, 8, 5, 3, 3, 2, 1}, {3, 3, 2, 1, 1}},
    /* Thousands pending, for which every look of the oracle costs thousands of looks. */
    {"crowd", 50, 4000, 9000, 3000, 34, 24, 40, 10, 1, 6, 0, 4, 0, 20,
     {60, 10, 14, 12, 1, 2, 1}, {1, 3, 30, 20, 3, 2, 0, 1}, {1, 2, 3, 3, 12, 0, 0, 0, 0}, {3, 1, 1, 0, 0}},
    /* Hundreds that come due in one call, in whatever order they were armed. */
    {"avalanche", 40, 100, 700, 600, 31, 27, 40, 20, 2, 4, 0, 6, 0, 0,
     {120, 6, 6, 1, 1, 2, 0}, {1, 2, 40, 4, 8, 1, 0, 1}, {1, 0, 1, 1, 1, 12, 0, 0, 0}, {3, 2, 1, 0, 0}},
    /* Where levels, slots and words of any wheel or trie begin. */
    {"boundaries", 120, 60, 400, 30, 62, 58, 20, 10, 4, 10, 0, 20, 0, 120,
     {30, 8, 8, 30, 1, 1, 1}, {1, 4, 4, 0, 3, 40, 2, 0}, {1, 1, 4, 12, 5, 6, 20, 0, 1}, {8, 2, 2, 1, 1}},
    /* Few deadlines, many timers: equal ones across lanes, precise and not, delivered late or in parts. */
    {"ties", 90, 60, 400, 24, 26, 24, 120, 60, 20, 80, 4, 20, 0, 20,
     {40, 15, 6, 25, 4, 4, 2}, {2, 6, 2, 0, 40, 1, 0, 1}, {4, 1, 5, 6, 5, 8, 0, 1, 0}, {3, 1, 1, 0, 0}},
    /* The ends of time. */
    {"far", 60, 40, 200, 12, 63, 62, 40, 40, 20, 30, 0, 30, 0, 60,
     {30, 12, 10, 25, 4, 1, 1}, {2, 2, 6, 0, 3, 4, 30, 3}, {2, 2, 3, 6, 5, 8, 3, 3, 6}, {2, 3, 2, 6, 6}},
    /* Slop of every size, changed while timers are pending. */
    {"slop", 50, 60, 400, 30, 34, 31, 230, 20, 4, 20, 0, 20, 0, 80,
     {30, 12, 8, 25, 12, 2, 1}, {3, 6, 12, 1, 6, 4, 1, 1}, {2, 2, 5, 10, 6, 4, 2, 0, 0}, {4, 2, 2, 1, 0}},
    /* Repeating timers, on time and late, cut, rearmed and cancelled. */
    {"repeats", 60, 60, 400, 10, 27, 26, 10, 20, 180, 50, 6, 20, 6, 60,
     {20, 10, 8, 40, 2, 2, 1}, {6, 6, 8, 0, 4, 2, 1, 2}, {3, 3, 6, 20, 10, 4, 1, 1, 1}, {4, 2, 2, 1, 2}},
    /* Batches cut by a maximum; what they leave is rearmed and cancelled. */
    {"cuts", 50, 60, 300, 30, 27, 26, 60, 50, 20, 200, 10, 20, 0, 20,
     {40, 16, 16, 30, 2, 3, 3}, {4, 6, 10, 0, 8, 1, 0, 3}, {8, 2, 4, 6, 8, 8, 0, 2, 0}, {3, 1, 1, 0, 0}},
    /* Limits that are hit, names that are stale, keys out of range. */
    {"refusals", 30, 60, 300, 12, 30, 28, 40, 30, 30, 30, 0, 140, 8, 20,
     {40, 14, 14, 16, 2, 8, 6}, {3, 4, 10, 1, 3, 2, 1, 2}, {3, 2, 4, 8, 6, 3, 1, 1, 0}, {3, 1, 1, 0, 0}},
    /* Sets that grow while memory is short. */
    {"memory", 40, 60, 500, 400, 32, 26, 40, 40, 30, 20, 160, 10, 0, 20,
     {50, 6, 4, 8, 1, 20, 1}, {2, 4, 20, 2, 3, 1, 0, 1}, {1, 1, 2, 4, 3, 10, 0, 0, 0}, {3, 1, 1, 0, 0}},
};

#endif
