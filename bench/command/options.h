/* options.h: the options of every subcommand: a table says what there is, and one parser reads it, checks it and prints
   it for --help.

       bool quick = false;
       tb_size_list sizes = {0};
       const tb_option options[] = {
           {.name = "quick", .kind = TB_OPTION_FLAG, .to.flag = &quick, .help = "fewer repetitions"},
           {.name = "size", .kind = TB_OPTION_SIZES, .min = 1, .max = 1 << 26, .to.sizes = &sizes, .help = "populations"},
       };
       const tb_option_table table = {.command = "timerbench run", .options = options, .option_count = 2};
       tb_arguments arguments;
       int code;
       if (!tb_options_read(&table, argc, argv, &arguments, &code))
           return code;

   Accepted are --name value, --name=value, -x value and -xvalue, among and after the other arguments. A value may begin
   with one dash (a number, a file called -), but not with two: that is a missing value. The last of a repeated option
   counts, and lists add up. `--` ends the options. --help is there without being listed. */
#ifndef BENCH_COMMAND_OPTIONS_H
#define BENCH_COMMAND_OPTIONS_H

#include "bench/error_text.h"
#include "bench/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers, each once, in the order given. {0} is the empty list. */
typedef struct {
    int64_t *items;
    size_t count;
} tb_size_list;

void tb_size_list_free(tb_size_list *list);

typedef enum {
    TB_OPTION_FLAG,    /* no value: to.flag becomes true */
    TB_OPTION_INT,     /* a decimal whole number */
    TB_OPTION_SECONDS, /* a decimal number greater than 0 */
    TB_OPTION_SIZES,   /* 1024,64k,1M: k = 1024, M = 1024 k; 64..1M is 64, 128 ... 1M; 64..1Mx4 is 64, 256 ... 1M */
    TB_OPTION_STRING,  /* anything but nothing */
    TB_OPTION_STRINGS, /* a comma list without empty parts */
    TB_OPTION_CHOICE   /* one of `choices`: its index */
} tb_option_kind;

typedef struct {
    const char *name; /* without dashes */
    char letter;      /* the short form: 'o' for -o; 0: none */
    tb_option_kind kind;
    const char *value; /* what --help and errors call the value; NULL: N, S, LIST, TEXT or the choices */
    const char *help;
    int64_t min, max; /* of INT and each of SIZES, both 0: any (SIZES: from 1); of SECONDS only max, 0: any */
    const char *const *choices; /* ends with NULL */
    /* Where the value goes. What is there before is the default. Strings point into argv; the lists are freed by the
       caller, who finds them empty when reading has failed. */
    union {
        bool *flag;
        int64_t *integer;
        double *seconds;
        tb_size_list *sizes;
        const char **string;
        tb_string_list *strings;
        int *choice;
    } to;
} tb_option;

typedef struct {
    const char *command; /* "timerbench run": begins errors and the usage line */
    const char *about;   /* what it does, a paragraph or more (separated by newlines) */
    const tb_option *options;
    size_t option_count;
    const char *operands; /* "TRACE...": how the usage line and errors call the other arguments; NULL: there are none */
    int min_operands, max_operands; /* max 0 with `operands`: any number */
    const char *rest; /* "--benchmark_...": what follows `--` is handed over as it is; NULL: it is operands */
} tb_option_table;

/* The pointers are into argv. Free with tb_arguments_free. */
typedef struct {
    char **operands; /* ends with NULL */
    int operand_count;
    char **rest; /* what followed `--`, in a table with `rest`; ends with NULL */
    int rest_count;
} tb_arguments;

typedef enum { TB_OPTIONS_READ, TB_OPTIONS_HELP, TB_OPTIONS_BAD } tb_options_result;

/* Reads argv[1 .. argc) into the options' destinations and `out`. TB_OPTIONS_HELP: --help (or -h) was among them, and
   nothing was checked. TB_OPTIONS_BAD: `error` names what is wrong and what was expected, without the command's name.
   In both cases lists are empty, other destinations may have changed, and `out` needs no freeing. */
tb_options_result tb_options_parse(const tb_option_table *table, int argc, char **argv, tb_arguments *out,
                                   tb_error_text *error);

/* The same for a subcommand: prints the help, or the error as one line on standard error, and then returns false with
   the exit code in `code`. */
bool tb_options_read(const tb_option_table *table, int argc, char **argv, tb_arguments *out, int *code);

/* Prints what --help says, within 80 columns. */
void tb_options_print_help(const tb_option_table *table);

void tb_arguments_free(tb_arguments *arguments);

#ifdef __cplusplus
}
#endif
#endif
