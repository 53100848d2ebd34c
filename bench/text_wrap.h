/* text_wrap.h: paragraphs that fit a terminal. */
#ifndef BENCH_TEXT_WRAP_H
#define BENCH_TEXT_WRAP_H

#include <stdio.h>

enum { TB_TEXT_WIDTH = 80 };

/* Prints `text` (UTF-8; a character counts as one column) in lines of at most TB_TEXT_WIDTH columns, broken at spaces
   and, where a word is longer than a line, within it. `column` is where the output stands; further lines are indented
   by `indent` spaces. A newline in the text ends a line. Ends with a newline. */
void tb_wrap_text(FILE *out, const char *text, int column, int indent);

#endif
