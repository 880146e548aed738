/* element_motion.h - vortex elements: particles transported by the velocity of a fluid, with changing strengths and
 * cores. */
#ifndef MYR_SIMULATION_VORTEX_ELEMENT_MOTION_H
#define MYR_SIMULATION_VORTEX_ELEMENT_MOTION_H

#include <myriad/elements.h>

#include "simulation/motions.h"
#include "simulation/vortex/strength_guess.h"

/* State of vortex elements that carry vorticity. */
typedef struct {
    double tolerance; /* relative residual of the solution for strengths; 0 = elements carry strengths */
    myr_solved solved;
    double *room; /* Laplacian of the vorticity at the elements, [3][n] */
    double *work; /* memory of the solution, [12][n]; null until it is needed */
    myr_strength_guess guess;
    /* preconditioner of the mesh the elements came from; null = no such mesh is known */
    struct myr_gaussian_mesh *mesh;
    int postponed;        /* 1 = strengths of copies are not computed */
    int64_t synchronised; /* step count when the synchronous copy got its strengths; -1 = not yet */
} myr_collocation;

struct myr_elements_state {
    double viscosity; /* kinematic viscosity of the fluid */
    double strain;    /* largest relative change of a strength in a step; 0 = no limit */
    /* largest angle |vorticity| dt by which elements turn about each other in a step; 0 = no limit */
    double turning;
    double floor;      /* weakest vorticity, relative to the largest, for which new elements are made; 0 = default */
    int exchanges;     /* 1 = viscosity exchanges strength between elements, 0 = it spreads their cores */
    double stream[3];  /* velocity of the fluid far away from all elements */
    double relaxation; /* rate at which strengths turn towards the vorticity; 0 = none */
    myr_collocation collocation;
    struct myr_gaussian_spread *spread[2]; /* meshes of Gaussian sums (kept_mesh.h); null = none yet */
    myr_upkeep upkeep;                     /* rules for re-initialisation and removal of weak elements; all 0 = none */
    myr_upkeep_state upkeep_state;
};

/* Evaluates velocities and the rates of cores and strengths of all elements. */
myr_status myr_element_motion_rates(void *simulation, double time);

#endif
