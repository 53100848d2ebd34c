/* result_file.c: from the path of a result document to its JSON. */
#include "results/result_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const size_t most = (size_t)TB_RESULT_MAX_MIB << 20;

/* Everything that the stream has, and a zero after it. It may be a pipe: its size is known at its end. */
static char *read_stream(tb_result_reader *reader, FILE *file, size_t *length)
{
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - 1 - used, file);
        if (used < room - 1 || used > most)
            break;
        room = room > most / 2 ? most + 2 : room * 2;
        char *grown = realloc(text, room);
        if (!grown)
            free(text);
        text = grown;
    }
    if (!text) {
        tb_result_no_memory(reader);
        return NULL;
    }
    text[used] = '\0';
    *length = used;
    bool good = true;
    if (ferror(file))
        good = tb_result_fail(reader, "%s", strerror(errno));
    else if (used > most)
        good = tb_result_fail(reader, "more than %d MiB: expected at most that", TB_RESULT_MAX_MIB);
    else if (used == 0)
        good = tb_result_fail(reader, "an empty file: expected the JSON of a benchmark");
    if (good)
        return text;
    free(text);
    return NULL;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* Google Benchmark writes NaN and Infinity, which JSON has not, where a counter came to that. */
static bool is_no_number(const char *text, size_t length, size_t at)
{
    static const char *const words[] = {"nan", "inf"};
    at = at < length ? at : length;
    while (at > 0 && is_word(text[at - 1]))
        at--;
    at += text[at] == '-';
    for (int i = 0; i < 2; i++)
        if (strncasecmp(text + at, words[i], 3) == 0)
            return true;
    return false;
}

json_t *tb_result_parse(tb_result_reader *reader)
{
    size_t length = 0;
    FILE *file = fopen(reader->path, "rb");
    if (!file) {
        tb_result_fail(reader, "%s", strerror(errno));
        return NULL;
    }
    char *text = read_stream(reader, file, &length);
    fclose(file);
    if (!text)
        return NULL;
    json_error_t error = {.text = ""}; /* jansson says nothing when it cannot begin for want of memory */
    json_t *document = json_loadb(text, length, 0, &error);
    if (!document && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        tb_result_no_memory(reader);
    else if (!document && is_no_number(text, length, (size_t)error.position))
        tb_result_fail(reader, "line %d: NaN or infinity, which are no numbers in JSON: expected finite figures", error.line);
    else if (!document)
        tb_result_fail(reader, "line %d: not JSON: %s", error.line, error.text);
    free(text);
    return document;
}
