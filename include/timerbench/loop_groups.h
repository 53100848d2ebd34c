/* loop_groups.h: cancelling many operations and timers at once, from any thread, and a deadline that they share.

   A group's children are cancelled with it and take its deadline where it is the tighter; a shield is a child that neither
   reaches. Cancelled is a state: what is submitted in a cancelled group later is answered Cancelled at once. One group may
   hold operations of several loops. Every function here may be called from any thread. */
#ifndef TIMERBENCH_LOOP_GROUPS_H
#define TIMERBENCH_LOOP_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_group tb_group;

/* A group without a deadline, or with one. NULL with errno ENOMEM. */
TB_API tb_group *tb_group_make(void);
TB_API tb_group *tb_group_until(tb_instant deadline);

/* A child: cancelled with its parent, and its own cancel does not reach the parent. It has the parent's deadline, or the
   tighter of that and its own. It keeps its parent alive. NULL with errno ENOMEM. */
TB_API tb_group *tb_group_child(tb_group *parent);
TB_API tb_group *tb_group_child_until(tb_group *parent, tb_instant deadline);
/* A child that the parent's cancel and deadline do not reach; its own do: for what must be done after a cancel. */
TB_API tb_group *tb_group_shield(tb_group *parent, tb_instant deadline);

/* Lets the caller's hold go; operations and children in it keep it. It cancels nothing. NULL does nothing. */
TB_API void tb_group_release(tb_group *group);

/* Cancels everything in the group and its children: each is answered as tb_loop_cancel says, by its own loop, which wakes.
   true the first time. O(loops that it has been used on); each loop then walks its records that are in groups. */
TB_API bool tb_group_cancel(tb_group *group);

/* Whether it or an ancestor, up to the nearest shield, was cancelled. */
TB_API bool tb_group_is_cancelled(const tb_group *group);
TB_API bool tb_group_is_shield(const tb_group *group);
/* TB_INSTANT_MAX: none. */
TB_API tb_instant tb_group_deadline(const tb_group *group);
/* 1, 2, 3 ...: unique in the process. */
TB_API uint64_t tb_group_id(const tb_group *group);

#ifdef __cplusplus
}
#endif
#endif
