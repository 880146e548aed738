/* unit_loader.h - hot loops compiled at run time: a unit is compiled from its text and the texts embedded in the
 * library (backend/source.h) by the system's C compiler, kept in the cache (core/cache.h) and opened as a shared
 * object. Used for users' pipelines (backend/pipeline) and for units left out of the build (backend/units.h). */
#ifndef MYR_BACKEND_UNIT_LOADER_H
#define MYR_BACKEND_UNIT_LOADER_H

#include <stddef.h>

#include "backend/backend.h"

/* Order for one unit: text to compile, and name of the table exported by the shared object. */
typedef struct {
    char text[1024];    /* C file: macros and one include line */
    char symbol[256];   /* name of the exported table */
    char flags[256];    /* compiler flags of the instruction set and of the kind of unit */
    const char *header; /* text of kernel/pipeline.h; null for kernels of the library */
} myr_unit_order;

/* Loaded shared object. */
typedef struct {
    void *handle;
    const void *table; /* exported table; null = not loaded */
} myr_unit_object;

/* Statistics of loading a unit. */
typedef struct {
    int compiled;      /* 1 = compiled, 0 = from the cache */
    double seconds;    /* time taken */
    char warning[512]; /* empty, or the reason why the result could not be kept in the cache */
} myr_unit_report;

/* Makes an order for a unit file ("backend/unit.c"), an instruction set and an arithmetic. `macros`: lines of further
 * #defines; `prefix` and `words`: the exported symbol is PREFIX WORDS _ ARITHMETIC _ ISA. Returns 0 with a message if
 * the build does not know the instruction set. */
int myr_unit_order_make(const char *file, const char *macros, const char *prefix, const char *words, const char *isa,
                        int arithmetic, myr_unit_order *order, char *message, size_t room);

/* Finds the unit in the cache or compiles it; `before` (may be null) is called just before the compiler starts. Returns
 * 0 with a message on failure. */
int myr_unit_load(const myr_unit_order *order, void (*before)(void *user), void *user, myr_unit_object *object,
                  myr_unit_report *report, char *message, size_t room);

/* Closes the shared object, if loaded. */
void myr_unit_unload(myr_unit_object *object);

#endif
