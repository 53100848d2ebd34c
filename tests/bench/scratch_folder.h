/* scratch_folder.h: an empty folder for the files of a test program, which works in it and removes it at its end. */
#ifndef TESTS_BENCH_SCRATCH_FOLDER_H
#define TESTS_BENCH_SCRATCH_FOLDER_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_folder[] = "/tmp/timerbench-test-XXXXXX";

/* Makes it and goes there; ends the program when that is impossible. */
static inline void enter_scratch_folder(void)
{
    if (!mkdtemp(scratch_folder) || chdir(scratch_folder) != 0) {
        printf("Bail out! no folder for temporary files\n");
        exit(1);
    }
}

/* Makes a file of these bytes. */
static inline void put_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
}

static inline void put_text(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

/* How many entries a folder has. */
static inline int count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return -1;
    int count = 0;
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static inline int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static inline void remove_tree(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void leave_scratch_folder(void)
{
    if (chdir("/") == 0)
        remove_tree(scratch_folder);
}

#endif
