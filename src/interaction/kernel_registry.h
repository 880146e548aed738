/* kernel_registry.h - all kernels known to a context: those of the library, by their index in kernels.def, followed by
 * those made from source with two indices each, without and with the optional potential. */
#ifndef MYR_INTERACTION_KERNEL_REGISTRY_H
#define MYR_INTERACTION_KERNEL_REGISTRY_H

#include <myriad/kernel.h>

#include "backend/backend.h"
#include "backend/pipeline/pipeline.h"
#include "core/context.h"

/* Index of a name, or -1. */
int myr_kernel_registry_find(const myr_context *context, const char *name);

/* Descriptor of a valid index. */
const myr_kernel_desc *myr_kernel_registry_desc(const myr_context *context, int kernel);

/* Loops of a kernel for an instruction set and an arithmetic, compiled if necessary; null with a message if not
 * available. */
const myr_unit *myr_kernel_registry_unit(myr_context *context, int kernel, const myr_isa_table *isa, int arithmetic);

/* Loops over particles in a box of a kernel made from source, with its potential; null with a message if not
 * available. */
const myr_short_range_unit *myr_kernel_registry_box_unit(myr_context *context, int kernel, const myr_isa_table *isa,
                                                         int arithmetic, int fixed, int halo);

/* Header of a kernel made from source; null for kernels of the library. Valid as long as the context. */
const char *myr_kernel_registry_header(myr_context *context, int kernel);

/* Pipeline of a kernel made from source, and 1 in *with_potential for the kernel with the potential; null for kernels
 * of the library. */
const myr_pipeline *myr_kernel_registry_pipeline(const myr_context *context, int kernel, int *with_potential);

#endif
