/* snapshot.h - particle files: what a run leaves behind and what it starts from.
 *
 * A format is one file in src/io and one line in formats.def. Writers write to a temporary name and rename when the
 * file is whole. Readers trust no size in a file. What a format cannot carry is told by name: an error where it was
 * asked for, a warning where "everything" was to be written. */
#ifndef MYRIAD_SNAPSHOT_H
#define MYRIAD_SNAPSHOT_H

#include <stdint.h>

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Frame k of a file counts from 0; -1 is the last one, -2 the one before it. */
#define MYR_SNAPSHOT_LAST (-1)

enum { MYR_SNAPSHOT_SPECIES = 64 }; /* so many types have names; further ones have none */

/* What a file says about its particles besides their fields. In a periodic box positions are inside it, and the field
 * "image" (3 components, whole numbers) counts how many boxes away a particle really is. Units are factors to SI; 0 =
 * not stated. */
typedef struct {
    double time;
    double unit_length, unit_mass, unit_time, unit_charge; /* in m, kg, s, C */
    double box[3];                                         /* edges of a periodic box; 0 = not periodic that way */
    double origin[3];                                      /* the lowest corner of the box */
    const char *program;                                   /* written only */
    int strict;                                            /* written only: what the file would lose is an error */
    int64_t frame, frames;                                 /* read only: which of how many in the file */
    int64_t step;                           /* steps made so far, in formats that count them; 0 = none, or not stated */
    char species[MYR_SNAPSHOT_SPECIES][16]; /* read only: names of the types; "" = none in the file */
} myr_snapshot_header;

/* What a format can hold besides fields. */
enum {
    MYR_SNAPSHOT_IDS = 1,
    MYR_SNAPSHOT_TYPES = 2,
    MYR_SNAPSHOT_TIME = 4,
    MYR_SNAPSHOT_BOX = 8, /* with edges of any lengths */
    MYR_SNAPSHOT_UNITS = 16,
    MYR_SNAPSHOT_FRAMES = 32, /* more than one set of particles */
    MYR_SNAPSHOT_ORIGIN = 64, /* where the box begins */
};

typedef struct {
    myr_choice_info info;
    const char *ending; /* "hdf5": the best one, without the dot */
    int can_write;
    int any_field;   /* it carries fields of any name, not only those that it has names for */
    int bits;        /* of a number in the file: 64, or 32 */
    unsigned keeps;  /* MYR_SNAPSHOT_IDS, ... */
    int types;       /* it has types 0 to types - 1; 0 = all */
    int many_frames; /* myr_snapshot_write_frames can write it */
    int in_parts;    /* myr_snapshot_read_share can read it */
} myr_snapshot_format_info;

/* A field that a format has a name of its own for. */
typedef struct {
    const char *name;   /* in the particle store */
    const char *stored; /* in the file */
    int components;     /* that it must have; 0 = any number */
    int bits;           /* of a number in the file */
    const char *text;   /* description; "" = not known */
    char unit[48];      /* "length time^-1"; "1" = no dimension; "" = not known */
} myr_snapshot_field_info;

/* Format k ("gadget_hdf5", ...), with whether this build has it; null past the end. */
MYR_API const myr_choice_info *myr_snapshot_format(int k);

/* What a format can hold: 1, or 0 where there is no format of that name. */
MYR_API int myr_snapshot_format_describe(const char *format, myr_snapshot_format_info *info);

/* Field k that a format has a name for: 1, or 0 past the end. */
MYR_API int myr_snapshot_format_field(const char *format, int k, myr_snapshot_field_info *field);

/* What is known about a field of a set of particles, from its name and what else is there: 1, or 0 where there is no
 * such field. It is stored nowhere: stored is null and bits 0. */
MYR_API int myr_snapshot_field(const myr_particles *particles, const char *name, myr_snapshot_field_info *field);

/* The format of a file, found out from its bytes. */
MYR_API myr_status myr_snapshot_format_of(myr_context *context, const char *path, const char **format);

/* The format that a file of that name is written in, by its ending. */
MYR_API myr_status myr_snapshot_format_for(myr_context *context, const char *path, const char **format);

/* Writes particles. format null = by the ending of the path. fields null = all that the format can carry, with a
 * warning for each of the others; else names ended by null, which it must be able to carry. */
MYR_API myr_status myr_snapshot_write(const myr_particles *particles, const char *path, const char *format,
                                      const char *const *fields, const myr_snapshot_header *header);

/* Writes several sets of particles as the frames of one file, each with a header. All must have the fields of the
 * first; some formats want as many particles in each (h5md). */
MYR_API myr_status myr_snapshot_write_frames(int64_t frames, const myr_particles *const *particles, const char *path,
                                             const char *format, const char *const *fields,
                                             const myr_snapshot_header *headers);

/* Reads particles; the last frame of a file that has several. format null = found out from the file. */
MYR_API myr_status myr_snapshot_read(myr_context *context, const char *path, const char *format,
                                     myr_particles **particles, myr_snapshot_header *header);

/* Reads one frame. */
MYR_API myr_status myr_snapshot_read_frame(myr_context *context, const char *path, const char *format, int64_t frame,
                                           myr_particles **particles, myr_snapshot_header *header);

/* Reads the last frame of a file, but no more than `most` of its particles: those whose ids have the smallest hashes,
 * so that they are the same in all files that have them. *of is how many there are. fields: names of those that are
 * needed, ended by null; null = all. Files in h5md need memory for `most` particles only, and other fields are not
 * read; files in other formats are read whole. */
MYR_API myr_status myr_snapshot_read_some(myr_context *context, const char *path, const char *format, int64_t most,
                                          const char *const *fields, myr_particles **particles,
                                          myr_snapshot_header *header, int64_t *of);

/* Reads one of so many even shares of the rows of the last frame, as ranks do, each its own: rows from *first on, of
 * *of. It takes memory for these alone. Ids that two shares have are not noticed. */
MYR_API myr_status myr_snapshot_read_share(myr_context *context, const char *path, const char *format, int share,
                                           int shares, myr_particles **particles, myr_snapshot_header *header,
                                           int64_t *first, int64_t *of);

/* Converts particles, time and box from the units of a header to those that another one states, where both do, and
 * notes them in the header. A field whose dimension is not known stays as it is, with a warning. */
MYR_API myr_status myr_snapshot_convert(myr_particles *particles, myr_snapshot_header *header,
                                        const myr_snapshot_header *units);

MYR_END_DECLS

#endif
