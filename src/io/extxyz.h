/* extxyz.h - declarations shared by the writer and the reader of extended XYZ. */
#ifndef MYR_IO_EXTXYZ_H
#define MYR_IO_EXTXYZ_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_EXTXYZ_COMPONENTS_MAX = 16, MYR_EXTXYZ_WORD = 3 * MYR_FORMAT_NAME_MAX + 2 };

/* Property name of a field; and field name of a property, 0 if the property name is not valid as a field name. */
void myr_extxyz_name(const char *field, char property[MYR_EXTXYZ_WORD]);
int myr_extxyz_field(const char *property, char field[MYR_FORMAT_NAME_MAX + 1]);

/* Functions of the format table (format.h). */
myr_status myr_extxyz_write(const myr_format_job *job);
myr_status myr_extxyz_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                           myr_snapshot_header *header);

#endif
