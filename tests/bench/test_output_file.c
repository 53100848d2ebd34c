/* test_output_file.c: output files are there whole, or not at all. */
#include "tests/tap.h"

#include "bench/output_file.h"
#include "tests/bench/failing_malloc.h"
#include "tests/bench/scratch_folder.h"

#include <fcntl.h>
#include <signal.h>

static tb_error_text error;

static const char *content(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return "(absent)";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Writes `text` to `path` the way a command does. False: it failed, and `error` says why. */
static bool write_out(const char *path, const char *text)
{
    tb_output_file *file = tb_output_open(path, &error);
    if (!file)
        return false;
    fputs(text, tb_output_stream(file));
    return tb_output_commit(file, &error);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void test_new_and_replaced(void)
{
    umask(027);
    tb_output_file *file = tb_output_open("new", &error);
    ok(file != NULL, "a new file is opened");
    fputs("one\n", tb_output_stream(file));
    fflush(tb_output_stream(file));
    ok(access("new", F_OK) != 0, "it is not there under its name while it is written");
    ok(tb_output_commit(file, &error), "it is committed");
    is_text(content("new"), "one\n", "and has its content then");
    is(mode_of("new"), 0640, "with the permissions the umask leaves");
    is(count_entries("."), 1, "and nothing is beside it");
    chmod("new", 0604);
    file = tb_output_open("new", &error);
    fputs("two\n", tb_output_stream(file));
    is_text(content("new"), "one\n", "a file being replaced keeps its content until the commit");
    ok(tb_output_commit(file, &error), "it is replaced");
    is_text(content("new"), "two\n", "by the new content");
    is(mode_of("new"), 0604, "and keeps its permissions");
    file = tb_output_open("new", &error);
    fputs("three\n", tb_output_stream(file));
    tb_output_abandon(file);
    is_text(content("new"), "two\n", "an abandoned one leaves what was there");
    is(count_entries("."), 1, "and nothing beside it");
    tb_output_abandon(NULL);
    umask(022);
    char *large = malloc(1000001);
    memset(large, 'x', 1000000);
    large[1000000] = '\0';
    ok(write_out("large", large) && content("large") && mode_of("large") == 0644, "a megabyte is written");
    struct stat status;
    is(stat("large", &status) == 0 ? status.st_size : -1, 1000000, "all of it");
    free(large);
    unlink("large");
    unlink("new");
}

static void test_links(void)
{
    mkdir("real", 0755);
    put_text("real/target", "old");
    if (symlink("real/target", "link") != 0 || symlink("nowhere", "broken") != 0)
        return;
    ok(write_out("link", "new"), "a symbolic link is written through");
    is_text(content("real/target"), "new", "its target is replaced");
    struct stat status;
    ok(lstat("link", &status) == 0 && S_ISLNK(status.st_mode), "and it stays a link");
    is(count_entries("real"), 1, "with nothing left in the target's folder");
    ok(!write_out("broken", "x"), "a link to nothing is refused");
    is_text(error.text, "cannot write 'broken': a symbolic link to nothing", "by a clear line");
    ok(write_out("./real/../real/target", "again"), "a path with dots");
    unlink("link");
    unlink("broken");
    remove_tree("real");
}

static void test_refused(void)
{
    mkdir("folder", 0755);
    static const struct {
        const char *path, *want;
    } cases[] = {
        {"folder", "cannot write 'folder': it is a folder; expected the name of a file"},
        {"folder/", "cannot write 'folder/': it is a folder; expected the name of a file"},
        {"", "cannot write '': expected the name of a file"},
        {"missing/x", "cannot write 'missing/x': its folder does not exist"},
        {"missing/", "cannot write 'missing/': expected the name of a file"},
        {"missing\n/x", "cannot write 'missing?/x': its folder does not exist"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_text(write_out(cases[i].path, "x") ? "(written)" : error.text, cases[i].want, "no. %zu is refused", i);
    put_text("plain", "x");
    ok(!write_out("plain/x", "x") && strstr(error.text, "Not a directory"), "a file is no folder");
    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    ok(!write_out(name, "x") && strstr(error.text, "File name too long"), "a name that is too long");
    is(count_entries("."), 2, "nothing is left of all these");
    is(count_entries("folder"), 0, "nor in the folder");
    name[255] = '\0';
    ok(write_out(name, "x"), "the longest name there may be is written");
    unlink(name);
    unlink("plain");
    rmdir("folder");
}

/* Root may write anywhere, so this is asked as somebody else, in a child. */
static int write_as_nobody(void)
{
    if (geteuid() == 0 && seteuid(65534) != 0)
        return 77;
    int result = 0;
    if (write_out("protected", "x") || !strstr(error.text, "Permission denied"))
        result |= 1;
    if (write_out("closed/x", "x") || !strstr(error.text, "Permission denied"))
        result |= 2;
    return result;
}

static void test_protected(void)
{
    put_text("protected", "old");
    chmod("protected", 0444);
    mkdir("closed", 0555);
    chmod(".", 0777);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(write_as_nobody());
    int status = -1;
    waitpid(child, &status, 0);
    is(status, 0, "neither a write-protected file nor a read-only folder is written");
    is_text(content("protected"), "old", "though its folder would let the file be replaced");
    is(count_entries("."), 2, "and nothing is left behind");
    unlink("protected");
    rmdir("closed");
}

static void test_direct(void)
{
    ok(!write_out("/dev/full", "x"), "a full device is an error");
    is_text(error.text, "cannot write '/dev/full': No space left on device", "that says so");
    ok(write_out("/dev/null", "x"), "/dev/null is written");
    struct stat status;
    ok(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode), "and still is what it was");
    tb_output_file *file = tb_output_open("/dev/full", &error);
    for (int i = 0; i < 100000; i++)
        fputs("more than a buffer holds\n", tb_output_stream(file));
    ok(tb_output_failed(file), "a long output fails on the way");
    ok(!tb_output_commit(file, &error) && strstr(error.text, "No space left"), "and the first reason is kept");
    int ends[2];
    if (pipe(ends) != 0)
        return;
    char path[64], text[8] = "";
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    ok(write_out(path, "piped"), "a pipe is written directly");
    is(read(ends[0], text, sizeof text - 1), 5, "and what was written has arrived");
    file = tb_output_open(path, &error);
    fputs("given up", tb_output_stream(file));
    tb_output_abandon(file);
    close(ends[1]);
    is(read(ends[0], text, sizeof text - 1), 0, "nothing of an abandoned output arrives");
    close(ends[0]);
}

/* As with `timerbench ... --out /dev/stdout >>file`. */
static void test_standard_output_in_a_file(void)
{
    put_text("log", "before\n");
    fflush(stdout);
    int saved = dup(1), log = open("log", O_WRONLY | O_APPEND);
    dup2(log, 1);
    printf("printed\n");
    bool written = write_out("/dev/stdout", "written\n");
    printf("after\n");
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    close(log);
    ok(written, "/dev/stdout is written when it is a file");
    is_text(content("log"), "before\nprinted\nwritten\nafter\n", "in its place in the file, which is not replaced");
    unlink("log");
}

/* Ends a child in the middle of writing: by exit, or by a signal. Returns what waitpid says. */
static int end_while_writing(int signal_number)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        /* Whoever started the tests may have had it ignored. */
        if (signal_number)
            signal(signal_number, SIG_DFL);
        tb_output_clean_on_signals();
        tb_output_file *file = tb_output_open("cut-short", &error);
        fputs("half", tb_output_stream(file));
        fflush(tb_output_stream(file));
        if (!signal_number)
            exit(count_entries(".") == 1 ? 5 : 6);
        raise(signal_number);
        _exit(7);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void test_interrupted(void)
{
    int status = end_while_writing(0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 5, "there is one file while a program writes");
    is(count_entries("."), 0, "and none when it has called exit meanwhile");
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        status = end_while_writing(signals[i]);
        ok(WIFSIGNALED(status) && WTERMSIG(status) == signals[i] && count_entries(".") == 0,
           "signal %d ends the program, and leaves nothing", signals[i]);
    }
    tb_output_file *file = tb_output_open("mine", &error);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    ok(tb_output_commit(file, &error) && count_entries(".") == 1, "a child that ends does not take its parent's file");
    unlink("mine");
}

/* The limit on the size of files stands for a disk that fills up. */
static int write_beyond_limit(void)
{
    tb_output_clean_on_signals();
    struct rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return write_out("existing", text) ? 1 : strstr(error.text, "File too large") ? 0 : 2;
}

static void test_disk_full(void)
{
    put_text("existing", "old");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(write_beyond_limit());
    int status = -1;
    waitpid(child, &status, 0);
    is(status, 0, "a write that does not fit is an error that says so");
    is_text(content("existing"), "old", "what was there is as it was");
    is(count_entries("."), 1, "and nothing is beside it");
    unlink("existing");
}

static void test_memory(void)
{
    put_text("existing", "old");
    int wrong = 0;
    for (long k = 1;; k++) {
        fail_allocation(k);
        bool written = write_out("existing", "new");
        bool failed = allocation_failed();
        /* stdio's own buffers may fail to be there without harm, so a write may succeed. */
        wrong += !written && !failed;
        wrong += !written && strcmp(content("existing"), "old") != 0;
        wrong += count_entries(".") != 1;
        if (written)
            put_text("existing", "old");
        if (!failed)
            break;
    }
    none_of(wrong, "without memory the file is whole or untouched, and nothing is left beside it");
    unlink("existing");
}

int main(void)
{
    enter_scratch_folder();
    test_new_and_replaced();
    test_links();
    test_refused();
    test_protected();
    test_direct();
    test_standard_output_in_a_file();
    test_interrupted();
    test_disk_full();
    test_memory();
    is(count_entries("."), 0, "nothing is left of it all");
    leave_scratch_folder();
    return tap_done();
}
