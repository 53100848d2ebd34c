#include "bench/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tb_health_name(tb_health health)
{
    static const char *const names[TB_HEALTHS] = {[TB_HEALTH_OK] = "ok", [TB_HEALTH_UNKNOWN] = "unknown",
                                                  [TB_HEALTH_WARN] = "warn", [TB_HEALTH_BAD] = "bad"};
    return names[health];
}

static const char *strip(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = 0;
    return text + strspn(text, " \t");
}

bool tb_doctor_line(const tb_examination *e, const char *path, const char *key, char *out, size_t size)
{
    char name[512], line[4096]; /* the flags of a processor are a long line */
    snprintf(name, sizeof name, "%s%s", e->root, path);
    FILE *f = fopen(name, "r");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *value = key ? strchr(line, ':') : line;
        if (key && (strncmp(line, key, strlen(key)) != 0 || !value))
            continue;
        snprintf(out, size, "%s", strip(line + (value - line) + (key ? 1 : 0)));
        found = true;
    }
    if (f)
        fclose(f);
    return found;
}

tb_finding *tb_doctor_examine(const tb_examination *e, size_t *count)
{
    const tb_check *const lists[] = {tb_static_checks, tb_live_checks};
    size_t n = 0;
    for (int l = 0; l < 2; l++)
        for (const tb_check *c = lists[l]; c->name; c++)
            n++;
    tb_finding *findings = calloc(n, sizeof *findings), *f = findings;
    if (!findings)
        return NULL;
    for (int l = 0; l < 2; l++)
        for (const tb_check *c = lists[l]; c->name; c++, f++) {
            *f = (tb_finding){.name = c->name, .why = c->why, .advice = c->advice};
            f->health = c->look(e, f->value);
            if (f->health == TB_HEALTH_UNKNOWN && !*f->value)
                snprintf(f->value, sizeof f->value, "the system does not tell");
        }
    *count = n;
    return findings;
}
