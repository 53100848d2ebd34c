/* gbench.cc: see gbench.h.

   Registered benchmarks are kept here and given to the library for one run only, one library benchmark an instance (an
   argument list with a thread count): so names, filters and lists are ours, and every value is checked before the
   library sees it, which aborts on a bad one. One reporter of ours, Tee, stands between the library and all outlets; it
   cleans names, turns figures that JSON cannot hold into errors, and adds the fits of complexity. The state that the C
   side holds wraps the library's, and keeps the library's rules of the loop for a careless caller. */
#include "gbench.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <regex.h>
#include <unistd.h>

using benchmark::State;
using Context = benchmark::BenchmarkReporter::Context;
using Run = benchmark::BenchmarkReporter::Run;
using Memory = benchmark::MemoryManager::Result;

static_assert(int(TB_GBENCH_S) == int(benchmark::kSecond) && int(TB_GBENCH_US) == int(benchmark::kMicrosecond),
              "units");
static_assert(int(TB_GBENCH_O_N) == int(benchmark::oN) && int(TB_GBENCH_O_N_LOG_N) == int(benchmark::oNLogN) &&
                  int(TB_GBENCH_O_FUNCTION) == int(benchmark::oLambda),
              "curves");

// ---- errors and text ------------------------------------------------------------------------------------------------

namespace {

thread_local char error_text[512];

__attribute__((format(printf, 2, 3))) tb_gbench_status fail(tb_gbench_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    std::vsnprintf(error_text, sizeof error_text, format, args);
    va_end(args);
    return status;
}

// Thrown where a status cannot be returned; the text is set already.
struct Stop {
    tb_gbench_status status;
};

// Runs body; no exception leaves.
template <class Body> tb_gbench_status guarded(Body body) noexcept
{
    try {
        return body();
    } catch (const Stop &stop) {
        return stop.status;
    } catch (const std::bad_alloc &) {
        return fail(TB_GBENCH_NO_MEMORY, "out of memory");
    } catch (const std::exception &e) {
        return fail(TB_GBENCH_FAILED, "%s", e.what());
    } catch (...) {
        return fail(TB_GBENCH_FAILED, "an exception of an unknown type");
    }
}

// Bytes of the UTF-8 sequence (RFC 3629) that text begins with; 0: malformed, or a control character.
size_t sequence(std::string_view text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = static_cast<unsigned char>(text[0]);
    if (first < 0x80)
        return first >= 0x20 && first != 0x7f;
    size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || text.size() < size)
        return 0;
    uint32_t code = first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        unsigned next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (next & 0x3f);
    }
    bool good = code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return good ? size : 0;
}

// Replaces what a line of JSON cannot carry.
void clean(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = sequence(std::string_view(text + i, size - i));
        if (length == 0)
            text[i++] = '?';
        i += length;
    }
}

std::string cleaned(const char *text)
{
    std::string copy = text ? text : "";
    clean(copy.data(), copy.size());
    return copy;
}

// What is wrong with a name; NULL: nothing.
const char *name_problem(const char *name)
{
    if (!name || !*name)
        return "an empty name";
    std::string_view rest = name;
    if (rest.size() > TB_GBENCH_LONGEST_NAME)
        return "a name that is too long";
    while (!rest.empty()) {
        size_t length = sequence(rest);
        if (length == 0)
            return "a name with control characters or malformed UTF-8";
        rest.remove_prefix(length);
    }
    return nullptr;
}

// ---- what is registered ---------------------------------------------------------------------------------------------

// The library's statistics are plain functions of a vector: a slot gives one its C function and pointer.
struct Slot {
    tb_gbench_statistic_function *function;
    void *user;
};
Slot slots[TB_GBENCH_MOST_STATISTICS];

template <size_t I> double through_slot(const std::vector<double> &values)
{
    return slots[I].function(values.data(), values.size(), slots[I].user);
}
template <size_t... I> benchmark::StatisticsFunc *slot_function(size_t slot, std::index_sequence<I...>)
{
    static benchmark::StatisticsFunc *const functions[] = {through_slot<I>...};
    return functions[slot];
}

struct Statistic {
    std::string name;
    size_t slot;
    bool ratio;
};

} // namespace

struct tb_gbench_benchmark {
    std::string name;
    tb_gbench_function *function = nullptr;
    void *user = nullptr;
    const char *refused = nullptr; // the first refusal
    std::vector<std::vector<int64_t>> args;
    std::vector<std::string> arg_names;
    std::vector<int> threads;
    std::vector<Statistic> statistics;
    int multiplier = 8;
    int repetitions = 0; // 0 here and below: not set
    int64_t iterations = 0;
    double min_time = 0;
    bool real_time = false, manual_time = false, process_time = false;
    bool aggregates_set = false, report_aggregates = false, display_aggregates = false;
    bool unit_set = false;
    tb_gbench_time_unit unit = TB_GBENCH_NS;
    tb_gbench_big_o big_o = TB_GBENCH_O_NONE;
    tb_gbench_curve *curve = nullptr;
    void *curve_user = nullptr;
};

namespace {

using Benchmark = tb_gbench_benchmark;
constexpr int most_repetitions = 1000000;

struct Flags {
    bool list = false, shuffle = false, report_aggregates = false, display_aggregates = false, tabular = false;
    std::string filter, format = "console", color = "auto";
    double min_time = 0.5, warm_up = 0;
    int repetitions = 1, verbosity = 0;
    benchmark::TimeUnit unit = benchmark::kNanosecond;
    std::map<std::string, std::string> context;
};

struct Process {
    std::vector<std::unique_ptr<Benchmark>> benchmarks;
    size_t statistics = 0;
    std::map<std::string, std::string> context; // the caller's; flags.context comes beside it
    Flags flags;
    std::string executable, cleared;
    bool initialized = false, running = false;
};
Process process;

tb_gbench_status refuse_in_run()
{
    return process.running ? fail(TB_GBENCH_BUSY, "not possible inside a run") : TB_GBENCH_OK;
}

// The number of an enumeration's value that came from C, where it may be none of it.
template <class Enum> int number_of(const Enum &value)
{
    static_assert(sizeof(Enum) == sizeof(int), "C's enumerations are ints");
    int number;
    std::memcpy(&number, &value, sizeof number);
    return number;
}

// A value that a setter does not take.
struct Refused {
    const char *text;
};
void require(bool good, const char *otherwise)
{
    if (!good)
        throw Refused{otherwise};
}

// One setter: edit changes the benchmark, or throws before it has changed anything.
template <class Edit> tb_gbench_status change(Benchmark *b, Edit edit) noexcept
{
    if (!b)
        return fail(TB_GBENCH_BAD_ARGUMENT, "no benchmark");
    if (tb_gbench_status busy = refuse_in_run())
        return busy;
    const char *problem = "out of memory";
    tb_gbench_status status = guarded([&] {
        try {
            edit();
            return TB_GBENCH_OK;
        } catch (const Refused &refused) {
            problem = refused.text;
            return fail(TB_GBENCH_BAD_ARGUMENT, "%s: %s", b->name.c_str(), problem);
        }
    });
    if (status != TB_GBENCH_OK && !b->refused)
        b->refused = problem;
    return status;
}

using Lists = std::vector<std::vector<int64_t>>;

void add_lists(Benchmark &b, const Lists &lists)
{
    size_t length = lists[0].size();
    require((b.args.empty() || b.args[0].size() == length) && (b.arg_names.empty() || b.arg_names.size() == length),
            "argument lists and names of different lengths");
    require(b.args.size() + lists.size() <= TB_GBENCH_MOST_INSTANCES, "too many argument lists");
    Lists all = b.args;
    std::set<std::vector<int64_t>> seen(all.begin(), all.end());
    for (const std::vector<int64_t> &list : lists)
        if (seen.insert(list).second)
            all.push_back(list);
    b.args = std::move(all);
}

void add_values(Benchmark &b, const std::vector<int64_t> &values)
{
    Lists lists;
    for (int64_t value : values)
        lists.push_back({value});
    add_lists(b, lists);
}

} // namespace

