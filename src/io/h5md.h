/* h5md.h - declarations shared by the writer and the reader of H5MD. */
#ifndef MYR_IO_H5MD_H
#define MYR_IO_H5MD_H

#include "io/format.h"
#include "io/hdf5.h"

enum { MYR_H5MD_ELEMENT = 3 * MYR_FORMAT_NAME_MAX + 2, MYR_H5MD_UNIT = 64 };

/* Element name of a field; and field name of an element, 0 if the element name is not valid as a field name. */
void myr_h5md_name(const char *field, char element[MYR_H5MD_ELEMENT]);
int myr_h5md_field(const char *element, char field[MYR_FORMAT_NAME_MAX + 1]);

/* Unit of a field, or of "time", in the spelling of MDAnalysis; "" if MDAnalysis has no name for the units of the
 * header. */
void myr_h5md_unit(const myr_snapshot_header *header, const char *field, char unit[MYR_H5MD_UNIT]);

/* Size of a unit of length or time in SI; 0 = unknown unit. */
double myr_h5md_unit_size(const char *unit, int is_time);

/* Writes the groups that every file has: h5md, parameters with the units in SI (length, mass, time, charge), and the
 * group of the particles. */
void myr_h5md_put_head(myr_hdf5 *h, const char *program, const double si[4]);

/* Functions of the format table (format.h). */
myr_status myr_h5md_write(const myr_format_job *job);
myr_status myr_h5md_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                         myr_snapshot_header *header);
myr_status myr_h5md_read_some(myr_context *context, const char *path, int64_t frame, myr_format_part *part,
                              myr_particles **particles, myr_snapshot_header *header);

#endif
