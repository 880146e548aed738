/* dcd.h - declarations shared by the writer and the reader of DCD. */
#ifndef MYR_IO_DCD_H
#define MYR_IO_DCD_H

#include "io/format.h"

/* The header is one block of 84 bytes: "CORD" and 20 numbers of 32 bits; these are indices of the numbers. */
enum {
    MYR_DCD_HEAD = 84,
    MYR_DCD_FRAMES = 0,
    MYR_DCD_START = 1,
    MYR_DCD_EVERY = 2,
    MYR_DCD_FIXED = 8,   /* number of fixed atoms, which are stored once */
    MYR_DCD_DELTA = 9,   /* time step, as a float (CHARMM) */
    MYR_DCD_CELL = 10,   /* 1 = every frame has a cell */
    MYR_DCD_FOURTH = 11, /* 1 = every frame has a fourth coordinate */
    MYR_DCD_VERSION = 19 /* CHARMM version; 0 = X-PLOR, whose time step is a double */
};

/* Functions of the format table (format.h). */
myr_status myr_dcd_write(const myr_format_job *job);
myr_status myr_dcd_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header);

#endif
