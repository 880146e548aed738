/* snapshot.h - particle files: what a run leaves behind and what it starts from.
 *
 * A format is one file in src/io and one line in formats.def. Writers write to a temporary name and rename when the
 * file is whole. Readers trust no size in a file. */
#ifndef MYRIAD_SNAPSHOT_H
#define MYRIAD_SNAPSHOT_H

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* What a file says about its particles besides their fields. Units are factors to SI; 0 = not stated. */
typedef struct {
    double time;
    double unit_length, unit_mass, unit_time; /* in m, kg, s */
    double box;                               /* edge of a periodic box; 0 = none */
    const char *program;                      /* written only */
} myr_snapshot_header;

/* Format k ("gadget_hdf5", ...), with whether this build has it; null past the end. */
MYR_API const myr_choice_info *myr_snapshot_format(int k);

/* Writes particles. format null = by the ending of the path. fields null = all, else names ended by null. */
MYR_API myr_status myr_snapshot_write(const myr_particles *particles, const char *path, const char *format,
                                      const char *const *fields, const myr_snapshot_header *header);

/* Reads particles. format null = found out from the file. */
MYR_API myr_status myr_snapshot_read(myr_context *context, const char *path, const char *format,
                                     myr_particles **particles, myr_snapshot_header *header);

MYR_END_DECLS

#endif