extern "C" {

const char *tb_gbench_error_text(void)
{
    return error_text;
}

tb_gbench_benchmark *tb_gbench_register(const char *name, tb_gbench_function *function, void *user)
{
    Benchmark *made = nullptr;
    guarded([&] {
        if (tb_gbench_status busy = refuse_in_run())
            return busy;
        if (const char *problem = function ? name_problem(name) : "no function")
            return fail(TB_GBENCH_BAD_ARGUMENT, "a benchmark with %s", problem);
        auto b = std::make_unique<Benchmark>();
        b->name = name;
        b->function = function;
        b->user = user;
        process.benchmarks.push_back(std::move(b));
        made = process.benchmarks.back().get();
        return TB_GBENCH_OK;
    });
    return made;
}

tb_gbench_status tb_gbench_arg(tb_gbench_benchmark *b, int64_t argument)
{
    return tb_gbench_args(b, &argument, 1);
}

tb_gbench_status tb_gbench_args(tb_gbench_benchmark *b, const int64_t *arguments, size_t count)
{
    return change(b, [=] {
        require(arguments && count, "an empty argument list");
        add_lists(*b, {std::vector<int64_t>(arguments, arguments + count)});
    });
}

tb_gbench_status tb_gbench_range(tb_gbench_benchmark *b, int64_t start, int64_t limit)
{
    return change(b, [=] {
        require(start <= limit, "a range whose start is past its limit");
        add_values(*b, benchmark::CreateRange(start, limit, b->multiplier));
    });
}

tb_gbench_status tb_gbench_range_multiplier(tb_gbench_benchmark *b, int multiplier)
{
    return change(b, [=] {
        require(multiplier >= 2, "a range multiplier below 2");
        b->multiplier = multiplier;
    });
}

tb_gbench_status tb_gbench_dense_range(tb_gbench_benchmark *b, int64_t start, int64_t limit, int step)
{
    return change(b, [=] {
        require(start <= limit && step >= 1, "a dense range that ends before its start, or a step below 1");
        uint64_t by = static_cast<unsigned>(step);
        uint64_t steps = (static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)) / by;
        require(steps < TB_GBENCH_MOST_INSTANCES, "too many argument lists");
        std::vector<int64_t> values; // not CreateDenseRange: it overflows near INT64_MAX
        for (uint64_t i = 0; i <= steps; i++)
            values.push_back(start + static_cast<int64_t>(i * by));
        add_values(*b, values);
    });
}

tb_gbench_status tb_gbench_args_product(tb_gbench_benchmark *b, const tb_gbench_list_of_args *lists, size_t count)
{
    return change(b, [=] {
        require(lists && count, "a product without lists");
        size_t total = 1;
        for (size_t i = 0; i < count; i++) {
            require(lists[i].arguments && lists[i].count, "a product with an empty list");
            require(lists[i].count <= TB_GBENCH_MOST_INSTANCES / total, "too many argument lists");
            total *= lists[i].count;
        }
        Lists product(total);
        for (size_t i = 0; i < total; i++)
            for (size_t k = 0, rest = i; k < count; rest /= lists[k++].count)
                product[i].push_back(lists[k].arguments[rest % lists[k].count]);
        add_lists(*b, product);
    });
}

tb_gbench_status tb_gbench_arg_name(tb_gbench_benchmark *b, const char *name)
{
    return tb_gbench_arg_names(b, &name, 1);
}

tb_gbench_status tb_gbench_arg_names(tb_gbench_benchmark *b, const char *const *names, size_t count)
{
    return change(b, [=] {
        require(names && count, "no argument names");
        require(b->args.empty() || b->args[0].size() == count, "argument lists and names of different lengths");
        std::vector<std::string> all;
        for (size_t i = 0; i < count; i++) {
            require(names[i] && (!*names[i] || !name_problem(names[i])), "a bad argument name");
            all.push_back(names[i]);
        }
        b->arg_names = std::move(all);
    });
}

tb_gbench_status tb_gbench_iterations(tb_gbench_benchmark *b, int64_t iterations)
{
    return change(b, [=] {
        require(iterations >= 1 && iterations <= TB_GBENCH_MOST_ITERATIONS, "iterations out of range");
        require(b->min_time == 0, "both iterations and a minimum time");
        b->iterations = iterations;
    });
}

tb_gbench_status tb_gbench_min_time(tb_gbench_benchmark *b, double seconds)
{
    return change(b, [=] {
        // The library takes the smallest ones for "not set".
        require(std::isfinite(seconds) && seconds >= 1e-9, "a minimum time out of range");
        require(b->iterations == 0, "both iterations and a minimum time");
        b->min_time = seconds;
    });
}

tb_gbench_status tb_gbench_repetitions(tb_gbench_benchmark *b, int repetitions)
{
    return change(b, [=] {
        require(repetitions >= 1 && repetitions <= most_repetitions, "repetitions out of range");
        b->repetitions = repetitions;
    });
}

tb_gbench_status tb_gbench_report_aggregates_only(tb_gbench_benchmark *b, bool only)
{
    return change(b, [=] {
        b->aggregates_set = true;
        b->report_aggregates = only;
    });
}

tb_gbench_status tb_gbench_display_aggregates_only(tb_gbench_benchmark *b, bool only)
{
    return change(b, [=] {
        b->aggregates_set = true;
        b->display_aggregates = only;
    });
}

tb_gbench_status tb_gbench_statistic(tb_gbench_benchmark *b, const char *name, tb_gbench_statistic_function *function,
                                     void *user, bool ratio)
{
    return change(b, [=] {
        static const std::set<std::string_view> taken = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
        require(function && !name_problem(name) && !taken.count(name), "a statistic without function or fit name");
        for (const Statistic &other : b->statistics)
            require(other.name != name, "two statistics of one name");
        require(process.statistics < TB_GBENCH_MOST_STATISTICS, "too many statistics");
        b->statistics.push_back({name, process.statistics, ratio});
        slots[process.statistics++] = {function, user};
    });
}

tb_gbench_status tb_gbench_unit(tb_gbench_benchmark *b, tb_gbench_time_unit unit)
{
    return change(b, [b, number = number_of(unit)] {
        require(number >= TB_GBENCH_NS && number <= TB_GBENCH_S, "an unknown time unit");
        b->unit_set = true;
        b->unit = static_cast<tb_gbench_time_unit>(number);
    });
}

tb_gbench_status tb_gbench_use_real_time(tb_gbench_benchmark *b)
{
    return change(b, [=] {
        require(!b->manual_time, "both real and manual time");
        b->real_time = true;
    });
}

tb_gbench_status tb_gbench_use_manual_time(tb_gbench_benchmark *b)
{
    return change(b, [=] {
        require(!b->real_time, "both real and manual time");
        b->manual_time = true;
    });
}

tb_gbench_status tb_gbench_measure_process_cpu_time(tb_gbench_benchmark *b)
{
    return change(b, [=] { b->process_time = true; });
}

tb_gbench_status tb_gbench_threads(tb_gbench_benchmark *b, int threads)
{
    return tb_gbench_thread_range(b, threads, threads);
}

tb_gbench_status tb_gbench_thread_range(tb_gbench_benchmark *b, int fewest, int most)
{
    return change(b, [=] {
        require(fewest >= 1 && fewest <= most && most <= TB_GBENCH_MOST_THREADS, "a thread count out of range");
        std::vector<int> all = b->threads;
        for (int64_t count : benchmark::CreateRange(fewest, most, 2))
            if (std::find(all.begin(), all.end(), count) == all.end())
                all.push_back(static_cast<int>(count));
        b->threads = std::move(all);
    });
}

tb_gbench_status tb_gbench_complexity(tb_gbench_benchmark *b, tb_gbench_big_o kind)
{
    return change(b, [b, number = number_of(kind)] {
        require(number >= TB_GBENCH_O_NONE && number <= TB_GBENCH_O_AUTO, "an unknown complexity");
        b->big_o = static_cast<tb_gbench_big_o>(number);
    });
}

tb_gbench_status tb_gbench_complexity_function(tb_gbench_benchmark *b, tb_gbench_curve *curve, void *user)
{
    return change(b, [=] {
        require(curve, "a complexity without a function");
        b->big_o = TB_GBENCH_O_FUNCTION;
        b->curve = curve;
        b->curve_user = user;
    });
}

tb_gbench_status tb_gbench_unregister_all(void)
{
    if (tb_gbench_status busy = refuse_in_run())
        return busy;
    process.benchmarks.clear();
    process.statistics = 0;
    return TB_GBENCH_OK;
}

} // extern "C"

// ---- inside a run ---------------------------------------------------------------------------------------------------

namespace {

// An instance for the time of one tb_gbench_run(): to the library a benchmark of its own.
struct Cell {
    Cell(Benchmark &b, size_t f, size_t i, std::string n, std::vector<int64_t> a, int t)
        : benchmark(b), family(f), instance(i), name(std::move(n)), args(std::move(a)), threads(t)
    {
    }

