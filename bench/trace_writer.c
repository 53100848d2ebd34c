/* trace_writer.c: writing recorded traces, plain or compressed. */
#include "bench/output_file.h"
#include "bench/trace_file.h"
#include "bench/trace_input.h"
#include "bench/trace_line.h"
#include "bench/trace_rules.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

struct tb_trace_writer {
    tb_output_file *file;
    tb_trace_rules rules;
    bool xz;
    size_t header_bytes;
    lzma_stream lzma;
    uint8_t compressed[1 << 16];
};

/* Runs the encoder over what is in next_in, and to its end with LZMA_FINISH. */
static bool compress_pending(tb_trace_writer *w, lzma_action action, tb_error_text *error)
{
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK && (w->lzma.avail_in > 0 || action == LZMA_FINISH)) {
        w->lzma.next_out = w->compressed;
        w->lzma.avail_out = sizeof w->compressed;
        result = lzma_code(&w->lzma, action);
        fwrite(w->compressed, 1, sizeof w->compressed - w->lzma.avail_out, tb_output_stream(w->file));
    }
    if (result == LZMA_OK || result == LZMA_STREAM_END)
        return true;
    tb_error_set(error, "compressing the trace failed (liblzma says %d)", (int)result);
    return false;
}

static bool put(tb_trace_writer *w, const char *text, size_t length, tb_error_text *error)
{
    if (!w->xz) {
        /* Errors are commit's to report. */
        fwrite(text, 1, length, tb_output_stream(w->file));
        return true;
    }
    w->lzma.next_in = (const uint8_t *)text;
    w->lzma.avail_in = length;
    return compress_pending(w, LZMA_RUN, error);
}

static bool put_header_line(tb_trace_writer *w, const char *start, const char *text, tb_error_text *error)
{
    size_t length = strlen(start) + strlen(text);
    tb_error_text what;
    w->header_bytes += length + 1;
    if (w->header_bytes > TB_TRACE_HEADER_MAX) {
        tb_error_set(error, "the trace header is too long: expected at most 1 MiB");
        return false;
    }
    if (strchr(text, '\n') || length > TB_TRACE_LINE_MAX) {
        tb_error_set(error, "the trace header '%s...': expected one line of at most %d bytes", start,
                     TB_TRACE_LINE_MAX);
        return false;
    }
    if (!tb_trace_header_text_ok(text, strlen(text), &what)) {
        tb_error_set(error, "the trace header '%s...': %s", start, what.text);
        return false;
    }
    return put(w, start, strlen(start), error) && put(w, text, strlen(text), error) && put(w, "\n", 1, error);
}

static bool begin(tb_trace_writer *w, const char *path, const tb_trace_header *header, tb_error_text *error)
{
    w->file = tb_output_open(path, error);
    if (!w->file)
        return false;
    w->xz = tb_trace_name_is_xz(path);
    if (w->xz && lzma_easy_encoder(&w->lzma, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) {
        tb_error_no_memory(error);
        return false;
    }
    if (!put_header_line(w, TB_TRACE_FIRST_LINE, "", error) || !put_header_line(w, "# source: ", header->source, error) ||
        !put_header_line(w, "# clock: ", header->clock, error))
        return false;
    for (size_t i = 0; i < header->note_count; i++)
        if (!put_header_line(w, "# ", header->notes[i], error))
            return false;
    return true;
}

tb_trace_writer *tb_trace_create(const char *path, const tb_trace_header *header, tb_error_text *error)
{
    tb_trace_writer *w = calloc(1, sizeof *w);
    if (!w) {
        tb_error_no_memory(error);
        return NULL;
    }
    w->lzma = (lzma_stream)LZMA_STREAM_INIT;
    if (begin(w, path, header, error))
        return w;
    tb_trace_abandon(w);
    return NULL;
}

bool tb_trace_is_pending(const tb_trace_writer *w, int32_t key)
{
    return tb_int_map_find(&w->rules.pending, key) != NULL;
}

/* The ranges that the grammar gives a reader. */
static bool in_range(const tb_trace_event *event, tb_error_text *error)
{
    bool sets = event->op == TB_TRACE_ARM || event->op == TB_TRACE_REARM;
    if (event->time >= 0 && event->key >= 0 && (!sets || (event->deadline >= 0 && event->slop >= 0)))
        return true;
    tb_error_set(error, "an event below zero: expected times, keys, deadlines and slops from 0");
    return false;
}

bool tb_trace_write(tb_trace_writer *w, const tb_trace_event *event, tb_error_text *error)
{
    tb_trace_event checked = *event;
    if (!in_range(event, error) || !tb_trace_rules_follow(&w->rules, &checked, error))
        return false;
    char line[TB_TRACE_EVENT_TEXT];
    return put(w, line, tb_trace_format_event(event, line), error);
}

static void free_writer(tb_trace_writer *w)
{
    lzma_end(&w->lzma);
    tb_trace_rules_free(&w->rules);
    free(w);
}

bool tb_trace_commit(tb_trace_writer *w, tb_error_text *error)
{
    bool written = !w->xz || compress_pending(w, LZMA_FINISH, error);
    if (written)
        written = tb_output_commit(w->file, error);
    else
        tb_output_abandon(w->file);
    free_writer(w);
    return written;
}

void tb_trace_abandon(tb_trace_writer *w)
{
    if (!w)
        return;
    tb_output_abandon(w->file);
    free_writer(w);
}
