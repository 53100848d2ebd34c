/* counted_memory.c: an allocator that counts, fails and looks. */
#include "bench/counted_memory.h"

#include <stdlib.h>
#include <string.h>

enum { header = 16, dirt = 0xa5 };

/* A block's size stands before it. */
static size_t size_of(const unsigned char *block)
{
    size_t size;
    memcpy(&size, block - header, sizeof size);
    return size;
}

static void give_back(tb_counted_memory *m, unsigned char *block)
{
    if (!block)
        return;
    m->blocks--;
    m->bytes -= size_of(block);
    memset(block, dirt, size_of(block));
    free(block - header);
}

static void *resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
    tb_counted_memory *m = ctx;
    if (p && size_of(p) != old_size && !m->wrong)
        m->wrong = "tells its allocator another old size than the block has";
    if (new_size == 0) {
        give_back(m, p);
        return NULL;
    }
    m->asked++;
    if (m->fail_at && (m->asked == m->fail_at || (m->onward && m->asked > m->fail_at))) {
        m->failed = true;
        return NULL;
    }
    bool too_much = new_size > SIZE_MAX - header || (m->most && m->bytes + new_size > m->most);
    unsigned char *raw = too_much ? NULL : malloc(new_size + header);
    if (!raw) {
        m->short_of |= !too_much;
        return NULL;
    }
    unsigned char *block = raw + header;
    memcpy(raw, &new_size, sizeof new_size);
    size_t kept = p ? size_of(p) : 0;
    kept = kept < new_size ? kept : new_size;
    if (kept > 0)
        memcpy(block, p, kept);
    memset(block + kept, dirt, new_size - kept);
    m->blocks++;
    m->bytes += new_size;
    give_back(m, p);
    return block;
}

tb_allocator tb_counted_allocator(tb_counted_memory *memory)
{
    return (tb_allocator){resize, memory};
}

void tb_counted_memory_fail(tb_counted_memory *memory, uint64_t k, bool onward)
{
    memory->failed = false;
    memory->onward = onward;
    memory->fail_at = k ? memory->asked + k : 0;
}
