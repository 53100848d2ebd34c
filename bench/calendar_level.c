#include "bench/calendar_level.h"

#include <stdlib.h>
#include <string.h>

#include "bench/calendar_values.h"
#include "bench/steal.h"

static const char PLACE[] = "America/New_York";

/* ---- what there is ----------------------------------------------------------------------------------------------- */

typedef struct calendar_workload {
    const char *name, *summary, *source, *unit;
    const tb_calendar_entry *entries;
    uint64_t (*expected)(const tb_calendar_value *v); /* NULL: what the first entry answers */
    bool local; /* needs the zone */
} calendar_workload;

static uint64_t expected_date(const tb_calendar_value *v) { return tb_calendar_date_answer(v->year, v->month, v->day); }
static uint64_t expected_days(const tb_calendar_value *v) { return (uint64_t)v->days; }
static uint64_t expected_seconds(const tb_calendar_value *v) { return (uint64_t)v->seconds; }
static uint64_t expected_rfc3339(const tb_calendar_value *v) { return tb_calendar_text_answer(v->rfc3339, strlen(v->rfc3339) - 8); }
static uint64_t expected_http(const tb_calendar_value *v) { return tb_calendar_text_answer(v->http, strlen(v->http) - 8); }

static const char OURS[] = "ours: moments of 1700 to 2199, uniform, in whole seconds, in random order";

static const calendar_workload workloads[] = {
    {"date-from-days", "year, month and day of a count of days since 1970", OURS, "date", tb_calendar_date_from_days,
     expected_date, false},
    {"days-from-date", "days since 1970 of a year, month and day", OURS, "date", tb_calendar_days_from_date, expected_days, false},
    {"write-rfc3339", "2026-10-03T14:05:09Z of a Timestamp", OURS, "text", tb_calendar_write_rfc3339, expected_rfc3339, false},
    {"read-rfc3339", "a Timestamp of 2026-10-03T14:05:09Z", OURS, "text", tb_calendar_read_rfc3339, expected_seconds, false},
    {"write-http-date", "Sat, 03 Oct 2026 14:05:09 GMT of a Timestamp", OURS, "text", tb_calendar_write_http_date,
     expected_http, false},
    {"read-http-date", "a Timestamp of Sat, 03 Oct 2026 14:05:09 GMT", OURS, "text", tb_calendar_read_http_date,
     expected_seconds, false},
    {"local-time", "date and time in New York of a Timestamp", OURS, "moment", tb_calendar_local_time, NULL, true},
};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static const calendar_workload *workload_of(const tb_workload *w)
{
    for (size_t i = 0; i < WORKLOADS; i++)
        if (strcmp(workloads[i].name, w->name) == 0)
            return &workloads[i];
    return NULL;
}

bool tb_calendar_workloads_load(tb_workload_list *list, tb_error_text *error)
{
    list->count = 0;
    list->items = calloc(WORKLOADS, sizeof *list->items);
    if (!list->items) {
        tb_error_no_memory(error);
        return false;
    }
    for (; list->count < WORKLOADS; list->count++) {
        const calendar_workload *w = &workloads[list->count];
        list->items[list->count] = (tb_workload){.name = w->name, .tags = "calendar", .summary = w->summary, .source = w->source,
                                                 .unit = w->unit, .loop = TB_LOOP_CALENDAR};
    }
    return true;
}

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

static const tb_contender contenders[] = {
    {.name = "timerbench"}, {.name = "timerbench_checked"}, {.name = "timerbench_pattern"}, {.name = "joffe"},
    {.name = "neri_schneider"}, {.name = "hinnant"}, {.name = "glibc"}, {.name = "dummy", .hidden = true},
};

size_t tb_calendar_contender_count(void) { return sizeof contenders / sizeof *contenders; }

const tb_contender *tb_calendar_contender_at(size_t index)
{
    return index < tb_calendar_contender_count() ? &contenders[index] : NULL;
}

static const tb_calendar_entry *entry_of(const calendar_workload *w, const char *contender)
{
    for (const tb_calendar_entry *e = w->entries; e->name; e++)
        if (strcmp(e->name, contender) == 0)
            return e;
    return NULL;
}

