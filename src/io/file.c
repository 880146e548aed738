/* file.c - atomic replacement of files: temporary name, lock, flush, rename. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domain/ranks.h"

enum { FILE_CHUNK = 1 << 30, FILE_ATTEMPTS = 100 };

myr_status myr_file_fail(myr_context *context, const char *doing, const char *path, int error)
{
    char text[128];
    if (strerror_r(error, text, sizeof text) != 0)
        snprintf(text, sizeof text, "error %d", error);
    return myr_context_fail(context, MYR_ERROR_FILE, "cannot %s '%s': %s", doing, path, text);
}

/* Error of a disk operation. With several ranks the message names rank 0, because each rank may use another disk;
 * messages of other ranks already contain their numbers. */
static myr_status file_fail_on_rank(const myr_file *file, const char *doing, int error)
{
    const myr_status status = myr_file_fail(file->context, doing, file->target, error);
    char said[MYR_MESSAGE_MAX];
    if (myr_ranks_count(file->context) == 1 || myr_ranks_me(file->context) > 0)
        return status;
    snprintf(said, sizeof said, "%s", myr_context_message(file->context));
    return myr_context_fail(file->context, status, "rank 0: %s", said);
}

char *myr_file_name(const char *path, const char *ending)
{
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", path, ending);
    return name;
}

myr_status myr_file_resolve(myr_context *context, const char *path, char **target)
{
    struct stat there;
    *target = NULL;
    if (lstat(path, &there) == 0 && S_ISLNK(there.st_mode)) {
        *target = realpath(path, NULL);
        return *target ? MYR_OK : myr_file_fail(context, "follow the symbolic link", path, errno);
    }
    *target = strdup(path);
    return *target ? MYR_OK : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", path);
}

/* 1 if the descriptor still refers to the file at path: a writer that held the lock before may have renamed or removed
 * the file between open and lock. */
static int file_is_at(int descriptor, const char *path)
{
    struct stat opened, there;
    return fstat(descriptor, &opened) == 0 && lstat(path, &there) == 0 && opened.st_ino == there.st_ino &&
           opened.st_dev == there.st_dev;
}

