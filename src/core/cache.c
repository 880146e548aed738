/* cache.c - cache of compiled code on disk. A cache entry is a file: the payload first, then a trailer, so that a
 * shared object in the cache can be opened with dlopen as it is. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "core/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/timer.h"

enum { CACHE_PATH = 4096 };

/* Trailer after the payload of a cache entry. The hash covers the file name as well as the payload, so that a renamed
 * entry is rejected. */
typedef struct {
    char magic[8];
    uint64_t size;
    myr_hash hash;
} cache_trailer;

static const char cache_magic[8] = {'M', 'Y', 'R', 'C', 'A', 'C', 'H', 'E'};

void myr_cache_key(const char *const *text, int n, char key[MYR_CACHE_KEY])
{
    myr_hash h = {0, 0};
    myr_hash_state *state = myr_hash_available() ? myr_hash_create() : NULL;
    for (int k = 0; state && k < n; k++)
        myr_hash_add(state, text[k], strlen(text[k]) + 1);
    if (state)
        h = myr_hash_value(state);
    if (state)
        myr_hash_destroy(&state);
    snprintf(key, MYR_CACHE_KEY, "%016llx%016llx", (unsigned long long)h.high, (unsigned long long)h.low);
}

static int cache_usable(const char *key)
{
    return myr_hash_available() && strspn(key, "0") != MYR_CACHE_KEY - 1;
}

static int cache_trailer_make(const char *key, const char *suffix, const void *bytes, size_t size, cache_trailer *t)
{
    myr_hash_state *state = myr_hash_create();
    if (!state)
        return 0;
    myr_hash_add(state, key, strlen(key) + 1);
    myr_hash_add(state, suffix, strlen(suffix) + 1);
    myr_hash_add(state, bytes, size);
    memset(t, 0, sizeof *t);
    memcpy(t->magic, cache_magic, sizeof t->magic);
    t->size = size;
    t->hash = myr_hash_value(state);
    myr_hash_destroy(&state);
    return 1;
}

