/* fuzz_snapshot.c - the readers of particle files against any bytes. FUZZ_FORMAT (a name, defined by the build) is the
 * format that is tried; what it accepts must be a set that makes sense. FUZZ_ALSO may name another format that the same
 * reader reads, for more seeds. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include <myriad/snapshot.h>

#ifndef FUZZ_ALSO
#define FUZZ_ALSO FUZZ_FORMAT
#endif

enum { FUZZ_BYTES_MAX = 1 << 18, FUZZ_KINDS = 4 };

static int available(void)
{
    for (int k = 0; myr_snapshot_format(k); k++)
        if (strcmp(myr_snapshot_format(k)->name, FUZZ_FORMAT) == 0)
            return myr_snapshot_format(k)->available;
    return 0;
}

/* 1 where the bytes are accepted. */
static int try_bytes(const uint8_t *data, size_t size)
{
    static myr_context *context;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    if (size > FUZZ_BYTES_MAX || !available() || (!context && myr_context_create(&context) != MYR_OK))
        return 0;
    const myr_status status = myr_snapshot_read(context, fuzz_file(data, size), FUZZ_FORMAT, &p, &header);
    fuzz_expect((status == MYR_OK) == (p != NULL), "particles are given exactly where there is no error");
    fuzz_expect(status == MYR_OK || *myr_context_message(context), "an error has a sentence");
    if (p) {
        const int64_t n = myr_particles_count(p);
        /* a compressed table may hold more than its bytes */
        fuzz_expect(n >= 0 && (size_t)n <= size * 1100, "no more particles than the file can hold");
        const double *mass = myr_particles_component_const(p, "mass", 0);
        for (int64_t i = 0; i < n; i++) {
            fuzz_expect(myr_particles_types(p)[i] >= 0, "types are not negative");
            fuzz_expect(!mass || isfinite(mass[i]), "masses are finite");
        }
    }
    myr_particles_destroy(&p);
    return status == MYR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    return 0;
}

static int kind_of_seed;
static const char *format_of_seed;

static void write_seed(const char *path)
{
    static const char *const name[] = {"position", "velocity", "mass", "own_field"};
    myr_context *context = NULL;
    myr_particles *p = NULL;
    const myr_snapshot_header header = {.time = 1, .box = {kind_of_seed, 1, kind_of_seed}};
    const int32_t types[4] = {kind_of_seed, 0, kind_of_seed, 5};
    if (myr_context_create(&context) == MYR_OK && myr_particles_create(context, 4, &p) == MYR_OK) {
        for (int k = 0; k <= kind_of_seed; k++)
            myr_particles_add_field(p, name[k], k < 2 ? 3 : 1);
        myr_particles_set_types(p, types);
        myr_snapshot_write(p, path, format_of_seed, NULL, &header);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Every 32-bit number in the other order of bytes: where all numbers have 32 bits, a file of a machine of that order.
 */
static void swap_words(uint8_t *bytes, size_t size)
{
    for (size_t k = 0; k + 4 <= size; k += 4) {
        const uint8_t word[4] = {bytes[k + 3], bytes[k + 2], bytes[k + 1], bytes[k]};
        memcpy(bytes + k, word, sizeof word);
    }
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    const int formats = strcmp(FUZZ_FORMAT, FUZZ_ALSO) == 0 ? 1 : 2;
    if (k > formats * FUZZ_KINDS || !available())
        return 0;
    const int swapped = k == formats * FUZZ_KINDS;
    kind_of_seed = k % FUZZ_KINDS;
    format_of_seed = k < FUZZ_KINDS ? FUZZ_FORMAT : FUZZ_ALSO;
    const size_t size = fuzz_written(write_seed, "", to, room);
    if (swapped) {
        swap_words(to, size);
        return try_bytes(to, size) ? size : 0;
    }
    fuzz_expect(try_bytes(to, size), "a file that was written can be read");
    return size;
}
