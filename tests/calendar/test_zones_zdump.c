/* Zones of the system's database beside zdump, the C library's own view of them: the same transitions, and the same
   offset, mark and name a second before and at each. */
#include "dates.h"

#include <timerbench/zone.h>

enum { FIRST_YEAR = 1800, LAST_YEAR = 2100 };
static const tb_timestamp start = {-5364662400 * TB_NANOS_PER_SECOND}; /* of 1800; no zone has a transition before it */

/* Zones of all kinds: southern summers, half hours, a day left out, saving time in winter and with two steps, over the new year, none. */
static const char *const sample[] = {
    "UTC",                 "America/New_York",  "America/St_Johns",   "America/Sao_Paulo", "America/Scoresbysund",
        "America/Godthab",
    "America/Santiago",    "America/Caracas",   "Europe/London",      "Europe/Dublin",     "Europe/Lisbon",        "Europe/Warsaw",
    "Europe/Volgograd",    "Europe/Chisinau",   "Africa/Casablanca",  "Africa/Cairo",      "Africa/Windhoek",
             "Africa/Monrovia",
    "Asia/Kathmandu",      "Asia/Kolkata",      "Asia/Tehran",        "Asia/Gaza",         "Asia/Pyongyang",       "Asia/Tokyo",
    "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Apia",      "Pacific/Chatham",   "Pacific/Kiritimati",
          "Antarctica/Troll",
    "Antarctica/Casey",    "Atlantic/Azores",   "Etc/GMT-14",        "EST5EDT"};

typedef struct dumped {
    char moment[40];
    int saving;
    long offset;
    char name[16];
} dumped;

/* "<zone>  Sun Nov 18 16:59:59 1883 UT = Sun Nov 18 12:03:57 1883 LMT isdst=0 gmtoff=-17762"; false: a line of another kind. */
static bool read_line(const char *line, const char *zone, dumped *out)
{
    char day[2][4], month[2][4], clock[2][9];
    int number[2], year[2];
    size_t skip = strlen(zone);
    if (strncmp(line, zone, skip) != 0 ||
        sscanf(line + skip, " %3s %3s %d %8s %d UT = %3s %3s %d %8s %d %15s isdst=%d gmtoff=%ld", day[0], month[0], &number[0],
               clock[0], &year[0], day[1], month[1], &number[1], clock[1], &year[1], out->name, &out->saving, &out->offset) != 13)
        return false;
    snprintf(out->moment, sizeof out->moment, "%s %s %2d %s %04d", day[0], month[0], number[0], clock[0], year[0]);
    return year[0] >= FIRST_YEAR && year[0] < LAST_YEAR;
}

/* Differences; -1: there is no such zone, or no zdump. *transitions: how many there were. */
static int compare(const char *name, int *transitions)
{
    char command[120], line[300];
    tb_zone zone;
    dumped d;
    int wrong = 0;
    tb_timestamp previous = start;
    *transitions = 0;
    if (!tb_zone_load(name, &zone, NULL))
        return -1;
    snprintf(command, sizeof command, "zdump -v -c %d,%d %s", FIRST_YEAR, LAST_YEAR, name);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return -1;
    while (fgets(line, sizeof line, pipe)) {
        tb_timestamp t;
        tb_zone_transition next, last;
        if (!read_line(line, name, &d))
            continue;
        if (!tb_timestamp_parse_http_date_as_of(d.moment, strlen(d.moment), TB_TIMESTAMP_MIN, &t, NULL)) {
            wrong++;
            continue;
        }
        tb_zone_period p = tb_zone_at(&zone, t);
        bool same = p.offset == d.offset && p.saving == d.saving && strcmp(p.name, d.name) == 0;
        /* Of a pair of lines the second is the transition: the next one after all that came before. */
        bool second = tb_timestamp_since(t, previous).ns == TB_NANOS_PER_SECOND;
        tb_timestamp at = second ? t : tb_timestamp_add(t, tb_duration_from_seconds(1));
        same = same && tb_zone_next_transition(&zone, previous, &next) && tb_timestamp_eq(next.at, at);
        if (second) {
            same = same && tb_zone_last_transition(&zone, previous, &last) == (*transitions > 0) &&
                   tb_zone_last_transition(&zone, t, &last) && tb_timestamp_eq(last.at, t) && next.after.offset == p.offset;
            ++*transitions;
        }
        if (!same && wrong++ < 5)
            diag("here %d %d %s: %s", p.offset, p.saving, p.name, line);
        previous = t;
    }
    tb_zone_free(&zone);
    return pclose(pipe) == 0 ? wrong : -1;
}

/* Transitions of the "right" zone that differ from the plain one's; -1: there is no such zone. Its times count leap seconds:
   27 of them by 2017. Only what both have: a "right" file has no rule, and ends in 2037. */
static int compare_right(const char *plain, const char *right)
{
    tb_zone a, b;
    if (!tb_zone_load(plain, &a, NULL))
        return -1;
    if (!tb_zone_load(right, &b, NULL)) {
        tb_zone_free(&a);
        return -1;
    }
    int wrong = 0, count = 0;
    tb_zone_transition next_a, next_b;
    for (tb_timestamp t = start; tb_zone_next_transition(&b, t, &next_b); t = next_b.at, count++)
        wrong += !tb_zone_next_transition(&a, t, &next_a) || !tb_timestamp_eq(next_a.at, next_b.at) ||
                 next_a.after.offset != next_b.after.offset;
    tb_zone_free(&a);
    tb_zone_free(&b);
    return count > 100 ? wrong : 1000;
}

int main(void)
{
    int wrong = 0, zones = 0, transitions = 0;
    tb_zone zone;
    tb_time_error error;
    if (!tb_zone_load("Europe/Paris", &zone, &error) || system("zdump UTC >/dev/null 2>&1") != 0) {
        skip(1, "no zdump, or no time zone database");
        return tap_done();
    }
    tb_zone_free(&zone);
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        int here, differences = compare(sample[i], &here);
        if (differences < 0)
            diag("%s is not in this machine's database", sample[i]);
        else {
            if (differences)
                diag("%s: %d differences, %d transitions", sample[i], differences, here);
            wrong += differences;
            transitions += here;
            zones++;
        }
    }
    diag("%d zones, %d transitions", zones, transitions);
    ok(zones >= 25 && transitions > 3000 && wrong == 0,
       "GB-04 each transition of the years 1800 to 2100 is zdump's, as is what is kept around it");
    wrong = compare_right("Europe/Paris", "right/Europe/Paris");
    if (wrong < 0)
        skip(1, "this database has no zones with leap seconds");
    else
        is(wrong, 0, "GB-04 TSP-03 of a zone whose file counts leap seconds they are taken off");
    return tap_done();
}
