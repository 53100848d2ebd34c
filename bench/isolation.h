/* isolation.h: a check of implementations that are not trusted: each in a process of its own, so that one that crashes, ends the
   process or never comes back is an answer like any other, with the operations that led to it. */
#ifndef BENCH_ISOLATION_H
#define BENCH_ISOLATION_H

#include "bench/checker.h"
#include "bench/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A part of a check: one of the functions of checker.h with its arguments. */
typedef tb_check_end tb_check_work(tb_check *check, void *ctx, tb_error_text *error);

/* Does work(check, ctx) for each item alone, in a child. What differs is shrunk (unless check->as_found) in children, too; a
   crash or a hang becomes a difference of that kind, whose reproducer is what had been done up to it. limit: seconds that an
   operation may take. */
tb_check_end tb_check_isolated(tb_check *check, double limit, tb_check_work *work, void *ctx, tb_error_text *error);

/* Loads plugins, each in a child first. False: a plugin is none, or does not survive being loaded. */
bool tb_plugins_load_carefully(const tb_string_list *paths, double limit, tb_error_text *error);

#ifdef __cplusplus
}
#endif
#endif
