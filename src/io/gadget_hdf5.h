/* gadget_hdf5.h - declarations shared by the writer and the reader of the GADGET layout. */
#ifndef MYR_IO_GADGET_HDF5_H
#define MYR_IO_GADGET_HDF5_H

#include "io/format.h"
#include "io/hdf5.h"

enum { MYR_GADGET_TYPES = 6 };

#define MYR_GADGET_IDS "ParticleIDs"
#define MYR_GADGET_INDEX "OriginalIndex" /* index of each particle in the set, if types are mixed */

/* Table name of a field: a GADGET name, the field name in CamelCase (soft_core: SoftCore), or, if that could not be
 * reversed, the field name after an underscore. The names of different fields are different. */
void myr_gadget_hdf5_name(const char *field, char table[MYR_HDF5_NAME_MAX + 1]);

/* Field name of a table of another program: that of a GADGET name, or the table name in snake_case, truncated to
 * fit. */
void myr_gadget_hdf5_field(const char *table, char field[MYR_FORMAT_NAME_MAX + 1]);

/* Functions of the format table (format.h). */
myr_status myr_gadget_hdf5_write(const myr_format_job *job);
myr_status myr_gadget_hdf5_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header);

#endif
