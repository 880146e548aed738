/* sphere.h - a sphere with a power law of density. */
#ifndef MYR_MODEL_SPHERE_H
#define MYR_MODEL_SPHERE_H

#include "model/model.h"

/* Places a sphere of mass 1 and virial radius 1 with rho ~ r^-slope, slope < 2.5, and normally distributed velocities
 * with an expected 2 T/|W| of 1 (not an equilibrium: the profile will change). */
void myr_sphere_place(const myr_model_arrays *to, double slope);

/* Places a sphere with isotropic velocities, given in units of its own radius `scale`, G and its mass: particle `id` is
 * at the radius that has the fraction `inside` of the mass inside it, and has the speed that is drawn for it there. */
typedef struct {
    double scale;
    double (*radius)(double inside);
    double (*speed)(uint64_t seed, uint64_t id, double r);
} myr_sphere_profile;
void myr_sphere_draw(const myr_model_arrays *to, const myr_sphere_profile *profile, double mass_fraction);

#endif
