#!/bin/sh
# `make install` and `make uninstall`: what is installed works alone, and all of it goes away. Prints TAP.
set -u
BUILD=${BUILD:-build}
CC=${CC:-gcc}
root=$(pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
prefix=$folder/usr
count=0 failed=0
result() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=$((failed + 1))
        sed 's/^/# /' "$folder/log" | head -n 20
    fi
}
quietly() {
    "$@" >"$folder/log" 2>&1
}

quietly make install PREFIX="$prefix" BUILD="$BUILD" CC="$CC" ${SAN:+SAN="$SAN"} ${WERROR:+WERROR="$WERROR"}
result $? "make install PREFIX=... succeeds"
for file in bin/timerbench lib/libtimerbench.a lib/libtimerbench.so lib/pkgconfig/timerbench.pc include/timerbench/timers.h \
    include/timerbench/core/arm.h share/man/man1/timerbench.1 share/timerbench/traces/n1-node-http.trace.xz; do
    [ -e "$prefix/$file" ]
    result $? "$file is there"
done

# The program in the README, as a user builds it.
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$folder/example.c"
[ "$(wc -l <"$folder/example.c")" -gt 10 ]
result $? "the README has a program"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"
sanitize=${SAN:+-fsanitize=$SAN}
cd "$folder" || exit 1
quietly $CC $sanitize example.c -o shared $(pkg-config --cflags --libs timerbench)
result $? "it compiles against the shared library"
./shared >out 2>log
[ "$(cat out)" = "timer 2 is due" ]
result $? "and does what it says"
quietly $CC $sanitize example.c -o static $(pkg-config --cflags timerbench) "$prefix/lib/libtimerbench.a" -pthread
result $? "it compiles against the static library"
[ "$(./static)" = "timer 2 is due" ]
result $? "and does the same"
"$prefix/bin/timerbench" trace check n1-node-http >log 2>&1
result $? "the installed command finds its traces"
groff -man -Tascii -ww "$prefix/share/man/man1/timerbench.1" >/dev/null 2>log
[ ! -s log ]
result $? "the man page has no errors"
for command in list check run replay compare ab trace gate doctor; do
    [ "$(sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/p' "$prefix/share/man/man1/timerbench.1" | grep -A1 '^\.TP' | grep -c "^\.B $command\( \|\$\)")" -eq 1 ]
    result $? "it describes $command once"
done
for option in impl plugin peer floor ratio-to workload size api cell processes repetitions budget seed out; do
    "$prefix/bin/timerbench" run --help | grep -q -- "--$option" &&
        groff -man -Tascii "$prefix/share/man/man1/timerbench.1" | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' | grep -Eq -- "^ +(-o, )?--$option"
    result $? "it describes --$option, which run has"
done
grep -q 'sudo ldconfig' "$root/README.md"
result $? "the README says how programs find the shared library"

cd "$root" || exit 1
quietly make uninstall PREFIX="$prefix" BUILD="$BUILD"
result $? "make uninstall succeeds"
left=$(find "$prefix" ! -type d | wc -l)
echo "$left files left" >"$folder/log"
[ "$left" -eq 0 ]
result $? "nothing is left"
echo "1..$count"
[ "$failed" -eq 0 ]
