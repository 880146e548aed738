/* gadget_hdf5.h - what the writer and the reader of the GADGET layout share. */
#ifndef MYR_IO_GADGET_HDF5_H
#define MYR_IO_GADGET_HDF5_H

#include "io/format.h"
#include "io/hdf5.h"

enum { MYR_GADGET_TYPES = 6 };

#define MYR_GADGET_IDS "ParticleIDs"
#define MYR_GADGET_INDEX "OriginalIndex" /* place of each particle in the set, where the groups alone lose it */

/* The table that holds a field: a name of GADGET's, the field's name in CamelCase (soft_core: SoftCore), or for names
 * that this would not give back, the name itself after an underscore. No two fields get the same. */
void myr_gadget_hdf5_name(const char *field, char table[MYR_HDF5_NAME_MAX + 1]);

/* The field for a table that another program wrote: a name of GADGET's, or its name in snake_case, cut to fit. */
void myr_gadget_hdf5_field(const char *table, char field[MYR_FORMAT_NAME_MAX + 1]);

/* As in format.h. */
myr_status myr_gadget_hdf5_write(const myr_format_job *job);
myr_status myr_gadget_hdf5_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header);

#endif
