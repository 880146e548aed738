/* catalogue.h - conversion of names to indices, inside the library. */
#ifndef MYR_INTERACTION_CATALOGUE_H
#define MYR_INTERACTION_CATALOGUE_H

#include <myriad/catalogue.h>

#include "backend/backend.h"
#include "backend/operation_counts.h"

/* Accumulators, in the order of accumulators.def. */
typedef enum {
#define MYR_ACCUMULATOR(name, loop, letter, arithmetics, text) MYR_ACCUMULATOR_##name,
#include "accumulator/accumulators.def"
#undef MYR_ACCUMULATOR
    MYR_ACCUMULATOR_COUNT
} myr_accumulator_id;

/* Compiled loop of an accumulator. */
myr_acc_loop myr_catalogue_loop(int accumulator);

/* Descriptor of a kernel. */
const myr_kernel_desc *myr_catalogue_desc(int kernel);

/* Converts a descriptor and its operation counts to the public description. */
void myr_catalogue_info(const myr_kernel_desc *desc, const myr_operation_counts *counts, myr_kernel_info *info);

/* Index of a name in a list, or -1. */
int myr_catalogue_kernel(const char *name);
int myr_catalogue_accumulator(const char *name);
int myr_catalogue_arithmetic(const char *name);
int myr_catalogue_isa(const char *name);
int myr_catalogue_method(const char *name);
int myr_catalogue_backend(const char *name);

/* Names of each list, for "did you mean" messages. */
const char *myr_catalogue_kernel_name(int k);
const char *myr_catalogue_accumulator_name(int k);
const char *myr_catalogue_arithmetic_name(int k);
const char *myr_catalogue_isa_name(int k);
const char *myr_catalogue_method_name(int k);
const char *myr_catalogue_backend_name(int k);

#endif
