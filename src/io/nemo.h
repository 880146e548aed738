/* nemo.h - what the writer and the reader of NEMO snapshots share.
 *
 * NEMO's structured files are lists of items: a magic number (16 bits), a type of one letter, a name ("tag"), for
 * arrays the dimensions (32-bit numbers, a zero at the end), and the values. A set, "(" to ")", holds items of its own:
 *
 *   SnapShot
 *     Parameters   Nobj, Time
 *     Particles    CoordSystem, Mass[n], PhaseSpace[n][2][3], Potential[n], ..., Key[n]
 *
 * Items of other names are passed over by NEMO's programs, so that any field can be stored. */
#ifndef MYR_IO_NEMO_H
#define MYR_IO_NEMO_H

#include "io/binary.h"
#include "io/format.h"

enum {
    MYR_NEMO_SINGLE = 0x0992, /* magic number of one value, or of the begin or end of a set */
    MYR_NEMO_ARRAY = 0x0b92,
    MYR_NEMO_TAG_MAX = 64,   /* letters of a name */
    MYR_NEMO_RANK_MAX = 8,   /* dimensions of an array */
    MYR_NEMO_ITEMS_MAX = 64, /* items of a set */
    MYR_NEMO_DEPTH_MAX = 8,  /* sets within sets */
    MYR_NEMO_CARTESIAN = 1   /* kind of coordinates: bits 16 to 23 of CoordSystem; bits 8 to 15 are the dimensions */
};

/* A number of Parameters that is ours: NEMO knows no units and no box. */
typedef struct {
    const char *tag;
    size_t offset; /* of a double in myr_snapshot_header */
} myr_nemo_number;
extern const myr_nemo_number myr_nemo_numbers[]; /* ends with a null tag */

/* Names that are no fields. Type is ours. */
#define MYR_NEMO_PHASE "PhaseSpace"
#define MYR_NEMO_KEY "Key"
#define MYR_NEMO_TYPE "Type"
#define MYR_NEMO_COORDINATES "CoordSystem"

extern const myr_format_field myr_nemo_fields[];

/* As in format.h. */
myr_status myr_nemo_write(const myr_format_job *job);
myr_status myr_nemo_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                         myr_snapshot_header *header);

#endif
