/* zone.h: time zones: which offset from UTC a place keeps at a moment, and which moments a local date-time stands for.

   A zone is read from the bytes of a TZif file (RFC 9636, versions 1 to 4), from a POSIX TZ string ("EST5EDT,M3.2.0,
   M11.1.0"), or by name from the system's database. It is then a constant: pure data, free to be used from any thread.
   Only tb_zone_load and tb_zone_local ask the operating system for anything, or allocate.

   Seconds are Unix seconds: leap seconds in a TZif file (the "right/" ones) are taken off. */
#ifndef TIMERBENCH_ZONE_H
#define TIMERBENCH_ZONE_H

#include <timerbench/calendar.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TB_ZONE_NAME_SIZE = 16 };

/* What a place keeps from one transition to the next. */
typedef struct tb_zone_period {
    int32_t offset; /* seconds east of UTC */
    bool saving;    /* daylight saving time, as the zone's author calls it */
    char name[TB_ZONE_NAME_SIZE]; /* "EST" */
} tb_zone_period;

/* A day of every year, and a time on it in seconds after midnight. Private. */
typedef struct tb_zone_day {
    char kind; /* 'J': 1 to 365, never February 29; 'D': 0 to 365; 'M': month, week, weekday */
    int8_t month, week, weekday;
    int16_t day;
    int32_t time;
} tb_zone_day;

/* What a POSIX TZ string says. Private. */
typedef struct tb_zone_rule {
    tb_zone_period standard, saving;
    bool saves; /* else standard holds always */
    tb_zone_day start, end; /* of saving */
} tb_zone_rule;

/* A time zone. Private; a zeroed one is UTC. */
typedef struct tb_zone {
    const unsigned char *times, *indices, *types, *names, *leaps; /* of a TZif file, whose bytes they point into */
    uint32_t time_count, type_count, name_bytes, leap_count;
    uint32_t width; /* bytes of a time */
    bool has_rule;  /* for what is after the last time */
    tb_zone_rule rule;
    void *owned;
} tb_zone;

/* ---- making one --------------------------------------------------------------------------------------------------- */

/* Reads a TZif file's bytes, which must stay as they are while the zone is used. False: *error (which may be NULL) says at
   which byte and why, and *out is as it was. All that is read later is checked here. O(size). */
TB_API bool tb_zone_from_tzif(const void *data, size_t size, tb_zone *out, tb_time_error *error);

/* Reads a POSIX TZ string (IEEE Std 1003.1, section 8.3), with RFC 9636's hours from -167 to 167 in rules, and without a
   file name. Saving time without a rule is that of the USA since 2007, M3.2.0,M11.1.0. As tb_zone_from_tzif. */
TB_API bool tb_zone_from_posix(const char *text, size_t length, tb_zone *out, tb_time_error *error);

/* Reads a zone of the system's database by its name, "America/New_York": a file below $TZDIR, or /usr/share/zoneinfo and
   its like. False, *error with byte 0: there is no database (it names where it was looked for), no such zone in it, or its
   file is broken. The zone must be freed. */
TB_API bool tb_zone_load(const char *name, tb_zone *out, tb_time_error *error);
/* The zone this machine is set to: $TZ, the name of a zone or a POSIX TZ string; without it, /etc/localtime. As above. */
TB_API bool tb_zone_local(tb_zone *out, tb_time_error *error);
/* Frees what tb_zone_load or tb_zone_local took; nothing for others. */
TB_API void tb_zone_free(tb_zone *zone);

/* ---- from UTC ----------------------------------------------------------------------------------------------------- */

/* What is kept at a moment; by Unix seconds, of any size. O(log n) of n transitions. */
TB_API tb_zone_period tb_zone_at_seconds(const tb_zone *zone, int64_t unix_seconds);
static inline tb_zone_period tb_zone_at(const tb_zone *zone, tb_timestamp t)
{
    return tb_zone_at_seconds(zone, tb_timestamp_unix_seconds(t));
}
/* The date and the time that clocks show there then. */
TB_API tb_date_time tb_zone_local_time(const tb_zone *zone, tb_timestamp t);
/* That, with its offset, as RFC 3339 has it: 2026-10-03T10:05:09-04:00, into out of TB_RFC3339_SIZE bytes; the length.
   RFC 3339 has no seconds in an offset: where a place kept some (before its standard time), UTC is written, with Z. */
TB_API size_t tb_zone_rfc3339(const tb_zone *zone, tb_timestamp t, char *out);

/* A moment from which something else is kept. */
typedef struct tb_zone_transition {
    tb_timestamp at;
    tb_zone_period before, after;
} tb_zone_transition;

/* The first transition after t; the last one at or before it. False: there is none in a Timestamp's range. Where neither
   offset, saving nor name changes there is no transition. */
TB_API bool tb_zone_next_transition(const tb_zone *zone, tb_timestamp t, tb_zone_transition *out);
TB_API bool tb_zone_last_transition(const tb_zone *zone, tb_timestamp t, tb_zone_transition *out);

/* ---- to UTC ------------------------------------------------------------------------------------------------------- */

typedef enum tb_zone_fit {
    TB_ZONE_ONE,  /* the local date-time is there once */
    TB_ZONE_GAP,  /* it is skipped: clocks are put forward over it */
    TB_ZONE_FOLD  /* it is there twice (or more often): clocks are put back over it */
} tb_zone_fit;

/* How a local date-time fits; in earlier and later (each may be NULL) the moments, in UTC. In a gap these are the two that
   its clocks would mean, had they been put forward before it, and only after it: 02:30 in a gap of an hour is 01:30
   (earlier) and 03:30 (later). */
TB_API tb_zone_fit tb_zone_match(const tb_zone *zone, tb_date_time local, tb_date_time *earlier, tb_date_time *later);

typedef enum tb_zone_choice { TB_ZONE_EARLIER, TB_ZONE_LATER, TB_ZONE_REFUSE } tb_zone_choice;

/* The moment of a local date-time, gaps and folds as chosen. False, *error with byte 0: it is in a gap or a fold that is
   refused, or no Timestamp holds it; *out is as it was. */
TB_API bool tb_zone_to_timestamp(const tb_zone *zone, tb_date_time local, tb_zone_choice choice, tb_timestamp *out,
                                 tb_time_error *error);

#ifdef __cplusplus
}
#endif

#endif