    Benchmark &benchmark;
    size_t family, instance;
    std::string name;
    std::vector<int64_t> args;
    int threads; // 0: not asked for
    std::mutex lock;
    std::map<std::string, std::pair<unsigned, int>> counters; // flags and base of each
    // How far the last batch went beyond the count asked for, by thread and count. The library aborts when two
    // repetitions have different iterations, failed ones included.
    std::map<std::pair<int, int64_t>, int64_t> overruns;
    // The first repetition has: the others must, too. The library aggregates two good ones through a pointer that it
    // sets in the first one when that is good.
    bool failed = false;
    std::vector<Memory> memory; // of each repetition
};

Cell *last_cell; // what thread 0 ran last: where a memory manager's result belongs

} // namespace

struct tb_gbench_state {
    State &run;
    Cell &cell;
    bool hold = true; // keep_running() must look first: not running, or there is an overrun to keep to
    bool begun = false, paused = false, over = false, timed = false;
    int64_t overrun = -1; // known from an earlier repetition; -1: this is the first
    int64_t n = 0;
    char error[256] = "";
};

namespace {

bool is_running(const tb_gbench_state &s)
{
    return s.begun && !s.paused && !s.over && !s.error[0];
}

// Uses up the iterations that are left, with the overrun that the other repetitions have.
void exhaust(tb_gbench_state &s)
{
    int64_t left = s.run.max_iterations - s.run.iterations();
    if (left > 0)
        s.run.KeepRunningBatch(left + std::max<int64_t>(s.overrun, 0));
}

void tell_error(tb_gbench_state &s)
{
    exhaust(s);
    try {
        s.run.SkipWithError(s.error);
    } catch (const std::bad_alloc &) {
        s.run.SkipWithError("out of memory"); // short enough to need none
    }
}

// The first error counts. Before the loop it is only noted: the library's loop must begin first, on every thread, and
// the caller may hold what other threads wait for.
void skip(tb_gbench_state &s, const char *text)
{
    if (s.error[0])
        return;
    std::snprintf(s.error, sizeof s.error, "%s", text && *text ? text : "failed");
    clean(s.error, std::strlen(s.error));
    s.hold = true;
    if (s.begun)
        tell_error(s);
}

// Takes a failed run through the rest of the library's loop.
void finish(tb_gbench_state &s)
{
    if (!s.begun) {
        s.begun = true;
        tell_error(s);
    }
    s.run.KeepRunning();
    s.over = true;
}

// Whatever throws makes the run an error, and the answer false.
template <class Body> bool attempt(tb_gbench_state &s, Body body) noexcept
{
    try {
        return body();
    } catch (const std::bad_alloc &) {
        skip(s, "out of memory");
    } catch (const std::exception &e) {
        skip(s, e.what());
    } catch (...) {
        skip(s, "an exception of an unknown type");
    }
    return false;
}

// The rare answers of the loop; true: the library's may be asked.
__attribute__((noinline, cold)) bool take_hold_off(tb_gbench_state &s)
{
    if (s.over)
        return false;
    if (s.error[0]) {
        finish(s);
        return false;
    }
    if (s.paused)
        s.run.ResumeTiming();
    s.begun = true;
    s.paused = false;
    s.hold = s.overrun > 0;
    return true;
}

__attribute__((noinline, cold)) bool refuse_batch(tb_gbench_state &s, const char *text)
{
    skip(s, text);
    finish(s);
    return false;
}

bool keep_running(tb_gbench_state &s, int64_t n)
{
    if (__builtin_expect(s.hold, 0) && !take_hold_off(s))
        return false;
    if (__builtin_expect(n < 1 || n > TB_GBENCH_MOST_ITERATIONS, 0))
        return refuse_batch(s, "a batch size out of range");
    int64_t left = s.run.max_iterations - s.run.iterations();
    if (__builtin_expect(n >= left && left > 0 && s.overrun >= 0 && n - left != s.overrun, 0))
        return refuse_batch(s, "batches that overrun by another count than in the first repetition");
    if (__builtin_expect(s.run.KeepRunningBatch(n), 1))
        return true;
    s.over = s.hold = true;
    return false;
}

// What a benchmark function left undone; NULL: nothing.
const char *left_undone(const tb_gbench_state &s)
{
    if (s.error[0])
        return nullptr;
    if (!s.over)
        return "the function returned before its loop was over";
    if (s.cell.benchmark.manual_time && !s.timed)
        return "no manual time was set";
    if (s.cell.benchmark.big_o != TB_GBENCH_O_NONE && s.n == 0 && s.run.thread_index() == 0)
        return "no N was set for the complexity";
    return nullptr;
}

void run_cell(Cell &cell, State &run)
{
    tb_gbench_state s{run, cell};
    std::pair<int, int64_t> key(run.thread_index(), run.max_iterations);
    if (run.thread_index() == 0)
        last_cell = &cell;
    {
        std::lock_guard<std::mutex> guard(cell.lock);
        auto known = cell.overruns.find(key);
        if (known != cell.overruns.end())
            s.overrun = known->second;
        if (cell.failed)
            skip(s, "not run: the first repetition failed");
    }
    attempt(s, [&] {
        if (!s.error[0])
            cell.benchmark.function(&s, cell.benchmark.user);
        return true;
    });
    if (const char *undone = left_undone(s))
        skip(s, undone);
    if (!s.over)
        finish(s);
    if (run.thread_index() == 0) // the library adds up all threads
        run.SetComplexityN(s.n);
    attempt(s, [&] {
        std::lock_guard<std::mutex> guard(cell.lock);
        return cell.overruns.emplace(key, run.iterations() - run.max_iterations).second;
    });
    std::lock_guard<std::mutex> guard(cell.lock);
    cell.failed |= s.error[0] && s.overrun < 0;
}

// What is wrong with a counter; NULL: nothing. The names are the keys of a run in the library's JSON.
const char *counter_problem(const char *name, double value, unsigned flags, int base)
{
    static const std::set<std::string_view> taken = {
        "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
        "threads", "aggregate_name", "aggregate_unit", "error_occurred", "error_message", "iterations", "real_time",
        "cpu_time", "time_unit", "cpu_coefficient", "real_coefficient", "big_o", "rms", "allocs_per_iter",
        "max_bytes_used", "total_allocated_bytes", "net_heap_growth", "label"};
    if (name_problem(name) || std::strchr(name, '"') || taken.count(name))
        return "a bad or taken name";
    if (!std::isfinite(value))
        return "not a finite number";
    if (flags >= TB_GBENCH_COUNTER_INVERT << 1 || (base != TB_GBENCH_1000 && base != TB_GBENCH_1024))
        return "unknown flags or base";
    return nullptr;
}

unsigned from_library(benchmark::Counter::Flags flags)
{
    unsigned all = static_cast<unsigned>(flags);
    return (all & 15) | (flags & benchmark::Counter::kInvert ? unsigned(TB_GBENCH_COUNTER_INVERT) : 0);
}

benchmark::Counter::Flags to_library(unsigned flags)
{
    int all = static_cast<int>(flags & 15) | (flags & TB_GBENCH_COUNTER_INVERT ? int(benchmark::Counter::kInvert) : 0);
    return static_cast<benchmark::Counter::Flags>(all);
}

void set_counter(tb_gbench_state &s, const char *name, double value, unsigned flags, int base)
{
    const char *problem = counter_problem(name, value, flags, base);
    if (!problem) {
        std::pair<unsigned, int> kind(flags, base);
        std::lock_guard<std::mutex> guard(s.cell.lock);
        if (s.cell.counters.emplace(name, kind).first->second != kind)
            problem = "other flags or another base than before";
    }
    if (problem)
        throw std::invalid_argument("counter " + cleaned(name) + ": " + problem);
    s.run.counters[name] =
        benchmark::Counter(value, to_library(flags), static_cast<benchmark::Counter::OneK>(base));
}

} // namespace

