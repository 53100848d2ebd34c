/* drive_expired.c: calls of expired beside the oracle. */
#include "bench/drive_state.h"

#include <inttypes.h>
#include <string.h>

enum { tick = TB_TICK_NANOS };

/* ---- what a wheel may cost ------------------------------------------------------------------------------------------- */

/* The cascading wheels whose calls without delivery are bounded by WHL-25: levels and span. */
static const struct {
    const char *name;
    int levels;
    int64_t span; /* ticks */
} wheels[] = {{"wheel_6x64", 6, INT64_C(1) << 36}};

/* Ticks from when a timeout was armed to when it is due. */
static int64_t distance_of(const tb_driving *d, const tb_oracle_timer *t)
{
    tb_wide start = tb_oracle_start(d->oracle);
    return (int64_t)((t->fires - start) / tick - (t->set_at - start) / tick);
}

static void allow_idle_calls(tb_driving *d, const tb_oracle_timer *t)
{
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++)
        if (strcmp(wheels[i].name, d->structure->name) == 0)
            d->idle_allowed += wheels[i].levels - 1 + distance_of(d, t) / wheels[i].span + 1;
}

static bool has_idle_bound(const tb_driving *d)
{
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++)
        if (strcmp(wheels[i].name, d->structure->name) == 0)
            return true;
    return false;
}

void tb_drive_note_armed(tb_driving *d, const tb_oracle_timer *t)
{
    tb_coverage *c = d->coverage;
    c->armed++;
    c->asked_precise += t->asked_precise;
    c->near_precise += t->precise && !t->asked_precise;
    c->past += t->deadline < t->set_at;
    c->in_lanes += t->lane > 0;
    c->never += t->never;
    if (t->precise || t->never)
        return;
    c->moved_by_slop += (tb_wide)t->fires - t->deadline >= tick;
    int64_t distance = distance_of(d, t);
    for (int level = 0; level < TB_COVERAGE_LEVELS; level++)
        c->levels[level] += distance >= INT64_C(1) << (6 * level);
    allow_idle_calls(d, t);
}

tb_wide tb_drive_latest_fire(const tb_driving *d, const tb_oracle_timer *t)
{
    if (!d->relaxed || t->precise || t->never)
        return t->fires;
    return t->fires + (tb_wide)d->structure->late_bound((uint64_t)distance_of(d, t)) * tick;
}

/* ---- what was delivered ---------------------------------------------------------------------------------------------- */

static void note_repeat(tb_coverage *c, const tb_oracle_expiry *e, int64_t now)
{
    const tb_oracle_timer *t = &e->timer;
    bool late = (tb_wide)now - t->deadline >= t->period;
    if (late)
        c->late_repeats[t->policy]++;
    else
        c->repeats[t->policy]++;
    c->last_repeats += !e->again;
}

static void note_deliveries(tb_driving *d, tb_oracle_expiries deliveries)
{
    tb_coverage *c = d->coverage;
    int64_t now = tb_oracle_now(d->oracle);
    for (size_t i = 0; i < deliveries.count; i++) {
        const tb_oracle_timer *t = &deliveries.items[i].timer;
        c->delivered++;
        c->delivered_late += (tb_wide)now - t->fires >= tick;
        c->delivered_left_over += t->left_over;
        if (t->period > 0)
            note_repeat(c, &deliveries.items[i], now);
        if (deliveries.items[i].again) {
            const tb_oracle_timer *next = tb_oracle_find(d->oracle, t->name);
            if (next)
                tb_drive_note_armed(d, next);
        }
        if (i == 0 || t[0].deadline != deliveries.items[i - 1].timer.deadline)
            continue;
        const tb_oracle_timer *before = &deliveries.items[i - 1].timer;
        c->ties++;
        c->mixed_ties += t->precise != before->precise;
        c->lane_ties += t->lane != before->lane;
    }
}

/* One delivery against what the oracle says of it; the tokens are the same. */
static bool compare_expiry(tb_driving *d, const tb_expiry *got, const tb_oracle_timer *t)
{
    char who[TB_INSTANT_TEXT], mine[TB_INSTANT_TEXT], wanted[TB_INSTANT_TEXT];
    tb_drive_who(d, got->token, who);
    if (got->deadline.ns != t->deadline)
        return tb_drive_differs(d, TB_DIFFERS_EXPIRY, "delivers %s with deadline %s, expected %s", who,
                                tb_drive_instant(mine, true, got->deadline.ns), tb_drive_instant(wanted, true, t->deadline));
    tb_timer_id id = d->keyed ? TB_TIMER_NONE : d->named[t->name].id;
    if (!tb_timer_same(got->id, id))
        return tb_drive_differs(d, TB_DIFFERS_EXPIRY, "delivers %s under %s, expected %s", who,
                                tb_timer_is_none(got->id) ? "no id" : "another id",
                                d->keyed ? "none" : "the one it was armed under");
    return true;
}

