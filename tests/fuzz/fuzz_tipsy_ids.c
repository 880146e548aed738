/* fuzz_tipsy_ids.c - the reader of ids beside a Tipsy file against any bytes. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <myriad/snapshot.h>

enum { FUZZ_BYTES_MAX = 1 << 16, N = 5 };

static char folder[48], tipsy[64], ids[64];

static void clear(void)
{
    unlink(tipsy);
    unlink(ids);
    rmdir(folder);
}

/* A Tipsy file of five particles, made once. */
static myr_context *prepare(void)
{
    static myr_context *context;
    myr_particles *p = NULL;
    if (context)
        return context;
    snprintf(folder, sizeof folder, "%s/myriad_fuzz_XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    fuzz_expect(mkdtemp(folder) != NULL && myr_context_create(&context) == MYR_OK, "a folder can be made");
    snprintf(tipsy, sizeof tipsy, "%s/a.tipsy", folder);
    snprintf(ids, sizeof ids, "%s/a.tipsy.iord", folder);
    atexit(clear);
    fuzz_expect(myr_particles_create(context, N, &p) == MYR_OK && myr_particles_add_field(p, "position", 3) == MYR_OK &&
                    myr_snapshot_write(p, tipsy, "tipsy", NULL, NULL) == MYR_OK,
                "a Tipsy file can be written");
    myr_particles_destroy(&p);
    return context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    myr_context *context = prepare();
    myr_particles *p = NULL;
    if (size > FUZZ_BYTES_MAX)
        return 0;
    FILE *f = fopen(ids, "wb");
    fuzz_expect(f && fwrite(data, 1, size, f) == size && fclose(f) == 0, "a file can be written");
    const myr_status status = myr_snapshot_read(context, tipsy, NULL, &p, NULL);
    fuzz_expect((status == MYR_OK) == (p != NULL), "particles are given exactly where there is no error");
    fuzz_expect(!p || myr_particles_count(p) == N, "the number of particles does not hang on the ids");
    myr_particles_destroy(&p);
    return 0;
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    static const char *const text[] = {"5\n1\n2\n3\n4\n5\n", "5 -1 9223372036854775807 0 7 +8", "4\n1\n2\n3\n4\n", "x"};
    const int wide = k - 4;
    if (k < 4) {
        memcpy(to, text[k], strlen(text[k]));
        return strlen(text[k]);
    }
    const size_t size = 4 + (size_t)N * (wide ? 8 : 4);
    if (wide > 1 || size > room)
        return 0;
    memset(to, 0, size);
    to[3] = N; /* big-endian, as the file beside it */
    for (size_t i = 0; i < N; i++)
        to[4 + (i + 1) * (wide ? 8 : 4) - 1] = (uint8_t)(i + 1);
    return size;
}
