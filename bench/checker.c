/* checker.c: programs through implementations. */
#include "bench/checker.h"

#include "bench/shrink.h"
#include "bench/trace_windows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one program ----------------------------------------------------------------------------------------------------- */

/* Keeps the program that shows a difference, made small where that is asked for. */
static bool keep_reproducer(const tb_check *check, tb_checked *item, const tb_ops *ops, bool shrink)
{
    if (!tb_ops_copy(&item->reproducer, ops))
        return false;
    item->differs = true;
    item->found_length = ops->len;
    if (shrink && !check->as_found)
        tb_shrink(&item->reproducer, item->impl, &item->difference);
    return true;
}

static tb_check_end drive_one(tb_check *check, tb_checked *item, const tb_ops *ops, bool follow, bool shrink, const char *origin)
{
    snprintf(item->origin, sizeof item->origin, "%s", origin);
    tb_ops followed = {0};
    tb_drive_options options = {.impl = item->impl, .coverage = &check->coverage, .transcript = check->transcript};
    options.thorough = !shrink; /* as what is shrunk was driven */
    options.box = check->box;
    options.followed = follow ? &followed : NULL;
    tb_drive_verdict verdict = tb_drive(ops, &options, &item->difference);
    tb_check_end end = TB_CHECK_DONE;
    item->programs++;
    item->operations += verdict == TB_DRIVE_DIFFERENT && item->difference.at < ops->len ? item->difference.at : ops->len;
    if (verdict == TB_DRIVE_DIFFERENT && !keep_reproducer(check, item, follow ? &followed : ops, shrink))
        end = TB_CHECK_NO_MEMORY;
    else if (verdict == TB_DRIVE_TOO_MANY)
        end = TB_CHECK_TOO_MANY;
    else if (verdict == TB_DRIVE_NO_MEMORY)
        end = TB_CHECK_NO_MEMORY;
    tb_ops_free(&followed);
    return end;
}

/* A program through every implementation that has not differed yet. A program that is of no use to one of them is none to the
   others, mostly; it is no difference. */
static tb_check_end drive_all(tb_check *check, const tb_ops *ops, bool follow, const char *origin)
{
    for (size_t i = 0; i < check->count; i++) {
        tb_checked *item = &check->items[i];
        if (item->differs)
            continue;
        if (drive_one(check, item, ops, follow, true, origin) == TB_CHECK_NO_MEMORY)
            return TB_CHECK_NO_MEMORY;
    }
    return TB_CHECK_DONE;
}

bool tb_check_any_differs(const tb_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        if (check->items[i].differs)
            return true;
    return false;
}

static bool all_differ(const tb_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        if (!check->items[i].differs)
            return false;
    return true;
}

static void tell_progress(tb_check *check, double done)
{
    if (check->progress)
        check->progress(check->progress_ctx, done < 1 ? done : 1);
}

/* ---- streams --------------------------------------------------------------------------------------------------------- */

enum { window_every = 32 }; /* programs */

typedef struct {
    tb_check *check;
    tb_trace_windows *windows; /* NULL: no traces */
    tb_stream_program program;
    tb_error_text *error;
} stream;

static bool next_is_keyed(const tb_check *check, uint64_t index)
{
    return check->by_key && (!check->by_id || index % 2 == 1);
}

static tb_check_end drive_random(stream *s, uint64_t index, uint64_t most)
{
    tb_check *check = s->check;
    if (!tb_stream_make(&s->program, check->seed, index, next_is_keyed(check, index), tb_stream_kind_count(),
                        most < SIZE_MAX ? (size_t)most : SIZE_MAX))
        return TB_CHECK_NO_MEMORY;
    char origin[80];
    snprintf(origin, sizeof origin, "program %" PRIu64 " (%s)", index, tb_stream_kind_name(s->program.kind));
    return drive_all(check, &s->program.ops, s->program.follow, origin);
}

