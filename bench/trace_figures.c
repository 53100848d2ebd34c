/* trace_figures.c: what there is in a recorded trace, in numbers. */
#include "bench/trace_figures.h"

#include "bench/int_map.h"

#include <stdlib.h>

const char *const tb_trace_bucket_names[TB_TRACE_BUCKETS] = {"<=1ms", "<=10ms", "<=100ms", "<=1s",
                                                             "<=10s", "<=60s",  "<=1h",    ">1h"};

static const int64_t second = 1000000000;

static size_t bucket_of(int64_t length)
{
    const int64_t limits[TB_TRACE_BUCKETS - 1] = {second / 1000, second / 100, second / 10, second,
                                                  second * 10,   second * 60,  second * 3600};
    size_t i = 0;
    while (i < TB_TRACE_BUCKETS - 1 && length > limits[i])
        i++;
    return i;
}

/* What a measurement remembers beside the figures. */
typedef struct {
    tb_int_map keys;   /* every key seen */
    tb_int_map slops;  /* slop -> sets */
    int64_t *lateness; /* of each fired event */
    size_t lateness_room;
    double pending_time; /* the integral of the pending count over time */
} measurement;

static bool note_fired(measurement *m, tb_trace_figures *f, const tb_trace_event *event)
{
    if (f->fired == m->lateness_room) {
        size_t room = m->lateness_room ? m->lateness_room * 2 : 1024;
        int64_t *grown = room <= SIZE_MAX / sizeof *grown ? realloc(m->lateness, room * sizeof *grown) : NULL;
        if (!grown)
            return false;
        m->lateness = grown;
        m->lateness_room = room;
    }
    int64_t late = event->time - event->deadline;
    m->lateness[f->fired++] = late;
    f->early += late < 0;
    return true;
}

static bool note_set(measurement *m, tb_trace_figures *f, const tb_trace_event *event)
{
    int64_t length = event->deadline - event->time;
    f->lengths[bucket_of(length)]++;
    f->not_in_future += length <= 0;
    f->precise += event->precise || length < TB_TRACE_PRECISE_BELOW;
    if (event->slop == 0)
        return true;
    f->with_slop++;
    int64_t *sets = tb_int_map_add(&m->slops, event->slop);
    if (sets)
        ++*sets;
    return sets != NULL;
}

static bool note_event(measurement *m, tb_trace_figures *f, const tb_trace_event *event)
{
    f->events++;
    if (!tb_int_map_add(&m->keys, event->key))
        return false;
    switch (event->op) {
    case TB_TRACE_ARM:
        f->arms++;
        return note_set(m, f, event);
    case TB_TRACE_REARM:
        f->rearms++;
        return note_set(m, f, event);
    case TB_TRACE_CANCEL:
        f->cancels++;
        return true;
    case TB_TRACE_FIRED:
        return note_fired(m, f, event);
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t percentile(const int64_t *sorted, size_t count, double p)
{
    size_t rank = (size_t)(p * (double)count);
    return sorted[rank < count ? rank : count - 1];
}

/* Keeps the most frequent slops sorted by insertion. */
static void offer_slop(tb_trace_figures *f, int64_t slop, uint64_t sets)
{
    size_t at = f->top_slop_count;
    while (at > 0 && (sets > f->top_slops[at - 1].sets ||
                      (sets == f->top_slops[at - 1].sets && slop < f->top_slops[at - 1].slop)))
        at--;
    if (at == TB_TRACE_TOP_SLOPS)
        return;
    if (f->top_slop_count < TB_TRACE_TOP_SLOPS)
        f->top_slop_count++;
    for (size_t i = f->top_slop_count - 1; i > at; i--)
        f->top_slops[i] = f->top_slops[i - 1];
    f->top_slops[at].slop = slop;
    f->top_slops[at].sets = sets;
}

static void conclude(measurement *m, tb_trace_figures *f)
{
    f->keys = m->keys.count;
    f->mean_pending = f->duration > 0 ? m->pending_time / (double)f->duration : 0;
    f->any_late = f->fired > 0;
    if (f->any_late) {
        size_t count = (size_t)f->fired;
        qsort(m->lateness, count, sizeof *m->lateness, by_value);
        f->late_p50 = percentile(m->lateness, count, 0.5);
        f->late_p99 = percentile(m->lateness, count, 0.99);
        f->late_max = m->lateness[count - 1];
    }
    f->slop_values = m->slops.count;
    for (size_t i = 0; i < m->slops.capacity; i++)
        if (m->slops.slots[i].key >= 0)
            offer_slop(f, m->slops.slots[i].key, (uint64_t)m->slops.slots[i].value);
}

bool tb_trace_measure(tb_trace_reader *reader, tb_trace_figures *out, tb_error_text *error)
{
    *out = (tb_trace_figures){0};
    measurement m = {0};
    tb_trace_event event;
    tb_trace_step step = TB_TRACE_END;
    bool enough = true;
    size_t pending = 0;
    while (enough && (step = tb_trace_next(reader, &event)) == TB_TRACE_EVENT) {
        m.pending_time += (double)pending * (double)(event.time - out->duration);
        out->duration = event.time;
        pending = tb_trace_pending(reader);
        if (pending > out->max_pending)
            out->max_pending = pending;
        enough = note_event(&m, out, &event);
    }
    out->left_pending = pending;
    if (!enough)
        tb_error_no_memory(error);
    else if (step == TB_TRACE_ERROR)
        tb_error_set(error, "%s", tb_trace_error(reader));
    else
        conclude(&m, out);
    tb_int_map_free(&m.keys);
    tb_int_map_free(&m.slops);
    free(m.lateness);
    return enough && step == TB_TRACE_END;
}
