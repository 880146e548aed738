/* disc.h - thin exponential disc, in units with G = 1, mass 1, scale length 1. */
#ifndef MYR_MODEL_DISC_H
#define MYR_MODEL_DISC_H

/* Mass inside radius r, 1 - (1 + r) exp(-r); and the radius that contains a given mass. */
double myr_disc_mass(double r);
double myr_disc_radius(double mass);

/* Square of the circular speed at radius r in the plane. */
double myr_disc_speed2(double r);

#endif
