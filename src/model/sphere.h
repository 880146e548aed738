/* sphere.h - spheres with a power-law density or a given profile. */
#ifndef MYR_MODEL_SPHERE_H
#define MYR_MODEL_SPHERE_H

#include "model/model.h"

/* Places a sphere of mass 1 and virial radius 1 with rho ~ r^-slope, slope < 2.5, and normally distributed velocities
 * with expected 2 T/|W| = 1 (not an equilibrium: the profile changes with time). */
void myr_sphere_place(const myr_model_arrays *to, double slope);

/* Spherical profile with isotropic velocities, in units of its scale radius `scale`, G and its mass: a particle is at
 * the radius that contains the mass fraction `inside`, and has a random speed keyed by (seed, id). */
typedef struct {
    double scale;
    double (*radius)(double inside);
    double (*speed)(uint64_t seed, uint64_t id, double r);
} myr_sphere_profile;
void myr_sphere_draw(const myr_model_arrays *to, const myr_sphere_profile *profile, double mass_fraction);

#endif
