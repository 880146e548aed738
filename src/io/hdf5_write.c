/* hdf5_write.c - writes groups, attributes and tables to a new HDF5 file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5_inside.h"

/* Keeps the first error for publish. */
static void hdf5_record_error(myr_hdf5 *f, const char *doing, const char *name)
{
    f->status = myr_hdf5_fail(f, MYR_ERROR_FILE, "cannot be prepared: no way to %s '%s'", doing, name);
    snprintf(f->message, sizeof f->message, "%s", myr_context_message(f->context));
}

void myr_hdf5_put_group(myr_hdf5 *file, const char *name)
{
    if (file->status)
        return;
    const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(creation, 0);
    const hid_t group = H5Gcreate2(file->file, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    if (group < 0)
        hdf5_record_error(file, "make group", name);
    else
        H5Gclose(group);
}

/* Writes one attribute of n elements (0 = a scalar). */
static void hdf5_put(myr_hdf5 *f, const char *object, const char *name, int n, hid_t stored, hid_t memory,
                     const void *values)
{
    const hsize_t size = (hsize_t)n;
    const hid_t space = n ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(f->file, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, memory, values) < 0)
        hdf5_record_error(f, "store attribute", name);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
}

void myr_hdf5_put_doubles(myr_hdf5 *file, const char *object, const char *name, int n, const double *values)
{
    if (!file->status)
        hdf5_put(file, object, name, n, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
}

void myr_hdf5_put_integers(myr_hdf5 *file, const char *object, const char *name, int n, int bytes,
                           const uint64_t *values)
{
    if (!file->status)
        hdf5_put(file, object, name, n, bytes == 4 ? H5T_STD_U32LE : H5T_STD_U64LE, H5T_NATIVE_UINT64, values);
}

void myr_hdf5_put_text(myr_hdf5 *file, const char *object, const char *name, const char *text)
{
    if (file->status)
        return;
    const hid_t type = H5Tcopy(H5T_C_S1); /* fixed length, which every reader supports */
    H5Tset_size(type, strlen(text) + 1);
    hdf5_put(file, object, name, 0, type, type, text);
    H5Tclose(type);
}

void myr_hdf5_put_ascii(myr_hdf5 *file, const char *object, const char *name, const char *text)
{
    if (file->status)
        return;
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    hdf5_put(file, object, name, 0, type, type, text);
    H5Tclose(type);
}

void myr_hdf5_put_string(myr_hdf5 *file, const char *object, const char *name, const char *text)
{
    if (file->status)
        return;
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hdf5_put(file, object, name, 0, type, type, &text);
    H5Tclose(type);
}

void myr_hdf5_put_words(myr_hdf5 *file, const char *object, const char *name, int n, const char *const *words)
{
    enum { WORD = 16 };
    char *values = calloc((size_t)n, WORD);
    if (file->status || !values) {
        free(values);
        return;
    }
    for (int k = 0; k < n; k++)
        snprintf(values + (size_t)k * WORD, WORD, "%s", words[k]);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, WORD);
    hdf5_put(file, object, name, n, type, type, values);
    H5Tclose(type);
    free(values);
}

