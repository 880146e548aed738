/* binary.h - numbers in binary files, in any order of bytes: tables of rows to and from arrays, one per column.
 *
 * Reading checks every place against the size of the file; writing goes through a temporary name (file.h). */
#ifndef MYR_IO_BINARY_H
#define MYR_IO_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "io/file.h"

/* How a number is stored. */
typedef enum {
    MYR_BINARY_FLOAT,
    MYR_BINARY_DOUBLE,
    MYR_BINARY_INT32,
    MYR_BINARY_UINT32,
    MYR_BINARY_INT64
} myr_binary_kind;

/* One number of each row of a table, and the array that it is read to or written from. */
typedef struct {
    myr_binary_kind kind;
    double *to;
    const double *from;
} myr_binary_column;

/* A file being read. */
typedef struct {
    myr_context *context;
    const char *path;
    int descriptor;
    int swapped; /* its bytes are in the other order than this machine's */
    uint64_t size;
} myr_binary;

/* A file being written. Errors are kept in the status until the file is published. */
typedef struct {
    myr_file file;
    int swapped;
    uint64_t offset, expected;
    size_t used;
    unsigned char *buffer;
    myr_status status;
} myr_binary_out;

/* Bytes of one number. */
size_t myr_binary_width(myr_binary_kind kind);

/* Opens a file; close it with myr_binary_close, also after an error. */
myr_status myr_binary_open(myr_context *context, const char *path, myr_binary *file);
void myr_binary_close(myr_binary *file);

/* Stores "'PATH' at byte OFFSET: sentence" in the context; MYR_ERROR_FORMAT. */
myr_status myr_binary_fail(const myr_binary *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies bytes from an offset; what they are is for the message of a file that is cut short. */
myr_status myr_binary_read(const myr_binary *file, uint64_t offset, const char *what, void *bytes, size_t size);

/* Numbers of the file in memory, in this machine's order. */
uint32_t myr_binary_u32(const myr_binary *file, const void *bytes);
uint64_t myr_binary_u64(const myr_binary *file, const void *bytes);
double myr_binary_f64(const myr_binary *file, const void *bytes);

/* Reads rows of numbers from an offset: that of column c in row r goes to column[c].to[place[r]], or nowhere where that
 * is null. place null = r itself. */
myr_status myr_binary_get_columns(const myr_binary *file, uint64_t offset, int64_t rows, int columns,
                                  const myr_binary_column *column, const int64_t *place);

/* The same for one integer per row. */
myr_status myr_binary_get_integers(const myr_binary *file, uint64_t offset, int64_t rows, myr_binary_kind kind,
                                   const int64_t *place, int64_t *to);

/* Begins a file of about so many bytes (for the progress). */
myr_status myr_binary_create(myr_context *context, const char *path, uint64_t expected, myr_binary_out *out);

/* Adds to it. */
void myr_binary_put(myr_binary_out *out, const void *bytes, size_t size);
void myr_binary_put_u32(myr_binary_out *out, uint32_t value);
void myr_binary_put_f64(myr_binary_out *out, double value);
void myr_binary_put_columns(myr_binary_out *out, int64_t rows, int columns, const myr_binary_column *column,
                            const int64_t *place); /* floats or doubles; from null = zeros */
void myr_binary_put_integers(myr_binary_out *out, int64_t rows, myr_binary_kind kind, const int64_t *place,
                             const int64_t *from);

/* Flushes, renames and frees; on an error nothing is left and the old file is as it was. */
myr_status myr_binary_publish(myr_binary_out *out);

/* Gives up. */
void myr_binary_discard(myr_binary_out *out);

#endif
