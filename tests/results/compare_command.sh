#!/bin/sh
# `timerbench compare` as a user meets it: verdicts and exit codes on made documents, every format read by a parser, bad input.
# Prints TAP.
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
# refused TEXT ARGUMENT...: exit 2, one line that holds TEXT, nothing printed, no report left
refused() {
    text=$1
    shift
    run compare "$@" --out report
    is "$code $(wc -l <err) $(wc -c <out) $(test -e report && echo left)" "2 1 0 " "compare $*: exit 2, one line, nothing written"
    has "$(cat err)" "$text" "and it says: $text"
}
json() {
    python3 -c "import json; d = json.load(open('$1')); $2" 2>&1
}

# ---- documents ----
cat >make.py <<'PY'
import json, random

def cell(name, ns, processes=10, repetitions=3, spread=0.01, seed=0, **more):
    r = random.Random(f"{name} {seed}")
    def time(): return ns * (1 + spread * (2 * r.random() - 1))
    return {"name": name, "state": "measured", **more,
            "samples": [[time() for _ in range(repetitions)] for _ in range(processes)]}

def write(path, cells, **context):
    base = {"date": "2024-04-01T10:00:00+00:00", "host_name": "one", "num_cpus": 2, "processor": "P 1", "kernel": "K 1",
            "compiler": "gcc 12.2.0", "flags": "-O2 -g", "allocator": "jemalloc 5.3.0", "timerbench_build": "release",
            "timerbench_version": "0.1.0", "timerbench_revision": "r1"}
    base.update(context)
    part = {"schema": 2, "seed": base.pop("seed", 1), "cells": cells}
    json.dump({"context": base, "benchmarks": [], "timerbench": part}, open(path, "w"))

def google(path, entries, **context):
    json.dump({"context": context, "benchmarks": entries}, open(path, "w"))

def entry(name, time, **more):
    return {"name": name, "run_name": name, "run_type": "iteration", "real_time": time, "cpu_time": time, "time_unit": "ns", **more}

names = ["timers/churn-random/heap4/65536", "timers/churn-random/wheel_6x64/1048576/key", "timers/expire/heap4/64",
         "timers/replay-k1-linux-wheel-nginx-think/hashed_wheel_rounds.512/5095/key", "timers/rearm-later/heap4/1024"]
write("base.json", [cell(n, 50) for n in names])
write("same.json", [cell(n, 50.2, seed=1) for n in names], timerbench_revision="r2")
write("slower.json", [cell(n, 50 if i else 60, seed=1) for i, n in enumerate(names)])
write("faster.json", [cell(n, 50 if i else 40, seed=1) for i, n in enumerate(names)])
write("wide.json", [cell(n, 50 if i else 52, seed=1, spread=0.01 if i else 0.2) for i, n in enumerate(names)])
write("worse.json", [cell(n, [60, 40, 52, 50, 75][i], seed=1, spread=0.2 if i == 2 else 0.01) for i, n in enumerate(names)])
write("floor.json", [cell(n, 50 if i else 54, seed=1, noise_floor=0.1) for i, n in enumerate(names)])
write("lone.json", [cell(n, 60, processes=1) for n in names])
write("single.json", [cell(n, 60, processes=1, repetitions=1) for n in names])
write("few.json", [cell(n, 60, processes=4) for n in names])
write("other.json", [cell("a/b/c/1", 50)])
write("gap.json", [cell(names[0], 50, seed=1), {"name": names[1], "state": "wrong", "reason": "WRONG: 3 fired, expected 4"},
                   {"name": names[2], "state": "left out", "reason": "takes an hour"}, cell(names[3], 50, seed=1),
                   cell("timers/new/heap4/1", 5)])
write("build.json", [cell(n, 50) for n in names], compiler="clang 14.0.6", flags="-O3", allocator="malloc", kernel="K 2",
      timerbench_build="debug", timerbench_version="0.2.0", host_name="two", seed=2)
