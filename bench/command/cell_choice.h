/* cell_choice.h: --cell: cells by name, as the reports of compare show them, or by globs of names. */
#ifndef BENCH_COMMAND_CELL_CHOICE_H
#define BENCH_COMMAND_CELL_CHOICE_H

#include "bench/command/options.h"
#include "bench/session.h"

/* Whether an element of `wanted` could pick a cell of this workload: so that no trace is read in vain. */
bool tb_cell_choice_may_be_of(const tb_string_list *wanted, const char *level, const char *workload);

/* Adds the populations that elements of `wanted` spell out. false: out of memory. */
bool tb_cell_choice_sizes(const tb_string_list *wanted, int64_t most, tb_size_list *sizes);

/* Keeps those cells of the session that an element picks (fnmatch: * ? [...], over slashes, too), and all whose contender is
   called `always` (NULL: none). false: an element picks none, *error names it. */
bool tb_cell_choice_narrow(const tb_string_list *wanted, const char *always, tb_session *session, tb_error_text *error);

/* The glob that picks exactly the cell of this name, and has no comma. NULL: out of memory. */
char *tb_cell_choice_spell(const char *name);

#endif
