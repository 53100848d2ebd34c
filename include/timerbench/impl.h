/* impl.h: the contract between a data structure and the set that it serves.

   A structure files slots by the tick at which each is due, and that is all it does. It never sees deadlines in
   nanoseconds, lanes, slop, ids, precise timers, repeats, batches, limits or user code: those are the core's
   (<timerbench/core.h>), written once for all. A structure is a constant table of the functions below; one macro of
   core.h turns the table into a tb_impl whose every function is straight code with the structure's inlined in it.

   Slots are dense numbers 0, 1, 2, ...; in a keyed set the slot is the caller's key. For each slot the core keeps exactly the
   fields that the structure asks for by `columns` and those that the semantics need, so a structure that asks for less takes
   less memory. Where each field is, is constant where the structure is inlined. */
#ifndef TIMERBENCH_IMPL_H
#define TIMERBENCH_IMPL_H

#include <timerbench/timers.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of tb_structure, tb_view, tb_sink, tb_impl and tb_plugin, of the options and deliveries of timers.h, and of what core.h compiles
   into an implementation. A plugin with another number is refused. */
#define TB_ABI 1u

/* Fields that each slot has for the structure. Their contents are undefined when insert is called. Of a slot the core keeps
   two parts in two arrays: a small hot one, which arming and cancelling any timer reads, and a cold one with what is written
   when it is armed and read when it is due. */
enum tb_columns {
    TB_COL_WHERE = 1,  /* hot: uint32_t tb_where(): a back-index, a bucket ... */
    TB_COL_LINK = 2,   /* hot: uint32_t[2] tb_link(): an intrusive list or tree */
    TB_COL_DUE = 4,    /* cold: uint64_t tb_due(): the tick at which the slot is due */
    TB_COL_DUE_HOT = 8 /* hot: the same, for structures that compare it as they search */
};

enum tb_traits {
    TB_NEXT_EXACT = 1, /* next answers the least due tick itself; otherwise a lower bound of it */
    TB_CASCADES = 2,   /* re-places slots as time goes on, and counts it in cascades */
    TB_RELAXED = 4,    /* may give a slot late, by up to late_bound; otherwise always at its tick */
    TB_INSERT_O1 = 8,  /* claims, shown by operation counts: constant whatever is pending */
    TB_CANCEL_O1 = 16,
    TB_YARDSTICK = 32 /* no timer structure: it measures something else, and lists, checks and rankings leave it out */
};

/* What operations cost, counted rather than timed: in a build with TB_COUNTING alone (tests/counts), elsewhere TB_COUNT is nothing.
   Fields of slots are counted where they are reached; a structure that keeps entries of its own counts those itself. */
#ifdef TB_COUNTING
typedef struct tb_counts {
    uint64_t compares; /* of two ticks or deadlines */
    uint64_t touches;  /* of a slot's field or an entry */
    uint64_t moves;    /* entries written to a place */
} tb_counts;
TB_API extern tb_counts tb_counted;
#define TB_COUNT(what) (tb_counted.what++)
#else
#define TB_COUNT(what) ((void)0)
#endif

/* What a structure sees of its set; made anew for every call, as slots move when the set grows. */
typedef struct tb_view {
    char *where, *link, *due; /* of slot 0, in whichever array it is */
    uint32_t hot_stride, due_stride; /* bytes from slot to slot */
    uint32_t filed;   /* slots the structure holds, before this call */
    uint64_t elapsed; /* the set's time in whole ticks since its start, before this call */
    const void *params; /* of the structure's table: what tells its variants apart */
    const tb_allocator *allocator;
    size_t *bytes; /* what the set has allocated; tb_view_resize keeps it */
} tb_view;

static inline uint32_t *tb_where(const tb_view *v, uint32_t slot)
{
    TB_COUNT(touches);
    return (uint32_t *)(void *)(v->where + (size_t)slot * v->hot_stride);
}
static inline uint32_t *tb_link(const tb_view *v, uint32_t slot)
{
    TB_COUNT(touches);
    return (uint32_t *)(void *)(v->link + (size_t)slot * v->hot_stride);
}
static inline uint64_t *tb_due(const tb_view *v, uint32_t slot)
{
    TB_COUNT(touches);
    return (uint64_t *)(void *)(v->due + (size_t)slot * v->due_stride);
}

/* Where take puts what is due. */
typedef struct tb_sink {
    uint32_t *at;
} tb_sink;

static inline void tb_give(tb_sink *sink, uint32_t slot)
{
    TB_COUNT(moves);
    *--sink->at = slot;
}

