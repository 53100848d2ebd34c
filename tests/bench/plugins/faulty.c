/* faulty.c: plugins that misbehave, one for each value of FAULT, around the sorted array of the examples. */
#include <timerbench/core.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#undef TB_DEFINE_IMPL
#define TB_DEFINE_IMPL(s)
#undef TB_PLUGIN
#define TB_PLUGIN(impl)
#include "bench/examples/plugins/sorted_array.c"

enum {
    CRASHES = 1,    /* with three timers for one tick */
    ABORTS,         /* when a timer is cancelled that another was armed before */
    HANGS,          /* when the timer armed second is due */
    EXITS,          /* by calling exit */
    LIES,           /* forgets a timer beyond 64 ticks */
    LIES_AND_DIES,  /* the same, but dies of few operations: when it is shrunk */
    KEEPS,          /* delivers nothing */
    DIES_MADE,      /* when a set is made */
    DIES_ENDED,     /* when a set is destroyed in which something is pending */
    DIES_LOADED,    /* when it is loaded */
    HANGS_LOADED,
    WRONG_ABI,
    WRONG_STRUCTURE_ABI,
    NULL_OPERATION,
    WRONG_NAME,
    TAKEN_NAME,
    EMPTY
};

static int inserts;

static bool faulty_open(void *q, const tb_view *v)
{
    inserts = 0;
    if (FAULT == DIES_MADE)
        raise(SIGSEGV);
    return open_array(q, v);
}

static void faulty_close(void *q, const tb_view *v)
{
    if (FAULT == DIES_ENDED && v->filed > 0)
        raise(SIGBUS);
    if (FAULT == LIES_AND_DIES && inserts > 0 && inserts < 3)
        abort();
    close_array(q, v);
}

static void faulty_insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    array *a = q;
    inserts++;
    insert(q, v, slot, due);
    if (FAULT == CRASHES && a->len > 2 && a->items[a->len - 1].due == a->items[a->len - 3].due)
        *(volatile int *)NULL = 1;
    if ((FAULT == LIES || FAULT == LIES_AND_DIES) && due > v->elapsed + 64 && a->items[a->len - 1].slot != slot)
        a->items[place_of(a, due) - 1].due = due + 1;
}

static void faulty_remove(void *q, const tb_view *v, uint32_t slot)
{
    const array *a = q;
    if (FAULT == ABORTS && a->len > 1)
        abort();
    if (FAULT == EXITS)
        exit(3);
    remove_slot(q, v, slot);
}

static void faulty_take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    const array *a = q;
    while (FAULT == HANGS && a->len > 0 && a->items[a->len - 1].due <= upto && a->items[a->len - 1].slot == 1)
        pause();
    if (FAULT != KEEPS)
        take(q, v, upto, sink);
}

static bool faulty_next(void *q, const tb_view *v, uint64_t *tick) { return next(q, v, tick); }

static tb_structure faulty;

__attribute__((constructor)) static void fill(void)
{
    faulty = sorted_array;
    faulty.name = FAULT == WRONG_NAME ? "Faulty!" : FAULT == TAKEN_NAME ? "heap4" : "faulty";
    faulty.open = faulty_open;
    faulty.close = faulty_close;
    faulty.insert = FAULT == NULL_OPERATION ? NULL : faulty_insert;
    faulty.remove = faulty_remove;
    faulty.take = faulty_take;
    faulty.next = faulty_next;
    faulty.abi += FAULT == WRONG_STRUCTURE_ABI;
    if (FAULT == DIES_LOADED)
        abort();
    while (FAULT == HANGS_LOADED)
        pause();
}

static const tb_impl tb_faulty = {TB_ABI, sizeof(tb_impl), &faulty, tb_raw_make};
static const tb_impl *const impls[] = {FAULT == EMPTY ? NULL : &tb_faulty, NULL};
#ifdef ANOTHER_SYMBOL
#define timerbench_plugin another_plugin
#endif
TB_PLUGIN_LINKAGE const tb_plugin timerbench_plugin;
const tb_plugin timerbench_plugin = {TB_ABI + (FAULT == WRONG_ABI), sizeof(tb_plugin), impls};
