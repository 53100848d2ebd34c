/* loop_errors.h: why an operation failed, the same on every backend. The names are POSIX's with TB_ before them. */
#ifndef TIMERBENCH_LOOP_ERRORS_H
#define TIMERBENCH_LOOP_ERRORS_H

#include <timerbench/assert.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tb_loop_error {
    TB_EOK,           /* no failure */
    TB_EADDRINUSE,    /* the address is taken */
    TB_EBADF,         /* the handle names nothing: none, or closed */
    TB_EBUSY,         /* the queue of the lane is full */
    TB_ECANCELED,     /* aborted: a completer was destroyed unended */
    TB_ECONNABORTED,
    TB_ECONNREFUSED,
    TB_ECONNRESET,
    TB_EHOSTUNREACH,
    TB_EINVAL,        /* not an operation of this handle, or a handle of another loop */
    TB_EIO,
    TB_EMFILE,        /* no descriptor is left, in the process or the system */
    TB_ENOBUFS,       /* no room in the buffer */
    TB_ENOMEM,
    TB_ENOSPC,
    TB_EPIPE,         /* the peer will read no more */
    TB_ETIMEDOUT,     /* the kernel's own timeout, not a deadline */
    TB_EOTHER,        /* see the operating system's number */
    TB_LOOP_ERRORS
} tb_loop_error;

/* The code of an operating-system number: errno's on Linux. 0 is TB_EOK; a number without a code of its own TB_EOTHER. */
TB_API tb_loop_error tb_loop_error_from_os(int os_error);
/* "TB_ECONNREFUSED"; asserts the range. */
TB_API const char *tb_loop_error_name(tb_loop_error code);

#ifdef __cplusplus
}
#endif
#endif
