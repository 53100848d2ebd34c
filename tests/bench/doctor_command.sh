#!/bin/sh
# `timerbench doctor` as a user meets it: verdicts on made machines, both formats, exit codes, bad input. Prints TAP.
set -u
. tests/tap.sh
BUILD=$(cd "${BUILD:-build}" && pwd)
timerbench=$BUILD/timerbench
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

doctor() {
    "$timerbench" doctor --seconds 0.05 "$@" >out 2>err
    code=$?
}
# put FILE TEXT: a file of the made machine
put() {
    mkdir -p "$(dirname "m$1")"
    printf '%s\n' "$2" >"m$1"
}
# verdict NAME: what doctor says of the made machine there
verdict() {
    "$timerbench" doctor --root m --seconds 0.05 --format json 2>&1 |
        python3 -c "import json, sys; print([f['verdict'] + ': ' + f['value'] for f in json.load(sys.stdin)['findings'] if f['name'] == '$1'][0])"
}

cpu=/sys/devices/system/cpu
# NAME | FILE | CONTENT | verdict: value
while IFS='|' read -r name file content want; do
    rm -rf m
    mkdir m
    is "$(verdict "$name" | sed 's/:.*//')" unknown "$name: unknown where the system does not tell"
    put "$file" "$content"
    is "$(verdict "$name")" "$want" "$name: $content"
done <<TABLE
cpus|$cpu/online|0-3,7|ok: 5 online, 5 for this process
cpus|$cpu/online|0|warn: 1 online, 1 for this process
governor|$cpu/cpu0/cpufreq/scaling_governor|powersave|warn: powersave
governor|$cpu/cpu0/cpufreq/scaling_governor|performance|ok: performance
turbo|$cpu/intel_pstate/no_turbo|0|warn: on
turbo|$cpu/intel_pstate/no_turbo|1|ok: off
turbo|$cpu/cpufreq/boost|1|warn: on
smt|$cpu/smt/active|1|warn: on
smt|$cpu/smt/active|0|ok: off
smt|$cpu/cpu0/topology/thread_siblings_list|0,4|warn: on
throttling|$cpu/cpu0/thermal_throttle/core_throttle_count|12|warn: 12 times since boot
virtual|/proc/cpuinfo|flags		: fpu hypervisor sse|warn: a virtual machine: its maker is not told
virtual|/proc/cpuinfo|flags		: fpu sse|ok: none is told
huge-pages|/sys/kernel/mm/transparent_hugepage/enabled|[always] madvise never|warn: always
huge-pages|/sys/kernel/mm/transparent_hugepage/enabled|always [madvise] never|ok: madvise
placement|/proc/sys/kernel/randomize_va_space|0|warn: always the same
placement|/proc/sys/kernel/randomize_va_space|2|ok: random
memory|/proc/meminfo|MemAvailable:    131072 kB|bad: 128 MiB free, 0 MiB swapped out
memory|/proc/meminfo|MemAvailable:   8388608 kB|ok: 8192 MiB free, 0 MiB swapped out
numa|/sys/devices/system/node/online|0-1|warn: 2
clocksource|/sys/devices/system/clocksource/clocksource0/current_clocksource|tsc|ok: tsc
clocksource|/sys/devices/system/clocksource/clocksource0/current_clocksource|hpet|bad: hpet
clocksource|/sys/devices/system/clocksource/clocksource0/current_clocksource|odd|warn: odd
load|/proc/loadavg|0.10 0.20 0.30 1/100 999|ok: 0.10 on 2 CPUs, of the last minute
load|/proc/loadavg|1.00 0.20 0.30 1/100 999|warn: 1.00 on 2 CPUs, of the last minute
load|/proc/loadavg|7.5 0.20 0.30 1/100 999|bad: 7.50 on 2 CPUs, of the last minute
steal|/proc/stat|cpu  100 0 0 900 0 0 0 0 0 0|ok: 0.0 % now, 0.0 % since boot
steal|/proc/stat|cpu  100 0 0 800 0 0 0 100 0 0|bad: 10.0 % now, 10.0 % since boot
TABLE
rm -rf m && mkdir m
is "$(verdict cpu-quota)" "ok: none is told" "no quota is told"
put /sys/fs/cgroup/cpu.max "50000 100000"
is "$(verdict cpu-quota)" "bad: 0.50 CPUs in each 100 ms" "half a CPU is bad"
put /sys/fs/cgroup/cpu.max "max 100000"
is "$(verdict cpu-quota)" "ok: none" "no limit"
put $cpu/online "0-3"
put /sys/fs/cgroup/cpu.max "200000 100000"
is "$(verdict cpu-quota)" "warn: 2.00 CPUs in each 100 ms" "less than all CPUs is a warning"

