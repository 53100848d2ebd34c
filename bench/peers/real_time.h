/* real_time.h: for timers that only the kernel's own clock drives. A timer is armed for as long in real time as the script has
   it in its own; scripts last shorter than their timers, so what a cell measures is arming, moving and cancelling. */
#ifndef BENCH_PEERS_REAL_TIME_H
#define BENCH_PEERS_REAL_TIME_H

#include <stdint.h>
#include <time.h>

/* They may fire whenever they do, as far as a cell's check goes; that each fires once or is cancelled is checked, and at the
   end, an hour on, that what is left is still armed. */
#define TB_REAL_TIME_WINDOW INT64_C(3500000000000)

/* A script that goes on by so much in one step asks what is armed, as nobody can wait for it to fire. */
#define TB_REAL_TIME_JUMP INT64_C(600000000000)

typedef struct tb_real_time {
    int64_t now;   /* the script's */
    int64_t ahead; /* the real clock less the script's */
} tb_real_time;

static inline int64_t tb_real_time_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The script's time becomes `now`; whether it jumped. */
static inline bool tb_real_time_set(tb_real_time *r, int64_t now)
{
    bool jumped = now - r->now > TB_REAL_TIME_JUMP;
    r->now = now;
    r->ahead = tb_real_time_clock() - now;
    return jumped;
}

/* The real clock's time at a script's instant, which a timer can be set to: never zero, which would disarm it. */
static inline struct timespec tb_real_time_at(const tb_real_time *r, int64_t at)
{
    int64_t t = at + r->ahead;
    t = t > 0 ? t : 1;
    return (struct timespec){t / 1000000000, t % 1000000000};
}

#endif
