/* hdf5.c - opens and closes HDF5 files, and turns error messages of the HDF5 library into messages of the context. */
#define _GNU_SOURCE /* for memfd_create */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/hdf5_inside.h"

/* The HDF5 library may not be thread-safe, and a thread-safe build serialises all calls anyway. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

hid_t myr_hdf5_memory_type(myr_hdf5_kind kind)
{
    return kind == MYR_HDF5_DOUBLE     ? H5T_NATIVE_DOUBLE
           : kind == MYR_HDF5_UNSIGNED ? H5T_NATIVE_UINT64
                                       : H5T_NATIVE_INT64;
}

/* In an upward walk the first message is the innermost and most specific one. */
static herr_t hdf5_first_message(unsigned n, const H5E_error2_t *error, void *user)
{
    (void)n;
    if (!error->desc)
        return 0;
    snprintf(user, MYR_MESSAGE_MAX / 2, "%s", error->desc);
    return 1;
}

/* Error handler: called by the library when a call fails, because the next call would clear its messages. */
static herr_t hdf5_error_handler(hid_t stack, void *user)
{
    myr_hdf5 *f = user;
    H5Ewalk2(stack, H5E_WALK_UPWARD, hdf5_first_message, f->library);
    return 0;
}

void myr_hdf5_clear_message(myr_hdf5 *file)
{
    *file->library = 0;
}

myr_status myr_hdf5_fail(myr_hdf5 *file, myr_status status, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (*file->library)
        myr_context_fail(file->context, status, "'%s' %s (HDF5: %s)", file->path, text, file->library);
    else
        myr_context_fail(file->context, status, "'%s' %s", file->path, text);
    myr_hdf5_clear_message(file);
    return status;
}

/* Allocates a file that is not yet open, takes the lock and installs the error handler; null if memory is short. */
static myr_hdf5 *hdf5_begin(myr_context *context, const char *path)
{
    myr_hdf5 *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to open '%s'", path);
        return NULL;
    }
    f->context = context;
    pthread_mutex_lock(&hdf5_lock);
    H5open();
    f->file = H5I_INVALID_HID;
    f->memory = -1;
    H5Eget_auto2(H5E_DEFAULT, &f->handler, &f->handler_data);
    H5Eset_auto2(H5E_DEFAULT, hdf5_error_handler, f);
    return f;
}

/* Creates the file, and closes the access property list. */
static int hdf5_begin_file(myr_hdf5 *f, const char *name, hid_t access)
{
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110); /* for old readers */
    f->file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return f->file >= 0;
}

myr_status myr_hdf5_create(myr_context *context, const char *path, uint64_t size, myr_hdf5 **file)
{
    myr_hdf5 *f = *file = hdf5_begin(context, path);
    if (!f)
        return MYR_ERROR_MEMORY;
    /* built in memory in one block, and never written to disk by the library */
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, size > 1 << 20 ? (size_t)size : 1 << 20, 0);
    if (hdf5_begin_file(f, path, access))
        return MYR_OK;
    const myr_status status = myr_hdf5_fail(f, MYR_ERROR_MEMORY, "cannot be prepared: %llu bytes of memory are needed",
                                            (unsigned long long)size);
    myr_hdf5_close(file);
    return status;
}

/* The memory driver of the library allocates a file up to its end. An anonymous file, for which the system stores only
 * written pages, gives the same bytes. */
myr_status myr_hdf5_create_sparse(myr_context *context, const char *path, myr_hdf5 **file)
{
    char name[64];
    myr_hdf5 *f = *file = hdf5_begin(context, path);
    if (!f)
        return MYR_ERROR_MEMORY;
    f->memory = memfd_create("myriad", MFD_CLOEXEC);
    snprintf(name, sizeof name, "/proc/self/fd/%d", f->memory);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_stdio(access); /* the default driver resolves the path, and an anonymous file has none */
    if (hdf5_begin_file(f, name, access) && f->memory >= 0)
        return MYR_OK;
    const myr_status status = myr_hdf5_fail(f, MYR_ERROR_MEMORY, "cannot be prepared in memory");
    myr_hdf5_close(file);
    return status;
}

/* Error message for a file that HDF5 cannot open. */
static myr_status hdf5_refuse(myr_hdf5 *f)
{
    myr_status status = myr_hdf5_fail(f, MYR_ERROR_FORMAT, "is damaged, or no HDF5 file");
    if (strstr(myr_context_message(f->context), "truncated"))
        status = myr_context_fail(f->context, MYR_ERROR_FORMAT, "'%s' is cut short: it has only %llu bytes", f->path,
                                  (unsigned long long)f->size);
    return status;
}

myr_status myr_hdf5_open(myr_context *context, const char *path, myr_hdf5 **file)
{
    int descriptor;
    uint64_t size;
    *file = NULL;
    myr_status status = myr_file_open(context, path, &descriptor, &size);
    if (status)
        return status;
    close(descriptor);
    myr_hdf5 *f = *file = hdf5_begin(context, path);
    if (!f)
        return MYR_ERROR_MEMORY;
    f->size = size;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* no locking: a file with its final name is never written to, and some file systems have no locks */
    H5Pset_file_locking(access, 0, 1);
    f->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (f->file >= 0)
        return MYR_OK;
    status = hdf5_refuse(f);
    myr_hdf5_close(file);
    return status;
}

void myr_hdf5_close(myr_hdf5 **file)
{
    if (!file || !*file)
        return;
    myr_hdf5 *f = *file;
    if (f->file >= 0)
        H5Fclose(f->file);
    if (f->memory >= 0)
        close(f->memory);
    H5Eset_auto2(H5E_DEFAULT, f->handler, f->handler_data);
    pthread_mutex_unlock(&hdf5_lock);
    free(f->path);
    free(f);
    *file = NULL;
}
