#!/bin/sh
# `timerbench list`, `run` and `replay` as a user meets them: names, JSON, tables, error lines. Prints TAP.
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
timerbench=$(cd "$BUILD" && pwd)/timerbench
unset TIMERBENCH_TRACES
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

run() {
    "$timerbench" "$@" >out 2>err
    code=$?
}
# refused TEXT ARGUMENT...: exit 2, one line that holds TEXT, nothing printed, no file left
refused() {
    text=$1
    shift
    run "$@"
    is "$code $(wc -l <err) $(wc -c <out)" "2 1 0" "$*: exit 2, one line"
    has "$(cat err)" "$text" "$*: says '$text'"
}
json() {
    python3 -c "import json, sys; d = json.load(open('$1')); $2" 2>&1
}

# ---- list ----
run list
is "$code" 0 "list succeeds"
for name in unordered_list sorted_list binary_heap heap4 hashed_wheel_rounds wheel_6x64 churn-random replay-n1-node-http; do
    has "$(cat out)" "$name" "list shows $name"
done
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "list fits 80 columns"
case $(cat out) in *dummy*|*null*) result 1 "yardsticks are in no list" ;; *) result 0 "yardsticks are in no list" ;; esac
run list impls --format json
is "$(python3 -c 'import json; print(len([i for i in json.load(open("out"))["impls"] if i["publication"] and i["cost"]["cancel"]]) >= 6)')" True \
    "list impls --format json tells of six structures at least"
refused "expected impls, peers, workloads or traces" list timers
refused "expected table or json" list --format xml

# ---- run ----
run run --workload churn-random,expire --impl heap4,wheel_6x64 --size 64,1000 --api both --quick --out x.json
is "$code" 0 "run succeeds"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "its table fits 80 columns"
has "$(cat out)" "churn-random by key" "a block for each workload and way of naming"
has "$(cat out)" "Ranking" "a ranking at the end"
is "$(wc -c <err)" 0 "no progress in a pipe"
names='sorted({b["run_name"] for b in d["benchmarks"]})'
is "$(json x.json "print(*[n for n in $names if 'heap4' in n])")" \
    "timers/churn-random/heap4/1000 timers/churn-random/heap4/1000/key timers/churn-random/heap4/64 timers/churn-random/heap4/64/key timers/expire/heap4/1000 timers/expire/heap4/1000/key timers/expire/heap4/64 timers/expire/heap4/64/key" \
    "names are level/workload/contender/population, /key after it by key"
is "$(json x.json 'print(all(b["name"].startswith(b["run_name"]) and b["time_unit"] == "ns" and b["real_time"] > 0 and b["cpu_time"] >= 0 for b in d["benchmarks"] if b["run_type"] == "iteration"))')" True \
    "entries are Google Benchmark's"
is "$(json x.json 'print(d["timerbench"]["schema"], len(d["timerbench"]["cells"]), {(len(c["samples"]), len(c["samples"][0])) for c in d["timerbench"]["cells"]})')" \
    "2 16 {(1, 3)}" "our part holds every cell's repetitions"
for key in compiler flags allocator kernel timerbench_version timerbench_revision timerbench_build; do
    is "$(json x.json "print(len(d['context']['$key']) > 0)")" True "the context tells the $key"
done

"$timerbench" run --workload churn-random --impl heap4 --size 64 --quick --seed 5 --out a.json >/dev/null
is "$(json a.json 'print(d["timerbench"]["seed"])')" 5 "the seed is recorded"

run run --workload arm --impl 'dummy,null,heap4' --size 256 --quick
is "$code" 0 "yardsticks can be named"
has "$(cat out)" "dummy" "and are shown"
run run --workload arm --impl @list --size 64 --quick
is "$code $(grep -c '^[a-z_]*list ' out)" "0 2" "--impl takes families"
refused "--impl '@timing': matches nothing" run --workload arm --impl @timing --size 64
run run --workload arm --impl heap4 --size 64 --quick --out flags.json -- --benchmark_context=who=me,why=test --v=0
is "$code $(json flags.json 'print(d["context"]["who"], d["context"]["why"])')" "0 me test" "a flag of the library that takes effect"
rm -f flags.json
for command in run replay ab; do
    run $command --help
    has "$(cat out)" "--benchmark_context=KEY=VALUE,..." "$command --help tells which flags of the library are taken"
    awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
    result $? "within 80 columns"
