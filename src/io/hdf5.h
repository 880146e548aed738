/* hdf5.h - the functions of HDF5 that the formats need, without types of the library: groups, attributes, tables of
 * numbers.
 *
 * A new file is built in memory and written to disk through file.h, completely or not at all. (On a full disk the HDF5
 * library cannot close its own file, and crashes when the program ends.) The same data give the same bytes: no times
 * are stored. Error messages of HDF5 become part of the message in the context.
 *
 * Each thread may have one file open, and other threads wait, because the library may not be thread-safe. */
#ifndef MYR_IO_HDF5_H
#define MYR_IO_HDF5_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/context.h"
#include "io/format.h"

enum { MYR_HDF5_COLUMNS_MAX = 16, MYR_HDF5_NAME_MAX = 255 };

typedef struct myr_hdf5 myr_hdf5;

/* Types of numbers: IEEE doubles, 64-bit unsigned and signed integers, or a type that is not read. */
typedef enum { MYR_HDF5_DOUBLE, MYR_HDF5_UNSIGNED, MYR_HDF5_SIGNED, MYR_HDF5_OTHER } myr_hdf5_kind;

/* Table in a file: [rows][columns], or [rows] if columns = 1; with frames [frames][rows][columns]. */
typedef struct {
    uint64_t rows;
    int columns;
    myr_hdf5_kind kind; /* type that holds all numbers of the table without loss */
    int bytes;          /* bytes per number in the file; for written integers 8, 4 or 1 */
    uint64_t frames;    /* number of frames; 0 = no such dimension */
    uint64_t frame;     /* index of the frame to read */
    uint64_t before;    /* rows to skip at the beginning and at the end */
    uint64_t behind;
    int packed;    /* 1 = compress when writing, for numbers with little information */
    uint64_t mesh; /* rows are [mesh][mesh][mesh], when joined or read; 0 = one dimension */
} myr_hdf5_shape;

/* Callback that provides or receives rows [first, first + count) of a table as values[count][columns]; when frames are
 * written, row r of frame f is row f * rows + r. A nonzero return value stops. */
typedef int (*myr_hdf5_rows_fn)(void *user, uint64_t first, uint64_t count, void *values);

/* 1 if the bytes are the signature of an HDF5 file. */
static inline int myr_hdf5_is(const unsigned char *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* Creates a file of about `size` bytes. A sparse file needs memory only for written data, not for tables that other
 * ranks fill. */
myr_status myr_hdf5_create(myr_context *context, const char *path, uint64_t size, myr_hdf5 **file);
myr_status myr_hdf5_create_sparse(myr_context *context, const char *path, myr_hdf5 **file);

/* Opens a file for reading. */
myr_status myr_hdf5_open(myr_context *context, const char *path, myr_hdf5 **file);

/* Closes a file; an unpublished new file is discarded. Sets *file to null; a null file is allowed. */
void myr_hdf5_close(myr_hdf5 **file);

/* --- writing ---------------------------------------------------------------------------------------------------------
 * After an error the remaining calls do nothing, and publish returns the error. */

/* Writes the file to disk and closes it, also after an error. With tables that other ranks fill, `others` fills them
 * before the file gets its final name; on an earlier error the ranks are not called, and the caller must notify
 * them. */
myr_status myr_hdf5_publish(myr_hdf5 **file);
myr_status myr_hdf5_publish_with(myr_hdf5 **file, const myr_format_others *others);

/* Creates a group. */
void myr_hdf5_put_group(myr_hdf5 *file, const char *name);

/* Attributes of a group or table: n numbers (0 = a scalar), or a text. Integers have 4 or 8 bytes. */
void myr_hdf5_put_doubles(myr_hdf5 *file, const char *object, const char *name, int n, const double *values);
void myr_hdf5_put_integers(myr_hdf5 *file, const char *object, const char *name, int n, int bytes,
                           const uint64_t *values);
void myr_hdf5_put_text(myr_hdf5 *file, const char *object, const char *name, const char *text);

/* Text attribute of exact length without a terminating zero, as VTK writes it. */
void myr_hdf5_put_ascii(myr_hdf5 *file, const char *object, const char *name, const char *text);

/* Text attribute as a variable-length string, which Python readers return as str, not bytes. */
void myr_hdf5_put_string(myr_hdf5 *file, const char *object, const char *name, const char *text);

/* Attribute with an array of n short strings. */
void myr_hdf5_put_words(myr_hdf5 *file, const char *object, const char *name, int n, const char *const *words);

/* Creates a table of n texts of up to 63 bytes in UTF-8; a null text is empty. */
void myr_hdf5_put_texts(myr_hdf5 *file, const char *name, uint64_t n, const char *const *texts);

/* Creates a table and fills it from `give`. */
void myr_hdf5_put_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_rows_fn give,
                        void *user);

/* Reserves a table of 8-byte numbers for other ranks to fill during publish; `field` is null for ids and types. */
void myr_hdf5_put_hole(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_format_column column,
                       const char *field);

/* Creates a second name (hard link) of an object. */
void myr_hdf5_put_link(myr_hdf5 *file, const char *object, const char *name);

/* Creates a virtual table of the rows of several tables, one after the other, without a copy of the numbers. */
void myr_hdf5_put_joined(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, int parts,
                         const char *const *part);

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* 1 if an object of that name exists; for "a/b" the group a must exist. */
int myr_hdf5_has(myr_hdf5 *file, const char *name);

/* Number of members of a group. */
int64_t myr_hdf5_members(myr_hdf5 *file, const char *group);

/* Name of member k; *is_table = 1 if it is a table. Links into other files are refused. */
myr_status myr_hdf5_member(myr_hdf5 *file, const char *group, int64_t k, char name[MYR_HDF5_NAME_MAX + 1],
                           int *is_table);

/* Reads up to max numbers of an attribute; *count = 0 if there is no such attribute. */
myr_status myr_hdf5_get_doubles(myr_hdf5 *file, const char *object, const char *name, int max, double *values,
                                int *count);
myr_status myr_hdf5_get_integers(myr_hdf5 *file, const char *object, const char *name, int max, int64_t *values,
                                 int *count);

/* Reads a text attribute, entry k of an array of texts; "" if there is none. */
void myr_hdf5_get_text(myr_hdf5 *file, const char *object, const char *name, int k, char *text, size_t size);

/* Shape of a table, without or with frames. Fails if the file is too small for the numbers of the table. */
myr_status myr_hdf5_table(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape);
myr_status myr_hdf5_frames(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape);

/* Shape of an array [mesh][mesh][mesh], [mesh][mesh][mesh][columns] or [frames][mesh][mesh][mesh]; mesh = 0 for any
 * other. */
myr_status myr_hdf5_cube(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape);

/* Reads a scalar dataset; *found = 0 if there is no such object, or if it is a table. */
myr_status myr_hdf5_get_scalar(myr_hdf5 *file, const char *name, double *value, int *found);

/* Reads a table, or one frame of it, converted to `kind`. */
myr_status myr_hdf5_get_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_kind kind,
                              myr_hdf5_rows_fn take, void *user);

#endif
