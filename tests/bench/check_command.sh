#!/bin/sh
# `timerbench check` as a user meets it: exit codes, error lines, reproducers. Prints TAP.
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
CC=${CC:-gcc}
root=$(pwd)
timerbench=$(cd "$BUILD" && pwd)/timerbench flags=$(cd "$BUILD" && pwd)/flags
unset TIMERBENCH_TRACES
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# is GOT WANT DESCRIPTION
# has TEXT PART DESCRIPTION
# run ARGUMENT...: the command, with its exit code in $code, and out and err as files
run() {
    "$timerbench" check "$@" >out 2>err
    code=$?
}
# refused TEXT ARGUMENT...: exit 2, one line that holds TEXT, nothing printed, no file left
refused() {
    text=$1
    shift
    rm -f out err
    before=$(ls)
    run "$@"
    is "$code $(wc -l <err) $(wc -c <out)" "2 1 0" "check $*: exit 2, one line"
    has "$(cat err)" "$text" "check $*: says '$text'"
    rm -f out err
    is "$(ls)" "$before" "check $*: leaves nothing behind"
}
# ops LINE...: an operation file, f.ops
ops() {
    printf '%s\n' '# timerbench-ops 1' "$@" >f.ops
}

# ---- all same ----
run --ops 30000
is "$code $(wc -c <err)" "0 0" "EQ-01 the default check succeeds, and shows no progress in a pipe"
is "$(tail -n 1 out)" "all same" "it ends with 'all same'"
for name in unordered_list sorted_list binary_heap heap4 hashed_wheel_rounds wheel_6x64; do
    has "$(grep '^[a-z]' out)" "$name" "it checks $name"
done
is "$(grep -c '30000 operations .*: same$' out)" "$(grep -c ': same$' out)" "each did as many operations as asked for"
case $(cat out) in *null*) result 1 "the yardstick is left out" ;; *) result 0 "the yardstick is left out" ;; esac
has "$(cat out)" "from recorded traces" "it tells what the streams met"
is "$(ls ./*.ops 2>/dev/null)" "" "no reproducer without a difference"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "it fits 80 columns"
cp out first
run --ops 30000 --seed 1
cmp -s out first
result $? "the default seed is 1, and the same seed says the same"
run --ops 30000 --seed 2
cmp -s out first
is $? 1 "another seed is another stream"
run --ops 5000 --impl '*heap*' --api key
is "$(grep -c ': same$' out)" 2 "--impl takes globs"
is "$(awk '/of the programs, by key/ { print $1 }' out)" "$(awk '/ programs$/ { print $1; exit }' out)" "--api key makes keyed sets alone"
run --ops 5000 --impl @list --api id
is "$code $(grep -c ': same$' out) $(awk '/of the programs, by key/ { print $1 }' out)" "0 2 0" "--impl takes families, --api id no keys"
TIMERBENCH_TRACES=$folder "$timerbench" check --ops 5000 --impl heap4 >out 2>err
is "$? $(awk '/from recorded traces/ { print $1 }' out)" "0 0" "without traces it checks the rest"

# ---- a difference: a plugin that delivers nothing ----
$CC -O1 -shared -fPIC -DFAULT=KEEPS -I"$root/include" -I"$root" "$root/tests/bench/plugins/faulty.c" -o faulty.so || exit 1
run --plugin ./faulty.so --impl faulty,heap4 --ops 20000 --seed 7
is "$code" 1 "EQ-01 a difference: exit 1"
has "$(cat out)" "DIFFERS" "the table says which one differs"
is "$(grep -c ': same$' out)" 1 "the other goes on"
has "$(cat out)" "expected" "what differs is said"
has "$(cat out)" "written to ./timerbench-check-faulty-7.ops" "and where the reproducer is"
is "$(ls ./*.ops)" "./timerbench-check-faulty-7.ops" "it is there, and nothing else"
is "$(head -n 1 timerbench-check-faulty-7.ops)" "# timerbench-ops 1" "it is an operation file"
lines=$(grep -vc '^#' timerbench-check-faulty-7.ops)
[ "$lines" -le 4 ]
result $? "of few lines ($lines)"
said=$(sed -n 2p timerbench-check-faulty-7.ops)
cp timerbench-check-faulty-7.ops kept.ops
run --plugin ./faulty.so --impl faulty --ops-file timerbench-check-faulty-7.ops
is "$code" 1 "EQ-01 run again, it shows a difference again"
has "# $(cat out)" "${said#\# }" "the same"
has "$(cat out)" "timerbench-check-faulty-7.ops:" "and its line"
cmp -s kept.ops timerbench-check-faulty-7.ops
result $? "a file that is only run is left as it is"
run --ops-file timerbench-check-faulty-7.ops
is "$code" 0 "EQ-01 the others do it right"
mkdir readonly && cd readonly && mkdir timerbench-check-faulty-1.ops || exit 1
run --plugin ../faulty.so --ops 1000
is "$code $(wc -l <err)" "1 1" "a reproducer that cannot be written is one line; the difference stays a difference"
has "$(cat out)" "make " "and the program is on the screen"
cd ..

