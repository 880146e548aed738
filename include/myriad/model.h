/* model.h - initial conditions. The same (model, parameters, n, seed) gives the same particles whatever the machine's
 * threads: random numbers are keyed by seed and particle.
 *
 *   myr_model_create(context, "plummer", 1000, 1, &stars);           all parameters at their defaults
 *
 *   myr_model_spec *king;                                            or step by step
 *   myr_model_spec_create(context, "king", &king);
 *   myr_model_spec_set(king, "W0", 9);
 *   myr_model_spec_choose(king, "mass_function", "kroupa");
 *   myr_model_spec_make(king, 1000, 1, &stars);
 *   myr_model_spec_destroy(&king);
 *
 * Models are in units with G = 1 unless their text says otherwise. Star clusters are in N-body units: total mass 1 and
 * virial radius 1, so that in equilibrium the energy is -1/4 and the potential energy -1/2. */
#ifndef MYRIAD_MODEL_H
#define MYRIAD_MODEL_H

#include <stdint.h>

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* A choice between words. */
typedef struct {
    const char *name;
    const char *text;
    const char *word[8]; /* the first is the default; ends with null */
} myr_option_info;

/* Description of model k ("plummer", "king", ...); null past the end. */
MYR_API const myr_choice_info *myr_model(int k);

/* The number of bodies that model k usually has; 0 = as many as are asked for. */
MYR_API int64_t myr_model_bodies(int k);

/* Parameter n of model k, with default and bounds: its own first, then those that it shares with others (mass function,
 * scales, motion, binaries). Null past the end. */
MYR_API const myr_parameter_info *myr_model_parameter(int k, int n);

/* The dimension of parameter n of model k: "length", "mass", "time", "velocity", "rate", "temperature",
 * "inverse length", "kinematic viscosity" (and circulation), "number density", "constant of gravity" or "plain number"
 * (angles are in radians). Null past the end. */
MYR_API const char *myr_model_dimension(int k, int n);

/* Option n of model k; null past the end. */
MYR_API const myr_option_info *myr_model_option(int k, int n);

/* Makes n particles of a model with position, velocity and mass; all parameters have their defaults. */
MYR_API myr_status myr_model_create(myr_context *context, const char *model, int64_t n, uint64_t seed,
                                    myr_particles **particles);

/* A model with its parameters. */
typedef struct myr_model_spec myr_model_spec;

/* Makes the description of a model, all parameters and options at their defaults. */
MYR_API myr_status myr_model_spec_create(myr_context *context, const char *model, myr_model_spec **spec);

/* Frees it and clears the pointer. Null is allowed. */
MYR_API void myr_model_spec_destroy(myr_model_spec **spec);

/* The name of its model. */
MYR_API const char *myr_model_spec_name(const myr_model_spec *spec);

/* Sets a parameter by name, within its bounds. */
MYR_API myr_status myr_model_spec_set(myr_model_spec *spec, const char *parameter, double value);

/* The value of a parameter; NaN for an unknown one. */
MYR_API double myr_model_spec_get(const myr_model_spec *spec, const char *parameter);

/* Chooses the word of an option. */
MYR_API myr_status myr_model_spec_choose(myr_model_spec *spec, const char *option, const char *word);

/* Reads a table of numbers from a text file, for a model that takes one: of isotropic_turbulence wave numbers and, in
 * one or more columns, energies E(k). */
MYR_API myr_status myr_model_spec_read_table(myr_model_spec *spec, const char *path);

/* The word that is chosen; null for an unknown option. */
MYR_API const char *myr_model_spec_chosen(const myr_model_spec *spec, const char *option);

/* Makes the particles. A model with a number of bodies of its own takes n = 0 for that number. */
MYR_API myr_status myr_model_spec_make(const myr_model_spec *spec, int64_t n, uint64_t seed, myr_particles **particles);

/* Whether a row can be made without the others: of fcc, lattice and random as they usually are (not centred by mass,
 * without a mass function, without a least distance). */
MYR_API int myr_model_spec_in_rows(const myr_model_spec *spec);

/* Makes rows [first, last) of the particles that myr_model_spec_make would make, with the same bits, and their rows as
 * ids. On several ranks (ranks.h) it is called by all, each with rows of its own or with none: they share the work of
 * sums over all particles. Of a model that is not made in rows all are made, and the others dropped. */
MYR_API myr_status myr_model_spec_make_rows(const myr_model_spec *spec, int64_t n, uint64_t seed, int64_t first,
                                            int64_t last, myr_particles **particles);

/* Adds the fields that a kernel reads and the set lacks (charge, type, strength, ...), filled with plausible values
 * drawn from the seed; for trying kernels out and for tests. `types` types are dealt out where the kernel has a table
 * per pair of types. */
MYR_API myr_status myr_model_fill(myr_particles *particles, const char *kernel, int types, uint64_t seed);

MYR_END_DECLS

#endif
