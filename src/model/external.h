/* external.h - the inside of the external fields: what one file of this folder provides. */
#ifndef MYR_MODEL_EXTERNAL_H
#define MYR_MODEL_EXTERNAL_H

#include <myriad/external.h>

#include "model/model.h"

enum { MYR_EXTERNAL_PARAMETERS = 12 };

/* The field at one place. */
typedef struct {
    double acceleration[3], jerk[3], potential;
} myr_external_field;

/* An external field: one file and one line in externals.def. */
typedef struct {
    myr_choice_info info;
    /* p: parameters in the order of the table; x, v: position relative to the centre, velocity */
    void (*at)(const double *p, const double x[3], const double v[3], double time, myr_external_field *field);
    myr_model_parameter_entry param[MYR_EXTERNAL_PARAMETERS]; /* ends with a null name */
} myr_external_class;

#define MYR_EXTERNAL(name) extern const myr_external_class myr_##name##_external;
#include "model/externals.def"
#undef MYR_EXTERNAL

/* Parameters that several fields have. */
#define MYR_EXTERNAL_G                                                                                                 \
    {                                                                                                                  \
        {"G", "constant of gravity", 1, -MYR_HUGE, MYR_HUGE}, MYR_GRAVITY                                              \
    }
#define MYR_EXTERNAL_M(text)                                                                                           \
    {                                                                                                                  \
        {"mass", text, 1, -MYR_HUGE, MYR_HUGE}, MYR_MASS                                                               \
    }

/* A potential that depends on r alone. `pull` is (dPhi/dr)/r, `change` is (d pull/dr)/r:
 * a = -pull x, jerk = -pull v - change (x.v) x. */
void myr_external_central(const double x[3], const double v[3], double pull, double change, myr_external_field *field);

#endif
