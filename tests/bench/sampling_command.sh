#!/bin/sh
# `timerbench run --processes` and `replay --processes` as a user meets them: what is gathered, what a budget buys, what is left
# when a process fails or the whole is interrupted. Prints TAP.
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
timerbench=$(cd "$BUILD" && pwd)/timerbench
unset TIMERBENCH_TRACES
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
TMPDIR=$folder/tmp
mkdir "$TMPDIR"
export TMPDIR

run() {
    "$timerbench" "$@" >out 2>err
    code=$?
}
# refused TEXT ARGUMENT...: exit 2, one line that holds TEXT, nothing printed
refused() {
    text=$1
    shift
    run "$@"
    is "$code $(wc -l <err) $(wc -c <out)" "2 1 0" "$*: exit 2, one line"
    has "$(cat err)" "$text" "and it says: $text"
}
json() {
    python3 -c "import json, statistics as s; d = json.load(open('$1')); t = d['timerbench']; c = t['cells']; $2" 2>&1
}

# ---- gathering ----
run run --workload churn-random,arm --impl heap4,wheel_6x64 --size 256 --api both --quick --processes 6 --seed 3 --out six.json
is "$code $(wc -c <err)" "0 0" "six processes"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "the tables fit 80 columns"
has "$(cat out)" "Noise floor (A/A" "the noise floor is printed"
is "$(json six.json 'print(t["schema"], t["seed"], t["repetitions"], len(t["processes"]), len(c))')" "2 3 3 6 8" \
    "schema, seed, repetitions, processes, cells"
is "$(json six.json 'print({tuple(len(p) for p in x["samples"]) for x in c})')" "{(3, 3, 3, 3, 3, 3)}" \
    "every process's repetitions of every cell"
is "$(json six.json 'print(len({p["seed"] for p in t["processes"]}), len({p["environment_bytes"] for p in t["processes"]}) > 3)')" \
    "6 True" "each process has a seed and an environment of its own"
is "$(json six.json 'print(all(x["noise_floor"] >= 0 and x["unsure"] in (True, False) and x["seconds"] > 0 for x in c))')" True \
    "every cell has its noise floor and whether it is unsure"
is "$(json six.json 'print(all(0 <= p["steal"] <= 1 and p["seconds"] > 0 and p["cells"] == 8 for p in t["processes"]))')" True \
    "each process has its steal"
cat >entries.py <<'PY'
import json
d = json.load(open("six.json"))
by_name = {}
for b in d["benchmarks"]:
    by_name.setdefault(b["run_name"], []).append(b)
ok = len(by_name) == 8 and len({b["family_index"] for b in d["benchmarks"]}) == 8
for c in d["timerbench"]["cells"]:
    entries = by_name[c["name"]]
    ok &= [b["repetition_index"] for b in entries] == list(range(18)) and all(b["repetitions"] == 18 for b in entries)
    ok &= [b["process"] for b in entries] == [p for p in range(6) for r in range(3)]
    ok &= [b["real_time"] for b in entries] == [x for p in c["samples"] for x in p]
print(ok)
PY
is "$(python3 entries.py)" True "Google Benchmark's entries of all processes are there, numbered through"

run run --workload churn-random,arm --impl heap4,wheel_6x64 --size 256 --api both --quick --processes 6 --seed 3 --out again.json
is "$(json again.json 'print([p["seed"] for p in t["processes"]])')" "$(json six.json 'print([p["seed"] for p in t["processes"]])')" \
    "the same seed gives the same processes"
run compare six.json again.json --threshold 1000%
is "$code" 0 "compare reads it"
run compare six.json again.json --format json --threshold 1%
is "$(python3 -c 'import json; x = json.load(open("out"))["cells"][0]; print(x["base"]["processes"], x["base"]["repetitions"], x["noise_floor"] is not None, x["limit"] >= x["noise_floor"])')" \
    "6 18 True True" "and takes processes for units, and their noise floor"

printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '0 arm 0 5000000' '100 arm 1 9000000' \
    '2000000 rearm 0 7000000' '3000000 cancel 1' '8000000 fired 0' >'ow,n*[x].trace'
run replay 'ow,n*[x].trace' n1-node-http --impl heap4,wheel_6x64 --quick --processes 5 --out replay.json
is "$code $(json replay.json 'print(len(c), {len(x["samples"]) for x in c})')" "0 4 {5}" \
    "replay does it, too, also with names that look like lists and globs"
run run --cell 'timers/churn-random/heap4/256,timers/arm/*/512/key' --quick --processes 5 --out some.json
is "$code $(json some.json 'print(sorted(x["name"] for x in c)[-1], {x["name"].split("/")[1] for x in c} == {"arm", "churn-random"})')" \
    "0 timers/churn-random/heap4/256 True" "--cell chooses by name and by glob"
run run --workload churn-random --impl sorted_list,heap4 --size 60000 --quick --processes 5 --out left.json
is "$code $(json left.json 'print({x["contender"]: x["state"] for x in c}, [p["cells"] for p in t["processes"]])')" \
    "0 {'sorted_list': 'left out', 'heap4': 'measured'} [2, 1, 1, 1, 1]" "what the first process leaves out the others need not try"
