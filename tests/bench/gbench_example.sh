#!/bin/sh
# The bindings as somebody who takes them away would use them: two files and the example in a folder of their own, compiled
# with strict flags, run, and their JSON read by python3.
set -u
cd "$(dirname "$0")/../.." || exit 1
CC=${CC:-cc} CXX=${CXX:-c++}
place=${BUILD:-build}/gbench_example
rm -rf "$place"
mkdir -p "$place/examples"
cp bench/gbench.h bench/gbench.cc "$place"
cp bench/examples/gbench_example.c "$place/examples"
# The program that docs/gbench.md begins with: the indented lines of its section.
sed -n '/^## A first program/,/^## The loop/s/^    //p' docs/gbench.md >"$place/first.c"
cd "$place" || exit 1

count=0
failed=0
check() { # DESCRIPTION COMMAND...
    what=$1
    shift
    count=$((count + 1))
    if "$@" >check.log 2>&1; then
        echo "ok $count - $what"
    else
        failed=1
        echo "not ok $count - $what"
        sed 's/^/# /' check.log
    fi
}
json() { # EXPRESSION over d, the document, and b, its benchmarks
    python3 -c "import json, sys
d = json.load(open('out.json'))
b = d['benchmarks']
sys.exit(not ($1))"
}
exits() { # STATUS COMMAND...
    want=$1
    shift
    "$@" >out.log 2>&1
    [ $? -eq "$want" ] || { cat out.log; return 1; }
}

warnings='-Wall -Wextra -Wpedantic -Werror'
echo '#include "gbench.h"' >header.c
echo 'int main(void) { tb_gbench_clobber_memory(); return tb_gbench_shutdown(); }' >>header.c
cp header.c header.cc
check 'the header is C17' $CC -std=c17 $warnings -Wstrict-prototypes -c header.c -o header_c.o
check 'and C++17' $CXX -std=c++17 $warnings -c header.cc -o header_cc.o
check 'the bindings are C++17' $CXX -std=c++17 -O1 -g $warnings -c gbench.cc -o gbench.o
check 'the example is C17' $CC -std=c17 -D_POSIX_C_SOURCE=200809L -O1 -g $warnings -c examples/gbench_example.c -o example.o
check 'the first program of the guide is C17' $CC -std=c17 -O1 $warnings -c first.c -o first.o
check 'they link with the library alone' $CXX example.o gbench.o -o example -lbenchmark -pthread
check 'from C++, too' $CXX header_cc.o gbench.o -o header_cc -lbenchmark -pthread
check 'and run' ./header_cc
check 'the first program links' $CXX first.o gbench.o -o first -lbenchmark -pthread
check 'and runs as the guide says' exits 0 ./first --benchmark_filter=copy/64 --benchmark_min_time=0.001 --benchmark_format=json
check 'with the names that it says' grep -q '"name": "copy/64"' out.log

BENCHMARK_REPETITIONS=77
export BENCHMARK_REPETITIONS
check 'the example runs' exits 0 ./example out.json
cp out.log console.log
check 'its console has names as registered' grep -q '^search/linear/16  ' console.log
check 'and what the callback kept' grep -Eq '^fastest search/binary/4096 [0-9.]+ ns$' console.log
check 'nothing is left beside the result' test ! -e out.json.part
check 'the JSON has ten benchmarks, each five times, with four aggregates, and two fits' json "len(b) == 10 * (5 + 4) + 2 * 2"
check 'every name is a registered name, with its argument' json "{x['run_name'] for x in b \
    if x.get('aggregate_name') not in ('BigO', 'RMS')} == {f'search/{m}/{n}' for m in ('linear', 'binary') \
    for n in (16, 64, 256, 1024, 4096)}"
check 'and name is run_name with the aggregate' json "all(x['name'] == x['run_name'] + \
    ('_' + x['aggregate_name'] if x['run_type'] == 'aggregate' else '') for x in b)"
check 'compare.py finds its fields' json "all(k in x for x in b if x.get('aggregate_name') not in ('BigO', 'RMS') \
    for k in ('name', 'run_name', 'run_type', 'repetitions', 'real_time', 'cpu_time', 'time_unit'))"
check 'times are numbers above 0' json "all(x['real_time'] > 0 and x['iterations'] == 1000 and x['repetitions'] == 5 \
    for x in b if x['run_type'] == 'iteration')"
check 'a counter is what was counted' json "all(x['comparisons'] == 12 for x in b \
    if x['name'] == 'search/binary/4096')"
check 'a linear search is no logarithmic one' json "[x['big_o'] for x in b if x['name'] == 'search/linear_BigO'] != ['lgN']"
check 'the context has the build and the variable that did not count' json "d['context']['example_build'] and \
    d['context']['cleared_environment'] == 'BENCHMARK_REPETITIONS=77'"

check 'a filter on a registered name' exits 0 ./example out.json '--benchmark_filter=binary/16$'
check 'runs that one' json "{x['name'] for x in b if x['run_type'] == 'iteration'} == {'search/binary/16'}"
check 'a filter that matches nothing is an error' exits 2 ./example none.json --benchmark_filter=ternary
check 'that says so' grep -q 'no benchmark matches "ternary"' out.log
check 'and leaves no file' test ! -e none.json -a ! -e none.json.part
check 'the library'"'"'s own output file is refused' exits 2 ./example none.json --benchmark_out=/dev/full
check 'a flag that is none, too' exits 2 ./example none.json --benchmark_fast
check 'a place that cannot be written is an error' exits 2 ./example no/such/folder.json --benchmark_filter=binary/16
check 'help is given' exits 0 ./example --help
check 'with the flags' grep -q -- '--benchmark_repetitions=N' out.log

echo "1..$count"
exit $failed
