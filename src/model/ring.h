/* ring.h - vortex rings as elements: what the models of rings share. */
#ifndef MYR_MODEL_RING_H
#define MYR_MODEL_RING_H

#include "model/model.h"

/* A ring about the z axis. Its vorticity is Gaussian about the centre line, exp(-rho^2/core^2). */
typedef struct {
    double radius, circulation, core, z;
    double amplitude; /* of a wave on the ring, over its radius: R (1 + amplitude cos(waves phi)) */
    int waves;
} myr_ring;

/* Adds the fields of vortex elements, and makes n / rings elements for each of the rings. Sections across a ring have a
 * middle and `layers` of 8, 16, ... elements about it (Knio and Ghoniem 1990, J. Comput. Phys. 86, 75); their cores are
 * `overlap` times the distance of layers, and the Gaussian that they discretise is so much narrower that the sum of the
 * elements has the core asked for: core^2 = width^2 + 2 sigma^2. */
myr_status myr_ring_place(const myr_model_arrays *to, int rings, const myr_ring *ring, double layers, double overlap);

/* Parameters that all of them have. */
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
