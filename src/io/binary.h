/* binary.h - numbers in binary files of either byte order: tables of rows are read to and written from one array per
 * column.
 *
 * The reader checks every offset against the file size; the writer uses a temporary file (file.h). */
#ifndef MYR_IO_BINARY_H
#define MYR_IO_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "io/file.h"

/* Storage type of a number. */
typedef enum {
    MYR_BINARY_FLOAT,
    MYR_BINARY_DOUBLE,
    MYR_BINARY_INT32,
    MYR_BINARY_UINT32,
    MYR_BINARY_INT64
} myr_binary_kind;

/* Column of a table: storage type, and the array that the column is read to or written from. */
typedef struct {
    myr_binary_kind kind;
    double *to;
    const double *from;
} myr_binary_column;

/* Binary file opened for reading. */
typedef struct {
    myr_context *context;
    const char *path;
    int descriptor;
    int swapped; /* 1 = the byte order of the file differs from that of this machine */
    uint64_t size;
} myr_binary;

/* Binary file opened for writing. The first error is kept in the status until the file is published. */
typedef struct {
    myr_file file;
    int swapped;
    uint64_t offset, expected;
    size_t used;
    unsigned char *buffer;
    myr_status status;
} myr_binary_out;

/* Size of a number in bytes. */
size_t myr_binary_width(myr_binary_kind kind);

/* Opens a file for reading; myr_binary_close must be called, also after an error. */
myr_status myr_binary_open(myr_context *context, const char *path, myr_binary *file);
void myr_binary_close(myr_binary *file);

/* Stores "'PATH' at byte OFFSET: sentence" in the context; MYR_ERROR_FORMAT. */
myr_status myr_binary_fail(const myr_binary *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads bytes at an offset; `what` describes the bytes in the error message of a truncated file. */
myr_status myr_binary_read(const myr_binary *file, uint64_t offset, const char *what, void *bytes, size_t size);

/* Converts bytes of the file to numbers in the byte order of this machine. */
uint32_t myr_binary_u32(const myr_binary *file, const void *bytes);
uint64_t myr_binary_u64(const myr_binary *file, const void *bytes);
double myr_binary_f64(const myr_binary *file, const void *bytes);

/* Reads a table of rows at an offset: column c of row r goes to column[c].to[place[r]], unless `to` is null. place null
 * = r. */
myr_status myr_binary_get_columns(const myr_binary *file, uint64_t offset, int64_t rows, int columns,
                                  const myr_binary_column *column, const int64_t *place);

/* Reads a table with one integer per row: row r goes to to[place[r]]. */
myr_status myr_binary_get_integers(const myr_binary *file, uint64_t offset, int64_t rows, myr_binary_kind kind,
                                   const int64_t *place, int64_t *to);

/* Creates a file; `expected` is its approximate size in bytes, for the progress callback. */
myr_status myr_binary_create(myr_context *context, const char *path, uint64_t expected, myr_binary_out *out);

/* Appends bytes, numbers, or the rows of a table of floats or doubles (from null = zeros). */
void myr_binary_put(myr_binary_out *out, const void *bytes, size_t size);
void myr_binary_put_u32(myr_binary_out *out, uint32_t value);
void myr_binary_put_f64(myr_binary_out *out, double value);
void myr_binary_put_columns(myr_binary_out *out, int64_t rows, int columns, const myr_binary_column *column,
                            const int64_t *place);
void myr_binary_put_integers(myr_binary_out *out, int64_t rows, myr_binary_kind kind, const int64_t *place,
                             const int64_t *from);

/* Flushes, renames and frees the file; on an error no temporary file is left and the old file is unchanged. */
myr_status myr_binary_publish(myr_binary_out *out);

/* Discards the file; the old file is unchanged. */
void myr_binary_discard(myr_binary_out *out);

#endif
