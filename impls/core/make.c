/* make.c: making a set, its memory, its lanes and counters: what the core does seldom. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <timerbench/core/state.h>

static void *plain_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
    (void)ctx;
    (void)old_size;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_size);
}

static const tb_allocator plain = {plain_resize, NULL};

tb_timers *tb_timers_make(const tb_impl *impl, tb_instant now, const tb_timers_options *opt)
{
    static const tb_timers_options defaults = {0};
    if (!opt)
        opt = &defaults;
    if ((opt->keys && opt->ids) || opt->keys > (uint32_t)TB_MAX_SLOTS + 1) {
        errno = EINVAL;
        return NULL;
    }
    return impl->make(impl, now, opt);
}

tb_timers *tb_core_make(const tb_structure *s, const tb_timers_ops *ops, tb_instant now, const tb_timers_options *opt)
{
    const tb_allocator *allocator = opt->allocator ? opt->allocator : &plain;
    size_t size = TB_CORE_SIZE + s->state_size;
    tb_core *c = tb_memory_resize(allocator, NULL, 0, size);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->base.ops = ops;
    c->structure = s;
    c->layout = tb_layout_of(s, opt->keys > 0);
    c->start = c->now = now.ns;
    c->last_tick = ((uint64_t)INT64_MAX - (uint64_t)now.ns) / TB_TICK;
    c->keys = opt->keys;
    c->limit = opt->limit ? opt->limit : SIZE_MAX;
    c->repeat_free = TB_NO_REPEAT;
    c->queue_end = &c->no_queue;
    c->bytes = tb_memory_taken(size);
    c->allocator = *allocator;
    tb_view v = tb_view_of(c, s, &c->layout);
    if (!s->open(tb_core_state(c), &v)) {
        tb_memory_resize(allocator, c, size, 0);
        errno = ENOMEM;
        return NULL;
    }
    return &c->base;
}

/* The set's own blocks; the structure's are in tb_view_resize. */
static bool resize(tb_core *c, void *block, size_t old_size, size_t new_size)
{
    void *p;
    memcpy(&p, block, sizeof p);
    void *moved = tb_memory_resize(&c->allocator, p, old_size, new_size);
    if (!moved && new_size > 0)
        return false;
    memcpy(block, &moved, sizeof moved);
    c->bytes += tb_memory_taken(new_size) - tb_memory_taken(old_size);
    return true;
}

