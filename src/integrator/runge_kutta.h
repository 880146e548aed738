/* runge_kutta.h - Runge-Kutta methods each of whose stages needs only the one before, for rk3.c and rk4.c. */
#ifndef MYR_INTEGRATOR_RUNGE_KUTTA_H
#define MYR_INTEGRATOR_RUNGE_KUTTA_H

#include "integrator/symplectic.h"

/* Nothing has to be known before the first step. */
myr_status myr_runge_kutta_start(myr_integration *s);

/* One step: stage k + 1 is reach[k] of the step along the rates of stage k, and the step the sum of all rates with
 * their weights. */
myr_status myr_runge_kutta_step(myr_integration *s, double end, int stages, const double *reach, const double *weight);

#endif
