/* Time zones from bytes made here: POSIX TZ strings, TZif files of each version, gaps and folds, and what is refused. */
#include "dates.h"

#include <timerbench/zone.h>

static char message[TB_TIME_MESSAGE_SIZE];

static tb_zone posix(const char *text)
{
    tb_zone zone;
    tb_time_error error;
    if (!tb_zone_from_posix(text, strlen(text), &zone, &error)) {
        printf("Bail out! '%s': %s\n", text, tb_time_error_message(&error, message));
        exit(1);
    }
    return zone;
}

/* What a zone keeps at a moment given in RFC 3339: "EDT -14400 1". */
static const char *kept(const tb_zone *zone, const char *moment)
{
    static char out[60];
    tb_date_time dt;
    if (!tb_date_time_parse_rfc3339(moment, strlen(moment), &dt, NULL))
        return "no moment";
    int64_t second = tb_date_unix_days(dt.date) * 86400 + tb_duration_seconds(tb_time_of_day_since_midnight(dt.time));
    tb_zone_period p = tb_zone_at_seconds(zone, second);
    snprintf(out, sizeof out, "%s %d %d", p.name, p.offset, p.saving);
    return out;
}

/* How a local time without an offset fits: "gap 2026-03-08T06:30:00Z 2026-03-08T07:30:00Z". */
static const char *match(const tb_zone *zone, const char *local)
{
    static const char *const fits[] = {"one", "gap", "fold"};
    static char out[120];
    char with_z[60], first[TB_RFC3339_SIZE], last[TB_RFC3339_SIZE];
    tb_date_time dt, earlier, later;
    snprintf(with_z, sizeof with_z, "%sZ", local);
    if (!tb_date_time_parse_rfc3339(with_z, strlen(with_z), &dt, NULL))
        return "no local time";
    tb_zone_fit fit = tb_zone_match(zone, dt, &earlier, &later);
    tb_date_time_rfc3339(earlier, first);
    tb_date_time_rfc3339(later, last);
    snprintf(out, sizeof out, "%s %s %s", fits[fit], first, last);
    return out;
}

