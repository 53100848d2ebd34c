/* error_text.h: one line that says what is wrong with something the user gave (an option, a file, a list) and what was
   expected instead. Functions that can fail on user input fill one in; a command prints it. */
#ifndef BENCH_ERROR_TEXT_H
#define BENCH_ERROR_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Longer than any path the system accepts (4096 bytes), so that the reason after a path is not lost. */
enum { TB_ERROR_TEXT_SIZE = 5120 };

typedef struct {
    char text[TB_ERROR_TEXT_SIZE]; /* no newline; always terminated */
} tb_error_text;

/* Formats into `error`. Control characters become '?', whatever a file name holds: the text stays one line. Text that
   does not fit is cut. `error` itself must not be among the arguments. */
__attribute__((format(printf, 2, 3))) void tb_error_set(tb_error_text *error, const char *format, ...);

/* "out of memory". */
void tb_error_no_memory(tb_error_text *error);

#ifdef __cplusplus
}
#endif
#endif
