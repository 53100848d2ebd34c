#!/bin/sh
# Every public header stands alone: compiled by itself it needs nothing included before it, without a warning, as C17 by gcc
# and clang, and as C++17 by g++ and clang++ but for core.h and core/*.h, which are C only. And what the headers define has
# the library's prefix.
set -u
. tests/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
warnings='-Wall -Wextra -Wpedantic -Werror'

# alone COMPILER STANDARD EXTENSION HEADER: also twice, as guards must allow.
alone() {
    if ! command -v "$1" >/dev/null; then
        count=$((count + 1))
        echo "ok $count # SKIP $1 is not installed: $4 as $2"
        return
    fi
    printf '#include <%s>\n#include <%s>\nint planted;\n' "$4" "$4" >"$scratch/alone.$3"
    said=$("$1" -std="$2" $warnings -Iinclude -fsyntax-only "$scratch/alone.$3" 2>&1)
    result $? "$4 compiles alone, by $1 as $2" "$said"
}

for header in $(cd include && find timerbench -name '*.h' | sort); do
    alone gcc c17 c "$header"
    alone clang c17 c "$header"
    case $header in
    timerbench/core.h | timerbench/core/*) ;;
    *)
        alone g++ c++17 cc "$header"
        alone clang++ c++17 cc "$header"
        ;;
    esac
    path=include/$header
    macros=$(sed -nE 's/^# *define +([A-Za-z_0-9]+).*/\1/p' "$path" | grep -vE '^(TB_|tb_|TIMERBENCH_)' | tr '\n' ' ')
    result "$([ -z "$macros" ]; echo $?)" "TRP-13 $header defines no macro without the prefix" "$macros"
    functions=$(sed -nE 's/^(static inline|TB_API|TB_OP) .*[ *]([a-z_0-9]+)\(.*/\2/p' "$path" | grep -v '^tb_' | tr '\n' ' ')
    result "$([ -z "$functions" ]; echo $?)" "TRP-13 $header declares no function without the prefix" "$functions"
    types=$(sed -nE 's/^(typedef )?(struct|enum|union) ([a-z_0-9]+) .*/\3/p' "$path" | grep -v '^tb_' | tr '\n' ' ')
    result "$([ -z "$types" ]; echo $?)" "TRP-13 $header names no type without the prefix" "$types"
done

# That a header that leans on another, or warns, is caught.
mkdir -p "$scratch/include/timerbench"
printf 'static inline tb_instant planted(void) { tb_instant i = {0}; return i; }\n' >"$scratch/include/timerbench/leaning.h"
printf '#include <timerbench/leaning.h>\n' >"$scratch/leaning.c"
gcc -std=c17 $warnings -Iinclude -I"$scratch/include" -fsyntax-only "$scratch/leaning.c" 2>/dev/null
result "$([ $? -ne 0 ]; echo $?)" "the check rejects a planted header that needs another one before it"

echo "1..$count"
exit $failed
