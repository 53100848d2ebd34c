#!/bin/sh
# The program timerbench as a user meets it, and `timerbench trace`: exit codes, error lines, figures of the traces that
# come with it. Prints TAP.
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
timerbench=$(cd "$BUILD" && pwd)/timerbench
unset TIMERBENCH_TRACES
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# is GOT WANT DESCRIPTION

# has TEXT PART DESCRIPTION

# run ARGUMENT...: the command, with its exit code in $code, and out and err as files
run() {
    "$timerbench" "$@" >out 2>err
    code=$?
}

# narrow FILE: no line is wider than 80 columns

header='# timerbench-trace 1
# source: a test
# clock: 1 ns'
printf '%s\n' "$header" '0 arm 0 5' '3 cancel 0' >good.trace
printf '%s\n' "$header" '0 arm 0 5' '3 cancle 0' >word.trace
printf '%s\n' "$header" '0 arm 0 5' '3 cancel 1' >sense.trace
: >empty.trace
xz -k good.trace
head -c 60 good.trace.xz >cut.trace.xz
{ cat good.trace.xz && echo more; } >garbage.trace.xz
mkdir folder.trace

# ---- the program ----
for arguments in --help -h help; do
    run $arguments
    [ $code -eq 0 ] && grep -q '^  trace  *check' out && narrow out && [ ! -s err ]
    result $? "timerbench $arguments lists the subcommands"
done
run --version
[ $code -eq 0 ] && grep -Eqx 'timerbench [0-9]+\.[0-9]+\.[0-9]+' out
result $? "timerbench --version is a name and a version"
for command in 'trace' 'trace check' 'trace stat'; do
    run help $command
    mv out by-help
    run $command --help
    [ $code -eq 0 ] && cmp -s out by-help && [ -s out ] && narrow out && [ ! -s err ]
    result $? "timerbench $command --help is timerbench help $command, in 80 columns"
done

# ---- bad input: exit 2, one line on standard error, nothing on standard output ----
# ARGUMENTS | what the line must have
while IFS='|' read -r arguments want; do
    run $arguments
    [ $code -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]
    result $? "timerbench $arguments is refused by one line and exit code 2"
    has "$(cat err)" "$want" "and the line says: $want"
done <<'TABLE'
|timerbench: no command: expected one, as `timerbench --help` lists them
trace|timerbench trace: no command: expected one, as `timerbench trace --help` lists them
frobnicate|timerbench: unknown command 'frobnicate': expected a command, as `timerbench --help` lists them
tarce|unknown command 'tarce' (did you mean trace?)
help tarce|unknown command 'tarce'
--verbose|timerbench: unknown option '--verbose'
trace chekc|timerbench trace: unknown command 'chekc' (did you mean check?)
trace check|timerbench trace check: too few arguments: expected FILE...
trace stat|timerbench trace stat: too few arguments: expected FILE...
trace check --fast good.trace|timerbench trace check: unknown option '--fast': expected one that `timerbench trace check --help` lists
trace stat --fromat json good.trace|unknown option '--fromat' (did you mean --format?)
trace stat --format xml good.trace|timerbench trace stat: --format 'xml': expected table or json
trace stat --format|--format: no value: expected table|json
trace stat --format= good.trace|--format '': expected table or json
trace stat good.trace word.trace|timerbench trace stat: word.trace:5: operation 'cancle': expected arm, rearm, cancel or fired
trace stat --format json word.trace good.trace|word.trace:5:
trace check absent/x.trace|timerbench trace check: absent/x.trace: No such file or directory
trace check absent|absent: no such file or stored trace: expected a file or one of i1-nginx-rbtree
trace check n1-node-htpt|(did you mean n1-node-http?)
trace check folder.trace|folder.trace: Is a directory
trace check empty.trace|empty.trace:1: an empty file: expected the line '# timerbench-trace 1'
trace check word.trace|word.trace:5: operation 'cancle': expected arm, rearm, cancel or fired
trace check sense.trace|sense.trace:5: cancel of key 1, which is not pending: expected an arm before
trace check cut.trace.xz|the xz data is cut short: expected a complete file
trace check garbage.trace.xz|data after the end of the xz stream: expected the end of the file
TABLE

run trace check word.trace good.trace absent/x sense.trace good.trace.xz
is $code 2 "one bad file among several is exit code 2"
is "$(wc -l <err)" 3 "each bad one has its line"
is "$(cat out)" 'good.trace: consistent, 2 events, 0.00 s, 0 left pending
good.trace.xz: consistent, 2 events, 0.00 s, 0 left pending' "and each good one, too"
cat good.trace.xz | "$timerbench" trace check /dev/stdin >out 2>err
is $? 0 "a trace can come through a pipe"