write("machine.json", [cell(n, 50) for n in names], processor="P 2", num_cpus=64)
hostile = "timers/<b>&\"'`a|b``\\]]>/\u2028\x07\x1b[31m\uffff\U0001f600 x*y_z_/1"
write("hostile.json", [cell(hostile, 50), cell("n" * 300, 50), cell("m " * 100, 50, processes=1)], compiler="<gcc> & \"co\"")
write("hostile2.json", [cell(hostile, 99), cell("n" * 300, 99), cell("m " * 100, 50, processes=1)], compiler="`|`")
json.dump({"context": {"num_cpus": 2}, "benchmarks": [], "timerbench": {"schema": 1, "seed": 1, "cells": [
    {"name": "a", "state": "measured", "ns": [1, 2, 3]}]}}, open("schema1.json", "w"))

google("google.json", [entry("BM_f", 100 + i, repetition_index=i) for i in range(12)] +
       [dict(entry("BM_f_mean", 1), run_name="BM_f", run_type="aggregate", aggregate_name="mean")], num_cpus=2, host_name="h",
       library_build_type="release")
google("google2.json", [entry("BM_f", 0.2 + i / 1000, repetition_index=i, time_unit="us") for i in range(12)], num_cpus=2,
       library_build_type="debug")
google("aggregates.json", [dict(entry("BM_f_" + a, 100), run_name="BM_f", run_type="aggregate", aggregate_name=a)
                           for a in ("mean", "median", "stddev")])
google("none.json", [])
google("negative.json", [entry("BM_f", -1)])
google("zero.json", [entry("BM_f", 0)])
google("twice.json", [entry("BM_f", 1, family_index=0), entry("BM_f", 2, family_index=1)])
google("error.json", [entry("BM_f", 0, error_occurred=True, error_message="no such file")])
PY
python3 make.py || exit 1
printf 'name,real_time\nBM_f,3\n' >csv.json
printf '{"benchmarks": [\n{"name": "BM_f", "real_time": NaN}]}' >nan.json
printf '{"context": {}, "benchmarks": [{"name": "BM_f", "real_time": -Infinity}]}' >infinity.json
printf '{"benchmarks": [{"name": "BM_f", "real_' >cut.json
printf '{"a": [1, 2]}' >not.json
head -c 1000 /dev/urandom >noise.json
: >empty.json
mkdir folder.json

# ---- verdicts and exit codes ----
# ARGUMENTS | exit code | the last line begins with
while IFS='|' read -r arguments want last; do
    run compare $arguments
    is "$code $(wc -c <err)" "$want 0" "compare $arguments: exit $want"
    has "$(tail -n 1 out)" "$last" "and the last line says: $last"
    narrow out
    result $? "within 80 columns"