# ---- operation files ----
ops 'make 0' 'arm 1 5000000' 'arm 2 5000000' 'expired 6000000'
run --ops-file f.ops --verbose --impl heap4
is "$code" 0 "WHL-30 a file by hand"
has "$(cat out)" "delivers 1 for 5000000, 1.000000 ms late" "--verbose tells what is delivered"
ops 'fail 1' 'make 0' 'fail 1 onward' 'arm 1 5000000' 'fail 1' 'arm 1 5000000' 'fail 2 onward' 'expired 6000000'
run --ops-file f.ops --verbose --impl heap4 --api id
is "$code $(sed -n '2,11p' out | tr '\n' '|')" "0 fail 1|make 0|    refused for want of memory, and made again|fail 1 onward|arm 1 5000000|    refused for want of memory|fail 1|arm 1 5000000|    got over it|fail 2 onward|" \
    "WHL-43 --verbose tells of refused memory, and what came of it"
has "$(cat out)" "    asks for less memory: nothing fails" "and where nothing was refused"
if ! grep -q -- '-fsanitize=\(address\|thread\)' "$flags"; then
    ops 'make 0 keys=2147483647' 'arm 2147483646 5000000' 'arm 1 5000000'
    (ulimit -v 1000000 && "$timerbench" check --ops-file f.ops >out 2>err)
    is "$? $(wc -c <out) $(cat err)" "2 0 timerbench check: out of memory" "the machine's own want of memory is no difference"
fi
ops 'make 0 keys=2147483648'
refused "f.ops:2: keys '2147483648': expected a number from 1 to 2147483647" --ops-file f.ops
ops 'make 0' 'arm 1 5000000' 'arm 2 5000000' 'expired 6000000'
run --ops-file f.ops --api id
is "$code" 0 "--api id fits a set with ids"
refused "f.ops: makes a set with ids: expected --api id" --ops-file f.ops --api key
ops 'make 0 keys=4' 'arm 1 5000000' 'arm 9 5'
run --ops-file f.ops --api key
is "$code" 0 "WHL-64 a keyed set"
refused "f.ops: makes a set with keys: expected --api key" --ops-file f.ops --api id
ops 'make 0' 'arm 1 9223372036854775808'
refused "f.ops:3: deadline '9223372036854775808': expected a number from" --ops-file f.ops
ops 'make 0' 'arm 1 0 repeat=1:burst' 'expired 1000000000000'
refused "f.ops:4: more than 1000000 timers are due in this call: expected a max=<n>" --ops-file f.ops
ops 'arm 1 5'
refused "f.ops:2: 'arm' before make" --ops-file f.ops
refused "missing.ops: No such file or directory" --ops-file missing.ops
refused "Is a directory" --ops-file .

# ---- traces ----
run --trace i1-nginx-rbtree --impl heap4,wheel_6x64
is "$code $(tail -n 1 out)" "0 all same" "EQ-02 a recorded trace, whole, by id and by key"
has "$(cat out)" "92246 lines" "it tells what was made of the trace"
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '0 arm 0 5' '3 cancle 0' >bad.trace
refused "bad.trace:5:" --trace bad.trace
refused "missing.trace" --trace missing.trace
printf '%s\n' '# timerbench-trace 1' '# source: a test' '# clock: 1 ns' '0 arm 0 5000000' '0 arm 1 5000000 slop=3000000' '9000000 fired 0' \
    >own.trace
run --plugin ./faulty.so --trace own.trace
is "$code $(ls ./*faulty-1.ops)" "1 ./timerbench-check-faulty-1.ops" "a difference in a trace is shrunk and written, too"
mkdir empty
TIMERBENCH_TRACES=$folder/nowhere "$timerbench" check --ops 1000 >out 2>err
is "$? $(wc -l <err) $(wc -c <out)" "2 1 0" "a folder of traces that is not there"

# ---- options ----
refused "--impl 'heap5': matches nothing (did you mean heap4?)" --impl heap5
refused "--impl 'null': null is a yardstick, not a timer structure" --impl null
refused "--impl 'null': null is a yardstick, not a timer structure" --impl heap4,null --ops-file f.ops
refused "unknown option '--opps'" --opps 5
refused "--ops" --ops 0
refused "--ops" --ops ten
refused "--api" --api name
refused "--seed" --seed -1
refused "--ops-file and --trace: expected one of the two" --ops-file f.ops --trace f.trace
refused "--ops with --trace: expected it without" --trace own.trace --ops 5
refused "--verbose: expected with --ops-file only" --verbose
refused "unexpected argument 'heap4'" heap4
run --help
is "$code" 0 "--help"
has "$(cat out)" "--ops-file FILE" "it shows the options"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "it fits 80 columns"
"$timerbench" check --ops 1000 --impl heap4 >/dev/full 2>err
is "$? $(wc -l <err)" "2 1" "a full disk: exit 2, one line"

echo "1..$count"
[ "$failed" -eq 0 ]
