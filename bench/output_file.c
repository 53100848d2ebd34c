/* output_file.c: output files that are written whole or not at all. */
#include "bench/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tb_output_file {
    char *path;      /* as the user gave it, for messages */
    char *target;    /* what to replace: the path with its symbolic links followed */
    char *temporary; /* NULL: written directly */
    FILE *stream;
    int fd;
    int failed; /* errno of the first failed write */
    pid_t owner;
    tb_output_file *next;
    char buffer[1 << 16]; /* of the stream; setvbuf sizes no buffer itself */
};

/* The files with a temporary, for the exit and signal handlers. Changed only with signals blocked. */
static tb_output_file *open_files;

/* A child made by fork has the list too, but the files are its parent's. */
static void remove_temporaries(void)
{
    for (tb_output_file *file = open_files; file; file = file->next)
        if (file->owner == getpid())
            unlink(file->temporary);
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static void list_file(tb_output_file *file)
{
    static bool at_exit;
    if (!at_exit)
        at_exit = atexit(remove_temporaries) == 0;
    sigset_t before;
    block_signals(&before);
    file->next = open_files;
    open_files = file;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void unlist_file(tb_output_file *file)
{
    sigset_t before;
    block_signals(&before);
    tb_output_file **link = &open_files;
    while (*link && *link != file)
        link = &(*link)->next;
    if (*link)
        *link = file->next;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void clean_and_die(int signal_number)
{
    remove_temporaries();
    /* The handler was installed for one delivery (SA_RESETHAND): this one ends the process. */
    raise(signal_number);
}

static void note_size_limit(int signal_number)
{
    (void)signal_number; /* write() answers EFBIG */
}

void tb_output_clean_on_signals(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction old, action = {.sa_handler = clean_and_die, .sa_flags = (int)SA_RESETHAND};
        /* What the parent had ignored (nohup) stays ignored. */
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
    }
    /* A handler and not SIG_IGN, which a program started by this one would inherit. */
    struct sigaction limit = {.sa_handler = note_size_limit, .sa_flags = SA_RESTART};
    sigaction(SIGXFSZ, &limit, NULL);
}

/* What fopencookie's stream calls; 0 tells it of an error. stdio forgets why a write failed, so this remembers. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size)
{
    tb_output_file *file = cookie;
    size_t done = 0;
    while (done < size && !file->failed) {
        ssize_t n = write(file->fd, bytes + done, size - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            file->failed = errno;
    }
    return file->failed ? 0 : (ssize_t)size;
}

static void fail(tb_error_text *error, const char *path, const char *reason)
{
    tb_error_set(error, "cannot write '%s': %s", path, reason);
}

/* Whether `status` is what standard output or standard error goes to, as with /dev/stdout when the shell has sent it to
   a file. Then a copy of that descriptor shares its place in the file; renaming something over it would lose the rest. */
static int standard_descriptor(const struct stat *status)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat own;
        int flags = fcntl(fd, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(fd, &own) == 0 && own.st_dev == status->st_dev &&
            own.st_ino == status->st_ino)
            return fd;
    }
    return -1;
}

static bool open_directly(tb_output_file *file, int standard, tb_error_text *error)
{
    if (standard >= 0) {
        fflush(stdout);
        file->fd = fcntl(standard, F_DUPFD_CLOEXEC, 0);
    } else {
        file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (file->fd < 0)
        fail(error, file->path, strerror(errno));
    return file->fd >= 0;
}

/* Creates the temporary beside the target. `mode`: of the file that will be replaced, or NULL for a new one. */
static bool open_temporary(tb_output_file *file, const mode_t *mode, tb_error_text *error)
{
    const char *slash = strrchr(file->target, '/');
    size_t folder = slash ? (size_t)(slash - file->target) + 1 : 0;
    size_t size = folder + 64;
    file->temporary = malloc(size);
    if (!file->temporary) {
        tb_error_no_memory(error);
        return false;
    }
    file->owner = getpid();
    /* Not mkstemp, whose files are private: open applies the umask and the folder's default access list. */
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(file->temporary, size, "%.*s.timerbench-%ld-%d.tmp", (int)folder, file->target, (long)file->owner,
                 attempt);
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd >= 0 || errno != EEXIST)
            break;
    }
    if (file->fd < 0) {
        int reason = errno;
        free(file->temporary);
        file->temporary = NULL;
        if (reason == ENOENT)
            tb_error_set(error, "cannot write '%s': its folder does not exist", file->path);
        else
            fail(error, file->path, strerror(reason));
        return false;
    }
    list_file(file);
    if (mode && fchmod(file->fd, *mode & 07777) != 0) {
        fail(error, file->path, strerror(errno));
        return false;
    }
    return true;
}

