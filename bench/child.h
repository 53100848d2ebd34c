/* child.h: work in a process of its own, so that a crash or a hang of code that is not ours ends that process alone. Linux. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TB_CHILD_FINISHED,
    TB_CHILD_CRASHED,    /* detail: the signal */
    TB_CHILD_ENDED,      /* the work ended the process itself; detail: its exit code */
    TB_CHILD_HUNG,       /* no beat for too long; it was killed */
    TB_CHILD_NOT_STARTED /* detail: errno */
} tb_child_kind;

typedef struct {
    tb_child_kind kind;
    int detail;
} tb_child_end;

typedef struct {
    double limit;                   /* s: longest time without a beat */
    const volatile uint64_t *beats; /* in shared memory: changes as the work goes on; NULL: `limit` is for all of it */
    bool quiet;                     /* its standard error is thrown away */
    void (*watch)(void *ctx);       /* NULL, or called now and then while it works */
    void *watch_ctx;
} tb_child_options;

/* Does work(ctx) in a child that sees memory as it is now; only what it writes to shared memory (tb_shared_memory) stays. Both
   processes have the caller's files; standard output is flushed before and after. A time in which this process itself was
   stopped counts for nothing. */
tb_child_end tb_child_run(void (*work)(void *ctx), void *ctx, const tb_child_options *options);

/* Zeroed memory that children share with their parent; pages that are never touched take none. NULL: out of memory. */
void *tb_shared_memory(uint64_t size);
void tb_shared_memory_free(void *p, uint64_t size);

/* "crashes (Segmentation fault)", "ends the process (exit code 3)", "does not come back within 10 s". */
enum { TB_CHILD_TEXT = 96 };
void tb_child_describe(const tb_child_end *end, double limit, char out[TB_CHILD_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
