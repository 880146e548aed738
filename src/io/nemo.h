/* nemo.h - declarations shared by the writer and the reader of NEMO snapshots.
 *
 * NEMO's structured files are lists of items: a magic number (16 bits), a type of one letter, a name ("tag"), for
 * arrays the dimensions (32-bit numbers, ended by a zero), and the values. A set, "(" to ")", contains items of its
 * own:
 *
 *   SnapShot
 *     Parameters   Nobj, Time
 *     Particles    CoordSystem, Mass[n], PhaseSpace[n][2][3], Potential[n], ..., Key[n]
 *
 * NEMO's programs skip items with unknown names, so that any field can be stored. */
#ifndef MYR_IO_NEMO_H
#define MYR_IO_NEMO_H

#include "io/binary.h"
#include "io/format.h"

enum {
    MYR_NEMO_SINGLE = 0x0992, /* magic number of a single value, or of the start or end of a set */
    MYR_NEMO_ARRAY = 0x0b92,
    MYR_NEMO_TAG_MAX = 64,   /* longest tag, in letters */
    MYR_NEMO_RANK_MAX = 8,   /* largest number of array dimensions */
    MYR_NEMO_ITEMS_MAX = 64, /* largest number of items in a set */
    MYR_NEMO_DEPTH_MAX = 8,  /* largest nesting depth of sets */
    /* type of coordinates, bits 16 to 23 of CoordSystem; bits 8 to 15 are the number of dimensions */
    MYR_NEMO_CARTESIAN = 1
};

/* Number in Parameters that is an extension of Myriad: NEMO has neither units nor a box. */
typedef struct {
    const char *tag;
    size_t offset; /* offset of a double in myr_snapshot_header */
} myr_nemo_number;
extern const myr_nemo_number myr_nemo_numbers[]; /* ended by a null tag */

/* Tags that are not fields. Type is an extension of Myriad. */
#define MYR_NEMO_PHASE "PhaseSpace"
#define MYR_NEMO_KEY "Key"
#define MYR_NEMO_TYPE "Type"
#define MYR_NEMO_COORDINATES "CoordSystem"

extern const myr_format_field myr_nemo_fields[];

/* Functions of the format table (format.h). */
myr_status myr_nemo_write(const myr_format_job *job);
myr_status myr_nemo_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                         myr_snapshot_header *header);

#endif
