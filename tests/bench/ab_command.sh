#!/bin/sh
# `timerbench ab` as a user meets it, on programs that stand for builds: they write known results. Prints TAP.
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
# refused TEXT ARGUMENT...: exit 2, one line that holds TEXT, nothing printed, no file written
refused() {
    text=$1
    shift
    run ab "$@" --out report --out-base kept1 --out-new kept2
    is "$code $(wc -l <err) $(wc -c <out) $(ls | grep -c 'report\|kept')" "2 1 0 0" "ab $*: exit 2, one line, nothing written"
    has "$(cat err)" "$text" "and it says: $text"
}

# ---- programs that stand for builds ----
# build NAME SPREAD CELL=NS...: writes a program whose processes measure the cells, each with its own deviation.
cat >build.py <<'PY'
#!/usr/bin/python3
import fnmatch, json, os, random, sys
NAME, SPREAD, CELLS = "@NAME@", @SPREAD@, @CELLS@
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("timerbench 0.0.0")
    sys.exit()
def values(option):
    return [arguments[i + 1] for i, a in enumerate(arguments) if a == option]
globs = [g for v in values("--cell") for g in v.split(",")]
seed = values("--seed")[-1]
r = random.Random(f"{NAME} {seed}")
cells = []
for name, ns in CELLS.items():
    shift = 1 + SPREAD * (2 * r.random() - 1)
    if not globs or any(fnmatch.fnmatchcase(name, g) for g in globs):
        cells.append({"name": name, "state": "measured", "samples": [[ns * shift * (1 + 0.001 * i) for i in range(3)]], "seconds": 0.01})
with open("log", "a") as log:
    print(NAME, seed, len(cells), len(os.environ.get("TIMERBENCH_PADDING", "")), *arguments[:1], file=log)
json.dump({"context": {"num_cpus": 2, "timerbench_revision": NAME}, "benchmarks": [],
           "timerbench": {"schema": 2, "seed": int(seed), "repetitions": 3, "cells": cells}}, open(values("--out")[-1], "w"))
PY
build() {
    name=$1 spread=$2
    shift 2
    cells=$(python3 -c 'import json, sys; print(json.dumps({a.split("=")[0]: float(a.split("=")[1]) for a in sys.argv[1:]}))' "$@")
    sed "s|@NAME@|$name|; s|@SPREAD@|$spread|; s|@CELLS@|$cells|" build.py >"$name"
    chmod +x "$name"
}
a=timers/churn-random/heap4/1024 b=timers/expire/wheel_6x64/65536/key
build base 0.01 $a=50 $b=80
build same 0.01 $a=50.1 $b=80.1
build slower 0.01 $a=60 $b=80
build faster 0.01 $a=40 $b=80
build mixed 0.01 $a=60 $b=70
build wide 0.3 $a=50 $b=80
build other 0.01 timers/other/heap4/1=5
build more 0.01 $a=50 $b=80 timers/new/heap4/1=5

# BASE NEW and options | exit code | summary
while IFS='|' read -r arguments want summary; do
    rm -f log
    run ab $arguments
    is "$code $(wc -c <err) $(tail -n 1 out)" "$want 0 $summary" "ab $arguments"
    narrow out
    result $? "at most 80 columns"
done <<'TABLE'
./base ./same|0|0 slower, 0 faster, 0 unsure, 2 same; threshold 5%
./base ./slower|1|1 slower, 0 faster, 0 unsure, 1 same; threshold 5%
./base ./slower --strict|1|1 slower, 0 faster, 0 unsure, 1 same; threshold 5%
./base ./faster|0|0 slower, 1 faster, 0 unsure, 1 same; threshold 5%
./base ./faster --strict|0|0 slower, 1 faster, 0 unsure, 1 same; threshold 5%
./base ./mixed|1|1 slower, 1 faster, 0 unsure, 0 same; threshold 5%
./base ./slower --threshold 25%|0|0 slower, 0 faster, 0 unsure, 2 same; threshold 25%
./base ./wide --processes 6|0|0 slower, 0 faster, 2 unsure, 0 same; threshold 5%
./base ./wide --processes 6 --strict|3|0 slower, 0 faster, 2 unsure, 0 same; threshold 5%
./base ./slower --processes 4|0|0 slower, 0 faster, 2 unsure, 0 same; threshold 5%
./base ./more|0|0 slower, 0 faster, 0 unsure, 2 same; threshold 5%; 1 not compared
TABLE

