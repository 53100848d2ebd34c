/* Costs by count: instructions of arming and cancelling at 2^8 .. 2^20 pending, counted by callgrind. What claims O(1) is
   flat; the precise set grows as a logarithm. The program runs itself under valgrind: `test_flat_costs IMPL WHAT N` is the
   part that is counted. */
#include <fcntl.h>

#include <timerbench/impl.h>

#include "tap.h"

enum { PROBES = 512 };

static tb_timers *set;
static tb_timer_id ids[PROBES];
static const tb_instant far_off = {INT64_C(3000) * 1000000000};

/* What callgrind counts: it collects within these alone. */
__attribute__((noinline)) void probe_arm(void);
void probe_arm(void)
{
    for (uint64_t i = 0; i < PROBES; i++)
        ids[i] = tb_timers_insert(set, (tb_instant){far_off.ns + (int64_t)i * 1000}, i);
}
__attribute__((noinline)) void probe_cancel(void);
void probe_cancel(void)
{
    for (uint64_t i = 0; i < PROBES; i++)
        tb_timers_cancel(set, ids[i]);
}
__attribute__((noinline)) void probe_precise(void);
void probe_precise(void)
{
    for (uint64_t i = 0; i < PROBES; i++)
        tb_timers_cancel(set, tb_timers_insert_precise(set, (tb_instant){(int64_t)(i * 7919 % PROBES) * 1000000}, i));
}

/* Fills a set with n timers in deadline order (the cheap way for a sorted list) and runs the probe amid them. */
static int run_probe(const char *impl, const char *what, size_t n)
{
    set = tb_timers_make(tb_impl_find(impl), (tb_instant){0}, NULL);
    if (!set || !tb_timers_reserve(set, n + PROBES))
        return 3;
    bool precise = strcmp(what, "precise") == 0;
    for (uint64_t i = 0; i < n; i++) {
        tb_instant at = {INT64_C(1000000000) + (int64_t)i * 1000};
        tb_timer_id id = precise ? tb_timers_insert_precise(set, at, i) : tb_timers_insert(set, at, i);
        if (i % (n / 256) == n / 512 && i / (n / 256) < PROBES)
            ids[i / (n / 256)] = id;
    }
    if (precise)
        probe_precise();
    else if (strcmp(what, "arm") == 0)
        probe_arm();
    else
        probe_cancel(); /* 256 of them pending, spread over the set; the others are none */
    tb_timers_destroy(set);
    return 0;
}

/* What valgrind said in the end. */
static void tell_end(const char *log)
{
    char lines[3][256] = {{0}};
    size_t n = 0;
    FILE *f = fopen(log, "r");
    while (f && fgets(lines[n % 3], sizeof *lines, f))
        n++;
    for (size_t i = n < 3 ? 0 : n - 3; i < n; i++)
        diag("valgrind: %.*s", (int)strcspn(lines[i % 3], "\n"), lines[i % 3]);
    if (f)
        fclose(f);
}

/* Instructions a probe, or -1. */
static double count(const char *self, const char *impl, const char *what, size_t n)
{
    char out[] = "/tmp/flat-costs-XXXXXX", log[sizeof out + 4], file[64], toggle[64], number[32], line[256];
    int fd = mkstemp(out);
    if (fd < 0)
        return -1;
    close(fd);
    snprintf(log, sizeof log, "%s.log", out);
    snprintf(file, sizeof file, "--callgrind-out-file=%s", out);
    snprintf(toggle, sizeof toggle, "--toggle-collect=probe_%s", what);
    snprintf(number, sizeof number, "%zu", n);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int said = open(log, O_WRONLY | O_CREAT | O_EXCL, 0600);
        dup2(said, STDOUT_FILENO);
        dup2(said, STDERR_FILENO);
        execlp("valgrind", "valgrind", "--tool=callgrind", file, toggle, self, impl, what, number, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    double total = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        FILE *f = fopen(out, "r");
        while (f && fgets(line, sizeof line, f))
            if (strncmp(line, "summary:", 8) == 0 || strncmp(line, "totals:", 7) == 0)
                total = strtod(strchr(line, ':') + 1, NULL) / PROBES;
        if (f)
            fclose(f);
    }
    if (total < 0)
        tell_end(log);
    unlink(log);
    unlink(out);
    return total;
}

/* Counts at three sizes: how the last compares with the first. */
static double growth(const char *self, const char *impl, const char *what)
{
    static const size_t sizes[] = {1 << 10, 1 << 15, 1 << 20};
    double counts[3];
    for (int i = 0; i < 3; i++)
        counts[i] = count(self, impl, what, sizes[i]);
    diag("%s %s: %.0f, %.0f, %.0f instructions at 2^10, 2^15, 2^20 pending", impl, what, counts[0], counts[1], counts[2]);
    return counts[0] > 0 && counts[1] > 0 && counts[2] > 0 ? counts[2] / counts[0] : 1e9;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return run_probe(argv[1], argv[2], strtoul(argv[3], NULL, 10));
    for (size_t i = 0; i < tb_impl_count(); i++) {
        const tb_structure *s = tb_impl_at(i)->structure;
        if (s->traits & TB_YARDSTICK)
            continue;
        if (s->traits & TB_INSERT_O1)
            ok(growth(argv[0], s->name, "arm") < 1.1, "WHL-13 %s: arming costs the same at 2^10 and 2^20 pending", s->name);
        if (s->traits & TB_CANCEL_O1)
            ok(growth(argv[0], s->name, "cancel") < 1.1, "WHL-13 %s: cancelling costs the same at 2^10 and 2^20 pending",
               s->name);
    }
    ok(growth(argv[0], "wheel_6x64", "precise") < 3, "WHL-14 precise timers cost a logarithm: at 2^20 under three times 2^10");
    return tap_done();
}
