/* records.c: the records of operations: in chunks, so that none ever moves (a kernel may hold its address), named by index and
   generation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/portable.h"

enum { CHUNK = 64 };

tb_record *tb_record_at(const tb_loop *loop, uint32_t index)
{
    return (tb_record *)(void *)(loop->chunks[index / CHUNK] + (size_t)(index % CHUNK) * loop->stride);
}

/* Another chunk, and room in the timer set for a timer of each record: so arming one never fails. */
static bool grow(tb_loop *loop)
{
    if (loop->records > UINT32_MAX - CHUNK || !tb_timers_reserve(loop->timers, (size_t)loop->records + CHUNK)) {
        errno = ENOMEM;
        return false;
    }
    char **chunks = realloc(loop->chunks, (loop->chunk_count + 1) * sizeof *chunks);
    if (!chunks)
        return false;
    loop->chunks = chunks;
    char *chunk = calloc(CHUNK, loop->stride);
    if (!chunk)
        return false;
    loop->chunks[loop->chunk_count++] = chunk;
    for (uint32_t i = CHUNK; i-- > 0;) {
        tb_record *r = (tb_record *)(void *)(chunk + i * loop->stride);
        r->index = loop->records + i;
        r->generation = 1;
        r->next_answer = loop->free_records;
        loop->free_records = r;
    }
    loop->records += CHUNK;
    return true;
}

tb_record *tb_record_take(tb_loop *loop)
{
    if (!loop->free_records && !grow(loop))
        return NULL;
    tb_record *r = loop->free_records;
    loop->free_records = r->next_answer;
    uint32_t index = r->index, generation = r->generation;
    memset(r, 0, loop->stride);
    r->index = index;
    r->generation = generation;
    return r;
}

void tb_record_give(tb_loop *loop, tb_record *r)
{
    r->state = TB_FREE;
    tb_group_release(r->group);
    tb_completer_let_go(r->completer);
    free(r->parcel);
    r->group = NULL;
    r->completer = NULL;
    r->parcel = NULL;
    if (r->op.kind == TB_OP_SEND_BYTES)
        tb_bytes_release(r->op.with.bytes);
    r->op = (tb_op){0};
    /* The last generation names this record's last operation for ever: the record is not used again. */
    if (r->generation == UINT32_MAX)
        return;
    r->generation++;
    r->next_answer = loop->free_records;
    loop->free_records = r;
}

tb_record *tb_record_find(const tb_loop *loop, tb_op_id id)
{
    uint32_t index = (uint32_t)id.bits;
    if (index >= loop->records)
        return NULL;
    tb_record *r = tb_record_at(loop, index);
    bool undecided = r->state == TB_TIMER || r->state == TB_STARTED;
    return undecided && r->generation == (uint32_t)(id.bits >> 32) ? r : NULL;
}

void tb_records_free(tb_loop *loop)
{
    for (size_t i = 0; i < loop->chunk_count; i++)
        free(loop->chunks[i]);
    free(loop->chunks);
}
