/* zone_rule.c: POSIX TZ strings (IEEE Std 1003.1, section 8.3; RFC 9636, section 3.3.2 for its wider hours): reading one, and
   what it says of a moment. Of each year a rule makes two events, the start and the end of saving time; what holds at a
   moment is what the last event at or before it began, wherever in the years around it that lies: rules in use have
   saving time over the new year, and all the year round. */
#include "calendar/zone_rule.h"

#include "calendar/reader.h"

enum { SECONDS_PER_DAY = 86400 };

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_quoted(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-';
}

static bool read_name(tb_reader *r, char *out)
{
    size_t start = r->at, count = 0;
    bool quoted = tb_next_is(r, '<');
    r->at += quoted;
    for (; r->at < r->length && (quoted ? is_quoted(r->text[r->at]) : is_letter(r->text[r->at])); r->at++) {
        if (count == TB_ZONE_NAME_SIZE - 1)
            return tb_refuse(r->error, r->at, "a zone's abbreviation has 15 characters at most");
        out[count++] = r->text[r->at];
    }
    memset(out + count, 0, TB_ZONE_NAME_SIZE - count);
    if (quoted && !tb_next_is(r, '>'))
        return tb_refuse_missing(r->error, r->at, r->length, "'>' after the zone's abbreviation");
    r->at += quoted;
    return count >= 3 || tb_refuse(r->error, start, "a zone's abbreviation has at least three letters");
}

static bool read_number(tb_reader *r, int32_t lowest, int32_t highest, const char *part, int32_t *out)
{
    size_t start = r->at;
    int32_t value = 0;
    for (; r->at < r->length && tb_digit(r->text[r->at]) <= 9 && value < 1000; r->at++)
        value = value * 10 + (int32_t)tb_digit(r->text[r->at]);
    if (r->at == start)
        return tb_refuse_missing(r->error, start, r->length, "a number");
    *out = value;
    return (value >= lowest && value <= highest) || tb_refuse_range(r->error, start, part, value, lowest, highest);
}

/* [+-]hh[:mm[:ss]], in seconds. */
static bool read_time(tb_reader *r, int32_t hours, int32_t *out)
{
    bool negative = tb_next_is(r, '-');
    int32_t hour, minute = 0, second = 0;
    r->at += negative || tb_next_is(r, '+');
    if (!read_number(r, 0, hours, "hour", &hour))
        return false;
    if (tb_next_is(r, ':')) {
        r->at++;
        if (!read_number(r, 0, 59, "minute", &minute))
            return false;
        if (tb_next_is(r, ':')) {
            r->at++;
            if (!read_number(r, 0, 59, "second", &second))
                return false;
        }
    }
    *out = ((hour * 60 + minute) * 60 + second) * (negative ? -1 : 1);
    return true;
}

static bool read_offset(tb_reader *r, int32_t *out)
{
    if (!read_time(r, 24, out))
        return false;
    *out = -*out; /* POSIX counts westward */
    return true;
}

static bool read_month(tb_reader *r, tb_zone_day *out)
{
    int32_t month, week, weekday;
    if (!read_number(r, 1, 12, "month", &month) || !tb_read_char(r, '.', "'.' before the week") ||
        !read_number(r, 1, 5, "week", &week) || !tb_read_char(r, '.', "'.' before the weekday") ||
        !read_number(r, 0, 6, "weekday", &weekday))
        return false;
    out->month = (int8_t)month;
    out->week = (int8_t)week;
    out->weekday = (int8_t)weekday;
    return true;
}

