/* zone_database.c: zones by name, from the system's files. In an object of its own: nothing else of the calendar opens a file,
   reads the environment or allocates. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <timerbench/zone.h>

#include "calendar/reason.h"

/* The largest files of the database have four thousand bytes. */
enum { PATH_SIZE = 1024, FILE_LIMIT = 1 << 20 };

static const char *const folders[] = {"/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"};

static bool refuse_name(tb_time_error *error, const char *before, const char *name, const char *after)
{
    tb_reason reason = tb_reason_begin(error, 0);
    tb_reason_text(&reason, before);
    tb_reason_text(&reason, name);
    tb_reason_text(&reason, after);
    return false;
}

/* The file's bytes, to be freed; NULL and errno. Closes it. */
static unsigned char *read_file(FILE *f, size_t *size)
{
    unsigned char *bytes = malloc(FILE_LIMIT), *fit = NULL;
    int failed = ENOMEM;
    if (bytes) {
        *size = fread(bytes, 1, FILE_LIMIT, f);
        failed = ferror(f) ? errno : 0;
        if (!failed)
            fit = realloc(bytes, *size + !*size);
        if (!fit)
            free(bytes);
    }
    fclose(f);
    errno = failed ? failed : ENOMEM;
    return fit;
}

/* f: the open file, or NULL with errno. */
static bool load_file(FILE *f, const char *name, tb_zone *out, tb_time_error *error)
{
    size_t size;
    tb_time_error why;
    unsigned char *bytes = f ? read_file(f, &size) : NULL;
    if (!bytes)
        return errno == ENOMEM ? tb_refuse(error, 0, "out of memory")
                               : refuse_name(error, "no time zone '", name, "' in the database");
    if (tb_zone_from_tzif(bytes, size, out, &why)) {
        out->owned = bytes;
        return true;
    }
    free(bytes);
    return refuse_name(error, "the database's file of the time zone is broken: ", why.reason, "");
}

/* NULL and errno. */
static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    size_t folder_length = strlen(folder), name_length = strlen(name);
    if (folder_length + name_length + 2 > PATH_SIZE) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(path, folder, folder_length);
    path[folder_length] = '/';
    memcpy(path + folder_length + 1, name, name_length + 1);
    return fopen(path, "rb");
}

/* A name is a path below the database: nothing that leads out of it. */
static bool is_name(const char *name)
{
    return *name && *name != '/' && *name != '.' && !strstr(name, "/.") && !strchr(name, '\\');
}

bool tb_zone_load(const char *name, tb_zone *out, tb_time_error *error)
{
    const char *set = getenv("TZDIR");
    const char *const *in = set && *set ? &set : folders;
    size_t count = set && *set ? 1 : sizeof folders / sizeof *folders;
    bool database = false;
    if (!is_name(name))
        return refuse_name(error, "'", name, "' is no time zone's name: 'Europe/Paris' is one");
    for (size_t i = 0; i < count; i++) {
        FILE *f = open_in(in[i], name);
        if (f || errno == ENOMEM)
            return load_file(f, name, out, error);
        FILE *folder = open_in(in[i], "");
        if (folder)
            fclose(folder);
        database |= folder != NULL;
    }
    if (database)
        return refuse_name(error, "no time zone '", name, "' in the database");
    return refuse_name(error, "no time zone database in ", in[0],
                       count > 1 ? " or its like (Debian's package tzdata)" : " ($TZDIR)");
}

bool tb_zone_local(tb_zone *out, tb_time_error *error)
{
    const char *set = getenv("TZ");
    if (!set) {
        FILE *f = fopen("/etc/localtime", "rb");
        if (f || errno == ENOMEM)
            return load_file(f, "/etc/localtime", out, error);
        set = "";
    }
    set += *set == ':';
    if (!*set) {
        *out = (tb_zone){.owned = NULL}; /* as libc has it: neither is set */
        return true;
    }
    tb_zone zone;
    if (!is_name(set) || !tb_zone_load(set, &zone, error)) {
        if (!tb_zone_from_posix(set, strlen(set), out, NULL))
            return !is_name(set) &&
                   refuse_name(error, "$TZ is '", set, "', neither a time zone's name nor a POSIX TZ string");
        return true;
    }
    *out = zone;
    return true;
}

void tb_zone_free(tb_zone *zone)
{
    free(zone->owned);
    *zone = (tb_zone){.owned = NULL};
}
