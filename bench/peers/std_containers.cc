/* std_containers.cc: what a C++ programmer takes from the standard library: a std::set of (deadline, order, timer), and a
   std::priority_queue in which what was cancelled stays until it comes to the top. */
#include <new>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "bench/loops.h"
#include "bench/peers/peer.h"

namespace {

/* Ordered by deadline, then by the order armed. */
struct entry {
    int64_t at;
    uint64_t order;
    uint32_t timer;
    bool operator<(const entry &o) const { return at != o.at ? at < o.at : order < o.order; }
    bool operator>(const entry &o) const { return o < *this; }
};

void note(uint32_t timer)
{
    if (__builtin_expect(tb_peer_log != nullptr, 0))
        tb_fire_log_add(tb_peer_log, timer);
}

/* ---- std::set ---------------------------------------------------------------------------------------------------- */

struct tree {
    std::set<entry> entries;
    std::vector<std::set<entry>::iterator> of; /* as a caller keeps them; end(): not armed */
    uint64_t order = 0;
};

void *open_tree(const tb_contender *, const tb_script *s)
{
    try {
        tree *t = new tree;
        t->of.assign(s->n, t->entries.end());
        return t;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void close_tree(void *set) { delete static_cast<tree *>(set); }

TB_OP bool arm_tree(void *set, uint32_t timer, int64_t at)
{
    tree *t = static_cast<tree *>(set);
    try {
        t->of[timer] = t->entries.insert(entry{at, t->order++, timer}).first;
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

TB_OP bool arm_tree_in(void *set, uint32_t timer, int64_t at, uint32_t) { return arm_tree(set, timer, at); }

TB_OP bool cancel_tree(void *set, uint32_t timer)
{
    tree *t = static_cast<tree *>(set);
    if (t->of[timer] == t->entries.end())
        return false;
    t->entries.erase(t->of[timer]);
    t->of[timer] = t->entries.end();
    return true;
}

TB_OP bool rearm_tree(void *set, uint32_t timer, int64_t at, uint32_t)
{
    cancel_tree(set, timer);
    return arm_tree(set, timer, at);
}

TB_OP size_t advance_tree(void *set, int64_t now, uint64_t *sum)
{
    tree *t = static_cast<tree *>(set);
    size_t n = 0;
    for (auto first = t->entries.begin(); first != t->entries.end() && first->at <= now; first = t->entries.erase(first), n++) {
        *sum += first->timer;
        note(first->timer);
        t->of[first->timer] = t->entries.end();
    }
    return n;
}

TB_OP bool next_tree(void *set, int64_t *at)
{
    tree *t = static_cast<tree *>(set);
    if (t->entries.empty())
        return false;
    *at = t->entries.begin()->at;
    return true;
}

TB_OP void touch_tree(void *set, uint32_t timer) { __builtin_prefetch(&static_cast<tree *>(set)->of[timer]); }

/* ---- std::priority_queue ----------------------------------------------------------------------------------------- */

struct heap : std::priority_queue<entry, std::vector<entry>, std::greater<entry>> {
    std::vector<uint64_t> armed; /* of each timer, the order of its entry that counts; 0: not armed */
    size_t live = 0;
    uint64_t order = 0;

    bool is_live(const entry &e) const { return armed[e.timer] == e.order; }

    /* Cancelled entries go when they are more than the others, as in every lazy queue that is to stay bounded. */
    void compact()
    {
        size_t kept = 0;
        for (const entry &e : c)
            if (is_live(e))
                c[kept++] = e;
        c.resize(kept);
        std::make_heap(c.begin(), c.end(), comp);
    }

    void drop_cancelled()
    {
        while (!empty() && !is_live(top()))
            pop();
    }
};

void *open_heap(const tb_contender *, const tb_script *s)
{
    try {
        heap *h = new heap;
        h->armed.assign(s->n, 0);
        return h;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void close_heap(void *set) { delete static_cast<heap *>(set); }

TB_OP bool arm_heap(void *set, uint32_t timer, int64_t at)
{
    heap *h = static_cast<heap *>(set);
    try {
        h->push(entry{at, ++h->order, timer});
        h->armed[timer] = h->order;
        h->live++;
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

TB_OP bool arm_heap_in(void *set, uint32_t timer, int64_t at, uint32_t) { return arm_heap(set, timer, at); }

TB_OP bool cancel_heap(void *set, uint32_t timer)
{
    heap *h = static_cast<heap *>(set);
    if (h->armed[timer] == 0)
        return false;
    h->armed[timer] = 0;
    h->live--;
    if (h->size() > 64 && h->size() > 2 * h->live)
        h->compact();
    return true;
}

TB_OP bool rearm_heap(void *set, uint32_t timer, int64_t at, uint32_t)
{
    cancel_heap(set, timer);
    return arm_heap(set, timer, at);
}

TB_OP size_t advance_heap(void *set, int64_t now, uint64_t *sum)
{
    heap *h = static_cast<heap *>(set);
    size_t n = 0;
    for (; !h->empty() && h->top().at <= now; h->pop()) {
        if (!h->is_live(h->top()))
            continue;
        *sum += h->top().timer;
        note(h->top().timer);
        h->armed[h->top().timer] = 0;
        h->live--;
        n++;
    }
    return n;
}

TB_OP bool next_heap(void *set, int64_t *at)
{
    heap *h = static_cast<heap *>(set);
    h->drop_cancelled();
    if (h->empty())
        return false;
    *at = h->top().at;
    return true;
}

TB_OP void touch_heap(void *set, uint32_t timer) { __builtin_prefetch(&static_cast<heap *>(set)->armed[timer]); }

constexpr tb_driver tb_std_set = {open_tree,  close_tree,   arm_tree,  arm_tree_in, cancel_tree,
                                  rearm_tree, advance_tree, next_tree, touch_tree};
constexpr tb_driver tb_std_pq = {open_heap,  close_heap,   arm_heap,  arm_heap_in, cancel_heap,
                                 rearm_heap, advance_heap, next_heap, touch_heap};
TB_DEFINE_LOOPS(tb_std_set)
TB_DEFINE_LOOPS(tb_std_pq)

void version(char *out, size_t size)
{
#ifdef _GLIBCXX_RELEASE
    snprintf(out, size, "libstdc++ %d", _GLIBCXX_RELEASE);
#else
    snprintf(out, size, "C++ %ld", __cplusplus);
#endif
}

} // namespace

extern "C" {
extern const tb_peer tb_peers_std_containers[];
const tb_peer tb_peers_std_containers[] = {
    {"std_set", "std::set: insert, erase, begin", "a node of its own is allocated for each timer armed", &tb_std_set_loops,
     version, 0, 0, 0, 0, nullptr, 0},
    {"std_pq_lazy", "std::priority_queue: push, pop, top; a cancel only marks",
     "marked entries are thrown out when they are more than half", &tb_std_pq_loops, version, 0, 0, 0, 0, nullptr, 0},
    {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0, nullptr, 0},
};
}
