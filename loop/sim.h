/* sim.h: the simulated backend's own: its clock and events (sim.c), sockets and pipes (sim_sockets.c), files (sim_files.c) and
   lanes (sim_lanes.c). */
#ifndef LOOP_SIM_H
#define LOOP_SIM_H

#include "loop/portable.h"

typedef enum sim_kind { SIM_STREAM, SIM_LISTENER, SIM_FILE } sim_kind;

typedef struct sim_queue {
    tb_record *first, *last;
} sim_queue;

typedef struct sim_file {
    struct sim_file *next;
    char *path;
    unsigned char *bytes;
    size_t len;
} sim_file;

typedef struct sim_object sim_object;
struct sim_object {
    sim_object *next, *previous; /* of the world's listeners; of a listener's backlog */
    sim_kind kind;
    bool reads, writes;          /* what a stream or file allows */
    bool ended;                  /* nothing more comes behind the bytes */
    bool reset;
    bool sending_ended;
    sim_object *peer;
    unsigned char *bytes;        /* on their way to this stream: a ring of world->room bytes, made when first used */
    size_t head, len;
    sim_queue in, out, any;      /* operations in flight; `any`: those of files, which have no order */
    tb_address address;          /* of a listener, or of a stream's own end */
    size_t backlog, most_backlog;
    sim_file *file;
};

typedef struct sim_act {
    void (*act)(void *);
    void *ctx;
    uint32_t next_free;
} sim_act;

typedef struct sim_lane {
    size_t running;
    sim_queue waiting;
} sim_lane;

typedef struct sim_world {
    tb_sim_options opt;
    tb_instant now;
    uint64_t random;
    atomic_bool rung;
    tb_timers *events;
    size_t reserved; /* events that there is memory for */
    tb_expiries due;
    tb_record *first_done, **last_done;
    sim_act *acts;
    uint32_t act_count, act_cap, free_act; /* free_act: index + 1 */
    sim_object *listeners;
    unsigned next_port;
    sim_file *files;
    size_t disk_used;
    sim_lane lanes[TB_WORKER_LANES];
} sim_world;

/* The backend's part of a record. */
typedef struct sim_part {
    tb_record *previous, *next; /* in a queue */
    sim_queue *queue;
    tb_timer_id answer, cancel; /* events */
    bool waits_for_lane, runs;
    size_t moved;               /* bytes sent so far */
    tb_address address;         /* of Connect */
    tb_result result;
    tb_record *next_done;
} sim_part;

static inline sim_world *sim_of(const tb_loop *loop) { return loop->backend_state; }
static inline sim_part *sim_part_of(tb_record *r) { return tb_backend_part(r); }

/* sim.c */
uint64_t sim_random(sim_world *);                       /* splitmix64 */
bool sim_chance(sim_world *, uint32_t in_million);
void sim_schedule_answer(tb_loop *, tb_record *, tb_span); /* unless one is */
void sim_unschedule(sim_world *, tb_timer_id *);
void sim_enter(sim_queue *, tb_record *);
void sim_leave(tb_record *);
void sim_done(tb_loop *, tb_record *, tb_result);       /* to be reported by wait */

/* sim_sockets.c */
void sim_look(tb_loop *, sim_object *);                 /* schedules what can be done now */
void sim_stream_answer(tb_loop *, tb_record *);
void sim_connect_answer(tb_loop *, tb_record *);
bool sim_listen(tb_loop *, const tb_address *, int backlog, void **object, tb_loop_error *);
bool sim_local_address(tb_loop *, void *object, tb_address *, tb_loop_error *);
bool sim_pair(tb_loop *, tb_transport, void *objects[2], tb_loop_error *);
bool sim_pipe(tb_loop *, void *objects[2], tb_loop_error *);
bool sim_end_sending(tb_loop *, void *object, tb_loop_error *);
void sim_close_object(tb_loop *, void *object);

/* sim_files.c */
bool sim_open_file(tb_loop *, const char *path, unsigned mode, void **object, tb_loop_error *);
void sim_file_answer(tb_loop *, tb_record *);
void sim_files_free(sim_world *);

/* sim_lanes.c */
bool sim_call(tb_loop *, tb_record *, tb_result *refused);
void sim_call_answer(tb_loop *, tb_record *);
bool sim_call_cancel(tb_loop *, tb_record *);

#endif