# ---- how it goes about it ----
rm -f log
run ab ./base ./same --seed 5
is "$(cut -d' ' -f1 log | tr '\n' ' ')" "base same same base base same same base base same same base " "processes in turn: A B B A"
is "$(cut -d' ' -f2 log | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2 "both of a pair have the same seed"
is "$([ "$(cut -d' ' -f4 log | sort -u | wc -l)" -ge 5 ] && echo differ)" differ "environments differ in size"
is "$(awk '{ pads[$2] = pads[$2] " " $4 } END { for (s in pads) { split(pads[s], p, " "); if (p[1] != p[2]) print "differ" } }' log)" "" \
    "but not within a pair"
is "$(cut -d' ' -f5 log | sort -u)" run "each is a plain run"
build half 0.01 $a=60 $b=80
sed -i 's|shift = 1 + SPREAD|shift = 1 + (0.3 if "expire" in name else SPREAD)|' half
rm -f log
run ab ./base ./half --processes 14
has "$(cat out)" "1 slower, 0 faster, 1 unsure" "one cell is clear, one is not"
is "$(grep half log | cut -d' ' -f3 | tr '\n' ' ')" "2 2 2 2 2 2 1 1 1 1 1 1 1 1 " "what is clear is measured no more"
rm -f log
run ab ./base ./same --cell "$a"
is "$(cut -d' ' -f3 log | sort -u)" 1 "--cell is handed on"
run ab ./base ./wide --budget 1
is "$code" 0 "a budget ends it"
has "$(cat out)" "2 unsure" "with what is not clear unsure"
sed 's|^arguments|import time; time.sleep(0.3)\narguments|' wide >slow
chmod +x slow
rm -f log
run ab ./slow ./slow --budget 1.5
is "$([ "$(wc -l <log)" -le 6 ] && echo few)" few "a pair that would not be done in time is not begun"
has "$(cat out)" "at least 5 of each are needed" "too few processes: unsure, and why"

# ---- what is kept ----
run ab ./base ./slower --out-base base.json --out-new new.json --format junit --out report.xml
is "$code" 1 "results and report are kept"
has "$(tail -n 1 out)" "1 slower" "and the text is printed"
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("report.xml")'
result $? "the report is XML"
run compare base.json new.json
is "$code $(tail -n 1 out)" "1 1 slower, 0 faster, 0 unsure, 1 same; threshold 5%" "compare comes to the same"
is "$(python3 -c 'import json; d = json.load(open("new.json"))["timerbench"]; print(d["schema"], len(d["processes"]), [len(c["samples"]) for c in d["cells"]])')" \
    "2 6 [6, 6]" "they are results as run writes them"
run ab ./base ./slower --format json
is "$(python3 -c 'import json; d = json.load(open("out")); c = d["cells"][0]; print(d["settings"]["repeated"], c["verdict"], c["level"] > 0.95, c["base"]["processes"])')" \
    "True slower True 6" "json tells the level of the interval"
rm -f base.json new.json report.xml

# ---- real builds ----
run ab "$timerbench" "$timerbench" --workload churn-random,arm --impl heap4,wheel_6x64 --size 64 --api both --quick --processes 10 --threshold 1000%
is "$code $(tail -n 1 out | cut -d, -f1-2)" "0 0 slower, 0 faster" "a build against itself"
is "$([ "$(grep -c '^  timers/' out)" -eq 8 ] && echo all)" all "all of its cells are compared"

