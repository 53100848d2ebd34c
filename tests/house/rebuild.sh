#!/bin/sh
# Incremental builds: what changed is made anew, and nothing else. Works on a copy of the tree. Prints TAP.
set -u
CC=${CC:-gcc}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
count=0 failed=0
result() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=$((failed + 1))
        sed 's/^/# /' "$folder/log" | tail -n 20
    fi
}
for part in Makefile include calendar impls loop bench results tests .ci docs; do
    cp -r "$part" "$folder/"
done
cd "$folder" || exit 1
unset BUILD MAKEFLAGS
library() {
    make lib CC="$CC" "$@" >log 2>&1
}
# made TEXT: whether the last make said that it made TEXT
made() {
    grep -q "$1" log
}

library -j4
result $? "the library builds with -j"
library
! made ' CC ' && ! made ' LD '
result $? "a second make makes nothing"
touch include/timerbench/core/arm.h
library
made 'CC   impls/heap4.c' && ! made 'CC   calendar/clock.c'
result $? "a changed header makes what includes it anew, and nothing else"
library CFLAGS=-g0
made 'CC   calendar/clock.c' && made 'CC   impls/heap4.c'
result $? "changed flags make all anew"
library CFLAGS=-g0
! made ' CC '
result $? "the same flags make nothing"
printf 'int tb_test_extra(void);\nint tb_test_extra(void) { return 1; }\n' >impls/extra.c
library
made 'CC   impls/extra.c' && nm build/libtimerbench.a 2>/dev/null | grep -q tb_test_extra
result $? "a new source is found"
rm impls/extra.c
library
! nm build/libtimerbench.a 2>/dev/null | grep -q tb_test_extra
result $? "a deleted source leaves the archive"
library BUILD="$folder/elsewhere"
[ -e elsewhere/libtimerbench.a ]
result $? "BUILD= names another folder"
rm -rf elsewhere
make help CC="$CC" >log 2>&1
made 'make \[COMMAND\]' && made '  bench ' && made '  test '
result $? "make help lists the commands"
make clean >/dev/null 2>&1
[ ! -e build ]
result $? "make clean removes the build"
echo "1..$count"
[ "$failed" -eq 0 ]
