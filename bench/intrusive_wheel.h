/* intrusive_wheel.h: a cascading wheel of six levels with 64 slots as one would write it by hand into a program,
   without any semantics: no ids, no set, no order within a tick, no memory of its own. The caller's objects hold the
   nodes; inserting and removing one is a few pointers. It is the yardstick for what wheel_6x64 costs beyond the bare
   structure.

   Same scheme (Varghese and Lauck, SOSP 1987, scheme 7) and same placement: the level is that of the highest 6-bit
   digit in which due and present tick differ, the slot is due's digit there, one word of occupancy a level. Times are
   ticks. */
#ifndef BENCH_INTRUSIVE_WHEEL_H
#define BENCH_INTRUSIVE_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INTRUSIVE_LEVELS = 6, INTRUSIVE_BITS = 6, INTRUSIVE_SLOTS = 1 << INTRUSIVE_BITS };

typedef struct intrusive_link {
    struct intrusive_link *next, *prev;
} intrusive_link;

typedef struct intrusive_node {
    intrusive_link link; /* first: a link in a slot's list is its node */
    uint64_t due, token;
} intrusive_node;

typedef struct intrusive_wheel {
    uint64_t now;
    uint64_t occupied[INTRUSIVE_LEVELS];
    intrusive_link slots[INTRUSIVE_LEVELS * INTRUSIVE_SLOTS];
} intrusive_wheel;

static inline void intrusive_init(intrusive_wheel *w, uint64_t now)
{
    w->now = now;
    for (int level = 0; level < INTRUSIVE_LEVELS; level++)
        w->occupied[level] = 0;
    for (int slot = 0; slot < INTRUSIVE_LEVELS * INTRUSIVE_SLOTS; slot++)
        w->slots[slot].next = w->slots[slot].prev = &w->slots[slot];
}

/* Files a node for a tick after the wheel's. */
static inline void intrusive_insert(intrusive_wheel *w, intrusive_node *node, uint64_t due)
{
    const uint64_t span = (UINT64_C(1) << (INTRUSIVE_LEVELS * INTRUSIVE_BITS)) - 1;
    uint64_t differing = (w->now ^ due) | (INTRUSIVE_SLOTS - 1);
    differing = differing < span ? differing : span;
    unsigned level = (unsigned)(63 - __builtin_clzll(differing)) / INTRUSIVE_BITS;
    unsigned digit = (unsigned)(due >> (level * INTRUSIVE_BITS)) & (INTRUSIVE_SLOTS - 1);
    intrusive_link *slot = &w->slots[level * INTRUSIVE_SLOTS + digit];
    node->due = due;
    node->link.next = slot;
    node->link.prev = slot->prev;
    slot->prev->next = &node->link;
    slot->prev = &node->link;
    w->occupied[level] |= UINT64_C(1) << digit;
}

/* Takes out a node that is filed. */
static inline void intrusive_remove(intrusive_wheel *w, intrusive_node *node)
{
    intrusive_link *next = node->link.next, *prev = node->link.prev;
    prev->next = next;
    next->prev = prev;
    if (next == prev) { /* the slot itself: it was the last node there */
        size_t slot = (size_t)(next - w->slots);
        w->occupied[slot / INTRUSIVE_SLOTS] &= ~(UINT64_C(1) << (slot % INTRUSIVE_SLOTS));
    }
}

/* The first occupied slot ahead, and the tick at which it is reached; false: nothing is filed. */
static inline bool intrusive_next(const intrusive_wheel *w, unsigned *slot, uint64_t *tick)
{
    unsigned level = 0;
    while (w->occupied[level] == 0)
        if (++level == INTRUSIVE_LEVELS)
            return false;
    unsigned shift = level * INTRUSIVE_BITS;
    uint64_t hand = w->now >> shift & (INTRUSIVE_SLOTS - 1), turn = (w->now >> shift) - hand;
    uint64_t ahead = w->occupied[level] & ~UINT64_C(0) << hand << 1;
    if (ahead == 0) { /* beyond the span: the top level's next turn */
        ahead = w->occupied[level];
        turn += INTRUSIVE_SLOTS;
    }
    unsigned digit = (unsigned)__builtin_ctzll(ahead);
    *slot = level * INTRUSIVE_SLOTS + digit;
    *tick = (turn + digit) << shift;
    return true;
}

/* Moves the wheel to a tick and takes out every node due by then: the first of them, chained by link.next to NULL, by
   due tick; NULL when there is none. */
static inline intrusive_node *intrusive_advance(intrusive_wheel *w, uint64_t now)
{
    intrusive_link *first = NULL, **end = &first;
    unsigned slot;
    uint64_t tick;
    while (intrusive_next(w, &slot, &tick) && tick <= now) {
        intrusive_link *head = &w->slots[slot], *after;
        w->now = tick;
        w->occupied[slot / INTRUSIVE_SLOTS] &= ~(UINT64_C(1) << (slot % INTRUSIVE_SLOTS));
        intrusive_link *link = head->next;
        head->next = head->prev = head;
        for (; link != head; link = after) {
            intrusive_node *node = (intrusive_node *)(void *)link;
            after = link->next;
            if (node->due > tick) {
                intrusive_insert(w, node, node->due);
            } else {
                *end = link;
                end = &link->next;
            }
        }
    }
    *end = NULL;
    w->now = now;
    return (intrusive_node *)(void *)first;
}

#endif