extern "C" {

bool tb_gbench_state_keep_running(tb_gbench_state *state)
{
    return attempt(*state, [=] {
        if (__builtin_expect(state->hold, 0))
            return keep_running(*state, 1);
        if (__builtin_expect(state->run.KeepRunning(), 1))
            return true;
        state->over = state->hold = true;
        return false;
    });
}

bool tb_gbench_state_keep_running_batch(tb_gbench_state *state, int64_t n)
{
    return attempt(*state, [=] { return keep_running(*state, n); });
}

int64_t tb_gbench_state_max_iterations(const tb_gbench_state *state)
{
    return state->run.max_iterations;
}

int64_t tb_gbench_state_iterations(const tb_gbench_state *state)
{
    return state->run.iterations();
}

bool tb_gbench_state_pause_timing(tb_gbench_state *state)
{
    if (!is_running(*state))
        return false;
    return attempt(*state, [=] {
        state->run.PauseTiming();
        return state->paused = state->hold = true;
    });
}

bool tb_gbench_state_resume_timing(tb_gbench_state *state)
{
    if (!state->paused || state->error[0])
        return false;
    return attempt(*state, [=] { return take_hold_off(*state); });
}

bool tb_gbench_state_set_iteration_time(tb_gbench_state *state, double seconds)
{
    return attempt(*state, [=] {
        if (!std::isfinite(seconds) || seconds < 0)
            throw std::invalid_argument("a manual time that is negative or not finite");
        state->run.SetIterationTime(seconds);
        return state->timed = true;
    });
}

int64_t tb_gbench_state_arg(tb_gbench_state *state, size_t index)
{
    const std::vector<int64_t> &args = state->cell.args;
    if (index < args.size())
        return args[index];
    attempt(*state, []() -> bool { throw std::out_of_range("the function asked for an argument that is not there"); });
    return 0;
}

int tb_gbench_state_thread_index(const tb_gbench_state *state)
{
    return state->run.thread_index();
}

int tb_gbench_state_threads(const tb_gbench_state *state)
{
    return state->run.threads();
}

bool tb_gbench_state_set_complexity_n(tb_gbench_state *state, int64_t n)
{
    return attempt(*state, [=] {
        if (n < 1)
            throw std::invalid_argument("an N below 1 for the complexity");
        state->n = n;
        return true;
    });
}

bool tb_gbench_state_set_bytes_processed(tb_gbench_state *state, int64_t bytes)
{
    return tb_gbench_state_set_counter(state, "bytes_per_second", static_cast<double>(bytes), TB_GBENCH_COUNTER_RATE,
                                       TB_GBENCH_1024);
}

bool tb_gbench_state_set_items_processed(tb_gbench_state *state, int64_t items)
{
    return tb_gbench_state_set_counter(state, "items_per_second", static_cast<double>(items), TB_GBENCH_COUNTER_RATE,
                                       TB_GBENCH_1000);
}

bool tb_gbench_state_set_label(tb_gbench_state *state, const char *label)
{
    return attempt(*state, [=] {
        state->run.SetLabel(cleaned(label));
        return true;
    });
}

bool tb_gbench_state_skip_with_error(tb_gbench_state *state, const char *text)
{
    bool first = !state->error[0];
    attempt(*state, [=] {
        skip(*state, text);
        return true;
    });
    return first;
}

bool tb_gbench_state_has_error(const tb_gbench_state *state)
{
    return state->error[0] != 0;
}

bool tb_gbench_state_set_counter(tb_gbench_state *state, const char *name, double value, unsigned flags, int base)
{
    return attempt(*state, [=] {
        set_counter(*state, name, value, flags, base);
        return true;
    });
}

} // extern "C"

// ---- reports --------------------------------------------------------------------------------------------------------

struct tb_gbench_reporter {
    enum Kind { console, json, csv, callbacks } kind;
    tb_gbench_write *write;
    void *user; // of write, or of the callbacks
    unsigned options;
    tb_gbench_callbacks calls;
};

namespace {

bool is_ratio(const Run &run)
{
    return run.run_type == Run::RT_Aggregate && run.aggregate_unit == benchmark::kPercentage;
}

bool give_context(const tb_gbench_reporter &to, const Context &context)
{
    std::vector<tb_gbench_cache> caches;
    for (const benchmark::CPUInfo::CacheInfo &cache : context.cpu_info.caches)
        caches.push_back({cache.type.c_str(), cache.level, cache.num_sharing, cache.size});
    std::vector<tb_gbench_pair> pairs;
    for (const auto &[key, value] : *benchmark::internal::GetGlobalContext())
        pairs.push_back({key.c_str(), value.c_str()});
    const std::vector<double> &load = context.cpu_info.load_avg;
    benchmark::CPUInfo::Scaling scaling = context.cpu_info.scaling;
    tb_gbench_context given = {};
    given.executable = Context::executable_name;
    given.host = context.sys_info.name.c_str();
    given.cpus = context.cpu_info.num_cpus;
    given.cpu_scaling = scaling == benchmark::CPUInfo::UNKNOWN ? -1 : scaling == benchmark::CPUInfo::ENABLED;
    given.cpu_hz = context.cpu_info.cycles_per_second;
    given.load = load.data();
    given.loads = load.size();
    given.caches = caches.data();
    given.cache_count = caches.size();
    given.pairs = pairs.data();
    given.pair_count = pairs.size();
    return !to.calls.context || to.calls.context(to.user, &given);
}

bool give_report(const tb_gbench_reporter &to, const Run &run, const Benchmark &benchmark)
{
    if (!to.calls.report)
        return true;
    std::vector<tb_gbench_counter> counters;
    for (const auto &[name, counter] : run.counters)
        counters.push_back({name.c_str(), counter.value, from_library(counter.flags), int(counter.oneK)});
    bool aggregate = run.run_type == Run::RT_Aggregate;
    // A fit's RMS is kept divided by the unit's factor (fit_runs), other ratios are not.
    bool plain = is_ratio(run) && !run.report_rms;
    double unit_ns = 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
    std::string name = run.run_name.str();
    tb_gbench_memory memory = {};
    if (const Memory *m = run.memory_result)
        memory = {m->num_allocs, m->max_bytes_used, m->total_allocated_bytes, m->net_heap_growth};
    tb_gbench_report given = {};
    given.name = name.c_str();
    given.aggregate = aggregate ? run.aggregate_name.c_str() : nullptr;
    given.error = run.error_occurred ? run.error_message.c_str() : nullptr;
    given.label = run.report_label.c_str();
    given.user = benchmark.user;
    given.family = run.family_index;
    given.instance = run.per_family_instance_index;
    given.repetition = aggregate ? -1 : run.repetition_index;
    given.repetitions = run.repetitions;
    given.threads = run.threads;
    given.iterations = run.iterations;
    given.unit = static_cast<tb_gbench_time_unit>(run.time_unit);
    given.ratio = is_ratio(run);
    given.real_time = plain ? run.real_accumulated_time : run.GetAdjustedRealTime();
    given.cpu_time = plain ? run.cpu_accumulated_time : run.GetAdjustedCPUTime();
    given.real_ns = given.ratio ? 0 : given.real_time * unit_ns;
    given.cpu_ns = given.ratio ? 0 : given.cpu_time * unit_ns;
    given.big_o = run.report_big_o || run.report_rms ? static_cast<tb_gbench_big_o>(run.complexity) : TB_GBENCH_O_NONE;
    given.counters = counters.data();
    given.counter_count = counters.size();
    given.memory = run.memory_result ? &memory : nullptr;
    given.allocations_per_iteration = run.allocs_per_iter;
    return to.calls.report(to.user, &given);
}

// One reporter at work in one run. Text collects in a stream and is handed over after each event.
class Outlet {
public:
    explicit Outlet(const tb_gbench_reporter &reporter) : to(reporter)
    {
        text.imbue(std::locale::classic());
        text.exceptions(std::ios::badbit); // else memory that runs out would shorten the text silently
        if (to.kind == tb_gbench_reporter::console) {
            bool tabular = to.options & TB_GBENCH_TABULAR || process.flags.tabular;
            int options = (to.options & TB_GBENCH_COLOR ? benchmark::ConsoleReporter::OO_Color : 0) |
                          (tabular ? benchmark::ConsoleReporter::OO_Tabular : 0);
            library = std::make_unique<benchmark::ConsoleReporter>(
                static_cast<benchmark::ConsoleReporter::OutputOptions>(options));
        } else if (to.kind == tb_gbench_reporter::json) {
            library = std::make_unique<benchmark::JSONReporter>();
        }
        if (library) {
            library->SetOutputStream(&text);
            library->SetErrorStream(&text);
        }
    }

    bool is_console() const
    {
        return to.kind == tb_gbench_reporter::console;
    }

    // This and runs(): false when a callback wants to stop.
    bool context(const Context &context)
    {
        open = true;
        bool go_on = true;
        if (library)
            library->ReportContext(context);
        else if (to.kind == tb_gbench_reporter::callbacks)
            go_on = give_context(to, context);
        deliver();
        return go_on;
    }

