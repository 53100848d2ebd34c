#!/bin/sh
# A set is pure data: what the objects of impls import from outside is memory, errno and string functions. No thread, no
# file, no environment, no output; a broken precondition goes through tb_assert_failed. Read off the objects by nm. (That they
# read no clock is shown in tests/calendar/clock_imports.sh.)
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
CC=${CC:-gcc}

allowed='malloc calloc realloc free __errno_location memcpy memmove memset memcmp memchr strcmp strncmp strlen strchr strrchr
tb_assert_failed'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

objects=
missing=
for source in impls/*.c impls/core/*.c; do
    object=$BUILD/obj/${source%.c}.o
    [ -e "$object" ] && objects="$objects $object" || missing="$missing $object"
done
result "$([ -n "$objects" ] && [ -z "$missing" ]; echo $?)" "WHL-01 every source of impls has its object" "missing:$missing"

# What impls define between them.
nm -g --defined-only $objects | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/own"

# Imports of an object that are neither allowed, nor impls' own, nor the compiler's: sanitizers, stack protection, coverage.
foreign() {
    nm -u "$1" | awk '{ print $NF }' | grep -vE '^__(asan|ubsan|tsan|msan|sanitizer|stack_chk|gcov|llvm)' |
        grep -vE '^_GLOBAL_OFFSET_TABLE_$|^__(memcpy|memmove|memset)_chk$' | grep -vxF -f "$scratch/own" |
        awk -v names="$allowed" 'BEGIN { n = split(names, list); for (i = 1; i <= n; i++) known[list[i]] = 1 } !($0 in known)'
}

found=
for object in $objects; do
    names=$(foreign "$object" | tr '\n' ' ')
    [ -z "$names" ] || found="$found$object: $names
"
done
result "$([ -z "$found" ]; echo $?)" "WHL-01 they import memory, errno and string functions, and nothing else" "$found"

# That the check can fail: what a thread, a file, a wait and an environment would import.
cat >"$scratch/planted.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int planted(void *(*f)(void *));
int planted(void *(*f)(void *))
{
    pthread_t t;
    void *memory = malloc(3);
    free(memory);
    return pthread_create(&t, NULL, f, memory) + puts("planted") + (getenv("HOME") != NULL) + (int)getpid();
}
END
$CC -D_GNU_SOURCE -O0 -c "$scratch/planted.c" -o "$scratch/planted.o"
names=$(foreign "$scratch/planted.o" | sort | tr '\n' ' ')
result "$([ "$names" = 'getenv getpid pthread_create puts ' ]; echo $?)" \
    "WHL-01 the check finds a planted thread, output, environment and system call, and lets malloc pass" "$names"

# No variable of the library is written: two sets share nothing. Tables of addresses are in .data.rel.ro, which is not.
writable() {
    objdump -t "$@" | awk 'NF > 4 && $(NF - 2) ~ /^\.t?(data|bss)(\.|$)/ && $(NF - 2) !~ /^\.data\.rel\.ro/ && $(NF - 3) == "O" &&
        $NF !~ /^(\.|__)/ { print $NF }' | tr '\n' ' '
}
names=$(writable $objects)
result "$([ -z "$names" ]; echo $?)" "WHL-01 WHL-02 impls have no writable variable: sets share nothing" "$names"
printf 'static int calls;\nint planted(void);\nint planted(void) { return ++calls; }\n' >"$scratch/variable.c"
$CC -O0 -c "$scratch/variable.c" -o "$scratch/variable.o"
result "$([ "$(writable "$scratch/variable.o")" = 'calls ' ]; echo $?)" "WHL-01 the check finds a planted one"

echo "1..$count"
exit $failed
