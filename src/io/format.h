/* format.h - what a format of particle files is: one const table that says how its files are known, what they can hold,
 * and two functions. What a format cannot hold is told by name, in snapshot_write.c and for all formats alike; it is
 * never dropped in silence. */
#ifndef MYR_IO_FORMAT_H
#define MYR_IO_FORMAT_H

#include <stddef.h>

#include <myriad/snapshot.h>

enum { MYR_FORMAT_HEAD = 512, MYR_FORMAT_FIELDS_MAX = 64, MYR_FORMAT_NAME_MAX = 63, MYR_FORMAT_REASON_MAX = 128 };

/* A field under the name that a format gives it. Unit and description come from quantities.def. */
typedef struct {
    const char *name;   /* in the particle store */
    const char *stored; /* in the file */
    int components;     /* that it must have; 0 = any number */
    int bits;           /* of a number in the file: 64, or 32; 0 = those of the format */
} myr_format_field;

/* What a table has of every particle. */
typedef enum { MYR_COLUMN_FIELD, MYR_COLUMN_IDS, MYR_COLUMN_TYPES } myr_format_column;

/* A table in a file whose rows are written by others: numbers of 8 bytes, doubles of a field or integers, [components]
 * one after the other. */
typedef struct {
    myr_format_column column;
    const char *field; /* null where it is none */
    int components;
    uint64_t offset; /* of the first row in the file */
} myr_format_hole;

enum { MYR_FORMAT_HOLES = MYR_FORMAT_FIELDS_MAX + 2 };

/* Others who have the particles and write them into the same file: several ranks. The set of the job has their fields
 * and no particles. */
typedef struct {
    void *user;
    int64_t particles; /* that they have */
    /* All but the holes has been written to the temporary file. */
    myr_status (*fill)(void *user, const char *temporary, int holes, const myr_format_hole *hole);
} myr_format_others;

/* What is to be written: all checked, no name twice, nothing that the format cannot carry. */
typedef struct {
    const myr_particles *particles;
    const char *path;
    int fields;
    const char *field[MYR_FORMAT_FIELDS_MAX];
    int components[MYR_FORMAT_FIELDS_MAX];
    myr_snapshot_header header;
    int64_t frames; /* 1, or more where the format can; the particles and the header above are those of the first */
    const myr_particles *const *frame;
    const myr_snapshot_header *frame_header;
    unsigned told;                   /* MYR_SNAPSHOT_IDS, ...: losses that have been told of a frame before */
    uint64_t told_fields;            /* the same of fields whose numbers are rounded, a bit each */
    const myr_format_others *others; /* null = this process has all */
} myr_format_job;

/* A file whose format is to be found out. */
typedef struct {
    myr_context *context;
    const char *path;
    const unsigned char *head; /* its first bytes, at most MYR_FORMAT_HEAD */
    size_t head_size;
    uint64_t size; /* of the whole file */
} myr_format_file;

/* What is wanted of a file. */
typedef struct {
    int64_t most;              /* particles; < 0 = all */
    const char *const *fields; /* ended by null; null = all */
    int share, shares;         /* of the rows, this one of so many even parts; shares 0 = all */
    int64_t of;                /* told: particles that there are */
    int64_t first;             /* told: the first row of the share */
} myr_format_part;

/* Answers of a probe. The most certain format wins, and among equals the first in formats.def. */
enum { MYR_FORMAT_NO, MYR_FORMAT_PERHAPS, MYR_FORMAT_LIKELY, MYR_FORMAT_SURELY };

typedef struct {
    myr_choice_info info;
    const char *endings[5];         /* with the dot, the best first; ends with null */
    const myr_format_field *fields; /* that it has names of its own for; ends with a null name */
    int any_field;                  /* whether it carries all others too, under names made from theirs */
    int bits;                       /* of a number in the file: 64, or 32 */
    unsigned keeps;                 /* MYR_SNAPSHOT_IDS, ...: what it holds besides fields */
    int types;                      /* it has types 0 to types - 1; 0 = all */
    int many_frames;                /* its writer takes jobs of more than one frame */
    int with_others;                /* its writer takes jobs of which others have a part */

    /* Whether a field of that name can be stored by a format of any_field; null = every name. */
    int (*can_name)(const char *name);

    /* Whether a file may be of this format. */
    int (*probe)(const myr_format_file *file);

    /* Writes a whole file or none. Null: the format is only read. */
    myr_status (*write)(const myr_format_job *job);

    /* Reads a frame, counted from 0, or MYR_SNAPSHOT_LAST; the header is all zero on entry. A format that keeps frames
     * sets header->frame and frames; the others are not asked for any frame but 0. Values that are not finite are found
     * by the caller. */
    myr_status (*read)(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                       myr_snapshot_header *header);

    /* The same of a part of them. Null: all are read, and most forgotten; there are no shares. */
    myr_status (*read_some)(myr_context *context, const char *path, int64_t frame, myr_format_part *part,
                            myr_particles **particles, myr_snapshot_header *header);
} myr_format;

#define MYR_FORMAT(name) extern const myr_format myr_##name##_format;
#include "io/formats.def"
#undef MYR_FORMAT

/* Format k; null past the end. */
const myr_format *myr_format_at(int k);

/* Finds a format by name, by the ending of a path, or by the bytes of a file. */
myr_status myr_format_find(myr_context *context, const char *name, const myr_format **format);
myr_status myr_format_by_ending(myr_context *context, const char *path, const myr_format **format);
myr_status myr_format_by_bytes(myr_context *context, const char *path, const myr_format **format);

/* myr_snapshot_write with others; and whether the format can. */
int myr_format_with_others(const char *format);
myr_status myr_format_write(const myr_particles *particles, const char *path, const char *format,
                            const char *const *fields, const myr_snapshot_header *header,
                            const myr_format_others *others);

/* The entry of a field that a format has a name for, or null. */
const myr_format_field *myr_format_field_find(const myr_format *format, const char *name);

/* The name that a format has for a field, or null. */
const char *myr_format_stored(const myr_format *format, const char *name);

/* The field that a format has a name for, or null. */
const char *myr_format_field_of(const myr_format *format, const char *stored);

/* The bits of a number of a field in the file. */
int myr_format_bits(const myr_format *format, const char *name);

/* Why a format cannot carry a field, or null: the sentence goes on after "the format x cannot carry ...". */
const char *myr_format_refuses(const myr_format *format, const char *name, int components,
                               char reason[MYR_FORMAT_REASON_MAX]);

/* The name of a number in a header that no set of particles can have, with its value; or null. */
const char *myr_format_bad_number(const myr_snapshot_header *header, double *value);

/* What the file will not hold, in a sentence: a warning, or an error where the header says strict. For the time before
 * anything is written. */
myr_status myr_format_lose(const myr_format_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the ids that were read; an id that is there twice is an error that names the file. */
myr_status myr_format_set_ids(myr_particles *particles, const char *path, const int64_t *ids);

/* Turns a frame that was asked for into its number, or fails where the file has no such frame. */
myr_status myr_format_frame(myr_context *context, const char *path, int64_t frames, int64_t *frame);

#endif
