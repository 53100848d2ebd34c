/* zone.c: what a time zone keeps at a moment, when it changes, and which moments a local date-time stands for. Before a
   file's first transition its first kind of local time holds, from the last one on its rule, if it has one. */
#include "calendar/digits.h"
#include "calendar/reason.h"
#include "calendar/zone_rule.h"
#include "calendar/zone_tzif.h"

enum { SECONDS_PER_DAY = 86400 };

bool tb_zone_from_posix(const char *text, size_t length, tb_zone *out, tb_time_error *error)
{
    tb_zone z = {.has_rule = true};
    if (!tb_zone_rule_read(text, length, &z.rule, error))
        return false;
    *out = z;
    return true;
}

/* ---- what holds --------------------------------------------------------------------------------------------------- */

/* A transition in Unix seconds. */
static int64_t time_at(const tb_zone *z, uint32_t i)
{
    int64_t raw = tb_zone_raw_time(z, i), exact;
    for (uint32_t leap = z->leap_count; leap > 0; leap--)
        if (tb_zone_leap_time(z, leap - 1) <= raw)
            return __builtin_sub_overflow(raw, tb_zone_leap_sum(z, leap - 1), &exact) ? raw : exact;
    return raw;
}

/* How many transitions are at or before the second. */
static uint32_t transitions_until(const tb_zone *z, int64_t second)
{
    uint32_t from = 0, to = z->time_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (time_at(z, middle) <= second)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static tb_zone_period period_of_type(const tb_zone *z, uint32_t type)
{
    const unsigned char *t = z->types + type * 6;
    const char *name = (const char *)z->names + t[5];
    tb_zone_period p = {.offset = (int32_t)tb_zone_number(t), .saving = t[4]};
    memcpy(p.name, name, strnlen(name, TB_ZONE_NAME_SIZE - 1));
    return p;
}

/* What holds after so many of the file's transitions, up to the next one. */
static tb_zone_period period_after(const tb_zone *z, uint32_t transitions, int64_t second)
{
    if (transitions == z->time_count && z->has_rule)
        return *tb_zone_rule_at(&z->rule, second);
    if (z->type_count == 0)
        return (tb_zone_period){.name = "UTC"};
    return period_of_type(z, transitions ? z->indices[transitions - 1] : 0);
}

tb_zone_period tb_zone_at_seconds(const tb_zone *zone, int64_t unix_seconds)
{
    return period_after(zone, transitions_until(zone, unix_seconds), unix_seconds);
}

/* ---- transitions -------------------------------------------------------------------------------------------------- */

static bool changes_at(const tb_zone *z, int64_t second)
{
    if (second == INT64_MIN)
        return false;
    tb_zone_period before = tb_zone_at_seconds(z, second - 1), after = tb_zone_at_seconds(z, second);
    return !tb_zone_same_period(&before, &after);
}

/* The first second after that one at which something else is kept. */
static bool next_change(const tb_zone *z, int64_t second, int64_t *at)
{
    for (uint32_t i = transitions_until(z, second); i < z->time_count; i++) {
        *at = time_at(z, i);
        if (*at > second && changes_at(z, *at))
            return true;
    }
    if (!z->has_rule)
        return false;
    /* The rule's own events count from the file's last transition on. */
    int64_t last = z->time_count ? time_at(z, z->time_count - 1) : INT64_MIN;
    return tb_zone_rule_next(&z->rule, second > last ? second : last, at);
}

/* The last second at or before that one. */
static bool last_change(const tb_zone *z, int64_t second, int64_t *at)
{
    uint32_t until = transitions_until(z, second);
    if (until == z->time_count && z->has_rule && tb_zone_rule_last(&z->rule, second, at) &&
        (until == 0 || *at > time_at(z, until - 1)))
        return true;
    for (; until > 0; until--) {
        *at = time_at(z, until - 1);
        if (changes_at(z, *at))
            return true;
    }
    return false;
}

static bool fill_transition(const tb_zone *z, int64_t second, tb_zone_transition *out)
{
    int64_t nanos;
    if (__builtin_mul_overflow(second, TB_NANOS_PER_SECOND, &nanos))
        return false;
    out->at = tb_timestamp_from_unix_nanos(nanos);
    out->before = tb_zone_at_seconds(z, second - 1);
    out->after = tb_zone_at_seconds(z, second);
    return true;
}

bool tb_zone_next_transition(const tb_zone *zone, tb_timestamp t, tb_zone_transition *out)
{
    int64_t at;
    return next_change(zone, tb_timestamp_unix_seconds(t), &at) && fill_transition(zone, at, out);
}

bool tb_zone_last_transition(const tb_zone *zone, tb_timestamp t, tb_zone_transition *out)
{
    int64_t at;
    return last_change(zone, tb_timestamp_unix_seconds(t), &at) && fill_transition(zone, at, out);
}

/* ---- from UTC ----------------------------------------------------------------------------------------------------- */

static tb_date_time shifted(tb_date_time dt, int32_t seconds)
{
    return tb_date_time_add(dt, tb_duration_from_seconds(seconds));
}

tb_date_time tb_zone_local_time(const tb_zone *zone, tb_timestamp t)
{
    return shifted(tb_date_time_from_timestamp(t), tb_zone_at(zone, t).offset);
}

size_t tb_zone_rfc3339(const tb_zone *zone, tb_timestamp t, char *out)
{
    tb_date_time utc = tb_date_time_from_timestamp(t);
    int32_t offset = tb_zone_at(zone, t).offset;
    /* Beyond a day RFC 3339 has no offset either. */
    if (offset % 60 || offset <= -SECONDS_PER_DAY || offset >= SECONDS_PER_DAY)
        return tb_date_time_rfc3339(utc, out);
    size_t length = tb_date_time_rfc3339(shifted(utc, offset), out) - 1;
    uint32_t minutes = (uint32_t)(offset < 0 ? -offset : offset) / 60;
    out[length] = offset < 0 ? '-' : '+';
    tb_put_two(out + length + 1, minutes / 60);
    out[length + 3] = ':';
    tb_put_two(out + length + 4, minutes % 60);
    out[length + 6] = '\0';
    return length + 6;
}

/* ---- to UTC ------------------------------------------------------------------------------------------------------- */

static int64_t seconds_of(tb_date_time dt)
{
    return tb_date_unix_days(dt.date) * SECONDS_PER_DAY + tb_duration_seconds(tb_time_of_day_since_midnight(dt.time));
}

/* The moments of a local second are among those that its offsets mean which are kept within a day or so of it: one is such
   a moment when that offset is kept then. In a gap there is none; the two moments are then those by the offsets before and
   after the transition that lies between them. */
tb_zone_fit tb_zone_match(const tb_zone *zone, tb_date_time local, tb_date_time *earlier, tb_date_time *later)
{
    const int64_t second = seconds_of(local), from = second - TB_ZONE_HIGHEST_OFFSET, to = second - TB_ZONE_LOWEST_OFFSET;
    int32_t offset = tb_zone_at_seconds(zone, from).offset, first = offset, last = offset;
    int64_t begin = INT64_MIN, end;
    int found = 0;
    for (int64_t at = from;; at = begin) {
        bool more = next_change(zone, at, &end) && end <= to;
        int64_t moment = second - offset;
        if (moment >= begin && (!more || moment < end)) {
            first = found ? first : offset;
            last = offset;
            found++;
        }
        if (!more)
            break;
        int32_t next = tb_zone_at_seconds(zone, end).offset;
        if (found == 0 && moment >= end && second - next < end) {
            first = next;
            last = offset;
        }
        begin = end;
        offset = next;
    }
    if (earlier)
        *earlier = shifted(local, -first);
    if (later)
        *later = shifted(local, -last);
    return found == 0 ? TB_ZONE_GAP : found == 1 ? TB_ZONE_ONE : TB_ZONE_FOLD;
}

static bool refuse_local(tb_time_error *error, tb_date_time local, const char *why)
{
    char text[TB_RFC3339_SIZE];
    size_t length = tb_date_time_rfc3339(local, text);
    text[length - 1] = '\0'; /* the Z */
    tb_reason reason = tb_reason_begin(error, 0);
    tb_reason_text(&reason, "the local time ");
    tb_reason_text(&reason, text);
    tb_reason_text(&reason, why);
    return false;
}

bool tb_zone_to_timestamp(const tb_zone *zone, tb_date_time local, tb_zone_choice choice, tb_timestamp *out,
                          tb_time_error *error)
{
    tb_date_time earlier, later;
    tb_zone_fit fit = tb_zone_match(zone, local, &earlier, &later);
    if (choice == TB_ZONE_REFUSE && fit == TB_ZONE_GAP)
        return refuse_local(error, local, " is skipped there: clocks are put forward over it");
    if (choice == TB_ZONE_REFUSE && fit == TB_ZONE_FOLD)
        return refuse_local(error, local, " is there twice: clocks are put back over it");
    return tb_date_time_to_timestamp(choice == TB_ZONE_LATER ? later : earlier, out) || tb_refuse_timestamp(error);
}
