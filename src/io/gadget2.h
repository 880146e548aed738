/* gadget2.h - declarations shared by the writer and the reader of GADGET-2 snapshots.
 *
 * A file is a sequence of blocks, each between two 32-bit numbers that give its length (Fortran records). The first
 * block is the header of 256 bytes; then come the fields, each for all particles that have it, sorted by type. With
 * SnapFormat 2 a record of 8 bytes precedes each block: its name of 4 letters, and the distance to the next record. */
#ifndef MYR_IO_GADGET2_H
#define MYR_IO_GADGET2_H

#include "io/binary.h"
#include "io/format.h"

enum { MYR_GADGET2_TYPES = 6, MYR_GADGET2_HEADER = 256, MYR_GADGET2_NAME = 4 };

/* Offsets in the header (users' guide of GADGET-2, table 4). */
enum {
    MYR_GADGET2_COUNTS = 0,    /* 6 x uint32, particles of each type in this file */
    MYR_GADGET2_MASSES = 24,   /* 6 x double, mass of each type; 0 = each particle has its own */
    MYR_GADGET2_TIME = 72,     /* double */
    MYR_GADGET2_REDSHIFT = 80, /* double */
    MYR_GADGET2_TOTALS = 96,   /* 6 x uint32, particles of each type in all files */
    MYR_GADGET2_FILES = 124,   /* int32 */
    MYR_GADGET2_BOX = 128,     /* double */
    MYR_GADGET2_HUBBLE = 152,  /* double */
    MYR_GADGET2_DOUBLES = 196  /* int32, 1 = blocks hold doubles (GADGET-3) */
};

/* Particles that have a value in a block. */
typedef enum { MYR_GADGET2_ALL, MYR_GADGET2_GAS, MYR_GADGET2_VARIABLE } myr_gadget2_rows;

typedef struct {
    const char *field; /* null: ids, places, or a block that is skipped (rate of change of the entropy) */
    const char *name;  /* block name, four letters */
    int components;
    myr_gadget2_rows rows; /* VARIABLE: types whose mass is not in the header */
} myr_gadget2_block;

/* Blocks in file order; ended by a null name. */
extern const myr_gadget2_block myr_gadget2_blocks[];

/* Names of blocks that are not fields. INDX is an extension of Myriad: the index of each particle in the set, if types
 * are mixed. */
#define MYR_GADGET2_IDS "ID  "
#define MYR_GADGET2_INDEX "INDX"

/* Functions of the format table (format.h). */
myr_status myr_gadget2_write(const myr_format_job *job);
myr_status myr_gadget2_write_float(const myr_format_job *job);
myr_status myr_gadget2_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                            myr_snapshot_header *header);

#endif
