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
    if ((opt->keys && opt->ids) || opt->keys > TB_MAX_SLOTS) {
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
    c->start = now.ns;
    c->tick_zero = (uint64_t)now.ns + 1;
    tb_set_now(c, now.ns);
    c->last_tick = ((uint64_t)INT64_MAX - (uint64_t)now.ns) / TB_TICK;
    for (int lane = 0; lane < TB_LANES; lane++)
        c->plain_last[lane] = c->last_tick;
    c->keys = opt->keys;
    c->limit = opt->limit ? opt->limit : SIZE_MAX;
    c->repeat_free = TB_NO_REPEAT;
    c->queue_end = &c->no_queue;
    c->hot = c->cold = (char *)c; /* no slot is looked up yet, but the view is made: never from NULL */
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
    void *p = NULL;
    if (old_size > 0)
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

/* The queue never holds more slots than there are; the structure neither. */
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

/* Makes slots 0 .. n-1 ready: memory for all of them to be armed, initialised, and by id on the stack: under what is free
   already, the lowest on top, so that slots are taken in the same order whenever they were made ready. What grew before a
   failure stays so: it is used next time. */
static bool make_ready(tb_core *c, size_t n)
{
    if (n <= c->used)
        return true;
    if (n > TB_MAX_SLOTS || !grow_block(c, &c->hot, &c->hot_cap, n, c->layout.hot_stride) ||
        (!c->layout.joined && !grow_block(c, &c->cold, &c->cold_cap, n, c->layout.cold_stride)) ||
        (!c->keys && !grow_block(c, &c->free, &c->free_cap, n, sizeof *c->free)) || !grow_queue(c, n)) {
        errno = ENOMEM;
        return false;
    }
    size_t more = n - c->used;
    for (size_t slot = c->used; slot < n; slot++) {
        *tb_mark_at(c, &c->layout, (uint32_t)slot) = TB_FREE;
        if (!c->keys)
            *tb_generation_at(c, &c->layout, (uint32_t)slot) = 1;
    }
    if (!c->keys) {
        memmove(c->free + more, c->free, c->free_count * sizeof *c->free);
        for (size_t i = 0; i < more; i++)
            c->free[i] = (uint32_t)(n - 1 - i);
        c->free_count += (uint32_t)more;
    }
    c->used = (uint32_t)n;
    c->ready = c->limit == SIZE_MAX ? c->used : 0;
    return true;
}

static bool make_ready_twice(tb_core *c, size_t wanted, size_t most)
{
    enum { FIRST = 64 };
    size_t twice = (size_t)c->used * 2 > FIRST ? (size_t)c->used * 2 : FIRST;
    twice = twice < most ? twice : most;
    return make_ready(c, wanted > twice ? wanted : twice) || (wanted < twice && make_ready(c, wanted));
}

bool tb_core_reserve_set(tb_timers *set, size_t n)
{
    tb_core *c = (tb_core *)(void *)set;
    size_t most = c->keys && c->keys < c->limit ? c->keys : c->limit;
    n = n < most ? n : most;
    return n > TB_MAX_SLOTS ? make_ready(c, n) : make_ready(c, n + c->retired);
}

bool tb_core_make_room(tb_core *c, size_t n)
{
    size_t pending = tb_pending(c);
    if (n <= c->free_count)
        return true;
    if (n > c->limit - pending) {
        errno = ENOBUFS;
        return false;
    }
    if (n > TB_MAX_SLOTS) {
        errno = ENOMEM;
        return false;
    }
    /* With a limit no more slots than that are ever ready, so that the stack runs empty at it. */
    size_t most = c->limit < TB_MAX_SLOTS ? c->limit + c->retired : TB_MAX_SLOTS;
    return make_ready_twice(c, pending + n + c->retired, most);
}

bool tb_core_use_key(tb_core *c, uint32_t key)
{
    if (key >= c->keys) {
        errno = ERANGE;
        return false;
    }
    if (tb_pending(c) >= c->limit) {
        errno = ENOBUFS;
        return false;
    }
    return key < c->used || make_ready_twice(c, (size_t)key + 1, c->keys);
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
    tb_core *c = (tb_core *)(void *)set;
    c->slop[lane] = slop.ns > 0 ? (uint64_t)slop.ns / TB_TICK : 0;
    c->plain_last[lane] = c->slop[lane] < 2 ? c->last_tick : 0;
}

tb_duration tb_core_slop_of(const tb_timers *set, uint32_t lane)
{
    tb_assert(lane < TB_LANES);
    tb_duration d;
    d.ns = (int64_t)(((const tb_core *)(const void *)set)->slop[lane] * TB_TICK);
    return d;
}

size_t tb_core_len(const tb_timers *set) { return tb_pending((const tb_core *)(const void *)set); }
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
    s.pending = tb_pending(c);
    s.pending_precise = c->precise;
    s.armed = c->order - c->rearmed;
    s.armed_precise = c->armed_precise;
    s.rearmed = c->rearmed;
    s.cancelled = c->cancelled;
    s.fired = c->fired;
    s.cascaded = c->structure->cascades ? c->structure->cascades(tb_core_state(c)) : 0;
    s.calls = c->calls;
    s.wakes = c->wakes;
    return s;
}
