/* option_words.h: from options' values back to the words that spell them, for another program of the same options. */
#ifndef BENCH_COMMAND_OPTION_WORDS_H
#define BENCH_COMMAND_OPTION_WORDS_H

#include "bench/command/options.h"

/* Appends "--name" and "value" for each option that has one, but those that `without` (NULL at its end) names. Not spelled are
   flags that are off, empty lists, texts that are not given, and numbers and choices out of their range, which stand for "not
   given". false: out of memory. */
bool tb_option_words(const tb_option *options, size_t count, const char *const *without, tb_string_list *out);

/* Appends "--name" and a formatted value. false: out of memory. */
__attribute__((format(printf, 3, 4))) bool tb_option_word(tb_string_list *out, const char *name, const char *format, ...);

#endif
