/* The core's side of the contract in <timerbench/impl.h>: a structure that trusts nothing, and checks at every call
   that it is called as promised. It is driven by the random calls that the implementations are compared with. */
#include "random_calls.h"

#include <timerbench/core.h>

enum { PROBE_SLOTS = 4096 };

typedef struct probe_state {
    uint32_t *memory; /* n words, for reserve to have something to allocate */
    uint32_t reserved, filed;
    uint64_t clock;
} probe_state;

static const int probe_params = 1;
static uint64_t due_of[PROBE_SLOTS]; /* 0: not filed */

/* What was broken, and how often. */
enum { MOST_BREACHES = 16 };

static struct breach {
    const char *promise;
    uint64_t times;
} breaches[MOST_BREACHES];

static void breached(const char *promise)
{
    for (int i = 0; i < MOST_BREACHES; i++)
        if (!breaches[i].promise || strcmp(breaches[i].promise, promise) == 0) {
            breaches[i].promise = promise;
            breaches[i].times++;
            return;
        }
}

/* How many promises were broken since the last time. */
static int tell_breaches(const kind *k)
{
    int n = 0;
    for (; n < MOST_BREACHES && breaches[n].promise; n++)
        diag("%s: broken %" PRIu64 " times: %s", k->name, breaches[n].times, breaches[n].promise);
    memset(breaches, 0, sizeof breaches);
    return n;
}

#define PROMISED(condition)       \
    do {                          \
        if (!(condition))         \
            breached(#condition); \
    } while (0)

static bool open_probe(void *q, const tb_view *v)
{
    probe_state *p = q;
    memset(p, 0, sizeof *p);
    memset(due_of, 0, sizeof due_of);
    PROMISED(v->filed == 0 && v->elapsed == 0 && v->params == &probe_params);
    PROMISED((uintptr_t)q % _Alignof(max_align_t) == 0);
    return true;
}

static void close_probe(void *q, const tb_view *v)
{
    probe_state *p = q;
    tb_view_resize(v, p->memory, p->reserved * sizeof *p->memory, 0);
}

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    probe_state *p = q;
    PROMISED(n >= p->reserved && "n only grows");
    uint32_t *moved = tb_view_resize(v, p->memory, p->reserved * sizeof *p->memory, n * sizeof *p->memory);
    if (!moved)
        return false;
    p->memory = moved;
    p->reserved = n;
    return true;
}

/* What every call of a structure that holds slots may count on. */
TB_OP void look(const probe_state *p, const tb_view *v)
{
    PROMISED(v->filed == p->filed);
    PROMISED(p->filed <= p->reserved);
    PROMISED(v->elapsed == p->clock);
    PROMISED(v->params == &probe_params);
}

/* The structure's own fields while it holds a slot, filled with what only this slot and tick would have there. */
TB_OP void sign(const tb_view *v, uint32_t slot, uint64_t due)
{
    *tb_where(v, slot) = slot ^ 0x5555u;
    tb_link(v, slot)[0] = slot + 1;
    tb_link(v, slot)[1] = (uint32_t)due;
    *tb_due(v, slot) = due;
}

TB_OP void signed_by(const tb_view *v, uint32_t slot)
{
    PROMISED(due_of[slot] != 0 && "the slot is filed");
    PROMISED(*tb_due(v, slot) == due_of[slot] && "the due column is the structure's own");
    PROMISED(tb_link(v, slot)[1] == (uint32_t)due_of[slot] && "the link column is the structure's own");
    PROMISED(*tb_where(v, slot) == (slot ^ 0x5555u) && "the where column is the structure's own");
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    probe_state *p = q;
    look(p, v);
    PROMISED(p->filed < p->reserved);
    PROMISED(due > v->elapsed);
    PROMISED(slot < PROBE_SLOTS && due_of[slot] == 0);
    sign(v, slot, due);
    due_of[slot] = due;
    p->filed++;
}

TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot)
{
    probe_state *p = q;
    look(p, v);
    signed_by(v, slot);
    due_of[slot] = 0;
    p->filed--;
}

TB_OP void move(void *q, const tb_view *v, uint32_t slot, uint64_t due)
{
    look(q, v);
    signed_by(v, slot);
    PROMISED(due > v->elapsed);
    sign(v, slot, due);
    due_of[slot] = due;
}

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    probe_state *p = q;
    look(p, v);
    *tick = UINT64_MAX;
    for (uint32_t slot = 0; p->filed && slot < 128; slot++)
        *tick = due_of[slot] && due_of[slot] < *tick ? due_of[slot] : *tick;
    return p->filed > 0;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink)
{
    probe_state *p = q;
    look(p, v);
    PROMISED(upto >= v->elapsed);
    for (uint32_t slot = 0; p->filed && slot < 128; slot++)
        if (due_of[slot] && due_of[slot] <= upto) {
            signed_by(v, slot);
            due_of[slot] = 0;
            p->filed--;
            tb_give(sink, slot);
        }
    p->clock = upto;
}

static const char *check(const void *q, const tb_view *v)
{
    look(q, v);
    return NULL;
}

static const tb_structure probe = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "probe",
    .family = "list",
    .summary = "checks how it is called",
    .publication = "none",
    .cost_insert = "O(1)",
    .cost_cancel = "O(1)",
    .cost_expire = "O(n)",
    .columns = TB_COL_WHERE | TB_COL_LINK | TB_COL_DUE,
    .traits = TB_NEXT_EXACT,
    .state_size = sizeof(probe_state),
    .params = &probe_params,
    .open = open_probe,
    .close = close_probe,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .move = move,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(probe)

/* The same without a move of its own. */
static const tb_structure probe_plain = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "probe_plain",
    .family = "list",
    .summary = "checks how it is called, without move",
    .publication = "none",
    .cost_insert = "O(1)",
    .cost_cancel = "O(1)",
    .cost_expire = "O(n)",
    .columns = TB_COL_WHERE | TB_COL_LINK | TB_COL_DUE,
    .traits = TB_NEXT_EXACT,
    .state_size = sizeof(probe_state),
    .params = &probe_params,
    .open = open_probe,
    .close = close_probe,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(probe_plain)

static void in_random_calls(const kind *k)
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++)
        wrong += one_run(k, seed);
    none_of(wrong, "EQ-01 %s: answers as the model does", k->name);
    none_of(tell_breaches(k), "EQ-01 %s: is called as the contract says, in 500000 random calls", k->name);
}

/* Each allocation of each growth fails once. */
static void in_growth_without_memory(const kind *k)
{
    for (uint64_t fail = 1; fail < 8; fail++)
        for (int and_after = 0; and_after < 2; and_after++) {
            injector in;
            injector_init(&in);
            subject s = make_with(k, 0, (tb_timers_options){.allocator = &in.allocator});
            for (uint64_t i = 0; i < 128; i++) {
                bool full = i == 0 || i == 64 || i == 100;
                injector_fail(&in, full ? fail : 0, and_after);
                bool done = i == 100 ? tb_timers_reserve(s.set, 1000) : arm(&s, (int64_t)(i + 1) * MS, i);
                injector_fail(&in, 0, false);
                if (i == 100 || !done)
                    arm(&s, (int64_t)(i + 1) * MS, i);
            }
            expire(&s, SEC);
            drop(&s);
        }
    none_of(tell_breaches(k), "WHL-43 %s: is called as the contract says where growth fails", k->name);
}

int main(void)
{
    for (int keyed = 0; keyed < 2; keyed++) {
        kind kinds[] = {kind_of(&tb_probe, keyed), kind_of(&tb_probe_plain, keyed)};
        for (int i = 0; i < 2; i++) {
            in_random_calls(&kinds[i]);
            in_growth_without_memory(&kinds[i]);
        }
    }
    return sets_done();
}
