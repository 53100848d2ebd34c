/* null: no structure at all, to measure what the semantics alone cost.

   Sets of it file timeouts nowhere and never deliver them; everything else of the API works, precise timers included. What
   an operation costs here is the core's share: slots, generations, the arm order, the tick of a deadline. It is in no list,
   check or ranking; name it to measure it. */
#include <timerbench/core.h>

static bool open_null(void *q, const tb_view *v)
{
    (void)q, (void)v;
    return true;
}

static void close_null(void *q, const tb_view *v) { (void)q, (void)v; }

static bool reserve(void *q, const tb_view *v, uint32_t n)
{
    (void)q, (void)v, (void)n;
    return true;
}

TB_OP void insert(void *q, const tb_view *v, uint32_t slot, uint64_t due) { (void)q, (void)v, (void)slot, (void)due; }
TB_OP void remove_slot(void *q, const tb_view *v, uint32_t slot) { (void)q, (void)v, (void)slot; }
TB_OP void move(void *q, const tb_view *v, uint32_t slot, uint64_t due) { (void)q, (void)v, (void)slot, (void)due; }

TB_OP bool next(void *q, const tb_view *v, uint64_t *tick)
{
    (void)q, (void)v, (void)tick;
    return false;
}

TB_OP void take(void *q, const tb_view *v, uint64_t upto, tb_sink *sink) { (void)q, (void)v, (void)upto, (void)sink; }

static const char *check(const void *q, const tb_view *v)
{
    (void)q, (void)v;
    return NULL;
}

static const tb_structure null = {
    .abi = TB_ABI,
    .size = sizeof(tb_structure),
    .name = "null",
    .family = "yardstick",
    .summary = "nothing: the cost of the semantics alone",
    .publication = "none",
    .cost_insert = "O(1)",
    .cost_cancel = "O(1)",
    .cost_expire = "never delivers",
    .columns = 0,
    .traits = TB_YARDSTICK | TB_INSERT_O1 | TB_CANCEL_O1,
    .state_size = 0,
    .open = open_null,
    .close = close_null,
    .reserve = reserve,
    .insert = insert,
    .remove = remove_slot,
    .move = move,
    .next = next,
    .take = take,
    .check = check,
};

TB_DEFINE_IMPL(null)
