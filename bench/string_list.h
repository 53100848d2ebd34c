/* string_list.h: a growing list of strings, and the comma lists that options take. */
#ifndef BENCH_STRING_LIST_H
#define BENCH_STRING_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Owns its strings. {0} is the empty list. */
typedef struct {
    char **items;
    size_t count;
} tb_string_list;

/* Appends a copy of text[0..length). False: out of memory, and the list is as before. */
bool tb_string_list_add(tb_string_list *list, const char *text, size_t length);

/* Appends the parts of "a,b,c". False: out of memory (errno ENOMEM) or an empty part (errno EINVAL), and the list is
   as before. */
bool tb_string_list_split(tb_string_list *list, const char *text);

/* Frees the strings; the list is empty again. */
void tb_string_list_free(tb_string_list *list);

#endif
