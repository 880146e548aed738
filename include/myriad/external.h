/* external.h - fields that act on every particle from outside: they know a position and a time, not the other
 * particles.
 *
 * A field gives the acceleration, its time derivative along the motion (jerk) and the potential. */
#ifndef MYRIAD_EXTERNAL_H
#define MYRIAD_EXTERNAL_H

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

typedef struct myr_external myr_external;

/* Description of external field k ("point_mass", "logarithmic", "nfw", "miyamoto_nagai", "tidal"); null past the end.
 * Its parameters are listed by myr_external_parameter. */
MYR_API const myr_choice_info *myr_external_kind(int k);

/* Parameter n of external field kind k, with default and bounds; null past the end. */
MYR_API const myr_parameter_info *myr_external_parameter(int k, int n);

/* Its dimension, in the words of myr_model_dimension (model.h); null past the end. */
MYR_API const char *myr_external_dimension(int k, int n);

/* Makes an external field with default parameters. */
MYR_API myr_status myr_external_create(myr_context *context, const char *kind, myr_external **external);

/* Frees it and clears the pointer. Null is allowed. */
MYR_API void myr_external_destroy(myr_external **external);

/* The name of its kind. */
MYR_API const char *myr_external_name(const myr_external *external);

/* Sets a parameter by name. */
MYR_API myr_status myr_external_set(myr_external *external, const char *parameter, double value);

/* The value of a parameter; NaN for an unknown one. */
MYR_API double myr_external_get(const myr_external *external, const char *parameter);

/* The field at one place: acceleration[3], jerk[3] (for a body moving with velocity[3]) and potential. Any output may
 * be null. */
MYR_API void myr_external_at(const myr_external *external, const double position[3], const double velocity[3],
                             double time, double acceleration[3], double jerk[3], double *potential);

MYR_END_DECLS

#endif
