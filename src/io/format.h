/* format.h - what a format of particle files is: one const table. */
#ifndef MYR_IO_FORMAT_H
#define MYR_IO_FORMAT_H

#include <stddef.h>

#include <myriad/snapshot.h>

enum { MYR_FORMAT_HEAD = 512, MYR_FORMAT_FIELDS_MAX = 64 };

/* A field under the name that a format gives it. */
typedef struct {
    const char *name;   /* in the particle store */
    const char *stored; /* in the file */
} myr_format_field;

/* What is to be written: all checked, no name twice. Ids and types are always written. */
typedef struct {
    const myr_particles *particles;
    const char *path;
    int fields;
    const char *field[MYR_FORMAT_FIELDS_MAX];
    int components[MYR_FORMAT_FIELDS_MAX];
    myr_snapshot_header header;
} myr_format_job;

typedef struct {
    myr_choice_info info;
    const char *endings[4];         /* with the dot, the best first; ends with null */
    const myr_format_field *fields; /* that it has names of its own for; ends with a null name */
    int any_field;                  /* whether it carries all others too, under names made from theirs */

    /* Whether a file that starts with these bytes may be of this format. */
    int (*probe)(const unsigned char *head, size_t size);

    /* Writes a whole file or none. */
    myr_status (*write)(const myr_format_job *job);

    /* Reads a file; the header is all zero on entry. Values that are not finite are found by the caller. */
    myr_status (*read)(myr_context *context, const char *path, myr_particles **particles, myr_snapshot_header *header);
} myr_format;

#define MYR_FORMAT(name) extern const myr_format myr_##name##_format;
#include "io/formats.def"
#undef MYR_FORMAT

/* The name that a format has for a field, or null. */
const char *myr_format_stored(const myr_format *format, const char *name);

/* The field that a format has a name for, or null. */
const char *myr_format_field_of(const myr_format *format, const char *stored);

/* Sets the ids that were read; an id that is there twice is an error that names the file. */
myr_status myr_format_set_ids(myr_particles *particles, const char *path, const int64_t *ids);

#endif
