/* isolation.c: checks in children. */
#include "bench/isolation.h"

#include "bench/child.h"
#include "bench/shrink.h"

#include <stdlib.h>
#include <string.h>

/* What the two processes share. */
typedef struct {
    tb_black_box box;  /* what is being done */
    tb_black_box kept; /* the program that differs */
    tb_check check;    /* the child's: with one item */
    tb_checked item;
    tb_check_end end;
    double done;
    tb_error_text error;
} shared_part;

typedef struct {
    shared_part *shared;
    double limit;
    tb_check *check; /* the caller's */
    size_t index;    /* of the item at hand */
    tb_check_work *work;
    void *work_ctx;
} isolation;

/* ---- driving in a child ---------------------------------------------------------------------------------------------- */

static void note_done(void *ctx, double done) { ((shared_part *)ctx)->done = done; }

static void check_here(void *ctx)
{
    isolation *iso = ctx;
    shared_part *s = iso->shared;
    s->end = iso->work(&s->check, iso->work_ctx, &s->error);
    if (s->item.differs)
        tb_black_box_keep(&s->kept, &s->item.reproducer);
}

static void show_progress(void *ctx)
{
    const isolation *iso = ctx;
    if (iso->check->progress)
        iso->check->progress(iso->check->progress_ctx, ((double)iso->index + iso->shared->done) / (double)iso->check->count);
}

/* How the child ended as a difference, at the operation that the box says. */
static void describe(const isolation *iso, const tb_child_end *end, double limit, tb_difference *difference)
{
    const tb_black_box *box = &iso->shared->box;
    char text[TB_CHILD_TEXT];
    tb_child_describe(end, limit, text);
    const char *where = box->phase == TB_BOX_MAKING ? " as the set is made" : box->phase == TB_BOX_ENDING ? " in check or destroy" : "";
    difference->kind = end->kind == TB_CHILD_HUNG ? TB_DIFFERS_HANG : TB_DIFFERS_CRASH;
    difference->at = box->at;
    snprintf(difference->text, sizeof difference->text, "%s%s", text, where);
}

static void add_coverage(tb_coverage *to, const tb_coverage *from)
{
    /* Both are nothing but counts. */
    uint64_t sum[sizeof *to / sizeof(uint64_t)], more[sizeof *to / sizeof(uint64_t)];
    memcpy(sum, to, sizeof sum);
    memcpy(more, from, sizeof more);
    for (size_t i = 0; i < sizeof sum / sizeof *sum; i++)
        sum[i] += more[i];
    memcpy(to, sum, sizeof sum);
}

/* ---- shrinking in children ------------------------------------------------------------------------------------------- */

typedef struct {
    isolation *iso;
    const tb_ops *ops;
    uint64_t most_due;
    double limit;
    tb_drive_verdict verdict;
} attempt;

static void attempt_here(void *ctx)
{
    attempt *a = ctx;
    shared_part *s = a->iso->shared;
    tb_drive_options options = {.impl = s->item.impl, .most_due = a->most_due, .thorough = true, .box = &s->box};
    s->end = (tb_check_end)tb_drive(a->ops, &options, &s->item.difference);
}

static tb_drive_verdict drive_in_child(void *ctx, const tb_ops *ops, uint64_t most_due, tb_difference *difference)
{
    attempt *a = ctx;
    shared_part *s = a->iso->shared;
    const tb_child_options options = {.limit = a->limit, .beats = &s->box.beats, .quiet = true};
    a->ops = ops;
    a->most_due = most_due;
    tb_child_end end = tb_child_run(attempt_here, a, &options);
    if (end.kind == TB_CHILD_NOT_STARTED)
        return TB_DRIVE_NO_MEMORY;
    if (end.kind == TB_CHILD_FINISHED) {
        *difference = s->item.difference;
        return (tb_drive_verdict)s->end;
    }
    describe(a->iso, &end, a->limit, difference);
    return TB_DRIVE_DIFFERENT;
}

static void shrink_here(void *ctx)
{
    shared_part *s = ((isolation *)ctx)->shared;
    if (tb_shrink(&s->item.reproducer, s->item.impl, &s->item.difference))
        tb_black_box_keep(&s->kept, &s->item.reproducer);
}

/* All attempts in one child, which is quick; false: it did not survive them. */
static bool shrink_together(isolation *iso, tb_checked *item)
{
    enum { limit = 60 };
    shared_part *s = iso->shared;
    s->item.reproducer = item->reproducer;
    s->item.difference = item->difference;
    const tb_child_options options = {.limit = limit, .quiet = true};
    if (tb_child_run(shrink_here, iso, &options).kind != TB_CHILD_FINISHED)
        return false;
    item->difference = s->item.difference;
    return tb_black_box_read(&s->kept, &item->reproducer);
}

