/* kernel_registry.h - all kernels that a context knows: those of the library, by their number in kernels.def, and after
 * them those that were made from source, two numbers each: without and with the optional potential. */
#ifndef MYR_INTERACTION_KERNEL_REGISTRY_H
#define MYR_INTERACTION_KERNEL_REGISTRY_H

#include <myriad/kernel.h>

#include "backend/backend.h"
#include "backend/pipeline/pipeline.h"
#include "core/context.h"

/* The number of a name, or -1. */
int myr_kernels_find(const myr_context *context, const char *name);

/* The descriptor of a number that was found. */
const myr_kernel_desc *myr_kernels_desc(const myr_context *context, int kernel);

/* Its loops for an instruction set and an arithmetic, compiled where that is needed; null and a message where they
 * cannot be had. */
const myr_unit *myr_kernels_unit(myr_context *context, int kernel, const myr_isa_table *isa, int arithmetic);

/* The header of a kernel that was made from source; null for kernels of the library. Valid as long as the context. */
const char *myr_kernels_header(myr_context *context, int kernel);

/* The pipeline of a kernel that was made from source, and whether it is the one with the potential; null for kernels of
 * the library. */
const myr_pipeline *myr_kernels_pipeline(const myr_context *context, int kernel, int *with_potential);

#endif
