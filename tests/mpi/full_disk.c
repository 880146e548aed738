/* full_disk.c - a disk that is full for one rank, to be preloaded (LD_PRELOAD): the rank that $MYRIAD_FULL_RANK names
 * has no room for files whose names contain $MYRIAD_FULL_FILE; every refusal adds a line to the file $MYRIAD_FULL_LOG.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t offset);

static int is_full_rank(void)
{
    const char *full = getenv("MYRIAD_FULL_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank)
        rank = getenv("PMI_RANK");
    return full && rank && strcmp(full, rank) == 0;
}

static int is_full(int descriptor)
{
    const char *part = getenv("MYRIAD_FULL_FILE"), *log = getenv("MYRIAD_FULL_LOG");
    char link[64], path[4096];
    if (!part || !is_full_rank())
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    if (!strstr(path, part))
        return 0;
    FILE *to = log ? fopen(log, "a") : NULL;
    if (to) {
        fprintf(to, "%s\n", path);
        fclose(to);
    }
    errno = ENOSPC;
    return 1;
}

/* Both names of one function, for programs with and without large files. */
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    static ssize_t (*next)(int, const void *, size_t, off_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pwrite");
    return is_full(descriptor) ? -1 : next(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return pwrite(descriptor, bytes, size, offset);
}
