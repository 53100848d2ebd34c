/* fuzz_trace_reader.c: a libFuzzer target: the bytes are a recorded trace, plain or xz. What the reader lets through must hold to the
   rules of bench/trace_file.h, counted here by a plain list of what is pending; what is refused must be so with one line that
   names the file. */
#include "bench/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    int32_t key;
    int64_t deadline;
} timer;

enum { most = 4096 };
static timer pending[most];
static size_t pending_count;

static timer *find(int32_t key)
{
    for (size_t i = 0; i < pending_count; i++)
        if (pending[i].key == key)
            return &pending[i];
    return NULL;
}

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void follow(const tb_trace_event *e, int64_t *now)
{
    timer *t = find(e->key);
    demand(e->time >= *now && e->key >= 0 && e->deadline >= 0 && e->slop >= 0);
    *now = e->time;
    demand((t != NULL) == (e->op != TB_TRACE_ARM));
    if (e->op == TB_TRACE_ARM) {
        demand(pending_count < most);
        pending[pending_count++] = (timer){e->key, e->deadline};
    } else if (e->op == TB_TRACE_REARM) {
        t->deadline = e->deadline;
    } else {
        demand(e->deadline == t->deadline && e->slop == 0 && !e->precise);
        *t = pending[--pending_count];
    }
}

static void is_one_line(const char *text, const char *path)
{
    demand(strncmp(text, path, strlen(path)) == 0 && !strchr(text, '\n'));
}

static void read_all(const char *path)
{
    tb_error_text error;
    tb_trace_reader *reader = tb_trace_open(path, &error);
    if (!reader) {
        is_one_line(error.text, path);
        return;
    }
    const tb_trace_header *header = tb_trace_get_header(reader);
    demand(header->source && header->clock);
    tb_trace_event event;
    tb_trace_step step = TB_TRACE_EVENT;
    int64_t now = 0;
    /* A compressed trace may be far longer than its bytes: its beginning is enough. */
    for (int i = 0; i < most && step == TB_TRACE_EVENT; i++) {
        step = tb_trace_next(reader, &event);
        if (step == TB_TRACE_EVENT)
            follow(&event, &now);
        demand(tb_trace_pending(reader) == pending_count);
    }
    if (step == TB_TRACE_ERROR) {
        is_one_line(tb_trace_error(reader), path);
        demand(tb_trace_next(reader, &event) == TB_TRACE_ERROR);
    } else if (step == TB_TRACE_END) {
        demand(tb_trace_next(reader, &event) == TB_TRACE_END && *tb_trace_error(reader) == '\0');
    }
    tb_trace_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int file = memfd_create("trace", MFD_CLOEXEC);
    char path[64];
    if (file < 0 || (size > 0 && write(file, data, size) != (ssize_t)size))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    pending_count = 0;
    read_all(path);
    close(file);
    return 0;
}
