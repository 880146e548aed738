/* ring.h - vortex rings made of vortex elements, shared by the ring models. */
#ifndef MYR_MODEL_RING_H
#define MYR_MODEL_RING_H

#include "model/model.h"

/* Vortex ring about the z axis with Gaussian vorticity about its centre line, exp(-rho^2/core^2). */
typedef struct {
    double radius, circulation, core, z;
    double amplitude; /* relative amplitude of a wave on the ring: R (1 + amplitude cos(waves phi)) */
    int waves;
} myr_ring;

/* Adds the fields of vortex elements, and makes n / rings elements for each ring. A cross section has a central element
 * and `layers` layers of 8, 16, ... elements (Knio and Ghoniem 1990, J. Comput. Phys. 86, 75). The core radius sigma of
 * an element is `overlap` times the layer distance, and the discretised Gaussian is narrower, so that the sum of the
 * elements has the requested core: core^2 = width^2 + 2 sigma^2. */
myr_status myr_ring_place(const myr_model_arrays *to, int rings, const myr_ring *ring, double layers, double overlap);

/* Parameters of all ring models. */
#define MYR_RING_LAYERS                                                                                                \
    {                                                                                                                  \
        {"layers", "layers of elements about the middle of the core", 3, 1, 20}, MYR_NUMBER                            \
    }
#define MYR_RING_OVERLAP                                                                                               \
    {                                                                                                                  \
        {"overlap", "core radius of the elements over the distance of layers", 1, 0.5, 2}, MYR_NUMBER                  \
    }
#define MYR_RING_CENTRE                                                                                                \
    {                                                                                                                  \
        {"centre", "1 = the centre of mass of the elements is at the origin", 0, 0, 1}, MYR_NUMBER                     \
    }

#endif
