/* model.h - initial conditions. The same (model, parameters, n, seed) gives the same particles with any number of
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

/* Option: a choice between words. */
typedef struct {
    const char *name;
    const char *text;
    const char *word[8]; /* words, ended by null; the first is the default */
} myr_option_info;

/* Description of model k ("plummer", "king", ...); null past the last. */
MYR_API const myr_choice_info *myr_model(int k);

/* Default number of bodies of model k; 0 = any number. */
MYR_API int64_t myr_model_bodies(int k);

/* Parameter n of model k, with default and bounds: own parameters first, then shared ones (mass function, scales,
 * motion, binaries). Null past the last. */
MYR_API const myr_parameter_info *myr_model_parameter(int k, int n);

/* Dimension of parameter n of model k: "length", "mass", "time", "velocity", "rate", "acceleration", "temperature",
 * "inverse length", "kinematic viscosity" (also circulation), "number density", "constant of gravity" or "plain number"
 * (angles are in radians). Null past the last. */
MYR_API const char *myr_model_dimension(int k, int n);

/* Option n of model k; null past the last. */
MYR_API const myr_option_info *myr_model_option(int k, int n);

/* Creates n particles of a model with position, velocity and mass; all parameters have their defaults. */
MYR_API myr_status myr_model_create(myr_context *context, const char *model, int64_t n, uint64_t seed,
                                    myr_particles **particles);

/* Description of a model: its parameters and options. */
typedef struct myr_model_spec myr_model_spec;

/* Creates the description of a model, with all parameters and options at their defaults. */
MYR_API myr_status myr_model_spec_create(myr_context *context, const char *model, myr_model_spec **spec);

/* Frees the description and sets *spec to null. A null description is allowed. */
MYR_API void myr_model_spec_destroy(myr_model_spec **spec);

/* Name of the model. */
MYR_API const char *myr_model_spec_name(const myr_model_spec *spec);

/* Sets a parameter by name, within its bounds. */
MYR_API myr_status myr_model_spec_set(myr_model_spec *spec, const char *parameter, double value);

/* Value of a parameter; NaN if the name is unknown. */
MYR_API double myr_model_spec_get(const myr_model_spec *spec, const char *parameter);

/* Sets an option to one of its words. */
MYR_API myr_status myr_model_spec_choose(myr_model_spec *spec, const char *option, const char *word);

/* Reads a table of numbers from a text file, for a model that needs one: for isotropic_turbulence wave numbers and, in
 * one or more columns, energies E(k). */
MYR_API myr_status myr_model_spec_read_table(myr_model_spec *spec, const char *path);

/* Chosen word of an option; null if the option is unknown. */
MYR_API const char *myr_model_spec_chosen(const myr_model_spec *spec, const char *option);

/* Creates the particles. n = 0 gives the default number of a model that has one. */
MYR_API myr_status myr_model_spec_make(const myr_model_spec *spec, int64_t n, uint64_t seed, myr_particles **particles);

/* 1 if a row can be made without the others: fcc, lattice and random in their usual form (not centred by mass, without
 * a mass function, without a minimum distance). */
MYR_API int myr_model_spec_in_rows(const myr_model_spec *spec);

/* Creates rows [first, last) of the particles that myr_model_spec_make would make, with the same bits and the row
 * numbers as ids. With several ranks (ranks.h) all ranks call this function, each with its own rows or none, and share
 * the work of sums over all particles. If a model cannot be made in rows, all rows are made and the others dropped. */
MYR_API myr_status myr_model_spec_make_rows(const myr_model_spec *spec, int64_t n, uint64_t seed, int64_t first,
                                            int64_t last, myr_particles **particles);

/* Adds the fields that a kernel reads and the set lacks (charge, type, strength, ...), with plausible random values;
 * for trials and tests. Particles get random types from 0 to types - 1 if the kernel has parameters per pair of
 * types. */
MYR_API myr_status myr_model_fill(myr_particles *particles, const char *kernel, int types, uint64_t seed);

MYR_END_DECLS

#endif
