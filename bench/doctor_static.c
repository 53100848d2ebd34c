/* doctor_static.c: what the build and the system say of themselves. */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/doctor.h"
#include "bench/environment.h"
#include "bench/memory_count.h"

enum { VALUE = 200 };

/* ---- the build --------------------------------------------------------------------------------------------------- */

static tb_health build(const tb_examination *e, char value[VALUE])
{
    (void)e;
    bool release = strcmp(tb_environment_build_type(), "release") == 0;
    snprintf(value, VALUE, "%s: %s, %s", tb_environment_build_type(), tb_environment_compiler(), tb_environment_flags());
    if (!release || strstr(tb_environment_flags(), "-fsanitize"))
        return TB_HEALTH_BAD;
    return strstr(tb_environment_flags(), "-DTB_SLOWDOWN") ? TB_HEALTH_BAD : TB_HEALTH_OK;
}

static tb_health allocator(const tb_examination *e, char value[VALUE])
{
    (void)e;
    int64_t bytes;
    bool counts = tb_memory_count(&bytes);
    snprintf(value, VALUE, "%s%.150s", counts ? "jemalloc " : "", tb_memory_allocator());
    return counts ? TB_HEALTH_OK : TB_HEALTH_WARN;
}

/* ---- processors -------------------------------------------------------------------------------------------------- */

