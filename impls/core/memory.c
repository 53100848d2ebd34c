/* memory.c: blocks of memory on a caller's allocator, aligned to cache lines, so that a part of a slot whose size divides a line
   never lies across two. */
#include <errno.h>
#include <string.h>

#include <timerbench/impl.h>

enum { LINE = 64 };

/* The byte before a block tells how far it lies behind what the allocator gave (1 .. 64). */
static size_t lead_of(const void *block) { return ((const unsigned char *)block)[-1]; }

void *tb_memory_resize(const tb_allocator *allocator, void *p, size_t old_size, size_t new_size)
{
    if (!p && new_size == 0)
        return NULL;
    if (new_size > SIZE_MAX / 2) {
        errno = ENOMEM;
        return NULL;
    }
    size_t lead = p ? lead_of(p) : 0;
    unsigned char *raw = p ? (unsigned char *)p - lead : NULL;
    unsigned char *moved = allocator->resize(allocator->ctx, raw, p ? tb_memory_taken(old_size) : 0,
                                                tb_memory_taken(new_size));
    if (new_size == 0)
        return NULL;
    if (!moved) {
        errno = ENOMEM;
        return NULL;
    }
    size_t new_lead = LINE - (uintptr_t)moved % LINE;
    size_t kept = old_size < new_size ? old_size : new_size;
    /* Large blocks of malloc keep their offset in a page, so this seldom moves anything. */
    if (p && new_lead != lead)
        memmove(moved + new_lead, moved + lead, kept);
    moved[new_lead - 1] = (unsigned char)new_lead;
    return moved + new_lead;
}
