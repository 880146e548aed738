/* hdf5_script.h - HDF5 files of any content from any bytes: the bytes are instructions for making groups, attributes,
 * tables and links of the names that a reader looks for, with any type, shape and content. */
#ifndef MYR_FUZZ_HDF5_SCRIPT_H
#define MYR_FUZZ_HDF5_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

enum { SCRIPT_EXTENT_MAX = 18 }; /* of a table that has numbers */

/* The names that are used; each list ends with null. */
typedef struct {
    const char *const *objects; /* that are made and get attributes */
    int groups;                 /* the first of them, which become groups */
    int parents, parents_count; /* those in which tables are made: the first, and how many */
    const char *const *attributes;
    const char *const *tables;
    int most; /* particles that a file may have; 0 = as many as a table of columns has rows */
} script_names;

/* Makes the file that the instructions describe; the path where it can be read, or null. */
const char *script_make_file(const script_names *names, const uint8_t *data, size_t size);

/* Reads it by the format `format` (null: as its bytes tell), checks what every reader promises; 1 where a set comes
 * out. */
int script_try(const script_names *names, const char *format, const uint8_t *data, size_t size);

#endif
