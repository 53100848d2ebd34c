#!/bin/sh
# Every function of every structure's object is straight code: no call and no jump through a register or memory, so the
# semantics and the structure are one piece and a public call is one indirect call, the one into it. Read off the
# disassembly. Works on the objects in $BUILD where those are optimised; a debug or sanitizer build keeps the calls that
# optimising takes away, so there the sources are compiled anew as a release build does.
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
CC=${CC:-gcc}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# compile SOURCE OBJECT
compile() {
    $CC -Iinclude -I. -D_GNU_SOURCE -std=gnu17 -O2 -fvisibility=hidden -c "$1" -o "$2"
}

# The functions of an object with an indirect call or jump, each with the first such instruction. On x86 the operand has a
# star, on ARM the branch names a register.
indirect() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = $2; seen = 0 }
        /(call|jmp)[a-z]*[ \t]+\*/ || /[ \t](blr|br)[a-z]*[ \t]+x[0-9]/ { if (!seen++) print name, $0 }'
}

functions() {
    objdump -d "$1" | grep -cE '^[0-9a-f]+ <.*>:$'
}

optimised=no
if head -n 1 "$BUILD/flags" 2>/dev/null | grep -q -- ' -O[23s]' && ! grep -q -- -fsanitize "$BUILD/flags"; then
    optimised=yes
fi

for source in impls/*.c; do
    name=$(basename "$source" .c)
    object=$BUILD/obj/impls/$name.o
    if [ $optimised = no ]; then
        object=$scratch/$name.o
        compile "$source" "$object"
    fi
    if [ ! -e "$object" ]; then
        result 1 "object code of $name is there" "missing: $object"
        continue
    fi
    n=$(functions "$object")
    result "$([ "$n" -gt 40 ]; echo $?)" "object code of $name: its operations by id and by key are there to read" "$n functions"
    found=$(indirect "$object")
    result "$([ -z "$found" ]; echo $?)" "object code of $name: no function has an indirect call or jump" "$found"
done

# That the check can fail: one planted object for each thing it looks for, and one with none of them.
cat >"$scratch/call.c" <<'END'
int planted(int (*f)(int), int x);
int planted(int (*f)(int), int x) { return f(x) + 1; }
END
cat >"$scratch/tail.c" <<'END'
int planted(int (*const *f)(int), int x);
int planted(int (*const *f)(int), int x) { return (*f)(x); }
END
cat >"$scratch/table.c" <<'END'
int a(void), b(void), c(void), d(void), e(void), f(void), g(void), h(void);
int planted(int x);
int planted(int x)
{
    switch (x) {
    case 0: return a() + 1;
    case 1: return b() + 2;
    case 2: return c() + 3;
    case 3: return d() * 2;
    case 4: return e() * 3;
    case 5: return f() - 1;
    case 6: return g() - 2;
    case 7: return h() ^ 1;
    }
    return 0;
}
END
cat >"$scratch/straight.c" <<'END'
int other(int x);
int planted(int x);
int planted(int x) { return other(x) + (x > 3 ? other(x - 1) : 0); }
END
for kind in call tail table; do
    compile "$scratch/$kind.c" "$scratch/$kind.o"
    result "$([ -n "$(indirect "$scratch/$kind.o")" ]; echo $?)" "object code: the check rejects a planted indirect one: $kind"
done
compile "$scratch/straight.c" "$scratch/straight.o"
result "$([ -z "$(indirect "$scratch/straight.o")" ]; echo $?)" "object code: and accepts direct calls"

echo "1..$count"
exit $failed
