/* snapshot.h - particle files: input and output of runs.
 *
 * A format is one file in src/io and one line in formats.def. Writers use a temporary name and rename the complete
 * file. Readers verify all sizes in a file. Data that a format cannot store is reported by name: an error if it was
 * requested, a warning if "everything" was to be written. */
#ifndef MYRIAD_SNAPSHOT_H
#define MYRIAD_SNAPSHOT_H

#include <stdint.h>

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Frames of a file count from 0; -1 is the last frame, -2 the one before. */
#define MYR_SNAPSHOT_LAST (-1)

enum { MYR_SNAPSHOT_SPECIES = 64 }; /* largest number of types with names */

/* Metadata of a particle file. In a periodic box positions are inside the box, and the field "image" (3 components,
 * integers) counts the periodic images between a particle and the box. Units are factors to SI; 0 = not stated. */
typedef struct {
    double time;
    double unit_length, unit_mass, unit_time, unit_charge; /* in m, kg, s, C */
    double box[3];                                         /* edges of a periodic box; 0 = axis not periodic */
    double origin[3];                                      /* lowest corner of the box */
    const char *program;                                   /* name of the program; for writing only */
    int strict;                                            /* for writing only: 1 = a loss of data is an error */
    /* for reading only: index of the frame, and number of frames in the file */
    int64_t frame, frames;
    int64_t step;                           /* number of steps, in formats that store it; 0 = none, or not stated */
    char species[MYR_SNAPSHOT_SPECIES][16]; /* for reading only: names of the types; "" = none in the file */
} myr_snapshot_header;

/* Data besides fields that a format can store. */
enum {
    MYR_SNAPSHOT_IDS = 1,
    MYR_SNAPSHOT_TYPES = 2,
    MYR_SNAPSHOT_TIME = 4,
    MYR_SNAPSHOT_BOX = 8, /* with edges of any lengths */
    MYR_SNAPSHOT_UNITS = 16,
    MYR_SNAPSHOT_FRAMES = 32, /* more than one particle set */
    MYR_SNAPSHOT_ORIGIN = 64, /* origin of the box */
    MYR_SNAPSHOT_NAMES = 128, /* names of particles */
};

typedef struct {
    myr_choice_info info;
    const char *ending; /* preferred file name ending without the dot, such as "hdf5" */
    int can_write;
    int any_field;   /* 1 = stores fields of any name */
    int bits;        /* bits per number in the file: 64 or 32 */
    unsigned keeps;  /* MYR_SNAPSHOT_IDS, ... */
    int types;       /* stores types 0 to types - 1; 0 = all types */
    int many_frames; /* 1 = myr_snapshot_write_frames supports the format */
    int in_parts;    /* 1 = myr_snapshot_read_share supports the format */
} myr_snapshot_format_info;

/* Field with a name of its own in a format. */
typedef struct {
    const char *name;   /* name in the particle set */
    const char *stored; /* name in the file */
    int components;     /* required number of components; 0 = any */
    int bits;           /* bits per number in the file */
    const char *text;   /* description; "" = unknown */
    char unit[48];      /* "length time^-1"; "1" = dimensionless; "" = unknown */
} myr_snapshot_field_info;

/* Format k ("gadget_hdf5", ...), and whether this build has it; null past the last. */
MYR_API const myr_choice_info *myr_snapshot_format(int k);

/* Describes a format; 0 if there is no format of that name. */
MYR_API int myr_snapshot_format_describe(const char *format, myr_snapshot_format_info *info);

/* Describes field k with a name of its own in a format; 0 past the last. */
MYR_API int myr_snapshot_format_field(const char *format, int k, myr_snapshot_field_info *field);

/* Describes a field of a particle set from its name and the other fields present; 0 if there is no such field. `stored`
 * is null and `bits` 0, since the field is in no file. */
MYR_API int myr_snapshot_field(const myr_particles *particles, const char *name, myr_snapshot_field_info *field);

/* Format of a file, determined from its content. */
MYR_API myr_status myr_snapshot_format_of(myr_context *context, const char *path, const char **format);

/* Format in which a file of that name is written, by its ending. */
MYR_API myr_status myr_snapshot_format_for(myr_context *context, const char *path, const char **format);

/* Writes particles. format null = by the ending of the path. fields null = all fields that the format can store, with a
 * warning for each other field; else names ended by null, all of which the format must be able to store. */
MYR_API myr_status myr_snapshot_write(const myr_particles *particles, const char *path, const char *format,
                                      const char *const *fields, const myr_snapshot_header *header);

/* Writes several particle sets as the frames of one file, each with a header. All sets must have the fields of the
 * first; some formats need equal numbers of particles (h5md). */
MYR_API myr_status myr_snapshot_write_frames(int64_t frames, const myr_particles *const *particles, const char *path,
                                             const char *format, const char *const *fields,
                                             const myr_snapshot_header *headers);

/* Reads particles, the last frame of a file with several. format null = determined from the file. */
MYR_API myr_status myr_snapshot_read(myr_context *context, const char *path, const char *format,
                                     myr_particles **particles, myr_snapshot_header *header);

/* Reads particles from a table of text (format csv) with a choice of columns. `columns` is ended by null, in one of two
 * forms. "x", "y", "z", "mass", "skip", "name": the meanings of all columns of the file in their order, where "skip"
 * leaves a column out; the file needs no line of names. "x=X_pc", "mass=4": columns by their names in the file, or by
 * their numbers from 1; others are left out. Null columns = as the file names them. Meanings are those of the format
 * csv: x, y, z, vx, vy, vz, id, type, name, any field, or field[2] for a component. */
MYR_API myr_status myr_snapshot_read_columns(myr_context *context, const char *path, const char *const *columns,
                                             myr_particles **particles, myr_snapshot_header *header);

/* Reads one frame. */
MYR_API myr_status myr_snapshot_read_frame(myr_context *context, const char *path, const char *format, int64_t frame,
                                           myr_particles **particles, myr_snapshot_header *header);

/* Reads at most `most` particles of the last frame: those whose ids have the smallest hashes, so that the selection is
 * the same in all files with these particles. *of receives the number of particles in the file. fields: names of the
 * needed fields, ended by null; null = all. Files in h5md need memory for `most` particles only, and other fields are
 * not read; files in other formats are read completely. */
MYR_API myr_status myr_snapshot_read_some(myr_context *context, const char *path, const char *format, int64_t most,
                                          const char *const *fields, myr_particles **particles,
                                          myr_snapshot_header *header, int64_t *of);

/* Reads share number `share` of `shares` equal shares of the rows of the last frame, for ranks that each read their
 * own: rows from *first on, of *of. Needs memory for the share only. Duplicate ids in different shares are not
 * detected. */
MYR_API myr_status myr_snapshot_read_share(myr_context *context, const char *path, const char *format, int share,
                                           int shares, myr_particles **particles, myr_snapshot_header *header,
                                           int64_t *first, int64_t *of);

/* Converts particles, time and box from the units of `header` to those of `units`, where both are stated, and stores
 * the new units in the header. A field of unknown dimension is unchanged, with a warning. */
MYR_API myr_status myr_snapshot_convert(myr_particles *particles, myr_snapshot_header *header,
                                        const myr_snapshot_header *units);

MYR_END_DECLS

#endif
