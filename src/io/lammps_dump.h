/* lammps_dump.h - what the writer and the reader of LAMMPS dumps share. */
#ifndef MYR_IO_LAMMPS_DUMP_H
#define MYR_IO_LAMMPS_DUMP_H

#include "io/format.h"

/* A column with a name of LAMMPS. Ends with a null name. */
typedef struct {
    const char *column, *field;
    int component;
    int whole; /* written as an integer */
} myr_lammps_column;
extern const myr_lammps_column myr_lammps_columns[];

/* As in format.h. */
myr_status myr_lammps_dump_write(const myr_format_job *job);
myr_status myr_lammps_dump_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header);

#endif
