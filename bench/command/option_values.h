/* option_values.h: from the text of an option's value to the value. */
#ifndef BENCH_COMMAND_OPTION_VALUES_H
#define BENCH_COMMAND_OPTION_VALUES_H

#include "bench/command/options.h"

enum { TB_EXPECTED_TEXT = 512 };

/* Stores the value that `text` spells, at option->to. False: it spells none, and `expected` says what would ("a whole
   number from 1 to 9"), or memory ran out, and `expected` is empty. */
bool tb_option_store(const tb_option *option, const char *text, char expected[TB_EXPECTED_TEXT]);

/* What --help calls the value: "S", "table|json". */
void tb_option_value_name(const tb_option *option, char out[TB_EXPECTED_TEXT]);

#endif