static bool read_day(tb_reader *r, tb_zone_day *out)
{
    int32_t day = 0;
    *out = (tb_zone_day){.kind = 'D', .time = 2 * 3600};
    if (!tb_read_char(r, ',', "',' before a day of the rule"))
        return false;
    if (tb_next_is(r, 'M') || tb_next_is(r, 'J'))
        out->kind = r->text[r->at++];
    bool done = out->kind == 'M'   ? read_month(r, out)
                : out->kind == 'J' ? read_number(r, 1, 365, "day", &day)
                                   : read_number(r, 0, 365, "day", &day);
    out->day = (int16_t)day;
    if (!done || !tb_next_is(r, '/'))
        return done;
    r->at++;
    return read_time(r, 167, &out->time);
}

bool tb_zone_rule_read(const char *text, size_t length, tb_zone_rule *out, tb_time_error *error)
{
    tb_reader r = {text, length, 0, error};
    tb_zone_rule rule = {.saves = false};
    if (!read_name(&r, rule.standard.name) || !read_offset(&r, &rule.standard.offset))
        return false;
    if (r.at < length) {
        rule.saves = rule.saving.saving = true;
        if (!read_name(&r, rule.saving.name))
            return false;
        rule.saving.offset = rule.standard.offset + 3600;
        if (r.at < length && !tb_next_is(&r, ',') && !read_offset(&r, &rule.saving.offset))
            return false;
        if (r.at == length) {
            rule.start = (tb_zone_day){.kind = 'M', .month = 3, .week = 2, .time = 2 * 3600};
            rule.end = (tb_zone_day){.kind = 'M', .month = 11, .week = 1, .time = 2 * 3600};
        } else if (!read_day(&r, &rule.start) || !read_day(&r, &rule.end))
            return false;
    }
    if (!tb_read_end(&r))
        return false;
    *out = rule;
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

/* Days from 1970-01-01 to the year's first. */
static int64_t first_day(int64_t year)
{
    int64_t in_era = (year % 400 + 400) % 400, era = (year - in_era) / 400, before = in_era - 1;
    /* Year 0 of an era is a leap year: of the years before this one, it is the one that the other terms leave out. */
    int64_t leaps = in_era == 0 ? 0 : before / 4 - before / 100 + 1;
    return era * 146097 + in_era * 365 + leaps - 719528;
}

/* The day of the rule in that year, in days since 1970-01-01. */
static int64_t day_in_year(const tb_zone_day *d, int64_t year)
{
    int64_t first = first_day(year);
    bool leap = tb_is_leap_year(year);
    if (d->kind == 'D')
        return first + d->day;
    if (d->kind == 'J')
        return first + d->day - 1 + (leap && d->day >= 60);
    static const int16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t month = first + before[d->month - 1] + (leap && d->month > 2);
    int64_t weekday = ((month + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday; Sunday is 0 */
    int64_t day = (d->weekday - weekday + 7) % 7 + 7 * (d->week - 1);
    /* The fifth one is the last one. */
    return month + (day < tb_days_in_month(year, d->month) ? day : day - 7);
}

typedef struct event {
    int64_t at;
    const tb_zone_period *begins;
} event;

enum { YEARS_AROUND = 3, EVENTS = 2 * (2 * YEARS_AROUND + 1) };

static int64_t floor_days(int64_t second)
{
    return second / SECONDS_PER_DAY - (second % SECONDS_PER_DAY < 0);
}

static int64_t start_in(const tb_zone_rule *rule, int64_t year)
{
    return day_in_year(&rule->start, year) * SECONDS_PER_DAY + rule->start.time - rule->standard.offset;
}

static int64_t end_in(const tb_zone_rule *rule, int64_t year)
{
    return day_in_year(&rule->end, year) * SECONDS_PER_DAY + rule->end.time - rule->saving.offset;
}

/* The events of the years around a second, in their order. Where one year's end meets the next one's start, saving time
   goes on: the start comes later. */
static void events_around(const tb_zone_rule *rule, int64_t second, event *out)
{
    /* The year that the second would be in if all had the mean length, rounded down: one too many or too few is no matter. */
    int64_t scaled = floor_days(second) * 400, year = 1970 + scaled / 146097 - (scaled % 146097 < 0);
    int count = 0;
    for (int64_t y = year - YEARS_AROUND; y <= year + YEARS_AROUND; y++) {
        event start = {start_in(rule, y), &rule->saving}, end = {end_in(rule, y), &rule->standard};
        for (int each = 0; each < 2; each++) {
            event e = each ? start : end;
            int at = count++;
            for (; at > 0 && (out[at - 1].at > e.at || (out[at - 1].at == e.at && e.begins == &rule->standard)); at--)
                out[at] = out[at - 1];
            out[at] = e;
        }
    }
}

/* Seconds so far away that days of them would not fit have the period of the year 2000: no clock gets there. */
static int64_t within_reach(int64_t second)
{
    const int64_t far = INT64_C(1) << 60;
    return second < -far || second > far ? 946684800 : second;
}

static int last_event(const event *events, int64_t second)
{
    int last = 0;
    while (last + 1 < EVENTS && events[last + 1].at <= second)
        last++;
    return last;
}

/* What nearly every rule allows: both events are so far within their year, and from each other, that in other years they are within
   theirs and in the same order, too (a weekday moves one by a week at the most, a leap day by one day); then the year's own
   two tell. NULL: not so. */
static const tb_zone_period *by_own_year(const tb_zone_rule *rule, int64_t second)
{
    enum { MARGIN = 15 * SECONDS_PER_DAY };
    if (second < -(INT64_C(1) << 50) || second > INT64_C(1) << 50)
        return NULL;
    int64_t year = tb_date_year(tb_date_from_near_days(floor_days(second)));
    int64_t start = start_in(rule, year), end = end_in(rule, year), first = first_day(year) * SECONDS_PER_DAY + MARGIN;
    int64_t last = first + INT64_C(365) * SECONDS_PER_DAY - 2 * MARGIN;
    if (start < first || start > last || end < first || end > last ||
        (start < end ? end - start : start - end) < MARGIN)
        return NULL;
    bool saving = start < end ? second >= start && second < end : second >= start || second < end;
    return saving ? &rule->saving : &rule->standard;
}

const tb_zone_period *tb_zone_rule_at(const tb_zone_rule *rule, int64_t second)
{
    event events[EVENTS];
    if (!rule->saves)
        return &rule->standard;
    const tb_zone_period *usual = by_own_year(rule, second);
    if (usual)
        return usual;
    second = within_reach(second);
    events_around(rule, second, events);
    return events[last_event(events, second)].begins;
}

bool tb_zone_same_period(const tb_zone_period *a, const tb_zone_period *b)
{
    return a->offset == b->offset && a->saving == b->saving && strcmp(a->name, b->name) == 0;
}

/* Whether something else holds from event i on: nothing at its second comes after it (the very last one's neighbour is not
   known), and what held before is not the same. */
static bool is_change(const event *events, int i)
{
    if (i + 1 == EVENTS || events[i + 1].at == events[i].at)
        return false;
    int before = i - 1;
    while (before > 0 && events[before].at == events[i].at)
        before--;
    return before >= 0 && !tb_zone_same_period(events[before].begins, events[i].begins);
}

bool tb_zone_rule_next(const tb_zone_rule *rule, int64_t second, int64_t *at)
{
    event events[EVENTS];
    if (!rule->saves || within_reach(second) != second)
        return false;
    events_around(rule, second, events);
    for (int i = 1; i < EVENTS; i++)
        if (events[i].at > second && is_change(events, i)) {
            *at = events[i].at;
            return true;
        }
    return false;
}

bool tb_zone_rule_last(const tb_zone_rule *rule, int64_t second, int64_t *at)
{
    event events[EVENTS];
    if (!rule->saves || within_reach(second) != second)
        return false;
    events_around(rule, second, events);
    for (int i = EVENTS - 1; i > 0; i--)
        if (events[i].at <= second && is_change(events, i)) {
            *at = events[i].at;
            return true;
        }
    return false;
}
