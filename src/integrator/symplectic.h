/* symplectic.h - compositions of kicks and drifts, for leapfrog.c and yoshida.c. */
#ifndef MYR_INTEGRATOR_SYMPLECTIC_H
#define MYR_INTEGRATOR_SYMPLECTIC_H

#include "integrator/integrator.h"

/* Evaluates the initial accelerations. */
myr_status myr_symplectic_start(myr_integration *s);

/* Kick-drift-kick steps of lengths weight[k] * dt, one after the other; the last accelerations are reused by the next
 * step. */
myr_status myr_symplectic_step(myr_integration *s, double end, int stages, const double *weight);

#define MYR_FIXED_STEP_PARAMETER                                                                                       \
    {                                                                                                                  \
        {                                                                                                              \
            "dt", "time step", 0.001, 1e-300, 1e300                                                                    \
        }                                                                                                              \
    }

#endif
