/* hdf5_inside.h - an open HDF5 file, for the files of this folder that talk to the library. */
#ifndef MYR_IO_HDF5_INSIDE_H
#define MYR_IO_HDF5_INSIDE_H

#include <hdf5.h>

#include "io/file.h"
#include "io/hdf5.h"

enum { MYR_HDF5_ROWS = 8192 }; /* of a table that are moved at once */

struct myr_hdf5 {
    myr_context *context;
    char *path;
    hid_t file;
    int memory;        /* descriptor of the memory that a sparse file is built in; -1 = none */
    uint64_t size;     /* of a file that is read */
    myr_status status; /* writing: the first error, with its sentence */
    char message[MYR_MESSAGE_MAX];
    char library[MYR_MESSAGE_MAX / 2];      /* what the library said about the last call that failed */
    myr_format_hole hole[MYR_FORMAT_HOLES]; /* in the order of their offsets */
    int holes;
    uint64_t hole_rows;  /* of each */
    H5E_auto2_t handler; /* of its messages, to be restored */
    void *handler_data;
};

/* Stores "'<path>' <sentence> (HDF5: <what the library said>)", the last part where there is one. */
myr_status myr_hdf5_fail(myr_hdf5 *file, myr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Forgets what the library said: a call was expected to fail. */
void myr_hdf5_forget(myr_hdf5 *file);

/* The type of a kind in memory. */
hid_t myr_hdf5_memory_type(myr_hdf5_kind kind);

#endif
