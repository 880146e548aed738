/* binary.c - numbers in binary files of either byte order. */
#include "io/binary.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BINARY_BUFFER = 1 << 18, BINARY_COLUMNS_MAX = 64 };

size_t myr_binary_width(myr_binary_kind kind)
{
    return kind == MYR_BINARY_DOUBLE || kind == MYR_BINARY_INT64 ? 8 : 4;
}

myr_status myr_binary_open(myr_context *context, const char *path, myr_binary *file)
{
    *file = (myr_binary){.context = context, .path = path, .descriptor = -1};
    return myr_file_open(context, path, &file->descriptor, &file->size);
}

void myr_binary_close(myr_binary *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

myr_status myr_binary_fail(const myr_binary *file, uint64_t offset, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return myr_context_fail(file->context, MYR_ERROR_FORMAT, "'%s' at byte %llu: %s", file->path,
                            (unsigned long long)offset, text);
}

/* Fails if the file ends before offset + size. */
static myr_status binary_check(const myr_binary *file, uint64_t offset, const char *what, uint64_t size)
{
    if (offset <= file->size && size <= file->size - offset)
        return MYR_OK;
    return myr_binary_fail(file, offset, "the file is cut short: %s should take %llu bytes, and it ends at byte %llu",
                           what, (unsigned long long)size, (unsigned long long)file->size);
}

myr_status myr_binary_read(const myr_binary *file, uint64_t offset, const char *what, void *bytes, size_t size)
{
    const myr_status status = binary_check(file, offset, what, size);
    return status ? status : myr_file_read(file->context, file->path, file->descriptor, offset, bytes, size);
}

static uint32_t binary_swap32(uint32_t x, int swapped)
{
    return swapped ? __builtin_bswap32(x) : x;
}

static uint64_t binary_swap64(uint64_t x, int swapped)
{
    return swapped ? __builtin_bswap64(x) : x;
}

uint32_t myr_binary_u32(const myr_binary *file, const void *bytes)
{
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return binary_swap32(x, file->swapped);
}

uint64_t myr_binary_u64(const myr_binary *file, const void *bytes)
{
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    return binary_swap64(x, file->swapped);
}

double myr_binary_f64(const myr_binary *file, const void *bytes)
{
    const uint64_t bits = myr_binary_u64(file, bytes);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double binary_number(const myr_binary *file, const unsigned char *bytes, myr_binary_kind kind)
{
    uint32_t bits;
    float x;
    switch (kind) {
    case MYR_BINARY_DOUBLE:
        return myr_binary_f64(file, bytes);
    case MYR_BINARY_INT32:
        return (double)(int32_t)myr_binary_u32(file, bytes);
    case MYR_BINARY_UINT32:
        return (double)myr_binary_u32(file, bytes);
    case MYR_BINARY_INT64:
        return (double)(int64_t)myr_binary_u64(file, bytes);
    case MYR_BINARY_FLOAT:
        break;
    }
    bits = myr_binary_u32(file, bytes);
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static int64_t binary_integer(const myr_binary *file, const unsigned char *bytes, myr_binary_kind kind)
{
    if (kind == MYR_BINARY_INT64)
        return (int64_t)myr_binary_u64(file, bytes);
    const uint32_t x = myr_binary_u32(file, bytes);
    return kind == MYR_BINARY_UINT32 ? (int64_t)x : (int64_t)(int32_t)x;
}

/* Calls the progress callback; fails if the callback asks to stop. */
static myr_status binary_progress(myr_context *context, const char *path, uint64_t done, uint64_t all)
{
    if (!context->progress || all == 0 ||
        context->progress(context->progress_user, done < all ? (double)done / (double)all : 1) == 0)
        return MYR_OK;
    return myr_context_fail(context, MYR_ERROR_CANCELLED, "the work on '%s' was stopped", path);
}

/* Callback for `rows` rows of a table, from row `first` on, whose bytes are in memory. */
typedef void (*binary_take)(const myr_binary *file, const unsigned char *bytes, int64_t first, int64_t rows,
                            void *user);

/* Reads a table in pieces of up to BINARY_BUFFER bytes and passes each piece to `take`. */
static myr_status binary_rows(const myr_binary *file, uint64_t offset, int64_t rows, size_t row, binary_take take,
                              void *user)
{
    const int64_t piece = (int64_t)(BINARY_BUFFER / row);
    if (rows <= 0)
        return MYR_OK;
    if ((uint64_t)rows > UINT64_MAX / row)
        return myr_binary_fail(file, offset, "%lld rows cannot be", (long long)rows);
    myr_status status = binary_check(file, offset, "a table", (uint64_t)rows * row);
    unsigned char *buffer = status ? NULL : malloc(BINARY_BUFFER);
    if (!status && !buffer)
        return myr_context_fail(file->context, MYR_ERROR_MEMORY, "no memory to read '%s'", file->path);
    for (int64_t first = 0; !status && first < rows; first += piece) {
        const int64_t count = rows - first < piece ? rows - first : piece;
        const uint64_t at = offset + (uint64_t)first * row;
        status = myr_file_read(file->context, file->path, file->descriptor, at, buffer, (size_t)count * row);
        if (!status)
            take(file, buffer, first, count, user);
        if (!status)
            status = binary_progress(file->context, file->path, at, file->size);
    }
    free(buffer);
    return status;
}

/* Destination of the numbers of a table. */
typedef struct {
    int columns;
    const myr_binary_column *column;
    const int64_t *place;
    myr_binary_kind kind; /* storage type of integers */
    int64_t *integers;
} binary_sink;

static void binary_take_columns(const myr_binary *file, const unsigned char *bytes, int64_t first, int64_t rows,
                                void *user)
{
    const binary_sink *s = user;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i = s->place ? s->place[first + r] : first + r;
        for (const myr_binary_column *c = s->column; c < s->column + s->columns; c++) {
            if (c->to)
                c->to[i] = binary_number(file, bytes, c->kind);
            bytes += myr_binary_width(c->kind);
        }
    }
}

static void binary_take_integers(const myr_binary *file, const unsigned char *bytes, int64_t first, int64_t rows,
                                 void *user)
{
    const binary_sink *s = user;
    const size_t width = myr_binary_width(s->kind);
    for (int64_t r = 0; r < rows; r++, bytes += width)
        s->integers[s->place ? s->place[first + r] : first + r] = binary_integer(file, bytes, s->kind);
}

myr_status myr_binary_get_columns(const myr_binary *file, uint64_t offset, int64_t rows, int columns,
                                  const myr_binary_column *column, const int64_t *place)
{
    binary_sink s = {.columns = columns, .column = column, .place = place};
    size_t row = 0;
    for (int c = 0; c < columns; c++)
        row += myr_binary_width(column[c].kind);
    if (columns < 1 || columns > BINARY_COLUMNS_MAX)
        return myr_binary_fail(file, offset, "%d numbers per row cannot be", columns);
    return binary_rows(file, offset, rows, row, binary_take_columns, &s);
}

myr_status myr_binary_get_integers(const myr_binary *file, uint64_t offset, int64_t rows, myr_binary_kind kind,
                                   const int64_t *place, int64_t *to)
{
    binary_sink s = {.place = place, .kind = kind, .integers = to};
    return binary_rows(file, offset, rows, myr_binary_width(kind), binary_take_integers, &s);
}

myr_status myr_binary_create(myr_context *context, const char *path, uint64_t expected, myr_binary_out *out)
{
    *out = (myr_binary_out){.file.descriptor = -1, .expected = expected};
    out->buffer = malloc(BINARY_BUFFER);
    out->status = out->buffer ? myr_file_create(context, path, &out->file)
                              : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write '%s'", path);
    if (out->status)
        myr_binary_discard(out);
    return out->status;
}

static void binary_flush(myr_binary_out *out)
{
    if (!out->status)
        out->status = myr_file_write(&out->file, out->offset, out->buffer, out->used);
    if (!out->status)
        out->status = binary_progress(out->file.context, out->file.target, out->offset, out->expected);
    out->offset += out->used;
    out->used = 0;
}

void myr_binary_put(myr_binary_out *out, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && !out->status) {
        if (out->used == BINARY_BUFFER)
            binary_flush(out);
        const size_t room = BINARY_BUFFER - out->used, n = size < room ? size : room;
        memcpy(out->buffer + out->used, from, n);
        out->used += n;
        from += n;
        size -= n;
    }
}

void myr_binary_put_u32(myr_binary_out *out, uint32_t value)
{
    value = binary_swap32(value, out->swapped);
    myr_binary_put(out, &value, sizeof value);
}

static void binary_put_u64(myr_binary_out *out, uint64_t value)
{
    value = binary_swap64(value, out->swapped);
    myr_binary_put(out, &value, sizeof value);
}

void myr_binary_put_f64(myr_binary_out *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    binary_put_u64(out, bits);
}

void myr_binary_put_columns(myr_binary_out *out, int64_t rows, int columns, const myr_binary_column *column,
                            const int64_t *place)
{
    for (int64_t r = 0; r < rows && !out->status; r++) {
        const int64_t i = place ? place[r] : r;
        for (const myr_binary_column *c = column; c < column + columns; c++) {
            const double x = c->from ? c->from[i] : 0;
            const float single = (float)x;
            uint32_t bits;
            memcpy(&bits, &single, sizeof bits);
            if (c->kind == MYR_BINARY_DOUBLE)
                myr_binary_put_f64(out, x);
            else
                myr_binary_put_u32(out, bits);
        }
    }
}

void myr_binary_put_integers(myr_binary_out *out, int64_t rows, myr_binary_kind kind, const int64_t *place,
                             const int64_t *from)
{
    for (int64_t r = 0; r < rows && !out->status; r++) {
        const int64_t x = from[place ? place[r] : r];
        if (kind == MYR_BINARY_INT64)
            binary_put_u64(out, (uint64_t)x);
        else
            myr_binary_put_u32(out, (uint32_t)x);
    }
}

myr_status myr_binary_publish(myr_binary_out *out)
{
    binary_flush(out);
    if (!out->status)
        out->status = myr_file_flush(&out->file);
    if (!out->status)
        out->status = myr_file_publish(&out->file);
    const myr_status status = out->status;
    myr_binary_discard(out);
    return status;
}

void myr_binary_discard(myr_binary_out *out)
{
    myr_file_discard(&out->file);
    free(out->buffer);
    *out = (myr_binary_out){.file.descriptor = -1, .status = out->status};
}
