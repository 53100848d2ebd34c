#!/bin/sh
# `timerbench run --level loop` as a user meets it. Prints TAP.
set -u
BUILD=${BUILD:-build}
timerbench=$(cd "$BUILD" && pwd)/timerbench
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
count=0 failed=0
result() {
    count=$((count + 1))
    [ "$1" -eq 0 ] || { failed=$((failed + 1)); printf 'not '; }
    echo "ok $count - $2"
}
"$timerbench" run --level loop --workload timers --impl 'wheel_6x64,heap4' --size 16 --quick --out out.json >out 2>err
result $? "LOP-08 run --level loop --workload timers: exit 0"
[ "$(grep -cE '^  (clock_nanosleep|timerfd|heap4|wheel_6x64) +(-|16)( +[0-9]+){4} +[0-9.]+ +(-|[0-9.]+)$' out)" -eq 4 ]
result $? "LOP-08 lateness p50, p99, p99.9 and max of two loops, beside clock_nanosleep and timerfd"
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 80 ]
result $? "LOP-08 in 80 columns"
grep -q '"name": "loop/timers/wheel_6x64/16"' out.json && grep -q '"late_p999_ns"' out.json && ! grep -q WRONG out.json
result $? "LOP-08 the document has the cells"
for bad in "--api key" "--processes 2" "--workload nothing" "--impl null*" "--level loops"; do
    rm -f bad.json
    # shellcheck disable=SC2086
    "$timerbench" run --level loop $bad --quick --out bad.json >out 2>err
    [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && [ ! -e bad.json ]
    result $? "LOP-08 $bad: exit 2, one line, nothing written"
done
echo "1..$count"
[ "$failed" -eq 0 ]