/* Opens, locks and truncates the temporary file. */
static myr_status file_open_temporary(myr_file *f)
{
    struct stat s;
    for (int attempt = 0; attempt < FILE_ATTEMPTS; attempt++) {
        const int d = open(f->temporary, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (d < 0)
            return myr_file_fail(f->context, "write", f->temporary, errno);
        /* a file system without locks is accepted */
        if (flock(d, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(d);
            return myr_context_fail(f->context, MYR_ERROR_FILE, "cannot write '%s': another process is writing it",
                                    f->target);
        }
        if (!file_is_at(d, f->temporary)) {
            close(d);
            continue;
        }
        if (fstat(d, &s) == 0 && !S_ISREG(s.st_mode)) {
            close(d);
            return myr_context_fail(f->context, MYR_ERROR_FILE, "cannot write '%s': it is not a regular file",
                                    f->temporary);
        }
        f->descriptor = d;
        if (ftruncate(d, 0) == 0)
            return MYR_OK;
        return myr_file_fail(f->context, "write", f->temporary, errno);
    }
    return myr_context_fail(f->context, MYR_ERROR_FILE, "cannot write '%s': other processes keep writing it",
                            f->target);
}

myr_status myr_file_create(myr_context *context, const char *path, myr_file *file)
{
    struct stat there;
    *file = (myr_file){.context = context, .descriptor = -1};
    if (!*path)
        return myr_context_fail(context, MYR_ERROR_ARGUMENT, "a file needs a name");
    /* renaming over a device or pipe would replace it */
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return myr_context_fail(context, MYR_ERROR_FILE, "cannot write '%s': there is %s of that name", path,
                                S_ISDIR(there.st_mode) ? "a directory" : "something other than a file");
    myr_status status = myr_file_resolve(context, path, &file->target);
    if (!status) {
        file->temporary = myr_file_name(file->target, ".partial");
        status = file->temporary ? file_open_temporary(file)
                                 : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", path);
    }
    if (status)
        myr_file_discard(file);
    return status;
}

myr_status myr_file_write(myr_file *file, uint64_t offset, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        const ssize_t done = pwrite(file->descriptor, from, size < FILE_CHUNK ? size : FILE_CHUNK, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return file_fail_on_rank(file, "write", done < 0 ? errno : ENOSPC);
        from += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return MYR_OK;
}

myr_status myr_file_flush(myr_file *file)
{
    int failed;
    do
        failed = fsync(file->descriptor);
    while (failed && errno == EINTR);
    return failed ? file_fail_on_rank(file, "flush to the disk", errno) : MYR_OK;
}

myr_status myr_file_join(myr_context *context, const char *temporary, myr_file *file)
{
    *file = (myr_file){.context = context, .descriptor = -1};
    file->target = strdup(temporary);
    if (!file->target)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", temporary);
    file->descriptor = open(temporary, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file->descriptor >= 0)
        return MYR_OK;
    char text[128];
    if (strerror_r(errno, text, sizeof text) != 0)
        snprintf(text, sizeof text, "error %d", errno);
    const myr_status status = myr_context_fail(
        context, MYR_ERROR_FILE, "cannot join in writing '%s': %s; all ranks must see the same files", temporary, text);
    free(file->target);
    file->target = NULL;
    return status;
}

myr_status myr_file_leave(myr_file *file)
{
    const myr_status status = myr_file_flush(file);
    close(file->descriptor);
    file->descriptor = -1;
    free(file->target);
    file->target = NULL;
    return status;
}

/* Flushes the directory of a path to disk; file systems that cannot flush directories are accepted. */
static myr_status file_flush_directory(myr_context *context, const char *path)
{
    char *directory = strdup(path);
    if (!directory)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", path);
    char *slash = strrchr(directory, '/');
    if (!slash)
        strcpy(directory, "."); /* a path is never empty */
    else
        slash[slash == directory] = 0;
    int error = 0;
    const int d = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d >= 0) {
        if (fsync(d) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EINTR)
            error = errno;
        close(d);
    } else if (errno != EACCES) { /* a directory may be writable but not readable */
        error = errno;
    }
    const myr_status status = error ? myr_file_fail(context, "flush the directory", directory, error) : MYR_OK;
    free(directory);
    return status;
}

myr_status myr_file_publish(myr_file *file)
{
    if (rename(file->temporary, file->target) != 0) {
        const myr_status status = myr_file_fail(file->context, "write", file->target, errno);
        myr_file_discard(file);
        return status;
    }
    const myr_status status = file_flush_directory(file->context, file->target);
    free(file->temporary);
    file->temporary = NULL; /* no temporary file is left to remove */
    myr_file_discard(file);
    return status;
}

void myr_file_discard(myr_file *file)
{
    /* removed before the lock is released, so that a file of another writer cannot be removed */
    if (file->descriptor >= 0) {
        if (file->temporary)
            unlink(file->temporary);
        close(file->descriptor);
    }
    free(file->temporary);
    free(file->target);
    *file = (myr_file){.descriptor = -1};
}

myr_status myr_file_open(myr_context *context, const char *path, int *descriptor, uint64_t *size)
{
    struct stat s;
    const int d = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* non-blocking, because opening a pipe would wait */
    *descriptor = -1;
    if (d < 0)
        return myr_file_fail(context, "read", path, errno);
    if (fstat(d, &s) != 0) {
        const int error = errno;
        close(d);
        return myr_file_fail(context, "read", path, error);
    }
    if (!S_ISREG(s.st_mode)) {
        close(d);
        return myr_context_fail(context, MYR_ERROR_FILE, "cannot read '%s': it is %s", path,
                                S_ISDIR(s.st_mode) ? "a directory" : "not a regular file");
    }
    *descriptor = d;
    *size = (uint64_t)s.st_size;
    return MYR_OK;
}

myr_status myr_file_read(myr_context *context, const char *path, int descriptor, uint64_t offset, void *bytes,
                         size_t size)
{
    char *to = bytes;
    while (size > 0) {
        const ssize_t got = pread(descriptor, to, size < FILE_CHUNK ? size : FILE_CHUNK, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return myr_file_fail(context, "read", path, errno);
        if (got == 0)
            return myr_context_fail(context, MYR_ERROR_FORMAT, "'%s' is cut short: it ends at byte %llu", path,
                                    (unsigned long long)offset);
        to += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return MYR_OK;
}
