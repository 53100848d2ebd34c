#!/bin/sh
# `timerbench gate` as a user meets it: counts that repeat, moves that are found and named, planted slow-downs, references of
# other builds, bad input. Prints TAP.
set -u
. tests/tap.sh
BUILD=$(cd "${BUILD:-build}" && pwd)
timerbench=$BUILD/timerbench
source=$(pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

gate() {
    "$timerbench" gate "$@" >out 2>err
    code=$?
}
# refused TEXT ARGUMENT...: exit 2, one line that holds TEXT
refused() {
    text=$1
    shift
    gate "$@"
    is "$code $(wc -l <err)" "2 1" "gate $*: exit 2, one line"
    has "$(cat err)" "$text" "and it says: $text"
}
# edit FROM TO PYTHON: a reference with something changed in d
edit() {
    python3 -c "import json; d = json.load(open('$1')); c = d['cells'][0]
$3
json.dump(d, open('$2', 'w'))"
}

gate --help
narrow out && [ $code -eq 0 ] && [ ! -s err ]
result $? "--help within 80 columns"
if grep -qE -- '-fsanitize|-DTB_DEBUG' "$BUILD/flags"; then
    refused "this is a debug or sanitizer build" --reference r.json
    echo "1..$count"
    [ $failed -eq 0 ]
    exit
fi

# ---- counts that repeat ----
few="--impl wheel_6x64 --workload cancel,expire"
gate --update --reference r.json $few
is "$code $(cat err)" "0 " "--update writes a reference"
is "$(python3 -c "
import json
d = json.load(open('r.json'))
print(len(d['cells']), d['format'], d['version'], sorted(d['build']))
assert all(sum(c['functions'].values()) == c['instructions'] for c in d['cells'])")" \
    "8 timerbench-instructions 1 ['allocator', 'architecture', 'caches', 'compiler', 'flags', 'libc', 'valgrind', 'workloads']" \
    "with eight cells, what the build is, and functions that add up"
mkdir -p elsewhere/far/away
ln -s "$timerbench" elsewhere/far/away/a-command-of-another-name
while :; do :; done &
busy=$!
(cd elsewhere && A=1 LONG=$(head -c 30000 /dev/zero | tr '\0' x) ./far/away/a-command-of-another-name gate --update \
    --reference ../r2.json $few --jobs 3 >/dev/null)
kill $busy
cmp r.json r2.json
result $? "counts are the same to the last, on a busy machine, in another folder, with another environment, by other processes"
gate --reference r.json $few
is "$code $(cat err)" "0 " "nothing moved: exit 0"
has "$(cat out)" "8 cells: 0 cost more, 0 cost less, 8 the same" "and it says so"
has "$(cat out)" "isn't in it" "and what is not in it"
gate --reference r.json --impl heap4 --workload cancel --update
is "$code $(python3 -c "import json; print(len(json.load(open('r.json'))['cells']))")" "0 12" "--update of some leaves the others"
cp r2.json r.json
ls /tmp/timerbench-gate-* >/dev/null 2>&1
is $? 2 "no folder is left behind"

# ---- what moved ----
edit r.json less.json "
c = [c for c in d['cells'] if c['name'] == 'timers/cancel/wheel_6x64/1024'][0]
f = [f for f in c['functions'] if f.startswith('wheel_6x64') and 'cancel' in f][0]
c['functions'][f] -= 2 * c['operations']; c['instructions'] -= 2 * c['operations']"
gate --reference less.json $few
is "$code" 1 "two instructions more a cancel: exit 1"
has "$(cat out)" "COSTS MORE: 1 of 8 cells" "told"
has "$(cat out)" "+2.00   wheel_6x64_by_id_cancel" "and in which function"
narrow out
result $? "within 80 columns"
edit r.json more.json "
for c in d['cells']:
    c['instructions'] += 30 * c['operations']; c['functions']['gone'] = 30 * c['operations']"
gate --reference more.json $few
is "$code" 0 "less than in the reference: exit 0"
has "$(cat out)" "costs less: 6 of 8 cells" "told"
has "$(cat out)" "30.00 ->      0.00    -30.00   gone" "with a function that is gone"
gate --reference more.json --strict $few
is "$code" 1 "with --strict: exit 1"
edit r.json slight.json "
for c in d['cells']: c['instructions'] = int(c['instructions'] / 1.009)"
gate --reference slight.json $few
is "$code" 0 "0.9 % more: exit 0"
edit r.json misses.json "
for c in d['cells']: c['d1_misses'] = 0"
gate --reference misses.json $few
is "$code" 1 "more misses: exit 1"
has "$(cat out)" "first-cache misses an operation" "told"
edit r.json fewer.json "d['cells'].pop(0)"
gate --reference fewer.json $few
is "$code" 0 "a cell that the reference does not have: exit 0"
has "$(cat out)" "not in the reference: 1 of 8 cells" "told"
edit r.json failing.json "d['cells'][0] = {'name': c['name'], 'problem': 'takes too long'}"
gate --reference failing.json $few
is "$code" 0 "and one that could not be counted there"

# ---- planted slow-downs (docs/trust.md) ----
# One structure is compiled anew with each and linked in the place of the library's. GATE_PLANTED=all: every one there is a
# table of. A step is two instructions; around them the compiler may arrange the rest in a few more or less.
compiler=$(head -n 1 "$BUILD/flags")
linker=$(sed -n 2p "$BUILD/flags")
# DEFINE, STEPS, WORKLOAD
grep -E "${GATE_PLANTED:-^(CANCEL|EXPIRE)=5 }" >planted <<'TABLE'
CANCEL=5 3 cancel
CANCEL=10 7 cancel
CANCEL=20 14 cancel
EXPIRE=5 7 expire
EXPIRE=10 15 expire
EXPIRE=20 30 expire
TABLE
while read -r define steps workload; do
    rm -f slow
    (cd "$source" && $compiler -DTB_SLOWDOWN_"$define" -c impls/wheel_6x64.c -o "$folder/slow.o") &&
        ${linker%% *} -Wl,--export-dynamic -o slow "$BUILD/obj/bench/command/main.o" slow.o "$BUILD/libcommand.a" \
            "$BUILD/libtimerbench.a" ${CMD_LIBS:--lbenchmark -ljansson -llzma -ljemalloc} -pthread -lm
    result $? "$define %: a slower wheel_6x64 is built"
    ./slow gate --reference r.json --impl wheel_6x64 --workload "$workload" --all >out 2>err
    is "$?" 1 "$define %: found"
    python3 -c "
import re
more = [float(m) for m in re.findall(r'([+-][0-9.]+)   wheel_6x64_by_', open('out').read())]
print('# instructions more an operation:', more)
assert len(more) >= 2 and all(abs(m - 2 * $steps) <= 6 for m in more)" >difference 2>&1
    result $? "$define %: as many instructions more as were planted, in the functions of wheel_6x64"
    cat difference
    has "$(cat out)" "COSTS MORE" "$define %: told"
done <planted

# ---- another build ----
edit r.json other.json "d['build']['compiler'] = 'gcc 99.1'; d['build']['libc'] = 'glibc 9'"
refused "other.json is of another compiler (gcc 99.1, here" --reference other.json
has "$(cat err)" "take a new one with --update" "and what to do"
has "$(cat out)" "libc          reference: glibc 9" "and what else differs"
gate --reference other.json --allow-different-build $few
is "$code" 0 "--allow-different-build compares all the same"
has "$(cat out)" "THE REFERENCE IS OF ANOTHER BUILD" "and says it first"
refused "of another compiler" --reference other.json --update $few
refused "expected only one of them" --reference other.json --update --allow-different-build

# ---- bad input ----
echo '{"format": "timerbench-instructions", "version": 1' >cut.json
echo 'name,value' >csv.json
: >empty.json
echo '{"benchmarks": []}' >not.json
echo '[]' >list.json
edit r.json version.json "d['version'] = 2"
edit r.json none.json "d['cells'] = []"
edit r.json build.json "del d['build']['libc']"
edit r.json twice.json "d['cells'].append(c)"
edit r.json negative.json "c['instructions'] = -1"
edit r.json text.json "c['operations'] = 'many'"
edit r.json zero.json "c['operations'] = 0"
head -c 700 r.json >short.json
refused "absent.json: No such file or directory: expected the counts" --reference absent.json
refused "elsewhere: Is a directory" --reference elsewhere
refused "cut.json: line 2: not JSON" --reference cut.json
refused "short.json: line" --reference short.json
refused "csv.json: line 1: not JSON" --reference csv.json
refused "empty.json: line 1: not JSON" --reference empty.json
refused "not.json: JSON, but no counts: expected \"format\": \"timerbench-instructions\"" --reference not.json
refused "list.json: JSON, but no counts" --reference list.json
refused "version.json: another version of the format: expected \"version\": 1" --reference version.json
refused "none.json: no cell is in it" --reference none.json
refused "build.json: no text \"libc\" in \"build\"" --reference build.json
refused "twice.json: cell 9, timers/" --reference twice.json
refused "negative.json: cell 1, timers/" --reference negative.json
refused "text.json: cell 1, timers/" --reference text.json
refused "zero.json: cell 1, timers/" --reference zero.json
refused "--impl" --reference r.json --impl whel
refused "--workload" --reference r.json --workload replay-n1-node-http
refused "unknown option '--udpate'" --udpate
refused "unexpected argument 'r.json'" r.json
refused "absent/r.json': its folder does not exist" --update --reference absent/r.json $few
"$timerbench" gate --update --reference /dev/full $few >out 2>err
is "$? $(wc -l <err)" "2 1" "--update to a full disk: exit 2, one line"
"$timerbench" gate --reference r.json $few >/dev/full 2>err
is "$? $(wc -l <err)" "2 1" "a report to a full disk: exit 2, one line"
mkdir bin
ln -s "$(command -v sh)" bin/sh
PATH=$folder/bin "$timerbench" gate --reference r.json >out 2>err
is "$? $(wc -l <err)" "2 1" "without valgrind: exit 2, one line"
has "$(cat err)" "package valgrind" "and it says which package brings it"

echo "1..$count"
[ $failed -eq 0 ]