    bool runs(const std::vector<Run> &all, const Benchmark &benchmark)
    {
        std::vector<Run> wanted;
        for (const Run &run : all)
            if (!run.error_occurred || !(to.options & TB_GBENCH_WITHOUT_ERRORS))
                wanted.push_back(run);
        bool go_on = true;
        if (to.kind == tb_gbench_reporter::csv)
            rows.insert(rows.end(), wanted.begin(), wanted.end());
        else if (library)
            library->ReportRuns(wanted);
        else
            for (size_t i = 0; i < wanted.size() && go_on; i++)
                go_on = give_report(to, wanted[i], benchmark);
        deliver();
        return go_on;
    }

    // Once, and only after a context; a report that could not be written is left as it is.
    void close()
    {
        if (!open)
            return;
        open = false;
        if (library)
            library->Finalize();
        if (to.kind == tb_gbench_reporter::csv)
            write_rows();
        if (to.kind == tb_gbench_reporter::callbacks && to.calls.done)
            to.calls.done(to.user);
        deliver();
    }

private:
    void deliver()
    {
        std::string piece = text.str();
        text.str("");
        if (!piece.empty() && !to.write(to.user, piece.data(), piece.size())) {
            open = false;
            throw Stop{fail(TB_GBENCH_WRITE, "a report could not be written")};
        }
    }

    // At once, at the end: the library's header has the counters of the first rows it sees, and it aborts on others.
    void write_rows()
    {
        BENCHMARK_DISABLE_DEPRECATED_WARNING
        benchmark::CSVReporter csv;
        BENCHMARK_RESTORE_DEPRECATED_WARNING
        csv.SetOutputStream(&text);
        csv.ReportRuns(rows);
    }

    const tb_gbench_reporter &to;
    bool open = false;
    std::ostringstream text;
    std::unique_ptr<benchmark::BenchmarkReporter> library;
    std::vector<Run> rows;
};

// ---- fits of complexity ---------------------------------------------------------------------------------------------

struct Point {
    int64_t n;
    double real, cpu; // seconds an iteration
};

struct Fit {
    double coefficient, rms;
};

double curve_at(const Benchmark &b, tb_gbench_big_o kind, int64_t n)
{
    double x = static_cast<double>(n);
    switch (kind) {
    case TB_GBENCH_O_N: return x;
    case TB_GBENCH_O_N_SQUARED: return x * x;
    case TB_GBENCH_O_N_CUBED: return x * x * x;
    case TB_GBENCH_O_LOG_N: return std::log2(x);
    case TB_GBENCH_O_N_LOG_N: return x * std::log2(x);
    case TB_GBENCH_O_FUNCTION: return b.curve(n, b.curve_user);
    default: return 1;
    }
}

// Least squares of one coefficient, the line through the origin: sum(t·g) / sum(g·g). The root mean square of what is
// left is divided by the mean time (the definition of the library's complexity.cc).
Fit fit_curve(const Benchmark &b, tb_gbench_big_o kind, const std::vector<Point> &points, double Point::*time)
{
    double gg = 0, tg = 0, t = 0, rest = 0, count = static_cast<double>(points.size());
    for (const Point &point : points) {
        double g = curve_at(b, kind, point.n);
        gg += g * g;
        tg += point.*time * g;
        t += point.*time;
    }
    double coefficient = tg / gg;
    for (const Point &point : points) {
        double off = point.*time - coefficient * curve_at(b, kind, point.n);
        rest += off * off;
    }
    return {coefficient, t > 0 ? std::sqrt(rest / count) / (t / count) : 0};
}

tb_gbench_big_o best_curve(const Benchmark &b, const std::vector<Point> &points)
{
    if (b.big_o != TB_GBENCH_O_AUTO)
        return b.big_o;
    double Point::*time = b.real_time || b.manual_time ? &Point::real : &Point::cpu;
    tb_gbench_big_o best = TB_GBENCH_O_1;
    for (tb_gbench_big_o kind : {TB_GBENCH_O_LOG_N, TB_GBENCH_O_N, TB_GBENCH_O_N_LOG_N, TB_GBENCH_O_N_SQUARED,
                                 TB_GBENCH_O_N_CUBED})
        if (fit_curve(b, kind, points, time).rms < fit_curve(b, best, points, time).rms)
            best = kind;
    return best;
}

// The two aggregates that report a fit; like is any good run of the benchmark.
std::vector<Run> fit_runs(const Benchmark &b, const std::vector<Point> &points, const Run &like)
{
    tb_gbench_big_o kind = best_curve(b, points);
    Fit real = fit_curve(b, kind, points, &Point::real), cpu = fit_curve(b, kind, points, &Point::cpu);
    Run run = like;
    run.run_name = benchmark::BenchmarkName();
    run.run_name.function_name = b.name;
    run.run_type = Run::RT_Aggregate;
    run.repetition_index = Run::no_repetition_index;
    run.iterations = 0;
    run.counters.clear();
    run.memory_result = nullptr;
    run.report_label.clear();
    run.complexity = static_cast<benchmark::BigO>(kind);
    std::vector<Run> both(2, run);
    both[0].report_big_o = true;
    both[0].aggregate_name = "BigO";
    both[0].aggregate_unit = benchmark::kTime;
    both[0].real_accumulated_time = real.coefficient;
    both[0].cpu_accumulated_time = cpu.coefficient;
    // A ratio, but the library's reporters multiply it by the unit.
    double unit = benchmark::GetTimeUnitMultiplier(like.time_unit);
    both[1].report_rms = true;
    both[1].aggregate_name = "RMS";
    both[1].aggregate_unit = benchmark::kPercentage;
    both[1].real_accumulated_time = real.rms / unit;
    both[1].cpu_accumulated_time = cpu.rms / unit;
    return both;
}

// ---- between the library and the outlets ----------------------------------------------------------------------------

using Cells = std::vector<std::unique_ptr<Cell>>;

// Figures that JSON cannot hold: out of an aggregate such a counter is left, anything else is an error.
void refuse_not_finite(Run &run)
{
    std::string wrong;
    for (auto it = run.counters.begin(); it != run.counters.end();) {
        bool good = std::isfinite(it->second.value);
        if (!good && run.run_type != Run::RT_Aggregate)
            wrong = "counter " + it->first + " is not finite: a rate over no time, or the inverse of 0?";
        it = good ? std::next(it) : run.counters.erase(it);
    }
    if (!std::isfinite(run.GetAdjustedRealTime()) || !std::isfinite(run.GetAdjustedCPUTime()))
        wrong = "a time that is not finite";
    if (!wrong.empty() && !run.error_occurred) {
        run.error_occurred = true;
        run.error_message = wrong;
    }
    if (run.error_occurred) {
        run.real_accumulated_time = run.cpu_accumulated_time = 0;
        run.counters.clear();
    }
}

class Tee final : public benchmark::BenchmarkReporter {
public:
    Tee(const Cells &chosen, tb_gbench_reporter *const *reporters, size_t count, tb_gbench_totals &sums)
        : cells(chosen), totals(sums)
    {
        for (size_t i = 0; i < count; i++)
            outlets.push_back(std::make_unique<Outlet>(*reporters[i]));
        for (const auto &cell : cells)
            families[cell->family].instances_left++;
        SetOutputStream(&said);
        SetErrorStream(&said);
    }

    bool ReportContext(const Context &context) override
    {
        Context ours = context; // with the width of our names
        ours.name_field_width = 10;
        for (const auto &cell : cells) {
            size_t longest = std::strlen("_median");
            for (const Statistic &statistic : cell->benchmark.statistics)
                longest = std::max(longest, 1 + statistic.name.size());
            ours.name_field_width = std::max(ours.name_field_width, cell->name.size() + longest);
        }
        each([&](Outlet &outlet) { return outlet.context(ours); });
        return true;
    }

    // All repetitions of a cell, then its aggregates when two or more were good.
    void ReportRuns(const std::vector<Run> &given) override
    {
        Cell &cell = *cells[static_cast<size_t>(given.at(0).family_index)];
        const Benchmark &b = cell.benchmark;
        Family &family = families[cell.family];
        bool aggregates = given[0].run_type == Run::RT_Aggregate;
        long good = std::count_if(given.begin(), given.end(), [](const Run &run) { return !run.error_occurred; });
        bool more = !aggregates && good >= 2;
        std::vector<Run> runs = given;
        for (Run &run : runs)
            prepare(run, cell);
        if (!aggregates)
            note(runs, family);
        const Flags &flags = process.flags;
        bool never = b.aggregates_set ? b.report_aggregates : flags.report_aggregates;
        bool not_shown = never || (b.aggregates_set ? b.display_aggregates : flags.display_aggregates);
        each([&](Outlet &outlet) {
            return (more && (outlet.is_console() ? not_shown : never)) || outlet.runs(runs, b);
        });
        if (!more && --family.instances_left == 0 && b.big_o != TB_GBENCH_O_NONE && family.points.size() >= 2)
            report_fit(b, family);
    }

