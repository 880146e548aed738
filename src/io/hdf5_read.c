/* hdf5_read.c - reads groups, attributes and tables of an HDF5 file from any program. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5_inside.h"

/* HDF5_EXPANSION_MAX: upper bound of the expansion of a byte by any filter of HDF5; deflate reaches about 1032. */
enum { HDF5_EXPANSION_MAX = 1100, HDF5_TEXTS_MAX = 64, HDF5_SOURCE_MAX = 512 };

typedef unsigned long long ull;

int myr_hdf5_has(myr_hdf5 *file, const char *name)
{
    const int there =
        H5Lexists(file->file, name, H5P_DEFAULT) > 0 && H5Oexists_by_name(file->file, name, H5P_DEFAULT) > 0;
    myr_hdf5_clear_message(file);
    return there;
}

int64_t myr_hdf5_members(myr_hdf5 *file, const char *group)
{
    H5G_info_t info;
    const int known = H5Gget_info_by_name(file->file, group, &info, H5P_DEFAULT) >= 0;
    myr_hdf5_clear_message(file);
    return known ? (int64_t)info.nlinks : 0;
}

myr_status myr_hdf5_member(myr_hdf5 *file, const char *group, int64_t k, char name[MYR_HDF5_NAME_MAX + 1],
                           int *is_table)
{
    H5L_info_t info;
    *is_table = 0;
    const ssize_t length = H5Lget_name_by_idx(file->file, group, H5_INDEX_NAME, H5_ITER_INC, (hsize_t)k, name,
                                              MYR_HDF5_NAME_MAX + 1, H5P_DEFAULT);
    if (length < 0 || length > MYR_HDF5_NAME_MAX)
        return myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has no readable name for member %lld of %s", (long long)k, group);
    const hid_t parent = H5Gopen2(file->file, group, H5P_DEFAULT);
    myr_status status = MYR_OK;
    if (parent < 0 || H5Lget_info(parent, name, &info, H5P_DEFAULT) < 0)
        status = myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has an unreadable link %s/%s", group, name);
    else if (info.type != H5L_TYPE_HARD && info.type != H5L_TYPE_SOFT)
        status = myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has data in another file: %s/%s", group, name);
    if (!status) {
        const hid_t object = H5Oopen(parent, name, H5P_DEFAULT);
        if (object < 0)
            status = myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has an unreadable member %s/%s", group, name);
        else
            *is_table = H5Iget_type(object) == H5I_DATASET;
        if (object >= 0)
            H5Oclose(object);
    }
    if (parent >= 0)
        H5Gclose(parent);
    return status;
}

/* Opens an attribute of integers or floating-point numbers; *count is their number, at most max. */
static myr_status hdf5_open_numbers(myr_hdf5 *f, const char *object, const char *name, int integers, int max,
                                    hid_t *attribute, int *count)
{
    *attribute = H5I_INVALID_HID;
    *count = 0;
    if (H5Aexists_by_name(f->file, object, name, H5P_DEFAULT) <= 0) {
        myr_hdf5_clear_message(f);
        return MYR_OK;
    }
    *attribute = H5Aopen_by_name(f->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*attribute < 0)
        return myr_hdf5_fail(f, MYR_ERROR_FORMAT, "has an unreadable attribute %s of %s", name, object);
    const hid_t type = H5Aget_type(*attribute), space = H5Aget_space(*attribute);
    const H5T_class_t kind = H5Tget_class(type);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    myr_status status = MYR_OK;
    if (kind != H5T_INTEGER && (integers || kind != H5T_FLOAT))
        status = myr_hdf5_fail(f, MYR_ERROR_FORMAT, "has an attribute %s of %s that is not made of %s", name, object,
                               integers ? "integers" : "numbers");
    else if (n < 1 || n > max)
        status = myr_hdf5_fail(f, MYR_ERROR_FORMAT, "has %lld numbers in attribute %s of %s; 1 to %d were expected",
                               (long long)n, name, object, max);
    else
        *count = (int)n;
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

static myr_status hdf5_get_numbers(myr_hdf5 *f, const char *object, const char *name, myr_hdf5_kind kind, int max,
                                   void *values, int *count)
{
    hid_t attribute;
    myr_status status = hdf5_open_numbers(f, object, name, kind != MYR_HDF5_DOUBLE, max, &attribute, count);
    if (!status && *count && H5Aread(attribute, myr_hdf5_memory_type(kind), values) < 0)
        status = myr_hdf5_fail(f, MYR_ERROR_FORMAT, "has an unreadable attribute %s of %s", name, object);
    if (attribute >= 0)
        H5Aclose(attribute);
    return status;
}

myr_status myr_hdf5_get_doubles(myr_hdf5 *file, const char *object, const char *name, int max, double *values,
                                int *count)
{
    return hdf5_get_numbers(file, object, name, MYR_HDF5_DOUBLE, max, values, count);
}

myr_status myr_hdf5_get_integers(myr_hdf5 *file, const char *object, const char *name, int max, int64_t *values,
                                 int *count)
{
    return hdf5_get_numbers(file, object, name, MYR_HDF5_SIGNED, max, values, count);
}

/* Text k of n in an attribute of fixed-length strings. */
static void hdf5_fixed_text(hid_t attribute, hid_t type, int k, hssize_t n, char *text, size_t size)
{
    const size_t length = H5Tget_size(type);
    char *all = length < size ? calloc((size_t)n, length) : NULL;
    if (all && H5Aread(attribute, type, all) >= 0)
        memcpy(text, all + (size_t)k * length, length);
    free(all);
}

/* Text k of n in an attribute of variable-length strings. */
static void hdf5_variable_text(hid_t attribute, hid_t type, hid_t space, int k, hssize_t n, char *text, size_t size)
{
    char **all = calloc((size_t)n, sizeof *all);
    if (all && H5Aread(attribute, type, all) >= 0) {
        if (all[k] && strlen(all[k]) < size)
            strcpy(text, all[k]);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, all);
    }
    free(all);
}