has "$(json left.json 'print(d["context"]["left_out"])')" "timers/churn-random/sorted_list/60000: " "it is listed"
run run --workload arm --impl heap4 --size 64 --quick --processes 5 --net
has "$(cat out)" "dummy" "--net works with several"

run run --cell timers/churn-random/heap4/64 --processes 2 --out tails.json
is "$(json tails.json 'print([len(p) for p in c[0]["samples"]], c[0]["worst_ns"] > 0)')" "[3, 3] True" "three repetitions each, and tails"
run run --cell timers/churn-random/heap4/64 --processes 2 --repetitions 2 --no-tails --out tails.json
is "$(json tails.json 'print([len(p) for p in c[0]["samples"]], "worst_ns" in c[0])')" "[2, 2] False" "--repetitions and --no-tails"

# ---- a budget ----
run run --workload churn-random --impl heap4,wheel_6x64,binary_heap --size 64 --quick --processes 2 --budget 6 --out budget.json
is "$code" 0 "a budget"
is "$(json budget.json 'print(len(t["processes"]) > 2 and t["budget"] == 6)')" True "is spent on further processes"
is "$(json budget.json 'print(all(len(x["samples"]) == len(t["processes"]) for x in c))')" True "samples have a list for each"
cat >rule.py <<'PY'
import json, math, statistics
d = json.load(open("budget.json"))
cells, ok = d["timerbench"]["cells"], True
processes = len(d["timerbench"]["processes"])
def counts(p):
    return [sum(1 for s in c["samples"][:p] if s) for c in cells]
for p in range(2, processes):
    # What process p took must be no more than half of the cells, rounded up; of cells with fewer than five those alone.
    took = [i for i, c in enumerate(cells) if c["samples"][p]]
    few = [i for i, n in enumerate(counts(p)) if n < 5]
    ok &= 1 <= len(took) <= (len(cells) + 1) // 2 and (len(few) < len(took) or all(i in few for i in took))
print(ok)
PY
is "$(python3 rule.py)" True "each on the wider half of what is unsure"
has "$(cat out)$(json budget.json 'print("unsure" if any(x["unsure"] for x in c) else "?): none unsure")')" "unsure" "what stays wide is unsure"
run run --workload arm --impl heap4 --size 64 --quick --processes 3 --out few.json
has "$(cat out)" "unsure (?)" "fewer than five processes are unsure"
has "$(cat out)" "heap4" "and shown"
is "$(json few.json 'print(c[0]["unsure"], "noise_floor" in c[0])')" "True False" "three tell no noise floor"

# ---- failures ----
refused "process 1: exit code 2: timerbench run: Google Benchmark: " run --workload arm --impl heap4 --size 64 --quick --processes 3 --out no.json -- --benchmark_nonsense=1
refused "--impl 'heap5'" run --impl heap5 --processes 3
refused "--processes '0': expected a whole number from 1" run --processes 0
refused "--cell 'nothing': picks none" run --cell nothing --processes 3
refused "cannot write 'no-folder/x.json'" run --workload arm --impl heap4 --size 64 --quick --processes 3 --out no-folder/x.json
run run --workload arm --impl heap4 --size 64 --quick --processes 2 --out /dev/full
is "$code $(wc -l <err)" "2 1" "a full disk: exit 2, one line"

# ---- interrupted ----
cat >interrupt.py <<'PY'
import os, signal, subprocess, sys, time
number = getattr(signal, sys.argv[1])
marker = b"INTERRUPT_TEST=%d" % os.getpid()
def left():
    found = 0
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) != os.getpid():
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    found += marker in f.read()
            except OSError:
                pass
    return found
environment = dict(os.environ, INTERRUPT_TEST=str(os.getpid()))
p = subprocess.Popen([sys.argv[2], "run", "--workload", "churn-random", "--size", "1M", "--processes", "50", "--out", "cut.json"],
                     env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
for _ in range(200):
    if left() == 2:
        break
    time.sleep(0.05)
both = left()
p.send_signal(number)
error = p.stderr.read()
code = p.wait()
for _ in range(100):
    if left() == 0:
        break
    time.sleep(0.05)
print(both, code == -number, left(), len(error))
PY
for signal in SIGINT SIGTERM SIGHUP; do
    is "$(python3 interrupt.py $signal "$timerbench")" "2 True 0 0" "$signal ends the process that measures, too"
    is "$(ls -A | grep -c 'cut\|tmp$') $(ls -A tmp | wc -l)" "1 0" "and leaves no file"
done
is "$(python3 interrupt.py SIGKILL "$timerbench")" "2 True 0 0" "so does SIGKILL"
rm -f .timerbench-*
is "$(ls -A | grep -vE '^(out|err|tmp|(six|again|replay|some|left|budget|few|tails)\.json|.*\.(trace|py))$' | wc -l)" 0 "nothing is left behind"

echo "1..$count"
[ "$failed" -eq 0 ]
