/* trace_input.c: the text of a trace file, out of plain or xz-compressed bytes.

   The container is read as the .xz file format 1.1.0 (tukaani.org) has it: one or more streams, each followed by padding
   of zero bytes, a multiple of four. liblzma could join the streams itself, but then says "corrupt" of anything that
   follows the last one. */
#include "bench/trace_input.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { raw_size = 1 << 16 };

/* `xz -9` needs 65 MiB to decompress. A damaged or hostile header may ask for 4 GiB. */
static const uint64_t memory_limit = UINT64_C(256) << 20;

static const uint8_t magic[6] = {0xfd, '7', 'z', 'X', 'Z', 0x00};

struct tb_trace_input {
    int fd;
    bool xz;
    bool raw_end;     /* the file has no more bytes than those in raw */
    bool between;     /* xz: a stream has ended, and the next has not begun */
    size_t padding;   /* xz: zero bytes since the end of the stream */
    lzma_stream lzma; /* xz: next_in and avail_in say what of raw is left */
    size_t raw_begin; /* plain: what of raw is left */
    size_t raw_end_at;
    uint8_t raw[raw_size];
};

bool tb_trace_name_is_xz(const char *path)
{
    size_t length = strlen(path);
    return length >= 3 && strcmp(path + length - 3, ".xz") == 0;
}

static ptrdiff_t read_file(int fd, void *out, size_t size, tb_error_text *what)
{
    ssize_t n;
    do
        n = read(fd, out, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        tb_error_set(what, "%s", strerror(errno));
    return n;
}

static bool start_stream(tb_trace_input *in, tb_error_text *what)
{
    lzma_ret result = lzma_stream_decoder(&in->lzma, memory_limit, 0);
    if (result != LZMA_OK)
        tb_error_no_memory(what);
    return result == LZMA_OK;
}

/* Fills raw up to the length of the magic bytes, or to the end of a shorter file. */
static bool read_first_bytes(tb_trace_input *in, tb_error_text *what)
{
    while (!in->raw_end && in->raw_end_at < sizeof magic) {
        ptrdiff_t n = read_file(in->fd, in->raw + in->raw_end_at, raw_size - in->raw_end_at, what);
        if (n < 0)
            return false;
        in->raw_end = n == 0;
        in->raw_end_at += (size_t)n;
    }
    return true;
}

static bool begin(tb_trace_input *in, const char *path, tb_error_text *what)
{
    in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd < 0) {
        tb_error_set(what, "%s", strerror(errno));
        return false;
    }
    if (!read_first_bytes(in, what))
        return false;
    in->xz = in->raw_end_at >= sizeof magic && memcmp(in->raw, magic, sizeof magic) == 0;
    if (!in->xz && tb_trace_name_is_xz(path)) {
        tb_error_set(what, "%s: expected xz data, as the name says", in->raw_end_at ? "not xz data" : "an empty file");
        return false;
    }
    if (!in->xz)
        return true;
    in->lzma.next_in = in->raw;
    in->lzma.avail_in = in->raw_end_at;
    return start_stream(in, what);
}

tb_trace_input *tb_trace_input_open(const char *path, tb_error_text *what)
{
    tb_trace_input *in = malloc(sizeof *in);
    if (!in) {
        tb_error_no_memory(what);
        return NULL;
    }
    /* All but the buffer. */
    memset(in, 0, offsetof(tb_trace_input, raw));
    in->fd = -1;
    in->lzma = (lzma_stream)LZMA_STREAM_INIT;
    if (begin(in, path, what))
        return in;
    tb_trace_input_close(in);
    return NULL;
}

void tb_trace_input_close(tb_trace_input *in)
{
    if (!in)
        return;
    lzma_end(&in->lzma);
    if (in->fd >= 0)
        close(in->fd);
    free(in);
}

static ptrdiff_t read_plain(tb_trace_input *in, char *out, size_t size, tb_error_text *what)
{
    size_t left = in->raw_end_at - in->raw_begin;
    if (left == 0)
        return in->raw_end ? 0 : read_file(in->fd, out, size, what);
    size_t n = left < size ? left : size;
    memcpy(out, in->raw + in->raw_begin, n);
    in->raw_begin += n;
    return (ptrdiff_t)n;
}

/* More compressed bytes when all are used up. False: reading failed. */
static bool refill(tb_trace_input *in, tb_error_text *what)
{
    if (in->lzma.avail_in > 0 || in->raw_end)
        return true;
    ptrdiff_t n = read_file(in->fd, in->raw, raw_size, what);
    if (n < 0)
        return false;
    in->raw_end = n == 0;
    in->lzma.next_in = in->raw;
    in->lzma.avail_in = (size_t)n;
    return true;
}

/* Skips the padding after a stream and starts the next one, if there is one. False: what follows is neither. */
static bool pass_gap(tb_trace_input *in, tb_error_text *what)
{
    while (in->lzma.avail_in > 0 && *in->lzma.next_in == 0) {
        in->lzma.next_in++;
        in->lzma.avail_in--;
        in->padding++;
    }
    bool more = in->lzma.avail_in > 0;
    if (!more && !in->raw_end)
        return true;
    if (in->padding % 4 != 0 || (more && *in->lzma.next_in != magic[0])) {
        tb_error_set(what, "data after the end of the xz stream: expected the end of the file");
        return false;
    }
    if (!more)
        return true;
    in->between = false;
    in->padding = 0;
    return start_stream(in, what);
}

static void explain(lzma_ret result, tb_error_text *what)
{
    switch (result) {
    case LZMA_BUF_ERROR:
        tb_error_set(what, "the xz data is cut short: expected a complete file");
        break;
    case LZMA_MEM_ERROR:
        tb_error_no_memory(what);
        break;
    case LZMA_MEMLIMIT_ERROR:
        tb_error_set(what, "the xz data asks for too much memory: expected at most 256 MiB (xz -9 needs 65)");
        break;
    case LZMA_OPTIONS_ERROR:
        tb_error_set(what, "the xz data uses a feature that is not known: expected what xz writes by default");
        break;
    case LZMA_FORMAT_ERROR:
        /* The first stream had the right first bytes, so this is what follows it. */
        tb_error_set(what, "data after the end of the xz stream: expected the end of the file");
        break;
    default:
        tb_error_set(what, "the xz data is damaged: expected its checksums to fit");
        break;
    }
}

static ptrdiff_t read_xz(tb_trace_input *in, char *out, size_t size, tb_error_text *what)
{
    in->lzma.next_out = (uint8_t *)out;
    in->lzma.avail_out = size;
    while (in->lzma.avail_out == size) {
        if (!refill(in, what))
            return -1;
        if (in->between) {
            if (!pass_gap(in, what))
                return -1;
            if (in->between && in->raw_end)
                return 0;
            continue;
        }
        lzma_ret result = lzma_code(&in->lzma, in->raw_end ? LZMA_FINISH : LZMA_RUN);
        if (result == LZMA_STREAM_END) {
            in->between = true;
        } else if (result != LZMA_OK && in->lzma.avail_out == size) {
            explain(result, what);
            return -1;
        }
    }
    return (ptrdiff_t)(size - in->lzma.avail_out);
}

ptrdiff_t tb_trace_input_read(tb_trace_input *in, char *out, size_t size, tb_error_text *what)
{
    return in->xz ? read_xz(in, out, size, what) : read_plain(in, out, size, what);
}