done <<'TABLE'
base.json base.json|0|0 slower, 0 faster, 0 unsure, 5 same; threshold 5%
base.json same.json|0|0 slower, 0 faster, 0 unsure, 5 same
base.json slower.json|1|1 slower, 0 faster, 0 unsure, 4 same
slower.json base.json|0|0 slower, 1 faster, 0 unsure, 4 same
base.json faster.json|0|0 slower, 1 faster
base.json faster.json --strict|0|0 slower, 1 faster
base.json wide.json|0|0 slower, 0 faster, 1 unsure, 4 same
base.json wide.json --strict|3|0 slower, 0 faster, 1 unsure, 4 same
base.json worse.json --strict|1|2 slower, 1 faster, 1 unsure, 1 same
base.json slower.json --threshold 30%|0|0 slower, 0 faster, 0 unsure, 5 same; threshold 30%
base.json slower.json --threshold=0.5%|1|1 slower
base.json floor.json|0|0 slower, 0 faster, 1 unsure, 4 same
base.json slower.json --cells timers/expire/*,*/rearm-later/*|0|0 slower, 0 faster, 0 unsure, 2 same
base.json slower.json --cells timers/churn-random/heap4/65536|1|1 slower, 0 faster, 0 unsure, 0 same
base.json lone.json|0|0 slower, 0 faster, 5 unsure, 0 same
lone.json lone.json --strict|3|0 slower, 0 faster, 5 unsure, 0 same
single.json single.json|0|0 slower, 0 faster, 5 unsure, 0 same
single.json single.json --unit repetition|0|0 slower, 0 faster, 5 unsure, 0 same
few.json base.json|0|0 slower, 0 faster, 5 unsure, 0 same
base.json gap.json|0|0 slower, 0 faster, 0 unsure, 2 same; threshold 5%; 4 not compared
base.json gap.json --strict|3|0 slower, 0 faster, 0 unsure, 2 same
schema1.json schema1.json|0|0 slower, 0 faster, 1 unsure, 0 same
google.json google2.json|0|0 slower, 0 faster, 1 unsure, 0 same
google.json google2.json --unit repetition|1|1 slower, 0 faster, 0 unsure, 0 same
google2.json google.json --unit repetition|0|0 slower, 1 faster, 0 unsure, 0 same
google.json aggregates.json --unit repetition|0|0 slower, 0 faster, 1 unsure
aggregates.json aggregates.json|0|0 slower, 0 faster, 1 unsure
base.json build.json|0|0 slower, 0 faster, 0 unsure, 5 same
base.json machine.json --allow-different-machine|0|0 slower, 0 faster, 0 unsure, 5 same
hostile.json hostile2.json|1|2 slower, 0 faster, 1 unsure
TABLE

run compare base.json worse.json
is "$(grep -nE '^(slower|faster|unsure|same|not)' out | sed 's/.*://' | tr '\n' ',')" "slower (2),faster (1),unsure (1),same (1)," \
    "what matters comes first"
is "$(grep -A1 '^slower' out | tail -n 1)" "  timers/rearm-later/heap4/1024" "the greatest slow-down before others"
run compare base.json build.json
while read -r line; do
    has "$(cat out)" "$line" "named: $line"
done <<'TABLE'
DIFFERENT host: one in BASE, two in NEW
DIFFERENT kernel: K 1 in BASE, K 2 in NEW
DIFFERENT compiler: gcc 12.2.0 in BASE, clang 14.0.6 in NEW
DIFFERENT flags: -O2 -g in BASE, -O3 in NEW
DIFFERENT allocator: jemalloc 5.3.0 in BASE, malloc in NEW
DIFFERENT build type: release in BASE, debug in NEW
DIFFERENT version: 0.1.0 in BASE, 0.2.0 in NEW
DIFFERENT seed (other operations): 1 in BASE, 2 in NEW
TABLE
run compare base.json machine.json --allow-different-machine
has "$(cat out)" "DIFFERENT MACHINE, processor: P 1 in BASE, P 2 in NEW" "another machine is named louder"
run compare google.json google2.json
has "$(cat out)" "DIFFERENT build type of the library: release in BASE, debug in NEW" "of other files what they tell is compared"
has "$(cat out)" "ONLY BASE TELLS host" "and what only one tells is named"
run compare base.json gap.json
while read -r line; do
    has "$(cat out)" "$line" "named: $line"
done <<'TABLE'
timers/churn-random/wheel_6x64/1048576/key: WRONG in NEW (WRONG: 3
timers/expire/heap4/64: left out in NEW (takes an hour)
timers/rearm-later/heap4/1024: only in BASE
timers/new/heap4/1: only in NEW
TABLE
run compare single.json single.json
has "$(cat out)" "a single time in both files: what it varies by is unknown" "one repetition is unsure for that reason"
run compare base.json lone.json
has "$(cat out)" "processes in BASE: 10, in NEW: 1; at least 5 of each are needed" "so is one process"
run compare lone.json lone.json
has "$(cat out)" "one process in each does not tell how much processes differ" "and one in each"
run compare aggregates.json google.json
has "$(cat out)" "aggregates alone in BASE: single repetitions are needed" "and an aggregate"
run compare base.json worse.json && mv out first
run compare base.json worse.json
cmp -s out first
result $? "the same files give the same report"
run compare base.json wide.json --seed 2
is "$code" 0 "another seed gives the same verdicts here"

# ---- formats ----
run compare base.json worse.json --format json
is "$code" 1 "json: exit 1"
is "$(json out 'print(d["format"], d["version"], d["summary"]["slower"], d["settings"]["threshold"], len(d["cells"]))')" \
    "timerbench-compare 1 2 0.05 5" "json: format, version, summary, settings"
is "$(json out 'c = d["cells"][0]; print(c["verdict"], c["base"]["processes"], c["base"]["repetitions"], c["interval"][0] > 1.4, 1.45 < c["ratio"] < 1.55, c["p_corrected"] < 0.001, c["limit"])')" \
    "slower 10 30 True True True 0.05" "json: figures of a cell"
run compare google.json aggregates.json --format json
is "$(json out 'c = d["cells"][0]; print(c["interval"], c["p"], c["noise_floor"], c["reason"] is not None)')" "None None None True" \
    "json: what is unknown is null"
run compare base.json gap.json --format json
is "$(json out 'print([(u["reason"], u["unsettled"]) for u in d["not_compared"]])')" \
    "[('WRONG in NEW', True), ('left out in NEW', True), ('only in BASE', True), ('only in NEW', False)]" "json: what is not compared"

cat >junit.py <<'PY'
import sys, xml.dom.minidom
suite = xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("testsuite")[0]
cases = suite.getElementsByTagName("testcase")
def count(name): return sum(1 for c in cases if c.getElementsByTagName(name))
assert [int(suite.getAttribute(a)) for a in ("tests", "failures", "errors", "skipped")] == \
    [len(cases), count("failure"), count("error"), count("skipped")]
assert all(c.getAttribute("name") and c.getAttribute("classname") for c in cases)
print(len(cases), count("failure"), count("error"), count("skipped"))
PY
# ARGUMENTS | exit code | cases, failures, errors, skipped
while IFS='|' read -r arguments want cases; do
    run compare $arguments --format junit
    is "$code $(python3 junit.py out)" "$want $cases" "junit: compare $arguments"
done <<'TABLE'
base.json same.json|0|5 0 0 0
base.json worse.json|1|5 2 0 1
base.json worse.json --strict|1|5 2 1 0
base.json wide.json|0|5 0 0 1
base.json wide.json --strict|3|5 0 1 0
base.json gap.json|0|6 0 0 4
base.json gap.json --strict|3|6 0 3 1
hostile.json hostile2.json|1|3 2 0 1
TABLE
run compare base.json worse.json --format markdown
is "$code" 1 "markdown: exit 1"
has "$(cat out)" "### timerbench compare: 2 slower, 1 faster, 1 unsure, 1 same" "markdown: the summary is the title"
has "$(cat out)" '| **slower** | `timers/churn-random/heap4/65536` |' "markdown: a row a cell"
is "$(grep '^|' out | sed 's/\\|//g' | tr -cd '|\n' | sort -u)" "|||||||||" "markdown: all rows have as many columns"
run compare hostile.json hostile2.json --format markdown
is "$(grep '^|' out | sed 's/\\|//g' | tr -cd '|\n' | sort -u)" "|||||||||" "markdown: also with bars in names"
LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" out
is $? 1 "no control character gets through"
cp base.json "$(printf 'na\303me\377\033.json')"
for format in text markdown json junit; do
    run compare "$(printf 'na\303me\377\033.json')" same.json --format $format
    python3 -c 'import sys; t = open("out", encoding="utf-8").read(); sys.exit("\x1b" in t)'
    is "$code $?" "0 0" "$format: a file name that is not UTF-8"
done

# ---- where it is written ----
run compare base.json worse.json --format junit --out report.xml
is "$code $(tail -n 1 out | cut -c 1-8) $(python3 junit.py report.xml)" "1 2 slower 5 2 0 1" "--out: the report in the file, the text printed"
run compare base.json same.json -o report.txt
cmp -s out report.txt
is "$code $?" "0 0" "--out without --format writes the text"
rm -f report.xml report.txt
for format in text markdown json junit; do
    "$timerbench" compare base.json worse.json --format $format >/dev/full 2>err
    is "$? $(wc -l <err)" "2 1" "$format to a full disk: exit 2, one line"
    "$timerbench" compare base.json worse.json --format $format --out /dev/full >out 2>err
    is "$? $(wc -l <err) $(wc -c <out)" "2 1 0" "$format to a full disk by --out: exit 2, one line, nothing printed"
done
run compare base.json same.json --out absent/report
is "$code $(wc -c <out) $(cat err)" "2 0 timerbench compare: cannot write 'absent/report': its folder does not exist" \
    "--out in a folder that is not there: exit 2, nothing printed"
cat same.json | "$timerbench" compare base.json /dev/stdin >out 2>err
is "$?" 0 "a document can come through a pipe"

# ---- bad input ----
refused "too few arguments: expected BASE.json NEW.json" base.json
refused "unexpected argument 'slower.json'" base.json same.json slower.json
refused "absent.json: No such file or directory" absent.json base.json
refused "folder.json: Is a directory" base.json folder.json
refused "empty.json: an empty file: expected the JSON of a benchmark" base.json empty.json
refused "csv.json: line 1: not JSON" csv.json base.json
refused "cut.json: line 1: not JSON" cut.json base.json
refused "noise.json: line" noise.json base.json
refused "not.json: JSON, but no benchmark's: expected a list \"benchmarks\"" base.json not.json
refused "none.json: no benchmark is in it: expected at least one" none.json base.json
refused "nan.json: line 2: NaN or infinity, which are no numbers in JSON" google.json nan.json
refused "infinity.json: line 1: NaN or infinity" infinity.json google.json
refused "negative.json: 'BM_f' took -1 ns: expected times greater than 0" google.json negative.json
refused "zero.json: 'BM_f' took 0 ns" google.json zero.json
refused "twice.json: the name 'BM_f' is there twice" google.json twice.json
refused "no cell was measured in both files: 'BM_f' is WRONG in NEW" google.json error.json
refused "no cell is in both files: 'a/b/c/1' is only in other.json" base.json other.json
refused "/dev/zero: more than 256 MiB: expected at most that" base.json /dev/zero
refused "different machines (processor: P 1 in BASE, P 2 in NEW): expected the same, or --allow-different-machine" base.json machine.json
refused "'heap4' picks no cell of either file" base.json same.json --cells heap4
refused "'heap4' picks no cell" base.json same.json --cells '*,heap4'
for threshold in 5 0.05 -1% 1001% nan% 0x5% % 5%% '5 %' 1e2%; do
    refused "--threshold '$threshold': expected a percentage from 0% to 1000%, such as 5%" base.json same.json --threshold "$threshold"
done
refused "--format 'xml': expected text, markdown, json or junit" base.json same.json --format xml
refused "unknown option '--treshold'" base.json same.json --treshold 5%
run compare --help
narrow out && [ $code -eq 0 ] && [ ! -s err ]
result $? "--help within 80 columns"

# ---- what run writes ----
for file in real1 real2; do
    run run --workload expire --impl heap4,wheel_6x64 --size 64 --quick --out $file.json
    is "$code" 0 "run writes $file.json"
    python3 -c "import json; d = json.load(open('$file.json')); del d['timerbench']; json.dump(d, open('$file-google.json', 'w'))"
done
run compare real1.json real2.json
is "$code $(wc -c <err)" "0 0" "compare reads what run writes"
has "$(tail -n 1 out)" "2 unsure, 0 same" "one process in each is unsure"
run compare real1-google.json real2-google.json
has "$(tail -n 1 out)" "2 unsure, 0 same" "and so it is of Google Benchmark's part alone"

echo "1..$count"
[ $failed -eq 0 ]
