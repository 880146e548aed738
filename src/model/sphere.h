/* sphere.h - a sphere with a power law of density. */
#ifndef MYR_MODEL_SPHERE_H
#define MYR_MODEL_SPHERE_H

#include "model/model.h"

/* Places a sphere of mass 1 and virial radius 1 with rho ~ r^-slope, slope < 2.5, and normally distributed velocities
 * with an expected 2 T/|W| of 1 (not an equilibrium: the profile will change). */
void myr_sphere_place(const myr_model_arrays *to, double slope);

#endif
