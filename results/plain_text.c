#include "results/plain_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes the sequence that begins with `first` has; 0: none begins so. */
static int sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* How many bytes the character at `text` has; 0: it is no valid UTF-8 (RFC 3629). */
static int read_character(const char *text, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text[0];
    int length = sequence_length(first);
    uint32_t c = length > 1 ? first & (0x7fu >> length) : first;
    for (int i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (next & 0x3fu);
    }
    if (length == 0 || c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *out = c;
    return length;
}

static bool is_shown(uint32_t c)
{
    return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && c != 0xfffe && c != 0xffff;
}

void tb_make_plain(char *text)
{
    while (*text) {
        uint32_t c = 0;
        int length = read_character(text, &c);
        if (length == 0 || !is_shown(c))
            memset(text, '?', (size_t)(length ? length : 1));
        text += length ? length : 1;
    }
}

char *tb_plain_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy)
        tb_make_plain(copy);
    return copy;
}

enum { WIDTH = 80 };

/* How many bytes the first `columns` characters of text[0..length) have. */
static size_t prefix(const char *text, size_t length, int columns)
{
    size_t i = 0;
    while (i < length && ((text[i] & 0xc0) == 0x80 || columns-- > 0))
        i++;
    return i;
}

static int width_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += (text[i] & 0xc0) != 0x80;
    return columns;
}

void tb_print_wrapped(FILE *out, const char *text, int column, int indent)
{
    for (bool first = true; *(text += strspn(text, " ")); first = false) {
        size_t length = strcspn(text, " ");
        int width = width_of(text, length);
        if (column > indent && column + !first + width > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        while (column + width > WIDTH) { /* only a word that is too long for a line by itself */
            size_t part = prefix(text, length, WIDTH - column);
            fprintf(out, "%.*s\n%*s", (int)part, text, indent, "");
            text += part;
            length -= part;
            width -= WIDTH - column;
            column = indent;
        }
        fprintf(out, "%.*s", (int)length, text);
        text += length;
        column += width;
    }
    fputc('\n', out);
}
