/* trace_store.c: the recorded traces that come with timerbench. */
#include "bench/trace_store.h"

#include "bench/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of the name without its ending, or 0: not the name of a trace. */
static size_t stem(const char *name)
{
    static const char *const endings[] = {".trace.xz", ".trace"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcmp(name + length - n, endings[i]) == 0)
            return length - n;
    }
    return 0;
}

/* The folder of the running executable, to be freed. NULL: unknown, or out of memory (errno). */
static char *executable_folder(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    if (path)
        *strrchr(path, '/') = '\0';
    return path;
}

static bool add_trace(tb_trace_store *store, const char *file, size_t name_length)
{
    tb_stored_trace *traces = realloc(store->traces, (store->count + 1) * sizeof *traces);
    if (!traces)
        return false;
    store->traces = traces;
    tb_stored_trace trace = {strndup(file, name_length), NULL};
    if (!trace.name || asprintf(&trace.path, "%s/%s", store->folder, file) < 0) {
        free(trace.name);
        return false;
    }
    traces[store->count++] = trace;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tb_stored_trace *)a)->name, ((const tb_stored_trace *)b)->name);
}

/* Lists `folder`, which the store then owns. False: the folder is freed, the store is empty and errno says why. */
static bool read_folder(tb_trace_store *store, char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        int reason = errno;
        free(folder);
        errno = reason;
        return false;
    }
    *store = (tb_trace_store){.folder = folder};
    const struct dirent *entry;
    bool complete = true;
    while (complete && (entry = readdir(dir)) != NULL) {
        size_t length = entry->d_name[0] == '.' ? 0 : stem(entry->d_name);
        complete = length == 0 || add_trace(store, entry->d_name, length);
    }
    closedir(dir);
    if (!complete) {
        tb_trace_store_free(store);
        errno = ENOMEM;
        return false;
    }
    if (store->count > 1)
        qsort(store->traces, store->count, sizeof *store->traces, by_name);
    return true;
}

bool tb_trace_store_open(tb_trace_store *store, tb_error_text *error)
{
    *store = (tb_trace_store){0};
    const char *named = getenv("TIMERBENCH_TRACES");
    if (named && *named) {
        char *folder = strdup(named);
        if (!folder) {
            tb_error_no_memory(error);
            return false;
        }
        if (read_folder(store, folder))
            return true;
        tb_error_set(error, "TIMERBENCH_TRACES '%s': %s: expected a folder with traces", named, strerror(errno));
        return false;
    }
    static const char *const places[] = {"traces", "../share/timerbench/traces"};
    char *executable = executable_folder();
    for (size_t i = 0; executable && i < sizeof places / sizeof *places; i++) {
        char *folder;
        if (asprintf(&folder, "%s/%s", executable, places[i]) < 0)
            break;
        if (read_folder(store, folder)) {
            free(executable);
            return true;
        }
    }
    tb_error_set(error, "no folder with the recorded traces: expected %s/traces or TIMERBENCH_TRACES to name it",
                 executable ? executable : "the executable's");
    free(executable);
    return false;
}

const tb_stored_trace *tb_trace_store_find(const tb_trace_store *store, const char *name)
{
    size_t length = stem(name);
    if (length == 0)
        length = strlen(name);
    for (size_t i = 0; i < store->count; i++) {
        const tb_stored_trace *trace = &store->traces[i];
        if (strlen(trace->name) == length && memcmp(trace->name, name, length) == 0)
            return trace;
    }
    return NULL;
}

void tb_trace_store_free(tb_trace_store *store)
{
    for (size_t i = 0; i < store->count; i++) {
        free(store->traces[i].name);
        free(store->traces[i].path);
    }
    free(store->traces);
    free(store->folder);
    *store = (tb_trace_store){0};
}

/* "no such file, nor is it a trace that comes with timerbench (which are: a b c)". */
static void explain(const tb_trace_store *store, const char *name, tb_error_text *error)
{
    char list[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < store->count; i++) {
        int n = snprintf(list + used, sizeof list - used, " %s", store->traces[i].name);
        if (n < 0 || (size_t)n >= sizeof list - used)
            break;
        used += (size_t)n;
    }
    tb_nearest nearest = {.word = name};
    for (size_t i = 0; i < store->count; i++)
        tb_nearest_offer(&nearest, store->traces[i].name);
    tb_error_set(error, "%s: no such file or stored trace%s%s%s: expected a file or one of%s", name,
                 nearest.best ? " (did you mean " : "", nearest.best ? nearest.best : "", nearest.best ? "?)" : "",
                 used ? list : " none");
}

char *tb_trace_locate(const char *file_or_name, tb_error_text *error)
{
    char *path = NULL;
    tb_trace_store store;
    tb_error_text no_store;
    /* What is a file, or can only be meant as one, is left to whoever opens it. */
    if (strchr(file_or_name, '/') || access(file_or_name, F_OK) == 0 || errno != ENOENT) {
        path = strdup(file_or_name);
    } else if (!tb_trace_store_open(&store, &no_store)) {
        tb_error_set(error, "%s: %s", file_or_name, strerror(ENOENT));
        return NULL;
    } else {
        const tb_stored_trace *trace = tb_trace_store_find(&store, file_or_name);
        if (!trace) {
            explain(&store, file_or_name, error);
            tb_trace_store_free(&store);
            return NULL;
        }
        path = strdup(trace->path);
        tb_trace_store_free(&store);
    }
    if (!path)
        tb_error_no_memory(error);
    return path;
}
