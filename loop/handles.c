/* handles.c: the names of a loop's sockets, pipes and files. What they name is the backend's. */
#include <errno.h>
#include <stdlib.h>

#include "loop/portable.h"

static tb_handle name_of(const tb_loop *loop, uint32_t index)
{
    return (tb_handle){loop->number, index, loop->handles[index].generation};
}

/* A handle whose last generation is used up keeps its entry for ever. */
static void give_back(tb_loop *loop, uint32_t index)
{
    tb_handle_entry *e = &loop->handles[index];
    e->first = NULL;
    e->open = false;
    e->object = NULL;
    if (e->generation < UINT32_MAX) {
        e->generation++;
        e->next_free = loop->free_handle;
        loop->free_handle = index + 1;
    }
}

bool tb_handle_make(tb_loop *loop, void *object, tb_handle *out)
{
    uint32_t index;
    if (loop->free_handle) {
        index = loop->free_handle - 1;
        loop->free_handle = loop->handles[index].next_free;
    } else {
        if (loop->handle_count == loop->handle_cap) {
            uint32_t cap = loop->handle_cap ? 2 * loop->handle_cap : 16;
            tb_handle_entry *entries = cap > loop->handle_cap ? realloc(loop->handles, cap * sizeof *entries) : NULL;
            if (!entries) {
                errno = ENOMEM;
                return false;
            }
            loop->handles = entries;
            loop->handle_cap = cap;
        }
        index = loop->handle_count++;
        loop->handles[index] = (tb_handle_entry){.generation = 1};
    }
    tb_handle_entry *e = &loop->handles[index];
    e->open = true;
    e->object = object;
    e->first = NULL;
    *out = name_of(loop, index);
    if (loop->backend->named(loop, object, *out))
        return true;
    give_back(loop, index);
    return false;
}

static tb_handle_entry *find(const tb_loop *loop, tb_handle h)
{
    if (h.loop != loop->number || h.index >= loop->handle_count)
        return NULL;
    tb_handle_entry *e = &loop->handles[h.index];
    return e->open && e->generation == h.generation ? e : NULL;
}

void *tb_handle_object_at(const tb_loop *loop, uint32_t index, uint32_t generation)
{
    const tb_handle_entry *e = find(loop, (tb_handle){loop->number, index, generation});
    return e ? e->object : NULL;
}

/* NULL with *error: no handle, a closed one, or another loop's. */
void *tb_handle_object(const tb_loop *loop, tb_handle h, tb_loop_error *error)
{
    const tb_handle_entry *e = find(loop, h);
    if (!e)
        *error = !tb_handle_is_none(h) && h.loop != loop->number ? TB_EINVAL : TB_EBADF;
    return e ? e->object : NULL;
}

/* ---- operations in flight on one -------------------------------------------------------------------------------------- */

void tb_handle_enter(tb_loop *loop, tb_record *r)
{
    tb_handle_entry *e = &loop->handles[r->op.handle.index];
    r->on_handle = (tb_links){NULL, e->first};
    if (e->first)
        e->first->on_handle.previous = r;
    e->first = r;
}

void tb_handle_leave(tb_loop *loop, tb_record *r)
{
    tb_handle_entry *e = r->object ? find(loop, r->op.handle) : NULL;
    if (r->on_handle.previous)
        r->on_handle.previous->on_handle.next = r->on_handle.next;
    else if (e && e->first == r)
        e->first = r->on_handle.next;
    if (r->on_handle.next)
        r->on_handle.next->on_handle.previous = r->on_handle.previous;
    r->on_handle = (tb_links){NULL, NULL};
}

/* ---- closing ----------------------------------------------------------------------------------------------------- */

bool tb_loop_close(tb_loop *loop, tb_handle h)
{
    tb_handle_entry *e = find(loop, h);
    if (!e)
        return false;
    if (!loop->polling)
        loop->now = loop->backend->now(loop);
    for (tb_record *r = e->first, *next; r; r = next) {
        next = r->on_handle.next;
        tb_ask(loop, r, TB_CANCELLED);
    }
    void *object = e->object;
    /* Operations that have yet to return forget the entry, which may name another thing by then. */
    for (tb_record *r = e->first, *next; r; r = next) {
        next = r->on_handle.next;
        r->on_handle = (tb_links){NULL, NULL};
    }
    give_back(loop, h.index);
    loop->backend->close_object(loop, object);
    return true;
}

void tb_handles_close_all(tb_loop *loop)
{
    for (uint32_t i = 0; i < loop->handle_count; i++)
        if (loop->handles[i].open)
            tb_loop_close(loop, name_of(loop, i));
}

bool tb_loop_is_open(const tb_loop *loop, tb_handle h) { return find(loop, h) != NULL; }

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool name_object(tb_loop *loop, void *object, tb_handle *out, tb_loop_error *error)
{
    if (tb_handle_make(loop, object, out))
        return true;
    *error = errno == EEXIST ? TB_EINVAL : tb_loop_error_from_os(errno);
    loop->backend->close_object(loop, object);
    return false;
}

static bool name_two(tb_loop *loop, void *objects[2], tb_handle out[2], tb_loop_error *error)
{
    if (!name_object(loop, objects[0], &out[0], error)) {
        loop->backend->close_object(loop, objects[1]);
        return false;
    }
    if (!name_object(loop, objects[1], &out[1], error)) {
        tb_loop_close(loop, out[0]);
        return false;
    }
    return true;
}

bool tb_loop_listen(tb_loop *loop, const tb_address *address, int backlog, tb_handle *out, tb_loop_error *error)
{
    void *object;
    return loop->backend->listen(loop, address, backlog, &object, error) && name_object(loop, object, out, error);
}

bool tb_loop_pair(tb_loop *loop, tb_transport transport, tb_handle out[2], tb_loop_error *error)
{
    void *objects[2];
    return loop->backend->pair(loop, transport, objects, error) && name_two(loop, objects, out, error);
}

bool tb_loop_pipe(tb_loop *loop, tb_handle out[2], tb_loop_error *error)
{
    void *objects[2];
    return loop->backend->pipe(loop, objects, error) && name_two(loop, objects, out, error);
}

bool tb_loop_open_file(tb_loop *loop, const char *path, unsigned mode, tb_handle *out, tb_loop_error *error)
{
    void *object;
    return loop->backend->open_file(loop, path, mode, &object, error) && name_object(loop, object, out, error);
}

bool tb_loop_adopt(tb_loop *loop, intptr_t os_handle, tb_handle_kind kind, tb_handle *out, tb_loop_error *error)
{
    void *object;
    return loop->backend->adopt(loop, os_handle, kind, &object, error) && name_object(loop, object, out, error);
}

bool tb_loop_local_address(tb_loop *loop, tb_handle h, tb_address *out, tb_loop_error *error)
{
    void *object = tb_handle_object(loop, h, error);
    return object && loop->backend->local_address(loop, object, out, error);
}

bool tb_loop_end_sending(tb_loop *loop, tb_handle h, tb_loop_error *error)
{
    void *object = tb_handle_object(loop, h, error);
    return object && loop->backend->end_sending(loop, object, error);
}

intptr_t tb_loop_os_handle(const tb_loop *loop, tb_handle h)
{
    const tb_handle_entry *e = find(loop, h);
    return e ? loop->backend->os_handle(loop, e->object) : -1;
}
