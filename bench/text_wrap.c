/* text_wrap.c: paragraphs that fit a terminal. */
#include "bench/text_wrap.h"

#include <stdbool.h>
#include <string.h>

/* How many bytes make up the first `columns` characters of text[0..length), or all of it. */
static size_t prefix(const char *text, size_t length, int columns)
{
    size_t i = 0;
    for (; i < length; i++) {
        bool starts = ((unsigned char)text[i] & 0xc0) != 0x80;
        if (starts && columns-- == 0)
            break;
    }
    return i;
}

static int width_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void tb_wrap_text(FILE *out, const char *text, int column, int indent)
{
    bool line_empty = true;
    while (*text) {
        if (*text == '\n') {
            text++;
            if (*text)
                fprintf(out, "\n%*s", *text == '\n' ? 0 : indent, "");
            column = indent;
            line_empty = true;
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        int width = width_of(text, length), space = line_empty ? 0 : 1;
        if (column + space + width > TB_TEXT_WIDTH && !line_empty) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            space = 0;
        }
        if (column + space + width > TB_TEXT_WIDTH) {
            length = prefix(text, length, TB_TEXT_WIDTH - column);
            width = TB_TEXT_WIDTH - column;
        }
        fprintf(out, "%*s%.*s", space, "", (int)length, text);
        text += length;
        column += space + width;
        line_empty = false;
    }
    fputc('\n', out);
}