/* 1 if the file or folder belongs to the effective user and neither group nor others have write permission. */
static int cache_is_private(const struct stat *s)
{
    return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int cache_folder_name(char *folder, size_t room)
{
    const char *own = getenv("MYRIAD_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (own && own[0])
        length = snprintf(folder, room, "%s", own);
    else if (xdg && xdg[0] == '/') /* the XDG base directory specification says to ignore a relative path */
        length = snprintf(folder, room, "%s/myriad", xdg);
    else if (home && home[0])
        length = snprintf(folder, room, "%s/.cache/myriad", home);
    return length > 0 && (size_t)length < room;
}

/* Creates the folder and its missing parent folders with mode 0700; 1 on success. */
static int cache_folder_make(char *folder)
{
    for (char *at = folder + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            const int made = mkdir(folder, 0700) == 0 || errno == EEXIST;
            *at = '/';
            if (!made)
                return 0;
        }
    return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

static int cache_fail(char *message, size_t room, const char *what, const char *path, const char *why)
{
    if (message)
        snprintf(message, room, "%s %s: %s; set MYRIAD_CACHE to a folder of your own", what, path, why);
    return 0;
}

/* Writes the path of the cache folder to `folder`; 0 and a sentence in `message` if the folder is missing or if other
 * users can write to it. */
static int cache_folder(int make, char *folder, size_t path_room, char *message, size_t room)
{
    struct stat s;
    if (!cache_folder_name(folder, path_room))
        return cache_fail(message, room, "cannot name the folder of compiled kernels:", "HOME", "not set, or too long");
    if (make && !cache_folder_make(folder))
        return cache_fail(message, room, "cannot make", folder, strerror(errno));
    if (stat(folder, &s) != 0)
        return cache_fail(message, room, "cannot use", folder, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return cache_fail(message, room, "cannot use", folder, "it is not a folder");
    if (!cache_is_private(&s))
        return cache_fail(message, room, "cannot use", folder, "it is not yours alone");
    return 1;
}

static int cache_path(int make, const char *key, const char *suffix, char *path, size_t path_room, char *message,
                      size_t room)
{
    char folder[CACHE_PATH];
    if (!cache_usable(key))
        return cache_fail(message, room, "nothing is kept in", "the cache", "this build has no xxHash");
    if (!cache_folder(make, folder, sizeof folder, message, room))
        return 0;
    const int length = snprintf(path, path_room, "%s/%s.%s", folder, key, suffix);
    if (length < 0 || (size_t)length >= path_room)
        return cache_fail(message, room, "cannot use", folder, "the name is too long");
    return 1;
}

int myr_cache_path(const char *key, const char *suffix, char *path, size_t path_room, char *message, size_t room)
{
    return cache_path(1, key, suffix, path, path_room, message, room);
}

/* Reads `size` bytes from the start of an open file; null if the file is shorter or memory is short. */
static void *cache_read_all(int file, size_t size)
{
    char *bytes = malloc(size);
    size_t have = 0;
    while (bytes && have < size) {
        const ssize_t got = read(file, bytes + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        have += (size_t)got;
    }
    return bytes;
}

int myr_cache_read(const char *key, const char *suffix, void **bytes, size_t *size)
{
    char path[CACHE_PATH];
    cache_trailer found, right;
    struct stat s;
    void *all = NULL;
    *bytes = NULL;
    *size = 0;
    if (!cache_path(0, key, suffix, path, sizeof path, NULL, 0))
        return 0;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return 0;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && cache_is_private(&s) && (size_t)s.st_size >= sizeof found)
        all = cache_read_all(file, (size_t)s.st_size);
    close(file);
    if (!all)
        return 0;
    const size_t inner = (size_t)s.st_size - sizeof found;
    memcpy(&found, (char *)all + inner, sizeof found);
    if (found.size != inner || !cache_trailer_make(key, suffix, all, inner, &right) ||
        memcmp(&found, &right, sizeof right) != 0) {
        free(all);
        return 0;
    }
    *bytes = all;
    *size = inner;
    return 1;
}

static int cache_write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return 0;
        at += put;
        size -= (size_t)put;
    }
    return 1;
}

/* Opens and locks the temporary file of an entry. A temporary file that a killed process left behind is reused. Returns
 * the file descriptor, -1 on error, or -2 if another process is writing this entry or has just finished it. */
static int cache_open_partial(const char *partial)
{
    struct stat named, opened;
    const int file = open(partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    const int mine = flock(file, LOCK_EX | LOCK_NB) == 0 && stat(partial, &named) == 0 && fstat(file, &opened) == 0 &&
                     named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
    if (mine && cache_is_private(&opened) && ftruncate(file, 0) == 0)
        return file;
    close(file);
    return mine ? -1 : -2;
}

int myr_cache_write(const char *key, const char *suffix, const void *bytes, size_t size, char *message, size_t room)
{
    char path[CACHE_PATH], partial[CACHE_PATH + sizeof ".partial"];
    cache_trailer trailer;
    if (!cache_path(1, key, suffix, path, sizeof path, message, room))
        return 0;
    snprintf(partial, sizeof partial, "%s.partial", path);
    if (!cache_trailer_make(key, suffix, bytes, size, &trailer))
        return cache_fail(message, room, "cannot write", path, "no memory");
    const int file = cache_open_partial(partial);
    if (file == -2)
        return 1;
    if (file < 0)
        return cache_fail(message, room, "cannot write", partial, strerror(errno));
    /* no fsync: an entry that a power failure truncated fails the hash check at the next read and is compiled again */
    const int whole = cache_write_all(file, bytes, size) && cache_write_all(file, &trailer, sizeof trailer) &&
                      rename(partial, path) == 0;
    const int error = errno;
    if (!whole)
        unlink(partial);
    close(file);
    return whole ? 1 : cache_fail(message, room, "cannot write", path, strerror(error));
}

/* One byte of the file `lock` stands for a key, so that different entries are made at the same time. The lock belongs
 * to the open file: it holds between threads of a process too, and ends with the process. */
int myr_cache_lock(const char *key, double seconds)
{
    char folder[CACHE_PATH], path[CACHE_PATH + sizeof "/lock"];
    const struct timespec pause = {.tv_nsec = 20000000};
    const double start = myr_timer_now();
    unsigned start_of_key = 0;
    sscanf(key, "%7x", &start_of_key);
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start_of_key, .l_len = 1};
    if (!myr_hash_available() || !cache_folder(1, folder, sizeof folder, NULL, 0))
        return -1;
    snprintf(path, sizeof path, "%s/lock", folder);
    const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (file >= 0 && fcntl(file, F_OFD_SETLK, &range) != 0) {
        if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || myr_timer_now() - start > seconds) {
            close(file);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return file;
}

void myr_cache_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