typedef struct tb_structure {
    uint32_t abi, size; /* TB_ABI, sizeof(tb_structure) */
    const char *name;   /* as in lists and cell names: [a-z0-9_.]+ */
    const char *family; /* list, heap, tree, wheel, queue */
    const char *summary;
    const char *publication;                             /* whose idea, and where it was published */
    const char *cost_insert, *cost_cancel, *cost_expire; /* in n pending, e.g. "O(log n)" */
    uint32_t columns, traits;                            /* or-ed tb_columns, tb_traits */
    uint32_t state_size;                                 /* of the structure's state q, aligned as max_align_t */
    const void *params;                                  /* a variant: the same functions, other constants */
    uint64_t (*late_bound)(uint64_t delay_ticks);        /* TB_RELAXED: most ticks late, for a delay; else NULL */

    /* Makes q, whose memory is dirty. Its clock starts at tick 0. false: out of memory, and nothing to free. */
    bool (*open)(void *q, const tb_view *v);
    void (*close)(void *q, const tb_view *v);

    /* Memory for n filed slots: the only call that may allocate. After it insert, remove, move and take cannot fail as
       long as no more than n are filed. false: out of memory, and what was held before is as it was. n only grows. */
    bool (*reserve)(void *q, const tb_view *v, uint32_t n);

    /* Files a slot. v->elapsed < due. */
    void (*insert)(void *q, const tb_view *v, uint32_t slot, uint64_t due);
    /* Takes a filed slot out. */
    void (*remove)(void *q, const tb_view *v, uint32_t slot);
    /* Files a filed slot elsewhere; NULL: remove, then insert. */
    void (*move)(void *q, const tb_view *v, uint32_t slot, uint64_t due);
    /* The next tick at which take must be called: v->elapsed < *tick <= the least due. false: nothing is filed. */
    bool (*next)(void *q, const tb_view *v, uint64_t *tick);
    /* Takes out every slot with due <= upto, gives each to the sink in any order, and moves the structure's clock to
       upto >= v->elapsed. Called by every tb_timers_expired, also when nothing is due: that must be cheap. */
    void (*take)(void *q, const tb_view *v, uint64_t upto, tb_sink *sink);

    /* Slots re-placed so far; NULL where nothing cascades. */
    uint64_t (*cascades)(const void *q);
    /* O(n): NULL when every invariant holds, else what is broken. It holds exactly v->filed slots. */
    const char *(*check)(const void *q, const tb_view *v);
} tb_structure;

/* Every operation that runs while timers are armed, cancelled, moved or taken is declared with TB_OP, so that the core can
   inline it: without it gcc leaves calls. (gcc refuses always_inline functions at -Og; -O0 works.) */
#if defined(__GNUC__)
#define TB_OP static inline __attribute__((always_inline))
#else
#define TB_OP static inline
#endif

struct tb_impl {
    uint32_t abi, size; /* TB_ABI, sizeof(tb_impl) */
    const tb_structure *structure;
    tb_timers *(*make)(const tb_impl *, tb_instant, const tb_timers_options *); /* options checked already */
};

/* For `make` of an implementation whose structure is not compiled with core.h: written in another language, or known only when
   the program runs. The same semantics; each operation of the structure is one more indirect call.

       const tb_impl mine = {TB_ABI, sizeof(tb_impl), &my_structure, tb_raw_make}; */
TB_API tb_timers *tb_raw_make(const tb_impl *impl, tb_instant now, const tb_timers_options *opt);

/* ---- plugins: implementations in a shared object, for `timerbench --plugin FILE.so` ------------------------------------- */

typedef struct tb_plugin {
    uint32_t abi, size; /* TB_ABI, sizeof(tb_plugin) */
    const tb_impl *const *impls; /* ends with NULL */
} tb_plugin;

#define TB_PLUGIN_SYMBOL "timerbench_plugin"

/* TB_PLUGIN(&tb_mine, &tb_mine_too) once, at file scope: makes the shared object a plugin with these implementations. */
#ifdef __cplusplus
#define TB_PLUGIN_LINKAGE extern "C" TB_API
#else
#define TB_PLUGIN_LINKAGE extern TB_API
#endif
#define TB_PLUGIN(...)                                                             \
    static const tb_impl *const timerbench_plugin_impls[] = {__VA_ARGS__, NULL};   \
    TB_PLUGIN_LINKAGE const tb_plugin timerbench_plugin;                           \
    const tb_plugin timerbench_plugin = {TB_ABI, sizeof(tb_plugin), timerbench_plugin_impls};

/* Resizes a block of the structure's on the set's allocator, aligned to 64 bytes; new_size 0 frees. NULL: out of memory,
   and the block is as it was. tb_memory_taken is what a block of that size takes from the allocator. */
static inline size_t tb_memory_taken(size_t size) { return size ? size + 64 : 0; }
TB_API void *tb_memory_resize(const tb_allocator *allocator, void *p, size_t old_size, size_t new_size);
static inline void *tb_view_resize(const tb_view *v, void *p, size_t old_size, size_t new_size)
{
    void *moved = tb_memory_resize(v->allocator, p, old_size, new_size);
    if (moved || new_size == 0)
        *v->bytes += tb_memory_taken(new_size) - tb_memory_taken(old_size);
    return moved;
}

#ifdef __cplusplus
}
#endif
#endif
