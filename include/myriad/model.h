/* model.h - initial conditions. The same (model, n, seed) gives the same particles whatever the machine's threads:
 * random numbers are keyed by seed and particle. */
#ifndef MYRIAD_MODEL_H
#define MYRIAD_MODEL_H

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Description of model k ("plummer", "uniform", "lattice"); null past the end. */
MYR_API const myr_choice_info *myr_model(int k);

/* Makes n particles of a model with position, velocity and mass. */
MYR_API myr_status myr_model_create(myr_context *context, const char *model, int64_t n, uint64_t seed,
                                    myr_particles **particles);

/* Adds the fields that a kernel reads and the set lacks (charge, type, strength, ...), filled with plausible values
 * drawn from the seed; for trying kernels out and for tests. `types` types are dealt out where the kernel has a table
 * per pair of types. */
MYR_API myr_status myr_model_fill(myr_particles *particles, const char *kernel, int types, uint64_t seed);

MYR_END_DECLS

#endif
