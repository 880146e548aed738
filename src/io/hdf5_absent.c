/* hdf5_absent.c - hdf5.h in a build without the HDF5 library: no file can be opened, so that the other functions are
 * never called. */
#include "io/hdf5.h"

/* NOLINTBEGIN(readability-non-const-parameter): hdf5.h prescribes the parameters */

static myr_status hdf5_unavailable(myr_context *context, const char *path)
{
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "'%s' needs HDF5, and this build was made without it (Debian: libhdf5-dev)", path);
}

myr_status myr_hdf5_create(myr_context *context, const char *path, uint64_t size, myr_hdf5 **file)
{
    (void)size;
    *file = 0;
    return hdf5_unavailable(context, path);
}

myr_status myr_hdf5_create_sparse(myr_context *context, const char *path, myr_hdf5 **file)
{
    *file = 0;
    return hdf5_unavailable(context, path);
}

myr_status myr_hdf5_open(myr_context *context, const char *path, myr_hdf5 **file)
{
    *file = 0;
    return hdf5_unavailable(context, path);
}

void myr_hdf5_close(myr_hdf5 **file)
{
    (void)file;
}

myr_status myr_hdf5_publish(myr_hdf5 **file)
{
    (void)file;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_publish_with(myr_hdf5 **file, const myr_format_others *others)
{
    (void)file, (void)others;
    return MYR_ERROR_UNAVAILABLE;
}

void myr_hdf5_put_hole(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_format_column column,
                       const char *field)
{
    (void)file, (void)name, (void)shape, (void)column, (void)field;
}

void myr_hdf5_put_group(myr_hdf5 *file, const char *name)
{
    (void)file, (void)name;
}

void myr_hdf5_put_doubles(myr_hdf5 *file, const char *object, const char *name, int n, const double *values)
{
    (void)file, (void)object, (void)name, (void)n, (void)values;
}

void myr_hdf5_put_integers(myr_hdf5 *file, const char *object, const char *name, int n, int bytes,
                           const uint64_t *values)
{
    (void)file, (void)object, (void)name, (void)n, (void)bytes, (void)values;
}

void myr_hdf5_put_text(myr_hdf5 *file, const char *object, const char *name, const char *text)
{
    (void)file, (void)object, (void)name, (void)text;
}

void myr_hdf5_put_ascii(myr_hdf5 *file, const char *object, const char *name, const char *text)
{
    (void)file, (void)object, (void)name, (void)text;
}

void myr_hdf5_put_string(myr_hdf5 *file, const char *object, const char *name, const char *text)
{
    (void)file, (void)object, (void)name, (void)text;
}

void myr_hdf5_put_texts(myr_hdf5 *file, const char *name, uint64_t n, const char *const *texts)
{
    (void)file, (void)name, (void)n, (void)texts;
}

void myr_hdf5_put_words(myr_hdf5 *file, const char *object, const char *name, int n, const char *const *words)
{
    (void)file, (void)object, (void)name, (void)n, (void)words;
}

void myr_hdf5_put_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_rows_fn give,
                        void *user)
{
    (void)file, (void)name, (void)shape, (void)give, (void)user;
}

void myr_hdf5_put_link(myr_hdf5 *file, const char *object, const char *name)
{
    (void)file, (void)object, (void)name;
}

void myr_hdf5_put_joined(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, int parts,
                         const char *const *part)
{
    (void)file, (void)name, (void)shape, (void)parts, (void)part;
}

int myr_hdf5_has(myr_hdf5 *file, const char *name)
{
    (void)file, (void)name;
    return 0;
}

int64_t myr_hdf5_members(myr_hdf5 *file, const char *group)
{
    (void)file, (void)group;
    return 0;
}

myr_status myr_hdf5_member(myr_hdf5 *file, const char *group, int64_t k, char name[MYR_HDF5_NAME_MAX + 1],
                           int *is_table)
{
    (void)file, (void)group, (void)k, (void)name, (void)is_table;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_get_doubles(myr_hdf5 *file, const char *object, const char *name, int max, double *values,
                                int *count)
{
    (void)file, (void)object, (void)name, (void)max, (void)values, (void)count;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_get_integers(myr_hdf5 *file, const char *object, const char *name, int max, int64_t *values,
                                 int *count)
{
    (void)file, (void)object, (void)name, (void)max, (void)values, (void)count;
    return MYR_ERROR_UNAVAILABLE;
}

void myr_hdf5_get_text(myr_hdf5 *file, const char *object, const char *name, int k, char *text, size_t size)
{
    (void)file, (void)object, (void)name, (void)k, (void)text, (void)size;
}

myr_status myr_hdf5_table(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape)
{
    (void)file, (void)name, (void)shape;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_frames(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape)
{
    (void)file, (void)name, (void)shape;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_cube(myr_hdf5 *file, const char *name, myr_hdf5_shape *shape)
{
    (void)file, (void)name, (void)shape;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_get_scalar(myr_hdf5 *file, const char *name, double *value, int *found)
{
    (void)file, (void)name, (void)value, (void)found;
    return MYR_ERROR_UNAVAILABLE;
}

myr_status myr_hdf5_get_table(myr_hdf5 *file, const char *name, const myr_hdf5_shape *shape, myr_hdf5_kind kind,
                              myr_hdf5_rows_fn take, void *user)
{
    (void)file, (void)name, (void)shape, (void)kind, (void)take, (void)user;
    return MYR_ERROR_UNAVAILABLE;
}

/* NOLINTEND(readability-non-const-parameter) */
