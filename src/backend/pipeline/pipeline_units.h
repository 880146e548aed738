/* pipeline_units.h - compiled loops of a pipeline: made from its header and the texts embedded in the library
 * (backend/source.h) by the system's C compiler, for one arithmetic and instruction set at a time, and kept in the
 * cache. */
#ifndef MYR_BACKEND_PIPELINE_PIPELINE_UNITS_H
#define MYR_BACKEND_PIPELINE_PIPELINE_UNITS_H

#include "backend/backend.h"
#include "backend/pipeline/pipeline.h"
#include "backend/unit_loader.h"

typedef struct myr_pipeline_units myr_pipeline_units;

/* Creates an empty set of units; null if memory is short. The pipeline must outlive the units. */
myr_pipeline_units *myr_pipeline_units_create(const myr_pipeline *pipeline);

/* Unloads all units and clears the pointer. */
void myr_pipeline_units_destroy(myr_pipeline_units **units);

/* Loops of the kernel, with or without the optional potential. Null with a message on failure. Valid until the units
 * are destroyed. */
const myr_unit *myr_pipeline_unit(myr_pipeline_units *units, int with_potential, const myr_isa_table *isa,
                                  int arithmetic, myr_unit_report *report, char *message, size_t room);

/* Loops over particles in a box (kernel/box_formula.h) of the kernel with the potential, for fixed-point or other sums,
 * with or without a halo. Null with a message on failure. Valid until the units are destroyed. */
const myr_short_range_unit *myr_pipeline_box_unit(myr_pipeline_units *units, const myr_isa_table *isa, int arithmetic,
                                                  int fixed, int halo, myr_unit_report *report, char *message,
                                                  size_t room);

#endif