# ---- bad input ----
printf 'plain text\n' >text
mkdir a-folder
answers='[ "$1" = --version ] && echo timerbench 0.0.0 && exit'
printf '#!/bin/sh\n%s\nkill -SEGV $$\n' "$answers" >crashes
printf '#!/bin/sh\n%s\necho "timerbench run: unknown option" >&2\nexit 2\n' "$answers" >refuses
printf '#!/bin/sh\n%s\nexit 0\n' "$answers" >silent
printf '#!/bin/sh\necho timerbench 0.0.0\nexit 1\n' >fails
printf '#!/bin/sh\nyes timerbench\n' >endless
# writes NAME TEXT: a program that writes this for a result
writes() {
    printf '#!/bin/sh\n%s\nwhile [ "$1" != --out ]; do shift; done\ncat >"$2" <<"END"\n%s\nEND\n' "$answers" "$2" >"$1"
}
writes garbage 'no JSON at all'
writes google '{"benchmarks": [{"name": "BM_f", "real_time": 3}]}'
writes nothing '{"benchmarks": [], "timerbench": {"schema": 2, "cells": []}}'
writes later '{"benchmarks": [], "timerbench": {"schema": 99, "cells": []}}'
writes nan "{\"timerbench\": {\"schema\": 2, \"cells\": [{\"name\": \"$a\", \"samples\": [[NaN]]}]}}"
writes negative "{\"timerbench\": {\"schema\": 2, \"cells\": [{\"name\": \"$a\", \"samples\": [[-1]]}]}}"
writes leftout "{\"timerbench\": {\"schema\": 2, \"cells\": [{\"name\": \"$a\", \"state\": \"left out\", \"reason\": \"slow\"}]}}"
sed 's|^arguments|import sys; sys.exit(7) if sum(1 for l in open("log")) > 6 else 0\narguments|' base >later-fails
chmod +x crashes refuses silent fails endless garbage google nothing later nan negative leftout later-fails
refused "too few arguments: expected BASE_BINARY NEW_BINARY" ./base
refused "unexpected argument './same'" ./base ./base ./same
refused "cannot run './absent': No such file or directory" ./absent ./base
rm -f log
refused "cannot run './absent': No such file or directory" ./base ./absent
refused "'/bin/true': does not answer to --version as timerbench does: expected a build of it" ./base /bin/true
refused "'./fails': does not answer to --version" ./base ./fails
refused "'./endless': does not answer to --version" ./endless ./base
is "$(ls log 2>/dev/null)" "" "and the other was not measured"
refused "cannot run './text': Permission denied" ./base ./text
refused "cannot run './a-folder': Permission denied" ./base ./a-folder
chmod +x text
refused "cannot run './text': Exec format error" ./base ./text
refused "./crashes, process 1: ended by signal 11 (Segmentation fault)" ./base ./crashes
refused "./refuses, process 1: exit code 2: timerbench run: unknown option" ./base ./refuses
refused "./silent, process 1: exit code 0, and no result was written to --out" ./base ./silent
refused "./garbage, process 1: wrote something that is not JSON (line 1:" ./base ./garbage
refused "./google, process 1: a result without the part \"timerbench\"" ./base ./google
refused "./nothing, process 1: no benchmark is in it" ./base ./nothing
refused "./later, process 1: schema 99, of a later timerbench" ./base ./later
refused "./nan, process 1: wrote something that is not JSON" ./base ./nan
refused "./negative, process 1: '$a' took -1 ns" ./base ./negative
refused "no cell is in both files: '$a' is only in ./base, expected the same names" ./base ./other
refused "no cell was measured in both files: '$a' is left out in NEW" ./base ./leftout
rm -f log; touch log
refused "./later-fails, process 5: exit code 7" ./base ./later-fails
refused "--threshold '5': expected a percentage" ./base ./same --threshold 5
refused "--budget '0': expected a number of seconds greater than 0" ./base ./same --budget 0
refused "unknown option '--threshhold' (did you mean --threshold?)" ./base ./same --threshhold 5%
refused "--workload 'moon': matches nothing" "$timerbench" "$timerbench" --workload moon
run ab ./base ./same --out-base no-folder/x
is "$code $(wc -l <err) $(wc -c <out)" "2 1 0" "--out-base in a folder that is not there: exit 2, one line, nothing measured"
run ab ./base ./same --out-new /dev/full
is "$code $(wc -l <err) $(wc -c <out)" "2 1 0" "--out-new to a full disk: exit 2, one line"
run ab --help
narrow out && [ $code -eq 0 ] && [ ! -s err ]
result $? "--help within 80 columns"

# ---- interrupted ----
# It has started something else, ignores what asks it to end, and writes nothing.
printf '#!/bin/sh\ntrap "" TERM HUP INT\nsleep 300 &\nsleep 300\n' >stubborn
chmod +x stubborn
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
p = subprocess.Popen([sys.argv[2], "ab", "./stubborn", "./base", "--out-base", "kept1"], stdout=subprocess.DEVNULL,
                     env=dict(os.environ, INTERRUPT_TEST=str(os.getpid())))
for _ in range(200):
    if left() == 4:
        break
    time.sleep(0.05)
all_of_them = left()
p.send_signal(number)
code = p.wait()
for _ in range(100):
    if left() == 0:
        break
    time.sleep(0.05)
print(all_of_them, code == -number, left(), [f for f in os.listdir() if "kept" in f or f.startswith(".")])
PY
for signal in SIGINT SIGTERM SIGHUP; do
    is "$(python3 interrupt.py $signal "$timerbench")" "4 True 0 []" "$signal ends all that was started, and leaves no file"
done
# A build that leaves something running is not waited for.
sed 's|^arguments|import subprocess; subprocess.Popen(["sleep", "300"])\narguments|' base >leaves
chmod +x leaves
run ab ./leaves ./same --processes 5
is "$code" 0 "what a build leaves running is ended with it"
is "$(ls -A tmp | wc -l) $(ls -A | grep -c '^\.')" "0 0" "nothing is left behind"

echo "1..$count"
[ "$failed" -eq 0 ]
