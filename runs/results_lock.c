/* results_lock.c - the lock on a directory of results. */
#include "results_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

enum { LOCK_ATTEMPTS = 100, LOCK_TEXT = RESULTS_HOST + 32 };

void results_writer_self(results_writer *self)
{
    *self = (results_writer){.process = (long)getpid()};
    if (gethostname(self->host, sizeof self->host - 1))
        self->host[0] = 0;
}

static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/* What the holder wrote into the file; where that is not there yet, what the kernel knows. */
static void read_writer(int descriptor, results_writer *writer)
{
    char text[LOCK_TEXT] = "";
    struct flock lock = whole_file();
    *writer = (results_writer){0};
    const ssize_t got = pread(descriptor, text, sizeof text - 1, 0);
    if (got > 0 && sscanf(text, "%ld %255s", &writer->process, writer->host) == 2)
        return;
    *writer = (results_writer){0};
    if (fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
        writer->process = (long)lock.l_pid;
}

static void write_self(int descriptor)
{
    char text[LOCK_TEXT];
    results_writer self;
    results_writer_self(&self);
    const int length = snprintf(text, sizeof text, "%ld %s\n", self.process, self.host);
    /* a full disk leaves the file empty; the lock is held all the same */
    if (ftruncate(descriptor, 0) == 0 && pwrite(descriptor, text, (size_t)length, 0) == length)
        (void)fsync(descriptor);
}

/* Whether the name still is that of the open file, which its holder removes when it ends. */
static int is_at(int descriptor, const char *path)
{
    struct stat opened, there;
    return fstat(descriptor, &opened) == 0 && lstat(path, &there) == 0 && opened.st_ino == there.st_ino &&
           opened.st_dev == there.st_dev;
}

static int lock_path(const char *directory, char path[RESULTS_PATH])
{
    return (size_t)snprintf(path, RESULTS_PATH, "%s/run.lock", directory) >= RESULTS_PATH;
}

int results_lock_test(const char *directory, results_writer *writer)
{
    char path[RESULTS_PATH];
    struct flock lock = whole_file();
    *writer = (results_writer){0};
    const int d = lock_path(directory, path) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (d < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    const int known = fcntl(d, F_GETLK, &lock) == 0, held = known && lock.l_type != F_UNLCK;
    if (held)
        read_writer(d, writer);
    close(d);
    return known ? held : -1;
}

int results_lock_refuse(const char *directory, const results_writer *writer)
{
    if (writer->process && writer->host[0])
        return cli_fail(CLI_FAILED, "%s is being written by process %ld on %s; wait for it or stop it", directory,
                        writer->process, writer->host);
    if (writer->process)
        return cli_fail(CLI_FAILED, "%s is being written by process %ld; wait for it or stop it", directory,
                        writer->process);
    return cli_fail(CLI_FAILED, "%s is being written by another process; wait for it or stop it", directory);
}

int results_lock_take(const char *directory, results_lock *lock)
{
    *lock = (results_lock){0};
    if (lock_path(directory, lock->path))
        return cli_fail(CLI_USAGE, "the name of the directory is too long");
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        const int d = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (d < 0 && (errno == ENOENT || errno == ENOTDIR))
            return CLI_OK;
        if (d < 0)
            return cli_fail(CLI_FAILED, "%s cannot be written: %s", lock->path, strerror(errno));
        struct flock whole = whole_file();
        const int failed = fcntl(d, F_SETLK, &whole), error = errno;
        if (failed && (error == EACCES || error == EAGAIN)) {
            results_writer writer;
            read_writer(d, &writer);
            close(d);
            return results_lock_refuse(directory, &writer);
        }
        if (failed)
            messages_say(MYR_RUN_NOTE, "%s cannot be locked (%s): nothing keeps two runs from writing there", directory,
                         strerror(error));
        if (failed || is_at(d, lock->path)) {
            write_self(d);
            lock->held = 1;
            lock->descriptor = d;
            return CLI_OK;
        }
        close(d);
    }
    return cli_fail(CLI_FAILED, "%s: other processes keep locking it", directory);
}

void results_lock_release(results_lock *lock)
{
    if (!lock->held)
        return;
    remove(lock->path);
    close(lock->descriptor);
    *lock = (results_lock){0};
}
