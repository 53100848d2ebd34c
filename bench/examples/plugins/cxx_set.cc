// cxx_set: a std::set of (tick, slot), as a plugin through the raw operations of impl.h: how a structure in another language than
// C takes part.
//
//     c++ -O2 -shared -fPIC $(pkg-config --cflags timerbench) cxx_set.cc -o cxx_set.so
//     timerbench check --plugin ./cxx_set.so
//
// Only reserve may allocate, and std::set allocates in insert. So reserve fills a pool with a cell for each node that there can
// be, and the set's allocator takes from it.
#include <cstddef>
#include <cstdint>
#include <new>
#include <set>
#include <utility>

#include <timerbench/impl.h>

namespace {

struct cell {
    alignas(std::max_align_t) unsigned char bytes[64]; // a node of the tree: 48 with libstdc++ and libc++
};

union place {
    place *next; // while it is free
    cell held;
};

struct chunk {
    chunk *next;
    std::size_t size;
};

struct pool {
    place *free = nullptr;
    chunk *chunks = nullptr;
    std::uint32_t places = 0;
};

constexpr std::size_t chunk_head = (sizeof(chunk) + alignof(place) - 1) / alignof(place) * alignof(place);

// Room for n nodes in all.
bool fill(pool &p, const tb_view *v, std::uint32_t n)
{
    if (n <= p.places)
        return true;
    std::size_t count = n - p.places, size = chunk_head + count * sizeof(place);
    void *memory = tb_view_resize(v, nullptr, 0, size);
    if (!memory)
        return false;
    p.chunks = new (memory) chunk{p.chunks, size};
    auto *places = reinterpret_cast<place *>(static_cast<unsigned char *>(memory) + chunk_head);
    for (std::size_t i = count; i-- > 0;)
        p.free = new (places + i) place{p.free};
    p.places = n;
    return true;
}

void empty(pool &p, const tb_view *v)
{
    while (p.chunks) {
        chunk *c = p.chunks;
        p.chunks = c->next;
        tb_view_resize(v, c, c->size, 0);
    }
}

template <class T> struct pool_allocator {
    using value_type = T;
    pool *from;
    explicit pool_allocator(pool *p) : from(p) {}
    template <class U> pool_allocator(const pool_allocator<U> &other) : from(other.from) {}
    T *allocate(std::size_t)
    {
        static_assert(sizeof(T) <= sizeof(cell), "a node does not fit a cell");
        place *p = from->free;
        from->free = p->next;
        return reinterpret_cast<T *>(p);
    }
    void deallocate(T *node, std::size_t) { from->free = new (node) place{from->free}; }
    template <class U> bool operator==(const pool_allocator<U> &other) const { return from == other.from; }
    template <class U> bool operator!=(const pool_allocator<U> &other) const { return from != other.from; }
};

using key = std::pair<std::uint64_t, std::uint32_t>; // due, slot
using tree = std::set<key, std::less<key>, pool_allocator<key>>;

struct state {
    pool memory;
    tree timers{pool_allocator<key>(&memory)};
};

state &of(void *q) { return *static_cast<state *>(q); }

bool open_set(void *q, const tb_view *)
{
    new (q) state;
    return true;
}

void close_set(void *q, const tb_view *v)
{
    of(q).timers.clear();
    empty(of(q).memory, v);
    of(q).~state();
}

bool reserve(void *q, const tb_view *v, std::uint32_t n) { return fill(of(q).memory, v, n); }

void insert(void *q, const tb_view *v, std::uint32_t slot, std::uint64_t due)
{
    *tb_due(v, slot) = due;
    of(q).timers.emplace(due, slot);
}

void remove_slot(void *q, const tb_view *v, std::uint32_t slot) { of(q).timers.erase(key(*tb_due(v, slot), slot)); }

bool next(void *q, const tb_view *, std::uint64_t *tick)
{
    if (of(q).timers.empty())
        return false;
    *tick = of(q).timers.begin()->first;
    return true;
}

void take(void *q, const tb_view *, std::uint64_t upto, tb_sink *sink)
{
    tree &t = of(q).timers;
    while (!t.empty() && t.begin()->first <= upto) {
        tb_give(sink, t.begin()->second);
        t.erase(t.begin());
    }
}

const char *check(const void *q, const tb_view *v)
{
    const tree &t = static_cast<const state *>(q)->timers;
    if (!t.empty() && t.begin()->first <= v->elapsed)
        return "a timer in the tree is overdue";
    for (const key &k : t)
        if (*tb_due(v, k.second) != k.first)
            return "a slot's tick is not the tree's";
    return t.size() == v->filed ? nullptr : "the tree holds another number of slots than are filed";
}

const tb_structure cxx_set = {
    TB_ABI, sizeof(tb_structure),
    "cxx_set", "tree", "std::set of (tick, slot), through the raw operations", "an example",
    "O(log n)", "O(log n)", "O(1) a timer",
    TB_COL_DUE, TB_NEXT_EXACT, sizeof(state),
    nullptr, // params: of variants
    nullptr, // late_bound: it is exact
    open_set, close_set, reserve, insert, remove_slot,
    nullptr, // move: remove and insert do
    next, take,
    nullptr, // cascades: none
    check,
};

const tb_impl tb_cxx_set = {TB_ABI, sizeof(tb_impl), &cxx_set, tb_raw_make};

} // namespace

TB_PLUGIN(&tb_cxx_set)
