/* fuzz_ops_reader.c: a libFuzzer target: the bytes are an operation file. What is read must be written and read again as the same
   text; what is refused must be so with one line that names the place. */
#include "bench/ops.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_text(const void *text, size_t length, tb_ops *ops, tb_error_text *error)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, length, "r");
    if (!in)
        abort();
    bool done = tb_ops_read_stream(ops, in, "bytes", error);
    fclose(in);
    return done;
}

/* The file of a program; to be freed. */
static char *text_of(const tb_ops *ops, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out)
        abort();
    fprintf(out, "%s\n", TB_OPS_FIRST_LINE);
    tb_ops_write_head(ops, out);
    tb_ops_write_range(ops, 0, ops->len, out);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tb_ops ops, again;
    tb_error_text error;
    if (!read_text(data, size, &ops, &error)) {
        if (strncmp(error.text, "bytes:", 6) != 0 || strchr(error.text, '\n') || ops.items)
            abort();
        return 0;
    }
    size_t length, length_again;
    char *text = text_of(&ops, &length);
    if (!read_text(text, length, &again, &error))
        abort();
    char *text_again = text_of(&again, &length_again);
    if (length != length_again || memcmp(text, text_again, length) != 0)
        abort();
    free(text);
    free(text_again);
    tb_ops_free(&ops);
    tb_ops_free(&again);
    return 0;
}
