/* poll.c: a pass of the loop: mail, timers, the backend, answers; and poll, which makes passes until there is an answer. */
#include "loop/portable.h"

static void open_parcel(tb_loop *loop, tb_message *message)
{
    message->next = NULL;
    *loop->last_parcel = message;
    loop->last_parcel = &message->next;
}

/* Whether a waker's wake was among it. */
static bool take_mail(tb_loop *loop)
{
    tb_mail mail = tb_mailbox_take(loop->mailbox);
    for (tb_message *m = mail.first, *next; m; m = next) {
        next = m->next;
        switch (m->kind) {
        case TB_MAIL_JOB:
            loop->backend->job_returned(loop, m);
            break;
        case TB_MAIL_COMPLETER:
            tb_completer_returned(loop, m);
            break;
        case TB_MAIL_REQUEST:
            tb_request_arrived(loop, m);
            break;
        case TB_MAIL_PARCEL:
            open_parcel(loop, m);
            break;
        }
    }
    if (mail.sweep)
        tb_sweep_groups(loop);
    loop->stats.woken += mail.wakes;
    return mail.wakes > 0;
}

/* Nothing runs between taking the due timers out and acting on the last of them but the loop's own code, so an answer decided by
   one cannot touch another that is already out. */
static void expire(tb_loop *loop)
{
    tb_expiries_clear(&loop->due);
    size_t most = loop->timers_per_pass ? loop->timers_per_pass : SIZE_MAX;
    size_t n = tb_timers_expired_max(loop->timers, loop->now, &loop->due, most);
    for (size_t i = 0; i < n; i++)
        tb_timer_fired(loop, tb_record_at(loop, (uint32_t)loop->due.items[i].token));
}

/* How long the backend may wait: not at all when there is something to hand over, or to look at again. */
static tb_instant wait_until(const tb_loop *loop, tb_instant until, bool woken)
{
    if (woken || loop->first_answer || loop->first_early || loop->parcels)
        return loop->now;
    tb_instant next;
    if (tb_timers_next_expiry(loop->timers, &next) && tb_instant_lt(next, until))
        until = next;
    if (loop->held) {
        tb_instant again = tb_instant_add(loop->now, tb_duration_from_millis(1));
        until = tb_instant_lt(again, until) ? again : until;
    }
    /* The last part of a wait for an instant is spent in passes that do not sleep. */
    if (loop->spin.ns > 0 && tb_instant_lt(until, tb_instant_forever())) {
        until = tb_instant_sub(until, loop->spin);
        if (tb_instant_lt(until, loop->now))
            return loop->now;
    }
    return until;
}

size_t tb_loop_poll(tb_loop *loop, tb_instant until, tb_completions *out)
{
    tb_assert(!loop->polling);
    loop->polling = true;
    size_t before = out->len;
    for (bool over = false; !over;) {
        loop->pass++;
        loop->stats.passes++;
        loop->now = loop->backend->now(loop);
        bool last = tb_instant_le(until, loop->now);
        bool woken = take_mail(loop);
        tb_retry_held(loop);
        expire(loop);
        tb_return_early_ones(loop);
        bool stuck = !loop->backend->wait(loop, wait_until(loop, until, woken));
        loop->now = loop->backend->now(loop);
        if (loop->before_flush)
            loop->before_flush(loop->before_flush_ctx);
        size_t handed = tb_flush(loop, out);
        loop->stats.empty_passes += handed == 0;
        over = handed > 0 || woken || loop->parcels || loop->first_answer || (stuck && !loop->first_early) ||
               (last && !loop->first_early);
    }
    loop->polling = false;
    return out->len - before;
}
