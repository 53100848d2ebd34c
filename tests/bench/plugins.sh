#!/bin/sh
# Plugins that misbehave, under `timerbench check`, `list` and `run`: each is told for what it is, and takes nothing with it.
# Prints TAP.
set -u
BUILD=${BUILD:-build}
CC=${CC:-gcc}
timerbench=$(cd "$BUILD" && pwd)/timerbench
root=$(pwd)
unset TIMERBENCH_TRACES
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
count=0 failed=0

# result STATUS DESCRIPTION: one TAP line; what was printed where it failed
result() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=$((failed + 1))
        cat out err | tail -n 25 | sed 's/^/# /'
    fi
}
# is GOT WANT DESCRIPTION
is() {
    [ "$1" = "$2" ]
    result $? "$3 ($1)"
}
# has PART DESCRIPTION: in what was printed
has() {
    grep -qF -- "$1" out
    result $? "$2: '$1'"
}
# plugin FAULT [FLAG]: faulty.so with that one
sanitize=
grep -q -- '-fsanitize=address' "$root/$BUILD/flags" 2>/dev/null || grep -q -- '-fsanitize=address' "$BUILD/flags" 2>/dev/null && sanitize=yes
plugin() {
    $CC -O1 -shared -fPIC "-DFAULT=$1" ${2:-} -I"$root/include" -I"$root" "$root/tests/bench/plugins/faulty.c" -o faulty.so 2>err || cat err
}
check() {
    rm -f ./*.ops
    "$timerbench" check --plugin faulty.so --time-limit 2 --ops 20000 "$@" >out 2>err
    code=$?
}
# caught FAULT TEXT LINES: a difference that says TEXT, with a reproducer of at most LINES lines that shows it again
caught() {
    plugin "$1"
    check
    is "$code" 1 "$1: a difference: exit 1"
    has "$2" "$1 is told"
    file=./timerbench-check-faulty-1.ops
    lines=$(grep -vc '^#' "$file")
    [ "$lines" -le "$3" ]
    result $? "$1 is shrunk to $lines lines"
    cp "$file" kept.ops
    "$timerbench" check --plugin faulty.so --time-limit 2 --impl faulty --ops-file kept.ops >out 2>err
    is $? 1 "$1: the reproducer shows it again"
    has "$2" "$1: as the same"
}

if [ -z "$sanitize" ]; then
    caught CRASHES "faulty by id crashes (Segmentation fault)" 6
    caught DIES_MADE "faulty by id crashes (Segmentation fault) as the set is made" 1
fi
caught ABORTS "crashes (Aborted)" 5
caught HANGS "does not come back within 2 s" 4
caught EXITS "ends the process (exit code 3)" 3
caught LIES "is not in order" 4
caught LIES_AND_DIES "is not in order" 6
caught DIES_ENDED "in check or destroy" 3

plugin ABORTS
check --impl 'faulty,heap4'
is "$code $(grep -c ': same$' out) $(grep -c DIFFERS out)" "1 1 1" "others go on after a crash"
check --impl heap4
is "$code $(tail -n 1 out)" "0 all same" "--impl chooses among all there are"
printf '%s\n' '# timerbench-ops 1' 'make 0' 'arm 1 5000000' 'expired 6000000' >good.ops
"$timerbench" check --plugin faulty.so --ops-file good.ops --verbose >out 2>err
is $? 0 "an operation file that does not meet the fault"
has "delivers 1 for 5000000, 1.000000 ms late" "--verbose tells what it does"
"$timerbench" check --plugin ./faulty.so --trace n1-node-http >out 2>err
is $? 1 "a recorded trace"
has "crashes (Aborted)" "a crash in a trace"

# refused TEXT: exit 2, one line that holds TEXT, nothing printed, no file left
refused() {
    check
    is "$code $(wc -l <err) $(wc -c <out) $(ls ./*.ops 2>/dev/null | wc -l)" "2 1 0 0" "$1: exit 2, one line, nothing else"
    cat err >>out
    has "$1" "it says"
}
mv good.ops good
plugin DIES_LOADED
"$timerbench" check --plugin faulty.so >out 2>err
is "$? $(tail -n 1 err)" "2 timerbench check: faulty.so: crashes (Aborted) as it is loaded" "one that dies as it is loaded"
plugin HANGS_LOADED
refused "faulty.so: does not come back within 2 s as it is loaded"
plugin WRONG_ABI
refused "faulty.so: a plugin for ABI 2: expected 1, compile it with this version's headers"
plugin WRONG_STRUCTURE_ABI
refused "faulty.so: implementation faulty: its tb_structure is of another ABI"
plugin NULL_OPERATION
refused "faulty.so: implementation faulty: its operation insert is null"
plugin WRONG_NAME
refused "faulty.so: implementation 1: its name is not of a-z 0-9 _ ."
plugin TAKEN_NAME
refused "faulty.so: implementation heap4: there is another of that name"
plugin EMPTY
refused "faulty.so: its timerbench_plugin lists no implementations"
plugin EMPTY -DANOTHER_SYMBOL
refused "faulty.so: not a plugin: it has no symbol timerbench_plugin"
for command in "list impls" "run --quick --workload churn-random --size 64" "replay n1-node-http --quick"; do
    set -- $command
    "$timerbench" "$@" --plugin faulty.so >out 2>err
    is "$? $(wc -l <err) $(wc -c <out)" "2 1 0" "$1 refuses it in the same way"
done
echo 'int unknown(void); int known(void); int known(void) { return unknown(); }' >unresolved.c
$CC -shared -fPIC unresolved.c -o faulty.so
refused "faulty.so: not a plugin: undefined symbol: unknown"
echo "no object" >faulty.so
refused "faulty.so: not a plugin: "
rm faulty.so
refused "faulty.so: No such file or directory"
mkdir faulty.so
refused "faulty.so: Is a directory"
"$timerbench" check --time-limit 3 >out 2>err
is "$? $(cat err)" "2 timerbench check: --time-limit: expected with --plugin only" "a time limit without a plugin"

echo "1..$count"
[ "$failed" -eq 0 ]
