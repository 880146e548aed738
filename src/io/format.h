/* format.h - interface of a particle file format: one const table that says how its files are recognised, what they can
 * store, and how they are read and written. Data that a format cannot store is reported by name, by snapshot_write.c
 * for all formats; nothing is dropped silently. */
#ifndef MYR_IO_FORMAT_H
#define MYR_IO_FORMAT_H

#include <stddef.h>

#include <myriad/snapshot.h>

enum { MYR_FORMAT_HEAD = 512, MYR_FORMAT_FIELDS_MAX = 64, MYR_FORMAT_NAME_MAX = 63, MYR_FORMAT_REASON_MAX = 128 };

/* Field and its name in a format. Unit and description are in quantities.def. */
typedef struct {
    const char *name;   /* name in the particle set */
    const char *stored; /* name in the file */
    int components;     /* required number of components; 0 = any */
    int bits;           /* bits per number in the file, 64 or 32; 0 = the default of the format */
} myr_format_field;

/* Content of a table. */
typedef enum { MYR_COLUMN_FIELD, MYR_COLUMN_IDS, MYR_COLUMN_TYPES } myr_format_column;

/* Table of a file whose rows other processes write: 8-byte numbers, doubles of a field or integers,
 * [rows][components]. */
typedef struct {
    myr_format_column column;
    const char *field; /* null unless column is MYR_COLUMN_FIELD */
    int components;
    uint64_t offset; /* offset of the first row in the file */
} myr_format_hole;

enum { MYR_FORMAT_HOLES = MYR_FORMAT_FIELDS_MAX + 2 };

/* Several ranks that hold the particles and write them into the same file. The particle set of the job has their fields
 * but no particles. */
typedef struct {
    void *user;
    int64_t particles; /* number of particles on all ranks */
    /* Writes the rows of the tables; called when the rest of the temporary file is complete. */
    myr_status (*fill)(void *user, const char *temporary, int holes, const myr_format_hole *hole);
} myr_format_others;

/* Checked input of a writer: names are unique, and the format can store everything. */
typedef struct {
    const myr_particles *particles;
    const char *path;
    int fields;
    const char *field[MYR_FORMAT_FIELDS_MAX];
    int components[MYR_FORMAT_FIELDS_MAX];
    myr_snapshot_header header;
    /* number of frames, more than 1 only if the format supports it; particles and header above belong to the first
     * frame */
    int64_t frames;
    const myr_particles *const *frame;
    const myr_snapshot_header *frame_header;
    unsigned reported;               /* MYR_SNAPSHOT_IDS, ...: losses already reported for an earlier frame */
    uint64_t reported_fields;        /* bit k = rounding of field k was already reported */
    const myr_format_others *others; /* null = this process holds all particles */
} myr_format_job;

/* File whose format is to be determined. */
typedef struct {
    myr_context *context;
    const char *path;
    const unsigned char *head; /* first bytes of the file, at most MYR_FORMAT_HEAD */
    size_t head_size;
    uint64_t size; /* size of the whole file in bytes */
} myr_format_file;

/* Part of a file that is read. */
typedef struct {
    int64_t most;               /* largest number of particles; < 0 = all */
    const char *const *fields;  /* names of the fields, ended by null; null = all */
    const char *const *columns; /* choice of columns, as in myr_snapshot_read_columns; null = none */
    int share, shares;          /* number of the share among `shares` equal shares of the rows; shares 0 = all rows */
    int64_t of;                 /* result: number of particles in the file */
    int64_t first;              /* result: first row of the share */
} myr_format_part;

/* Results of a probe. The most certain format wins, and among equals the first in formats.def. */
enum { MYR_FORMAT_NO, MYR_FORMAT_PERHAPS, MYR_FORMAT_LIKELY, MYR_FORMAT_SURELY };