static bool compare_deliveries(tb_driving *d, size_t lead, tb_oracle_expiries expected)
{
    const tb_expiry *got = tb_drive_delivered(d, lead);
    bool same = d->out.len - lead == expected.count;
    for (size_t i = 0; same && i < expected.count; i++)
        same = got[i].token == expected.items[i].timer.token;
    if (!same)
        return tb_drive_differs_in_order(d, lead, expected);
    for (size_t i = 0; i < expected.count; i++) {
        if (!compare_expiry(d, &got[i], &expected.items[i].timer))
            return false;
        if (i > 0 && got[i].deadline.ns == got[i - 1].deadline.ns && got[i].order <= got[i - 1].order)
            return tb_drive_differs(d, TB_DIFFERS_EXPIRY, "delivers equal deadlines with orders that do not grow");
    }
    return true;
}

/* ---- structures that may be late ------------------------------------------------------------------------------------- */

/* The oracle's name of the timer that the set delivered; 0: none that is pending. */
static tb_oracle_name name_of(const tb_driving *d, const tb_expiry *e)
{
    if (d->keyed) {
        const tb_oracle_timer *t = e->token <= UINT32_MAX ? tb_oracle_find_key(d->oracle, (uint32_t)e->token) : NULL;
        return t ? t->name : 0;
    }
    const int64_t *name = tb_int_map_find(&d->given[e->id.bits >> 63], (int64_t)(e->id.bits & INT64_MAX));
    return name ? (tb_oracle_name)*name : 0;
}

/* Whatever the set chose to deliver must be due, once each, in order, and what it kept within its bound. */
static bool follow_relaxed(tb_driving *d, const tb_operation *op, size_t lead, tb_oracle_expiries *deliveries)
{
    char who[TB_INSTANT_TEXT];
    tb_oracle_begin_expired(d->oracle, op->at);
    for (size_t i = lead; i < d->out.len; i++) {
        const tb_expiry *got = &d->out.items[i], *before = got - 1;
        const tb_oracle_timer *t = tb_oracle_find(d->oracle, name_of(d, got));
        if (!t || !compare_expiry(d, got, t))
            return tb_drive_differs(d, TB_DIFFERS_TIMERS, "delivers %s, which is not pending",
                                    tb_drive_who(d, got->token, who));
        d->coverage->late_by_nature += !t->precise && (tb_wide)tb_oracle_now(d->oracle) - t->fires >= tick;
        if (!tb_oracle_deliver(d->oracle, t->name))
            return tb_drive_differs(d, TB_DIFFERS_TIMERS, "delivers %s, which is not due", tb_drive_who(d, got->token, who));
        if (i > lead && (got->deadline.ns < before->deadline.ns ||
                         (got->deadline.ns == before->deadline.ns && got->order <= before->order)))
            return tb_drive_differs(d, TB_DIFFERS_TIMERS, "delivers %s out of order", tb_drive_who(d, got->token, who));
    }
    *deliveries = tb_oracle_end_expired(d->oracle, true);
    size_t count;
    const tb_oracle_timer *timers = tb_oracle_timers(d->oracle, &count);
    bool cut = tb_drive_wanted_memory(d) || (op->has_max && d->out.len - lead == op->max);
    for (size_t i = 0; !cut && i < count; i++)
        if (!timers[i].never && tb_drive_latest_fire(d, &timers[i]) <= tb_oracle_now(d->oracle))
            return tb_drive_differs(d, TB_DIFFERS_TIMERS, "keeps %s past its bound",
                                    tb_drive_who(d, timers[i].token, who));
    return true;
}

/* ---- the call -------------------------------------------------------------------------------------------------------- */

/* Puts `lead` entries into the list, which the call must leave alone. Where memory is to be short, the list has room for none or
   two, so that the call has to ask for more. */
static bool prepare_list(tb_driving *d, uint32_t fail, size_t lead)
{
    enum { two = 2 };
    if (fail)
        tb_expiries_free(&d->out);
    d->out.len = 0;
    if (fail && d->at % 2) {
        d->out.items = d->allocator.resize(d->allocator.ctx, NULL, 0, two * sizeof *d->out.items);
        d->out.cap = d->out.items ? two : 0;
    }
    if (!tb_expiries_reserve(&d->out, fail ? 0 : lead))
        return tb_drive_no_memory(d);
    for (size_t i = 0; i < lead; i++)
        d->out.items[d->out.len++] = (tb_expiry){.token = ~(uint64_t)i};
    return true;
}

