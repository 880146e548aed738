/* external.h - external fields, which act on every particle and depend on position and time only, not on other
 * particles.
 *
 * A field provides the acceleration, its time derivative along the motion (jerk) and the potential. */
#ifndef MYRIAD_EXTERNAL_H
#define MYRIAD_EXTERNAL_H

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

typedef struct myr_external myr_external;

/* Description of external field k ("point_mass", "logarithmic", "nfw", "miyamoto_nagai", "tidal", "uniform_field",
 * "harmonic"); null past the last.
 * myr_external_parameter lists the parameters. */
MYR_API const myr_choice_info *myr_external_kind(int k);

/* Parameter n of external field k, with default and bounds; null past the last. */
MYR_API const myr_parameter_info *myr_external_parameter(int k, int n);

/* Dimension of parameter n of external field k, one of the names of myr_model_dimension (model.h); null past the
 * last. */
MYR_API const char *myr_external_dimension(int k, int n);

/* Creates an external field with default parameters. The kind "nemo:NAME:PARAMETERS:FILE" is a plug-in of NEMO
 * (docs/codes.md): NAME.so in the folders of the environment variables ACCPATH and POTPATH. */
MYR_API myr_status myr_external_create(myr_context *context, const char *kind, myr_external **external);

/* Frees the external field and sets *external to null. A null field is allowed. */
MYR_API void myr_external_destroy(myr_external **external);

/* Name of the kind of an external field. */
MYR_API const char *myr_external_name(const myr_external *external);

/* Sets a parameter by name. */
MYR_API myr_status myr_external_set(myr_external *external, const char *parameter, double value);

/* Value of a parameter; NaN if the name is unknown. */
MYR_API double myr_external_get(const myr_external *external, const char *parameter);

/* Evaluates the field at one position: acceleration[3], jerk[3] (for a body with velocity[3]) and potential. Any output
 * may be null. */
MYR_API void myr_external_at(const myr_external *external, const double position[3], const double velocity[3],
                             double time, double acceleration[3], double jerk[3], double *potential);

/* Points at which a function of the user computes an external field: particles, or places without a particle. */
typedef struct {
    double time;
    int64_t n;
    const int64_t *ids;                      /* [n], ids of the particles; -1 = no particle */
    const double *position[3], *velocity[3]; /* [n] each; positions are relative to the centre of the field */
    double *acceleration[3];                 /* [n] each, outputs */
    double *jerk[3];                         /* the same, time derivative along the motion; null = not needed */
    double *potential;                       /* [n], output; null = not needed */
} myr_field_points;

/* Function that computes an external field at all points at once; returns 0, or another number to give up: the step
 * then fails with MYR_ERROR_CANCELLED and leaves the state before it. Outputs that are not set are not finite, an error
 * that names the particle. A field without potentials has the energy NaN. The function must not call Myriad with the
 * same context. */
typedef int (*myr_field_fn)(void *user, const myr_field_points *points);

/* Makes a function an external field of the context: myr_external_create then takes its name, and so does a checkpoint,
 * which cannot be loaded before the function is registered. A name that is registered already gets the new function.
 * Steps are made by the processor, on one rank; forces on bodies may come from a GPU. Particles in a box are given in
 * the order of their set, with positions inside the box and the velocities that the integrator has when it asks for
 * forces: those of half a step before. Molecules refuse such fields, and so does exact_reverse. */
MYR_API myr_status myr_external_register(myr_context *context, const char *name, myr_field_fn field, void *user);

MYR_END_DECLS

#endif
