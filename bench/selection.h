/* selection.h: which of the things there are (implementations, workloads, peers) a comma list of names, globs and tags
   picks: --workload 'churn-*,@trace', --impl 'wheel_*,heap4'. */
#ifndef BENCH_SELECTION_H
#define BENCH_SELECTION_H

#include "bench/error_text.h"
#include "bench/string_list.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    const char *tags; /* separated by spaces, without @, each under 63 bytes: "steady tail"; NULL or "": none */
    bool in_default;  /* taken when no list is given */
    bool hidden;      /* taken only by its exact name: by no glob, no tag, no default; not listed in errors */
} tb_selectable;

/* Sets chosen[i] for each of items[0..count): whether an element of `wanted` picks it. An element is a name, a glob
   (fnmatch: * ? [...]) or '@' and a tag (a glob, too). An empty list picks what is in the default.
   False: an element picks nothing; `error` names it and lists what there is. `option` is how the list was given
   ("--workload"). Cost: elements x items. */
bool tb_select(const tb_string_list *wanted, const char *option, const tb_selectable *items, size_t count, bool *chosen,
               tb_error_text *error);

#ifdef __cplusplus
}
#endif
#endif
