/* tipsy.c - Tipsy files, as PKDGRAV, Gasoline and ChaNGa write them: two output formats, one reader for all.
 *
 * tipsy         standard form: XDR, which is big-endian, with a padded header
 * tipsy_native  byte order of this machine */
#include "io/tipsy.h"

#include <string.h>

#define TIPSY_MOTION                                                                                                   \
    {"mass", 0}, {"position", 0}, {"position", 1}, {"position", 2}, {"velocity", 0}, {"velocity", 1},                  \
    {                                                                                                                  \
        "velocity", 2                                                                                                  \
    }

/* Gas records have the smoothing length where other records have the softening; programs store the softening there. */
const myr_tipsy_kind myr_tipsy_kinds[MYR_TIPSY_KINDS] = {
    {"gas",
     0,
     12,
     {TIPSY_MOTION, {"density", 0}, {"temperature", 0}, {"softening", 0}, {"metals", 0}, {"potential", 0}}},
    {"dark", 1, 9, {TIPSY_MOTION, {"softening", 0}, {"potential", 0}}},
    {"star", 4, 11, {TIPSY_MOTION, {"metals", 0}, {"formation_time", 0}, {"softening", 0}, {"potential", 0}}},
};

const myr_format_field myr_tipsy_fields[] = {{"position", "pos", 3, 0},
                                             {"velocity", "vel", 3, 0},
                                             {"mass", "mass", 1, 0},
                                             {"density", "rho", 1, 0},
                                             {"temperature", "temp", 1, 0},
                                             {"softening", "eps", 1, 0},
                                             {"potential", "phi", 1, 0},
                                             {"metals", "metals", 1, 0},
                                             {"formation_time", "tform", 1, 0},
                                             {0, 0, 0, 0}};

uint64_t myr_tipsy_record(int kind, int wide)
{
    return 4 * (uint64_t)myr_tipsy_kinds[kind].columns + (wide ? 12 : 0);
}

static uint32_t tipsy_number(const unsigned char *bytes, int swapped)
{
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return swapped ? __builtin_bswap32(x) : x;
}

/* Probe. There is no magic number: the number of dimensions must be 1 to 3, the particle counts must add up, and the
 * records must fill the file. One reader handles both formats; the reported format is the one with the byte order of
 * the file. */
static int tipsy_probe(const myr_format_file *file, int foreign)
{
    for (int swapped = 0; file->head_size >= MYR_TIPSY_HEADER && swapped < 2; swapped++) {
        const uint32_t dimensions = tipsy_number(file->head + 12, swapped);
        uint64_t bodies = 0, bytes[2] = {0};
        for (int k = 0; k < MYR_TIPSY_KINDS; k++) {
            const uint64_t count = tipsy_number(file->head + 16 + 4 * k, swapped);
            bodies += count;
            for (int wide = 0; wide < 2; wide++)
                bytes[wide] += count * myr_tipsy_record(k, wide);
        }
        if (dimensions < 1 || dimensions > 3 || bodies != tipsy_number(file->head + 8, swapped))
            continue;
        for (int wide = 0; wide < 2; wide++)
            if (file->size == MYR_TIPSY_HEADER + bytes[wide] || file->size == MYR_TIPSY_PADDED + bytes[wide])
                return swapped == foreign ? MYR_FORMAT_SURELY : MYR_FORMAT_LIKELY;
        return MYR_FORMAT_PERHAPS;
    }
    return MYR_FORMAT_NO;
}

static int tipsy_probe_standard(const myr_format_file *file)
{
    return tipsy_probe(file, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static int tipsy_probe_native(const myr_format_file *file)
{
    return tipsy_probe(file, 0);
}

const myr_format myr_tipsy_format = {
    .info = {"tipsy", "Tipsy files in the standard form (big-endian), in floats; ids in FILE.iord", 1},
    .endings = {".tipsy", ".std"},
    .fields = myr_tipsy_fields,
    .bits = 32,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME,
    .probe = tipsy_probe_standard,
    .write = myr_tipsy_write,
    .read = myr_tipsy_read,
};

const myr_format myr_tipsy_native_format = {
    .info = {"tipsy_native", "Tipsy files in this machine's order of bytes", 1},
    .endings = {".tipsy_native"},
    .fields = myr_tipsy_fields,
    .bits = 32,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME,
    .probe = tipsy_probe_native,
    .write = myr_tipsy_write_native,
    .read = myr_tipsy_read,
};
