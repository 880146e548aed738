/* element_motion.h - vortex elements: particles that the velocity of a fluid carries along, and whose strengths and
 * cores change on the way. */
#ifndef MYR_SIMULATION_VORTEX_ELEMENT_MOTION_H
#define MYR_SIMULATION_VORTEX_ELEMENT_MOTION_H

#include <myriad/elements.h>

#include "simulation/motions.h"

/* Vortex elements that carry vorticity. */
typedef struct {
    double tolerance; /* relative residual of the strengths that are solved for; 0 = elements carry strengths */
    myr_solved solved;
    double *room;                   /* Laplacian of the vorticity at the elements, [3][n] */
    struct myr_gaussian_mesh *mesh; /* mesh that the elements came from; null = no such mesh is known */
    int64_t synchronised; /* steps made when the synchronous copy got its strengths; -1 = it has not got them */
} myr_collocation;

struct myr_elements_state {
    double viscosity;  /* kinematic viscosity of the fluid */
    double strain;     /* largest relative change of a strength in a step; 0 = any */
    double turning;    /* largest angle |vorticity| dt that elements turn about each other in a step; 0 = any */
    double floor;      /* part of the largest vorticity down to which new elements are made; 0 = the usual part */
    int exchanges;     /* 1 if viscosity exchanges strength between elements, 0 if it spreads their cores */
    double stream[3];  /* velocity of the fluid far away from all elements */
    double relaxation; /* rate at which strengths turn towards the vorticity; 0 = they do not turn */
    myr_collocation collocation;
    myr_upkeep upkeep; /* rules that keep elements fit; all 0 = none */
    myr_upkeep_state upkeep_state;
};

/* Evaluates velocities and the rates of cores and strengths of all elements. */
myr_status myr_elements_rates(void *simulation, double time);

#endif
