/* extxyz.h - what the writer and the reader of extended XYZ share. */
#ifndef MYR_IO_EXTXYZ_H
#define MYR_IO_EXTXYZ_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_EXTXYZ_COMPONENTS_MAX = 16, MYR_EXTXYZ_WORD = 3 * MYR_FORMAT_NAME_MAX + 2 };

/* The property that holds a field, and the field that a property holds: 0 where its name is no name for a field. */
void myr_extxyz_name(const char *field, char property[MYR_EXTXYZ_WORD]);
int myr_extxyz_field(const char *property, char field[MYR_FORMAT_NAME_MAX + 1]);

/* As in format.h. */
myr_status myr_extxyz_write(const myr_format_job *job);
myr_status myr_extxyz_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                           myr_snapshot_header *header);

#endif