bool tb_calendar_takes_part(const tb_workload *workload, const tb_contender *contender)
{
    return entry_of(workload_of(workload), contender->name) != NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The plainest calendar: so that what is expected is not what is measured. */
static void make_value(tb_random *random, tb_calendar_value *v)
{
    static const uint32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const char weekdays[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    enum { FIRST_YEAR = 1700, YEARS = 500, DAYS = 182621, FIRST_DAY = -98615 };
    uint32_t left = tb_random_below(random, DAYS), second = tb_random_below(random, 86400), year = FIRST_YEAR, month = 0;
    v->days = FIRST_DAY + (int64_t)left;
    for (;; year++) {
        uint32_t length = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 366 : 365;
        if (left < length)
            break;
        left -= length;
    }
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (; left >= lengths[month] + (month == 1 && leap); month++)
        left -= lengths[month] + (month == 1 && leap);
    v->year = (int32_t)year;
    v->month = month + 1;
    v->day = left + 1;
    v->hour = second / 3600;
    v->minute = second / 60 % 60;
    v->second = second % 60;
    v->seconds = v->days * 86400 + second;
    v->timestamp = tb_timestamp_from_unix_seconds(v->seconds);
    tb_date_from_ymd(v->year, v->month, v->day, &v->date);
    snprintf(v->rfc3339, sizeof v->rfc3339, "%04d-%02u-%02uT%02u:%02u:%02uZ", v->year, v->month, v->day, v->hour, v->minute,
             v->second);
    snprintf(v->http, sizeof v->http, "%.3s, %02u %.3s %04d %02u:%02u:%02u GMT", weekdays + 3 * ((v->days % 7 + 7) % 7), v->day,
             months + 3 * month, v->year, v->hour, v->minute, v->second);
}

/* One contender on one workload. */
typedef struct bout {
    tb_cell *cell;
    const calendar_workload *workload;
    const tb_calendar_entry *entry;
    tb_calendar_values values;
    uint64_t *answers;
    uint64_t expected; /* the sum of a pass */
    uint32_t passes;   /* a repetition */
} bout;

/* Both the library's zone and glibc's, through $TZ, which is given back. */
static bool enter_zone(bout *b, char **before)
{
    tb_time_error why;
    *before = NULL;
    if (!tb_zone_load(PLACE, &b->values.zone, &why)) {
        b->cell->state = TB_CELL_LEFT_OUT;
        snprintf(b->cell->reason, sizeof b->cell->reason, "%s", why.reason);
        return false;
    }
    const char *set = getenv("TZ");
    *before = set ? strdup(set) : NULL;
    setenv("TZ", PLACE, 1);
    tzset();
    return true;
}

static void leave_zone(bout *b, char *before)
{
    tb_zone_free(&b->values.zone);
    if (before)
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
    tzset();
    free(before);
}

static void wrong(bout *b, uint32_t i)
{
    b->cell->state = TB_CELL_WRONG;
    snprintf(b->cell->reason, sizeof b->cell->reason, "another answer than expected for %s", b->values.items[i].rfc3339);
}

/* Every answer once, before the clock starts. */
static void check_answers(bout *b)
{
    const tb_calendar_entry *judge = b->workload->expected ? NULL : b->workload->entries;
    b->expected = 0;
    if (judge)
        judge->loop(&b->values, b->answers);
    uint64_t *own = b->answers + b->values.count;
    b->entry->loop(&b->values, own);
    for (uint32_t i = 0; i < b->values.count; i++) {
        uint64_t want = judge ? b->answers[i] : b->workload->expected(&b->values.items[i]);
        if (own[i] != want && !b->entry->hidden)
            wrong(b, i);
        b->expected += b->entry->hidden ? own[i] : want;
    }
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void repetition(tb_gbench_state *state, void *user)
{
    bout *b = user;
    uint64_t sum = 0;
    while (tb_gbench_state_keep_running_batch(state, (int64_t)b->cell->operations))
        for (uint32_t i = 0; i < b->passes; i++) {
            sum += b->entry->loop(&b->values, NULL);
            tb_gbench_clobber_memory();
        }
    if (sum != b->expected * b->passes)
        wrong(b, 0);
    if (b->cell->state == TB_CELL_WRONG) {
        char text[TB_CELL_REASON + 8];
        snprintf(text, sizeof text, "WRONG: %s", b->cell->reason);
        tb_gbench_state_skip_with_error(state, text);
    }
}

/* So many passes over the values that a repetition lasts, but all of them no longer than the limit. */
static void choose_passes(bout *b, const tb_measuring *how)
{
    const double wanted = (double)how->operations * 100e-9; /* s: 26 ms, 1.6 ms in a quick run */
    int64_t begin = tb_stopwatch_ns();
    b->entry->loop(&b->values, NULL);
    double took = (double)(tb_stopwatch_ns() - begin) * 1e-9, most = how->limit / how->repetitions;
    double passes = (wanted < most ? wanted : most) / (took > 1e-7 ? took : 1e-7);
    b->passes = passes < 1 ? 1 : passes > 1e6 ? 1000000 : (uint32_t)passes;
    b->cell->operations = (uint64_t)b->passes * b->values.count;
}

bool tb_calendar_measure(tb_cell *cell, const tb_measuring *how, json_t *document, tb_error_text *error)
{
    tb_steal before = tb_steal_read();
    int64_t begin = tb_stopwatch_ns();
    bout b = {.cell = cell, .workload = workload_of(cell->workload), .values = {.count = cell->population}};
    tb_random random = tb_random_make(how->seed, 0x63616c656e646172 /* "calendar" */);
    char *zone_before = NULL;
    b.entry = entry_of(b.workload, cell->contender->name);
    b.values.items = calloc(cell->population, sizeof *b.values.items);
    b.answers = calloc(2 * (size_t)cell->population, sizeof *b.answers);
    bool done = b.values.items && b.answers;
    if (!done)
        tb_error_no_memory(error);
    for (uint32_t i = 0; done && i < cell->population; i++)
        make_value(&random, &b.values.items[i]);
    bool ready = done && (!b.workload->local || enter_zone(&b, &zone_before));
    if (ready) {
        check_answers(&b);
        choose_passes(&b, how);
        done = tb_cell_run(cell, repetition, &b, how->repetitions, document, error);
        if (b.workload->local)
            leave_zone(&b, zone_before);
    }
    cell->steal = tb_steal_since(before);
    cell->seconds = (double)(tb_stopwatch_ns() - begin) * 1e-9;
    free(b.values.items);
    free(b.answers);
    return done;
}
