#!/bin/sh
# What the calendar's objects import, read off them by nm: string functions and each other; no allocation, no file, no
# locale, no output. The time is asked for by HTTP's dates as of now alone, and files are read by the zone database alone;
# each is an object of its own. (The clocks themselves and the sleep are clock_imports.sh's.)
set -u
. tests/tap.sh
BUILD=${BUILD:-build}
CC=${CC:-gcc}

# What neither needs the operating system nor memory of its own; and what compilers add: sanitizers, stack protection.
pure='memcpy memmove memset memcmp bcmp memchr strlen strnlen strcmp strncmp strchr'

# foreign OBJECT ALLOWED...: what it imports beyond that and the library's own pure functions
foreign() {
    file=$1
    shift
    nm -u "$file" | awk -v names="$pure $*" '
        BEGIN { n = split(names, list, " "); for (i = 1; i <= n; i++) known[list[i]] = 1 }
        { name = $NF; sub(/^__(isoc23_)?/, "", name); sub(/_chk$/, "", name) }
        $NF ~ /^__(asan|ubsan|tsan|msan|sanitizer|stack_chk|gcov|llvm)/ || $NF == "_GLOBAL_OFFSET_TABLE_" { next }
        name in known { next }
        $NF ~ /^tb_/ && $NF !~ /^tb_(timestamp_now|instant_now|thread_sleep|zone_load|zone_local)$/ { next }
        { printf "%s ", $NF }'
}

missing=
found=
for source in calendar/*.c; do
    object=$BUILD/obj/${source%.c}.o
    [ -e "$object" ] || { missing="$missing $object"; continue; }
    case $source in
    calendar/assert.c | calendar/clock.c | calendar/sleep.c | calendar/zone_database.c) continue ;;
    calendar/http_date_now.c) names=$(foreign "$object" tb_timestamp_now) ;;
    *) names=$(foreign "$object") ;;
    esac
    [ -z "$names" ] || found="$found$source: $names
"
done
result "$([ -z "$missing" ]; echo $?)" "CAL-06 every source of the calendar has its object" "missing:$missing"
result "$([ -z "$found" ]; echo $?)" \
    "CAL-06 ERR-06 TRP-13 the calendar imports string functions alone: no clock, no file, no allocation; but for HTTP dates as of now" \
    "$found"

database=$BUILD/obj/calendar/zone_database.o
if [ -e "$database" ]; then
    names=$(foreign "$database" fopen fclose fread ferror errno_location malloc realloc free getenv strstr)
    result "$([ -z "$names" ]; echo $?)" "CAL-06 GB-04 the reader of the zone database imports what reads a file, and memory" "$names"
fi

# That the check can fail.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '#include <stdlib.h>\n#include <time.h>\nvoid *tb_planted(void);\nvoid *tb_planted(void) { return malloc((size_t)time(0)); }\n' >"$scratch/planted.c"
"$CC" -c "$scratch/planted.c" -o "$scratch/planted.o"
names=$(foreign "$scratch/planted.o")
result "$([ "$names" = "malloc time " ]; echo $?)" "CAL-06 an object that allocates and asks for the time would be found" "$names"

echo "1..$count"
exit $failed