static tb_check_end drive_window(stream *s, uint64_t index, uint64_t most)
{
    tb_replay_plan plan;
    if (!tb_trace_windows_next(s->windows, &plan, s->error))
        return TB_CHECK_BAD_TRACE;
    bool made = tb_stream_replay(&s->program.ops, &plan, next_is_keyed(s->check, index / window_every));
    tb_replay_plan_free(&plan);
    if (!made)
        return TB_CHECK_NO_MEMORY;
    if (s->program.ops.len > most)
        s->program.ops.len = (size_t)most;
    s->check->coverage.recorded_programs += s->check->count;
    char origin[80];
    snprintf(origin, sizeof origin, "program %" PRIu64 " (a window of a recorded trace)", index);
    return drive_all(s->check, &s->program.ops, true, origin);
}

tb_check_end tb_check_streams(tb_check *check, uint64_t operations, const char *const *traces, size_t trace_count,
                              tb_error_text *error)
{
    stream s = {.check = check, .error = error};
    if (trace_count > 0) {
        s.windows = calloc(1, sizeof *s.windows);
        if (!s.windows)
            return TB_CHECK_NO_MEMORY;
        s.windows->paths = traces;
        s.windows->count = trace_count;
    }
    tb_check_end end = TB_CHECK_DONE;
    uint64_t done = 0;
    for (uint64_t index = 0; done < operations && end == TB_CHECK_DONE && !all_differ(check); index++) {
        bool window = s.windows && index % window_every == window_every / 2;
        end = window ? drive_window(&s, index, operations - done) : drive_random(&s, index, operations - done);
        done += s.program.ops.len;
        tell_progress(check, (double)done / (double)operations);
    }
    if (s.windows)
        tb_trace_windows_close(s.windows);
    free(s.windows);
    tb_ops_free(&s.program.ops);
    return end;
}

/* ---- what is given --------------------------------------------------------------------------------------------------- */

tb_check_end tb_check_replay(tb_check *check, const tb_replay_plan *plan, const char *name)
{
    tb_ops ops = {0};
    tb_check_end end = TB_CHECK_DONE;
    double whole = (double)check->count * (check->by_id + check->by_key), done = 0;
    for (int keyed = 0; keyed <= 1 && end == TB_CHECK_DONE; keyed++) {
        if (keyed ? !check->by_key : !check->by_id)
            continue;
        if (!tb_stream_replay(&ops, plan, keyed)) {
            end = TB_CHECK_NO_MEMORY;
            break;
        }
        for (size_t i = 0; i < check->count && end == TB_CHECK_DONE; i++) {
            tb_checked *item = &check->items[i];
            if (!item->differs)
                end = drive_one(check, item, &ops, true, true, name);
            check->coverage.recorded_programs++;
            tell_progress(check, ++done / whole);
        }
    }
    tb_ops_free(&ops);
    return end;
}

tb_check_end tb_check_program(tb_check *check, const tb_ops *ops, const char *name)
{
    tb_check_end end = TB_CHECK_DONE;
    for (size_t i = 0; i < check->count && end == TB_CHECK_DONE; i++) {
        tb_checked *item = &check->items[i];
        if (check->transcript) {
            char who[80];
            tb_drive_name(item->impl, ops, who, sizeof who);
            fprintf(check->transcript, "%s:\n", who);
        }
        end = drive_one(check, item, ops, false, false, name);
        if (end == TB_CHECK_TOO_MANY)
            check->items[0].difference.at = item->difference.at;
    }
    return end;
}

/* ---- reproducers ----------------------------------------------------------------------------------------------------- */

void tb_check_write_reproducer(const tb_checked *item, const char *how, FILE *out)
{
    const tb_ops *ops = &item->reproducer;
    char who[80];
    tb_drive_name(item->impl, ops, who, sizeof who);
    size_t at = item->difference.at < ops->len ? item->difference.at : ops->len;
    fprintf(out, "%s\n# %s %s\n", TB_OPS_FIRST_LINE, who, item->difference.text);
    if (how)
        fprintf(out, "# %s\n", how);
    tb_ops_write_head(ops, out);
    tb_ops_write_range(ops, 0, at, out);
    fprintf(out, at < ops->len ? "# after this line:\n" : "# at the end\n");
    tb_ops_write_range(ops, at, ops->len, out);
}

void tb_check_free(tb_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        tb_ops_free(&check->items[i].reproducer);
}
