/* black_box.c: what a program has done so far. */
#include "bench/black_box.h"

#include <string.h>

void tb_black_box_begin(tb_black_box *box, const tb_ops *ops)
{
    box->made = *ops;
    box->made.items = NULL;
    box->made.len = box->made.capacity = 0;
    box->len = box->at = 0;
    box->complete = true;
    box->phase = TB_BOX_MAKING;
    box->beats++;
}

void tb_black_box_call(tb_black_box *box, const tb_operation *ops, size_t n)
{
    box->phase = TB_BOX_CALLING;
    box->beats++;
    if (n > TB_BOX_MOST - box->len) {
        box->complete = false;
        return;
    }
    memcpy(box->items + box->len, ops, n * sizeof *ops);
    box->at = box->len;
    box->len += n;
}

void tb_black_box_end(tb_black_box *box)
{
    box->phase = TB_BOX_ENDING;
    box->at = box->len;
    box->beats++;
}

void tb_black_box_keep(tb_black_box *box, const tb_ops *ops)
{
    tb_black_box_begin(box, ops);
    if (ops->len > 0)
        tb_black_box_call(box, ops->items, ops->len);
}

bool tb_black_box_read(const tb_black_box *box, tb_ops *ops)
{
    tb_ops whole = box->made;
    whole.len = box->len;
    whole.items = (tb_operation *)(uintptr_t)box->items;
    return box->complete && tb_ops_copy(ops, &whole);
}
