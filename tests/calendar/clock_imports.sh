#!/bin/sh
# Which objects of the library ask the operating system for the time, read off their imports by nm: the clock's own and
# the sleeping one, nobody else. Also that they export no name without the library's prefix.
# Works on the objects in $BUILD that belong to the sources there are now: one of a deleted source says nothing.
set -u
. tests/tap.sh
BUILD=${BUILD:-build}

# What libc offers to read, set or wait for a clock, or to make a date of it; `syscall` could be any of them.
clock_names='time clock clock_gettime clock_getres clock_settime clock_adjtime clock_nanosleep gettimeofday settimeofday
ftime times getrusage timespec_get timespec_getres nanosleep usleep sleep thrd_sleep alarm ualarm setitimer getitimer
timer_create timer_settime timer_gettime timerfd_create timerfd_settime timerfd_gettime localtime localtime_r gmtime
gmtime_r mktime timelocal timegm difftime asctime asctime_r ctime ctime_r strftime strptime getdate tzset adjtime
adjtimex ntp_gettime stime utime utimes syscall'

# The time functions an object imports, one a line. A build for another time_t spells them __clock_gettime64 and so on.
clock_imports() {
    nm -u "$1" | awk -v names="$clock_names" '
        BEGIN { n = split(names, list); for (i = 1; i <= n; i++) known[list[i]] = 1 }
        { name = $NF; sub(/^__/, "", name); sub(/64$/, "", name); if (name in known) print name }' | sort
}

object() {
    echo "$BUILD/obj/${1%.c}.o"
}

missing=
imports=
exports=
for source in calendar/*.c impls/*.c; do
    [ -e "$source" ] || continue
    file=$(object "$source")
    if [ ! -e "$file" ]; then
        missing="$missing $file"
        continue
    fi
    names=$(clock_imports "$file" | tr '\n' ' ')
    [ -z "$names" ] || imports="$imports$source: ${names% }
"
    # A sanitizer's own symbols have the double underscore of the implementation, not the library's prefix.
    bare=$(nm -g --defined-only "$file" | awk '$NF !~ /^(tb_|__)/ { print $NF }' | tr '\n' ' ')
    [ -z "$bare" ] || exports="$exports$source: ${bare% }
"
done
result "$([ -z "$missing" ]; echo $?)" "INS-02 CAL-06 every source of calendar and impls has its object" "missing:$missing"

expected='calendar/clock.c: clock_gettime
calendar/sleep.c: clock_nanosleep
'
result "$([ "$imports" = "$expected" ]; echo $?)" \
    "INS-02 CAL-06 calendar and impls read the time in clock.o, wait in sleep.o, and import no time function elsewhere" \
    "$imports"
readers=
for source in impls/*.c; do
    file=$(object "$source")
    [ -e "$file" ] || continue
    nm -u "$file" | grep -qE ' tb_(instant_now|timestamp_now|thread_sleep)$' && readers="$readers $source"
done
result "$([ -z "$readers" ]; echo $?)" "INS-02 impls read no clock through the library either: their owner says the time" \
    "$readers"
result "$([ -z "$exports" ]; echo $?)" "TRP-13 calendar and impls export no name without the prefix tb_" "$exports"

macros=$(sed -n 's/^# *define \([A-Za-z_0-9]*\).*/\1/p' include/timerbench/time.h | grep -vE '^(TB_|TIMERBENCH_)')
result "$([ -z "$macros" ]; echo $?)" "TRP-13 time.h defines no macro without the prefix" "$macros"
functions=$(sed -nE 's/^(static inline|TB_API) .*[ *]([a-z_0-9]+)\(.*/\2/p' include/timerbench/time.h)
bare=$(echo "$functions" | grep -v '^tb_')
result "$([ -n "$functions" ] && [ -z "$bare" ]; echo $?)" "TRP-13 time.h declares no function without the prefix" "$bare"

echo "1..$count"
exit $failed
