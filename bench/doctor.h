/* doctor.h: what on this machine, and in this build, spoils measurements. */
#ifndef BENCH_DOCTOR_H
#define BENCH_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tb_health {
    TB_HEALTH_OK,
    TB_HEALTH_UNKNOWN, /* the system does not tell */
    TB_HEALTH_WARN,    /* figures vary more, or lean to one side: more processes help, or it is to be said beside them */
    TB_HEALTH_BAD,     /* figures of this machine, as it is, say little */
    TB_HEALTHS
} tb_health;

const char *tb_health_name(tb_health health); /* "ok", "unknown", "warn", "bad" */

typedef struct tb_finding {
    const char *name; /* "governor" */
    tb_health health;
    char value[200];    /* what was found */
    const char *why;    /* what it does to a measurement */
    const char *advice; /* what to do about it; also where it is fine, as somebody may look for it */
} tb_finding;

/* Where and how to look. `root` comes before /proc and /sys: "" for this machine. */
typedef struct tb_examination {
    const char *root;
    double seconds; /* to watch what else runs */
} tb_examination;

typedef struct tb_check {
    const char *name, *why, *advice;
    tb_health (*look)(const tb_examination *e, char value[200]);
} tb_check;

/* Ends with a nameless one. Those of doctor_live.c watch and measure; the others read. */
extern const tb_check tb_static_checks[], tb_live_checks[];

/* Everything; takes e->seconds and some ms. NULL: out of memory. Free with free. */
tb_finding *tb_doctor_examine(const tb_examination *e, size_t *count);

/* The first line of root/path, or with `key` of the line that begins with it what follows its colon, without spaces around it.
   false: there is none. `size` is of `out`. */
bool tb_doctor_line(const tb_examination *e, const char *path, const char *key, char *out, size_t size);

#endif
