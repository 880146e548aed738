/* particles.h - particle set: named fields, one array per component.
 *
 * Fields are doubles with 1 to 16 components ("position" has 3). Every set has 64-bit ids, by default 0 to n-1, and
 * 32-bit types, by default 0; particles may have names. Kernels declare the fields that they read (catalogue.h);
 * results are fields as well. */
#ifndef MYRIAD_PARTICLES_H
#define MYRIAD_PARTICLES_H

#include <stdint.h>

#include <myriad/context.h>

MYR_BEGIN_DECLS

typedef struct myr_particles myr_particles;

/* Creates a set of n particles without fields; n may be 0. */
MYR_API myr_status myr_particles_create(myr_context *context, int64_t n, myr_particles **particles);

/* Frees the set and sets *particles to null. A null set is allowed. */
MYR_API void myr_particles_destroy(myr_particles **particles);

/* Number of particles. */
MYR_API int64_t myr_particles_count(const myr_particles *particles);

/* Context from which the set was made. */
MYR_API myr_context *myr_particles_context(const myr_particles *particles);

/* Adds a field of zeros. An existing field with the same number of components is unchanged. */
MYR_API myr_status myr_particles_add_field(myr_particles *particles, const char *name, int components);

/* Number of fields, and name and number of components of field k (null and 0 past the last). */
MYR_API int myr_particles_fields(const myr_particles *particles);
MYR_API const char *myr_particles_field_name(const myr_particles *particles, int k);
MYR_API int myr_particles_field_components(const myr_particles *particles, int k);

/* One component of a field, [n], or null if there is none. Valid until the set is destroyed. */
MYR_API double *myr_particles_component(myr_particles *particles, const char *name, int component);
MYR_API const double *myr_particles_component_const(const myr_particles *particles, const char *name, int component);

/* Copies values[n][components] (any alignment) to a field, which is added if missing. */
MYR_API myr_status myr_particles_set(myr_particles *particles, const char *name, int components, const double *values);

/* Copies a field to values[n][components]. */
MYR_API myr_status myr_particles_get(const myr_particles *particles, const char *name, double *values);

/* Ids and types, [n] each. */
MYR_API const int64_t *myr_particles_ids(const myr_particles *particles);
MYR_API const int32_t *myr_particles_types(const myr_particles *particles);

/* Sets all ids, which must be unique. */
MYR_API myr_status myr_particles_set_ids(myr_particles *particles, const int64_t *ids);

/* Sets all types, which must not be negative. */
MYR_API myr_status myr_particles_set_types(myr_particles *particles, const int32_t *types);

/* Name of particle i, such as "Mars"; null if it has none. */
MYR_API const char *myr_particles_name(const myr_particles *particles, int64_t i);

/* Names particle i: up to MYR_PARTICLES_NAME_MAX bytes without control characters and double quotes; null removes the
 * name. Two particles may have the same name. */
enum { MYR_PARTICLES_NAME_MAX = 63 };
MYR_API myr_status myr_particles_set_name(myr_particles *particles, int64_t i, const char *name);

/* 64-bit hash of the bits of a field, component by component in particle order. */
MYR_API myr_status myr_particles_hash(const myr_particles *particles, const char *name, uint64_t *hash);

MYR_END_DECLS

#endif
