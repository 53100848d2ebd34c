/* loop.c: making and ending a loop, and what it tells of itself. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <timerbench/impl.h>

#include "loop/workers.h"

static uint32_t next_number(void)
{
    static atomic_uint last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static void ring(void *ctx)
{
    tb_loop *loop = ctx;
    loop->backend->wake(loop);
}

static void free_loop(tb_loop *loop)
{
    tb_records_free(loop);
    free(loop->handles);
    tb_timers_destroy(loop->timers);
    tb_expiries_free(&loop->due);
    tb_waker_release(loop->mailbox);
    free(loop);
}

tb_loop *tb_loop_make(const tb_loop_options *opt)
{
    static const tb_loop_options defaults = {0};
    if (!opt)
        opt = &defaults;
    const tb_impl *impl = opt->impl ? opt->impl : tb_impl_find("wheel_6x64");
    if (!impl || opt->timer_slack.ns < 0 || opt->spin.ns < 0) {
        errno = EINVAL;
        return NULL;
    }
    tb_loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return NULL;
    loop->backend = opt->backend == TB_BACKEND_SIM ? &tb_backend_sim : &tb_backend_epoll;
    loop->number = next_number();
    const size_t align = _Alignof(max_align_t);
    loop->stride = (sizeof(tb_record) + loop->backend->part_size + align - 1) / align * align;
    loop->grace = tb_duration_from_millis(1);
    loop->spin = opt->spin;
    loop->timers_per_pass = opt->timers_per_pass;
    loop->workers = opt->workers;
    loop->last_early = &loop->first_early;
    loop->last_parcel = &loop->parcels;
    loop->mailbox = tb_mailbox_make(ring, loop);
    if (!loop->mailbox || !loop->backend->open(loop, opt)) {
        free_loop(loop);
        return NULL;
    }
    loop->now = loop->backend->now(loop);
    loop->timers = tb_timers_make(impl, loop->now, NULL);
    /* With this the set can always deliver some of what is due. */
    if (!loop->timers || !tb_expiries_reserve(&loop->due, 64)) {
        loop->backend->close(loop);
        free_loop(loop);
        errno = ENOMEM;
        return NULL;
    }
    return loop;
}

tb_loop *tb_loop_must_make(const tb_loop_options *opt)
{
    tb_loop *loop = tb_loop_make(opt);
    tb_assert(loop);
    return loop;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void drop_mail(tb_message *first)
{
    for (tb_message *m = first, *next; m; m = next) {
        next = m->next;
        if (m->kind == TB_MAIL_PARCEL) {
            tb_parcel *parcel = (tb_parcel *)(void *)m;
            tb_buffer_release(parcel->answer.buffer);
            free(parcel);
        }
    }
}

/* Everything in flight is asked to end; what nobody can end (a job that runs, a completer) keeps its buffer and is answered. */
static void end_all(tb_loop *loop)
{
    for (uint32_t i = 0; i < loop->records; i++) {
        tb_record *r = tb_record_at(loop, i);
        if (r->state == TB_TIMER) {
            tb_cancel_record(loop, r);
            continue;
        }
        if (r->state == TB_STARTED)
            tb_ask(loop, r, TB_CANCELLED);
        bool promptly = r->prompt && (r->state == TB_DECIDED || r->state == TB_HELD);
        bool outside = r->state == TB_STARTED || r->state == TB_ABANDONED || promptly;
        if (!outside)
            continue;
        if (!r->completer) {
            if (!loop->backend->detach(loop, r))
                continue;
            loop->outside--;
        }
        r->op.buffer = NULL;
        if (r->state == TB_STARTED)
            tb_record_decide(loop, r, TB_CANCELLED);
        else if (r->state == TB_ABANDONED)
            tb_record_give(loop, r);
        r->prompt = false;
    }
}

void tb_loop_destroy(tb_loop *loop)
{
    if (!loop)
        return;
    tb_assert(!loop->polling);
    loop->now = loop->backend->now(loop);
    loop->pass++;
    tb_mailbox_close(loop->mailbox);
    tb_mail mail = tb_mailbox_take(loop->mailbox);
    for (tb_message *m = mail.first, *next; m; m = next) {
        next = m->next;
        if (m->kind == TB_MAIL_JOB)
            loop->backend->job_returned(loop, m);
        else if (m->kind == TB_MAIL_COMPLETER)
            tb_completer_returned(loop, m);
        else if (m->kind == TB_MAIL_REQUEST)
            tb_request_drop_message(m);
        else {
            m->next = NULL;
            drop_mail(m);
        }
    }
    drop_mail(loop->parcels);
    loop->going = true;
    tb_return_early_ones(loop);
    end_all(loop);
    while (loop->outside > 0)
        loop->backend->wait(loop, tb_instant_forever());
    loop->now = loop->backend->now(loop);
    tb_deliver_last(loop);
    tb_handles_close_all(loop);
    loop->backend->close(loop);
    if (loop->own_workers)
        tb_workers_release(loop->workers);
    free_loop(loop);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

tb_instant tb_loop_now(const tb_loop *loop) { return loop->backend->now(loop); }
const char *tb_loop_clock_name(const tb_loop *loop) { return loop->backend->clock_name; }
size_t tb_loop_in_flight(const tb_loop *loop) { return (size_t)(loop->stats.submitted - loop->stats.delivered); }
void tb_loop_set_grace(tb_loop *loop, tb_duration grace) { loop->grace = grace; }
void tb_loop_set_slop(tb_loop *loop, uint32_t lane, tb_duration slop) { tb_timers_set_slop(loop->timers, lane, slop); }
tb_waker *tb_loop_waker(tb_loop *loop) { return tb_mailbox_hold(loop->mailbox); }
const tb_lateness *tb_loop_lateness(const tb_loop *loop) { return &loop->lateness; }
tb_timers_stats tb_loop_timers_stats(const tb_loop *loop) { return tb_timers_get_stats(loop->timers); }

tb_loop_stats tb_loop_get_stats(const tb_loop *loop)
{
    tb_loop_stats stats = loop->stats;
    stats.in_flight = tb_loop_in_flight(loop);
    return stats;
}
