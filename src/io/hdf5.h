/* hdf5.h - what our formats need from HDF5, without its types: groups, attributes, tables of numbers.
 *
 * A new file is built in memory and goes to the disk through file.h, whole or not at all. (Where the disk is full, the
 * HDF5 library cannot close a file of its own, and crashes when the program ends.) The same data give the same bytes:
 * no times are stored. HDF5's own messages are caught and become part of ours.
 *
 * One file is open at a time per thread, and other threads wait: the library may not be built for threads. */
#ifndef MYR_IO_HDF5_H
#define MYR_IO_HDF5_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/context.h"
#include "io/format.h"

enum { MYR_HDF5_COLUMNS_MAX = 16, MYR_HDF5_NAME_MAX = 255 };

typedef struct myr_hdf5 myr_hdf5;

/* Kinds of numbers: IEEE doubles, 64-bit integers without and with a sign; or something that we do not read. */
typedef enum { MYR_HDF5_DOUBLE, MYR_HDF5_UNSIGNED, MYR_HDF5_SIGNED, MYR_HDF5_OTHER } myr_hdf5_kind;

/* A table in a file: rows x columns, one-dimensional where columns = 1, or one such table per frame. */
typedef struct {
    uint64_t rows;
    int columns;
    myr_hdf5_kind kind; /* the one that holds its numbers without loss */
    int bytes;          /* per number in the file; written integers: 8, or 1 and 4 */
    uint64_t frames;    /* 0 = it has no such dimension */
    uint64_t frame;     /* the one to read */
    uint64_t before;    /* rows that are not read, at the beginning and at the end */
    uint64_t behind;
    int packed;    /* written: compressed, for numbers that hold little */
    uint64_t mesh; /* rows as [mesh][mesh][mesh], where they are joined, or read; 0 = as one dimension */
} myr_hdf5_shape;

/* Gives or takes rows [first, first + count) of a table as values[count][columns]; where frames are written, row r of
 * frame f is row f * rows + r. A non-zero answer stops. */
typedef int (*myr_hdf5_rows_fn)(void *user, uint64_t first, uint64_t count, void *values);

/* 1 where the build has HDF5; without it create and open give MYR_ERROR_UNAVAILABLE. */
int myr_hdf5_available(void);

/* 1 where these are the first bytes of an HDF5 file. */
static inline int myr_hdf5_is(const unsigned char *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* Begins a file of about `size` bytes. A sparse one takes memory for what is put into it, and none for its holes. */
myr_status myr_hdf5_create(myr_context *context, const char *path, uint64_t size, myr_hdf5 **file);
myr_status myr_hdf5_create_sparse(myr_context *context, const char *path, myr_hdf5 **file);

/* Opens a file for reading. */
myr_status myr_hdf5_open(myr_context *context, const char *path, myr_hdf5 **file);

/* Closes; a file that was begun and not published is given up. Clears the pointer; null is allowed. */
void myr_hdf5_close(myr_hdf5 **file);

/* --- writing: after an error the rest does nothing, and publish tells ------------------------------------------------
 */

/* Writes the file to the disk and closes it in any case. Where there are holes, others fill them before it gets its
 * name; who fails before that returns the error, and they hear of it from the caller. */
myr_status myr_hdf5_publish(myr_hdf5 **file);
myr_status myr_hdf5_publish_with(myr_hdf5 **file, const myr_format_others *others);

/* Makes a group. */
void myr_hdf5_put_group(myr_hdf5 *file, const char *name);

/* Attributes of a group or table: n numbers (0 = one number, not an array), or a text. Integers take 4 or 8 bytes. */
void myr_hdf5_put_doubles(myr_hdf5 *file, const char *object, const char *name, int n, const double *values);
void myr_hdf5_put_integers(myr_hdf5 *file, const char *object, const char *name, int n, int bytes,
                           const uint64_t *values);
void myr_hdf5_put_text(myr_hdf5 *file, const char *object, const char *name, const char *text);

/* A text of exactly its length, without a zero behind, as VTK writes it. */
void myr_hdf5_put_ascii(myr_hdf5 *file, const char *object, const char *name, const char *text);

/* A text as a string of variable length, which Python's readers take for text and not for bytes. */
void myr_hdf5_put_string(myr_hdf5 *file, const char *object, const char *name, const char *text);

/* An array of n short words. */
void myr_hdf5_put_words(myr_hdf5 *file, const char *object, const char *name, int n, const char *const *words);

/* Makes a table. */
void myr_hdf5_put_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_rows_fn give,
                        void *user);

/* Makes a table of numbers of 8 bytes that others fill, as publish asks them to; `field` is null where it is none. */
void myr_hdf5_put_hole(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_format_column column,
                       const char *field);

/* Gives an object a second name. */
void myr_hdf5_put_link(myr_hdf5 *file, const char *object, const char *name);

/* Makes a table of the rows of others, one after the other, without a copy of their numbers. */
void myr_hdf5_put_joined(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, int parts,
                         const char *const *part);

/* --- reading ---------------------------------------------------------------------------------------------------------
 */

/* 1 where there is an object of that name; of "a/b", a must be there. */
int myr_hdf5_has(myr_hdf5 *file, const char *name);

/* The number of members of a group. */
int64_t myr_hdf5_members(myr_hdf5 *file, const char *group);

/* The name of member k; *is_table tells whether it is a table. Links into other files are refused. */
myr_status myr_hdf5_member(myr_hdf5 *file, const char *group, int64_t k, char name[MYR_HDF5_NAME_MAX + 1],
                           int *is_table);

/* Up to max numbers of an attribute; *count is 0 where it is not there. */
myr_status myr_hdf5_get_doubles(myr_hdf5 *file, const char *object, const char *name, int max, double *values,
                                int *count);
myr_status myr_hdf5_get_integers(myr_hdf5 *file, const char *object, const char *name, int max, int64_t *values,
                                 int *count);

/* A text attribute, or an empty one; of an array of texts, number k. */
void myr_hdf5_get_text(myr_hdf5 *file, const char *object, const char *name, int k, char *text, size_t size);

/* The shape of a table, or of one per frame. Refused: a table whose numbers cannot all be in this file. */
myr_status myr_hdf5_table(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape);
myr_status myr_hdf5_frames(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape);

/* The shape of an array [mesh][mesh][mesh], or with columns after, or with frames before; mesh = 0 for any other. */
myr_status myr_hdf5_cube(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape);

/* One number that is no table: *found is 0 where there is no such object, or where it is a table. */
myr_status myr_hdf5_get_scalar(myr_hdf5 *file, const char *name, double *value, int *found);

/* Reads a table, or a frame of it, converted to `kind`. */
myr_status myr_hdf5_get_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_kind kind,
                              myr_hdf5_rows_fn take, void *user);

#endif
