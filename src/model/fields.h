/* fields.h - plausible values for the fields that kernels read. */
#ifndef MYR_MODEL_FIELDS_H
#define MYR_MODEL_FIELDS_H

#include <stdint.h>

#include <myriad/particles.h>

/* Adds the field if it is missing and fills it; a field that is there stays as it is. */
myr_status myr_fields_fill(myr_particles *particles, const char *name, int components, uint64_t seed);

/* Gives each particle a type from 0 to types-1, unless any has one already. */
myr_status myr_fields_deal_types(myr_particles *particles, int types, uint64_t seed);

#endif
