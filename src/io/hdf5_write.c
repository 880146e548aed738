/* hdf5_write.c - groups, attributes and tables into a new HDF5 file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5_inside.h"

/* Keeps the first error for publish. */
static void hdf5_spoil(myr_hdf5 *f, const char *doing, const char *name)
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
        hdf5_spoil(file, "make group", name);
    else
        H5Gclose(group);
}

/* One attribute of n elements (0 = one element) of a type. */
static void hdf5_put(myr_hdf5 *f, const char *object, const char *name, int n, hid_t stored, hid_t memory,
                     const void *values)
{
    const hsize_t size = (hsize_t)n;
    const hid_t space = n ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(f->file, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, memory, values) < 0)
        hdf5_spoil(f, "store attribute", name);
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
    const hid_t type = H5Tcopy(H5T_C_S1); /* of fixed length: every reader takes it */
    H5Tset_size(type, strlen(text) + 1);
    hdf5_put(file, object, name, 0, type, type, text);
    H5Tclose(type);
}

/* Moves the rows of a table from `give` into the file. */
static int hdf5_put_rows(hid_t table, hid_t space, myr_hdf5_kind kind, uint64_t rows, int columns,
                         myr_hdf5_rows_fn give, void *user)
{
    const size_t slab = rows < MYR_HDF5_ROWS ? (size_t)rows : MYR_HDF5_ROWS;
    void *values = malloc(slab * (size_t)columns * 8 + 1);
    int failed = !values;
    for (uint64_t first = 0; !failed && first < rows; first += slab) {
        const hsize_t start[2] = {first, 0};
        const hsize_t count[2] = {rows - first < slab ? rows - first : slab, (hsize_t)columns};
        const hid_t memory = H5Screate_simple(2, count, NULL);
        failed = give(user, first, count[0], values) ||
                 H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
                 H5Dwrite(table, myr_hdf5_memory_type(kind), memory, space, H5P_DEFAULT, values) < 0;
        H5Sclose(memory);
    }
    free(values);
    return failed;
}

void myr_hdf5_put_table(myr_hdf5 *file, const char *name, myr_hdf5_kind kind, uint64_t rows, int columns,
                        myr_hdf5_rows_fn give, void *user)
{
    if (file->status)
        return;
    const hsize_t size[2] = {rows, (hsize_t)columns};
    const hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, 0);
    const hid_t table = H5Dcreate2(file->file, name, kind == MYR_HDF5_DOUBLE ? H5T_IEEE_F64LE : H5T_STD_U64LE, space,
                                   H5P_DEFAULT, creation, H5P_DEFAULT);
    if (table < 0 || hdf5_put_rows(table, space, kind, rows, columns, give, user))
        hdf5_spoil(file, "store table", name);
    if (table >= 0)
        H5Dclose(table);
    H5Pclose(creation);
    H5Sclose(space);
}

/* The file as it stands in memory, to the disk. */
static myr_status hdf5_write_image(myr_hdf5 *f)
{
    myr_file out;
    void **image = NULL; /* the driver's buffer itself: no copy */
    ssize_t size = 0;
    if (H5Fflush(f->file, H5F_SCOPE_LOCAL) < 0 || (size = H5Fget_file_image(f->file, NULL, 0)) < 0 ||
        H5Fget_vfd_handle(f->file, H5P_DEFAULT, (void **)&image) < 0)
        return myr_hdf5_fail(f, MYR_ERROR_FILE, "cannot be prepared");
    myr_status status = myr_file_create(f->context, f->path, &out);
    if (!status)
        status = myr_file_write(&out, 0, *image, (size_t)size);
    if (!status)
        status = myr_file_flush(&out);
    if (!status)
        return myr_file_publish(&out);
    myr_file_discard(&out);
    return status;
}

myr_status myr_hdf5_publish(myr_hdf5 **file)
{
    myr_hdf5 *f = *file;
    const myr_status status =
        f->status ? myr_context_fail(f->context, f->status, "%s", f->message) : hdf5_write_image(f);
    myr_hdf5_close(file);
    return status;
}
