/* common.c - what the harnesses share. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void fuzz_expect(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", promise);
    abort();
}

static char fuzz_path[64];

static void fuzz_remove(void)
{
    unlink(fuzz_path);
}

/* A name of its own, since HDF5 wants one: memfd_create() would not do. */
const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int descriptor = -1;
    if (descriptor < 0) {
        const int memory = access("/dev/shm", W_OK) == 0;
        snprintf(fuzz_path, sizeof fuzz_path, "%s/myriad_fuzz_%ld", memory ? "/dev/shm" : "/tmp", (long)getpid());
        descriptor = open(fuzz_path, O_RDWR | O_CREAT | O_EXCL, 0600);
        atexit(fuzz_remove);
    }
    fuzz_expect(descriptor >= 0 && ftruncate(descriptor, 0) == 0, "a file can be made");
    fuzz_expect(pwrite(descriptor, data, size, 0) == (ssize_t)size, "a file can be written");
    return fuzz_path;
}

size_t fuzz_written(void (*write)(const char *path), const char *ending, uint8_t *to, size_t room)
{
    char folder[] = "/tmp/myriad_fuzz_XXXXXX", path[64];
    size_t size = 0;
    if (!mkdtemp(folder))
        return 0;
    snprintf(path, sizeof path, "%s/seed%s", folder, ending);
    write(path);
    FILE *f = fopen(path, "rb");
    if (f) {
        size = fread(to, 1, room, f);
        fclose(f);
    }
    unlink(path);
    rmdir(folder);
    return size;
}
