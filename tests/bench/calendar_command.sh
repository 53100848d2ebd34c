#!/bin/sh
# `timerbench run --level calendar`: dates and their text beside glibc and the published algorithms. Prints TAP.
set -u
BUILD=${BUILD:-build}
timerbench=$(cd "$BUILD" && pwd)/timerbench
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
count=0 failed=0
result() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=$((failed + 1))
        head -n 30 out err | sed 's/^/# /'
    fi
}
run() {
    "$timerbench" "$@" >out 2>err
    code=$?
}
json() {
    [ "$(python3 -c "import json; d = json.load(open('r.json')); print($1)" 2>err)" = True ]
}

run run --level calendar --quick --size 256 --repetitions 2 --out r.json
result $code "all of the calendar's workloads run, and no cell is WRONG"
cells='d["timerbench"]["cells"]'
json "{c['workload'] for c in $cells} >= {'date-from-days', 'days-from-date', 'write-rfc3339', 'read-rfc3339', 'write-http-date', 'read-http-date'}"
result $? "the result has every workload"
json "all(c['level'] == 'calendar' and c['name'] == 'calendar/%s/%s/256' % (c['workload'], c['contender']) for c in $cells)"
result $? "its cells are named calendar/<workload>/<contender>/<population>"
json "{c['contender'] for c in $cells} == {'timerbench', 'timerbench_checked', 'timerbench_pattern', 'joffe', 'neri_schneider', 'hinnant', 'glibc'}"
result $? "the library, its patterns, three published algorithms and glibc took part"
json "all(len(c['samples'][0]) == 2 and min(c['samples'][0]) > 0 for c in $cells if c['state'] == 'measured')"
result $? "every cell has its repetitions"
json "d['context']['date'].endswith('Z') and len(d['context']['date']) == 20"
result $? "RFC-02 a result's date is UTC, as RFC 3339 has it"
awk 'length($0) > 80 { wide = 1 } END { exit wide }' out
result $? "the tables fit 80 columns"
! grep -q 'Ranking\|B/tm' out
result $? "there is no ranking, and no bytes of timers"

# A machine without a time zone database: that workload is left out, and why is said.
TZDIR=$folder/none
export TZDIR
run run --level calendar --quick --size 64 --repetitions 1 --workload local-time --out r.json
[ $code -eq 0 ] && grep -q 'no time zone database' out && json "all(c['state'] == 'left out' for c in $cells)"
result $? "GB-04 without a time zone database local-time is left out, and it is said why"
unset TZDIR

run run --level calendar --quick --workload churn-random
[ $code -eq 2 ] && grep -q 'date-from-days' err && [ "$(wc -l <err)" -eq 1 ]
result $? "a workload of timers is none of the calendar's: exit 2, one line that lists these"
run run --level calendar --quick --impl heap4
[ $code -eq 2 ] && grep -q 'hinnant' err
result $? "nor is a structure a contender there"
run run --level calendar --quick --size 64 --repetitions 1 --cell 'calendar/*-rfc3339/glibc/64' --out r.json
[ $code -eq 0 ] && json "len($cells) == 2"
result $? "--cell chooses cells of the calendar"
run run --level calendar --quick --size 64 --processes 2 --workload date-from-days --impl hinnant,joffe --out r.json
[ $code -eq 0 ] && json "all(len(c['samples']) == 2 for c in $cells) and len($cells) == 2"
result $? "fresh processes measure the calendar, too"
run compare r.json r.json
result $code "results of the calendar are compared as any other"
run list workloads --format json
python3 -c "import json; d = json.load(open('out'))['workloads']; assert {w['level'] for w in d} == {'timers', 'calendar'}" 2>err
result $? "list workloads tells of them, and their level"

echo "1..$count"
[ $failed -eq 0 ]
