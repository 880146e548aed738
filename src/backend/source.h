/* source.h - the texts from which a unit is compiled, kept in the library: with them and a compiler it makes the loops
 * of kernels that were not there when it was built. The build collects them (cmake/MyriadEmbed.cmake). */
#ifndef MYR_BACKEND_SOURCE_H
#define MYR_BACKEND_SOURCE_H

#include <stddef.h>

typedef struct {
    const char *name; /* as an include line names it: "kernel/gravity.h" */
    const char *text; /* ends with a null byte, which size does not count */
    size_t size;
} myr_source;

/* All of them, in the order of their names. */
const myr_source *myr_sources(int *count);

#endif
