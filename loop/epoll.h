/* epoll.h: the epoll backend's own: waiting (epoll.c), operations on descriptors (epoll_try.c) and their making and closing
   (epoll_handles.c). */
#ifndef LOOP_EPOLL_H
#define LOOP_EPOLL_H

#include "loop/portable.h"
#include "loop/workers.h"

typedef struct epoll_queue {
    tb_record *first, *last;
} epoll_queue;

typedef struct epoll_object {
    int fd;
    tb_handle_kind kind;
    tb_transport transport; /* of a socket or listener */
    bool reads, writes;
    epoll_queue in, out;    /* operations that wait for readiness, in the order submitted */
    tb_shared_file *file;   /* of a file: its descriptor */
} epoll_object;

typedef struct epoll_world {
    int epoll, wake, timer; /* timer: -1 with epoll_pwait2 */
    tb_instant timer_at;
    int64_t slack;
    tb_record *first_done, **last_done;
} epoll_world;

/* The backend's part of a record. */
typedef struct epoll_part {
    tb_record *previous, *next; /* in a queue */
    epoll_queue *queue;
    epoll_object *object; /* the handle's, or the new socket of Connect */
    size_t moved;         /* bytes sent so far */
    tb_handle made;       /* by Connect */
    tb_result result;
    tb_record *next_done;
} epoll_part;

static inline epoll_world *epoll_of(const tb_loop *loop) { return loop->backend_state; }
static inline epoll_part *epoll_part_of(tb_record *r) { return tb_backend_part(r); }

/* epoll.c */
void epoll_enter(epoll_queue *, tb_record *);
void epoll_leave(tb_record *);
void epoll_done(tb_loop *, tb_record *, tb_result); /* to be reported by wait */

/* epoll_try.c: does what can be done without waiting. true: it has ended, *result says how. */
bool epoll_try(tb_loop *, tb_record *, tb_result *result);
/* Begins to connect. true: it goes on; false: *refused. */
bool epoll_connect(tb_loop *, tb_record *, tb_result *refused);

/* epoll_handles.c */
epoll_object *epoll_object_make(int fd, tb_handle_kind kind, tb_transport transport); /* NULL: errno, and fd is closed */
bool epoll_listen(tb_loop *, const tb_address *, int backlog, void **object, tb_loop_error *);
bool epoll_local_address(tb_loop *, void *object, tb_address *, tb_loop_error *);
bool epoll_pair(tb_loop *, tb_transport, void *objects[2], tb_loop_error *);
bool epoll_pipe(tb_loop *, void *objects[2], tb_loop_error *);
bool epoll_open_file(tb_loop *, const char *path, unsigned mode, void **object, tb_loop_error *);
bool epoll_adopt(tb_loop *, intptr_t, tb_handle_kind, void **object, tb_loop_error *);
bool epoll_end_sending(tb_loop *, void *object, tb_loop_error *);
intptr_t epoll_os_handle(const tb_loop *, const void *object);
void epoll_close_object(tb_loop *, void *object);
bool epoll_named(tb_loop *, void *object, tb_handle);

#endif
