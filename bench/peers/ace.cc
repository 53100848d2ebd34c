/* ace.cc: the timer queues of ACE, the ADAPTIVE Communication Environment: a heap, a hash table of lists, a wheel of sorted
   lists, one sorted list. They are told the time, so they need no synthetic clock. */
#include <new>
#include <vector>

#include <ace/Event_Handler.h>
#include <ace/Null_Mutex.h>
#include <ace/Timer_Hash_T.h>
#include <ace/Timer_Heap_T.h>
#include <ace/Timer_List_T.h>
#include <ace/Timer_Wheel_T.h>
#include <ace/Version.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"

namespace {

enum { BUCKETS = 1024, SPOKES = 4096, RESOLUTION_US = 1000 };

tb_tally tally;

/* Its queues hand a handler to the functor; ours says which set it is of. */
struct owner : ACE_Event_Handler {
    std::vector<long> ids; /* as a caller keeps them; -1: not armed */
};

/* What a queue calls; only timeout does something. */
struct upcall {
    template <class Queue> int registration(Queue &, ACE_Event_Handler *, const void *) { return 0; }
    template <class Queue>
    int preinvoke(Queue &, ACE_Event_Handler *, const void *, int, const ACE_Time_Value &, const void *&)
    {
        return 0;
    }
    template <class Queue> int timeout(Queue &, ACE_Event_Handler *handler, const void *act, int, const ACE_Time_Value &)
    {
        uint32_t timer = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(act));
        static_cast<owner *>(handler)->ids[timer] = -1; /* the id will name another timer */
        tb_tally_add(&tally, timer);
        if (__builtin_expect(tb_peer_log != nullptr, 0))
            tb_fire_log_add(tb_peer_log, timer);
        return 0;
    }
    template <class Queue>
    int postinvoke(Queue &, ACE_Event_Handler *, const void *, int, const ACE_Time_Value &, const void *)
    {
        return 0;
    }
    template <class Queue> int cancel_type(Queue &, ACE_Event_Handler *, int, int &) { return 0; }
    template <class Queue> int cancel_timer(Queue &, ACE_Event_Handler *, int, int) { return 0; }
    template <class Queue> int deletion(Queue &, ACE_Event_Handler *, const void *) { return 0; }
};

using handler = ACE_Event_Handler *;
using heap_queue = ACE_Timer_Heap_T<handler, upcall, ACE_Null_Mutex>;
using list_queue = ACE_Timer_List_T<handler, upcall, ACE_Null_Mutex>;
using wheel_queue = ACE_Timer_Wheel_T<handler, upcall, ACE_Null_Mutex>;
using hash_upcall = ACE_Timer_Hash_Upcall<handler, upcall, ACE_Null_Mutex>;
using hash_bucket = ACE_Timer_List_T<handler, hash_upcall, ACE_Null_Mutex>;
using hash_queue = ACE_Timer_Hash_T<handler, upcall, ACE_Null_Mutex, hash_bucket>;

template <class Queue> Queue *make(uint32_t n);
template <> heap_queue *make(uint32_t n) { return new heap_queue(n, true); }
template <> list_queue *make(uint32_t) { return new list_queue; }
template <> wheel_queue *make(uint32_t n) { return new wheel_queue(SPOKES, RESOLUTION_US, n); }
template <> hash_queue *make(uint32_t) { return new hash_queue(BUCKETS); }

/* Its wheel and its hash divide times, so they must not be negative; and zero means "never" in places. */
constexpr int64_t EPOCH = INT64_C(100000000000000);

ACE_Time_Value time_of(int64_t at)
{
    int64_t us = tb_peer_units(at + EPOCH, 1000);
    return ACE_Time_Value(static_cast<time_t>(us / 1000000), static_cast<suseconds_t>(us % 1000000));
}

/* The present is cut off: nothing may fire early. */
ACE_Time_Value present(int64_t now)
{
    int64_t us = (now + EPOCH) / 1000;
    return ACE_Time_Value(static_cast<time_t>(us / 1000000), static_cast<suseconds_t>(us % 1000000));
}

template <class Queue> struct ace {
    Queue *queue = nullptr;
    owner of;
    ~ace() { delete queue; }

    static ace *from(void *set) { return static_cast<ace *>(set); }

    static void *open(const tb_contender *, const tb_script *s)
    {
        ace *a = nullptr;
        try {
            a = new ace;
            a->queue = make<Queue>(s->n);
            a->of.ids.assign(s->n, -1);
            return a;
        } catch (const std::bad_alloc &) {
            delete a;
            return nullptr;
        }
    }

    static void close(void *set) { delete from(set); }

    TB_OP bool arm(void *set, uint32_t timer, int64_t at)
    {
        ace *a = from(set);
        const void *act = reinterpret_cast<const void *>(static_cast<uintptr_t>(timer));
        return (a->of.ids[timer] = a->queue->schedule(&a->of, act, time_of(at))) != -1;
    }

    TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t) { return arm(set, timer, at); }

    TB_OP bool cancel(void *set, uint32_t timer)
    {
        ace *a = from(set);
        if (a->of.ids[timer] == -1)
            return false;
        bool found = a->queue->cancel(a->of.ids[timer]) == 1;
        a->of.ids[timer] = -1;
        return found;
    }

    TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t)
    {
        cancel(set, timer);
        return arm(set, timer, at);
    }

    TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
    {
        from(set)->queue->expire(present(now));
        return tb_tally_take(&tally, sum);
    }

    TB_OP bool next(void *set, int64_t *at)
    {
        ace *a = from(set);
        if (a->queue->is_empty())
            return false;
        const ACE_Time_Value &first = a->queue->earliest_time();
        *at = (static_cast<int64_t>(first.sec()) * 1000000 + first.usec()) * 1000 - EPOCH;
        return true;
    }

    TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&from(set)->of.ids[timer]); }

    static constexpr tb_driver driver = {open, close, arm, arm_in, cancel, rearm, advance, next, touch};
};

constexpr tb_driver tb_ace_heap = ace<heap_queue>::driver, tb_ace_list = ace<list_queue>::driver;
constexpr tb_driver tb_ace_wheel = ace<wheel_queue>::driver, tb_ace_hash = ace<hash_queue>::driver;
TB_DEFINE_LOOPS(tb_ace_heap)
TB_DEFINE_LOOPS(tb_ace_list)
TB_DEFINE_LOOPS(tb_ace_wheel)
TB_DEFINE_LOOPS(tb_ace_hash)

void version(char *out, size_t size) { snprintf(out, size, "%s", ACE_VERSION); }

const char *const api = "schedule, cancel, expire(time)";

} // namespace

extern "C" {
extern const tb_peer tb_peers_ace[];
const tb_peer tb_peers_ace[] = {
    {"ace_heap", api, "room for all timers is made beforehand", &tb_ace_heap_loops, version, 0, 1000, 0, 100000,
     "a cancel grows with the population", 64},
    {"ace_hash", api, "1024 buckets, each looked at in every step", &tb_ace_hash_loops, version, 0, 1000, 0, 10000,
     "its buckets are lists that are walked", 8},
    {"ace_wheel", api, "4096 spokes, the most there can be, of 1 ms, each a sorted list", &tb_ace_wheel_loops, version, 0, 1000, 0,
     100000, "its spokes are sorted lists", 8},
    {"ace_list", api, "one sorted list", &tb_ace_list_loops, version, 0, 1000, 0, 10000, "an arm walks the list", 64},
    {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0, nullptr, 0},
};
}
