#!/bin/sh
# Counting (TB_COUNT in impl.h) costs nothing where it is not asked for: each structure's object code is the same, instruction for
# instruction, as with every TB_COUNT struck out of the sources. And where it is asked for, the code is another. Prints TAP.
set -u
. tests/tap.sh
CC=${CC:-gcc}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/as_is" "$scratch/struck"
cp -r include impls "$scratch/as_is"
cp -r include impls "$scratch/struck"
find "$scratch/struck" -name '*.[ch]' | xargs sed -i -E '/define TB_COUNT/!{s/TB_COUNT\([a-z]+\);//g; s/TB_COUNT\([a-z]+\), //g}'
left=$(grep -rn 'TB_COUNT(' "$scratch/struck" | grep -vc 'define TB_COUNT')
result "$left" "no TB_COUNT is left in the copy"
# code TREE SOURCE FLAG...: the instructions, without what names the file
code() {
    tree=$1 source=$2
    shift 2
    (cd "$scratch/$tree" && $CC "$@" -Iinclude -I. -D_GNU_SOURCE -std=gnu17 -O2 -fvisibility=hidden -c "$source" -o "$scratch/$tree.o") &&
        objdump -dr --no-show-raw-insn "$scratch/$tree.o" | sed 1,3d
}
for source in impls/*.c impls/core/*.c; do
    code as_is "$source" >"$scratch/one"
    code struck "$source" >"$scratch/other"
    [ -s "$scratch/one" ] && cmp -s "$scratch/one" "$scratch/other"
    result $? "$source: the same code with and without its counts"
done
code as_is impls/heap4.c -DTB_COUNTING=1 >"$scratch/counting"
cmp -s "$scratch/counting" "$scratch/other"
[ $? -eq 1 ]
result $? "and other code where they are asked for"
echo "1..$count"
[ "$failed" -eq 0 ]
