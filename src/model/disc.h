/* disc.h - the thin exponential disc, in its own units: G = 1, mass 1, scale length 1. */
#ifndef MYR_MODEL_DISC_H
#define MYR_MODEL_DISC_H

/* The mass inside radius r: 1 - (1 + r) exp(-r); and the radius that a mass lies inside. */
double myr_disc_mass(double r);
double myr_disc_radius(double mass);

/* The square of the speed on a circle of radius r in the plane. */
double myr_disc_speed2(double r);

#endif
