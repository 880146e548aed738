/* h5md.h - what the writer and the reader of H5MD share. */
#ifndef MYR_IO_H5MD_H
#define MYR_IO_H5MD_H

#include "io/format.h"
#include "io/hdf5.h"

enum { MYR_H5MD_ELEMENT = 3 * MYR_FORMAT_NAME_MAX + 2, MYR_H5MD_UNIT = 64 };

/* The element that holds a field, and the field that an element holds: 0 where its name is no name for a field. */
void myr_h5md_name(const char *field, char element[MYR_H5MD_ELEMENT]);
int myr_h5md_field(const char *element, char field[MYR_FORMAT_NAME_MAX + 1]);

/* The unit of a field, or of "time", in the words that MDAnalysis knows; "" where there are none for the units of a
 * header. */
void myr_h5md_unit(const myr_snapshot_header *header, const char *field, char unit[MYR_H5MD_UNIT]);

/* The size of a unit of length or time in SI; 0 = not known. */
double myr_h5md_unit_size(const char *unit, int is_time);

/* As in format.h. */
myr_status myr_h5md_write(const myr_format_job *job);
myr_status myr_h5md_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                         myr_snapshot_header *header);
myr_status myr_h5md_read_some(myr_context *context, const char *path, int64_t frame, myr_format_part *part,
                              myr_particles **particles, myr_snapshot_header *header);

#endif