static bool open_target(tb_output_file *file, tb_error_text *error)
{
    size_t length = strlen(file->path);
    struct stat status;
    if (stat(file->path, &status) != 0) {
        if (errno != ENOENT || lstat(file->path, &status) == 0) {
            fail(error, file->path, errno == ENOENT ? "a symbolic link to nothing" : strerror(errno));
            return false;
        }
        if (length == 0 || file->path[length - 1] == '/') {
            fail(error, file->path, "expected the name of a file");
            return false;
        }
        file->target = strdup(file->path);
        if (!file->target) {
            tb_error_no_memory(error);
            return false;
        }
        return open_temporary(file, NULL, error);
    }
    if (S_ISDIR(status.st_mode)) {
        fail(error, file->path, "it is a folder; expected the name of a file");
        return false;
    }
    int standard = standard_descriptor(&status);
    if (!S_ISREG(status.st_mode) || standard >= 0)
        return open_directly(file, standard, error);
    /* A rename would replace a file that its owner has protected against writing. */
    if (faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0 || !(file->target = realpath(file->path, NULL))) {
        fail(error, file->path, strerror(errno));
        return false;
    }
    return open_temporary(file, &status.st_mode, error);
}

static void discard(tb_output_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->temporary) {
        unlink(file->temporary);
        unlist_file(file);
    }
    free(file->temporary);
    free(file->target);
    free(file->path);
    free(file);
}

tb_output_file *tb_output_open(const char *path, tb_error_text *error)
{
    tb_output_file *file = calloc(1, sizeof *file);
    if (!file) {
        tb_error_no_memory(error);
        return NULL;
    }
    file->fd = -1;
    file->path = strdup(path);
    if (!file->path) {
        tb_error_no_memory(error);
        discard(file);
        return NULL;
    }
    if (!open_target(file, error)) {
        discard(file);
        return NULL;
    }
    file->stream = fopencookie(file, "w", (cookie_io_functions_t){.write = write_all});
    if (!file->stream) {
        tb_error_no_memory(error);
        discard(file);
        return NULL;
    }
    setvbuf(file->stream, file->buffer, _IOFBF, sizeof file->buffer);
    return file;
}

FILE *tb_output_stream(tb_output_file *file)
{
    return file->stream;
}

bool tb_output_failed(const tb_output_file *file)
{
    return file->failed != 0;
}

bool tb_output_commit(tb_output_file *file, tb_error_text *error)
{
    if (fclose(file->stream) != 0 && !file->failed)
        file->failed = errno ? errno : EIO;
    if (!file->failed && file->temporary && fsync(file->fd) != 0 && errno != EINVAL)
        file->failed = errno;
    if (close(file->fd) != 0 && !file->failed)
        file->failed = errno;
    file->fd = -1;
    if (!file->failed && file->temporary) {
        if (rename(file->temporary, file->target) != 0) {
            file->failed = errno;
        } else {
            unlist_file(file);
            free(file->temporary);
            file->temporary = NULL;
        }
    }
    bool written = !file->failed;
    if (!written)
        fail(error, file->path, strerror(file->failed));
    discard(file);
    return written;
}

void tb_output_abandon(tb_output_file *file)
{
    if (!file)
        return;
    /* Nothing that is still buffered shall reach a pipe. */
    file->failed = ECANCELED;
    fclose(file->stream);
    discard(file);
}
