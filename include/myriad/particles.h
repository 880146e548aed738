/* particles.h - a set of particles: any named fields, one array per component.
 *
 * Fields are doubles with 1 to 16 components ("position" has 3). Every set has 64-bit ids, 0 to n-1 unless set, and
 * 32-bit types, 0 unless set. Kernels say which fields they read (catalogue.h); results arrive as fields too. */
#ifndef MYRIAD_PARTICLES_H
#define MYRIAD_PARTICLES_H

#include <stdint.h>

#include <myriad/context.h>

MYR_BEGIN_DECLS

typedef struct myr_particles myr_particles;

/* Makes a set of n particles without fields; n may be 0. */
MYR_API myr_status myr_particles_create(myr_context *context, int64_t n, myr_particles **particles);

/* Frees the set and clears the pointer. Null is allowed. */
MYR_API void myr_particles_destroy(myr_particles **particles);

/* The number of particles. */
MYR_API int64_t myr_particles_count(const myr_particles *particles);

/* The context that the set was made from. */
MYR_API myr_context *myr_particles_context(const myr_particles *particles);

/* Adds a field of zeros. A field that is there already, with the same number of components, stays as it is. */
MYR_API myr_status myr_particles_add_field(myr_particles *particles, const char *name, int components);

/* The number of fields, and the name and components of field k (null and 0 where there is none). */
MYR_API int myr_particles_fields(const myr_particles *particles);
MYR_API const char *myr_particles_field_name(const myr_particles *particles, int k);
MYR_API int myr_particles_field_components(const myr_particles *particles, int k);

/* One component of a field: n doubles, or null where there is none. Valid until the set is destroyed. */
MYR_API double *myr_particles_component(myr_particles *particles, const char *name, int component);
MYR_API const double *myr_particles_component_const(const myr_particles *particles, const char *name, int component);

/* Copies a field in from values[n][components] (any alignment), adding the field if needed. */
MYR_API myr_status myr_particles_set(myr_particles *particles, const char *name, int components, const double *values);

/* Copies a field out to values[n][components]. */
MYR_API myr_status myr_particles_get(const myr_particles *particles, const char *name, double *values);

/* The ids and types, n of each. */
MYR_API const int64_t *myr_particles_ids(const myr_particles *particles);
MYR_API const int32_t *myr_particles_types(const myr_particles *particles);

/* Sets all ids; they must differ from each other. */
MYR_API myr_status myr_particles_set_ids(myr_particles *particles, const int64_t *ids);

/* Sets all types; they must not be negative. */
MYR_API myr_status myr_particles_set_types(myr_particles *particles, const int32_t *types);

/* A 64-bit hash of the bits of a field, component by component in particle order. */
MYR_API myr_status myr_particles_hash(const myr_particles *particles, const char *name, uint64_t *hash);

MYR_END_DECLS

#endif