static bool compare_list(tb_driving *d, size_t lead, size_t answer)
{
    bool kept = d->out.len >= lead;
    for (size_t i = 0; kept && i < lead; i++)
        kept = d->out.items[i].token == ~(uint64_t)i;
    if (!kept)
        return tb_drive_differs(d, TB_DIFFERS_TIMERS, "changes what was in the list before, expected it only to grow");
    return answer == d->out.len - lead ||
           tb_drive_differs(d, TB_DIFFERS_RETURN, "answers %zu to expired, but appends %zu", answer, d->out.len - lead);
}

/* A call at the very instant that next_expiry named, and for a timeout, delivers, or has re-placed something; and not more often
   than WHL-25 allows. */
static bool judge_idle_call(tb_driving *d)
{
    uint64_t cascaded = tb_timers_get_stats(d->set).cascaded;
    if (cascaded == d->cascaded)
        return tb_drive_differs(d, TB_DIFFERS_IDLE, "delivers and re-places nothing at the instant that next_expiry named");
    d->idle++;
    if (!has_idle_bound(d) || d->idle <= d->idle_allowed)
        return true;
    return tb_drive_differs(d, TB_DIFFERS_IDLE,
                            "delivers nothing at %" PRIu64 " instants that next_expiry named, expected %lld at most for its timers",
                            d->idle, (long long)d->idle_allowed);
}

static void note_call(tb_driving *d, const tb_operation *op, int64_t before)
{
    tb_coverage *c = d->coverage;
    c->calls++;
    c->calls_back += op->at < before;
    c->calls_still += op->at == before;
}

/* What is left due after a call. */
static void note_rest(tb_driving *d, const tb_operation *op, bool cut)
{
    if (!cut && !op->has_max)
        return;
    bool left = tb_oracle_count_due(d->oracle, INT64_MIN) > 0;
    d->coverage->failed_calls += cut && left;
    d->coverage->calls_cut += !cut && left;
}

bool tb_drive_expired(tb_driving *d, const tb_operation *op)
{
    enum { enough = 1 << 20 }; /* bytes for a call beyond its deliveries: one that never ends comes to an end */
    uint64_t due = tb_oracle_count_due(d->oracle, op->at), max = op->has_max ? op->max : UINT64_MAX;
    uint64_t most = d->options->most_due ? d->options->most_due : TB_DRIVE_MOST_DUE;
    if ((due < max ? due : max) > most) {
        d->difference->at = d->at;
        d->verdict = TB_DRIVE_TOO_MANY;
        return false;
    }
    int64_t before = tb_oracle_now(d->oracle);
    tb_instant next;
    /* At the end of time it names what never comes. */
    bool named = tb_timers_next_timeout(d->set, &next) && next.ns == op->at && op->at > before && op->at < INT64_MAX;
    size_t lead = op->fail ? 0 : d->at % 3;
    if (!prepare_list(d, op->fail, lead))
        return false;
    uint64_t room = d->out.cap - d->out.len;
    uint64_t asked;
    tb_drive_begin_call(d, op->fail, op->onward, &asked);
    d->memory.most = d->memory.bytes + enough + (size_t)(due < max ? due : max) * sizeof(tb_expiry) * 4;
    tb_instant now = tb_instant_from_nanos(op->at);
    size_t answer = op->has_max ? tb_timers_expired_max(d->set, now, &d->out, (size_t)op->max)
                                : tb_timers_expired(d->set, now, &d->out);
    d->memory.most = 0;
    if (!tb_drive_end_call(d, asked, true, "expired") || !compare_list(d, lead, answer))
        return false;
    note_call(d, op, before);
    bool cut = tb_drive_wanted_memory(d);
    uint64_t fit = due < max ? due : max;
    fit = fit < room ? fit : room;
    if (cut && !d->relaxed && answer < fit)
        return tb_drive_differs(d, TB_DIFFERS_TIMERS,
                                "delivers %zu for want of memory, expected the %" PRIu64 " that there is room for", answer, fit);
    d->coverage->survived += d->failed && !cut;
    tb_oracle_expiries deliveries;
    if (d->relaxed) {
        if (!follow_relaxed(d, op, lead, &deliveries))
            return false;
    } else {
        deliveries = tb_oracle_expired(d->oracle, op->at, cut && answer < max ? answer : max);
        if (!compare_deliveries(d, lead, deliveries))
            return false;
    }
    if (d->options->transcript)
        tb_drive_tell_deliveries(d, deliveries);
    note_deliveries(d, deliveries);
    note_rest(d, op, cut);
    d->coverage->idle_calls += deliveries.count == 0;
    d->coverage->followed_calls += named;
    bool idle = named && deliveries.count == 0 && max > 0 && !cut;
    return !idle || !(d->structure->traits & TB_CASCADES) || judge_idle_call(d);
}