    void Finalize() override
    {
        for (const auto &outlet : outlets)
            outlet->close();
    }

    // After a run that ended early: what can be closed is, and the first error's text stays.
    void close_what_is_open()
    {
        std::string text = error_text;
        for (const auto &outlet : outlets)
            guarded([&] {
                outlet->close();
                return TB_GBENCH_OK;
            });
        fail(TB_GBENCH_OK, "%s", text.c_str());
    }

    std::string what_it_said() const
    {
        return said.str();
    }

private:
    // All outlets get their part before one of them stops the run.
    template <class Give> void each(Give give)
    {
        bool go_on = true;
        for (const auto &outlet : outlets)
            go_on &= give(*outlet);
        if (!go_on)
            throw Stop{fail(TB_GBENCH_STOPPED, "a reporter's callback stopped the run")};
    }

    struct Family {
        size_t instances_left = 0;
        std::vector<Point> points;
        Run like;
    };

    static void prepare(Run &run, Cell &cell)
    {
        run.run_name = benchmark::BenchmarkName();
        run.run_name.function_name = cell.name;
        run.family_index = static_cast<int64_t>(cell.family);
        run.per_family_instance_index = static_cast<int64_t>(cell.instance);
        // The library's pointers are into a vector that has grown since.
        if (run.memory_result)
            run.memory_result = &cell.memory.at(static_cast<size_t>(run.repetition_index));
        refuse_not_finite(run);
    }

    void note(const std::vector<Run> &runs, Family &family)
    {
        for (const Run &run : runs) {
            totals.runs++;
            totals.errors += run.error_occurred;
            if (run.error_occurred || run.complexity_n < 1)
                continue;
            double iterations = static_cast<double>(run.iterations);
            family.points.push_back({run.complexity_n, run.real_accumulated_time / iterations,
                                     run.cpu_accumulated_time / iterations});
            family.like = run;
        }
    }

    void report_fit(const Benchmark &b, const Family &family)
    {
        std::vector<Run> fit = fit_runs(b, family.points, family.like);
        for (Run &run : fit)
            refuse_not_finite(run);
        each([&](Outlet &outlet) { return outlet.runs(fit, b); });
    }

    const Cells &cells;
    tb_gbench_totals &totals;
    std::vector<std::unique_ptr<Outlet>> outlets;
    std::map<size_t, Family> families;
    std::ostringstream said;
};

tb_gbench_reporter *make_reporter(const tb_gbench_reporter &reporter, bool complete)
{
    const unsigned known = TB_GBENCH_COLOR | TB_GBENCH_TABULAR | TB_GBENCH_WITHOUT_ERRORS;
    tb_gbench_reporter *made = nullptr;
    guarded([&] {
        if (!complete || (reporter.options & ~known))
            return fail(TB_GBENCH_BAD_ARGUMENT, "a reporter without a callback or with unknown options");
        made = new tb_gbench_reporter(reporter);
        return TB_GBENCH_OK;
    });
    return made;
}

} // namespace

extern "C" {

bool tb_gbench_write_file(void *file, const char *text, size_t size)
{
    FILE *to = static_cast<FILE *>(file);
    return std::fwrite(text, 1, size, to) == size && std::fflush(to) == 0;
}

tb_gbench_reporter *tb_gbench_reporter_console(tb_gbench_write *write, void *context, unsigned options)
{
    return make_reporter({tb_gbench_reporter::console, write, context, options, {}}, write);
}

tb_gbench_reporter *tb_gbench_reporter_json(tb_gbench_write *write, void *context, unsigned options)
{
    return make_reporter({tb_gbench_reporter::json, write, context, options, {}}, write);
}

tb_gbench_reporter *tb_gbench_reporter_csv(tb_gbench_write *write, void *context, unsigned options)
{
    return make_reporter({tb_gbench_reporter::csv, write, context, options, {}}, write);
}

tb_gbench_reporter *tb_gbench_reporter_callbacks(const tb_gbench_callbacks *callbacks, void *user, unsigned options)
{
    tb_gbench_callbacks calls = callbacks ? *callbacks : tb_gbench_callbacks();
    return make_reporter({tb_gbench_reporter::callbacks, nullptr, user, options, calls}, callbacks);
}

void tb_gbench_reporter_free(tb_gbench_reporter *reporter)
{
    delete reporter;
}

} // extern "C"

// ---- flags and environment ------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void bad_flag(const char *arg, const char *why)
{
    throw Stop{fail(TB_GBENCH_BAD_FLAG, "%s: %s", arg, why)};
}

// What stands after "--<flag>=" ("" without a "="); NULL when arg is another flag.
const char *value_of(const char *arg, const char *flag)
{
    size_t length = std::strlen(flag);
    if (std::strncmp(arg, "--", 2) != 0 || std::strncmp(arg + 2, flag, length) != 0)
        return nullptr;
    const char *rest = arg + 2 + length;
    return *rest == '=' ? rest + 1 : *rest ? nullptr : rest;
}

bool truth(const char *arg, std::string_view value)
{
    for (std::string_view yes : {"", "1", "true", "yes", "on"})
        if (value == yes)
            return true;
    for (std::string_view no : {"0", "false", "no", "off"})
        if (value == no)
            return false;
    bad_flag(arg, "expected true or false");
}

double number(const char *arg, const char *value, double least, double most, const char *expected)
{
    char *end = nullptr;
    double result = std::strtod(value, &end);
    if (end == value || *end || !(result >= least && result <= most))
        bad_flag(arg, expected);
    return result;
}

int whole_number(const char *arg, const char *value, int least, int most, const char *expected)
{
    double result = number(arg, value, least, most, expected);
    if (result != std::floor(result))
        bad_flag(arg, expected);
    return static_cast<int>(result);
}

size_t one_of(const char *arg, std::string_view value, std::initializer_list<std::string_view> known,
              const char *expected)
{
    auto found = std::find(known.begin(), known.end(), value);
    if (found == known.end())
        bad_flag(arg, expected);
    return static_cast<size_t>(found - known.begin());
}

// Why a key cannot be added to the context; NULL: it can. The names are those of the JSON.
const char *key_problem(const char *key)
{
    static const std::set<std::string_view> taken = {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu",
                                                     "cpu_scaling_enabled", "caches", "load_avg", "library_build_type",
                                                     "cleared_environment"};
    if (const char *problem = name_problem(key))
        return problem;
    return taken.count(key) || process.context.count(key) ? "a key that is already there" : nullptr;
}

void add_context_flag(const char *arg, const std::string &pairs, Flags &flags)
{
    std::istringstream rest(pairs);
    for (std::string pair; std::getline(rest, pair, ',');) {
        size_t equals = pair.find('=');
        if (equals == std::string::npos || pair.find('=', equals + 1) != std::string::npos)
            bad_flag(arg, "expected key=value,…");
        std::string key = pair.substr(0, equals);
        if (const char *problem = key_problem(key.c_str()))
            bad_flag(arg, problem);
        if (!flags.context.emplace(key, cleaned(pair.c_str() + equals + 1)).second)
            bad_flag(arg, "a key twice");
    }
}

