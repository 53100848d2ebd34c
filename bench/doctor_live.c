/* doctor_live.c: what shows only by watching: what else runs, what the hypervisor takes, what clocks cost and how late they
   are. */
#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/doctor.h"
#include "bench/stopwatch.h"

enum { VALUE = 200 };

static void wait_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* ---- CPU time ---------------------------------------------------------------------------------------------------- */

/* The first line of /proc/stat: user nice system idle iowait irq softirq steal. */
static bool cpu_times(const tb_examination *e, double *steal, double *all)
{
    char line[400], *at = line + 3;
    if (!tb_doctor_line(e, "/proc/stat", NULL, line, sizeof line) || strncmp(line, "cpu", 3) != 0)
        return false;
    *all = *steal = 0;
    for (int i = 0; i < 8; i++) {
        double ticks = strtod(at, &at);
        *all += ticks;
        *steal = ticks;
    }
    return true;
}

/* Of a machine that is watched: what passes meanwhile. Of files that stand still: since boot. */
static tb_health steal(const tb_examination *e, char value[VALUE])
{
    double before, all_before, after, all_after;
    if (!cpu_times(e, &before, &all_before))
        return TB_HEALTH_UNKNOWN;
    double boot = all_before > 0 ? before / all_before : 0, now = boot;
    if (!*e->root) {
        wait_for(e->seconds);
        if (cpu_times(e, &after, &all_after) && all_after > all_before)
            now = (after - before) / (all_after - all_before);
    }
    snprintf(value, VALUE, "%.1f %% now, %.1f %% since boot", now * 100, boot * 100);
    return now > 0.02 ? TB_HEALTH_BAD : now > 0.002 || boot > 0.02 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health load(const tb_examination *e, char value[VALUE])
{
    char text[100], list[100];
    if (!tb_doctor_line(e, "/proc/loadavg", NULL, text, sizeof text))
        return TB_HEALTH_UNKNOWN;
    double one = strtod(text, NULL);
    long cpus = *e->root ? 2 : sysconf(_SC_NPROCESSORS_ONLN);
    bool told = tb_doctor_line(e, "/sys/devices/system/cpu/online", NULL, list, sizeof list);
    if (*e->root && told && strchr(list, '-'))
        cpus = strtol(strchr(list, '-') + 1, NULL, 10) + 1;
    snprintf(value, VALUE, "%.2f on %ld CPUs, of the last minute", one, cpus);
    return one > 0.8 * (double)cpus ? TB_HEALTH_BAD : one > 0.25 * (double)cpus ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

typedef struct {
    long pid;
    double ticks; /* of CPU time so far */
    char name[32];
} process;

typedef struct {
    process *items;
    size_t count;
} processes;

/* /proc/PID/stat: pid (name) state ppid ... utime is the 14th field, stime the 15th; a name may hold anything. */
static bool read_process(const tb_examination *e, const char *pid, process *out)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    if (!tb_doctor_line(e, path, NULL, line, sizeof line))
        return false;
    char *open = strchr(line, '('), *close = strrchr(line, ')');
    if (!open || !close || close < open)
        return false;
    *close = 0;
    out->pid = strtol(pid, NULL, 10);
    snprintf(out->name, sizeof out->name, "%s", open + 1);
    for (char *c = out->name; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    char *field = close + 1;
    for (int i = 2; i < 13 && field; i++)
        field = strchr(field + 1, ' ');
    if (!field)
        return false;
    double user = strtod(field, &field), kernel = strtod(field, &field);
    out->ticks = user + kernel;
    return true;
}

static processes list_processes(const tb_examination *e)
{
    char path[512];
    processes all = {0};
    snprintf(path, sizeof path, "%s/proc", e->root);
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        process one;
        if (!isdigit((unsigned char)*entry->d_name) || !read_process(e, entry->d_name, &one) || one.pid == (long)getpid())
            continue;
        process *grown = realloc(all.items, (all.count + 1) * sizeof *grown);
        if (!grown)
            break;
        all.items = grown;
        all.items[all.count++] = one;
    }
    if (d)
        closedir(d);
    return all;
}

static double ticks_of(const processes *all, long pid)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].pid == pid)
            return all->items[i].ticks;
    return 0;
}

static int by_ticks(const void *a, const void *b)
{
    double x = ((const process *)a)->ticks, y = ((const process *)b)->ticks;
    return (x < y) - (x > y);
}

