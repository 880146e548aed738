/* diagnostic.h - particle fields that diagnostics read. */
#ifndef MYR_DIAGNOSTIC_H
#define MYR_DIAGNOSTIC_H

#include <myriad/diagnostic.h>

#include "core/context.h"

/* Fields of a particle set; null if the set has no such field. */
typedef struct {
    myr_context *context;
    int64_t n;
    const double *x[3], *v[3], *mass, *potential;
} myr_bodies;

enum { MYR_BODIES_VELOCITY = 1, MYR_BODIES_MASS = 2, MYR_BODIES_POTENTIAL = 4 };

/* Finds the fields. Fails with a message if a needed field is missing, or if a mass is negative or not finite. */
myr_status myr_bodies_read(const myr_particles *particles, int needed, myr_bodies *bodies);

#endif
