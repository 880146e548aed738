/* nemo.c - NEMO snapshots in double precision. */
#include "io/nemo.h"

#include <string.h>

const myr_format_field myr_nemo_fields[] = {{"position", "Position", 3, 0},
                                            {"velocity", "Velocity", 3, 0},
                                            {"mass", "Mass", 1, 0},
                                            {"potential", "Potential", 1, 0},
                                            {"acceleration", "Acceleration", 3, 0},
                                            {"density", "Density", 1, 0},
                                            {"softening", "Eps", 1, 0},
                                            {"smoothing_length", "SmoothLength", 1, 0},
                                            {"internal_energy", "Uinternal", 1, 0},
                                            {0, 0, 0, 0}};

const myr_nemo_number myr_nemo_numbers[] = {{"BoxX", offsetof(myr_snapshot_header, box[0])},
                                            {"BoxY", offsetof(myr_snapshot_header, box[1])},
                                            {"BoxZ", offsetof(myr_snapshot_header, box[2])},
                                            {"UnitLength", offsetof(myr_snapshot_header, unit_length)},
                                            {"UnitMass", offsetof(myr_snapshot_header, unit_mass)},
                                            {"UnitTime", offsetof(myr_snapshot_header, unit_time)},
                                            {"UnitCharge", offsetof(myr_snapshot_header, unit_charge)},
                                            {0, 0}};

/* 0 if the name is reserved in a NEMO snapshot. */
static int nemo_can_name(const char *name)
{
    static const char *const own[] = {MYR_NEMO_PHASE, MYR_NEMO_KEY, MYR_NEMO_TYPE, MYR_NEMO_COORDINATES};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        if (strcmp(own[k], name) == 0)
            return 0;
    return !myr_format_field_of(&myr_nemo_format, name);
}

/* Probes for a magic number in either byte order, and a type of one letter. */
static int nemo_probe(const myr_format_file *file)
{
    const unsigned char *head = file->head;
    if (file->head_size < 4 || head[3] != 0)
        return MYR_FORMAT_NO;
    const unsigned low = head[0] | (unsigned)head[1] << 8, high = head[1] | (unsigned)head[0] << 8;
    const int is = low == MYR_NEMO_SINGLE || low == MYR_NEMO_ARRAY || high == MYR_NEMO_SINGLE || high == MYR_NEMO_ARRAY;
    return is ? MYR_FORMAT_LIKELY : MYR_FORMAT_NO;
}

const myr_format myr_nemo_format = {
    .info = {"nemo", "snapshots of NEMO, in doubles", 1},
    .endings = {".nemo"},
    .fields = myr_nemo_fields,
    .any_field = 1,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS |
             MYR_SNAPSHOT_FRAMES,
    .many_frames = 1,
    .can_name = nemo_can_name,
    .probe = nemo_probe,
    .write = myr_nemo_write,
    .read = myr_nemo_read,
};
