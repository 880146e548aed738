/* dcd.h - what the writer and the reader of DCD share. */
#ifndef MYR_IO_DCD_H
#define MYR_IO_DCD_H

#include "io/format.h"

/* The head is one block of 84 bytes: "CORD" and 20 numbers of 32 bits. These are their places. */
enum {
    MYR_DCD_HEAD = 84,
    MYR_DCD_FRAMES = 0,
    MYR_DCD_START = 1,
    MYR_DCD_EVERY = 2,
    MYR_DCD_FIXED = 8,   /* atoms that do not move and are stored once */
    MYR_DCD_DELTA = 9,   /* time step: a float (CHARMM) */
    MYR_DCD_CELL = 10,   /* 1 = every frame has a cell */
    MYR_DCD_FOURTH = 11, /* 1 = every frame has a fourth coordinate */
    MYR_DCD_VERSION = 19 /* of CHARMM; 0 = X-PLOR, whose time step is a double */
};

/* As in format.h. */
myr_status myr_dcd_write(const myr_format_job *job);
myr_status myr_dcd_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header);

#endif