# ---- output that does not arrive ----
for arguments in '' '--version' 'trace check good.trace' 'trace stat good.trace' 'trace stat --format json n1-node-http' \
    'trace stat --help'; do
    "$timerbench" $arguments >/dev/full 2>err
    is "$? $(wc -l <err)" '2 1' "timerbench $arguments >/dev/full is exit code 2 and one line"
done
has "$(cat err)" 'timerbench: cannot write to standard output: No space left on device' "which says why"
"$timerbench" --help >&- 2>err
is "$? $(wc -l <err)" '2 1' "and so is a closed standard output"

# ---- the traces that come with it ----
run trace check i1-nginx-rbtree k1-linux-wheel-nginx-think k2-linux-hrtimer-mixed n1-node-http
is "$code $(cat out err)" "0 i1-nginx-rbtree: consistent, 92246 events, 20.30 s, 0 left pending
k1-linux-wheel-nginx-think: consistent, 291101 events, 16.76 s, 3845 left pending
k2-linux-hrtimer-mixed: consistent, 345000 events, 18.32 s, 99 left pending
n1-node-http: consistent, 217104 events, 30.03 s, 2 left pending" "the recorded traces are consistent"

run trace stat n1-node-http k2-linux-hrtimer-mixed
[ $code -eq 0 ] && [ ! -s err ] && narrow out
result $? "trace stat prints a table within 80 columns"
while IFS='|' read -r want; do
    has "$(cat out)" "$want" "it has: $want"
done <<'TABLE'
  events      217104 in 30.028 s, 7230 a second
  keys        412
  pending     at most 412, mean 331.2, 2 left at the end
  arm              98887   45.5 % of events
  rearm            19332    8.9 % of events,  19.5 % of arms
  cancel           89261   41.1 % of events,  90.3 % of arms
  fired             9624    4.4 % of events,   9.7 % of arms
  deadlines   3 not in the future (0.0 %); 291 precise (0.2 %)
              <=10s         99593   84.2 %
  slop        none
  notes       all JS timers including internal ones
  keys        5896
  lateness    p50 61.901 us, p99 4.9199 ms, max 5.3151 ms; 0 fired early
  slop        on 155155 (89.9 %), 3193 different; most frequent:
              50 us        122715   71.1 %
              30 ms          9935    5.8 %
TABLE

run trace stat --format json k1-linux-wheel-nginx-think
is "$code $(wc -c <err)" '0 0' "trace stat prints JSON"
while IFS='|' read -r want; do
    has "$(cat out)" "$want" "it has: $want"
done <<'TABLE'
  "format": "timerbench-trace-stat",
  "version": 1,
      "file": "k1-linux-wheel-nginx-think",
        "clock": "jiffy 4 ms (HZ=250), deadlines are jiffy edges on CLOCK_MONOTONIC",
      "events": 291101,
      "keys": 8890,
      "max_pending": 5095,
      "left_pending": 3845,
      "arm": 107734,
      "rearm": 79478,
      "fired_early": 0,
      "not_in_future": 23,
        ">1h": 3828
      "with_slop": 0,
TABLE
python3 -m json.tool out >/dev/null 2>&1
result $? "and a JSON parser takes it"
printf '%s\n' "$header" >"$(printf 'na\303me\377.trace')"
run trace stat --format json "$(printf 'na\303me\377.trace')"
[ $code -eq 0 ] && python3 -m json.tool out >/dev/null 2>&1
result $? "also of a file whose name is not UTF-8"

# ---- where the traces are looked for ----
mkdir -p installed/bin installed/share/timerbench/traces elsewhere
cp "$timerbench" installed/bin/timerbench
cp good.trace installed/share/timerbench/traces/here.trace
cp good.trace elsewhere/there.trace
installed/bin/timerbench trace check here >out 2>err
is "$? $(cat out err)" '0 here: consistent, 2 events, 0.00 s, 0 left pending' \
    "an installed command finds its traces in ../share/timerbench/traces"
(PATH=$PWD/installed/bin:$PATH && cd / && timerbench trace check here) >out 2>err
is $? 0 "wherever it is called from"
mkdir installed/bin/traces && cp good.trace installed/bin/traces/beside.trace
installed/bin/timerbench trace check beside >out 2>err
is $? 0 "traces beside the command go first"
TIMERBENCH_TRACES=elsewhere installed/bin/timerbench trace check there >out 2>err
is $? 0 "and the folder TIMERBENCH_TRACES names before both"
TIMERBENCH_TRACES=elsewhere installed/bin/timerbench trace check beside >out 2>err
is "$? $(wc -l <err)" '2 1' "which then is the only one"

echo "1..$count"
[ $failed -eq 0 ]
