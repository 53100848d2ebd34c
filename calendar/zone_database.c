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

/* The file's bytes, to be freed; NULL and errno. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
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

static bool load_file(const char *path, const char *name, tb_zone *out, tb_time_error *error)
{
    size_t size;
    tb_time_error why;
    unsigned char *bytes = read_file(path, &size);
    if (!bytes)
        return errno == ENOMEM ? tb_refuse(error, 0, "out of memory") : refuse_name(error, "no time zone '", name, "' in the database");
    if (tb_zone_from_tzif(bytes, size, out, &why)) {
        out->owned = bytes;
        return true;
    }
    free(bytes);
    return refuse_name(error, "the database's file of the time zone is broken: ", why.reason, "");
}

/* Whether the path of `name` in `folder` fits and there is such a file. */
static bool is_there(const char *folder, const char *name, char *path)
{
    size_t folder_length = strlen(folder), name_length = strlen(name);
    if (folder_length + name_length + 2 > PATH_SIZE)
        return false;
    memcpy(path, folder, folder_length);
    path[folder_length] = '/';
    memcpy(path + folder_length + 1, name, name_length + 1);
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    return f;
}

/* A name is a path below the database: nothing that leads out of it. */
static bool is_name(const char *name)
{
    return *name && *name != '/' && *name != '.' && !strstr(name, "/.") && !strchr(name, '\\');
}

bool tb_zone_load(const char *name, tb_zone *out, tb_time_error *error)
{
    char path[PATH_SIZE];
    const char *set = getenv("TZDIR");
    const char *const *in = set && *set ? &set : folders;
    size_t count = set && *set ? 1 : sizeof folders / sizeof *folders;
    bool database = false;
    if (!is_name(name))
        return refuse_name(error, "'", name, "' is no time zone's name: 'Europe/Paris' is one");
    for (size_t i = 0; i < count; i++) {
        if (is_there(in[i], name, path))
            return load_file(path, name, out, error);
        database |= is_there(in[i], "", path);
    }
    if (database)
        return refuse_name(error, "no time zone '", name, "' in the database");
    return refuse_name(error, "no time zone database in ", in[0], count > 1 ? " or its like (Debian's package tzdata)" : " ($TZDIR)");
}

bool tb_zone_local(tb_zone *out, tb_time_error *error)
{
    const char *set = getenv("TZ");
    if (!set) {
        char path[] = "/etc/localtime";
        FILE *f = fopen(path, "rb");
        if (f) {
            fclose(f);
            return load_file(path, path, out, error);
        }
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
            return is_name(set) ? false : refuse_name(error, "$TZ is '", set, "', neither a time zone's name nor a POSIX TZ string");
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
