/* external.h - interface of an external field, which one file of this folder implements. */
#ifndef MYR_MODEL_EXTERNAL_H
#define MYR_MODEL_EXTERNAL_H

#include <myriad/external.h>

#include "model/model.h"

enum { MYR_EXTERNAL_PARAMETERS = 12 };

/* External field at one position. */
typedef struct {
    double acceleration[3], jerk[3], potential;
} myr_external_field;

/* An external field: one file and one line in externals.def. */
typedef struct {
    myr_choice_info info;
    /* p: parameters in the order of the table; x: position relative to the centre; v: velocity */
    void (*at)(const double *p, const double x[3], const double v[3], double time, myr_external_field *field);
    myr_model_parameter_entry param[MYR_EXTERNAL_PARAMETERS]; /* parameters, ended by a null name */
    /* For fields in a frame that falls with the system: angular velocity at which the field turns about the z axis
     * through its centre. Null = the field is static, and the system moves in it. */
    double (*rate)(const double *p);
    /* Returns 1 if the field is symmetric about the z axis through its centre; null = it always is. */
    int (*round)(const double *p);
} myr_external_class;

#define MYR_EXTERNAL(name) extern const myr_external_class myr_##name##_external;
#include "model/externals.def"
#undef MYR_EXTERNAL

/* Parameters that several fields use. */
#define MYR_EXTERNAL_G                                                                                                 \
    {                                                                                                                  \
        {"G", "constant of gravity", 1, -MYR_HUGE, MYR_HUGE}, MYR_GRAVITY                                              \
    }
#define MYR_EXTERNAL_M(text)                                                                                           \
    {                                                                                                                  \
        {"mass", text, 1, -MYR_HUGE, MYR_HUGE}, MYR_MASS                                                               \
    }

/* Context in which a field was made. */
myr_context *myr_external_context(const myr_external *external);

/* Parameter n of a field, with those of its centre; null past the last. */
const myr_parameter_info *myr_external_own_parameter(const myr_external *external, int n);

/* Angular velocity at which a field turns about the z axis through its centre; 0 = static. */
double myr_external_rate(const myr_external *external);

/* Returns 1 if the field is that of a frame that falls with the system. */
int myr_external_falls(const myr_external *external);

/* Returns 1 if the field is symmetric about the z axis through its centre. */
int myr_external_round(const myr_external *external);

/* Centre of the field. */
void myr_external_centre(const myr_external *external, double centre[3]);

/* Field of a potential that depends on r alone. With pull = (dPhi/dr)/r and change = (d pull/dr)/r: a = -pull x, jerk =
 * -pull v - change (x.v) x. */
void myr_external_central(const double x[3], const double v[3], double pull, double change, myr_external_field *field);

#endif
