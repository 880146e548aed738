/* lammps_data.h - what the writer and the reader of LAMMPS data files share. */
#ifndef MYR_IO_LAMMPS_DATA_H
#define MYR_IO_LAMMPS_DATA_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_LAMMPS_DATA_TYPES = 65536 };

/* Atom styles: what stands in a line of Atoms besides id, type and position. Ends with a null name. */
typedef struct {
    const char *name;
    int molecule, charge;
} myr_lammps_style;
extern const myr_lammps_style myr_lammps_styles[];

/* Words in the first line, which LAMMPS passes over: ours carry what the format has no place for. */
#define MYR_LAMMPS_DATA_PERIODIC "boundary "
#define MYR_LAMMPS_DATA_TIME "time = "
#define MYR_LAMMPS_DATA_UNITS "units = "

/* As in format.h. */
myr_status myr_lammps_data_write(const myr_format_job *job);
myr_status myr_lammps_data_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header);

#endif