case $(sed -n 1p "$BUILD/flags") in
*-fsanitize* | *-DTB_DEBUG*) want=bad ;;
*) want=ok ;;
esac
is "$(verdict build | sed 's/:.*//')" $want "the build is $want"

# Text from anywhere: no control character, nothing too long
put $cpu/cpu0/cpufreq/scaling_governor "$(printf '\033[31m%0300d\303' 0)"
put /proc/cpuinfo "flags : $(printf 'x%.0s' $(seq 3000)) hypervisor"
put /sys/class/dmi/id/product_name "$(printf '%0500d' 0)"
put /proc/stat garbage
put /proc/loadavg ""
put /proc/meminfo "MemAvailable"
put $cpu/online "x"
doctor --root m
narrow out && ! LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" out
result $? "strange files: within 80 columns, no control character"
is "$(wc -l <err)" 0 "and no complaint"

rm -rf m && mkdir m
put $cpu/cpu0/cpufreq/scaling_governor powersave
doctor --root m
grep -q "^warn     governor         powersave" out && grep -q -- "-> cpupower frequency-set -g performance" out
result $? "a warning is told with what to do"
grep -q "the frequency follows the load" out
result $? "and why it matters"
[ $want = bad ] || is "$code" 0 "warnings alone: exit 0"
put /proc/stat "cpu  100 0 0 800 0 0 0 100 0 0"
doctor --root m
is "$code" 1 "something bad: exit 1"
is "$(sed -n 's/^\(bad\|warn\|ok\|unknown\) .*/\1/p' out | uniq | tr '\n' ' ')" "bad warn unknown ok " "the worst comes first"

# ---- this machine ----
doctor
narrow out && [ $code -le 1 ] && [ ! -s err ]
result $? "this machine: exit 0 or 1, within 80 columns"
doctor --format json
python3 -c "
import json
d = json.load(open('out'))
names = [f['name'] for f in d['findings']]
assert d['format'] == 'timerbench-doctor' and d['version'] == 1
assert len(set(names)) == len(names) >= 18 and sum(d['summary'].values()) == len(names)
assert all(f[k] for f in d['findings'] for k in ('verdict', 'value', 'why', 'advice'))
assert $code == (1 if d['summary']['bad'] else 0)"
result $? "json: each finding with verdict, value, reason and advice, and a summary"
doctor --help
narrow out && [ $code -eq 0 ] && [ ! -s err ]
result $? "--help within 80 columns"

# ---- bad input ----
while IFS='|' read -r arguments text; do
    doctor $arguments
    is "$code $(wc -l <err) $(wc -c <out)" "2 1 0" "doctor $arguments: exit 2, one line, nothing printed"
    grep -qF -- "$text" err
    result $? "and it says: $text"
done <<'TABLE'
--root absent|--root 'absent': expected a folder
--root out|--root 'out': expected a folder
--format xml|--format 'xml': expected text or json
--seconds 0|--seconds
--fromat json|unknown option '--fromat'
now|unexpected argument 'now'
TABLE
for format in text json; do
    "$timerbench" doctor --seconds 0.05 --format $format >/dev/full 2>err
    is "$? $(wc -l <err)" "2 1" "$format to a full disk: exit 2, one line"
done

echo "1..$count"
[ $failed -eq 0 ]
