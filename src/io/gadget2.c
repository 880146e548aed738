/* gadget2.c - binary snapshots of GADGET-2: two output formats, and one reader for both and for either byte order.
 *
 * gadget2        SnapFormat 2 (named blocks), doubles: every bit is kept
 * gadget2_float  SnapFormat 1, floats: initial conditions for GADGET-2 itself */
#include "io/gadget2.h"

#include <string.h>

#define GADGET2_BLOCKS(BLOCK)                                                                                          \
    BLOCK("position", "POS ", 3, MYR_GADGET2_ALL)                                                                      \
    BLOCK("velocity", "VEL ", 3, MYR_GADGET2_ALL)                                                                      \
    BLOCK(NULL, MYR_GADGET2_IDS, 1, MYR_GADGET2_ALL)                                                                   \
    BLOCK("mass", "MASS", 1, MYR_GADGET2_VARIABLE)                                                                     \
    BLOCK("internal_energy", "U   ", 1, MYR_GADGET2_GAS)                                                               \
    BLOCK("density", "RHO ", 1, MYR_GADGET2_GAS)                                                                       \
    BLOCK("smoothing_length", "HSML", 1, MYR_GADGET2_GAS)                                                              \
    BLOCK("potential", "POT ", 1, MYR_GADGET2_ALL)                                                                     \
    BLOCK("acceleration", "ACCE", 3, MYR_GADGET2_ALL)                                                                  \
    BLOCK(NULL, "ENDT", 1, MYR_GADGET2_GAS)                                                                            \
    BLOCK("time_step", "TSTP", 1, MYR_GADGET2_ALL)                                                                     \
    BLOCK(NULL, MYR_GADGET2_INDEX, 1, MYR_GADGET2_ALL)

const myr_gadget2_block myr_gadget2_blocks[] = {
#define BLOCK(field, name, components, rows) {field, name, components, rows},
    GADGET2_BLOCKS(BLOCK)
#undef BLOCK
        {0}};

static const myr_format_field gadget2_fields[] = {{"position", "POS", 3, 0},   {"velocity", "VEL", 3, 0},
                                                  {"mass", "MASS", 1, 0},      {"internal_energy", "U", 1, 0},
                                                  {"density", "RHO", 1, 0},    {"smoothing_length", "HSML", 1, 0},
                                                  {"potential", "POT", 1, 0},  {"acceleration", "ACCE", 3, 0},
                                                  {"time_step", "TSTP", 1, 0}, {0, 0, 0, 0}};

/* Without block names only the blocks that every GADGET-2 writes can be identified. */
static const myr_format_field gadget2_float_fields[] = {{"position", "POS", 3, 0},
                                                        {"velocity", "VEL", 3, 0},
                                                        {"mass", "MASS", 1, 0},
                                                        {"internal_energy", "U", 1, 0},
                                                        {"density", "RHO", 1, 0},
                                                        {"smoothing_length", "HSML", 1, 0},
                                                        {0, 0, 0, 0}};

static uint32_t gadget2_number(const unsigned char *bytes, int swapped)
{
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return swapped ? __builtin_bswap32(x) : x;
}

/* 1 if the positions, the first block, are stored as floats; `header` is the offset of the header. */
static int gadget2_has_floats(const myr_format_file *file, size_t header, int swapped)
{
    const size_t positions =
        header + MYR_GADGET2_HEADER + header; /* length marker after the header, and the block name if there is one */
    uint64_t n = 0;
    if (file->head_size < positions + 4)
        return 0;
    for (int t = 0; t < MYR_GADGET2_TYPES; t++)
        n += gadget2_number(file->head + header + MYR_GADGET2_COUNTS + 4 * t, swapped);
    return n > 0 && gadget2_number(file->head + positions, swapped) == 12 * n;
}

/* Probes the length markers before and after the first block, in either byte order. One reader handles both formats;
 * the reported format is the one that matches the storage of the numbers. */
static int gadget2_probe(const myr_format_file *file, int floats)
{
    const unsigned char *head = file->head;
    for (int swapped = 0; swapped < 2 && file->head_size >= 4; swapped++) {
        const uint32_t length = gadget2_number(head, swapped);
        if (length == 8 && file->head_size >= 16 && memcmp(head + 4, "HEAD", 4) == 0)
            return gadget2_has_floats(file, 20, swapped) == floats ? MYR_FORMAT_SURELY : MYR_FORMAT_LIKELY;
        if (length != MYR_GADGET2_HEADER)
            continue;
        if (file->head_size < MYR_GADGET2_HEADER + 8)
            return MYR_FORMAT_PERHAPS; /* and truncated */
        if (gadget2_number(head + 4 + length, swapped) != length)
            return MYR_FORMAT_PERHAPS;
        return gadget2_has_floats(file, 4, swapped) == floats ? MYR_FORMAT_SURELY : MYR_FORMAT_LIKELY;
    }
    return MYR_FORMAT_NO;
}

static int gadget2_probe_doubles(const myr_format_file *file)
{
    return gadget2_probe(file, 0);
}

static int gadget2_probe_floats(const myr_format_file *file)
{
    return gadget2_probe(file, 1);
}

enum { GADGET2_KEEPS = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX };

const myr_format myr_gadget2_format = {
    .info = {"gadget2", "binary snapshots of GADGET-2 in doubles, every bit kept; written as SnapFormat 2", 1},
    .endings = {".gadget2", ".gadget"},
    .fields = gadget2_fields,
    .bits = 64,
    .keeps = GADGET2_KEEPS,
    .types = MYR_GADGET2_TYPES,
    .probe = gadget2_probe_doubles,
    .write = myr_gadget2_write,
    .read = myr_gadget2_read,
};

const myr_format myr_gadget2_float_format = {
    .info = {"gadget2_float",
             "binary snapshots of GADGET-2 in floats, for GADGET-2 itself and yt; written as SnapFormat 1", 1},
    .endings = {".g2"},
    .fields = gadget2_float_fields,
    .bits = 32,
    .keeps = GADGET2_KEEPS,
    .types = MYR_GADGET2_TYPES,
    .probe = gadget2_probe_floats,
    .write = myr_gadget2_write_float,
    .read = myr_gadget2_read,
};
