/* hernquist.h - Hernquist's sphere in units with G = 1, total mass 1, scale radius 1. */
#ifndef MYR_MODEL_HERNQUIST_H
#define MYR_MODEL_HERNQUIST_H

#include <stdint.h>

/* Radius that contains a fraction of the mass: M(r) = r^2/(1 + r)^2. */
double myr_hernquist_radius(double fraction);

/* Random speed at radius r from the isotropic distribution function, keyed by (seed, id). */
double myr_hernquist_speed(uint64_t seed, uint64_t id, double r);

#endif
