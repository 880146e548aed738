/* outfile.c - a temporary name with a lock on it, and a rename at the end. */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli.h"

static int outfile_failed(const char *path, int reason)
{
    return cli_fail(CLI_FAILED, "%s cannot be written: %s", path, strerror(reason));
}

int outfile_open(outfile *file, const char *path)
{
    *file = (outfile){0};
    if ((size_t)snprintf(file->path, sizeof file->path, "%s", path) >= sizeof file->path ||
        (size_t)snprintf(file->temporary, sizeof file->temporary, "%s.new", path) >= sizeof file->temporary)
        return outfile_failed(path, ENAMETOOLONG);
    /* The name is fixed, so that a killed writer leaves one file and not many; the lock keeps two writers apart. */
    const int descriptor = open(file->temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return outfile_failed(path, errno);
    if (flock(descriptor, LOCK_EX | LOCK_NB)) {
        close(descriptor);
        return cli_fail(CLI_FAILED, "%s is being written by another program", path);
    }
    if (ftruncate(descriptor, 0) == 0)
        file->out = fdopen(descriptor, "w");
    if (file->out)
        return CLI_OK;
    const int code = outfile_failed(path, errno);
    close(descriptor);
    return code;
}

int outfile_finish(outfile *file)
{
    int failed = ferror(file->out) || fflush(file->out) || fsync(fileno(file->out));
    int reason = errno;
    if (!failed && rename(file->temporary, file->path)) { /* while the lock still holds */
        failed = 1;
        reason = errno;
    }
    if (failed)
        remove(file->temporary);
    fclose(file->out);
    file->out = NULL;
    return failed ? outfile_failed(file->path, reason) : CLI_OK;
}

void outfile_discard(outfile *file)
{
    if (!file->out)
        return;
    remove(file->temporary);
    fclose(file->out);
    file->out = NULL;
}
