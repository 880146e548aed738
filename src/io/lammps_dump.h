/* lammps_dump.h - declarations shared by the writer and the reader of LAMMPS dumps. */
#ifndef MYR_IO_LAMMPS_DUMP_H
#define MYR_IO_LAMMPS_DUMP_H

#include "io/format.h"

/* LAMMPS column name of a component of a field. The list is ended by a null name. */
typedef struct {
    const char *column, *field;
    int component;
    int whole; /* 1 = written as an integer */
} myr_lammps_column;
extern const myr_lammps_column myr_lammps_columns[];

/* Functions of the format table (format.h). */
myr_status myr_lammps_dump_write(const myr_format_job *job);
myr_status myr_lammps_dump_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header);

#endif
