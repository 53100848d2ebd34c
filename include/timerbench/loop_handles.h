/* loop_handles.h: sockets, pipes and files of a loop.

   A handle names an entry of its loop, by index and generation: once closed it names nothing, for ever, also when the
   operating system gives its number out again. A handle serves its own loop alone (a completion port takes a handle for
   life): in another loop's operation it is answered Failed(TB_EINVAL). All functions are for the loop's own thread; they
   never wait, but for the opening of a file. Each that makes something says false with *error (never NULL) when it cannot. */
#ifndef TIMERBENCH_LOOP_HANDLES_H
#define TIMERBENCH_LOOP_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timerbench/assert.h>
#include <timerbench/loop_errors.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_loop tb_loop;

typedef struct tb_handle {
    uint32_t loop;       /* the loop's number, from 1 */
    uint32_t index;
    uint32_t generation; /* from 1 */
} tb_handle;

static inline tb_handle tb_handle_none(void)
{
    tb_handle h = {0, 0, 0};
    return h;
}
static inline bool tb_handle_is_none(tb_handle h) { return h.generation == 0; }
static inline bool tb_handle_same(tb_handle a, tb_handle b)
{
    return a.loop == b.loop && a.index == b.index && a.generation == b.generation;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

typedef enum tb_transport { TB_TCP, TB_UDP, TB_UNIX } tb_transport;

/* An address of a socket: a value, in the form the operating system has it. */
typedef struct tb_address {
    tb_transport transport;
    uint32_t len;                               /* bytes of it */
    union {
        uint64_t align;
        unsigned char bytes[128];
    } os;
} tb_address;

/* Reads "tcp:127.0.0.1:80", "tcp:[::1]:80", "udp:...", "unix:/path"; names are not looked up. false: it is none of these. */
TB_API bool tb_address_parse(const char *text, tb_address *out);
/* Writes that form, with its terminating zero. false: it does not fit. */
TB_API bool tb_address_format(const tb_address *address, char *out, size_t size);

/* ---- making and closing ------------------------------------------------------------------------------------------ */

/* A listening TCP or Unix socket; a UDP one is bound. backlog <= 0: the system's largest. TCP addresses are reused. */
TB_API bool tb_loop_listen(tb_loop *loop, const tb_address *address, int backlog, tb_handle *out, tb_loop_error *error);
/* The address of a socket: for the port that the system chose for port 0. */
TB_API bool tb_loop_local_address(tb_loop *loop, tb_handle handle, tb_address *out, tb_loop_error *error);
/* Two sockets connected to each other. */
TB_API bool tb_loop_pair(tb_loop *loop, tb_transport transport, tb_handle out[2], tb_loop_error *error);
/* A pipe: out[0] is received from, out[1] sent to. */
TB_API bool tb_loop_pipe(tb_loop *loop, tb_handle out[2], tb_loop_error *error);

typedef enum tb_open_mode {
    TB_OPEN_READ = 1,
    TB_OPEN_WRITE = 2,
    TB_OPEN_CREATE = 4,  /* makes the file when there is none */
    TB_OPEN_TRUNCATE = 8 /* empties it */
} tb_open_mode;

/* Opens a file for ReadAt and WriteAt; mode: or-ed tb_open_mode. This call waits for the file system. */
TB_API bool tb_loop_open_file(tb_loop *loop, const char *path, unsigned mode, tb_handle *out, tb_loop_error *error);

typedef enum tb_handle_kind { TB_HANDLE_SOCKET, TB_HANDLE_LISTENER, TB_HANDLE_PIPE, TB_HANDLE_FILE } tb_handle_kind;

/* Takes an operating system's handle that was made elsewhere, and closes it from then on. Not on the simulated backend. */
TB_API bool tb_loop_adopt(tb_loop *loop, intptr_t os_handle, tb_handle_kind kind, tb_handle *out, tb_loop_error *error);

/* Asks everything in flight on it to end, and closes it; the handle names nothing from then on. A running job on a file ends
   first. false: it named nothing. */
TB_API bool tb_loop_close(tb_loop *loop, tb_handle handle);
TB_API bool tb_loop_is_open(const tb_loop *loop, tb_handle handle);
/* Says that nothing more will be sent: the peer reads what was sent, then its end (a half-close). */
TB_API bool tb_loop_end_sending(tb_loop *loop, tb_handle handle, tb_loop_error *error);
/* The operating system's handle, for its own options; -1 where there is none. It stays the loop's. */
TB_API intptr_t tb_loop_os_handle(const tb_loop *loop, tb_handle handle);

#ifdef __cplusplus
}
#endif
#endif
