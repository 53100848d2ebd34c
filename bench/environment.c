#include "bench/environment.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <timerbench/version.h>

#include "bench/gbench.h"
#include "bench/memory_count.h"

/* The Makefile tells these to this file alone, so that nothing else is rebuilt for a new revision. */
#ifndef TB_BUILD_FLAGS
#define TB_BUILD_FLAGS "unknown"
#endif
#ifndef TB_BUILD_REVISION
#define TB_BUILD_REVISION "unknown"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *tb_environment_build_type(void)
{
#if defined(__OPTIMIZE__) && !defined(TB_DEBUG)
    return "release";
#else
    return "debug";
#endif
}

const char *tb_environment_compiler(void) { return COMPILER; }

const char *tb_environment_flags(void) { return TB_BUILD_FLAGS; }

static void trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        text[--n] = 0;
}

/* The first line of a file, or of it the first that begins with `key`, after the colon. */
static void read_line(const char *path, const char *key, char *out, size_t size)
{
    char line[256];
    snprintf(out, size, "unknown");
    FILE *f = fopen(path, "r");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        const char *value = key ? strchr(line, ':') : line;
        if (key && (strncmp(line, key, strlen(key)) != 0 || !value))
            continue;
        value += key ? 1 : 0;
        snprintf(out, size, "%s", value + strspn(value, " \t"));
        trim(out);
        break;
    }
    fclose(f);
}

bool tb_environment_add(tb_error_text *error)
{
    char processor[256], governor[64], kernel[256] = "unknown";
    struct utsname u;
    read_line("/proc/cpuinfo", "model name", processor, sizeof processor);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, governor, sizeof governor);
    if (uname(&u) == 0)
        snprintf(kernel, sizeof kernel, "%s %s", u.sysname, u.release);
    const char *const pairs[][2] = {
        {"timerbench_version", TB_VERSION},      {"timerbench_revision", TB_BUILD_REVISION},
        {"timerbench_build", tb_environment_build_type()}, {"compiler", COMPILER},
        {"flags", TB_BUILD_FLAGS},               {"allocator", tb_memory_allocator()},
        {"processor", processor},                {"kernel", kernel},
        {"governor", governor},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (tb_gbench_add_context(pairs[i][0], pairs[i][1]) != TB_GBENCH_OK) {
            tb_error_set(error, "Google Benchmark: %s", tb_gbench_error_text());
            return false;
        }
    }
    return true;
}
