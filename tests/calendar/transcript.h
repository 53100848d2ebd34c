/* transcript.h: the lines of a golden transcript, put together from live calls and compared with its file to the byte. */
#ifndef TESTS_CALENDAR_TRANSCRIPT_H
#define TESTS_CALENDAR_TRANSCRIPT_H

#include "tap.h"

typedef struct transcript {
    char text[4096];
    size_t length;
} transcript;

/* Adds one line; the newline is put here. */
TAP_PRINTF(2, 3) static void say(transcript *t, const char *format, ...)
{
    va_list args;
    size_t left = sizeof t->text - t->length;
    va_start(args, format);
    int wanted = vsnprintf(t->text + t->length, left, format, args);
    va_end(args);
    if (wanted < 0 || (size_t)wanted + 2 > left) {
        printf("Bail out! a transcript is longer than its buffer\n");
        exit(1);
    }
    t->length += (size_t)wanted;
    t->text[t->length++] = '\n';
    t->text[t->length] = '\0';
}

/* Whether the file (its path from the repository's root) holds exactly the transcript; says where they part. */
static inline bool same_as_file(const transcript *t, const char *path)
{
    char golden[sizeof t->text];
    FILE *file = fopen(path, "rb");
    if (!file) {
        diag("%s cannot be opened", path);
        return false;
    }
    size_t length = fread(golden, 1, sizeof golden, file);
    fclose(file);
    size_t common = 0, line = 1;
    while (common < length && common < t->length && golden[common] == t->text[common])
        line += golden[common++] == '\n';
    if (common == length && common == t->length)
        return true;
    diag("%s, line %zu differs; the transcript made here is:", path, line);
    for (const char *at = t->text, *end; (end = strchr(at, '\n')); at = end + 1)
        diag("%.*s", (int)(end - at), at);
    return false;
}

#endif
