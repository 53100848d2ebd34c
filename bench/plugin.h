/* plugin.h: implementations from shared objects (TB_PLUGIN in timerbench/impl.h), beside those of the library. */
#ifndef BENCH_PLUGIN_H
#define BENCH_PLUGIN_H

#include "bench/error_text.h"
#include "bench/string_list.h"

#include <stdbool.h>
#include <stddef.h>

#include <timerbench/impl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Loads a plugin; it stays loaded. What it brings is looked at first: the ABI numbers, that names are names and nobody else's,
   that no operation is missing. False: `error` names the file and what is wrong with it, and nothing of it is used.
   path: as given, also without a slash a file. */
bool tb_plugin_load(const char *path, tb_error_text *error);

/* All of a list, in turn, up to the first that fails. */
bool tb_plugins_load(const tb_string_list *paths, tb_error_text *error);

/* Whether what is wrong with a plugin's implementation is nothing: NULL, or the reason. For tests. */
const char *tb_plugin_inspect(const tb_impl *impl);

/* The implementations there are: the library's in registry order, then those of plugins in the order loaded. Index below count. */
size_t tb_every_impl_count(void);
const tb_impl *tb_every_impl_at(size_t index);
/* Whether it came from a plugin. */
bool tb_impl_is_plugged(const tb_impl *impl);
/* Whether its structure's operations are called one by one (tb_raw_make). */
bool tb_impl_is_raw(const tb_impl *impl);

#ifdef __cplusplus
}
#endif
#endif
