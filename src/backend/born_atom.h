/* born_atom.h - generalised Born solvent: what belongs to one atom, shared by processor and GPU and evaluated in the
 * same order on both, so that the bits are the same. The formulas are in molecular/born.c. */
#ifndef MYR_BACKEND_BORN_ATOM_H
#define MYR_BACKEND_BORN_ATOM_H

#include "backend/motion.h"
#include "core/elementary_inside.h"

#define BORN_LARGEST 30.0 /* Angstrom */
#define BORN_PROBE 1.4    /* radius of a molecule of water in Angstrom */
#define BORN_FOUR_PI 12.566370614359172954

/* A model: how radii follow from integrals, and the tension of the surface in kcal/mol/Angstrom^2, 0 = none. */
typedef struct {
    double alpha, beta, gamma; /* all 0: 1/B = 1/rho~ - I */
    double tension;
} born_law;

MYR_MOTION_FN double born_tanh(double x)
{
    const double most = x > 20 ? 20 : x < -20 ? -20 : x;
    return 1 - 2 / (elementary_exp(2 * most) + 1);
}

/* Born radius of an atom with radius `wide`, `reduced` by the offset, and its derivative by the integral. */
MYR_MOTION_FN void born_radius(const born_law *law, double wide, double reduced, double integral, double *radius,
                               double *slope)
{
    const double psi = integral * reduced;
    if (law->alpha == 0) {
        const double inverse = 1 / reduced - integral;
        const int small = inverse < 1 / BORN_LARGEST;
        *radius = small ? BORN_LARGEST : 1 / inverse;
        *slope = small ? 0 : *radius * *radius;
        return;
    }
    const double t = born_tanh(psi * (law->alpha + psi * (psi * law->gamma - law->beta)));
    *radius = 1 / (1 / reduced - t / wide);
    *slope = *radius * *radius * (1 - t * t) * (law->alpha + psi * (3 * law->gamma * psi - 2 * law->beta)) *
             (reduced / wide);
}

/* Energy of the surface of an atom. */
MYR_MOTION_FN double born_surface(const born_law *law, double wide, double radius)
{
    const double outside = wide + BORN_PROBE, ratio = wide / radius, cube = ratio * ratio * ratio;
    return law->tension > 0 ? BORN_FOUR_PI * law->tension * outside * outside * (cube * cube) : 0;
}

/* Derivative of the energy by the integral of an atom, from that by its radius. */
MYR_MOTION_FN double born_weight(const born_law *law, double wide, double radius, double slope, double by_radius)
{
    return slope * (by_radius - 6 * born_surface(law, wide, radius) / radius);
}

#endif