// Whether arg is one of the library's flags; flags has it then. What is wrong with it is thrown.
bool parse_flag(const char *arg, Flags &flags)
{
    const char *seconds = "expected seconds, 0 or more";
    if (value_of(arg, "help"))
        throw Stop{fail(TB_GBENCH_HELP, "help was asked for")};
    if (const char *v = value_of(arg, "v"))
        flags.verbosity = whole_number(arg, v, -1000, 1000, "expected a whole number");
    else if (std::strncmp(arg, "--benchmark_", 12) != 0)
        return false;
    else if (const char *list = value_of(arg, "benchmark_list_tests"))
        flags.list = truth(arg, list);
    else if (const char *filter = value_of(arg, "benchmark_filter"))
        flags.filter = filter;
    else if (const char *min = value_of(arg, "benchmark_min_time"))
        flags.min_time = number(arg, min, 0, 1e6, seconds);
    else if (const char *warm_up = value_of(arg, "benchmark_min_warmup_time"))
        flags.warm_up = number(arg, warm_up, 0, 1e6, seconds);
    else if (const char *repetitions = value_of(arg, "benchmark_repetitions"))
        flags.repetitions = whole_number(arg, repetitions, 1, most_repetitions, "expected a whole number, 1 or more");
    else if (const char *shuffle = value_of(arg, "benchmark_enable_random_interleaving"))
        flags.shuffle = truth(arg, shuffle);
    else if (const char *report = value_of(arg, "benchmark_report_aggregates_only"))
        flags.report_aggregates = truth(arg, report);
    else if (const char *display = value_of(arg, "benchmark_display_aggregates_only"))
        flags.display_aggregates = truth(arg, display);
    else if (const char *format = value_of(arg, "benchmark_format"))
        one_of(arg, flags.format = format, {"console", "json", "csv"}, "expected console, json or csv");
    else if (const char *color = value_of(arg, "benchmark_color"))
        flags.color = std::strcmp(color, "auto") == 0 ? "auto" : truth(arg, color) ? "true" : "false";
    else if (const char *tabular = value_of(arg, "benchmark_counters_tabular"))
        flags.tabular = truth(arg, tabular);
    else if (const char *unit = value_of(arg, "benchmark_time_unit"))
        flags.unit =
            static_cast<benchmark::TimeUnit>(one_of(arg, unit, {"ns", "us", "ms", "s"}, "expected ns, us, ms or s"));
    else if (const char *context = value_of(arg, "benchmark_context"))
        add_context_flag(arg, context, flags);
    else if (value_of(arg, "benchmark_out") || value_of(arg, "benchmark_out_format"))
        bad_flag(arg, "refused: the library overlooks a file it cannot write");
    else if (value_of(arg, "benchmark_perf_counters"))
        bad_flag(arg, "refused: the library aborts when it cannot count them");
    else
        bad_flag(arg, "unknown flag");
    return true;
}

std::map<std::string, std::string> *library_context()
{
    std::map<std::string, std::string> *&context = benchmark::internal::GetGlobalContext();
    if (!context)
        context = new std::map<std::string, std::string>();
    return context;
}

// Every flag the library has, so that nothing of its environment is left.
void set_library_flags(const Flags &flags)
{
    char numbers[5][64];
    std::snprintf(numbers[0], sizeof numbers[0], "--benchmark_min_time=%.17g", flags.min_time);
    std::snprintf(numbers[1], sizeof numbers[1], "--benchmark_min_warmup_time=%.17g", flags.warm_up);
    std::snprintf(numbers[2], sizeof numbers[2], "--benchmark_repetitions=%d", flags.repetitions);
    std::snprintf(numbers[3], sizeof numbers[3], "--v=%d", flags.verbosity);
    std::snprintf(numbers[4], sizeof numbers[4], "--benchmark_enable_random_interleaving=%d", flags.shuffle);
    std::vector<std::string> words = {"",
                                      "--benchmark_list_tests=false",
                                      "--benchmark_filter=",
                                      "--benchmark_format=console",
                                      "--benchmark_out=",
                                      "--benchmark_out_format=json",
                                      "--benchmark_color=false",
                                      "--benchmark_counters_tabular=false",
                                      "--benchmark_perf_counters=",
                                      "--benchmark_time_unit=ns",
                                      "--benchmark_report_aggregates_only=false",
                                      "--benchmark_display_aggregates_only=false"};
    words.insert(words.end(), std::begin(numbers), std::end(numbers));
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    // The library calls the help printer and then exit(): an exception goes by that.
    library_context()->clear(); // BENCHMARK_CONTEXT is added to it every time
    benchmark::Initialize(&argc, argv.data(), [] { throw std::runtime_error("the library refused its flags"); });
    if (argc != 1)
        throw std::runtime_error("the library does not know " + std::string(argv[1]));
    benchmark::SetDefaultTimeUnit(flags.unit);
}

// The variables that the library has read, as "NAME=value".
std::vector<std::string> read_environment()
{
    std::vector<std::string> found;
    for (char **entry = environ; entry && *entry; entry++)
        if (std::strncmp(*entry, "BENCHMARK_", 10) == 0 && std::strchr(*entry, '='))
            found.push_back(*entry);
    return found;
}

// ---- running --------------------------------------------------------------------------------------------------------

std::string instance_name(const Benchmark &b, const std::vector<int64_t> &args, int threads)
{
    std::string name = b.name;
    for (size_t i = 0; i < args.size(); i++) {
        name += '/';
        if (i < b.arg_names.size() && !b.arg_names[i].empty())
            name += b.arg_names[i] + ":";
        name += std::to_string(args[i]);
    }
    return threads ? name + "/threads:" + std::to_string(threads) : name;
}

// The library's meaning of a filter.
class Filter {
public:
    explicit Filter(const char *filter) : negative(*filter == '-')
    {
        bool all = !*filter || std::strcmp(filter, "all") == 0;
        int wrong = regcomp(&pattern, all ? "" : filter + negative, REG_EXTENDED | REG_NOSUB);
        if (wrong) {
            char why[128];
            regerror(wrong, &pattern, why, sizeof why);
            throw Stop{fail(TB_GBENCH_BAD_FILTER, "%s: not a regular expression: %s", filter, why)};
        }
    }
    Filter(const Filter &) = delete;
    ~Filter()
    {
        regfree(&pattern);
    }
    bool takes(const std::string &name) const
    {
        return (regexec(&pattern, name.c_str(), 0, nullptr, 0) == 0) != negative;
    }

private:
    bool negative;
    regex_t pattern;
};

Cells select(const char *given)
{
    const char *text = given ? given : process.flags.filter.c_str();
    Filter filter(text);
    const Lists none(1);
    const std::vector<int> one(1);
    Cells cells;
    size_t family = 0;
    for (const auto &b : process.benchmarks) {
        if (b->refused)
            throw Stop{fail(TB_GBENCH_BAD_ARGUMENT, "%s: %s", b->name.c_str(), b->refused)};
        size_t instance = 0;
        for (const std::vector<int64_t> &args : b->args.empty() ? none : b->args)
            for (int threads : b->threads.empty() ? one : b->threads) {
                std::string name = instance_name(*b, args, threads);
                if (name.rfind("DISABLED_", 0) == 0 || !filter.takes(name))
                    continue;
                cells.push_back(std::make_unique<Cell>(*b, family, instance++, name, args, threads));
            }
        family += instance > 0;
    }
    if (cells.empty())
        throw Stop{fail(TB_GBENCH_NO_MATCH, "no benchmark matches \"%s\"", text)};
    return cells;
}

void register_cell(Cell &cell)
{
    const Benchmark &b = cell.benchmark;
    auto *made = benchmark::RegisterBenchmark(cell.name.c_str(), [&cell](State &run) { run_cell(cell, run); });
    if (cell.threads)
        made->Threads(cell.threads);
    if (b.iterations)
        made->Iterations(b.iterations);
    if (b.min_time > 0)
        made->MinTime(b.min_time);
    if (b.repetitions)
        made->Repetitions(b.repetitions);
    if (b.unit_set)
        made->Unit(static_cast<benchmark::TimeUnit>(b.unit));
    if (b.real_time)
        made->UseRealTime();
    if (b.manual_time)
        made->UseManualTime();
    if (b.process_time)
        made->MeasureProcessCPUTime();
    for (const Statistic &statistic : b.statistics)
        made->ComputeStatistics(statistic.name,
                                slot_function(statistic.slot, std::make_index_sequence<TB_GBENCH_MOST_STATISTICS>()),
                                statistic.ratio ? benchmark::kPercentage : benchmark::kTime);
}

// Nothing may be registered or freed, and the library knows our benchmarks, as long as this lives.
struct Running {
    explicit Running(const Cells &cells)
    {
        process.running = true;
        try {
            set_library_flags(process.flags);
            Context::executable_name = process.executable.c_str();
            benchmark::ClearRegisteredBenchmarks(); // Tee knows ours alone
            for (const auto &cell : cells)
                register_cell(*cell);
            std::map<std::string, std::string> context = process.context;
            context.insert(process.flags.context.begin(), process.flags.context.end());
            if (!process.cleared.empty())
                context["cleared_environment"] = process.cleared;
            library_context()->swap(context);
        } catch (...) {
            end();
            throw;
        }
    }
    ~Running()
    {
        end();
    }
    static void end()
    {
        benchmark::ClearRegisteredBenchmarks();
        last_cell = nullptr;
        process.running = false;
    }
};

tb_gbench_reporter default_reporter()
{
    const Flags &flags = process.flags;
    const char *terminal = std::getenv("TERM");
    bool colored = flags.color == "true" || (flags.color == "auto" && isatty(STDOUT_FILENO) && terminal &&
                                             std::strcmp(terminal, "dumb") != 0);
    auto kind = flags.format == "json"  ? tb_gbench_reporter::json
                : flags.format == "csv" ? tb_gbench_reporter::csv
                                        : tb_gbench_reporter::console;
    return {kind, tb_gbench_write_file, stdout, colored ? unsigned(TB_GBENCH_COLOR) : 0u, {}};
}

