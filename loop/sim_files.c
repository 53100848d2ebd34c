/* sim_files.c: files of the simulation: in memory, by path, on a disk that may be full. */
#include <stdlib.h>
#include <string.h>

#include "loop/sim.h"

static sim_file *find(sim_world *w, const char *path)
{
    sim_file *f = w->files;
    while (f && strcmp(f->path, path) != 0)
        f = f->next;
    return f;
}

static sim_file *create(sim_world *w, const char *path)
{
    sim_file *f = calloc(1, sizeof *f);
    char *copy = strdup(path);
    if (!f || !copy) {
        free(f);
        free(copy);
        return NULL;
    }
    f->path = copy;
    f->next = w->files;
    w->files = f;
    return f;
}

bool sim_open_file(tb_loop *loop, const char *path, unsigned mode, void **object, tb_loop_error *error)
{
    sim_world *w = sim_of(loop);
    sim_file *f = find(w, path);
    *object = NULL;
    *error = f || (mode & TB_OPEN_CREATE) ? TB_ENOMEM : TB_EOTHER;
    if (!f && (mode & TB_OPEN_CREATE))
        f = create(w, path);
    sim_object *o = f ? calloc(1, sizeof *o) : NULL;
    if (!o)
        return false;
    if (mode & TB_OPEN_TRUNCATE) {
        w->disk_used -= f->len;
        f->len = 0;
    }
    o->kind = SIM_FILE;
    o->reads = mode & TB_OPEN_READ;
    o->writes = mode & TB_OPEN_WRITE;
    o->file = f;
    *object = o;
    return true;
}

static tb_result read_at(const sim_file *f, uint64_t offset, tb_buffer *b)
{
    if (offset >= f->len)
        return tb_result_done(0);
    size_t there = f->len - (size_t)offset, room = b->capacity - b->len, n = there < room ? there : room;
    memcpy(b->data + b->len, f->bytes + offset, n);
    b->len += n;
    return tb_result_done(n);
}

static tb_result write_at(sim_world *w, sim_file *f, uint64_t offset, const tb_buffer *b)
{
    size_t end = (size_t)offset + b->len;
    if (end > f->len) {
        if (w->opt.disk && end - f->len > w->opt.disk - w->disk_used)
            return tb_result_failed(TB_ENOSPC, 0);
        unsigned char *bytes = realloc(f->bytes, end);
        if (!bytes)
            return tb_result_failed(TB_ENOMEM, 0);
        memset(bytes + f->len, 0, end - f->len);
        w->disk_used += end - f->len;
        f->bytes = bytes;
        f->len = end;
    }
    if (b->len)
        memcpy(f->bytes + offset, b->data, b->len);
    return tb_result_done(b->len);
}

void sim_file_answer(tb_loop *loop, tb_record *r)
{
    sim_world *w = sim_of(loop);
    sim_file *f = ((sim_object *)r->object)->file;
    tb_buffer *b = r->op.buffer;
    tb_result result;
    tb_buffer_regain(b);
    if (sim_chance(w, w->opt.fail_in_million))
        result = tb_result_failed(TB_EIO, 0);
    else if (r->op.kind == TB_OP_READ_AT)
        result = read_at(f, r->op.with.offset, b);
    else
        result = write_at(w, f, r->op.with.offset, b);
    tb_buffer_lend(b);
    sim_done(loop, r, result);
}

void sim_files_free(sim_world *w)
{
    for (sim_file *f; (f = w->files);) {
        w->files = f->next;
        free(f->path);
        free(f->bytes);
        free(f);
    }
}