void myr_hdf5_get_text(myr_hdf5 *file, const char *object, const char *name, int k, char *text, size_t size)
{
    memset(text, 0, size);
    if (H5Aexists_by_name(file->file, object, name, H5P_DEFAULT) > 0) {
        const hid_t attribute = H5Aopen_by_name(file->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
        const hssize_t n = H5Sget_simple_extent_npoints(space);
        if (H5Tget_class(type) == H5T_STRING && n > k && n <= HDF5_TEXTS_MAX) {
            if (H5Tis_variable_str(type) > 0)
                hdf5_variable_text(attribute, type, space, k, n, text, size);
            else
                hdf5_fixed_text(attribute, type, k, n, text, size);
        }
        H5Sclose(space);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    myr_hdf5_clear_message(file);
}

/* Kind that holds the values of a type without loss, and bytes per number. */
static myr_hdf5_kind hdf5_kind_of(hid_t type, int *bytes)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    if (size < 1 || size > 8) /* a damaged file may have any size here */
        return MYR_HDF5_OTHER;
    *bytes = (int)size;
    if (class == H5T_FLOAT)
        return MYR_HDF5_DOUBLE;
    if (class == H5T_ENUM)
        return MYR_HDF5_SIGNED; /* enumeration of species: its numeric values */
    if (class == H5T_INTEGER)
        return H5Tget_sign(type) == H5T_SGN_NONE ? MYR_HDF5_UNSIGNED : MYR_HDF5_SIGNED;
    return MYR_HDF5_OTHER;
}

/* Bytes that a table may hold after its filters; 0 if they are in another file. */
static uint64_t hdf5_held(const myr_hdf5 *f, hid_t table)
{
    const hid_t creation = H5Dget_create_plist(table);
    const int elsewhere = H5Pget_layout(creation) == H5D_VIRTUAL || H5Pget_external_count(creation) > 0;
    const int filtered = H5Pget_nfilters(creation) > 0;
    H5Pclose(creation);
    const uint64_t stored = H5Dget_storage_size(table);
    return elsewhere ? 0 : (stored < f->size ? stored : f->size) * (filtered ? HDF5_EXPANSION_MAX : 1);
}

/* Bytes of the tables of this file that a virtual table shows, as those of a mesh in our snapshots; 0 if a part is not
 * a plain table of this file. */
static uint64_t hdf5_shown(const myr_hdf5 *f, hid_t creation)
{
    char from[8], name[HDF5_SOURCE_MAX];
    unsigned long here = 0, there = 0;
    uint64_t all = 0;
    size_t parts = 0;
    H5O_info_t info;
    if (H5Pget_virtual_count(creation, &parts) < 0 || H5Oget_info(f->file, &info) < 0)
        return 0;
    here = info.fileno;
    for (size_t k = 0; k < parts; k++) {
        const ssize_t path = H5Pget_virtual_filename(creation, k, from, sizeof from);
        const ssize_t length = H5Pget_virtual_dsetname(creation, k, name, sizeof name);
        if (path != 1 || from[0] != '.' || length < 1 || length >= (ssize_t)sizeof name || strchr(name, '%'))
            return 0;
        const hid_t table = H5Dopen2(f->file, name, H5P_DEFAULT);
        const int known = table >= 0 && H5Oget_info(table, &info) >= 0;
        there = known ? info.fileno : here + 1; /* links may lead to other files */
        const uint64_t held = known && there == here ? hdf5_held(f, table) : 0;
        if (table >= 0)
            H5Dclose(table);
        if (held == 0 || held > UINT64_MAX - all)
            return 0;
        all += held;
    }
    return all;
}

/* Refuses a table that claims more numbers than its bytes in the file can hold, before memory is allocated. */
static myr_status hdf5_check_storage(myr_hdf5 *f, const char *name, hid_t table, const myr_hdf5_shape *shape)
{
    const hid_t creation = H5Dget_create_plist(table);
    const int joined = H5Pget_layout(creation) == H5D_VIRTUAL;
    const uint64_t shown = joined ? hdf5_shown(f, creation) : 0;
    const int elsewhere = joined ? shown == 0 : H5Pget_external_count(creation) > 0;
    H5Pclose(creation);
    if (elsewhere)
        return myr_hdf5_fail(f, MYR_ERROR_FORMAT, "has data in another file: %s", name);
    const uint64_t stored = joined ? shown : H5Dget_storage_size(table);
    const uint64_t row = (uint64_t)shape->columns * (uint64_t)shape->bytes;
    const uint64_t held = joined ? shown : hdf5_held(f, table);
    if (shape->rows > held / row)
        return myr_hdf5_fail(f, MYR_ERROR_FORMAT,
                             "says that %s has %llu rows of %llu bytes, but stores only %llu bytes", name,
                             (ull)shape->rows, (ull)row, (ull)stored);
    const uint64_t frame = shape->rows * row;
    if (shape->frames && frame > held / shape->frames)
        return myr_hdf5_fail(f, MYR_ERROR_FORMAT,
                             "says that %s has %llu frames of %llu bytes, but stores only %llu bytes", name,
                             (ull)shape->frames, (ull)frame, (ull)stored);
    return MYR_OK;
}

/* Shape of a table with or without a dimension of frames. */
static myr_status hdf5_shape(myr_hdf5 *file, const char *name, int framed, myr_hdf5_shape *shape)
{
    hsize_t size[3] = {0, 1, 1};
    *shape = (myr_hdf5_shape){.kind = MYR_HDF5_OTHER};
    const hid_t table = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (table < 0)
        return myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has no readable table %s", name);
    const hid_t space = H5Dget_space(table), type = H5Dget_type(table);
    const int rank = H5Sget_simple_extent_ndims(space) - framed;
    myr_status status = MYR_OK;
    if ((rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) == rank + framed) {
        const hsize_t columns = rank == 2 ? size[1 + framed] : 1;
        shape->rows = size[framed];
        shape->frames = framed ? size[0] : 0;
        if (columns >= 1 && columns <= MYR_HDF5_COLUMNS_MAX && (!framed || size[0] > 0)) {
            shape->columns = (int)columns;
            shape->kind = hdf5_kind_of(type, &shape->bytes);
        }
    }
    if (shape->kind != MYR_HDF5_OTHER)
        status = hdf5_check_storage(file, name, table, shape);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(table);
    return status;
}

myr_status myr_hdf5_table(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape)
{
    return hdf5_shape(file, name, 0, shape);
}

myr_status myr_hdf5_frames(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape)
{
    return hdf5_shape(file, name, 1, shape);
}

/* Frames, edges and columns of an array with 3 or 4 dimensions; 0 if it is not a cube. The first of 4 dimensions is
 * frames if it differs from the second; otherwise the last dimension is columns. */
static int hdf5_is_cube(int rank, const hsize_t *size, myr_hdf5_shape *shape)
{
    const int before = rank == 4 && size[0] != size[1], after = rank == 4 && !before;
    if (rank < 3 || rank > 4 || size[before] < 1 || size[before] > INT32_MAX || size[before] != size[before + 1] ||
        size[before] != size[before + 2] || size[before] > UINT64_MAX / size[before] / size[before] ||
        (after && size[3] > MYR_HDF5_COLUMNS_MAX))
        return 0;
    shape->mesh = size[before];
    shape->rows = size[before] * size[before] * size[before];
    shape->columns = after ? (int)size[3] : 1;
    shape->frames = before ? size[0] : 0;
    return shape->columns > 0 && (!before || size[0] > 0);
}

myr_status myr_hdf5_cube(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape)
{
    hsize_t size[4] = {0};
    *shape = (myr_hdf5_shape){.kind = MYR_HDF5_OTHER};
    const hid_t table = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (table < 0)
        return myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has no readable array %s", name);
    const hid_t space = H5Dget_space(table), type = H5Dget_type(table);
    const int rank = H5Sget_simple_extent_ndims(space);
    myr_status status = MYR_OK;
    if (rank <= 4 && H5Sget_simple_extent_dims(space, size, NULL) == rank && hdf5_is_cube(rank, size, shape))
        shape->kind = hdf5_kind_of(type, &shape->bytes);
    else
        *shape = (myr_hdf5_shape){.kind = MYR_HDF5_OTHER};
    if (shape->kind != MYR_HDF5_OTHER)
        status = hdf5_check_storage(file, name, table, shape);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(table);
    myr_hdf5_clear_message(file);
    return status;
}

myr_status myr_hdf5_get_scalar(myr_hdf5 *file, const char *name, double *value, int *found)
{
    int bytes;
    myr_status status = MYR_OK;
    *found = 0;
    if (!myr_hdf5_has(file, name))
        return MYR_OK;
    const hid_t table = H5Dopen2(file->file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(table), type = H5Dget_type(table);
    if (table >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR && hdf5_kind_of(type, &bytes) != MYR_HDF5_OTHER) {
        *found = 1;
        if (H5Dread(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0)
            status = myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has an unreadable number %s", name);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(table);
    myr_hdf5_clear_message(file);
    return status;
}

/* Passes the rows of a table to `take`: 0, or 1 if HDF5 fails, or -1 if `take` stops. */
static int hdf5_get_rows(hid_t table, const myr_hdf5_shape *shape, myr_hdf5_kind kind, myr_hdf5_rows_fn take,
                         void *user)
{
    const hid_t space = H5Dget_space(table);
    void *values = malloc((size_t)MYR_HDF5_ROWS * (size_t)shape->columns * 8);
    int failed = !values;
    const uint64_t end = shape->rows - shape->behind;
    for (uint64_t first = shape->before; !failed && first < end; first += MYR_HDF5_ROWS) {
        const uint64_t rows = end - first < MYR_HDF5_ROWS ? end - first : MYR_HDF5_ROWS;
        const hsize_t start[3] = {shape->frame, first, 0}, count[3] = {1, rows, (hsize_t)shape->columns};
        const int skip = shape->frames == 0;
        const hid_t memory = H5Screate_simple(2, count + 1, NULL);
        failed = H5Sselect_hyperslab(space, H5S_SELECT_SET, start + skip, NULL, count + skip, NULL) < 0 ||
                 H5Dread(table, myr_hdf5_memory_type(kind), memory, space, H5P_DEFAULT, values) < 0;
        if (!failed && take(user, first, rows, values))
            failed = -1;
        H5Sclose(memory);
    }
    free(values);
    H5Sclose(space);
    return failed;
}

/* As hdf5_get_rows for an array on a mesh, one plane at a time. */
static int hdf5_get_planes(hid_t table, const myr_hdf5_shape *shape, myr_hdf5_kind kind, myr_hdf5_rows_fn take,
                           void *user)
{
    const hid_t space = H5Dget_space(table);
    const uint64_t side = shape->mesh;
    const int skip = shape->frames == 0;
    void *values = side * side <= SIZE_MAX / 8 / (size_t)shape->columns
                       ? malloc((size_t)(side * side) * (size_t)shape->columns * 8)
                       : NULL;
    int failed = !values;
    for (uint64_t z = 0; !failed && z < side; z++) {
        const hsize_t start[5] = {shape->frame, z, 0, 0, 0}, count[5] = {1, 1, side, side, (hsize_t)shape->columns};
        const hid_t memory = H5Screate_simple(3, count + 2, NULL);
        failed = H5Sselect_hyperslab(space, H5S_SELECT_SET, start + skip, NULL, count + skip, NULL) < 0 ||
                 H5Dread(table, myr_hdf5_memory_type(kind), memory, space, H5P_DEFAULT, values) < 0;
        if (!failed && take(user, z * side * side, side * side, values))
            failed = -1;
        H5Sclose(memory);
    }
    free(values);
    H5Sclose(space);
    return failed;
}

myr_status myr_hdf5_get_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_kind kind,
                              myr_hdf5_rows_fn take, void *user)
{
    const hid_t table = H5Dopen2(file->file, name, H5P_DEFAULT);
    const int failed = table < 0     ? 1
                       : shape->mesh ? hdf5_get_planes(table, shape, kind, take, user)
                                     : hdf5_get_rows(table, shape, kind, take, user);
    if (table >= 0)
        H5Dclose(table);
    if (failed > 0)
        return myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has an unreadable table %s", name);
    return failed ? myr_hdf5_fail(file, MYR_ERROR_FORMAT, "has a table %s that was not taken to its end", name)
                  : MYR_OK;
}
