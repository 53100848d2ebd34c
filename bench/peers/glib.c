/* glib.c: GLib's timeouts: each a source of its own, allocated when it is armed. Every turn of the loop asks every source
   whether it is ready. */
#include <stdlib.h>

#include <glib.h>

#include "bench/loops.h"
#include "bench/peers/peer.h"
#include "bench/peers/synthetic_clock.h"

typedef struct timeouts {
    GMainContext *context;
    int64_t now;
    GSourceFunc fired;
    guint ids[]; /* as a caller keeps them; 0: not armed */
} timeouts;

static tb_tally tally;
/* A callback gets the address of its timer's id, and the set that the number is counted in is the one being advanced. */
static timeouts *advancing;

static gboolean fired(void *id)
{
    *(guint *)id = 0;
    tb_tally_add(&tally, (uint32_t)((guint *)id - advancing->ids));
    return G_SOURCE_REMOVE;
}

static gboolean fired_logged(void *id)
{
    tb_fire_log_add(tb_peer_log, (uint32_t)((guint *)id - advancing->ids));
    return fired(id);
}

static gint no_poll(GPollFD *fds, guint count, gint timeout)
{
    (void)fds, (void)count;
    tb_synthetic.wait_ns = timeout < 0 ? -1 : timeout * INT64_C(1000000);
    return 0;
}

static void *open_timeouts(const tb_contender *c, const tb_script *s)
{
    (void)c;
    timeouts *e = calloc(1, sizeof *e + s->n * sizeof *e->ids);
    if (!e)
        return NULL;
    e->now = s->start;
    e->context = g_main_context_new();
    e->fired = tb_peer_log ? fired_logged : fired;
    g_main_context_set_poll_func(e->context, no_poll);
    return e;
}

static void close_timeouts(void *set)
{
    timeouts *e = set;
    g_main_context_unref(e->context);
    free(e);
}

/* What g_timeout_add does, in a context of one's own. */
TB_OP bool arm(void *set, uint32_t timer, int64_t at)
{
    timeouts *e = set;
    int64_t ms = tb_peer_units(at - e->now, 1000000);
    GSource *source = g_timeout_source_new(ms < (int64_t)G_MAXUINT ? (guint)ms : G_MAXUINT);
    g_source_set_callback(source, e->fired, &e->ids[timer], NULL);
    e->ids[timer] = g_source_attach(source, e->context);
    g_source_unref(source);
    return e->ids[timer] != 0;
}

TB_OP bool arm_in(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    (void)lane;
    return arm(set, timer, at);
}

/* What g_source_remove does, in a context of one's own. */
TB_OP bool cancel(void *set, uint32_t timer)
{
    timeouts *e = set;
    if (e->ids[timer] == 0)
        return false;
    g_source_destroy(g_main_context_find_source_by_id(e->context, e->ids[timer]));
    e->ids[timer] = 0;
    return true;
}

TB_OP bool rearm(void *set, uint32_t timer, int64_t at, uint32_t lane)
{
    cancel(set, timer);
    return arm_in(set, timer, at, lane);
}

TB_OP size_t advance(void *set, int64_t now, uint64_t *sum)
{
    timeouts *e = set;
    advancing = e;
    e->now = now;
    tb_synthetic_set(now);
    g_main_context_iteration(e->context, FALSE);
    return tb_tally_take(&tally, sum);
}

/* No call tells: a turn of the loop does, by how long it would wait. */
TB_OP bool next(void *set, int64_t *at)
{
    timeouts *e = set;
    advancing = e;
    g_main_context_iteration(e->context, TRUE);
    *at = e->now + tb_synthetic.wait_ns;
    return tb_synthetic.wait_ns >= 0;
}

TB_OP void touch(void *set, uint32_t timer) { __builtin_prefetch(&((timeouts *)set)->ids[timer]); }

static const tb_driver tb_glib = {open_timeouts, close_timeouts, arm, arm_in, cancel, rearm, advance, next, touch};
TB_DEFINE_LOOPS_WITHIN(tb_glib, tb_synthetic_enter, tb_synthetic_leave)

static void version(char *out, size_t size)
{
    snprintf(out, size, "%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
}

const tb_peer tb_peers_glib[] = {
    {"glib", "g_timeout_source_new, g_source_destroy; g_main_context_iteration",
     "durations in whole ms of 32 bits. Every turn looks at all sources. Its own allocator may keep memory of cells before, "
     "which makes bytes look fewer",
     &tb_glib_loops, version, 0, 1001000, 0, 10000, "every turn of its loop asks all sources", 64},
    {0},
};
