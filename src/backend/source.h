/* source.h - source texts embedded in the library, from which units are compiled at run time: with these texts and a
 * compiler the library makes loops that were not built. The build collects them (cmake/MyriadEmbed.cmake). */
#ifndef MYR_BACKEND_SOURCE_H
#define MYR_BACKEND_SOURCE_H

#include <stddef.h>

typedef struct {
    const char *name; /* name in an include line, for example "kernel/gravity.h" */
    const char *text; /* text with a terminating null byte, which size does not count */
    size_t size;
} myr_source;

/* All embedded texts, sorted by name. */
const myr_source *myr_sources(int *count);

#endif
