/* drive_text.c: what the driver says: differences, and the transcript. */
#include "bench/drive_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tb_drive_differs(tb_driving *d, tb_difference_kind kind, const char *format, ...)
{
    if (d->verdict != TB_DRIVE_SAME)
        return false;
    d->verdict = TB_DRIVE_DIFFERENT;
    d->difference->kind = kind;
    d->difference->at = d->at;
    va_list args;
    va_start(args, format);
    vsnprintf(d->difference->text, sizeof d->difference->text, format, args);
    va_end(args);
    return false;
}

void tb_drive_name(const tb_impl *impl, const tb_ops *ops, char *out, size_t size)
{
    snprintf(out, size, "%s by %s", tb_impl_name(impl), ops->keys ? "key" : "id");
}

const char *tb_drive_instant(char out[TB_INSTANT_TEXT], bool known, int64_t ns)
{
    if (!known)
        snprintf(out, TB_INSTANT_TEXT, "none");
    else if (ns == INT64_MAX)
        snprintf(out, TB_INSTANT_TEXT, "the end of time");
    else
        snprintf(out, TB_INSTANT_TEXT, "%" PRId64, ns);
    return out;
}

const char *tb_drive_errno(int error)
{
    static const struct {
        int error;
        const char *name;
    } names[] = {{0, "0"}, {ENOMEM, "ENOMEM"}, {ENOBUFS, "ENOBUFS"}, {ERANGE, "ERANGE"}, {EINVAL, "EINVAL"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error)
            return names[i].name;
    return strerror(error);
}

/* ---- tokens ---------------------------------------------------------------------------------------------------------- */

/* An odd number: multiplication by it is a permutation of the 64-bit numbers. */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

uint64_t tb_drive_token(const tb_driving *d, uint32_t key) { return d->keyed ? key : key * SPREAD; }

static bool key_of(const tb_driving *d, uint64_t token, uint32_t *key)
{
    uint64_t inverse = SPREAD; /* by Newton's iteration: each step doubles the bits that are right, from 3 on */
    for (int i = 0; i < 5; i++)
        inverse *= 2 - SPREAD * inverse;
    uint64_t value = d->keyed ? token : token * inverse;
    *key = (uint32_t)value;
    return value <= UINT32_MAX;
}

const char *tb_drive_who(const tb_driving *d, uint64_t token, char out[TB_INSTANT_TEXT])
{
    uint32_t key;
    if (key_of(d, token, &key))
        snprintf(out, TB_INSTANT_TEXT, "%" PRIu32, key);
    else
        snprintf(out, TB_INSTANT_TEXT, "token 0x%" PRIx64, token);
    return out;
}

/* ---- deliveries ------------------------------------------------------------------------------------------------------ */

/* A list of keys that is cut to what can be read. */
typedef struct {
    char text[200];
    size_t used;
} key_list;

static void add_text(key_list *list, const char *text)
{
    int n = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s", list->used ? " " : "", text);
    if (n > 0 && (size_t)n < sizeof list->text - list->used)
        list->used += (size_t)n;
}

enum { shown_before = 2, shown = 10 };

/* Calls add for the items around `at`. */
static void around(size_t at, size_t count, size_t *from, size_t *to)
{
    *from = at > shown_before ? at - shown_before : 0;
    *to = count < *from + shown ? count : *from + shown;
}

static void finish_list(key_list *list, size_t count, size_t to)
{
    if (count == 0)
        add_text(list, "nothing");
    if (to < count)
        add_text(list, "...");
}

bool tb_drive_differs_in_order(tb_driving *d, size_t lead, tb_oracle_expiries expected)
{
    char who[TB_INSTANT_TEXT];
    size_t count = d->out.len - lead, at = 0, from, to;
    const tb_expiry *got = tb_drive_delivered(d, lead);
    while (at < count && at < expected.count && got[at].token == expected.items[at].timer.token)
        at++;
    key_list mine = {0}, wanted = {0};
    around(at, count, &from, &to);
    if (from > 0) {
        add_text(&mine, "...");
        add_text(&wanted, "...");
    }
    for (size_t i = from; i < to; i++)
        add_text(&mine, tb_drive_who(d, got[i].token, who));
    finish_list(&mine, count, to);
    around(at, expected.count, &from, &to);
    for (size_t i = from; i < to; i++)
        add_text(&wanted, tb_drive_who(d, expected.items[i].timer.token, who));
    finish_list(&wanted, expected.count, to);
    return tb_drive_differs(d, TB_DIFFERS_TIMERS, "delivers %s, expected %s", mine.text, wanted.text);
}

/* ---- transcript ------------------------------------------------------------------------------------------------------ */

void tb_drive_tell(tb_driving *d, const tb_operation *ops, size_t n)
{
    char text[TB_OPS_TEXT];
    if (ops->fail)
        fprintf(d->options->transcript, "fail %" PRIu32 "%s\n", ops->fail, ops->onward ? " onward" : "");
    for (size_t i = 0; i < n; i++) {
        tb_ops_format(&ops[i], text);
        fprintf(d->options->transcript, "%s%s\n", ops[i].batch ? "  in a batch: " : "", text);
    }
}

void tb_drive_tell_failure(tb_driving *d, const char *outcome)
{
    fprintf(d->options->transcript, "    %s\n", d->failed ? outcome : "asks for less memory: nothing fails");
}

void tb_drive_tell_deliveries(tb_driving *d, tb_oracle_expiries deliveries)
{
    enum { most = 20 };
    char who[TB_INSTANT_TEXT], when[TB_INSTANT_TEXT];
    FILE *out = d->options->transcript;
    size_t pending;
    tb_oracle_timers(d->oracle, &pending);
    for (size_t i = 0; i < deliveries.count && i < most; i++) {
        const tb_oracle_timer *t = &deliveries.items[i].timer;
        fprintf(out, "    delivers %s for %s, %.6f ms late\n", tb_drive_who(d, t->token, who),
                tb_drive_instant(when, true, t->deadline), (double)((tb_wide)tb_oracle_now(d->oracle) - t->deadline) / 1e6);
    }
    if (deliveries.count > most)
        fprintf(out, "    delivers %zu more\n", deliveries.count - most);
    int64_t precise, timeout;
    bool has_precise = tb_oracle_next_precise(d->oracle, &precise), has_timeout = tb_oracle_next_timeout(d->oracle, &timeout);
    int64_t next = has_precise && (!has_timeout || precise < timeout) ? precise : has_timeout ? timeout : 0;
    fprintf(out, "    %zu pending, next: %s\n", pending, tb_drive_instant(when, has_precise || has_timeout, next));
}
