/* plain_text.h: text from files, made fit to be shown: on a terminal, in XML, in JSON. */
#ifndef RESULTS_PLAIN_TEXT_H
#define RESULTS_PLAIN_TEXT_H

#include <stdio.h>

/* Puts '?' for every byte that is no part of valid UTF-8, of a control character, or of a character that XML 1.0 forbids. */
void tb_make_plain(char *text);

/* A plain copy; NULL: out of memory. */
char *tb_plain_copy(const char *text);

/* Prints plain text in lines of at most 80 columns (a character counts as one), broken at spaces and, where a word is longer,
   within it. `column`: where the output stands; further lines begin with `indent` spaces. Ends with a newline. */
void tb_print_wrapped(FILE *out, const char *text, int column, int indent);

#endif
