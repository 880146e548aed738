/* fields.h - plausible values for fields that kernels read. */
#ifndef MYR_MODEL_FIELDS_H
#define MYR_MODEL_FIELDS_H

#include <stdint.h>

#include <myriad/particles.h>

/* Adds the field with plausible values; an existing field is not changed. */
myr_status myr_fields_fill(myr_particles *particles, const char *name, int components, uint64_t seed);

/* Gives each particle a random type from 0 to types - 1, unless a particle already has a type other than 0. */
myr_status myr_fields_deal_types(myr_particles *particles, int types, uint64_t seed);

#endif