typedef struct {
    myr_choice_info info;
    const char *endings[5];         /* file name endings with the dot, preferred one first, ended by null */
    const myr_format_field *fields; /* fields with a name of their own in the format, ended by a null name */
    int any_field;                  /* 1 = stores all other fields too, under names derived from the field names */
    int bits;                       /* bits per number in the file: 64 or 32 */
    unsigned keeps;                 /* MYR_SNAPSHOT_IDS, ...: data besides fields that the format stores */
    int types;                      /* stores types 0 to types - 1; 0 = all types */
    int many_frames;                /* 1 = the writer accepts more than one frame */
    int with_others;                /* 1 = the writer accepts particles of several ranks */

    /* 1 if a format with any_field can store a field of that name; null = every name. */
    int (*can_name)(const char *name);

    /* Certainty that a file has this format. */
    int (*probe)(const myr_format_file *file);

    /* Writes a file completely or not at all. Null = the format is read-only. */
    myr_status (*write)(const myr_format_job *job);

    /* Reads a frame, counted from 0, or MYR_SNAPSHOT_LAST; the header is zero on entry. A format with several frames
     * sets header->frame and header->frames; other formats are only asked for frame 0. The caller checks for values
     * that are not finite. */
    myr_status (*read)(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                       myr_snapshot_header *header);

    /* Reads a table with a choice of columns (myr_snapshot_read_columns). Null = the format has no columns. */
    myr_status (*read_columns)(myr_context *context, const char *path, const char *const *columns,
                               myr_particles **particles, myr_snapshot_header *header);

    /* Reads a part of a frame. Null = the caller reads all particles and drops the others, and shares are not
     * available. */
    myr_status (*read_some)(myr_context *context, const char *path, int64_t frame, myr_format_part *part,
                            myr_particles **particles, myr_snapshot_header *header);
} myr_format;

#define MYR_FORMAT(name) extern const myr_format myr_##name##_format;
#include "io/formats.def"
#undef MYR_FORMAT

/* Format k; null past the last. */
const myr_format *myr_format_at(int k);

/* Finds a format by its name, by the ending of a path, or by the content of a file. */
myr_status myr_format_find(myr_context *context, const char *name, const myr_format **format);
myr_status myr_format_by_ending(myr_context *context, const char *path, const myr_format **format);
myr_status myr_format_by_bytes(myr_context *context, const char *path, const myr_format **format);

/* 1 if a format can write particles of several ranks; and myr_snapshot_write for particles of several ranks. */
int myr_format_with_others(const char *format);
myr_status myr_format_write(const myr_particles *particles, const char *path, const char *format,
                            const char *const *fields, const myr_snapshot_header *header,
                            const myr_format_others *others);

/* Entry of a field with a name of its own in the format, or null. */
const myr_format_field *myr_format_field_find(const myr_format *format, const char *name);

/* Name of a field in the format, or null. */
const char *myr_format_stored(const myr_format *format, const char *name);

/* Field with a given name in the format, or null. */
const char *myr_format_field_of(const myr_format *format, const char *stored);

/* Bits per number of a field in the file. */
int myr_format_bits(const myr_format *format, const char *name);

/* Reason why a format cannot store a field, or null; the text continues the sentence "the format x cannot carry
 * ...". */
const char *myr_format_refuses(const myr_format *format, const char *name, int components,
                               char reason[MYR_FORMAT_REASON_MAX]);

/* Name of the first header number that is invalid for any particle set, and its value; null if all are valid. */
const char *myr_format_bad_number(const myr_snapshot_header *header, double *value);

/* Reports data that the file will not contain: a warning, or an error if the header says strict. Called before anything
 * is written. */
myr_status myr_format_report_loss(const myr_format_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the ids read from a file; a duplicate id is an error that names the file. */
myr_status myr_format_set_ids(myr_particles *particles, const char *path, const int64_t *ids);

/* Replaces MYR_SNAPSHOT_LAST by the number of the last frame; fails if the file has no such frame. */
myr_status myr_format_frame(myr_context *context, const char *path, int64_t frames, int64_t *frame);

#endif