/* "0-3,7" is 5; 0: not told. */
static int count_list(const char *text)
{
    int count = 0;
    while (*text >= '0' && *text <= '9') {
        char *end;
        long first = strtol(text, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += last >= first ? (int)(last - first + 1) : 0;
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

static int online(const tb_examination *e)
{
    char list[256];
    return tb_doctor_line(e, "/sys/devices/system/cpu/online", NULL, list, sizeof list) ? count_list(list) : 0;
}

static tb_health cpus(const tb_examination *e, char value[VALUE])
{
    int there = online(e), usable = there;
    cpu_set_t set;
    if (!*e->root && sched_getaffinity(0, sizeof set, &set) == 0)
        usable = CPU_COUNT(&set);
    if (there == 0)
        return TB_HEALTH_UNKNOWN;
    snprintf(value, VALUE, "%d online, %d for this process", there, usable);
    return there < 2 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health quota(const tb_examination *e, char value[VALUE])
{
    char text[64], *end;
    if (!tb_doctor_line(e, "/sys/fs/cgroup/cpu.max", NULL, text, sizeof text)) {
        snprintf(value, VALUE, "none is told");
        return TB_HEALTH_OK;
    }
    double most = strtod(text, &end), period = strtod(end, NULL);
    if (end == text || period <= 0) { /* "max 100000" */
        snprintf(value, VALUE, "none");
        return TB_HEALTH_OK;
    }
    snprintf(value, VALUE, "%.2f CPUs in each %.0f ms", most / period, period / 1000);
    return most / period < 1 ? TB_HEALTH_BAD : most / period < online(e) ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health governor(const tb_examination *e, char value[VALUE])
{
    if (!tb_doctor_line(e, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, value, VALUE))
        return TB_HEALTH_UNKNOWN;
    return strcmp(value, "performance") == 0 ? TB_HEALTH_OK : TB_HEALTH_WARN;
}

static tb_health turbo(const tb_examination *e, char value[VALUE])
{
    char text[16];
    bool on;
    if (tb_doctor_line(e, "/sys/devices/system/cpu/intel_pstate/no_turbo", NULL, text, sizeof text))
        on = strcmp(text, "0") == 0;
    else if (tb_doctor_line(e, "/sys/devices/system/cpu/cpufreq/boost", NULL, text, sizeof text))
        on = strcmp(text, "1") == 0;
    else
        return TB_HEALTH_UNKNOWN;
    snprintf(value, VALUE, "%s", on ? "on" : "off");
    return on ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health smt(const tb_examination *e, char value[VALUE])
{
    char text[64];
    bool on;
    if (tb_doctor_line(e, "/sys/devices/system/cpu/smt/active", NULL, text, sizeof text))
        on = strcmp(text, "1") == 0;
    else if (tb_doctor_line(e, "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", NULL, text, sizeof text))
        on = count_list(text) > 1;
    else
        return TB_HEALTH_UNKNOWN;
    snprintf(value, VALUE, "%s", on ? "on" : "off");
    return on ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health throttling(const tb_examination *e, char value[VALUE])
{
    char text[32];
    if (!tb_doctor_line(e, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", NULL, text, sizeof text))
        return TB_HEALTH_UNKNOWN;
    snprintf(value, VALUE, "%s times since boot", text);
    return strtol(text, NULL, 10) > 0 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health virtualisation(const tb_examination *e, char value[VALUE])
{
    char flags[4096], product[80] = "its maker is not told", vendor[80] = "";
    if (!tb_doctor_line(e, "/proc/cpuinfo", "flags", flags, sizeof flags) &&
        !tb_doctor_line(e, "/proc/cpuinfo", "Features", flags, sizeof flags))
        return TB_HEALTH_UNKNOWN;
    tb_doctor_line(e, "/sys/class/dmi/id/product_name", NULL, product, sizeof product);
    tb_doctor_line(e, "/sys/class/dmi/id/sys_vendor", NULL, vendor, sizeof vendor);
    bool guest = strstr(flags, "hypervisor") != NULL;
    if (guest)
        snprintf(value, VALUE, "a virtual machine: %s%s%s", vendor, *vendor ? " " : "", product);
    else
        snprintf(value, VALUE, "none is told");
    return guest ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

/* ---- memory and clock -------------------------------------------------------------------------------------------- */

static tb_health huge_pages(const tb_examination *e, char value[VALUE])
{
    char text[100];
    if (!tb_doctor_line(e, "/sys/kernel/mm/transparent_hugepage/enabled", NULL, text, sizeof text))
        return TB_HEALTH_UNKNOWN;
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return TB_HEALTH_UNKNOWN;
    snprintf(value, VALUE, "%.*s", (int)(close - open - 1), open + 1);
    return strcmp(value, "always") == 0 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health placement(const tb_examination *e, char value[VALUE])
{
    char text[16];
    if (!tb_doctor_line(e, "/proc/sys/kernel/randomize_va_space", NULL, text, sizeof text))
        return TB_HEALTH_UNKNOWN;
    const char *partly = strcmp(text, "0") == 0 ? "always the same" : "random but for the heap";
    snprintf(value, VALUE, "%s", strcmp(text, "2") == 0 ? "random" : partly);
    return strcmp(text, "2") == 0 ? TB_HEALTH_OK : TB_HEALTH_WARN;
}

static tb_health memory(const tb_examination *e, char value[VALUE])
{
    char available[64], total[64], free_[64];
    if (!tb_doctor_line(e, "/proc/meminfo", "MemAvailable", available, sizeof available))
        return TB_HEALTH_UNKNOWN;
    double mib = strtod(available, NULL) / 1024, swapped = 0;
    if (tb_doctor_line(e, "/proc/meminfo", "SwapTotal", total, sizeof total) &&
        tb_doctor_line(e, "/proc/meminfo", "SwapFree", free_, sizeof free_))
        swapped = (strtod(total, NULL) - strtod(free_, NULL)) / 1024;
    snprintf(value, VALUE, "%.0f MiB free, %.0f MiB swapped out", mib, swapped);
    return mib < 256 ? TB_HEALTH_BAD : mib < 1024 || swapped > mib / 4 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health nodes(const tb_examination *e, char value[VALUE])
{
    char list[100];
    if (!tb_doctor_line(e, "/sys/devices/system/node/online", NULL, list, sizeof list))
        return TB_HEALTH_UNKNOWN;
    snprintf(value, VALUE, "%d", count_list(list));
    return count_list(list) > 1 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health clock_source(const tb_examination *e, char value[VALUE])
{
    static const char *const quick[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"};
    if (!tb_doctor_line(e, "/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL, value, VALUE))
        return TB_HEALTH_UNKNOWN;
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (strcmp(value, quick[i]) == 0)
            return TB_HEALTH_OK;
    return strcmp(value, "hpet") == 0 || strcmp(value, "acpi_pm") == 0 ? TB_HEALTH_BAD : TB_HEALTH_WARN;
}

const tb_check tb_static_checks[] = {
    {"build", "a build without optimisation, with a sanitizer or with a planted slow-down measures these",
     "build with `make`, without SAN, CONFIG and SLOWDOWN", build},
    {"allocator", "another allocator costs another time, and memory is counted with jemalloc alone",
     "install libjemalloc-dev and build again", allocator},
    {"cpus", "on a single CPU everything else that runs takes its time from the measurement",
     "use a machine with two or more", cpus},
    {"cpu-quota", "a group that has used up its share is stopped until the next period, in the middle of an operation",
     "raise the limit (cpu.max of the control group, --cpus of the container)", quota},
    {"governor", "the frequency follows the load: the first figures are of another clock than the last",
     "cpupower frequency-set -g performance", governor},
    {"turbo", "the frequency depends on temperature and on what the other cores do",
     "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost", turbo},
    {"smt", "two threads share a core: what runs on the other one takes execution units and caches",
     "echo off > /sys/devices/system/cpu/smt/control, or leave the sibling of the measuring CPU idle", smt},
    {"throttling", "a core that became too hot was slowed down", "cool it, or measure with turbo off", throttling},
    {"virtual", "the hypervisor takes time away unseen, and neighbours share caches and memory",
     "use many processes (run --processes, ab); compare only what was measured in the same run", virtualisation},
    {"huge-pages", "whether a large block gets huge pages depends on the state of memory, and is worth a tenth at 10^6 timers",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled", huge_pages},
    {"placement", "where memory lies shifts figures; when it is the same each time, processes are no independent samples",
     "sysctl kernel.randomize_va_space=2", placement},
    {"memory", "where memory is short, pages are fetched from disk during a measurement", "end what needs it", memory},
    {"numa", "memory of another node is slower, and processes may start on any",
     "numactl --cpunodebind=0 --membind=0 timerbench ...", nodes},
    {"clocksource", "reading a slow clock takes longer than an operation",
     "boot with tsc=reliable clocksource=tsc, where the processor's counter is stable", clock_source},
    {0},
};
