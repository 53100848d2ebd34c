/* floor.c: floor.access.N: for each cancel, a read-modify-write of the timer's own record of N bytes, in an array of all;
   the addresses come from the stream, so the processor overlaps them. floor.chase.N: the same, but each address waits for
   what was read before. An arm writes the record. floor.call: for each cancel or arm alone, an empty function through a
   pointer. floor.clock: a read of the monotonic clock. */
#include "bench/floor.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "bench/loops.h"

const char tb_floor_example[] = "floor.access.64";

typedef struct floor_set {
    uint32_t last; /* what was read last: 0, as all memory here, but the processor does not know */
    void (*empty)(void *);
    int (*clock)(clockid_t, struct timespec *);
    unsigned char *records;
} floor_set;

static void empty_call(void *set) { __asm__ volatile("" : : "r"(set)); }

static void *open_floor(size_t size, const tb_script *s)
{
    floor_set *f = calloc(1, sizeof *f);
    unsigned char *records = aligned_alloc(64, (s->n * size + 63) & ~(size_t)63);
    if (!f || !records) {
        free(f);
        free(records);
        return NULL;
    }
    memset(records, 0, s->n * size);
    f->records = records;
    f->empty = empty_call;
    /* The C library's own: the command has one before it where peers get a synthetic clock. */
    *(void **)&f->clock = dlsym(RTLD_NEXT, "clock_gettime");
    if (!f->clock)
        f->clock = clock_gettime;
    return f;
}

static void close_floor(void *set)
{
    free(((floor_set *)set)->records);
    free(set);
}

TB_OP uint32_t *record(void *set, uint32_t timer, size_t size)
{
    return (uint32_t *)(void *)(((floor_set *)set)->records + timer * size);
}

TB_OP bool read_and_write(void *set, uint32_t timer, size_t size)
{
    uint32_t *r = record(set, timer, size), was = *(volatile uint32_t *)r;
    *(volatile uint32_t *)r = was & 1;
    return true;
}

TB_OP bool read_in_turn(void *set, uint32_t timer, size_t size)
{
    floor_set *f = set;
    f->last = *(volatile uint32_t *)record(set, timer + f->last, size);
    return true;
}

TB_OP bool write_record(void *set, uint32_t timer, size_t size)
{
    *(volatile uint32_t *)record(set, timer, size) = 0;
    return true;
}

TB_OP bool write_nothing(void *set, uint32_t timer, size_t size)
{
    (void)set, (void)timer, (void)size;
    return true;
}

TB_OP bool call_empty(void *set, uint32_t timer, size_t size)
{
    floor_set *f = set;
    (void)timer, (void)size;
    __asm__ volatile("" : "+m"(f->empty));
    f->empty(set);
    return true;
}

TB_OP bool read_clock(void *set, uint32_t timer, size_t size)
{
    struct timespec t;
    (void)timer, (void)size;
    return ((floor_set *)set)->clock(CLOCK_MONOTONIC, &t) == 0;
}

TB_OP size_t advance_nothing(void *set, int64_t now, uint64_t *sum)
{
    __asm__ volatile("" : "+r"(*sum) : "r"(set), "r"(now));
    return 0;
}

TB_OP bool next_nothing(void *set, int64_t *at)
{
    (void)set;
    *at = INT64_MAX;
    return true;
}

/* `once` is what the row is of: it is done by a cancel, and by an arm or a rearm where there is no cancel; `arm` beside it. */
#define DEFINE_FLOOR(name, size, once, write)                                                                         \
    static void *name##_make(const tb_contender *c, const tb_script *s) { (void)c; return open_floor(size, s); }      \
    TB_OP bool name##_do_cancel(void *set, uint32_t timer) { return once(set, timer, size); }                            \
    TB_OP bool name##_do_arm(void *set, uint32_t timer, int64_t at) { (void)at; return write(set, timer, size); }        \
    TB_OP bool name##_do_arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)                                    \
    {                                                                                                                 \
        (void)at, (void)lane;                                                                                         \
        return once(set, timer, size);                                                                                \
    }                                                                                                                 \
    TB_OP void name##_do_touch(void *set, uint32_t timer) { __builtin_prefetch(record(set, timer, size)); }              \
    static const tb_driver name = {name##_make,   close_floor,     name##_do_arm,   name##_do_arm_in, name##_do_cancel,        \
                                   name##_do_arm_in, advance_nothing, next_nothing, name##_do_touch};                       \
    TB_DEFINE_LOOPS(name)

DEFINE_FLOOR(tb_floor_access_4, 4, read_and_write, write_record)
DEFINE_FLOOR(tb_floor_access_8, 8, read_and_write, write_record)
DEFINE_FLOOR(tb_floor_access_32, 32, read_and_write, write_record)
DEFINE_FLOOR(tb_floor_access_64, 64, read_and_write, write_record)
DEFINE_FLOOR(tb_floor_chase_4, 4, read_in_turn, write_record)
DEFINE_FLOOR(tb_floor_chase_8, 8, read_in_turn, write_record)
DEFINE_FLOOR(tb_floor_chase_32, 32, read_in_turn, write_record)
DEFINE_FLOOR(tb_floor_chase_64, 64, read_in_turn, write_record)
DEFINE_FLOOR(tb_floor_call, 4, call_empty, write_nothing)
DEFINE_FLOOR(tb_floor_clock, 4, read_clock, write_nothing)

static const struct {
    const char *name;
    const tb_loops *loops;
} rows[] = {
    {"floor.access.4", &tb_floor_access_4_loops},   {"floor.access.8", &tb_floor_access_8_loops},
    {"floor.access.32", &tb_floor_access_32_loops}, {"floor.access.64", &tb_floor_access_64_loops},
    {"floor.chase.4", &tb_floor_chase_4_loops},       {"floor.chase.8", &tb_floor_chase_8_loops},
    {"floor.chase.32", &tb_floor_chase_32_loops},     {"floor.chase.64", &tb_floor_chase_64_loops},
    {"floor.call", &tb_floor_call_loops},                     {"floor.clock", &tb_floor_clock_loops},
};

size_t tb_floor_count(void) { return sizeof rows / sizeof *rows; }

tb_contender tb_floor_at(size_t index)
{
    return (tb_contender){.name = rows[index].name, .loops = rows[index].loops, .hidden = true, .floor = true};
}

bool tb_floor_fits(const tb_workload *workload)
{
    return workload->loop != TB_LOOP_EXPIRE && workload->loop != TB_LOOP_REPLAY && workload->loop != TB_LOOP_FILL;
}
