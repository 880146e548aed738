/* lammps_data.h - declarations shared by the writer and the reader of LAMMPS data files. */
#ifndef MYR_IO_LAMMPS_DATA_H
#define MYR_IO_LAMMPS_DATA_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_LAMMPS_DATA_TYPES = 65536 };

/* Atom styles: columns of a line of Atoms besides id, type and position. Ended by a null name. */
typedef struct {
    const char *name;
    int molecule, charge;
} myr_lammps_style;
extern const myr_lammps_style myr_lammps_styles[];

/* Keywords in the first line, which LAMMPS ignores: values that the format has no place for. */
#define MYR_LAMMPS_DATA_PERIODIC "boundary "
#define MYR_LAMMPS_DATA_TIME "time = "
#define MYR_LAMMPS_DATA_UNITS "units = "

/* Functions of the format table (format.h). */
myr_status myr_lammps_data_write(const myr_format_job *job);
myr_status myr_lammps_data_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header);

#endif
