/* common.c - what the harnesses share. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void fuzz_expect(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", promise);
    abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = (int)syscall(SYS_memfd_create, "fuzz", 0u);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    fuzz_expect(descriptor >= 0 && ftruncate(descriptor, 0) == 0, "a file in memory can be made");
    fuzz_expect(pwrite(descriptor, data, size, 0) == (ssize_t)size, "a file in memory can be written");
    return path;
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
