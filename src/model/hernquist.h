/* hernquist.h - Hernquist's sphere in its own units: G = 1, total mass 1, scale radius 1. */
#ifndef MYR_MODEL_HERNQUIST_H
#define MYR_MODEL_HERNQUIST_H

#include <stdint.h>

/* The radius that a fraction of the mass lies inside: M(r) = r^2/(1 + r)^2. */
double myr_hernquist_radius(double fraction);

/* A speed at radius r from the isotropic distribution function, drawn for (seed, id). */
double myr_hernquist_speed(uint64_t seed, uint64_t id, double r);

#endif
