/* fuzz_zone.c: a libFuzzer target: eight bytes are a second, the others a TZif file and a POSIX TZ string. What is refused must be
   so at one of its bytes or at its end, with a reason. A zone must answer all questions alike: transitions ascend and change
   something, the way back finds them, and a local time's moments have it on their clocks unless it is skipped. */
#include <stdlib.h>
#include <string.h>

#include <timerbench/zone.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static bool same(const tb_zone_period *a, const tb_zone_period *b)
{
    return a->offset == b->offset && a->saving == b->saving && strcmp(a->name, b->name) == 0;
}

static void check_transitions(const tb_zone *z, tb_timestamp from)
{
    tb_zone_transition t, back;
    for (int i = 0; i < 8 && tb_zone_next_transition(z, from, &t); i++) {
        demand(t.at.ns > from.ns && !same(&t.before, &t.after));
        tb_zone_period here = tb_zone_at(z, t.at), before = tb_zone_at(z, tb_timestamp_sub(t.at, tb_duration_from_nanos(1)));
        demand(same(&here, &t.after) && same(&before, &t.before));
        demand(tb_zone_last_transition(z, t.at, &back) && back.at.ns == t.at.ns);
        /* Nothing changes between the two. */
        tb_zone_period first = tb_zone_at(z, from);
        demand(same(&first, &t.before));
        from = t.at;
    }
}

static void check_local(const tb_zone *z, tb_timestamp t)
{
    tb_date_time local = tb_zone_local_time(z, t), utc = tb_date_time_from_timestamp(t), earlier, later;
    tb_zone_fit fit = tb_zone_match(z, local, &earlier, &later);
    demand(fit != TB_ZONE_GAP && tb_date_time_le(earlier, utc) && tb_date_time_le(utc, later));
    demand((fit == TB_ZONE_ONE) == tb_date_time_eq(earlier, later));
    /* A local time that no moment may have: of clocks an hour or so off. */
    fit = tb_zone_match(z, utc, &earlier, &later);
    tb_timestamp a, b;
    if (tb_date_time_to_timestamp(earlier, &a) && tb_date_time_to_timestamp(later, &b)) {
        bool shown = tb_date_time_eq(tb_zone_local_time(z, a), utc) && tb_date_time_eq(tb_zone_local_time(z, b), utc);
        demand(a.ns <= b.ns && (fit == TB_ZONE_GAP) == !shown);
    }
}

static void check_zone(const tb_zone *z, tb_timestamp t)
{
    char text[TB_RFC3339_SIZE];
    check_transitions(z, TB_TIMESTAMP_MIN);
    check_transitions(z, t);
    check_local(z, t);
    tb_zone_transition next;
    for (int i = -1; i <= 1 && tb_zone_next_transition(z, t, &next); i++)
        check_local(z, tb_timestamp_add(next.at, tb_duration_from_seconds(i)));
    size_t length = tb_zone_rfc3339(z, t, text);
    demand(length == strlen(text) && length < TB_RFC3339_SIZE);
    tb_zone_at_seconds(z, INT64_MIN);
    tb_zone_at_seconds(z, INT64_MAX);
    tb_zone_at_seconds(z, t.ns);
}

static void check_refusal(const tb_time_error *error, size_t size)
{
    const char *end = memchr(error->reason, 0, sizeof error->reason);
    demand(error->at <= size && end && end > error->reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tb_timestamp t;
    tb_zone z;
    tb_time_error error;
    if (size < sizeof t)
        return 0;
    memcpy(&t, data, sizeof t);
    data += sizeof t;
    size -= sizeof t;
    if (tb_zone_from_tzif(data, size, &z, &error))
        check_zone(&z, t);
    else
        check_refusal(&error, size);
    if (tb_zone_from_posix((const char *)data, size, &z, &error))
        check_zone(&z, t);
    else
        check_refusal(&error, size);
    return 0;
}