/* Each attempt in a child. One that shall hang is given less time; what comes of it must hang for the whole of it. */
static void shrink_one_by_one(isolation *iso, tb_checked *item)
{
    enum { seconds = 40 };
    const double short_limit = 0.25;
    bool hangs = item->difference.kind == TB_DIFFERS_HANG;
    attempt a = {.iso = iso, .limit = hangs && iso->limit > short_limit ? short_limit : iso->limit};
    tb_shrink_driver driver = {drive_in_child, &a, seconds, CLOCK_MONOTONIC};
    tb_ops smaller = {0};
    tb_difference difference = item->difference, again = {0};
    if (!tb_ops_copy(&smaller, &item->reproducer))
        return;
    if (tb_shrink_by(&smaller, &driver, &difference) && difference.kind == item->difference.kind) {
        a.limit = iso->limit;
        if (drive_in_child(&a, &smaller, TB_DRIVE_MOST_DUE, &again) == TB_DRIVE_DIFFERENT && again.kind == difference.kind) {
            tb_ops_free(&item->reproducer);
            item->reproducer = smaller;
            item->difference = again;
            return;
        }
    }
    tb_ops_free(&smaller);
}

/* ---- an item --------------------------------------------------------------------------------------------------------- */

static tb_check_end take_result(isolation *iso, const tb_child_end *end)
{
    shared_part *s = iso->shared;
    tb_checked *item = &iso->check->items[iso->index];
    const tb_impl *impl = item->impl;
    bool crashed = end->kind != TB_CHILD_FINISHED, whole = true;
    tb_check_end how = crashed ? TB_CHECK_DONE : s->end;
    *item = s->item;
    item->impl = impl;
    item->reproducer = (tb_ops){0}; /* what is there lies in the child's memory */
    add_coverage(&iso->check->coverage, &s->check.coverage);
    if (crashed) {
        item->differs = true;
        item->found_length = s->box.len;
        item->operations += s->box.len;
        item->programs++;
        describe(iso, end, iso->limit, &item->difference);
    }
    if (item->differs)
        whole = tb_black_box_read(crashed ? &s->box : &s->kept, &item->reproducer);
    if (!whole)
        item->difference.at = 0;
    else if (item->differs && !iso->check->as_found && (crashed || !shrink_together(iso, item)))
        shrink_one_by_one(iso, item);
    return how;
}

static tb_check_end check_item(isolation *iso, tb_error_text *error)
{
    shared_part *s = iso->shared;
    s->check = *iso->check;
    s->check.items = &s->item;
    s->check.count = 1;
    s->check.coverage = (tb_coverage){0};
    s->check.box = &s->box;
    s->check.as_found = true;
    s->check.progress = note_done;
    s->check.progress_ctx = s;
    s->item = (tb_checked){.impl = iso->check->items[iso->index].impl};
    s->done = 0;
    const tb_child_options options = {.limit = iso->limit, .beats = &s->box.beats, .watch = show_progress, .watch_ctx = iso};
    tb_child_end end = tb_child_run(check_here, iso, &options);
    if (end.kind == TB_CHILD_NOT_STARTED)
        return TB_CHECK_NO_MEMORY;
    *error = s->error;
    return take_result(iso, &end);
}

tb_check_end tb_check_isolated(tb_check *check, double limit, tb_check_work *work, void *ctx, tb_error_text *error)
{
    isolation iso = {.limit = limit, .check = check, .work = work, .work_ctx = ctx};
    iso.shared = tb_shared_memory(sizeof *iso.shared);
    tb_check_end end = iso.shared ? TB_CHECK_DONE : TB_CHECK_NO_MEMORY;
    for (; iso.index < check->count && end == TB_CHECK_DONE; iso.index++) {
        end = check_item(&iso, error);
        if (end == TB_CHECK_TOO_MANY)
            check->items[0].difference.at = check->items[iso.index].difference.at;
    }
    tb_shared_memory_free(iso.shared, sizeof *iso.shared);
    return end;
}

/* ---- loading --------------------------------------------------------------------------------------------------------- */

typedef struct {
    const tb_string_list *paths;
    struct {
        tb_error_text error;
        size_t at;
        bool loaded;
    } *shared;
} loading;

static void load_here(void *ctx)
{
    loading *l = ctx;
    for (l->shared->at = 0; l->shared->at < l->paths->count; l->shared->at++)
        if (!tb_plugin_load(l->paths->items[l->shared->at], &l->shared->error))
            return;
    l->shared->loaded = true;
}

bool tb_plugins_load_carefully(const tb_string_list *paths, double limit, tb_error_text *error)
{
    loading l = {.paths = paths, .shared = tb_shared_memory(sizeof *l.shared)};
    if (!l.shared) {
        tb_error_no_memory(error);
        return false;
    }
    const tb_child_options options = {.limit = limit};
    tb_child_end end = tb_child_run(load_here, &l, &options);
    char text[TB_CHILD_TEXT];
    tb_child_describe(&end, limit, text);
    bool survived = end.kind == TB_CHILD_FINISHED, loaded = survived && l.shared->loaded;
    if (!survived)
        tb_error_set(error, "%s: %s as it is loaded", paths->items[l.shared->at], text);
    else if (!loaded)
        *error = l.shared->error;
    tb_shared_memory_free(l.shared, sizeof *l.shared);
    return loaded && tb_plugins_load(paths, error);
}