void tb_core_destroy(tb_timers *set)
{
    tb_core *c = (tb_core *)(void *)set;
    tb_view v = tb_view_of(c, c->structure, &c->layout);
    c->structure->close(tb_core_state(c), &v);
    resize(c, &c->hot, (size_t)c->hot_cap * c->layout.hot_stride, 0);
    resize(c, &c->cold, (size_t)c->cold_cap * c->layout.cold_stride, 0);
    resize(c, &c->free, (size_t)c->free_cap * sizeof *c->free, 0);
    resize(c, &c->queue, (size_t)c->queue_cap * sizeof *c->queue, 0);
    resize(c, &c->repeating, (size_t)c->repeat_cap * sizeof *c->repeating, 0);
    tb_debug_assert(c->bytes == tb_memory_taken(TB_CORE_SIZE + c->structure->state_size));
    tb_allocator allocator = c->allocator;
    tb_memory_resize(&allocator, c, TB_CORE_SIZE + c->structure->state_size, 0);
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* Makes a block of `*cap` items one of `wanted`; never smaller. */
static bool grow_block(tb_core *c, void *block, uint32_t *cap, size_t wanted, size_t size)
{
    if (wanted > *cap) {
        if (!resize(c, block, *cap * size, wanted * size))
            return false;
        *cap = (uint32_t)wanted;
    }
    return true;
}

/* Memory for slots 0 .. n-1. What grew before a failure stays so: it is used next time. */
static bool grow_slots(tb_core *c, size_t n)
{
    return grow_block(c, &c->hot, &c->hot_cap, n, c->layout.hot_stride) &&
           grow_block(c, &c->cold, &c->cold_cap, n, c->layout.cold_stride) &&
           (c->keys || grow_block(c, &c->free, &c->free_cap, n, sizeof *c->free));
}

static uint32_t slots(const tb_core *c)
{
    uint32_t n = c->hot_cap < c->cold_cap ? c->hot_cap : c->cold_cap;
    return c->keys || n < c->free_cap ? n : c->free_cap;
}

/* How many timers may be pending before arming needs memory or meets the limit. */
static void set_room(tb_core *c)
{
    size_t room = c->queue_cap;
    if (!c->keys) {
        size_t named = (size_t)c->pending + c->free_count + (slots(c) - c->used);
        room = room < named ? room : named;
    }
    c->room = (uint32_t)(room < c->limit ? room : c->limit);
}

static bool grow_queue(tb_core *c, size_t n)
{
    size_t old = c->queue_cap;
    tb_view v = tb_view_of(c, c->structure, &c->layout);
    if (n > c->structure_cap) {
        if (!c->structure->reserve(tb_core_state(c), &v, (uint32_t)n))
            return false;
        c->structure_cap = (uint32_t)n;
    }
    if (n > old) {
        if (!grow_block(c, &c->queue, &c->queue_cap, n, sizeof *c->queue))
            return false;
        /* The overdue heap stands at the end. */
        memmove(c->queue + n - c->overdue, c->queue + old - c->overdue, c->overdue * sizeof *c->queue);
        c->queue_end = c->queue + n;
    }
    return true;
}

/* By id: slots for n pending at once, beside those that are retired. */
static bool grow_named(tb_core *c, size_t n)
{
    size_t idle = (size_t)c->free_count + (slots(c) - c->used), wanted = n - c->pending;
    if (c->keys || wanted <= idle)
        return true;
    size_t all = slots(c) + (wanted - idle);
    return all <= TB_MAX_SLOTS && grow_slots(c, all);
}

bool tb_core_reserve(tb_core *c, size_t n)
{
    bool done = n <= TB_MAX_SLOTS && (n <= c->pending || grow_named(c, n)) && grow_queue(c, n);
    set_room(c);
    if (!done)
        errno = ENOMEM;
    return done;
}

bool tb_core_reserve_set(tb_timers *set, size_t n) { return tb_core_reserve((tb_core *)(void *)set, n); }

bool tb_core_make_room(tb_core *c, size_t n)
{
    enum { FIRST = 64 };
    if (n <= c->room - c->pending)
        return true;
    if (n > c->limit - c->pending) {
        errno = ENOBUFS;
        return false;
    }
    size_t wanted = c->pending + n;
    size_t twice = (size_t)c->queue_cap * 2 > FIRST ? (size_t)c->queue_cap * 2 : FIRST;
    twice = twice < c->limit ? twice : c->limit;
    /* A keyed set never holds more than its keys. */
    if (c->keys && twice > c->keys)
        twice = c->keys;
    return tb_core_reserve(c, wanted > twice ? wanted : twice) || (wanted < twice && tb_core_reserve(c, wanted));
}

/* Slots up to the key's; they are initialised in order, so a set whose small keys are used alone stays small. */
bool tb_core_use_key(tb_core *c, uint32_t key)
{
    enum { FIRST = 64 };
    if (key >= slots(c)) {
        size_t wanted = (size_t)key + 1, twice = (size_t)slots(c) * 2 > FIRST ? (size_t)slots(c) * 2 : FIRST;
        twice = twice < c->keys ? twice : c->keys;
        if (!grow_slots(c, wanted > twice ? wanted : twice) && !grow_slots(c, wanted)) {
            errno = ENOMEM;
            return false;
        }
    }
    for (; c->used <= key; c->used++)
        *tb_mark_at(c, &c->layout, c->used) = TB_FREE;
    return true;
}

void tb_core_retire(tb_core *c, uint32_t slot)
{
    (void)slot; /* stays free with its last generation, and is on no list */
    set_room(c);
}

/* ---- repeats ----------------------------------------------------------------------------------------------------- */

bool tb_core_reserve_repeats(tb_core *c, uint32_t n)
{
    enum { FIRST = 8 };
    size_t wanted = (size_t)c->repeats + n, cap = c->repeat_cap;
    if (wanted <= cap)
        return true;
    size_t twice = cap * 2 > FIRST ? cap * 2 : FIRST;
    wanted = wanted > twice ? wanted : twice;
    if (!resize(c, &c->repeating, cap * sizeof *c->repeating, wanted * sizeof *c->repeating)) {
        errno = ENOMEM;
        return false;
    }
    for (size_t i = wanted; i-- > cap;) {
        c->repeating[i].next = c->repeat_free;
        c->repeat_free = (uint32_t)i;
    }
    c->repeat_cap = (uint32_t)wanted;
    return true;
}

uint32_t tb_core_take_repeat(tb_core *c, uint64_t token, int64_t period, tb_repeat policy)
{
    uint32_t index = c->repeat_free;
    tb_repeating *r = &c->repeating[index];
    c->repeat_free = r->next;
    c->repeats++;
    r->token = token;
    r->period = period;
    r->policy = (uint32_t)policy;
    return index;
}

void tb_core_drop_repeat(tb_core *c, uint32_t index)
{
    c->repeating[index].next = c->repeat_free;
    c->repeat_free = index;
    c->repeats--;
}

/* ---- lanes, counters --------------------------------------------------------------------------------------------- */

void tb_core_set_slop(tb_timers *set, uint32_t lane, tb_duration slop)
{
    tb_assert(lane < TB_LANES);
    ((tb_core *)(void *)set)->slop[lane] = slop.ns > 0 ? (uint64_t)slop.ns / TB_TICK : 0;
}

tb_duration tb_core_slop_of(const tb_timers *set, uint32_t lane)
{
    tb_assert(lane < TB_LANES);
    tb_duration d;
    d.ns = (int64_t)(((const tb_core *)(const void *)set)->slop[lane] * TB_TICK);
    return d;
}

size_t tb_core_len(const tb_timers *set) { return ((const tb_core *)(const void *)set)->pending; }
size_t tb_core_bytes(const tb_timers *set) { return ((const tb_core *)(const void *)set)->bytes; }

tb_instant tb_core_now(const tb_timers *set)
{
    tb_instant now;
    now.ns = ((const tb_core *)(const void *)set)->now;
    return now;
}

tb_timers_stats tb_core_stats(const tb_timers *set)
{
    const tb_core *c = (const tb_core *)(const void *)set;
    tb_timers_stats s = {0};
    s.pending = c->pending;
    s.pending_precise = c->precise;
    s.armed = c->armed;
    s.armed_precise = c->armed_precise;
    s.rearmed = c->rearmed;
    s.cancelled = c->cancelled;
    s.fired = c->fired;
    s.cascaded = c->structure->cascades ? c->structure->cascades(tb_core_state(c)) : 0;
    s.calls = c->calls;
    s.wakes = c->wakes;
    return s;
}
