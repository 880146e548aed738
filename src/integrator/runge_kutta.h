/* runge_kutta.h - Runge-Kutta methods in which each stage depends only on the previous one, for rk3.c and rk4.c. */
#ifndef MYR_INTEGRATOR_RUNGE_KUTTA_H
#define MYR_INTEGRATOR_RUNGE_KUTTA_H

#include "integrator/symplectic.h"

/* Start function of the methods: no evaluation is needed before the first step. */
myr_status myr_runge_kutta_start(myr_integration *s);

/* One step: stage k + 1 is evaluated at reach[k] dt along the rates of stage k, and the step is the weighted sum of the
 * rates of all stages. */
myr_status myr_runge_kutta_step(myr_integration *s, double end, int stages, const double *reach, const double *weight);

#endif