done
run run --workload arm --impl heap4 --size 256 --quick --net
has "$(cat out)" "dummy" "--net measures the harness beside"
run run --workload churn-random --impl sorted_list --size 200000 --quick --out left.json
is "$code" 0 "a cell that costs too much is no failure"
has "$(cat out)" "-- sorted_list at 200,000: filling takes more than" "it is shown as --, with the reason"
is "$(json left.json 'print(len(d["benchmarks"]), d["context"]["left_out"][0].split(":")[0], d["timerbench"]["cells"][0]["state"])')" \
    "0 timers/churn-random/sorted_list/200000 left out" "it is left out of the benchmarks and listed in the context"

run run --workload '@trace' --impl heap4 --quick --api both
is "$code" 0 "the traces are workloads"
has "$(cat out)" "lane 1: slop" "how slops became lanes is printed"
has "$(cat out)" "replay-i1-nginx-rbtree by key" "replays by key"

# ---- peers and the floor ----
run list peers
is "$code" 0 "list peers succeeds, with whichever peers the build has"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "it fits 80 columns"
for name in libevent libevent_common libev libuv glib sd_event ace_heap ace_hash ace_wheel ace_list std_set std_pq_lazy timerfd posix_timers io_uring; do
    has "$(cat out)" "$name" "list peers tells of $name, built or not"
done
run list peers --format json
is "$(python3 -c 'import json; print(all(p["version"] and p["api"] and "marks" in p if p["built"] else p["reason"] for p in json.load(open("out"))["peers"]))')" \
    True "as JSON: version, API and marks of those built, the reason of the others"
run run --workload churn-random,churn-random-touched,churn-fifo-cold --impl heap4 --floor --size 64 --quick
is "$code" 0 "the floor and the variants of churn"
has "$(cat out)" "floor.access.64" "the floor is beside ours"
has "$(cat out)" "churn-fifo-cold by id" "with cold caches"
run run --workload churn-random --impl heap4,wheel_6x64 --size 64 --quick --api both --ratio-to floor.chase.8
has "$(cat out)" "Ranking: geometric mean of the ratios to floor.chase.8" "ratios to a row of the floor"
refused "--ratio-to" run --workload arm --impl heap4 --size 64 --quick --ratio-to nothing
refused "--peer" run --workload arm --peer nothing --size 64 --quick
if "$timerbench" list peers --format json | grep -q '"marks"'; then
    run run --workload churn-random --impl heap4 --peer '*' --size 64 --quick --out peers.json
    is "$code" 0 "no peer is WRONG"
    has "$(cat out)" "Peers: version" "versions and what the marks say"
    is "$(json peers.json 'print(len(d["context"]["peers"]) > 0 and all(p["version"] for p in d["context"]["peers"]))')" True \
        "the result has the peers' versions"
else
    refused "not in this build" run --workload arm --peer libev --size 64 --quick
fi
rm -f peers.json

# ---- replay ----
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '0 arm 0 5000000' '100 arm 1 9000000' \
    '2000000 rearm 0 7000000' '3000000 cancel 1' '8000000 fired 0' >own.trace
run replay own.trace --impl heap4,wheel_6x64 --quick --out r.json
is "$code" 0 "replay takes a file"
is "$(json r.json "print(*$names)")" "timers/replay-own/heap4/2 timers/replay-own/wheel_6x64/2" "its population is the trace's own maximum"
long=$(printf 'l%.0s' $(seq 200))
for name in 'My Trace, b' "$long"; do
    cp own.trace "$name.trace"