void write_names(const Cells &cells, tb_gbench_write *write, void *context)
{
    std::string text;
    for (const auto &cell : cells)
        text += cell->name + "\n";
    if (!write(context, text.data(), text.size()))
        throw Stop{fail(TB_GBENCH_WRITE, "the list could not be written")};
}

tb_gbench_status run_cells(const Cells &cells, tb_gbench_reporter *const *reporters, size_t count,
                           tb_gbench_totals &totals)
{
    Running running(cells);
    Tee tee(cells, reporters, count, totals);
    tb_gbench_status status = guarded([&] {
        size_t ran = benchmark::RunSpecifiedBenchmarks(&tee, ".");
        if (ran == cells.size())
            return TB_GBENCH_OK;
        return fail(TB_GBENCH_FAILED, "the library ran %zu of %zu: %s", ran, cells.size(), tee.what_it_said().c_str());
    });
    if (status != TB_GBENCH_OK)
        tee.close_what_is_open();
    return status;
}

void initialize_when_needed()
{
    if (!process.initialized)
        if (tb_gbench_status status = tb_gbench_initialize(nullptr, nullptr))
            throw Stop{status};
}

class Manager final : public benchmark::MemoryManager {
public:
    tb_gbench_memory_manager calls = {};

    void Start() override
    {
        calls.start(calls.context);
    }

    void Stop(Memory *result) override
    {
        // Unknown is the library's TombstoneValue, which 1.7.1 does not export.
        tb_gbench_memory memory = {0, 0, TB_GBENCH_UNKNOWN, TB_GBENCH_UNKNOWN};
        calls.stop(calls.context, &memory);
        result->num_allocs = memory.allocations;
        result->max_bytes_used = memory.most_bytes;
        result->total_allocated_bytes = memory.allocated_bytes;
        result->net_heap_growth = memory.net_growth;
        last_cell->memory.push_back(*result);
    }
};
Manager manager;

} // namespace

extern "C" {

tb_gbench_status tb_gbench_initialize(int *argc, char **argv)
{
    return guarded([&] {
        if (tb_gbench_status busy = refuse_in_run())
            return busy;
        Flags flags;
        std::vector<char *> rest;
        for (int i = 1; argc && argv && i < *argc; i++)
            if (!parse_flag(argv[i], flags))
                rest.push_back(argv[i]);
        std::string executable = cleaned(argc && argv && *argc > 0 && argv[0] ? argv[0] : "unknown");
        std::vector<std::string> variables = read_environment();
        std::string cleared = process.cleared;
        for (const std::string &variable : variables)
            cleared += (cleared.empty() ? "" : " ") + cleaned(variable.c_str());
        // From here on nothing fails.
        for (std::string &variable : variables) {
            variable.resize(variable.find('='));
            unsetenv(variable.c_str());
        }
        process.flags = std::move(flags);
        process.executable = std::move(executable);
        process.cleared = std::move(cleared);
        process.initialized = true;
        if (argc && argv && static_cast<int>(rest.size()) + 1 < *argc) {
            *std::copy(rest.begin(), rest.end(), argv + 1) = nullptr;
            *argc = static_cast<int>(rest.size()) + 1;
        }
        return TB_GBENCH_OK;
    });
}

tb_gbench_status tb_gbench_unrecognized_arguments(int argc, char *const *argv)
{
    return argc > 1 ? fail(TB_GBENCH_BAD_FLAG, "%s: unknown argument", argv[1]) : TB_GBENCH_OK;
}

const char *tb_gbench_help_text(void)
{
    return "  --benchmark_list_tests[=true|false]                 write the names instead of running\n"
           "  --benchmark_filter=REGEX                            run what has it in its name; -REGEX: what has not\n"
           "  --benchmark_min_time=SECONDS                        shortest run that counts (0.5)\n"
           "  --benchmark_min_warmup_time=SECONDS                 run as long before (0)\n"
           "  --benchmark_repetitions=N                           (1)\n"
           "  --benchmark_enable_random_interleaving[=true|false] repetitions in random order\n"
           "  --benchmark_report_aggregates_only[=true|false]     no single repetitions in any report\n"
           "  --benchmark_display_aggregates_only[=true|false]    none on the console\n"
           "  --benchmark_format=console|json|csv                 of standard output\n"
           "  --benchmark_color=auto|true|false\n"
           "  --benchmark_counters_tabular[=true|false]           counters as columns\n"
           "  --benchmark_context=KEY=VALUE,...                   added to the report\n"
           "  --benchmark_time_unit=ns|us|ms|s\n"
           "  --v=N                                               the library's own log, on standard error\n";
}

const char *tb_gbench_cleared_environment(void)
{
    return process.cleared.c_str();
}

tb_gbench_status tb_gbench_add_context(const char *key, const char *value)
{
    return guarded([&] {
        if (tb_gbench_status busy = refuse_in_run())
            return busy;
        const char *problem = value ? key_problem(key) : "no value";
        if (!problem && process.flags.context.count(key))
            problem = "a key that is already there";
        if (problem)
            return fail(TB_GBENCH_BAD_ARGUMENT, "context with %s", problem);
        process.context.emplace(key, cleaned(value));
        return TB_GBENCH_OK;
    });
}

tb_gbench_status tb_gbench_set_memory_manager(const tb_gbench_memory_manager *given)
{
    if (tb_gbench_status busy = refuse_in_run())
        return busy;
    if (given && (!given->start || !given->stop))
        return fail(TB_GBENCH_BAD_ARGUMENT, "a memory manager without a callback");
    if (given)
        manager.calls = *given;
    benchmark::RegisterMemoryManager(given ? &manager : nullptr);
    return TB_GBENCH_OK;
}

tb_gbench_status tb_gbench_run(tb_gbench_reporter *const *reporters, size_t count, const char *filter,
                               tb_gbench_totals *totals)
{
    tb_gbench_totals sums = {};
    tb_gbench_status status = guarded([&] {
        if (tb_gbench_status busy = refuse_in_run())
            return busy;
        initialize_when_needed();
        Cells cells = select(filter);
        sums.instances = cells.size();
        for (size_t i = 0; reporters && i < count; i++)
            if (!reporters[i])
                return fail(TB_GBENCH_BAD_ARGUMENT, "a reporter that is NULL");
        tb_gbench_reporter standard = default_reporter();
        tb_gbench_reporter *const only = &standard;
        if (!reporters || count == 0) {
            reporters = &only;
            count = 1;
        }
        if (!process.flags.list)
            return run_cells(cells, reporters, count, sums);
        for (size_t i = 0; i < count; i++)
            if (reporters[i]->write) {
                write_names(cells, reporters[i]->write, reporters[i]->user);
                break;
            }
        return TB_GBENCH_OK;
    });
    if (totals)
        *totals = sums;
    return status;
}

tb_gbench_status tb_gbench_list(const char *filter, tb_gbench_write *write, void *context)
{
    return guarded([&] {
        if (!write)
            return fail(TB_GBENCH_BAD_ARGUMENT, "no write callback");
        initialize_when_needed();
        write_names(select(filter), write, context);
        return TB_GBENCH_OK;
    });
}

tb_gbench_status tb_gbench_shutdown(void)
{
    if (tb_gbench_status busy = tb_gbench_unregister_all())
        return busy;
    benchmark::RegisterMemoryManager(nullptr);
    benchmark::Shutdown();
    benchmark::internal::GetGlobalContext() = nullptr; // the library frees it and keeps the pointer
    Context::executable_name = nullptr;
    process = Process();
    return TB_GBENCH_OK;
}

int tb_gbench_main(int argc, char **argv, tb_gbench_status (*register_benchmarks)(void))
{
    tb_gbench_totals totals = {};
    tb_gbench_status status = tb_gbench_initialize(&argc, argv);
    if (status == TB_GBENCH_HELP) {
        std::fputs(tb_gbench_help_text(), stdout);
        return 0;
    }
    if (status == TB_GBENCH_OK)
        status = tb_gbench_unrecognized_arguments(argc, argv);
    if (status == TB_GBENCH_OK)
        status = guarded(register_benchmarks);
    if (status == TB_GBENCH_OK)
        status = tb_gbench_run(nullptr, 0, nullptr, &totals);
    if (status != TB_GBENCH_OK)
        std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "benchmark", tb_gbench_error_text());
    tb_gbench_shutdown();
    return status != TB_GBENCH_OK ? 2 : totals.errors > 0;
}

} // extern "C"
