/* neighbour_forces.h - forces of a list of neighbours in one call. */
#ifndef MYR_TESTS_NEIGHBOUR_FORCES_H
#define MYR_TESTS_NEIGHBOUR_FORCES_H

#include "method/neighbour/neighbour.h"

/* Both halves of the forces, where no halo is in flight. */
static inline myr_status neighbour_forces(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums)
{
    const myr_status status = myr_neighbour_forces_begin(list, sums != NULL);
    return status ? status : myr_neighbour_forces_end(list, force, sums);
}

#endif