static tb_health neighbours(const tb_examination *e, char value[VALUE])
{
    if (*e->root) /* files that stand still tell of no one at work */
        return TB_HEALTH_UNKNOWN;
    processes before = list_processes(e);
    int64_t begin = tb_stopwatch_ns();
    wait_for(e->seconds);
    processes after = list_processes(e);
    double ticks = (double)(tb_stopwatch_ns() - begin) * 1e-9 * (double)sysconf(_SC_CLK_TCK), busy = 0;
    for (size_t i = 0; i < after.count; i++) {
        after.items[i].ticks = (after.items[i].ticks - ticks_of(&before, after.items[i].pid)) / ticks;
        busy += after.items[i].ticks;
    }
    tb_health health = busy > 0.5 ? TB_HEALTH_BAD : busy > 0.1 ? TB_HEALTH_WARN : TB_HEALTH_OK;
    if (after.count == 0)
        health = TB_HEALTH_UNKNOWN;
    if (after.count > 0) {
        qsort(after.items, after.count, sizeof *after.items, by_ticks);
        int used = snprintf(value, VALUE, "%.0f %% of a CPU", busy * 100);
        for (size_t i = 0; i < 3 && i < after.count && after.items[i].ticks > 0.03; i++)
            used += snprintf(value + used, (size_t)(VALUE - used), "%s %s (%ld) %.0f %%", i == 0 ? ":" : ",", after.items[i].name,
                             after.items[i].pid, after.items[i].ticks * 100);
    }
    free(before.items);
    free(after.items);
    return health;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static tb_health clock_cost(const tb_examination *e, char value[VALUE])
{
    enum { TRIES = 21, READS = 2000 };
    (void)e;
    int64_t each[TRIES];
    for (int t = 0; t < TRIES; t++) {
        int64_t begin = tb_stopwatch_ns();
        for (int i = 0; i < READS; i++)
            (void)tb_stopwatch_ns();
        each[t] = tb_stopwatch_ns() - begin;
    }
    qsort(each, TRIES, sizeof *each, by_value);
    double ns = (double)each[TRIES / 2] / READS;
    snprintf(value, VALUE, "%.0f ns a reading", ns);
    return ns > 400 ? TB_HEALTH_BAD : ns > 120 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

static tb_health resolution(const tb_examination *e, char value[VALUE])
{
    (void)e;
    struct timespec t;
    if (clock_getres(CLOCK_MONOTONIC, &t) != 0)
        return TB_HEALTH_UNKNOWN;
    int64_t ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    snprintf(value, VALUE, "%lld ns", (long long)ns);
    return ns > 1000000 ? TB_HEALTH_BAD : ns > 1000 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

/* Sleeps of a millisecond, as a loop waits for its next timer. */
static tb_health lateness(const tb_examination *e, char value[VALUE])
{
    enum { SLEEPS = 51 };
    (void)e;
    int64_t late[SLEEPS];
    for (int i = 0; i < SLEEPS; i++) {
        int64_t begin = tb_stopwatch_ns();
        wait_for(0.001);
        late[i] = tb_stopwatch_ns() - begin - 1000000;
    }
    qsort(late, SLEEPS, sizeof *late, by_value);
    int64_t half = late[SLEEPS / 2], most = late[SLEEPS - 1];
    snprintf(value, VALUE, "a sleep of 1 ms ends %.0f us late, at worst of %d %.0f us", (double)half / 1000, SLEEPS,
             (double)most / 1000);
    return half > 1000000 ? TB_HEALTH_BAD : half > 200000 || most > 5000000 ? TB_HEALTH_WARN : TB_HEALTH_OK;
}

const tb_check tb_live_checks[] = {
    {"steal", "CPU time that the hypervisor gave to others stands still in the middle of an operation",
     "use another machine or hour; many processes (run --processes, ab)", steal},
    {"load", "more runnable threads than CPUs: the measurement waits its turn", "wait until it is quiet", load},
    {"neighbours", "what else runs takes caches and memory bandwidth, and moves the measurement between CPUs",
     "end it or wait; taskset -c 1 timerbench ... keeps to one CPU", neighbours},
    {"clock-cost", "a clock read through the kernel costs more than an operation; tails of single operations read it",
     "see clocksource", clock_cost},
    {"clock-resolution", "what is shorter than the clock's step cannot be seen", "see clocksource", resolution},
    {"wake-up", "lateness of a loop's timers is at least this, whatever its structure",
     "turn off deep idle states (cpupower idle-set -D 10), end what competes", lateness},
    {0},
};
