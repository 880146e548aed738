/* unit_loader.h - hot loops that are compiled on the machine that runs them: a unit is made from its text and the texts
 * that the library carries (backend/source.h) by the system's C compiler, kept in the cache (core/cache.h) and opened as
 * a shared object. Users' pipelines (backend/pipeline) and units that the build left out (backend/units.h) come this
 * way. */
#ifndef MYR_BACKEND_UNIT_LOADER_H
#define MYR_BACKEND_UNIT_LOADER_H

#include <stddef.h>

#include "backend/backend.h"

/* One unit to be had: what is compiled, and the table that the shared object exports. */
typedef struct {
    char text[1024];    /* the C file: macros, and one include line */
    char symbol[256];   /* name of the exported table */
    char flags[256];    /* compiler flags of the instruction set and of the kind of unit */
    const char *header; /* text that becomes kernel/pipeline.h; null for kernels of the library */
} myr_unit_order;

/* A loaded shared object. */
typedef struct {
    void *handle;
    const void *table; /* null = not loaded */
} myr_unit_object;

/* How a unit was had. */
typedef struct {
    int compiled;      /* 1: by the compiler, 0: from the cache */
    double seconds;    /* time taken */
    char warning[512]; /* empty, or why the result could not be kept in the cache */
} myr_unit_report;

/* A unit file ("backend/unit.c") for an instruction set and an arithmetic. `macros`: lines of further #defines;
 * `prefix` and `words`: the exported symbol is PREFIX WORDS _ ARITHMETIC _ ISA. 0 and a message where the build does not
 * know the instruction set. */
int myr_unit_order_make(const char *file, const char *macros, const char *prefix, const char *words, const char *isa,
                        int arithmetic, myr_unit_order *order, char *message, size_t room);

/* Finds the unit in the cache, or compiles it; `before` (may be null) is called just before the compiler starts. 0 and a
 * message where the unit cannot be had. */
int myr_unit_load(const myr_unit_order *order, void (*before)(void *user), void *user, myr_unit_object *object,
                  myr_unit_report *report, char *message, size_t room);

/* Closes the shared object; nothing where none is loaded. */
void myr_unit_unload(myr_unit_object *object);

#endif