void myr_hdf5_put_texts(myr_hdf5 *file, const char *name, uint64_t n, const char *const *texts)
{
    enum { TEXT = 64 };
    char *values = file->status ? NULL : calloc((size_t)n + 1, TEXT);
    if (!file->status && !values)
        hdf5_record_error(file, "find memory for", name);
    if (!values)
        return;
    for (uint64_t k = 0; k < n; k++)
        snprintf(values + (size_t)k * TEXT, TEXT, "%s", texts[k] ? texts[k] : "");
    const hsize_t size = n;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Tset_size(type, TEXT);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Pset_obj_track_times(creation, 0);
    const hid_t table = H5Dcreate2(file->file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (table < 0 || H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        hdf5_record_error(file, "store table", name);
    if (table >= 0)
        H5Dclose(table);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    free(values);
}

enum { HDF5_RANK = 5 };

/* Dimensions of a table; returns the rank. */
static int hdf5_extent(const myr_hdf5_shape *shape, hsize_t size[HDF5_RANK])
{
    int rank = 0;
    if (shape->frames)
        size[rank++] = shape->frames;
    for (int k = 0; k < 3 && shape->mesh; k++)
        size[rank++] = shape->mesh;
    if (!shape->mesh)
        size[rank++] = shape->rows;
    if (shape->columns > 1)
        size[rank++] = (hsize_t)shape->columns;
    return rank;
}

/* Copies the rows of a table from `give` to the file, a slab of rows of one frame at a time. */
static int hdf5_put_rows(hid_t table, hid_t space, const myr_hdf5_shape *shape, myr_hdf5_rows_fn give, void *user)
{
    const uint64_t frames = shape->frames ? shape->frames : 1;
    const uint64_t slab = shape->rows < MYR_HDF5_ROWS ? shape->rows : MYR_HDF5_ROWS;
    void *values = malloc((size_t)slab * (size_t)shape->columns * 8 + 1);
    int failed = !values;
    for (uint64_t frame = 0; frame < frames; frame++)
        for (uint64_t first = 0; !failed && first < shape->rows; first += slab) {
            const uint64_t rows = shape->rows - first < slab ? shape->rows - first : slab;
            const hsize_t start[3] = {frame, first, 0}, count[3] = {1, rows, (hsize_t)shape->columns};
            const int skip = shape->frames == 0;
            const hid_t memory = H5Screate_simple(2, count + 1, NULL);
            failed = give(user, frame * shape->rows + first, rows, values) ||
                     H5Sselect_hyperslab(space, H5S_SELECT_SET, start + skip, NULL, count + skip, NULL) < 0 ||
                     H5Dwrite(table, myr_hdf5_memory_type(shape->kind), memory, space, H5P_DEFAULT, values) < 0;
            H5Sclose(memory);
        }
    free(values);
    return failed;
}

/* Type of the numbers in the file. */
static hid_t hdf5_stored_type(const myr_hdf5_shape *shape)
{
    if (shape->kind == MYR_HDF5_DOUBLE)
        return H5T_IEEE_F64LE;
    if (shape->bytes == 1)
        return H5T_STD_U8LE;
    if (shape->kind == MYR_HDF5_SIGNED)
        return shape->bytes == 4 ? H5T_STD_I32LE : H5T_STD_I64LE;
    return shape->bytes == 4 ? H5T_STD_U32LE : H5T_STD_U64LE;
}

/* Enables compression of a table, if the library has it. */
static void hdf5_pack(hid_t creation, int rank, const hsize_t size[3])
{
    hsize_t chunk[3] = {1, 1, 1};
    for (int k = 0; k < rank; k++)
        chunk[k] = size[k] < MYR_HDF5_ROWS ? size[k] : MYR_HDF5_ROWS;
    for (int k = 0; k < rank; k++)
        if (size[k] == 0)
            return;
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0 || H5Zfilter_avail(H5Z_FILTER_SHUFFLE) <= 0)
        return;
    H5Pset_chunk(creation, rank, chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 1);
}

/* Creates a table without content; *space is its data space. Space in the file is allocated at once and not filled, so
 * that offsets do not depend on who writes the numbers. */
static hid_t hdf5_make_table(myr_hdf5 *f, const char *name, const myr_hdf5_shape *shape, hid_t *space)
{
    hsize_t size[HDF5_RANK];
    const int rank = hdf5_extent(shape, size);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    *space = H5Screate_simple(rank, size, NULL);
    H5Pset_obj_track_times(creation, 0);
    if (shape->packed)
        hdf5_pack(creation, rank, size);
    else {
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    }
    const hid_t table = H5Dcreate2(f->file, name, hdf5_stored_type(shape), *space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return table;
}

void myr_hdf5_put_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_rows_fn give,
                        void *user)
{
    hid_t space;
    if (file->status)
        return;
    const hid_t table = hdf5_make_table(file, name, shape, &space);
    if (table < 0 || hdf5_put_rows(table, space, shape, give, user))
        hdf5_record_error(file, "store table", name);
    if (table >= 0)
        H5Dclose(table);
    H5Sclose(space);
}

void myr_hdf5_put_hole(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_format_column column,
                       const char *field)
{
    hid_t space;
    if (file->status)
        return;
    const hid_t table = hdf5_make_table(file, name, shape, &space);
    const haddr_t offset = table < 0 ? HADDR_UNDEF : H5Dget_offset(table);
    if (table >= 0)
        H5Dclose(table);
    H5Sclose(space);
    if (offset == HADDR_UNDEF || file->holes == MYR_FORMAT_HOLES) {
        hdf5_record_error(file, "make room for table", name);
        return;
    }
    file->hole_rows = shape->rows;
    int at = file->holes++;
    for (; at > 0 && file->hole[at - 1].offset > offset; at--)
        file->hole[at] = file->hole[at - 1];
    file->hole[at] = (myr_format_hole){column, field, shape->columns, offset};
}

void myr_hdf5_put_link(myr_hdf5 *file, const char *object, const char *name)
{
    if (!file->status && H5Lcreate_hard(file->file, object, file->file, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
        hdf5_record_error(file, "link", name);
}

/* Adds the rows of one table to the mapping of a virtual table; *rows is advanced by the number of rows. A mesh has a
 * single source table. Returns nonzero on failure. */
static int hdf5_map(hid_t file, hid_t creation, hid_t whole, const char *part, int is_mesh, hsize_t *rows)
{
    char source[4 * MYR_HDF5_NAME_MAX], *to = source; /* % starts a pattern in source names; %% is a literal % */
    for (const char *from = part; *from && to < source + sizeof source - 3; from++) {
        *to++ = *from;
        if (*from == '%')
            *to++ = '%';
    }
    *to = 0;
    hsize_t size[2] = {0, 1};
    const hid_t table = H5Dopen2(file, part, H5P_DEFAULT), space = H5Dget_space(table);
    const int known = H5Sget_simple_extent_dims(space, size, NULL) > 0;
    const hsize_t start[2] = {*rows, 0};
    const int failed = !known ||
                       (!is_mesh && H5Sselect_hyperslab(whole, H5S_SELECT_SET, start, NULL, size, NULL) < 0) ||
                       H5Pset_virtual(creation, whole, ".", source, space) < 0;
    *rows += size[0];
    H5Sclose(space);
    H5Dclose(table);
    return failed;
}

void myr_hdf5_put_joined(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, int parts,
                         const char *const *part)
{
    hsize_t size[HDF5_RANK], rows = 0;
    int failed = 0;
    if (file->status)
        return;
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t whole = H5Screate_simple(hdf5_extent(shape, size), size, NULL);
    H5Pset_obj_track_times(creation, 0);
    for (int k = 0; !failed && k < parts; k++)
        failed = hdf5_map(file->file, creation, whole, part[k], shape->mesh > 0, &rows);
    H5Sselect_all(whole);
    const hid_t table =
        failed ? H5I_INVALID_HID
               : H5Dcreate2(file->file, name, hdf5_stored_type(shape), whole, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (table < 0)
        hdf5_record_error(file, "join tables to", name);
    else
        H5Dclose(table);
    H5Sclose(whole);
    H5Pclose(creation);
}

/* Copies bytes of a sparse file from memory to disk. */
static myr_status hdf5_copy(myr_hdf5 *f, myr_file *out, uint64_t at, uint64_t end)
{
    char piece[1 << 16];
    myr_status status = MYR_OK;
    while (!status && at < end) {
        const size_t size = end - at < sizeof piece ? (size_t)(end - at) : sizeof piece;
        status = myr_file_read(f->context, f->path, f->memory, at, piece, size);
        if (!status)
            status = myr_file_write(out, at, piece, size);
        at += size;
    }
    return status;
}

/* Writes the file image from memory to disk, except the tables that other ranks fill. */
static myr_status hdf5_write_image(myr_hdf5 *f, myr_file *out)
{
    void **image = NULL; /* buffer of the memory driver itself, not a copy */
    ssize_t size = 0;
    uint64_t at = 0;
    myr_status status = MYR_OK;
    if (H5Fflush(f->file, H5F_SCOPE_LOCAL) < 0 || (size = H5Fget_file_image(f->file, NULL, 0)) < 0 ||
        H5Fget_vfd_handle(f->file, H5P_DEFAULT, (void **)&image) < 0)
        return myr_hdf5_fail(f, MYR_ERROR_FILE, "cannot be prepared");
    for (int k = 0; k <= f->holes && !status; k++) {
        const myr_format_hole *hole = f->hole + k;
        const uint64_t end = k < f->holes ? hole->offset : (uint64_t)size;
        status = f->memory >= 0 ? hdf5_copy(f, out, at, end)
                                : myr_file_write(out, at, (const char *)*image + at, (size_t)(end - at));
        at = k < f->holes ? end + f->hole_rows * (uint64_t)hole->components * sizeof(double) : end;
    }
    return status;
}

static myr_status hdf5_write(myr_hdf5 *f, const myr_format_others *others)
{
    myr_file out;
    myr_status status = myr_file_create(f->context, f->path, &out);
    if (status)
        return status;
    status = hdf5_write_image(f, &out);
    if (!status && others)
        status = others->fill(others->user, out.temporary, f->holes, f->hole);
    if (!status)
        status = myr_file_flush(&out);
    if (!status)
        return myr_file_publish(&out);
    myr_file_discard(&out);
    return status;
}

myr_status myr_hdf5_publish_with(myr_hdf5 **file, const myr_format_others *others)
{
    myr_hdf5 *f = *file;
    const myr_status status =
        f->status ? myr_context_fail(f->context, f->status, "%s", f->message) : hdf5_write(f, others);
    myr_hdf5_close(file);
    return status;
}

myr_status myr_hdf5_publish(myr_hdf5 **file)
{
    return myr_hdf5_publish_with(file, NULL);
}
