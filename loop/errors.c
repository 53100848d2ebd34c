/* errors.c: the portable codes, and the operating system's numbers. */
#include <errno.h>

#include <timerbench/loop_errors.h>

const char *tb_loop_error_name(tb_loop_error code)
{
    static const char *const names[TB_LOOP_ERRORS] = {
        "TB_EOK",          "TB_EADDRINUSE", "TB_EBADF",  "TB_EBUSY",  "TB_ECANCELED", "TB_ECONNABORTED",
        "TB_ECONNREFUSED", "TB_ECONNRESET", "TB_EHOSTUNREACH", "TB_EINVAL", "TB_EIO", "TB_EMFILE",
        "TB_ENOBUFS",      "TB_ENOMEM",     "TB_ENOSPC", "TB_EPIPE",  "TB_ETIMEDOUT", "TB_EOTHER",
    };
    tb_assert((unsigned)code < TB_LOOP_ERRORS);
    return names[code];
}

tb_loop_error tb_loop_error_from_os(int os_error)
{
    switch (os_error) {
    case 0:
        return TB_EOK;
    case EADDRINUSE:
        return TB_EADDRINUSE;
    case EBADF:
        return TB_EBADF;
    case EBUSY:
        return TB_EBUSY;
    case ECANCELED:
        return TB_ECANCELED;
    case ECONNABORTED:
        return TB_ECONNABORTED;
    case ECONNREFUSED:
        return TB_ECONNREFUSED;
    case ECONNRESET:
        return TB_ECONNRESET;
    case EHOSTUNREACH:
    case ENETUNREACH:
        return TB_EHOSTUNREACH;
    case EINVAL:
        return TB_EINVAL;
    case EIO:
        return TB_EIO;
    case EMFILE:
    case ENFILE:
        return TB_EMFILE;
    case ENOBUFS:
        return TB_ENOBUFS;
    case ENOMEM:
        return TB_ENOMEM;
    case ENOSPC:
        return TB_ENOSPC;
    case EPIPE:
        return TB_EPIPE;
    case ETIMEDOUT:
        return TB_ETIMEDOUT;
    default:
        return TB_EOTHER;
    }
}