done
run replay 'My Trace, b.trace' "$long.trace" --impl heap4,wheel_6x64 --quick --api both --out r.json
is "$code" 0 "names of all kinds"
is "$(json r.json "print(*[n for n in $names if 'heap4' in n and '/key' not in n])" | sed "s/$long/LONG/")" \
    "timers/replay-LONG/heap4/2 timers/replay-my_trace__b/heap4/2" "in results they are of a-z 0-9 . _ - alone"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "the longest fits 80 columns"
is "$(grep -c '^replay-lllllllll[l]*\.\.\.llll[l]* by \(id\|key\): a recorded trace' out)" 2 "its heading still says by id and by key"
cp own.trace my_trace__b.trace
run replay 'My Trace, b.trace' --impl heap4 --cell 'timers/replay-my_trace__b/*' --quick
is "$code" 0 "--cell takes the name"
refused "my_trace__b.trace: another trace is replay-my_trace__b in results, too" replay 'My Trace, b.trace' my_trace__b.trace --impl heap4
rm -f 'My Trace, b.trace' my_trace__b.trace "$long.trace"
run replay n1-node-http --impl heap4 --quick
is "$code" 0 "replay takes the name of a trace that comes with timerbench"

# ---- bad input: one line, exit 2, nothing left ----
refused "unknown option" run --wrong
refused "--size" run --size 12x
refused "--impl" run --impl heap5
refused "--impl" run --impl 'rb*'
refused "--workload" run --workload '@nothing'
refused "--repetitions" run --repetitions 0
refused "--repetitions" run --repetitions 99999999999999999999
refused "expected id, key or both" run --api ids
refused "--level" run --level moon
refused "missing.trace" replay missing.trace
refused "no-folder" run --workload arm --impl heap4 --size 64 --quick --out no-folder/x.json
refused "benchmark_nonsense" run --workload arm --impl heap4 --size 64 --quick -- --benchmark_nonsense=1
while IFS='|' read -r flag want; do
    refused "--${flag%%=*}: takes no effect here: expected $want" run --workload arm --impl heap4 --size 64 --quick -- "--$flag"
done <<'TABLE'
benchmark_list_tests|`timerbench list`
benchmark_list_tests=true|`timerbench list`
benchmark_filter=heap4|--cell, --workload and --impl
benchmark_min_time=0.1|--budget S
benchmark_min_warmup_time=0.1|none: each cell is rehearsed
benchmark_repetitions=3|--repetitions N
benchmark_enable_random_interleaving|--seed N
benchmark_report_aggregates_only|none: the table shows medians
benchmark_display_aggregates_only|none: the table shows medians
benchmark_format=json|--out FILE for JSON
benchmark_color=true|none: the table has no colours
benchmark_counters_tabular|none: the counters have their columns
benchmark_time_unit=ms|none: figures are in ns
benchmark_out=y.json|--out FILE
benchmark_out_format=json|--out FILE
benchmark_perf_counters=CYCLES|`timerbench gate`
TABLE
refused "--benchmark_filter: takes no effect" replay n1-node-http --impl heap4 --processes 2 -- --benchmark_filter=x
refused "--benchmark_filter: takes no effect" ab "$timerbench" "$timerbench" -- --benchmark_filter=x
refused "--v=1: not at --level loop" run --level loop -- --v=1
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '5 arm 0 9' '4 cancel 0' >back.trace
refused "back.trace:5" replay back.trace
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '5 arm 0 9' '6 arm 0 9' >twice.trace
refused "twice.trace:5" replay twice.trace
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '5 arm 0 9223372036854775808' >far.trace
refused "far.trace:4" replay far.trace
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' >empty.trace
refused "empty.trace" replay empty.trace
xz -k own.trace && head -c 60 own.trace.xz >cut.trace.xz
refused "cut.trace.xz" replay cut.trace.xz
run run --workload arm --impl heap4 --size 64 --quick --out /dev/full
is "$code $(wc -l <err)" "2 1" "a full disk: exit 2, one line"
has "$(cat err)" "/dev/full" "it names the file"
is "$(ls | grep -vE '^(out|err|x\.json|a\.json|left\.json|r\.json|.*\.trace(\.xz)?)$' | wc -l)" 0 "nothing is left behind"

echo "1..$count"
[ "$failed" -eq 0 ]
