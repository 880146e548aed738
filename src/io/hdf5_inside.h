/* hdf5_inside.h - fields of struct myr_hdf5, for the files of this folder that call the HDF5 library. */
#ifndef MYR_IO_HDF5_INSIDE_H
#define MYR_IO_HDF5_INSIDE_H

#include <hdf5.h>

#include "io/file.h"
#include "io/hdf5.h"

enum { MYR_HDF5_ROWS = 8192 }; /* rows of a table that are transferred at once */

struct myr_hdf5 {
    myr_context *context;
    char *path;
    hid_t file;
    int memory;        /* descriptor of the anonymous memory of a sparse file; -1 = none */
    uint64_t size;     /* size of a file that is read, in bytes */
    myr_status status; /* writing: first error; its message is in `message` */
    char message[MYR_MESSAGE_MAX];
    char library[MYR_MESSAGE_MAX / 2];      /* message of the library about the last failed call */
    myr_format_hole hole[MYR_FORMAT_HOLES]; /* tables that other ranks fill, in the order of their offsets */
    int holes;
    uint64_t hole_rows;  /* rows of each of these tables */
    H5E_auto2_t handler; /* previous error handler, restored on close */
    void *handler_data;
};

/* Stores "'<path>' <sentence> (HDF5: <message of the library>)" in the context; the last part only if there is a
 * message. */
myr_status myr_hdf5_fail(myr_hdf5 *file, myr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Discards the message of the library after a call that was allowed to fail. */
void myr_hdf5_clear_message(myr_hdf5 *file);

/* HDF5 type of a kind in memory. */
hid_t myr_hdf5_memory_type(myr_hdf5_kind kind);

#endif