static void rules(void)
{
    tb_zone z = posix("EST5EDT,M3.2.0,M11.1.0");
    is_text(kept(&z, "2026-03-08T06:59:59Z"), "EST -18000 0", "GB-04 New York before its clocks go forward");
    is_text(kept(&z, "2026-03-08T07:00:00Z"), "EDT -14400 1", "GB-04 and from then on");
    is_text(kept(&z, "2026-11-01T06:00:00Z"), "EST -18000 0", "GB-04 and from when they go back");
    is_text(kept(&z, "+2147483647-07-01T00:00:00Z"), "EDT -14400 1", "GB-04 a rule holds in every year");
    is_text(kept(&z, "-2147483648-01-01T00:00:00Z"), "EST -18000 0", "GB-04 in the very first, too");
    z = posix("EST5EDT");
    is_text(kept(&z, "2026-03-08T07:00:00Z"), "EDT -14400 1", "GB-04 saving time without a rule is the USA's");
    z = posix("IST-1GMT0,M10.5.0,M3.5.0/1");
    is_text(kept(&z, "2026-01-01T00:00:00Z"), "GMT 0 1", "GB-04 saving time in winter, over the new year");
    is_text(kept(&z, "2026-07-01T00:00:00Z"), "IST 3600 0", "GB-04 and standard time in summer");
    z = posix("AEST-10AEDT,M10.1.0,M4.1.0/3");
    is_text(kept(&z, "2026-12-31T23:59:59Z"), "AEDT 39600 1", "GB-04 a southern summer, before the new year");
    is_text(kept(&z, "2027-01-01T00:00:00Z"), "AEDT 39600 1", "GB-04 and after it");
    z = posix("EST5EDT,0/0,J365/25");
    is_text(kept(&z, "2026-01-01T05:00:00Z"), "EDT -14400 1", "GB-04 saving time all the year round");
    is_text(kept(&z, "2026-12-31T23:59:59-04:00"), "EDT -14400 1", "GB-04 at the year's end, too");
    tb_zone_transition never;
    ok(!tb_zone_next_transition(&z, tb_timestamp_from_unix_seconds(0), &never) &&
       !tb_zone_last_transition(&z, tb_timestamp_from_unix_seconds(0), &never), "GB-04 and so without a transition");
    z = posix("EST5EDT,0/0,J365/91");
    ok(tb_zone_next_transition(&z, tb_timestamp_from_unix_seconds(-9214586000), &never) && strcmp(never.before.name, "EST") == 0 &&
       strcmp(never.after.name, "EDT") == 0 && strcmp(kept(&z, "1677-12-31T23:00:00Z"), "EST -18000 0") == 0,
       "GB-04 saving time that ends after the next year's has begun");
    z = posix("IST-2GMT5,M5.5.1,M5.4.1"); /* a Monday that is the last, and the fourth: of some years the same */
    is_text(kept(&z, "1680-01-01T00:00:00Z"), "GMT -18000 1",
            "GB-04 of 1679 saving's start is the last event, and holds over the new year");
    is_text(kept(&z, "1681-01-01T00:00:00Z"), "IST 7200 0", "GB-04 of 1680, with another order, its end is");
    z = posix("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
    is_text(kept(&z, "2026-01-01T00:00:00Z"), "+11 39600 1", "GB-04 names in brackets, offsets with minutes");
    z = posix("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
    is_text(kept(&z, "2026-03-29T01:00:00Z"), "-01 -3600 1", "GB-04 a rule's time before midnight");
    is_text(kept(&z, "2026-03-29T00:59:59Z"), "-02 -7200 0", "GB-04 and a second before it");
    z = posix("AAA0BBB,J60/0,J61/0");
    is_text(kept(&z, "2024-03-01T00:00:00Z"), "BBB 3600 1", "GB-04 day J60 is March 1, in a leap year too");
    is_text(kept(&z, "2024-02-29T23:59:59Z"), "AAA 0 0", "GB-04 and not February 29");
    z = posix("AAA0BBB,59/0,60/0");
    is_text(kept(&z, "2024-02-29T00:00:00Z"), "BBB 3600 1", "GB-04 day 59 is February 29, where there is one");
    z = posix("UTC0");
    is_text(kept(&z, "2026-01-01T00:00:00Z"), "UTC 0 0", "GB-04 a zone without saving time");
    tb_zone unset = {.owned = NULL};
    is_text(kept(&unset, "2026-01-01T00:00:00Z"), "UTC 0 0", "GB-04 a zone nobody set is UTC");
}

static void refused_rules(void)
{
    static const struct {
        const char *text;
        size_t byte;
    } known[] = {{"", 0}, {"ES5", 0}, {"EST", 3}, {"EST25", 3}, {"EST5EDT,", 8}, {"EST5EDT,M3.2.0", 14},
                 {"EST5EDT,M13.2.0,M11.1.0", 9},
                 {"EST5EDT,M3.6.0,M11.1.0", 11}, {"EST5EDT,M3.2.7,M11.1.0", 13}, {"EST5EDT,M3.2.0/168,M11.1.0", 15},
                 {"EST5EDT,J0,J366", 9}, {"EST5EDT,J1,J366", 12}, {"EST5EDT,0,366", 10}, {"EST5EDT,M3.2.0,M11.1.0x", 22},
                     {"EST5:60", 5},
                 {"<EST5", 5}, {"<E>5", 0}, {"ABCDEFGHIJKLMNOP5", 15}, {"EST5EDT,M3,M11.1.0", 10}, {"EST99999999999", 3},
                     {"UTC0 ", 4}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tb_zone z = {.width = 77};
        tb_time_error error = {.at = 999};
        bool read = tb_zone_from_posix(known[i].text, strlen(known[i].text), &z, &error);
        if (read || error.at != known[i].byte || z.width != 77) {
            diag("'%s': %s, want byte %zu", known[i].text, read ? "read" : tb_time_error_message(&error, message), known[i].byte);
            wrong++;
        }
    }
    none_of(wrong, "GB-04 ERR-02 malformed POSIX TZ strings are refused at their bytes");
}

static void gaps_and_folds(void)
{
    tb_zone z = posix("EST5EDT,M3.2.0,M11.1.0");
    is_text(match(&z, "2026-03-08T02:30:00"), "gap 2026-03-08T06:30:00Z 2026-03-08T07:30:00Z",
            "GB-04 2026-03-08T02:30 in New York is in a gap");
    is_text(match(&z, "2026-11-01T01:30:00"), "fold 2026-11-01T05:30:00Z 2026-11-01T06:30:00Z",
            "GB-04 2026-11-01T01:30 is there twice");
    is_text(match(&z, "2026-03-08T01:59:59.999999999"), "one 2026-03-08T06:59:59.999999999Z 2026-03-08T06:59:59.999999999Z",
            "GB-04 the last nanosecond before the gap");
    is_text(match(&z, "2026-03-08T03:00:00"), "one 2026-03-08T07:00:00Z 2026-03-08T07:00:00Z", "GB-04 the first after it");
    is_text(match(&z, "2026-03-08T02:00:00"), "gap 2026-03-08T06:00:00Z 2026-03-08T07:00:00Z", "GB-04 the first in it");
    is_text(match(&z, "2026-11-01T00:59:59"), "one 2026-11-01T04:59:59Z 2026-11-01T04:59:59Z",
            "GB-04 the last second before the fold");
    is_text(match(&z, "2026-11-01T02:00:00"), "one 2026-11-01T07:00:00Z 2026-11-01T07:00:00Z", "GB-04 the first after it");
    is_text(match(&z, "2026-11-01T01:59:59"), "fold 2026-11-01T05:59:59Z 2026-11-01T06:59:59Z", "GB-04 the last in it");

    tb_timestamp t = {5};
    tb_time_error error = {.at = 9};
    tb_date_time gap = at(ymd(2026, 3, 8), 2, 30, 0, 0), fold = at(ymd(2026, 11, 1), 1, 30, 0, 0);
    ok(tb_zone_to_timestamp(&z, gap, TB_ZONE_EARLIER, &t, NULL) && t.ns == 1772951400 * TB_NANOS_PER_SECOND,
       "GB-04 a gap, the earlier moment");
    ok(tb_zone_to_timestamp(&z, gap, TB_ZONE_LATER, &t, NULL) && t.ns == 1772955000 * TB_NANOS_PER_SECOND, "GB-04 the later one");
    ok(tb_zone_to_timestamp(&z, fold, TB_ZONE_EARLIER, &t, NULL) && t.ns == 1793511000 * TB_NANOS_PER_SECOND,
       "GB-04 a fold, the earlier moment");
    ok(tb_zone_to_timestamp(&z, fold, TB_ZONE_LATER, &t, NULL) && t.ns == 1793514600 * TB_NANOS_PER_SECOND, "GB-04 the later one");
    t.ns = 5;
    ok(!tb_zone_to_timestamp(&z, gap, TB_ZONE_REFUSE, &t, &error) && t.ns == 5, "GB-04 a gap, refused");
    is_text(tb_time_error_message(&error, message),
            "at byte 0: the local time 2026-03-08T02:30:00 is skipped there: clocks are put forward over it", "GB-04 and why");
    ok(!tb_zone_to_timestamp(&z, fold, TB_ZONE_REFUSE, &t, &error) && t.ns == 5, "GB-04 a fold, refused");
    is_text(error.reason, "the local time 2026-11-01T01:30:00 is there twice: clocks are put back over it", "GB-04 and why");
    ok(tb_zone_to_timestamp(&z, at(ymd(2026, 7, 1), 0, 0, 0, 0), TB_ZONE_REFUSE, &t, NULL) &&
       t.ns == 1782878400 * TB_NANOS_PER_SECOND,
       "GB-04 nothing to refuse where the local time is there once");
    ok(!tb_zone_to_timestamp(&z, at(ymd(3000, 7, 1), 0, 0, 0, 0), TB_ZONE_REFUSE, &t, &error) && strstr(error.reason, "1677-09-21"),
       "GB-04 RFC-13 a local time that no Timestamp holds");
    is_text(match(&z, "3000-07-01T00:00:00"), "one 3000-07-01T04:00:00Z 3000-07-01T04:00:00Z",
            "GB-04 it has a moment all the same");

    char text[TB_RFC3339_SIZE];
    is(tb_zone_rfc3339(&z, tb_timestamp_from_unix_nanos(1782878400250000000), text), 28,
       "GB-04 the length of a local time with its offset");
    is_text(text, "2026-07-01T00:00:00.25-04:00", "GB-04 a local time with its offset");
    ok(tb_timestamp_parse_rfc3339(text, strlen(text), &t, NULL) && t.ns == 1782878400250000000, "GB-04 RFC-05 it is read back");
    z = posix("LMT0:09:21");
    tb_zone_rfc3339(&z, tb_timestamp_from_unix_seconds(0), text);
    is_text(text, "1970-01-01T00:00:00Z", "GB-04 an offset with seconds is none of RFC 3339's: UTC is written");
    ok(tb_date_time_eq(tb_zone_local_time(&z, tb_timestamp_from_unix_seconds(0)), at(ymd(1969, 12, 31), 23, 50, 39, 0)),
       "GB-04 but the local time has them");
}

/* ---- TZif files --------------------------------------------------------------------------------------------------- */

typedef struct writer {
    unsigned char bytes[600];
    size_t size;
} writer;

static void put(writer *w, int64_t number, int width)
{
    for (int i = width - 1; i >= 0; i--)
        w->bytes[w->size++] = (unsigned char)((uint64_t)number >> 8 * i);
}

static void put_text(writer *w, const char *text, size_t size)
{
    memcpy(w->bytes + w->size, text, size);
    w->size += size;
}

/* Two kinds of local time, LMT at +600 s and AAA at +3600 s, then BBB at +7200 s (saving); three transitions, the middle one
   to what is kept already. */
static void put_block(writer *w, char version, int width, int leaps)
{
    static const int64_t times[] = {-1000000, 0, 1000000};
    put_text(w, "TZif", 4);
    w->bytes[w->size++] = (unsigned char)version;
    memset(w->bytes + w->size, 0, 15);
    w->size += 15;
    static const int counts[] = {0, 0, -1, 3, 3, 12};
    for (int i = 0; i < 6; i++)
        put(w, i == 2 ? leaps : counts[i], 4);
    for (int i = 0; i < 3; i++)
        put(w, times[i] + (i == 2 ? leaps : 0), width);
    put_text(w, "\1\1\2", 3);
    static const int32_t offsets[] = {600, 3600, 7200};
    for (int i = 0; i < 3; i++) {
        put(w, offsets[i], 4);
        put(w, i == 2, 1);
        put(w, 4 * i, 1);
    }
    put_text(w, "LMT\0AAA\0BBB", 12);
    for (int i = 0; i < leaps; i++) {
        put(w, 500000 + 1000 * i, width);
        put(w, i + 1, 4);
    }
}

static writer file_of(char version, int leaps, const char *rule)
{
    writer w = {.size = 0};
    put_block(&w, version, 4, leaps);
    if (version >= '2') {
        put_block(&w, version, 8, leaps);
        put_text(&w, "\n", 1);
        put_text(&w, rule, strlen(rule));
        put_text(&w, "\n", 1);
    }
    return w;
}

static void files(void)
{
    for (char version = '1'; version <= '4'; version++) {
        int wrong = 0;
        writer w = file_of(version == '1' ? '\0' : version, version == '4' ? 2 : 0, version == '3' ? "CCC-5" : "");
        tb_zone z;
        tb_time_error error = {.at = 0};
        if (!tb_zone_from_tzif(w.bytes, w.size, &z, &error)) {
            diag("%s", tb_time_error_message(&error, message));
            z = (tb_zone){.owned = NULL};
            wrong++;
        }
        wrong += strcmp(kept(&z, "1969-12-20T10:13:19Z"), "LMT 600 0") != 0;
        wrong += strcmp(kept(&z, "1969-12-20T10:13:20Z"), "AAA 3600 0") != 0;
        wrong += strcmp(kept(&z, "1970-01-12T13:46:39Z"), "AAA 3600 0") != 0;
        wrong += strcmp(kept(&z, "1970-01-12T13:46:40Z"), version == '3' ? "CCC 18000 0" : "BBB 7200 1") != 0;
        tb_zone_transition t;
        wrong += !tb_zone_next_transition(&z, TB_TIMESTAMP_MIN, &t) || t.at.ns != -1000000 * TB_NANOS_PER_SECOND ||
            t.before.offset != 600;
        wrong += !tb_zone_next_transition(&z, t.at, &t) || t.at.ns != 1000000 * TB_NANOS_PER_SECOND ||
            strcmp(t.before.name, "AAA") != 0;
        wrong += tb_zone_next_transition(&z, t.at, &t);
        wrong += !tb_zone_last_transition(&z, TB_TIMESTAMP_MAX, &t) || t.at.ns != 1000000 * TB_NANOS_PER_SECOND;
        wrong += !tb_zone_last_transition(&z, tb_timestamp_from_unix_seconds(999999), &t) ||
            t.at.ns != -1000000 * TB_NANOS_PER_SECOND;
        wrong += tb_zone_last_transition(&z, tb_timestamp_from_unix_seconds(-1000001), &t);
        none_of(wrong, "GB-04 a TZif file of version %c: what is kept, and its transitions but for one that changes nothing", version);
    }
    writer w = file_of('3', 0, "CCC-5DDD,M3.2.0,M11.1.0");
    tb_zone z;
    tb_zone_transition t;
    ok(tb_zone_from_tzif(w.bytes, w.size, &z, NULL) && strcmp(kept(&z, "2026-07-01T00:00:00Z"), "DDD 21600 1") == 0 &&
       tb_zone_next_transition(&z, tb_timestamp_from_unix_seconds(1000000), &t) && strcmp(t.after.name, "DDD") == 0,
       "GB-04 after a file's last transition its rule holds");
}

/* Cut off anywhere and spoilt anywhere: refused at a byte of the file, or a zone that can be asked. */
static void broken_files(void)
{
    writer w = file_of('3', 1, "CCC-5DDD,M3.2.0,M11.1.0");
    int cut_read = 0, bad = 0;
    for (size_t size = 0; size < w.size; size++) {
        unsigned char *copy = malloc(size + !size);
        tb_zone z;
        tb_time_error error = {.at = SIZE_MAX};
        if (!copy)
            exit(1);
        memcpy(copy, w.bytes, size);
        cut_read += tb_zone_from_tzif(copy, size, &z, &error);
        bad += error.at > size;
        free(copy);
    }
    none_of(cut_read, "GB-04 a file that is cut off is refused, at each of its bytes");
    for (size_t i = 0; i < w.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            writer spoilt = w;
            spoilt.bytes[i] = (unsigned char)(spoilt.bytes[i] ^ 1 << bit);
            tb_zone z;
            tb_zone_transition t;
            tb_time_error error = {.at = SIZE_MAX};
            if (tb_zone_from_tzif(spoilt.bytes, spoilt.size, &z, &error)) {
                (void)kept(&z, "2026-07-01T00:00:00Z");
                (void)match(&z, "1970-01-12T14:00:00");
                bad += tb_zone_next_transition(&z, TB_TIMESTAMP_MIN, &t) && t.before.offset == t.after.offset &&
                       t.before.saving == t.after.saving && strcmp(t.before.name, t.after.name) == 0;
            } else
                bad += error.at > spoilt.size;
        }
    none_of(bad, "GB-04 ERR-02 one with a bit turned over is refused at one of its bytes, or is a zone");
}

static void database(void)
{
    tb_zone z;
    tb_time_error error;
    setenv("TZDIR", "/nonexistent-folder", 1);
    ok(!tb_zone_load("Europe/Paris", &z, &error), "GB-04 without a database there is no zone");
    is_text(tb_time_error_message(&error, message), "at byte 0: no time zone database in /nonexistent-folder ($TZDIR)",
            "GB-04 and that is said");
    setenv("TZDIR", "tests/calendar", 1);
    ok(!tb_zone_load("Nowhere/Town", &z, &error), "GB-04 a zone that is not in the database");
    is_text(error.reason, "no time zone 'Nowhere/Town' in the database", "GB-04 is named");
    ok(!tb_zone_load("test_zones.c", &z, &error) && strstr(error.reason, "broken"), "GB-04 a file that is no zone's is told");
    ok(!tb_zone_load("../golden/G2.txt", &z, &error) && !tb_zone_load("/etc/localtime", &z, &error) &&
       !tb_zone_load("", &z, &error) &&
       !tb_zone_load("a/../b", &z, &error), "GB-04 a name cannot lead out of the database");
    setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
    ok(tb_zone_local(&z, &error) && strcmp(kept(&z, "2026-07-01T00:00:00Z"), "EDT -14400 1") == 0,
       "GB-04 $TZ with a POSIX TZ string");
    setenv("TZ", "Nowhere/Town", 1);
    ok(!tb_zone_local(&z, &error) && strstr(error.reason, "Nowhere/Town"), "GB-04 $TZ with a zone that is not there");
    setenv("TZ", "", 1);
    ok(tb_zone_local(&z, &error) && strcmp(kept(&z, "2026-07-01T00:00:00Z"), "UTC 0 0") == 0, "GB-04 $TZ that is empty is UTC");
    unsetenv("TZ");
    unsetenv("TZDIR");
    ok(tb_zone_local(&z, &error), "GB-04 without $TZ it is this machine's, or UTC");
    tb_zone_free(&z);
    tb_zone_free(&z);
    if (!tb_zone_load("America/New_York", &z, &error)) {
        diag("%s", error.reason);
        skip(1, "no time zone database (the package tzdata)");
        return;
    }
    ok(strncmp(match(&z, "2026-03-08T02:30:00"), "gap 2026-03-08T06:30:00Z", 24) == 0 &&
       strncmp(match(&z, "2026-11-01T01:30:00"), "fold", 4) == 0,
       "GB-04 the database's New York has that gap and that fold");
    tb_zone_free(&z);
}

int main(void)
{
    rules();
    refused_rules();
    gaps_and_folds();
    files();
    broken_files();
    database();
    return tap_done();
}
